//! `msgsend-64`: the same with messages of 64 bytes.

use anyhow::Result;

use crate::families::messages::workloads::msgsend::{self, Msgsend};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Clients that send messages of 64 bytes.
#[derive(Debug)]
pub struct Msgsend64;

impl MessageWorkload for Msgsend64 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "msgsend-64",
        about: "the same as `msgsend`, with messages of 64 bytes",
        analysis: "As `msgsend`, with a message as long as a cache line. The server reads all of \
                   it.",
        ..Msgsend::CARD
    };

    const NEEDS: &'static [ChannelKind] = msgsend::NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        msgsend::sample::<R, 8>(size, session);
        Ok(())
    }

    fn size_label(size: u64) -> String {
        msgsend::label(size)
    }
}
