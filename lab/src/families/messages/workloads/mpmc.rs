//! `mpmc`: four threads send to four others, with room for 128 messages.

use anyhow::Result;

use crate::families::messages::traffic::{BOUND, CARD, SEVERAL, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Four senders, four receivers, and a bound.
#[derive(Debug)]
pub struct Mpmc;

impl MessageWorkload for Mpmc {
    const CARD: WorkloadCard = WorkloadCard {
        name: "mpmc",
        about: "four threads send 1,000,000 numbers to four others; room for 128",
        analysis: "From making the channel until all threads have ended. The calling thread is \
                   one of the receivers. Each number must arrive once, and a receiver must see \
                   the numbers of a sender in order.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::MpmcBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<SEVERAL, _, _>(size, SEVERAL, session, || {
            R::mpmc_bounded(SEVERAL, SEVERAL, BOUND)
        });
        Ok(())
    }
}
