//! Channels of many senders on one thread, in random runs, beside a model that is as simple as can
//! be: with futures that wait, are polled again, and are dropped.

mod common;

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Poll, Waker};

use common::Random;
use common::messages::{Accounts, Calls, Message, poll};
use drumline::block_on;
use drumline::channel::mpmc::{self, RecvAsync, Reservation, SendAsync, SendPermit};
use drumline::channel::{CloseReason, SendError, TryRecvError, TrySendError};

/// 0: without a bound.
const CAPACITIES: [usize; 6] = [0, 1, 2, 3, 64, 100];

/// What a sender that waits is to do. A number for each, by which it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wish {
    Send(usize),
    Permit(usize),
}

/// What a channel should do, written down in the simplest way.
struct Model {
    capacity: usize,
    messages: VecDeque<usize>,
    permits: usize,
    waiting: VecDeque<Wish>,
    /// Those that have been served, and do not know it.
    served: Vec<Wish>,
    is_closed: bool,
}

impl Model {
    fn is_full(&self) -> bool {
        self.messages.len() + self.permits >= self.capacity || !self.waiting.is_empty()
    }

    /// Those that wait are served as long as there is room.
    fn refill(&mut self) {
        while self.messages.len() + self.permits < self.capacity && !self.is_closed {
            let Some(wish) = self.waiting.pop_front() else {
                break;
            };
            match wish {
                Wish::Send(number) => self.messages.push_back(number),
                Wish::Permit(_) => self.permits += 1,
            }
            self.served.push(wish);
        }
    }

    fn receive(&mut self) -> Option<usize> {
        let message = self.messages.pop_front();
        self.refill();
        message
    }

    /// Whether this one has been served; it is told so.
    fn is_served(&mut self, wish: Wish) -> bool {
        let place = self.served.iter().position(|&served| served == wish);
        place.map(|place| self.served.swap_remove(place)).is_some()
    }

    /// A sender waits no more. Returns whether it has been served.
    fn leave(&mut self, wish: Wish) -> bool {
        self.waiting.retain(|&waiting| waiting != wish);
        self.is_served(wish)
    }
}

fn pick<T>(random: &mut Random, from: &[T]) -> Option<usize> {
    let len = from.len() as u64;
    (len > 0).then(|| random.below(len) as usize)
}

#[test]
fn a_channel_does_what_the_model_does() {
    for seed in 0..1_500 {
        run(seed);
    }
}

#[allow(clippy::too_many_lines, reason = "one step of each kind")]
fn run(seed: u64) {
    let mut random = Random::new(seed);
    let capacity = CAPACITIES[random.below(CAPACITIES.len() as u64) as usize];
    let accounts = Accounts::default();
    let (sender, receiver) = match capacity {
        0 => mpmc::unbounded::<Message>(),
        _ => mpmc::bounded(capacity),
    };
    let mut model = Model {
        capacity: if capacity == 0 { usize::MAX } else { capacity },
        messages: VecDeque::new(),
        permits: 0,
        waiting: VecDeque::new(),
        served: Vec::new(),
        is_closed: false,
    };
    let mut sends: Vec<(Wish, SendAsync<'_, Message>)> = Vec::new();
    let mut reservations: Vec<(Wish, Reservation<'_, Message>)> = Vec::new();
    let mut permits: Vec<SendPermit<'_, Message>> = Vec::new();
    let mut receives: Vec<(Arc<Calls>, RecvAsync<'_, Message>)> = Vec::new();
    // Some runs send more than they receive.
    let eager = random.below(30);
    for step in 0..300_usize {
        match random.below(100) {
            dice if dice < 10 + eager => {
                let sent = sender.try_send(accounts.message(step));
                let expected = match (model.is_closed, model.is_full()) {
                    (true, _) => Err(TrySendError::Closed(step)),
                    (false, true) => Err(TrySendError::Full(step)),
                    (false, false) => {
                        model.messages.push_back(step);
                        Ok(())
                    }
                };
                let sent = sent.map_err(|error| match error {
                    TrySendError::Full(back) => TrySendError::Full(back.number),
                    TrySendError::Closed(back) => TrySendError::Closed(back.number),
                });
                assert_eq!(sent, expected, "seed {seed}");
            }
            dice if dice < 40 => {
                let received = receiver.try_recv().map(|message| message.number);
                let expected = model.receive().ok_or(match model.is_closed {
                    true => TryRecvError::Closed(CloseReason::ClosedByReceiver),
                    false => TryRecvError::Empty,
                });
                assert_eq!(received, expected, "seed {seed}");
            }
            40..50 => {
                let wish = Wish::Send(step);
                let mut sending = sender.send_async(accounts.message(step));
                let polled = poll(&mut sending, Waker::noop());
                match (model.is_closed, model.is_full()) {
                    (true, _) => assert!(matches!(polled, Poll::Ready(Err(_)))),
                    (false, false) => {
                        assert!(matches!(polled, Poll::Ready(Ok(()))), "seed {seed}");
                        model.messages.push_back(step);
                    }
                    (false, true) => {
                        assert!(polled.is_pending(), "seed {seed}: it passes others by");
                        model.waiting.push_back(wish);
                        sends.push((wish, sending));
                    }
                }
            }
            50..56 => {
                let wish = Wish::Permit(step);
                let mut reserving = sender.reserve();
                let polled = poll(&mut reserving, Waker::noop());
                match (model.is_closed, model.is_full()) {
                    (true, _) => assert!(matches!(polled, Poll::Ready(Err(_)))),
                    (false, false) => {
                        let Poll::Ready(Ok(permit)) = polled else {
                            panic!("seed {seed}: there is room");
                        };
                        model.permits += usize::from(capacity > 0);
                        permits.push(permit);
                    }
                    (false, true) => {
                        assert!(polled.is_pending(), "seed {seed}: it passes others by");
                        model.waiting.push_back(wish);
                        reservations.push((wish, reserving));
                    }
                }
            }
            56..62 => {
                // A sender that waits looks, or gives up.
                let Some(at) = pick(&mut random, &sends) else {
                    continue;
                };
                let (wish, mut sending) = sends.swap_remove(at);
                if random.below(3) == 0 {
                    drop(sending);
                    model.leave(wish);
                    continue;
                }
                match poll(&mut sending, Waker::noop()) {
                    Poll::Ready(Ok(())) => assert!(model.is_served(wish), "seed {seed}"),
                    Poll::Ready(Err(SendError(back))) => {
                        assert!(model.is_closed && !model.leave(wish), "seed {seed}");
                        assert_eq!(wish, Wish::Send(back.number));
                    }
                    Poll::Pending => {
                        assert!(
                            !model.is_closed && model.waiting.contains(&wish),
                            "seed {seed}"
                        );
                        sends.push((wish, sending));
                    }
                }
            }
            62..68 => {
                let Some(at) = pick(&mut random, &reservations) else {
                    continue;
                };
                let (wish, mut reserving) = reservations.swap_remove(at);
                if random.below(3) == 0 {
                    drop(reserving);
                    if model.leave(wish) {
                        model.permits -= 1;
                        model.refill();
                    }
                    continue;
                }
                match poll(&mut reserving, Waker::noop()) {
                    Poll::Ready(Ok(permit)) => {
                        assert!(model.is_served(wish), "seed {seed}");
                        permits.push(permit);
                    }
                    Poll::Ready(Err(_)) => {
                        assert!(model.is_closed && !model.leave(wish), "seed {seed}");
                    }
                    Poll::Pending => {
                        assert!(
                            !model.is_closed && model.waiting.contains(&wish),
                            "seed {seed}"
                        );
                        reservations.push((wish, reserving));
                    }
                }
            }
            68..76 => {
                let Some(permit) = permits.pop() else {
                    continue;
                };
                model.permits -= usize::from(capacity > 0);
                if random.below(2) == 0 {
                    drop(permit);
                } else {
                    let sent = permit.send(accounts.message(step));
                    assert_eq!(sent.is_ok(), !model.is_closed, "seed {seed}");
                    if sent.is_ok() {
                        model.messages.push_back(step);
                    }
                }
                model.refill();
            }
            76..84 => {
                let mut receiving = receiver.recv_async();
                let calls = Calls::new();
                match poll(&mut receiving, &Arc::clone(&calls).into()) {
                    Poll::Ready(received) => {
                        let received = received.ok().map(|message| message.number);
                        assert_eq!(received, model.receive(), "seed {seed}");
                        assert!(received.is_some() || model.is_closed);
                    }
                    Poll::Pending => {
                        assert!(model.messages.is_empty() && !model.is_closed, "seed {seed}");
                        receives.push((calls, receiving));
                    }
                }
            }
            84..95 => {
                // A receiver that waits looks, or gives up.
                let Some(at) = pick(&mut random, &receives) else {
                    continue;
                };
                let (_, mut receiving) = receives.swap_remove(at);
                if random.below(3) == 0 {
                    continue;
                }
                let calls = Calls::new();
                // One that was not called does not have to look into the queue.
                match poll(&mut receiving, &Arc::clone(&calls).into()) {
                    Poll::Ready(received) => {
                        let received = received.ok().map(|message| message.number);
                        assert_eq!(received, model.receive(), "seed {seed}");
                        assert!(received.is_some() || model.is_closed);
                    }
                    Poll::Pending => receives.push((calls, receiving)),
                }
            }
            95..97 => {
                let most = random.below(20) as usize;
                if model.messages.is_empty() && !model.is_closed {
                    continue;
                }
                let mut messages = Vec::new();
                let in_task = random.below(2) == 0;
                let received = if in_task {
                    block_on(receiver.recv_many_async(&mut messages, most))
                } else {
                    receiver.recv_many(&mut messages, most)
                };
                // Those that wait for room come in after all have been taken; in a task, also
                // after the first one.
                let mut expected = Vec::new();
                let mut left = most;
                for look in if in_task { [1, most] } else { [most, 0] } {
                    let count = look.min(left).min(model.messages.len());
                    expected.extend(model.messages.drain(..count));
                    left -= count;
                    model.refill();
                }
                let is_ok = most == 0 || !expected.is_empty();
                assert_eq!(received.is_ok(), is_ok, "seed {seed}");
                let numbers = messages.iter().map(|message| message.number);
                assert!(numbers.eq(expected), "seed {seed}");
            }
            97 if step > 200 => {
                receiver.close();
                model.is_closed = true;
            }
            _ => {}
        }
        assert_eq!(receiver.len(), model.messages.len(), "seed {seed}");
        assert_eq!(sender.is_closed(), model.is_closed);
        // As many receivers are awake as there are messages for.
        let awake = receives
            .iter()
            .filter(|(calls, _)| calls.count() > 0)
            .count();
        let due = receives.len().min(model.messages.len());
        assert!(awake >= due, "seed {seed}: {awake} of {due} are woken");
        let kept = accounts.made() - accounts.dropped();
        let waiting = sends
            .iter()
            .filter(|(wish, _)| !model.served.contains(wish));
        assert_eq!(kept, model.messages.len() + waiting.count(), "seed {seed}");
    }
    drop((sends, reservations, permits, receives));
    // Either end goes first.
    if seed.is_multiple_of(2) {
        drop(sender);
        drop(receiver);
    } else {
        drop(receiver);
        drop(sender);
    }
    accounts.settle();
}

/// What is in a rendezvous, in a run on one thread: nothing is lost, nothing comes twice, and no
/// sender waits beside a receiver that waits.
#[test]
fn a_rendezvous_loses_nothing() {
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let accounts = Accounts::default();
        let (sender, receiver) = mpmc::rendezvous::<Message>();
        let mut sends: Vec<(usize, SendAsync<'_, Message>)> = Vec::new();
        let mut receives: Vec<(Arc<Calls>, RecvAsync<'_, Message>)> = Vec::new();
        // Sent without doubt; sent perhaps, by a future that was dropped while it waited.
        let (mut sent, mut perhaps, mut received) = (Vec::new(), Vec::new(), Vec::new());
        for step in 0..200 {
            match random.below(10) {
                0..2 => {
                    if sender.try_send(accounts.message(step)).is_ok() {
                        sent.push(step);
                    }
                }
                2..4 => {
                    let mut sending = sender.send_async(accounts.message(step));
                    match poll(&mut sending, Waker::noop()) {
                        Poll::Ready(result) => {
                            result.unwrap();
                            sent.push(step);
                        }
                        Poll::Pending => sends.push((step, sending)),
                    }
                }
                4 => {
                    let Some(at) = pick(&mut random, &sends) else {
                        continue;
                    };
                    let (number, mut sending) = sends.swap_remove(at);
                    if random.below(2) == 0 {
                        perhaps.push(number);
                    } else if let Poll::Ready(result) = poll(&mut sending, Waker::noop()) {
                        result.unwrap();
                        sent.push(number);
                    } else {
                        sends.push((number, sending));
                    }
                }
                5 => received.extend(receiver.try_recv().ok().map(|message| message.number)),
                6..8 => {
                    let calls = Calls::new();
                    let mut receiving = receiver.recv_async();
                    match poll(&mut receiving, &Arc::clone(&calls).into()) {
                        Poll::Ready(message) => received.push(message.unwrap().number),
                        Poll::Pending => receives.push((calls, receiving)),
                    }
                }
                _ => {
                    let Some(at) = pick(&mut random, &receives) else {
                        continue;
                    };
                    let (_, mut receiving) = receives.swap_remove(at);
                    let calls = Calls::new();
                    if random.below(2) == 0 {
                        continue;
                    }
                    match poll(&mut receiving, &Arc::clone(&calls).into()) {
                        Poll::Ready(message) => received.push(message.unwrap().number),
                        Poll::Pending => receives.push((calls, receiving)),
                    }
                }
            }
            // If its message was taken, a sender is as good as one that is told.
            let asleep = receives
                .iter()
                .filter(|(calls, _)| calls.count() == 0)
                .count();
            if asleep > 0 {
                let waiting = accounts.made() - accounts.dropped();
                let awake = receives.len() - asleep;
                assert!(
                    waiting <= awake,
                    "seed {seed}: {waiting} wait, and {awake} are awake"
                );
            }
        }
        drop(receives);
        // What waits still is taken now.
        received.extend(receiver.try_iter().map(|message| message.number));
        for (number, mut sending) in sends {
            assert!(poll(&mut sending, Waker::noop()).is_ready(), "seed {seed}");
            sent.push(number);
        }
        received.retain(|number| !perhaps.contains(number));
        received.sort_unstable();
        sent.sort_unstable();
        assert_eq!(received, sent, "seed {seed}");
        drop((sender, receiver));
        accounts.settle();
    }
}
