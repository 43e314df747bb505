//! Channels of many senders and many receivers, on threads.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use common::messages::{Accounts, dawdle};
use common::{Random, ends, quiet_panic};
use drumline::block_on;
use drumline::channel::mpmc::{self, Receiver, Sender};
use drumline::channel::{CloseReason, RecvError, RecvTimeoutError, SendError, TryRecvError};

/// A channel with this bound; 0: without one.
fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    match capacity {
        0 => mpmc::unbounded(),
        _ => mpmc::bounded(capacity),
    }
}

const CAPACITIES: [usize; 6] = [0, 1, 2, 7, 64, 1_000];

/// Ways to receive one message or some.
fn receive<T: Send>(
    receiver: &Receiver<T>,
    way: usize,
    into: &mut Vec<T>,
) -> Result<(), RecvError> {
    match way % 5 {
        0 => into.push(receiver.recv()?),
        1 => into.push(block_on(receiver.recv_async())?),
        2 => drop(receiver.recv_many(into, 5)?),
        3 => drop(block_on(receiver.recv_many_async(into, 5))?),
        _ => loop {
            match receiver.recv_timeout(Duration::from_micros(50)) {
                Ok(message) => break into.push(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Closed(_)) => return receiver.recv().map(drop),
            }
        },
    }
    Ok(())
}

/// Each message is received once, and each receiver gets those of a sender in their order.
#[test]
fn each_message_comes_once_and_in_order() {
    for capacity in CAPACITIES {
        for (senders, receivers) in [(1, 1), (1, 4), (4, 1), (3, 3)] {
            let (sender, receiver) = channel(capacity);
            let producers: Vec<_> = (0..senders)
                .map(|n| {
                    let sender = sender.clone();
                    thread::spawn(move || {
                        (0..2_000).for_each(|number| sender.send((n, number)).unwrap());
                        sender.finish();
                    })
                })
                .collect();
            sender.finish();
            let consumers: Vec<_> = (0..receivers)
                .map(|n| {
                    let receiver = receiver.clone();
                    thread::spawn(move || {
                        let mut messages = Vec::new();
                        let mut way = n;
                        let end = loop {
                            if let Err(end) = receive(&receiver, way, &mut messages) {
                                break end;
                            }
                            way += 1;
                        };
                        assert_eq!(end.reason(), CloseReason::Finished);
                        messages
                    })
                })
                .collect();
            let mut all = Vec::new();
            for consumer in consumers {
                let messages = consumer.join().unwrap();
                for n in 0..senders {
                    let of_one = messages.iter().filter(|(sender, _)| *sender == n);
                    assert!(of_one.is_sorted(), "capacity {capacity}");
                }
                all.extend(messages);
            }
            all.sort_unstable();
            let expected = (0..senders).flat_map(|n| (0..2_000).map(move |number| (n, number)));
            assert!(all.into_iter().eq(expected), "capacity {capacity}");
            producers
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    }
}

/// Receivers take in the order in which was sent: what was taken before is older.
#[test]
fn messages_are_taken_in_the_order_in_which_they_were_sent() {
    for capacity in [0, 2, 64] {
        let (sender, receiver) = channel(capacity);
        let producer = thread::spawn(move || (1..=20_000).for_each(|n| sender.send(n).unwrap()));
        // The greatest number that a receive has returned.
        let last = Arc::new(AtomicUsize::new(0));
        let consumers: Vec<_> = (0..3)
            .map(|_| {
                let (receiver, last) = (receiver.clone(), Arc::clone(&last));
                thread::spawn(move || {
                    loop {
                        let before = last.load(Ordering::SeqCst);
                        let Ok(number) = receiver.recv() else { break };
                        assert!(number > before, "an older message comes later");
                        last.fetch_max(number, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        consumers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        producer.join().unwrap();
    }
}

/// While many send and receive, no more is ever in the channel than its bound.
#[test]
fn a_bound_is_exact() {
    for capacity in [1, 2, 3, 64, 65] {
        let (sender, receiver) = mpmc::bounded(capacity);
        let sent = AtomicUsize::new(0);
        let begun = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                let (sender, sent, begun) = (sender.clone(), &sent, &begun);
                scope.spawn(move || {
                    for _ in 0..2_000 {
                        sender.send(()).unwrap();
                        let sent = sent.fetch_add(1, Ordering::SeqCst) + 1;
                        // Each receive is counted before it begins.
                        let inside = sent.saturating_sub(begun.load(Ordering::SeqCst));
                        assert!(inside <= capacity, "{inside} of {capacity}");
                    }
                });
            }
            drop(sender);
            for _ in 0..3 {
                let (receiver, begun) = (receiver.clone(), &begun);
                scope.spawn(move || {
                    loop {
                        begun.fetch_add(1, Ordering::SeqCst);
                        if receiver.recv().is_err() {
                            break;
                        }
                    }
                });
            }
        });
        assert_eq!(sent.into_inner(), 8_000);
    }
}

/// A length that is looked at while others send and receive is one that was possible.
#[test]
fn a_length_is_within_the_bound() {
    let (sender, receiver) = mpmc::bounded(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            let (sender, receiver) = (sender.clone(), receiver.clone());
            scope.spawn(move || (0..100_000).for_each(|number| sender.send(number).unwrap()));
            scope.spawn(move || assert_eq!(receiver.iter().take(100_000).count(), 100_000));
        }
        for _ in 0..300_000 {
            let len = sender.len();
            assert!(len <= 2, "{len} messages in a channel for 2");
        }
    });
}

/// Many on either side, and few processors.
#[test]
fn many_threads() {
    for capacity in [0, 1, 16] {
        let (sender, receiver) = channel(capacity);
        let threads: Vec<_> = (0..32u64)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || (0..200).for_each(|k| sender.send(n * 200 + k).unwrap()))
            })
            .collect();
        drop(sender);
        let consumers: Vec<_> = (0..32)
            .map(|_| {
                let receiver = receiver.clone();
                thread::spawn(move || receiver.iter().sum::<u64>())
            })
            .collect();
        let sums = consumers
            .into_iter()
            .map(|consumer| consumer.join().unwrap());
        assert_eq!(sums.sum::<u64>(), (0..32 * 200).sum());
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// Receivers that come and go while messages come; the last that goes ends the channel.
#[test]
fn receivers_come_and_go() {
    let mut random = Random::new(4);
    for round in 0..150 {
        let capacity = CAPACITIES[round % CAPACITIES.len()];
        let accounts = Accounts::default();
        let (sender, receiver) = channel(capacity);
        let producers: Vec<_> = (0..2)
            .map(|_| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                thread::spawn(move || {
                    for number in 0.. {
                        if let Err(SendError(back)) = sender.send(accounts.message(number)) {
                            assert_eq!(back.number, number);
                            return number;
                        }
                    }
                    unreachable!("the receivers go");
                })
            })
            .collect();
        let consumers: Vec<_> = (0..3)
            .map(|_| {
                let (receiver, count) = (receiver.clone(), random.below(200) as usize);
                thread::spawn(move || {
                    let mut received = 0;
                    while received < count {
                        let further = receiver.clone();
                        received += further.iter().take(3).count();
                    }
                    received
                })
            })
            .collect();
        drop(receiver);
        let received: usize = consumers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        let accepted: usize = producers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        assert!(accepted >= received);
        assert!(sender.is_closed());
        accounts.settle();
    }
}

/// One of several receivers closes: what was accepted is received by one of them.
#[test]
fn a_close_by_one_receiver_loses_no_message() {
    let mut random = Random::new(5);
    for round in 0..200 {
        let capacity = CAPACITIES[round % CAPACITIES.len()];
        let accounts = Accounts::default();
        let (sender, receiver) = channel(capacity);
        let producers: Vec<_> = (0..2)
            .map(|_| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                thread::spawn(move || {
                    (0..)
                        .take_while(|&number| sender.send(accounts.message(number)).is_ok())
                        .count()
                })
            })
            .collect();
        let consumers: Vec<_> = (0..2)
            .map(|_| {
                let receiver = receiver.clone();
                thread::spawn(move || {
                    let count = receiver.iter().count();
                    let end = receiver.recv().unwrap_err();
                    assert_eq!(end.reason(), CloseReason::ClosedByReceiver);
                    count
                })
            })
            .collect();
        dawdle(random.below(20_000));
        let drained = match round % 2 {
            0 => receiver.drain().count(),
            _ => {
                receiver.close();
                0
            }
        };
        let accepted: usize = producers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        let received: usize = consumers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        assert_eq!(accepted, received + drained, "capacity {capacity}");
        accounts.settle();
    }
}

/// All receivers that wait learn of the end, however the last sender goes.
#[test]
fn all_receivers_are_told_why() {
    type Ends = fn(Sender<usize>);
    let ends: [(Ends, CloseReason); 3] = [
        (|sender| sender.finish(), CloseReason::Finished),
        (drop, CloseReason::Dropped),
        (
            |_sender| quiet_panic("the sender panics"),
            CloseReason::Panicked,
        ),
    ];
    for round in 0..150 {
        let (end, reason) = ends[round % 3];
        let (sender, receiver) = channel(CAPACITIES[round % CAPACITIES.len()]);
        let consumers: Vec<_> = (0..4)
            .map(|way| {
                let receiver = receiver.clone();
                thread::spawn(move || {
                    let mut messages = Vec::new();
                    loop {
                        if let Err(end) = receive(&receiver, way, &mut messages) {
                            return (messages.len(), end.reason());
                        }
                    }
                })
            })
            .collect();
        let producer = thread::spawn(move || {
            (0..3).for_each(|number| sender.send(number).unwrap());
            dawdle((round * 20) as u64);
            end(sender);
        });
        assert_eq!(producer.join().is_err(), reason == CloseReason::Panicked);
        let mut all = 0;
        for consumer in consumers {
            let (count, told) = consumer.join().unwrap();
            assert_eq!(told, reason);
            all += count;
        }
        assert_eq!(all, 3);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(reason)));
    }
}

/// Many segments, emptied by several at once, in large parts and small ones.
#[test]
fn a_long_burst_goes_through_the_segments() {
    let (sender, receiver) = mpmc::unbounded();
    (0..200_000u64).for_each(|number| sender.send(Box::new(number)).unwrap());
    drop(sender);
    let consumers: Vec<_> = (0..3)
        .map(|way| {
            let receiver = receiver.clone();
            thread::spawn(move || {
                let mut sum = 0;
                let mut messages = Vec::new();
                while receiver
                    .recv_many(&mut messages, [1, 100, 10_000][way])
                    .is_ok()
                {
                    assert!(messages.is_sorted());
                    sum += messages.drain(..).map(|number| *number).sum::<u64>();
                }
                sum
            })
        })
        .collect();
    let sums = consumers
        .into_iter()
        .map(|consumer| consumer.join().unwrap());
    assert_eq!(sums.sum::<u64>(), (0..200_000).sum());
}

#[test]
fn messages_of_all_sizes_pass() {
    fn pass<T: Clone + Send + PartialEq + 'static>(message: T) {
        for capacity in [0, 1, 3] {
            let (sender, receiver) = channel(capacity);
            let sent = message.clone();
            let producer =
                thread::spawn(move || (0..300).for_each(|_| sender.send(sent.clone()).unwrap()));
            let other = receiver.clone();
            let expected = message.clone();
            let consumer =
                thread::spawn(move || other.iter().filter(|got| *got == expected).count());
            let count = receiver.iter().filter(|got| *got == message).count();
            assert_eq!(count + consumer.join().unwrap(), 300);
            producer.join().unwrap();
        }
    }
    pass(());
    pass(1u8);
    pass([3u64; 64]);
    pass([9u8; 5_000]);
    pass(String::from("text"));
}

/// The last receiver drops what is left; a panic of one message leaves none of the others behind.
#[test]
fn a_message_that_panics_when_it_is_dropped() {
    struct Bomb(
        bool,
        #[expect(dead_code, reason = "it is counted")] common::messages::Message,
    );
    impl Drop for Bomb {
        fn drop(&mut self) {
            if self.0 {
                quiet_panic("a message panics");
            }
        }
    }
    for place in [0, 62, 99] {
        let accounts = Accounts::default();
        let (sender, receiver) = mpmc::bounded(100);
        for number in 0..100 {
            assert!(
                sender
                    .send(Bomb(number == place, accounts.message(0)))
                    .is_ok()
            );
        }
        drop(receiver.clone());
        assert_eq!(receiver.len(), 100);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(receiver))).is_err());
        accounts.settle();
        assert!(sender.send(Bomb(false, accounts.message(0))).is_err());
    }
}

/// Threads that wait at a channel sleep in the kernel, and one message wakes one of them.
#[cfg(target_os = "linux")]
#[test]
fn waiting_threads_sleep() {
    let (sender, receiver) = mpmc::unbounded();
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let receiver = receiver.clone();
            let named = thread::Builder::new().name("mpmc-receives".into());
            named.spawn(move || receiver.recv()).unwrap()
        })
        .collect();
    common::threads::wait_until_asleep("mpmc-receives", 3, Duration::from_millis(20));
    (0..2).for_each(|number| sender.send(number).unwrap());
    sender.finish();
    let mut received: Vec<_> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    received.sort_by_key(|result| result.unwrap_or(9));
    assert_eq!(received[..2], [Ok(0), Ok(1)]);
    assert_eq!(received[2].unwrap_err().reason(), CloseReason::Finished);
}

#[test]
fn iterators() {
    let (sender, receiver) = mpmc::bounded(20);
    (0..10).for_each(|number| sender.send(number).unwrap());
    // Several at once, in turn.
    let (mut one, mut other) = (receiver.iter(), receiver.try_iter());
    assert_eq!(
        (one.next(), other.next(), one.next()),
        (Some(0), Some(1), Some(2))
    );
    assert!(other.eq(3..10));
    sender.send(10).unwrap();
    assert_eq!((&receiver).into_iter().next(), Some(10));
    sender.send(11).unwrap();
    let drained = receiver.drain();
    assert_eq!(sender.send(12), Err(SendError(12)));
    assert!(drained.eq([11]));
    assert_eq!(receiver.clone().into_iter().next(), None);
    assert!(receiver.is_same_channel(&receiver.clone()));
}

#[test]
fn ends_go_to_other_threads() {
    fn all<T: Send + Sync + Unpin>() {}
    type Message = std::cell::Cell<u8>;
    all::<Receiver<Message>>();
    all::<Sender<Message>>();
    all::<mpmc::RecvAsync<'_, Message>>();
    all::<mpmc::Iter<'_, Message>>();
    all::<mpmc::IntoIter<Message>>();
}

/// The ends of a channel in a message of that channel.
#[test]
fn ends_are_messages_as_well() {
    ends(|| {
        enum Both {
            Send(Sender<Both>),
            Receive(Receiver<Both>),
        }
        let (sender, receiver) = mpmc::unbounded();
        for _ in 0..100 {
            assert!(sender.send(Both::Send(sender.clone())).is_ok());
            assert!(sender.send(Both::Receive(receiver.clone())).is_ok());
        }
        // What is left in the channel keeps it alive, as with any `Arc`, so all is taken out.
        for message in receiver.try_iter() {
            match message {
                Both::Send(sender) => sender.finish(),
                Both::Receive(receiver) => assert!(!receiver.is_closed()),
            }
        }
        drop(sender);
        let end = receiver.recv().map(drop).unwrap_err();
        assert_eq!(end.reason(), CloseReason::Dropped);
    });
}
