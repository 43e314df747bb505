//! `protocol-stream`: messages of a protocol in one direction.

use anyhow::Result;

use crate::families::messages::talk::{Talk, talk};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload, traffic};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Two threads.
#[derive(Debug)]
pub struct ProtocolStream;

impl MessageWorkload for ProtocolStream {
    const CARD: WorkloadCard = WorkloadCard {
        name: "protocol-stream",
        about: "one thread sends 1,000,000 messages of a protocol to one other; no bound",
        analysis: "As `spsc-unbounded`, with one of three things that the client may say. At the \
                   end the client asks for the sum of all numbers.",
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Dialogue];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        talk::<R>(size, Talk::Sends, session);
        Ok(())
    }
}
