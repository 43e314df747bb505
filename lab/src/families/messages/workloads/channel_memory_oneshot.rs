//! `channel-memory-oneshot`: channels for one message, which have not been used.

use anyhow::Result;

use crate::families::messages::channel::{OnceReceiver, OnceSender};
use crate::families::messages::memory::{CARD, Message, SENDERS, UNKNOWN};
use crate::families::messages::payload::{Payload, Total};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::heap;
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Channels for one message.
#[derive(Debug)]
pub struct ChannelMemoryOneshot;

impl MessageWorkload for ChannelMemoryOneshot {
    const CARD: WorkloadCard = WorkloadCard {
        name: "channel-memory-oneshot",
        about: "1,000 channels for one message, which was not sent yet: heap of each",
        analysis: "As `channel-memory-spsc`, while the sender still has the message, of 32 bytes. \
                   A channel for one message is gone when it has been used. A library without \
                   such a channel uses one with room for one.",
        size_counts: "channels",
        sizes: &[SENDERS as u64],
        smoke_sizes: &[SENDERS as u64],
        limits: (1, 1_000_000),
        ..CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Oneshot];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample(size, session, R::oneshot);
        Ok(())
    }
}

fn sample<S: OnceSender<Message>, R: OnceReceiver<Message>>(
    size: u64,
    session: &mut Session,
    open: impl Fn() -> (S, R),
) {
    session.tasks(1, Some(size));
    // The library allocates what it has once for all channels.
    pass(0, open());
    let mut channels = Vec::with_capacity(size as usize);
    let Some(empty) = heap::bytes_in_use() else {
        session.decline(UNKNOWN);
        return;
    };
    let expected = Total::expected::<4>(1, size);
    let mut held = None;
    session.sample_prepared(
        size,
        &mut channels,
        Vec::clear,
        |channels| channels.extend((0..size).map(|_| open())),
        |channels, ()| {
            held = held.or_else(heap::bytes_in_use);
            let mut total = Total::default();
            for message in (0..)
                .zip(channels.drain(..))
                .filter_map(|(n, ends)| pass(n, ends))
            {
                total.add(&message);
            }
            if total == expected {
                Ok(())
            } else {
                Err(format!("the total is {total:?}, expected {expected:?}"))
            }
        },
    );
    if let Some(held) = held {
        session.item_heap_bytes((held as f64 - empty as f64) / size as f64);
    }
}

/// Passes a message through a channel.
fn pass<S: OnceSender<Message>, R: OnceReceiver<Message>>(
    number: u64,
    (sender, receiver): (S, R),
) -> Option<Message> {
    sender
        .send_once(Payload::new(number))
        .then(|| receiver.recv_once())?
}
