//! `channel-memory-mpsc`: idle channels that could have further senders, without a bound.

use anyhow::Result;

use crate::families::messages::memory::{CARD, label, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Idle channels that could have further senders.
#[derive(Debug)]
pub struct ChannelMemoryMpsc;

impl MessageWorkload for ChannelMemoryMpsc {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-mpsc",
        about: "1,000 idle channels for many senders, which have one each; no bound: heap of each",
        analysis: "As `channel-memory-spsc`, of channels whose sender could be cloned. What \
                   further senders add is the matter of `channel-memory-senders`.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Mpsc];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, u64::MAX, session, || R::mpsc(1));
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
