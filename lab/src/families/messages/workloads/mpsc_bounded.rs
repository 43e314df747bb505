//! `mpsc-bounded`: four threads send to one other, with room for 128 messages.

use anyhow::Result;

use crate::families::messages::traffic::{BOUND, CARD, SEVERAL, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Four senders, one receiver, and a bound.
#[derive(Debug)]
pub struct MpscBounded;

impl MessageWorkload for MpscBounded {
    const CARD: WorkloadCard = WorkloadCard {
        name: "mpsc-bounded",
        about: "four threads send 1,000,000 numbers to one other; room for 128",
        analysis: "As `mpsc`, but the channel holds 128 messages at most, so four threads wait \
                   for room again and again.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::MpscBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<SEVERAL, _, _>(size, 1, session, || {
            let (senders, receiver) = R::mpsc_bounded(SEVERAL, BOUND);
            (senders, vec![receiver])
        });
        Ok(())
    }
}
