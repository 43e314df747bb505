//! `spsc-unbounded`: one thread sends to one other, without a bound.

use anyhow::Result;

use crate::families::messages::traffic::{CARD, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// One sender, one receiver.
#[derive(Debug)]
pub struct SpscUnbounded;

impl MessageWorkload for SpscUnbounded {
    const CARD: WorkloadCard = WorkloadCard {
        name: "spsc-unbounded",
        about: "one thread sends 1,000,000 numbers to one other; no bound",
        analysis: "From making the channel until both threads have ended. The calling thread \
                   receives, and the thread that sends is made and joined in the time. The order \
                   is checked. If the sender is faster, the channel grows.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Spsc];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<1, _, _>(size, 1, session, || {
            let (sender, receiver) = R::spsc();
            (vec![sender], vec![receiver])
        });
        Ok(())
    }
}
