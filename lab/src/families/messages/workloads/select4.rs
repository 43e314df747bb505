//! `select4`: one thread selects over four channels, each with a sender of its own.

use anyhow::Result;

use crate::families::messages::select::sample;
use crate::families::messages::traffic::CARD;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Four channels, one receiver.
#[derive(Debug)]
pub struct Select4;

impl MessageWorkload for Select4 {
    const CARD: WorkloadCard = WorkloadCard {
        name: "select4",
        about: "four threads send 1,000,000 numbers through a channel each to one that selects",
        analysis: "From making the channels until all threads have ended. The calling thread \
                   selects over the four receivers until all numbers have come. The numbers of \
                   each sender must come in order. No channel ends before.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Select4];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<R>(size, session);
        Ok(())
    }
}
