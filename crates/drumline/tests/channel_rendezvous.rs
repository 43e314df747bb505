//! Channels that hold nothing: a message goes from hand to hand.

mod common;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Calls, dawdle, panicking_waker, poll};
use common::{Random, ends, pool};
use drumline::block_on;
use drumline::channel::{
    CloseReason, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError, mpmc,
    mpsc,
};

fn listed(calls: &Arc<Calls>) -> Waker {
    Arc::clone(calls).into()
}

/// Polls a future that has to wait.
#[track_caller]
fn waits<F: Future + Unpin>(future: &mut F) {
    assert!(poll(future, Waker::noop()).is_pending(), "it need not wait");
}

/// Polls a future that is ready.
#[track_caller]
fn ready<F: Future + Unpin>(future: &mut F) -> F::Output {
    match poll(future, Waker::noop()) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("it waits"),
    }
}

#[test]
fn each_message_comes_once_and_in_order() {
    for (senders, receivers) in [(1, 1), (1, 3), (3, 1), (3, 3)] {
        let (sender, receiver) = mpmc::rendezvous();
        let producers: Vec<_> = (0..senders)
            .map(|n| {
                let sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..2_000 {
                        match number % 3 {
                            0 => sender.send((n, number)).unwrap(),
                            1 => block_on(sender.send_async((n, number))).unwrap(),
                            _ => {
                                while sender.try_send((n, number)).is_err() {
                                    thread::yield_now();
                                }
                            }
                        }
                    }
                    sender.finish();
                })
            })
            .collect();
        sender.finish();
        let consumers: Vec<_> = (0..receivers)
            .map(|_| {
                let receiver = receiver.clone();
                thread::spawn(move || {
                    let mut messages = Vec::new();
                    let end = loop {
                        // The last way is one that `try_send` meets.
                        let received = match messages.len() % 3 {
                            0 => receiver.recv_many(&mut messages, 4).map(drop),
                            1 => block_on(receiver.recv_async()).map(|m| messages.push(m)),
                            _ => receiver.recv().map(|m| messages.push(m)),
                        };
                        if let Err(end) = received {
                            break end;
                        }
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
                assert!(
                    messages
                        .iter()
                        .filter(|(sender, _)| *sender == n)
                        .is_sorted()
                );
            }
            all.extend(messages);
        }
        all.sort_unstable();
        let expected = (0..senders).flat_map(|n| (0..2_000).map(move |number| (n, number)));
        assert!(all.into_iter().eq(expected));
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
}

/// A send returns when a receive takes its message, and not before: no more sends have returned
/// than receives have begun.
#[test]
fn a_sender_waits_until_its_message_is_taken() {
    let (sender, mut receiver) = mpsc::rendezvous();
    let begun = Arc::new(AtomicUsize::new(0));
    let sent = Arc::new(AtomicUsize::new(0));
    let producers: Vec<_> = (0..3)
        .map(|_| {
            let (sender, begun, sent) = (sender.clone(), Arc::clone(&begun), Arc::clone(&sent));
            thread::spawn(move || {
                for _ in 0..1_000 {
                    sender.send(()).unwrap();
                    let sent = sent.fetch_add(1, Ordering::SeqCst) + 1;
                    assert!(
                        sent <= begun.load(Ordering::SeqCst),
                        "no thread has taken it"
                    );
                }
            })
        })
        .collect();
    drop(sender);
    let mut random = Random::new(1);
    for _ in 0..3_000 {
        dawdle(random.below(200));
        begun.fetch_add(1, Ordering::SeqCst);
        receiver.recv().unwrap();
    }
    producers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert!(receiver.recv().is_err());
}

#[test]
fn what_does_not_wait_needs_one_that_waits() {
    let (sender, receiver) = mpmc::rendezvous();
    assert_eq!((sender.capacity(), receiver.capacity()), (Some(0), Some(0)));
    for _ in 0..3 {
        assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
        assert_eq!(receiver.try_iter().next(), None);
        let late = sender.send_timeout(0, Duration::ZERO);
        assert_eq!(late, Err(SendTimeoutError::Timeout(0)));
        let late = receiver.recv_timeout(Duration::from_micros(100));
        assert_eq!(late, Err(RecvTimeoutError::Timeout));
        // A sender that waits.
        let mut sending = sender.send_async(1);
        waits(&mut sending);
        assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
        assert_eq!(receiver.try_recv(), Ok(1));
        assert_eq!(ready(&mut sending), Ok(()));
        // Each way to receive takes what waits.
        for way in 0..4 {
            let mut sending = sender.send_async(way);
            waits(&mut sending);
            let received = match way {
                0 => receiver.recv_timeout(Duration::ZERO).unwrap(),
                1 => receiver.recv_deadline(Instant::now()).unwrap(),
                2 => ready(&mut receiver.recv_async()).unwrap(),
                _ => receiver.try_iter().next().unwrap(),
            };
            assert_eq!(received, way);
            assert_eq!(ready(&mut sending), Ok(()));
        }
        // A receiver that waits, for each way to send.
        for way in 0..3 {
            let mut receiving = receiver.recv_async();
            waits(&mut receiving);
            match way {
                0 => sender.try_send(way).unwrap(),
                1 => ready(&mut sender.send_async(way)).unwrap(),
                _ => sender.send_timeout(way, Duration::ZERO).unwrap(),
            }
            // It is gone to that receiver, so there is none for another.
            assert_eq!(sender.try_send(9), Err(TrySendError::Full(9)));
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
            assert_eq!(ready(&mut receiving), Ok(way));
        }
    }
    assert!(sender.is_empty() && receiver.is_empty());
}

#[test]
fn senders_are_served_in_the_order_in_which_they_came() {
    let (sender, mut receiver) = mpsc::rendezvous();
    let mut waiting: Vec<_> = (0..100)
        .map(|number| {
            let mut sending = sender.send_async(number);
            waits(&mut sending);
            Some(sending)
        })
        .collect();
    // Some give up.
    for number in [0, 1, 50, 99] {
        waiting[number] = None;
    }
    let expected = (0..100).filter(|number| ![0, 1, 50, 99].contains(number));
    assert!(receiver.try_iter().eq(expected));
    waiting
        .iter_mut()
        .flatten()
        .for_each(|sending| ready(sending).unwrap());
}

/// A message was handed to a receive that is dropped before it knows. The next receive gets it.
#[test]
fn a_message_that_was_handed_over_is_not_lost() {
    let accounts = Accounts::default();
    for others in 0..3 {
        let (sender, receiver) = mpmc::rendezvous();
        let mut receiving = receiver.recv_async();
        waits(&mut receiving);
        sender.try_send(accounts.message(1)).unwrap();
        let calls = Calls::new();
        let mut waiting: Vec<_> = (0..others).map(|_| receiver.recv_async()).collect();
        for future in &mut waiting {
            assert!(poll(future, &listed(&calls)).is_pending());
        }
        drop(receiving);
        assert_eq!(calls.count(), others.min(1), "one that waits is told");
        // It was sent before this one.
        let mut sending = sender.send_async(accounts.message(2));
        if others < 2 {
            waits(&mut sending);
            // The one that waits has it in its hands.
            let first = match waiting.pop() {
                Some(mut other) => ready(&mut other),
                None => receiver.recv(),
            };
            assert_eq!(first.unwrap().number, 1);
            assert_eq!(receiver.recv().unwrap().number, 2);
        } else {
            ready(&mut sending).unwrap();
            // Which of the two gets which is not promised.
            let numbers = waiting
                .iter_mut()
                .map(|future| ready(future).unwrap().number);
            assert_eq!(numbers.sum::<usize>(), 3);
        }
        drop((waiting, sending));
        assert_eq!(accounts.made() - accounts.dropped(), 0);
    }
}

/// Two messages were handed over and come back, in whichever order: they are taken in their order.
#[test]
fn messages_that_come_back_are_taken_in_their_order() {
    for (one, other) in [(0, 0), (1, 0)] {
        let (sender, receiver) = mpmc::rendezvous();
        let mut waiting: Vec<_> = (0..2).map(|_| receiver.recv_async()).collect();
        waiting.iter_mut().for_each(waits);
        sender.try_send(1).unwrap();
        sender.try_send(2).unwrap();
        drop(waiting.remove(one));
        drop(waiting.remove(other));
        assert_eq!((receiver.try_recv(), receiver.try_recv()), (Ok(1), Ok(2)));
    }
}

/// A message that was handed over to a receive; the receive is dropped after the end.
#[test]
fn a_message_that_comes_back_after_the_end() {
    let accounts = Accounts::default();
    for by_receiver in [false, true] {
        let (sender, receiver) = mpmc::rendezvous();
        let mut receiving = receiver.recv_async();
        waits(&mut receiving);
        sender.try_send(accounts.message(1)).unwrap();
        if by_receiver {
            receiver.close();
        } else {
            drop(sender);
        }
        drop(receiving);
        assert_eq!(receiver.recv().unwrap().number, 1);
        assert!(receiver.recv().is_err());
        accounts.settle();
    }
}

/// The same beside iterators, which had come to their end before.
#[test]
fn an_iterator_that_is_over_stays_so() {
    let (sender, receiver) = mpmc::rendezvous();
    let other = receiver.clone();
    let mut receiving = receiver.recv_async();
    waits(&mut receiving);
    sender.try_send(1).unwrap();
    drop(sender);
    let (mut all, mut rest) = (other.iter(), other.drain());
    let mut owned = other.clone().into_iter();
    for _ in 0..2 {
        assert_eq!((all.next(), rest.next(), owned.next()), (None, None, None));
    }
    drop(receiving);
    assert_eq!((all.next(), rest.next(), owned.next()), (None, None, None));
    assert_eq!(other.recv(), Ok(1));
}

#[test]
fn a_close_gives_messages_back() {
    for round in 0..100 {
        let accounts = Accounts::default();
        let (sender, mut receiver) = mpsc::rendezvous();
        let threads: Vec<_> = (0..3)
            .map(|number| {
                let (sender, message) = (sender.clone(), accounts.message(number));
                thread::spawn(move || match round % 2 {
                    0 => sender.send(message).unwrap_err().0.number,
                    _ => block_on(sender.send_async(message)).unwrap_err().0.number,
                })
            })
            .collect();
        let mut sending = sender.send_async(accounts.message(3));
        waits(&mut sending);
        dawdle(round * 100);
        match round % 3 {
            0 => drop(receiver),
            1 => {
                receiver.close();
                let end = receiver.recv().map(drop).unwrap_err();
                assert_eq!(end.reason(), CloseReason::ClosedByReceiver);
            }
            _ => assert_eq!(receiver.drain().count(), 0),
        }
        let Err(SendError(back)) = ready(&mut sending) else {
            panic!("it was not received");
        };
        assert_eq!(back.number, 3);
        assert!(matches!(
            sender.try_send(back),
            Err(TrySendError::Closed(_))
        ));
        for (thread, number) in threads.into_iter().zip(0..) {
            assert_eq!(thread.join().unwrap(), number);
        }
        drop(sending);
        accounts.settle();
    }
}

/// A receiver that closes at a random moment: what a send says has happened.
#[test]
fn an_end_of_the_receiver_loses_no_message() {
    let mut random = Random::new(7);
    for round in 0..300 {
        let accounts = Accounts::default();
        let (sender, mut receiver) = mpsc::rendezvous();
        let producers: Vec<_> = (0..3)
            .map(|_| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                thread::spawn(move || {
                    (0..)
                        .take_while(|&number| sender.send(accounts.message(number)).is_ok())
                        .count()
                })
            })
            .collect();
        let first = random.below(50) as usize;
        receiver.iter().take(first).for_each(drop);
        dawdle(random.below(1_000));
        let received = first
            + match round % 3 {
                0 => {
                    drop(receiver);
                    0
                }
                1 => {
                    receiver.close();
                    receiver.iter().count()
                }
                _ => receiver.drain().count(),
            };
        let accepted: usize = producers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        assert_eq!(accepted, received);
        drop(sender);
        accounts.settle();
    }
}

/// Both sides give up again and again.
#[test]
fn short_timeouts_lose_nothing() {
    let (sender, receiver) = mpmc::rendezvous();
    let producers: Vec<_> = (0..2u32)
        .map(|n| {
            let sender = sender.clone();
            thread::spawn(move || {
                for number in 0..500 {
                    let mut message = (n, number);
                    let mut time = 0;
                    while let Err(error) = sender.send_timeout(message, Duration::from_micros(time))
                    {
                        assert!(matches!(error, SendTimeoutError::Timeout(_)), "{error:?}");
                        message = error.into_inner();
                        time += 50;
                    }
                }
            })
        })
        .collect();
    drop(sender);
    let consumers: Vec<_> = (0..2)
        .map(|n| {
            let receiver = receiver.clone();
            thread::spawn(move || {
                let mut random = Random::new(n);
                let mut received = Vec::new();
                loop {
                    let time = random.below(300);
                    match receiver.recv_timeout(Duration::from_micros(time)) {
                        Ok(message) => received.push(message),
                        Err(RecvTimeoutError::Timeout) => {
                            // A future that is dropped while a message is handed to it, perhaps.
                            let mut receiving = receiver.recv_async();
                            if let Poll::Ready(Ok(message)) = poll(&mut receiving, Waker::noop()) {
                                received.push(message);
                            }
                            dawdle(time);
                        }
                        Err(RecvTimeoutError::Closed(_)) => return received,
                    }
                }
            })
        })
        .collect();
    let mut all: Vec<_> = consumers
        .into_iter()
        .flat_map(|consumer| consumer.join().unwrap())
        .collect();
    producers
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    // What came back at the very end.
    all.extend(receiver.try_iter());
    all.sort_unstable();
    assert!(
        all.into_iter()
            .eq((0..2).flat_map(|n| (0..500).map(move |k| (n, k))))
    );
}

/// Messages of any size, and many threads.
#[test]
fn messages_of_all_sizes_pass() {
    fn pass<T: Clone + Send + PartialEq + 'static>(message: T) {
        let (sender, mut receiver) = mpsc::rendezvous();
        let producers: Vec<_> = (0..16)
            .map(|_| {
                let (sender, sent) = (sender.clone(), message.clone());
                thread::spawn(move || (0..20).for_each(|_| sender.send(sent.clone()).unwrap()))
            })
            .collect();
        drop(sender);
        assert_eq!(receiver.iter().filter(|got| *got == message).count(), 320);
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
    pass(());
    pass(1u8);
    pass([9u8; 5_000]);
    pass(String::from("text"));
}

/// Tasks of a pool of one place meet, also where a closure of it blocks.
#[test]
fn tasks_meet() {
    ends(|| {
        let pool = pool(1);
        let (sender, receiver) = mpmc::rendezvous();
        let tasks: Vec<_> = (0..20u64)
            .map(|n| {
                let sender = sender.clone();
                pool.spawn_future(async move {
                    for number in 0..50 {
                        sender.send_async(n * 50 + number).await.unwrap();
                    }
                })
            })
            .collect();
        drop(sender);
        let other = receiver.clone();
        let blocks = pool.spawn(move || other.iter().sum::<u64>());
        let awaits = pool.spawn_future(async move {
            let mut sum = 0;
            while let Ok(number) = receiver.recv_async().await {
                sum += number;
            }
            sum
        });
        let sum = blocks.join().unwrap() + awaits.join().unwrap();
        assert_eq!(sum, (0..1_000).sum());
        tasks.into_iter().for_each(|task| task.join().unwrap());
    });
}

#[test]
fn a_waker_that_panics_takes_nothing_along() {
    let accounts = Accounts::default();
    let (sender, receiver) = mpmc::rendezvous();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &panicking_waker()).is_pending());
    sender.try_send(accounts.message(1)).unwrap();
    assert_eq!(ready(&mut receiving).unwrap().number, 1);
    let mut sending = sender.send_async(accounts.message(2));
    assert!(poll(&mut sending, &panicking_waker()).is_pending());
    assert_eq!(receiver.try_recv().unwrap().number, 2);
    ready(&mut sending).unwrap();
    accounts.settle();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &panicking_waker()).is_pending());
    drop(sending);
    drop(sender);
    assert!(ready(&mut receiving).is_err());
}

/// Forgotten ends of a rendezvous: nothing is dropped twice, or kept for good.
#[test]
fn forgotten_futures() {
    let accounts = Accounts::default();
    let (sender, mut receiver) = mpsc::rendezvous();
    let mut receiving = receiver.recv_async();
    waits(&mut receiving);
    std::mem::forget(receiving);
    // The forgotten one has it.
    sender.try_send(accounts.message(0)).unwrap();
    let mut sending = sender.send_async(accounts.message(1));
    waits(&mut sending);
    std::mem::forget(sending);
    assert_eq!(receiver.recv().unwrap().number, 1);
    let mut sending = sender.send_async(accounts.message(2));
    waits(&mut sending);
    std::mem::forget(sending);
    drop((sender, receiver));
    accounts.settle();
}
