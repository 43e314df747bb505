//! `msgsend-512`: the same with messages of 512 bytes.

use anyhow::Result;

use crate::families::messages::workloads::msgsend::{self, Msgsend};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Clients that send messages of 512 bytes.
#[derive(Debug)]
pub struct Msgsend512;

impl MessageWorkload for Msgsend512 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "msgsend-512",
        about: "the same as `msgsend`, with messages of 512 bytes",
        analysis: "As `msgsend`, with a message of eight cache lines. The server reads all of it. \
                   The messages that wait do not fit into the caches. There are fewer of them, \
                   because all together would take half a gigabyte.",
        sizes: &[10_000],
        smoke_sizes: &[200],
        limits: (1, 1_000_000),
        ..Msgsend::CARD
    };

    const NEEDS: &'static [ChannelKind] = msgsend::NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        msgsend::sample::<R, 64>(size, session);
        Ok(())
    }

    fn size_label(size: u64) -> String {
        msgsend::label(size)
    }
}
