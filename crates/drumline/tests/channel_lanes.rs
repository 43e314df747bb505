//! Channels of many senders, a lane for each, and one receiver, on threads.

mod common;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::thread;
use std::time::Duration;

use common::messages::{Accounts, dawdle, panicking_waker, poll, waker};
use common::{Random, ends, quiet_panic};
use drumline::channel::lanes::{self, Receiver, Sender};
use drumline::channel::{CloseReason, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError};

/// A channel with this bound for each lane; 0: without one.
fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match capacity {
        0 => lanes::unbounded(),
        _ => lanes::per_lane(capacity),
    }
}

const CAPACITIES: [usize; 5] = [0, 1, 2, 8, 100];

/// Messages of sender `n` are `n * STRIDE` and what follows.
const STRIDE: usize = 1 << 20;

/// Checks that the messages of each sender come in their order, and counts them.
#[derive(Default)]
struct Order(BTreeMap<usize, usize>);

impl Order {
    #[track_caller]
    fn note(&mut self, number: usize) {
        let next = self.0.entry(number / STRIDE).or_default();
        assert_eq!(number % STRIDE, *next, "a message of {}", number / STRIDE);
        *next += 1;
    }

    fn of(&self, sender: usize) -> usize {
        self.0.get(&sender).copied().unwrap_or(0)
    }
}

#[test]
fn each_sender_keeps_its_order() {
    for (capacity, senders) in [(0, 1), (0, 4), (1, 4), (2, 3), (100, 2), (0, 30), (1, 30)] {
        let (sender, mut receiver) = channel(capacity);
        let each = 30_000 / senders;
        let threads: Vec<_> = (0..senders)
            .map(|n| {
                let mut sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..each {
                        sender.send(n * STRIDE + number).unwrap();
                    }
                    sender.finish();
                })
            })
            .collect();
        sender.finish();
        let mut order = Order::default();
        receiver.iter().for_each(|number| order.note(number));
        assert!((0..senders).all(|n| order.of(n) == each));
        assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// Senders come and go all the time: each is cloned from the one before, sends a little, and ends.
#[test]
fn senders_come_and_go() {
    for capacity in CAPACITIES {
        let (sender, mut receiver) = channel(capacity);
        let chains: Vec<_> = (0..3)
            .map(|chain| {
                let mut sender = sender.clone();
                thread::spawn(move || {
                    let mut random = Random::new(chain as u64);
                    let mut sent = 0;
                    for link in 0..400 {
                        let mut next = sender.clone();
                        std::mem::swap(&mut next, &mut sender);
                        for number in 0..random.below(6) as usize {
                            next.send((chain * 1_000 + link) * STRIDE + number).unwrap();
                            sent += 1;
                        }
                        if link % 2 == 0 {
                            next.finish();
                        }
                    }
                    sent
                })
            })
            .collect();
        drop(sender);
        let mut order = Order::default();
        let received = receiver
            .iter()
            .inspect(|&number| order.note(number))
            .count();
        let sent: usize = chains.into_iter().map(|chain| chain.join().unwrap()).sum();
        assert_eq!(received, sent);
        assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Dropped);
    }
}

/// Lanes that rest are seen again when a message comes, however long they were silent.
#[test]
fn silent_lanes_are_heard() {
    let (sender, mut receiver) = lanes::unbounded();
    let mut senders: Vec<_> = (0..500).map(|_| sender.clone()).collect();
    drop(sender);
    let mut random = Random::new(5);
    for _ in 0..4_000 {
        let row = if random.below(20) == 0 { 300 } else { 1 };
        let n = random.below(500) as usize;
        for number in 0..row {
            senders[n].send(n * STRIDE + number).unwrap();
        }
        for number in 0..row {
            assert_eq!(receiver.recv(), Ok(n * STRIDE + number));
        }
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    }
}

/// A lane gets its turn, although a further lane arrives for each message that is received.
#[test]
fn lanes_that_arrive_do_not_overtake_for_ever() {
    let (mut first, mut receiver) = lanes::unbounded();
    let mut second = first.clone();
    for _ in 0..1_000 {
        first.send(1).unwrap();
        second.send(2).unwrap();
    }
    let (mut ones, mut twos) = (0, 0);
    let mut turns = 0;
    while (ones, twos) != (1_000, 1_000) {
        let mut further = first.clone();
        further.send(0).unwrap();
        further.finish();
        match receiver.recv() {
            Ok(1) => ones += 1,
            Ok(2) => twos += 1,
            other => assert_eq!(other, Ok(0)),
        }
        turns += 1;
        assert!(turns < 200_000, "{ones} and {twos} messages of the others");
    }
}

/// What the receiver does in the next test.
#[derive(Clone, Copy, Debug)]
enum End {
    Close,
    Drain,
    Drop,
}

/// The receiver ends at a random moment. Each sender is told the truth about each message.
#[test]
fn an_end_of_the_receiver_loses_no_message() {
    let mut random = Random::new(7);
    for round in 0..600 {
        let capacity = CAPACITIES[round % CAPACITIES.len()];
        let end = [End::Close, End::Drain, End::Drop][round % 3];
        let senders = 1 + random.below(4) as usize;
        let accounts = Accounts::default();
        let (sender, mut receiver) = channel(capacity);
        let threads: Vec<_> = (0..senders)
            .map(|n| {
                let mut sender = sender.clone();
                let accounts = accounts.clone();
                let is_cloned = round % 4 == 0;
                thread::spawn(move || {
                    for number in 0.. {
                        if is_cloned && number % 16 == 7 {
                            // The lane is made while the receiver ends, perhaps.
                            let mut further = sender.clone();
                            let n = ((1 + n) << 30) + number;
                            let sent = further.send(accounts.message(n * STRIDE));
                            drop(sent);
                        }
                        let message = accounts.message(n * STRIDE + number);
                        if let Err(SendError(back)) = sender.send(message) {
                            assert_eq!(back.number, n * STRIDE + number);
                            assert!(sender.is_closed());
                            assert!(sender.clone().send(back).is_err());
                            return number;
                        }
                    }
                    unreachable!("the receiver ends");
                })
            })
            .collect();
        drop(sender);
        let mut order = Order::default();
        for _ in 0..random.below(300) {
            order.note(receiver.recv().unwrap().number);
        }
        dawdle(random.below(2_000));
        match end {
            End::Close => {
                receiver.close();
                receiver
                    .iter()
                    .for_each(|message| order.note(message.number));
                let reason = receiver.recv().unwrap_err().reason();
                assert_eq!(reason, CloseReason::ClosedByReceiver);
            }
            End::Drain => receiver
                .drain()
                .for_each(|message| order.note(message.number)),
            End::Drop => drop(receiver),
        }
        for (n, thread) in threads.into_iter().enumerate() {
            let accepted = thread.join().unwrap();
            match end {
                End::Drop => assert!(accepted >= order.of(n)),
                End::Close | End::Drain => assert_eq!(accepted, order.of(n), "{end:?} {capacity}"),
            }
        }
        accounts.settle();
    }
}

#[test]
fn the_gravest_reason_counts() {
    type Ends = fn(Sender<u32>);
    let ends: [(Ends, CloseReason); 3] = [
        (|sender| sender.finish(), CloseReason::Finished),
        (drop, CloseReason::Dropped),
        (
            |_sender| quiet_panic("the thread of the sender panics"),
            CloseReason::Panicked,
        ),
    ];
    for order in 0..27 {
        let (sender, mut receiver) = lanes::unbounded();
        let which = [order % 3, order / 3 % 3, order / 9];
        let threads = which.map(|which| {
            let mut sender = sender.clone();
            thread::spawn(move || {
                sender.send(1).unwrap();
                ends[which].0(sender);
            })
        });
        sender.finish();
        assert_eq!(receiver.iter().sum::<u32>(), 3);
        let gravest = ends[which.into_iter().max().unwrap()].1;
        assert_eq!(receiver.recv().unwrap_err().reason(), gravest);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(gravest)));
        let late = receiver.recv_timeout(Duration::MAX);
        assert_eq!(late, Err(RecvTimeoutError::Closed(gravest)));
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

#[test]
fn timeouts_at_the_edges() {
    let (mut sender, mut receiver) = lanes::per_lane(1);
    let nothing = receiver.recv_timeout(Duration::ZERO);
    assert_eq!(nothing, Err(RecvTimeoutError::Timeout));
    sender.send_timeout(1, Duration::ZERO).unwrap();
    for time in [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_micros(200),
    ] {
        let full = sender.send_timeout(2, time);
        assert_eq!(full, Err(SendTimeoutError::Timeout(2)));
    }
    assert_eq!(receiver.recv_timeout(Duration::ZERO), Ok(1));
    let nothing = receiver.recv_timeout(Duration::from_micros(200));
    assert_eq!(nothing, Err(RecvTimeoutError::Timeout));
    let sending = thread::spawn(move || {
        for number in 0..1_000 {
            sender.send_timeout(number, Duration::MAX).unwrap();
        }
    });
    for number in 0..1_000 {
        assert_eq!(receiver.recv_timeout(Duration::MAX), Ok(number));
    }
    sending.join().unwrap();
}

/// Threads that wait at a channel sleep in the kernel, also where senders were lazy before.
#[cfg(target_os = "linux")]
#[test]
fn waiting_threads_sleep() {
    let named = |name: &str| thread::Builder::new().name(name.into());
    let (mut sender, mut receiver) = lanes::per_lane(1_000);
    let mut second = sender.clone();
    (0..1_000).for_each(|_| sender.send(1).unwrap());
    let receiving = named("lanes-receives").spawn(move || {
        let sum = receiver.iter().take(1_001).sum::<u32>();
        (receiver, sum)
    });
    common::threads::wait_until_asleep("lanes-receives", 1, Duration::from_millis(20));
    second.send(1).unwrap();
    let (mut receiver, sum) = receiving.unwrap().join().unwrap();
    assert_eq!(sum, 1_001);
    (0..1_000).for_each(|_| sender.send(1).unwrap());
    let sending = named("lanes-sends").spawn(move || sender.send(2)).unwrap();
    common::threads::wait_until_asleep("lanes-sends", 1, Duration::from_millis(20));
    drop(second);
    assert_eq!(receiver.iter().sum::<u32>(), 1_002);
    sending.join().unwrap().unwrap();
}

/// A waker runs what it likes, also what makes a further sender.
#[test]
fn what_a_close_wakes_may_clone_a_sender() {
    ends(|| {
        let (mut sender, mut receiver) = lanes::per_lane(1);
        let other = Mutex::new(sender.clone());
        sender.send(1).unwrap();
        let waker = waker(move || drop(other.lock().unwrap().clone()));
        let mut sending = sender.send_async(2);
        assert!(poll(&mut sending, &waker).is_pending());
        receiver.close();
        assert_eq!(
            poll(&mut sending, Waker::noop()),
            std::task::Poll::Ready(Err(SendError(2)))
        );
        drop(sending);
        assert_eq!(receiver.recv(), Ok(1));
    });
}

/// A waker that panics keeps neither the other lanes open nor the count of senders wrong.
#[test]
fn a_waker_that_panics_harms_no_other_lane() {
    ends(|| {
        let (mut first, receiver) = lanes::per_lane(1);
        let mut second = first.clone();
        first.send(1).unwrap();
        second.send(1).unwrap();
        let waiting = thread::spawn(move || second.send(2));
        let mut sending = first.send_async(2);
        assert!(poll(&mut sending, &panicking_waker()).is_pending());
        let _ = catch_unwind(AssertUnwindSafe(|| drop(receiver)));
        drop(sending);
        assert_eq!(waiting.join().unwrap(), Err(SendError(2)));
    });
    for finishes in [false, true] {
        ends(move || {
            let (sender, mut receiver) = lanes::unbounded::<u32>();
            let mut receiving = receiver.recv_async();
            assert!(poll(&mut receiving, &panicking_waker()).is_pending());
            let ended = AssertUnwindSafe(|| {
                if finishes {
                    sender.finish()
                } else {
                    drop(sender)
                }
            });
            let _ = catch_unwind(ended);
            drop(receiving);
            let expected = if finishes {
                CloseReason::Finished
            } else {
                CloseReason::Dropped
            };
            assert_eq!(receiver.recv().unwrap_err().reason(), expected);
        });
    }
}

/// Ends are dropped by several threads at once, with messages in the lanes.
#[test]
fn all_ends_go_at_once() {
    for round in 0..300 {
        let accounts = Accounts::default();
        let (sender, receiver) = lanes::unbounded();
        let go = Arc::new(AtomicBool::new(false));
        let mut threads = Vec::new();
        for n in 0..3 {
            let (mut sender, accounts) = (sender.clone(), accounts.clone());
            (0..n * round % 70).for_each(|i| sender.send(accounts.message(i)).unwrap());
            let go = Arc::clone(&go);
            threads.push(thread::spawn(move || {
                common::spin_until(&go);
                let _ = sender.send(accounts.message(0));
                drop(sender);
            }));
        }
        drop(sender);
        go.store(true, Ordering::Release);
        drop(receiver);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        accounts.settle();
    }
}

#[test]
fn ends_may_be_sent() {
    fn is_send<T: Send>() {}
    is_send::<Sender<std::cell::Cell<u32>>>();
    is_send::<Receiver<std::cell::Cell<u32>>>();
    is_send::<lanes::SendAsync<'_, u32>>();
    is_send::<lanes::RecvAsync<'_, u32>>();
    assert!(size_of::<Sender<u64>>() <= 64);
}
