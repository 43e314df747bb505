//! `portset-one`: one receiver of many channels, one of which is in use.

use anyhow::Result;

use crate::families::messages::ports::{CARD, NEEDS, label, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Channels of which one has messages.
#[derive(Debug)]
pub struct PortsetOne;

impl MessageWorkload for PortsetOne {
    const CARD: WorkloadCard = WorkloadCard {
        name: "portset-one",
        about: "a thread receives 100,000 messages from many channels, of which one is in use",
        analysis: "As `portset-scale`, but all messages come through the last channel. A receiver \
                   that looks at all channels takes longer the more there are.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<R>(size, 1, session)
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
