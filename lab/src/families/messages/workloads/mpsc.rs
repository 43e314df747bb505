//! `mpsc`: four threads send to one other, without a bound.

use anyhow::Result;

use crate::families::messages::traffic::{CARD, SEVERAL, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Four senders, one receiver.
#[derive(Debug)]
pub struct Mpsc;

impl MessageWorkload for Mpsc {
    const CARD: WorkloadCard = WorkloadCard {
        name: "mpsc",
        about: "four threads send 1,000,000 numbers to one other; no bound",
        analysis: "From making the channel until all threads have ended. The calling thread \
                   receives. The numbers of each sender must come in order; senders may overtake \
                   each other.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Mpsc];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<SEVERAL, _, _>(size, 1, session, || {
            let (senders, receiver) = R::mpsc(SEVERAL);
            (senders, vec![receiver])
        });
        Ok(())
    }
}
