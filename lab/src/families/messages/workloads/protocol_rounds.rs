//! `protocol-rounds`: questions and answers of a protocol.

use anyhow::Result;

use crate::families::messages::talk::{Talk, talk};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload, traffic};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Two threads that wait for each other.
#[derive(Debug)]
pub struct ProtocolRounds;

impl MessageWorkload for ProtocolRounds {
    const CARD: WorkloadCard = WorkloadCard {
        name: "protocol-rounds",
        about: "a client asks a server on another thread, and waits for the answer; 100,000 round \
                trips",
        analysis: "As `ping-pong`, with one of three things that the client may say, and no bound. \
                   What a step costs is little beside the two waits of a round trip.",
        item: "round trip",
        size_counts: "round trips",
        sizes: &[100_000],
        smoke_sizes: &[500],
        limits: (1, 10_000_000),
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Dialogue];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        talk::<R>(size, Talk::Asks, session);
        Ok(())
    }
}
