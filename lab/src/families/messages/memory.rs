//! Channels that lie idle, and the heap that they hold.
//!
//! A channel is looked at in two states: new, and after messages have passed through it. The size
//! says which one, because it is the number of these messages. All of it happens on one thread. So
//! nothing waits, and no waiter is a part of the figure.

use std::ops::Range;

use crate::families::messages::channel::{Receiver, Sender};
use crate::families::messages::payload::{Payload, Total};
use crate::heap;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many senders are open when the heap is looked at.
pub const SENDERS: usize = 1_000;

/// A message of 32 bytes.
pub type Message = Payload<4>;

/// What the cards of these workloads have in common.
pub const CARD: WorkloadCard = WorkloadCard {
    name: "",
    about: "",
    analysis: "",
    item: "channel",
    size_counts: "messages before",
    sizes: &[0, 10_000],
    smoke_sizes: &[0, 300],
    limits: (0, 1_000_000),
    default_rank: None,
    outside: true,
    shows: Shows::Heap,
};

/// What a size is called in tables.
pub fn label(messages: u64) -> String {
    match messages {
        0 => "new".to_owned(),
        _ => format!("after {}", group(messages)),
    }
}

/// Measures [`SENDERS`] senders with their channels, of which `open` makes one. `before` messages
/// have passed through each sender, at most `room` at a time.
pub fn sample<S: Sender<Message>, R: Receiver<Message>>(
    before: u64,
    room: u64,
    session: &mut Session,
    open: impl Fn() -> (Vec<S>, R),
) {
    session.tasks(1, Some(SENDERS as u64 * before));
    // The library allocates what it has once for all channels.
    let mut first = Channels::with_capacity(SENDERS);
    first.open(&open);
    first.pass(0..before, room);
    drop(first);
    let mut channels = Channels::with_capacity(SENDERS);
    let Some(empty) = heap::bytes_in_use() else {
        session.decline(UNKNOWN);
        return;
    };
    let mut held = None;
    session.sample_prepared(
        SENDERS as u64,
        &mut channels,
        Channels::clear,
        |channels| {
            while channels.senders.len() < SENDERS {
                channels.open(&open);
            }
            channels.pass(0..before, room);
        },
        |channels, ()| {
            held = held.or_else(heap::bytes_in_use);
            // Each of them still works.
            channels.pass(before..before + 1, room);
            channels.check(before + 1)
        },
    );
    if let Some(held) = held {
        session.item_heap_bytes((held as f64 - empty as f64) / SENDERS as f64);
    }
}

/// Why a row has no figure.
pub const UNKNOWN: &str = "this system does not say how much of the heap is in use";

/// The ends of channels that have the same number of senders each, and what was received.
struct Channels<S, R> {
    senders: Vec<S>,
    receivers: Vec<R>,
    total: Total,
}

impl<S: Sender<Message>, R: Receiver<Message>> Channels<S, R> {
    /// No channels, and room for the ends of all of them: the ends are no part of the figure.
    fn with_capacity(ends: usize) -> Self {
        Self {
            senders: Vec::with_capacity(ends),
            receivers: Vec::with_capacity(ends),
            total: Total::default(),
        }
    }

    fn clear(&mut self) {
        self.senders.clear();
        self.receivers.clear();
        self.total = Total::default();
    }

    fn open(&mut self, open: impl Fn() -> (Vec<S>, R)) {
        let (senders, receiver) = open();
        self.senders.extend(senders);
        self.receivers.push(receiver);
    }

    /// Passes these messages through each sender, at most `room` at a time.
    fn pass(&mut self, messages: Range<u64>, room: u64) {
        let each = self.senders.len() / self.receivers.len();
        for (number, sender) in self.senders.iter_mut().enumerate() {
            let receiver = &mut self.receivers[number / each];
            let mut left = messages.clone();
            while !left.is_empty() {
                let burst = left.start..left.end.min(left.start.saturating_add(room));
                left.start = burst.end;
                let sent = burst
                    .filter(|&number| sender.send(Payload::new(number)))
                    .count();
                for message in (0..sent).filter_map(|_| receiver.recv()) {
                    self.total.add(&message);
                }
            }
        }
    }

    /// Whether the numbers below `each` have come through every sender.
    fn check(&self, each: u64) -> Result<(), String> {
        let (total, expected) = (self.total, Total::expected::<4>(SENDERS as u64, each));
        if total == expected {
            Ok(())
        } else {
            Err(format!("the total is {total:?}, expected {expected:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Both ends of a channel that loses one message.
    #[derive(Clone)]
    struct Lossy {
        queue: Arc<Mutex<VecDeque<Message>>>,
        loses: u64,
        sent: u64,
    }

    impl Sender<Message> for Lossy {
        fn send(&mut self, message: Message) -> bool {
            self.sent += 1;
            if self.sent != self.loses {
                self.queue.lock().unwrap().push_back(message);
            }
            true
        }
    }

    impl Receiver<Message> for Lossy {
        fn recv(&mut self) -> Option<Message> {
            self.queue.lock().unwrap().pop_front()
        }
    }

    fn error(loses: u64) -> Option<String> {
        let mut session = Session::new(crate::effort::Effort::once());
        sample(5, 2, &mut session, || {
            let queue = Arc::default();
            let end = Lossy {
                queue,
                loses,
                sent: 0,
            };
            (vec![end.clone()], end)
        });
        session.end().error
    }

    #[test]
    fn each_message_counts() {
        assert_eq!(error(u64::MAX), None);
        // One of the burst, and the last one.
        assert!(error(2).is_some());
        assert!(error(6).is_some());
    }
}
