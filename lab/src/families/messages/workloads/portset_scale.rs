//! `portset-scale`: one receiver of many channels, all in use.

use anyhow::Result;

use crate::families::messages::ports::{CARD, NEEDS, label, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Channels that all have messages.
#[derive(Debug)]
pub struct PortsetScale;

impl MessageWorkload for PortsetScale {
    const CARD: WorkloadCard = WorkloadCard {
        name: "portset-scale",
        about: "a thread receives 100,000 messages from many channels, by turns through each",
        analysis: "From the start of the sending thread to the last message. It sends a message by \
                   each channel in turn, and begins again. The channels are made before. The \
                   messages of each channel must come in order. What is asked is how the time per \
                   message grows with the number of channels; some of it is the caches'.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<R>(size, size, session)
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
