//! `channel-memory-spsc-bounded`: idle channels of one sender and one receiver, with a bound.

use anyhow::Result;

use crate::families::messages::memory::{CARD, label, sample};
use crate::families::messages::traffic::BOUND;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Idle channels with a bound.
#[derive(Debug)]
pub struct ChannelMemorySpscBounded;

impl MessageWorkload for ChannelMemorySpscBounded {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-spsc-bounded",
        about: "the same as `channel-memory-spsc`, with room for 128 messages",
        analysis: "As `channel-memory-spsc`, but the channel holds 128 messages at most. A \
                   library that allocates all of its bound at once has 4,096 bytes for messages \
                   in a channel that is new. The messages pass in bursts of 128.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, BOUND as u64, session, || {
            let (sender, receiver) = R::spsc_bounded(BOUND);
            (vec![sender], receiver)
        });
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
