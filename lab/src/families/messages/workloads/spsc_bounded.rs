//! `spsc-bounded`: one thread sends to one other, with room for 128 messages.

use anyhow::Result;

use crate::families::messages::traffic::{BOUND, CARD, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// One sender, one receiver, and a bound.
#[derive(Debug)]
pub struct SpscBounded;

impl MessageWorkload for SpscBounded {
    const CARD: WorkloadCard = WorkloadCard {
        name: "spsc-bounded",
        about: "one thread sends 1,000,000 numbers to one other; room for 128",
        analysis: "As `spsc-unbounded`, but the channel holds 128 messages at most. Then the \
                   faster of the two threads waits, and what counts is how often the kernel has \
                   to wake it. `rtrb` has no way to wait: both threads look again and again.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<1, _, _>(size, 1, session, || {
            let (sender, receiver) = R::spsc_bounded(BOUND);
            (vec![sender], vec![receiver])
        });
        Ok(())
    }
}
