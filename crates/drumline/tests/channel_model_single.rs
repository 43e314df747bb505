//! Channels with one receiver that owns itself, in random runs on one thread, beside a model that
//! is as simple as can be: `mpsc`, one sender of an `spsc` that is shared, and `oneshot`. Those of
//! `mpmc`, whose senders `mpsc` has, are in `channel_model_waiting.rs`.

mod common;

use std::collections::VecDeque;
use std::task::{Poll, Waker};

use common::Random;
use common::messages::{Accounts, Message, poll};
use drumline::channel::{CloseReason, TryRecvError, TrySendError, mpsc, oneshot, spsc};

const SEEDS: u64 = 1_000;
const STEPS: usize = 200;

/// 0: without a bound.
const CAPACITIES: [usize; 5] = [0, 1, 2, 7, 64];

/// What a channel should do.
struct Model {
    capacity: usize,
    messages: VecDeque<usize>,
    is_closed: bool,
    /// What the senders that have gone have said.
    reason: CloseReason,
}

impl Model {
    fn new(capacity: usize) -> Self {
        Model {
            capacity: if capacity == 0 { usize::MAX } else { capacity },
            messages: VecDeque::new(),
            is_closed: false,
            reason: CloseReason::Finished,
        }
    }

    fn send(&mut self, number: usize) -> Result<(), TrySendError<usize>> {
        if self.is_closed {
            return Err(TrySendError::Closed(number));
        }
        if self.messages.len() >= self.capacity {
            return Err(TrySendError::Full(number));
        }
        self.messages.push_back(number);
        Ok(())
    }

    fn receive(&mut self, senders: usize) -> Result<usize, TryRecvError> {
        let empty = match (self.is_closed, senders) {
            (true, _) => TryRecvError::Closed(CloseReason::ClosedByReceiver),
            (false, 0) => TryRecvError::Closed(self.reason),
            (false, _) => TryRecvError::Empty,
        };
        self.messages.pop_front().ok_or(empty)
    }
}

fn number_of(error: TrySendError<Message>) -> TrySendError<usize> {
    match error {
        TrySendError::Full(back) => TrySendError::Full(back.number),
        TrySendError::Closed(back) => TrySendError::Closed(back.number),
    }
}

/// One random run of a kind of channel. `$make` makes it from a capacity, or without a bound.
macro_rules! run {
    ($seed:expr, $make:expr) => {{
        let seed = $seed;
        let mut random = Random::new(seed);
        let capacity = CAPACITIES[random.below(CAPACITIES.len() as u64) as usize];
        let accounts = Accounts::default();
        let (sender, mut receiver) = $make(capacity);
        let mut senders = vec![sender];
        let mut model = Model::new(capacity);
        for step in 0..STEPS {
            let at = random.below(senders.len().max(1) as u64) as usize;
            match random.below(100) {
                0..45 => {
                    let Some(sender) = senders.get(at) else {
                        continue;
                    };
                    let sent = sender.try_send(accounts.message(step)).map_err(number_of);
                    assert_eq!(sent, model.send(step), "seed {seed}");
                }
                45..70 => {
                    let received = receiver.try_recv().map(|message| message.number);
                    assert_eq!(received, model.receive(senders.len()), "seed {seed}");
                }
                70..80 => {
                    // A future that finds nothing is dropped, and has taken nothing.
                    let mut receiving = receiver.recv_async();
                    let polled = poll(&mut receiving, Waker::noop());
                    let polled = polled.map(|received| {
                        let received = received.map(|message| message.number);
                        received.map_err(|error| TryRecvError::Closed(error.reason()))
                    });
                    let expected = match model.receive(senders.len()) {
                        Err(TryRecvError::Empty) => Poll::Pending,
                        received => Poll::Ready(received),
                    };
                    assert_eq!(polled, expected, "seed {seed}");
                }
                80..86 => {
                    let most = random.below(10) as usize;
                    if model.messages.is_empty() {
                        continue;
                    }
                    let mut messages = Vec::new();
                    let count = receiver.recv_many(&mut messages, most).unwrap();
                    let numbers: Vec<_> = messages.iter().map(|message| message.number).collect();
                    let expected = most.min(model.messages.len());
                    assert_eq!(count, expected, "seed {seed}");
                    assert!(numbers.into_iter().eq(model.messages.drain(..expected)));
                }
                86..93 => {
                    if let Some(sender) = senders.get(at) {
                        let sender = sender.clone();
                        senders.push(sender);
                    }
                }
                93..97 => {
                    if senders.is_empty() {
                        continue;
                    }
                    let sender = senders.swap_remove(at);
                    if random.below(2) == 0 {
                        sender.finish();
                    } else {
                        drop(sender);
                        model.reason = CloseReason::Dropped;
                    }
                }
                97 if step > STEPS / 2 => {
                    receiver.close();
                    model.is_closed = true;
                }
                98 if step > STEPS / 2 => {
                    let drained: Vec<_> = receiver.drain().map(|message| message.number).collect();
                    assert!(
                        drained.into_iter().eq(model.messages.drain(..)),
                        "seed {seed}"
                    );
                    model.is_closed = true;
                }
                _ => {}
            }
            assert_eq!(receiver.len(), model.messages.len(), "seed {seed}");
            for sender in &senders {
                assert_eq!(sender.is_closed(), model.is_closed, "seed {seed}");
            }
            let kept = accounts.made() - accounts.dropped();
            assert_eq!(kept, model.messages.len(), "seed {seed}");
        }
        if seed.is_multiple_of(2) {
            drop(receiver);
            drop(senders);
        } else {
            drop(senders);
            drop(receiver);
        }
        accounts.settle();
    }};
}

#[test]
fn an_mpsc_channel_does_what_the_model_does() {
    let make = |capacity| match capacity {
        0 => mpsc::unbounded::<Message>(),
        _ => mpsc::bounded(capacity),
    };
    for seed in 0..SEEDS {
        run!(seed, make);
    }
}

#[test]
fn a_shared_sender_does_what_the_model_does() {
    let make = |capacity| {
        let (sender, receiver) = match capacity {
            0 => spsc::unbounded::<Message>(),
            _ => spsc::bounded(capacity),
        };
        (sender.into_shared(), receiver)
    };
    for seed in 0..SEEDS {
        run!(seed, make);
    }
}

/// All orders of a few steps, as numbers to the base of their count.
#[test]
fn a_oneshot_does_what_the_model_does() {
    const KINDS: usize = 7;
    const LENGTH: u32 = 5;
    let accounts = Accounts::default();
    for order in 0..KINDS.pow(LENGTH) {
        let (sender, receiver) = oneshot::channel::<Message>();
        let (mut sender, mut receiver) = (Some(sender), Some(receiver));
        let mut model = Model::new(1);
        // A message that has been received is the only one.
        let mut is_over = false;
        for place in 0..LENGTH {
            match order / KINDS.pow(place) % KINDS {
                0 => {
                    let Some(sender) = sender.take() else {
                        continue;
                    };
                    let sent = sender.send(accounts.message(1));
                    assert_eq!(sent.is_ok(), !model.is_closed, "order {order}");
                    if sent.is_ok() {
                        model.messages.push_back(1);
                    }
                }
                1 => {
                    let was_there = sender.take().is_some();
                    if was_there {
                        model.reason = CloseReason::Dropped;
                    }
                }
                2 => {
                    let Some(receiver) = receiver.as_mut().filter(|_| !is_over) else {
                        continue;
                    };
                    let received = receiver.try_recv().map(|message| message.number);
                    let expected = model.receive(usize::from(sender.is_some()));
                    assert_eq!(received, expected, "order {order}");
                    is_over = received != Err(TryRecvError::Empty);
                }
                3 => {
                    let Some(receiver) = receiver.as_mut().filter(|_| !is_over) else {
                        continue;
                    };
                    let polled = poll(receiver, Waker::noop());
                    let expected = model.receive(usize::from(sender.is_some()));
                    is_over = polled.is_ready();
                    match polled {
                        Poll::Pending => assert_eq!(expected, Err(TryRecvError::Empty)),
                        Poll::Ready(received) => {
                            let received = received.map(|message| message.number);
                            let received =
                                received.map_err(|error| TryRecvError::Closed(error.reason()));
                            assert_eq!(received, expected, "order {order}");
                        }
                    }
                }
                4 => {
                    if let Some(receiver) = &mut receiver {
                        receiver.close();
                        // What the sender has done is the end: after that this closes nothing.
                        model.is_closed |= sender.is_some();
                    }
                }
                5 => {
                    let was_there = receiver.take().is_some();
                    if was_there {
                        model.is_closed = true;
                        model.messages.clear();
                    }
                }
                _ => {}
            }
            if let Some(sender) = &sender {
                assert_eq!(sender.is_closed(), model.is_closed, "order {order}");
            }
            let kept = accounts.made() - accounts.dropped();
            assert_eq!(kept, model.messages.len(), "order {order}");
        }
        drop((sender, receiver));
        accounts.settle();
    }
}
