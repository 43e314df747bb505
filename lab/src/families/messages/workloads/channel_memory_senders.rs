//! `channel-memory-senders`: idle channels with ten senders each, without a bound.

use anyhow::Result;

use crate::families::messages::memory::{CARD, label, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// How many senders a channel has.
const EACH: usize = 10;

/// Idle channels with many senders.
#[derive(Debug)]
pub struct ChannelMemorySenders;

impl MessageWorkload for ChannelMemorySenders {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-senders",
        about: "100 idle channels with 10 senders each, no bound: heap for each sender",
        analysis: "As `channel-memory-mpsc`, with ten senders of each channel, and divided by the \
                   number of senders. The messages have passed through each sender. Where all \
                   senders share one queue, a sender has a tenth of a channel. Where each has a \
                   lane of its own, it has a lane besides.",
        item: "sender",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Mpsc];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, u64::MAX, session, || R::mpsc(EACH));
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
