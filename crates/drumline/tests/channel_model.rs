//! Channels on one thread, in random runs, beside a model that is as simple as can be.

mod common;

use std::collections::{BTreeMap, VecDeque};

use common::Random;
use common::messages::{Accounts, Message};
use drumline::block_on;
use drumline::channel::{CloseReason, TryRecvError, TrySendError, lanes, spsc};

/// 0: without a bound.
const CAPACITIES: [usize; 7] = [0, 1, 2, 7, 8, 64, 1_000];

/// Messages of sender `n` are `n * STRIDE` and what follows.
const STRIDE: usize = 1 << 20;

/// What a channel should do, written down in the simplest way.
struct Model {
    messages: VecDeque<usize>,
    capacity: usize,
    is_closed: bool,
    ended: Option<CloseReason>,
}

impl Model {
    fn try_send(&mut self, number: usize) -> Result<(), TrySendError<usize>> {
        if self.is_closed {
            return Err(TrySendError::Closed(number));
        }
        if self.messages.len() >= self.capacity {
            return Err(TrySendError::Full(number));
        }
        self.messages.push_back(number);
        Ok(())
    }

    fn reason(&self) -> Option<CloseReason> {
        match self.is_closed {
            true => Some(CloseReason::ClosedByReceiver),
            false => self.ended,
        }
    }

    fn try_recv(&mut self) -> Result<usize, TryRecvError> {
        self.messages.pop_front().ok_or(match self.reason() {
            Some(reason) => TryRecvError::Closed(reason),
            None => TryRecvError::Empty,
        })
    }
}

fn numbered<E>(result: Result<Message, E>) -> Result<usize, E> {
    result.map(|message| message.number)
}

#[test]
fn an_spsc_channel_does_what_the_model_does() {
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let capacity = CAPACITIES[random.below(CAPACITIES.len() as u64) as usize];
        let accounts = Accounts::default();
        let (sender, mut receiver) = match capacity {
            0 => spsc::unbounded(),
            _ => spsc::bounded(capacity),
        };
        let mut sender = Some(sender);
        let mut model = Model {
            messages: VecDeque::new(),
            capacity: if capacity == 0 { usize::MAX } else { capacity },
            is_closed: false,
            ended: None,
        };
        // Some runs send more than they receive.
        let sends = 20 + random.below(50);
        for step in 0..400 {
            match random.below(100) {
                dice if dice < sends => {
                    let Some(sender) = &mut sender else { continue };
                    let sent = sender.try_send(accounts.message(step));
                    let sent = sent.map_err(|error| match error {
                        TrySendError::Full(back) => TrySendError::Full(back.number),
                        TrySendError::Closed(back) => TrySendError::Closed(back.number),
                    });
                    assert_eq!(sent, model.try_send(step), "seed {seed}");
                }
                dice if dice < 90 => {
                    assert_eq!(
                        numbered(receiver.try_recv()),
                        model.try_recv(),
                        "seed {seed}"
                    );
                }
                dice if dice < 95 && (!model.messages.is_empty() || model.reason().is_some()) => {
                    let most = random.below(100) as usize;
                    let mut messages = Vec::new();
                    let received = if random.below(2) == 0 {
                        receiver.recv_many(&mut messages, most)
                    } else {
                        block_on(receiver.recv_many_async(&mut messages, most))
                    };
                    let count = most.min(model.messages.len());
                    if most > 0 && count == 0 {
                        assert_eq!(Some(received.unwrap_err().reason()), model.reason());
                    } else {
                        assert_eq!(received, Ok(count), "seed {seed}");
                    }
                    let numbers = messages.iter().map(|message| message.number);
                    assert!(numbers.eq(model.messages.drain(..count)), "seed {seed}");
                }
                95 => {
                    let left = random.below(20) as usize;
                    let mut messages = receiver.drain();
                    assert_eq!(messages.len(), model.messages.len());
                    let some = messages.by_ref().take(left).map(|message| message.number);
                    let count = left.min(model.messages.len());
                    assert!(some.eq(model.messages.drain(..count)), "seed {seed}");
                    assert_eq!(messages.len(), model.messages.len());
                    model.is_closed = true;
                }
                96 => {
                    receiver.close();
                    model.is_closed = true;
                }
                97 if step > 200 => {
                    if let Some(sender) = sender.take() {
                        sender.finish();
                        model.ended = Some(CloseReason::Finished);
                    }
                }
                98 if step > 200 && sender.take().is_some() => {
                    model.ended = Some(CloseReason::Dropped);
                }
                _ => {}
            }
            assert_eq!(receiver.len(), model.messages.len(), "seed {seed}");
            assert_eq!(receiver.is_empty(), model.messages.is_empty());
            assert_eq!(receiver.close_reason(), model.reason(), "seed {seed}");
            assert_eq!(receiver.is_closed(), model.reason().is_some());
            if let Some(sender) = &sender {
                assert_eq!(sender.len(), model.messages.len(), "seed {seed}");
                assert_eq!(sender.is_closed(), model.is_closed);
                assert_eq!(sender.capacity(), Some(capacity).filter(|&bound| bound > 0));
            }
            let kept = accounts.made() - accounts.dropped();
            assert_eq!(kept, model.messages.len(), "seed {seed}");
        }
        // Either end goes first.
        if seed % 2 == 0 {
            drop(sender);
            drop(receiver);
        } else {
            drop(receiver);
            drop(sender);
        }
        accounts.settle();
    }
}

/// What is in each lane, in a run on one thread.
#[test]
fn a_channel_of_lanes_does_what_the_model_does() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let capacity = CAPACITIES[random.below(7) as usize];
        let accounts = Accounts::default();
        let (sender, mut receiver) = match capacity {
            0 => lanes::unbounded::<Message>(),
            _ => lanes::per_lane(capacity),
        };
        let mut senders = vec![(0, 0, sender)];
        let mut made = 1;
        let mut lanes = BTreeMap::<usize, VecDeque<usize>>::new();
        let mut is_closed = false;
        let mut gravest = None;
        for _ in 0..600 {
            let pick = random.below(senders.len().max(1) as u64) as usize;
            match random.below(100) {
                0..48 => {
                    let Some((n, next, sender)) = senders.get_mut(pick) else {
                        continue;
                    };
                    let number = *n * STRIDE + *next;
                    let lane = lanes.entry(*n).or_default();
                    match sender.try_send(accounts.message(number)) {
                        Ok(()) => {
                            assert!(!is_closed && (capacity == 0 || lane.len() < capacity));
                            lane.push_back(number);
                            *next += 1;
                        }
                        Err(TrySendError::Full(back)) => {
                            assert_eq!((lane.len(), back.number), (capacity, number));
                            assert!(!is_closed);
                        }
                        Err(TrySendError::Closed(back)) => {
                            assert_eq!((is_closed, back.number), (true, number));
                        }
                    }
                    assert_eq!(sender.len(), lane.len());
                }
                48..86 => match receiver.try_recv() {
                    Ok(message) => {
                        let lane = lanes.get_mut(&(message.number / STRIDE)).unwrap();
                        assert_eq!(lane.pop_front(), Some(message.number), "seed {seed}");
                    }
                    Err(error) => {
                        assert!(
                            lanes.values().all(VecDeque::is_empty),
                            "seed {seed}: {error}"
                        );
                        let expected = match gravest {
                            _ if is_closed => TryRecvError::Closed(CloseReason::ClosedByReceiver),
                            Some(reason) if senders.is_empty() => TryRecvError::Closed(reason),
                            _ => TryRecvError::Empty,
                        };
                        assert_eq!(error, expected, "seed {seed}");
                    }
                },
                86..92 if pick < senders.len() => {
                    let further = senders[pick].2.clone();
                    senders.push((made, 0, further));
                    made += 1;
                }
                92..98 if pick < senders.len() => {
                    let (_, _, sender) = senders.swap_remove(pick);
                    if random.below(2) == 0 {
                        sender.finish();
                        gravest = gravest.or(Some(CloseReason::Finished));
                    } else {
                        drop(sender);
                        gravest = Some(CloseReason::Dropped);
                    }
                }
                98 if random.below(5) == 0 => {
                    receiver.close();
                    is_closed = true;
                }
                _ => {}
            }
            let all: usize = lanes.values().map(VecDeque::len).sum();
            assert_eq!(receiver.len(), all, "seed {seed}");
            assert_eq!(accounts.made() - accounts.dropped(), all, "seed {seed}");
        }
        if seed % 2 == 0 {
            drop(receiver);
            drop(senders);
        } else {
            drop(senders);
            drop(receiver);
        }
        accounts.settle();
    }
}
