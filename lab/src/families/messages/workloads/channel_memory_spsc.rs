//! `channel-memory-spsc`: idle channels of one sender and one receiver, without a bound.

use anyhow::Result;

use crate::families::messages::memory::{CARD, label, sample};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Idle channels without a bound.
#[derive(Debug)]
pub struct ChannelMemorySpsc;

impl MessageWorkload for ChannelMemorySpsc {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-spsc",
        about: "1,000 idle channels of one sender and one receiver, no bound: heap of each",
        analysis: "Bytes per channel are the heap in use while 1,000 channels lie idle, less what \
                   was in use before the first one was opened, in the first run of the process. \
                   The C library counts them, with what it adds to each block. The two ends \
                   themselves are not part of it. `new`: nothing was sent. `after 10,000`: so \
                   many messages of 32 bytes were sent, and then received, so the channel is \
                   empty again and holds what it keeps for later messages. All on one thread. The \
                   time is that of opening the channels and of the messages.",
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Spsc];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, u64::MAX, session, || {
            let (sender, receiver) = R::spsc();
            (vec![sender], receiver)
        });
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}
