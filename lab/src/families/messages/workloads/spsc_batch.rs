//! `spsc-batch`: one thread sends to one other, which takes many messages at once.

use anyhow::Result;

use crate::families::messages::traffic::{CARD, sample_batches};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// One sender, and one receiver that takes many messages at once.
#[derive(Debug)]
pub struct SpscBatch;

impl MessageWorkload for SpscBatch {
    const CARD: WorkloadCard = WorkloadCard {
        name: "spsc-batch",
        about: "one thread sends 1,000,000 numbers to one other, which takes up to 128 at once",
        analysis: "As `spsc-unbounded`, but the receiver takes what is there, up to 128 numbers, \
                   into a vector: in one call where the library has one, else a blocking call and \
                   then others that do not block.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscBatch];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample_batches(size, session, R::spsc_batch);
        Ok(())
    }
}
