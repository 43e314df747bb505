//! `channel-memory-mpmc`: idle channels that could have further receivers, with a bound.

use anyhow::Result;

use crate::families::messages::memory::{CARD, label, sample};
use crate::families::messages::traffic::BOUND;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Idle channels that could have further senders and receivers.
#[derive(Debug)]
pub struct ChannelMemoryMpmc;

impl MessageWorkload for ChannelMemoryMpmc {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-mpmc",
        about: "1,000 idle channels for many receivers, which have one each; room for 128 \
                messages: heap of each",
        analysis: "As `channel-memory-spsc-bounded`, of channels whose ends could both be cloned.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::MpmcBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, BOUND as u64, session, || {
            let (senders, mut receivers) = R::mpmc_bounded(1, 1, BOUND);
            (senders, receivers.pop().expect("there is one"))
        });
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
