//! `msgsend-0`: the same with messages of 0 bytes.

use anyhow::Result;

use crate::families::messages::workloads::msgsend::{self, Msgsend};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Clients that send messages of 0 bytes.
#[derive(Debug)]
pub struct Msgsend0;

impl MessageWorkload for Msgsend0 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "msgsend-0",
        about: "the same as `msgsend`, with messages of 0 bytes",
        analysis: "As `msgsend`, with a message that is nothing but its tag: the 8 bytes of a \
                   pointer, which the question has, in every row. What is left is what the channel \
                   does.",
        ..Msgsend::CARD
    };

    const NEEDS: &'static [ChannelKind] = msgsend::NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        msgsend::sample::<R, 0>(size, session);
        Ok(())
    }

    fn size_label(size: u64) -> String {
        msgsend::label(size)
    }
}
