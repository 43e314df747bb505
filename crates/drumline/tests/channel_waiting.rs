//! Those that wait at a channel of many senders: in which order they are served, and what becomes
//! of futures that are dropped or forgotten. One step after the other: a future that was polled
//! waits.

mod common;

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use common::messages::{Accounts, Calls, dawdle, poll};
use common::{Random, ends, eventually};
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
fn senders_are_served_in_the_order_in_which_they_came() {
    for capacity in [1, 2, 64] {
        let (sender, mut receiver) = mpsc::bounded(capacity);
        (0..capacity).for_each(|number| sender.try_send(number).unwrap());
        let mut waiting: VecDeque<_> = (0..100)
            .map(|number| {
                let mut sending = sender.send_async(capacity + number);
                waits(&mut sending);
                sending
            })
            .collect();
        for number in 0..100 {
            assert_eq!(receiver.try_recv(), Ok(number));
            // The room is taken already.
            assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
            assert!(sender.try_reserve().is_err());
            let late = sender.send_timeout(0, Duration::ZERO);
            assert_eq!(late, Err(SendTimeoutError::Timeout(0)));
            assert_eq!(receiver.len(), capacity);
            let mut first = waiting.pop_front().unwrap();
            assert_eq!(ready(&mut first), Ok(()));
            waiting.iter_mut().take(2).for_each(waits);
        }
        assert!(receiver.try_iter().eq(100..100 + capacity));
        sender.try_send(0).unwrap();
    }
}

/// Threads, futures and reservations that wait one after the other.
#[test]
fn all_kinds_of_senders_wait_in_one_order() {
    let (sender, mut receiver) = mpsc::bounded(1);
    sender.try_send(0).unwrap();
    let mut first = sender.send_async(1);
    waits(&mut first);
    let mut second = sender.reserve();
    waits(&mut second);
    let mut third = sender.send_async(3);
    waits(&mut third);
    assert_eq!(receiver.recv(), Ok(0));
    assert_eq!(receiver.recv(), Ok(1));
    // The permit has the place: nothing is in the channel, and nothing gets in.
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!((sender.len(), receiver.len()), (0, 0));
    waits(&mut third);
    assert_eq!(sender.try_send(9), Err(TrySendError::Full(9)));
    let permit = ready(&mut second).unwrap();
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    permit.send(2).unwrap();
    waits(&mut third);
    assert_eq!(receiver.recv(), Ok(2));
    assert_eq!(ready(&mut third), Ok(()));
    assert_eq!(ready(&mut first), Ok(()));
    assert_eq!(receiver.recv(), Ok(3));
}

/// One that is dropped leaves its place in the order to the next.
#[test]
fn senders_that_give_up_are_passed() {
    let accounts = Accounts::default();
    for round in 0..64 {
        let (sender, mut receiver) = mpsc::bounded(1);
        sender.try_send(accounts.message(0)).unwrap();
        let mut waiting: Vec<_> = (1..=6)
            .map(|number| {
                let mut sending = sender.send_async(accounts.message(number));
                waits(&mut sending);
                Some(sending)
            })
            .collect();
        for (number, sending) in waiting.iter_mut().enumerate() {
            if round & (1 << number) != 0 {
                *sending = None;
            }
        }
        let left = (0..6).filter(|number| round & (1 << number) == 0);
        let expected = std::iter::once(0).chain(left.map(|number| number + 1));
        assert!(
            receiver
                .try_iter()
                .map(|message| message.number)
                .eq(expected),
            "round {round}"
        );
        waiting
            .iter_mut()
            .flatten()
            .for_each(|sending| ready(sending).unwrap());
        sender.try_send(accounts.message(7)).unwrap();
        drop(waiting);
        drop((sender, receiver));
        accounts.settle();
    }
}

/// A send that is dropped has sent all or nothing, at whichever moment.
#[test]
fn a_send_that_is_dropped_has_sent_all_or_nothing() {
    let accounts = Accounts::default();
    let (sender, mut receiver) = mpsc::bounded(1);
    for polls in 0..3 {
        // There is room: made and not polled, it has sent nothing.
        drop(sender.send_async(accounts.message(1)));
        assert!(receiver.is_empty());
        sender.try_send(accounts.message(0)).unwrap();
        let mut sending = sender.send_async(accounts.message(1));
        (0..polls).for_each(|_| waits(&mut sending));
        drop(sending);
        assert_eq!(accounts.made() - accounts.dropped(), 1);
        // It is sent, and dropped before it knows.
        let mut sending = sender.send_async(accounts.message(2));
        waits(&mut sending);
        assert_eq!(receiver.recv().unwrap().number, 0);
        drop(sending);
        assert_eq!(receiver.recv().unwrap().number, 2);
        assert!(receiver.is_empty());
    }
    accounts.settle();
}

#[test]
fn a_reservation_that_is_dropped_gives_its_place_to_the_next() {
    let (sender, mut receiver) = mpsc::bounded(1);
    for _ in 0..100 {
        sender.try_send(1).unwrap();
        let calls = Calls::new();
        let mut reserving = sender.reserve();
        waits(&mut reserving);
        let mut next = sender.send_async(2);
        assert!(poll(&mut next, &listed(&calls)).is_pending());
        assert_eq!(receiver.recv(), Ok(1));
        assert_eq!(calls.count(), 0);
        // It has the place, and does not know yet.
        drop(reserving);
        assert_eq!(calls.count(), 1, "the next one was not told");
        assert_eq!(receiver.recv(), Ok(2));
        assert_eq!(ready(&mut next), Ok(()));
        // The same with a permit.
        let permit = sender.try_reserve().unwrap();
        let mut next = sender.reserve();
        waits(&mut next);
        drop(permit);
        let permit = ready(&mut next).unwrap();
        assert!(sender.try_send(0).is_err());
        drop(permit);
    }
}

/// A receive that was called and is dropped calls the next; one that was not called does nothing.
#[test]
fn a_receive_that_is_dropped_passes_its_wake_up_on() {
    let (sender, receiver) = mpmc::unbounded();
    for number in 0..100 {
        let calls = [Calls::new(), Calls::new(), Calls::new()];
        let mut waiting: Vec<_> = (0..3).map(|_| receiver.recv_async()).collect();
        for (future, calls) in waiting.iter_mut().zip(&calls) {
            assert!(poll(future, &listed(calls)).is_pending());
        }
        sender.send(number).unwrap();
        let counts = || calls.each_ref().map(|calls| calls.count());
        let told = counts().iter().position(|&count| count == 1).unwrap();
        assert_eq!(
            counts().iter().sum::<usize>(),
            1,
            "more are woken than can receive"
        );
        drop(waiting.remove(told));
        assert_eq!(counts().iter().sum::<usize>(), 2, "the wake-up is lost");
        let next = (0..3).find(|&n| n != told && counts()[n] == 1).unwrap();
        let at = next - usize::from(told < next);
        assert_eq!(ready(&mut waiting[at]), Ok(number));
        drop(waiting);
        let kept: usize = calls.iter().map(|calls| Arc::strong_count(calls) - 1).sum();
        assert_eq!(kept, 0, "a waker is kept");
    }
}

/// As many are woken as there are messages, whatever else they do.
#[test]
fn one_wake_up_for_each_message() {
    let (sender, receiver) = mpmc::bounded(64);
    let calls = Calls::new();
    let mut waiting: Vec<_> = (0..10).map(|_| receiver.recv_async()).collect();
    for future in &mut waiting {
        assert!(poll(future, &listed(&calls)).is_pending());
    }
    for count in 1..=10 {
        sender.try_send(count).unwrap();
        assert_eq!(calls.count(), count);
    }
    sender.try_send(11).unwrap();
    assert_eq!(calls.count(), 10);
    // A newcomer takes what another one was woken for; that one waits again, and is woken again.
    assert_eq!(receiver.try_recv(), Ok(1));
    for future in &mut waiting {
        assert!(poll(future, &listed(&calls)).is_ready());
    }
    assert!(receiver.is_empty());
}

/// A receive that was woken in vain waits again, and is told of the next message.
#[test]
fn a_receive_that_comes_too_late_waits_again() {
    let (sender, receiver) = mpmc::bounded(1);
    let calls = Calls::new();
    let mut waiting = receiver.recv_async();
    for round in 1..50 {
        assert!(poll(&mut waiting, &listed(&calls)).is_pending());
        sender.try_send(round).unwrap();
        assert_eq!((receiver.recv(), calls.count()), (Ok(round), round));
    }
    assert!(poll(&mut waiting, &listed(&calls)).is_pending());
    sender.try_send(0).unwrap();
    assert_eq!(ready(&mut waiting), Ok(0));
}

#[test]
fn a_close_tells_all_that_wait() {
    for last_receiver in [false, true] {
        let (sender, receiver) = mpmc::bounded(1);
        let other = receiver.clone();
        sender.try_send(0).unwrap();
        let calls = Calls::new();
        let mut sending = sender.send_async(1);
        let mut reserving = sender.reserve();
        let mut closed = sender.closed();
        assert!(poll(&mut sending, &listed(&calls)).is_pending());
        assert!(poll(&mut reserving, &listed(&calls)).is_pending());
        assert!(poll(&mut closed, &listed(&calls)).is_pending());
        drop(other);
        assert_eq!(calls.count(), 0, "a receiver is left");
        if last_receiver {
            drop(receiver);
        } else {
            receiver.close();
            assert_eq!(receiver.recv(), Ok(0));
            let end = receiver.recv().unwrap_err();
            assert_eq!(end.reason(), CloseReason::ClosedByReceiver);
        }
        assert_eq!(calls.count(), 3);
        assert_eq!(ready(&mut sending), Err(SendError(1)));
        assert_eq!(ready(&mut reserving).map(drop), Err(SendError(())));
        ready(&mut closed);
        assert_eq!(Arc::strong_count(&calls), 1, "a waker is kept");
        assert_eq!(block_on(sender.send_async(2)), Err(SendError(2)));
        assert_eq!(block_on(sender.reserve()).map(drop), Err(SendError(())));
        block_on(sender.closed());
    }
    // Receivers, by their own close and by the last sender.
    for by_receiver in [false, true] {
        let (sender, receiver) = mpmc::unbounded::<u8>();
        let calls = Calls::new();
        let mut waiting: Vec<_> = (0..3).map(|_| receiver.recv_async()).collect();
        for future in &mut waiting {
            assert!(poll(future, &listed(&calls)).is_pending());
        }
        let reason = if by_receiver {
            receiver.close();
            CloseReason::ClosedByReceiver
        } else {
            sender.clone().finish();
            assert_eq!(calls.count(), 0, "a sender is left");
            sender.finish();
            CloseReason::Finished
        };
        assert_eq!(calls.count(), 3);
        for future in &mut waiting {
            assert_eq!(ready(future).unwrap_err().reason(), reason);
        }
    }
}

/// A permit outlives the close, and gives its message back then.
#[test]
fn a_permit_and_a_close() {
    let (sender, mut receiver) = mpsc::bounded(2);
    let used = sender.try_reserve().unwrap();
    let unused = sender.try_reserve().unwrap();
    receiver.close();
    assert_eq!(used.send("back"), Err(SendError("back")));
    drop(unused);
    let end = receiver.recv().unwrap_err();
    assert_eq!(end.reason(), CloseReason::ClosedByReceiver);
    let (sender, receiver) = mpsc::unbounded();
    let permit = sender.try_reserve().unwrap();
    drop(receiver);
    assert_eq!(permit.send(1), Err(SendError(1)));
    assert!(matches!(
        sender.try_reserve(),
        Err(TrySendError::Closed(()))
    ));
}

/// Only the last waker is called.
#[test]
fn the_last_waker_counts() {
    let (sender, receiver) = mpmc::bounded(1);
    let calls = [Calls::new(), Calls::new()];
    let mut receiving = receiver.recv_async();
    for calls in &calls {
        assert!(poll(&mut receiving, &listed(calls)).is_pending());
    }
    assert_eq!(Arc::strong_count(&calls[0]), 1, "an old waker is kept");
    sender.send(0).unwrap();
    assert_eq!((calls[0].count(), calls[1].count()), (0, 1));
    assert_eq!(ready(&mut receiving), Ok(0));
    sender.send(1).unwrap();
    let mut sending = sender.send_async(2);
    let mut reserving = sender.reserve();
    for calls in &calls {
        assert!(poll(&mut sending, &listed(calls)).is_pending());
        assert!(poll(&mut reserving, &listed(calls)).is_pending());
    }
    assert!(receiver.recv().is_ok() && receiver.recv().is_ok());
    assert_eq!((calls[0].count(), calls[1].count()), (0, 3));
    assert_eq!(Arc::strong_count(&calls[0]), 1);
}

/// What is documented about forgotten futures and permits, and that nothing worse happens.
#[test]
fn forgotten_futures_and_permits() {
    ends(|| {
        let accounts = Accounts::default();
        let calls = Calls::new();
        let (sender, mut receiver) = mpsc::bounded(2);
        for round in 0..200 {
            let mut receiving = receiver.recv_async();
            assert!(poll(&mut receiving, &listed(&calls)).is_pending());
            std::mem::forget(receiving);
            // The one receiver takes its own place: it is told.
            let own = Calls::new();
            let mut receiving = receiver.recv_async();
            assert!(poll(&mut receiving, &listed(&own)).is_pending());
            sender.try_send(accounts.message(round)).unwrap();
            assert_eq!(own.count(), 1);
            assert_eq!(ready(&mut receiving).unwrap().number, round);
        }
        // A send that is forgotten while it waits is sent when there is room.
        sender.try_send(accounts.message(0)).unwrap();
        sender.try_send(accounts.message(1)).unwrap();
        let mut sending = sender.send_async(accounts.message(2));
        waits(&mut sending);
        std::mem::forget(sending);
        assert!(receiver.try_iter().map(|message| message.number).eq(0..3));
        // A permit that is forgotten takes its place away for good.
        std::mem::forget(sender.try_reserve().unwrap());
        sender.try_send(accounts.message(0)).unwrap();
        assert!(sender.try_send(accounts.message(1)).is_err());
        assert_eq!(receiver.recv().unwrap().number, 0);
        sender.try_send(accounts.message(0)).unwrap();
        assert!(sender.try_send(accounts.message(1)).is_err());
        let mut sending = sender.send_async(accounts.message(2));
        waits(&mut sending);
        std::mem::forget(sending);
        drop((sender, receiver));
        accounts.settle();
        assert_eq!(Arc::strong_count(&calls), 1);
    });
}

/// A forgotten receive of several receivers: its message is taken by the next that receives.
#[test]
fn a_forgotten_receive_of_several() {
    let (sender, receiver) = mpmc::unbounded();
    let mut forgotten = receiver.recv_async();
    waits(&mut forgotten);
    std::mem::forget(forgotten);
    sender.send(1).unwrap();
    assert_eq!(receiver.clone().recv(), Ok(1));
    let calls = Calls::new();
    let mut receiving = receiver.recv_async();
    assert!(poll(&mut receiving, &listed(&calls)).is_pending());
    sender.send(2).unwrap();
    assert_eq!(calls.count(), 1);
    assert_eq!(ready(&mut receiving), Ok(2));
}

/// Threads that wait one after the other, among futures. Each is known to wait when the next comes:
/// the one before it has to be served first.
#[test]
fn threads_wait_in_the_same_order() {
    for _ in 0..20 {
        let (sender, mut receiver) = mpsc::bounded(1);
        sender.try_send(0).unwrap();
        let mut before = sender.send_async(1);
        waits(&mut before);
        thread::scope(|scope| {
            let blocked = scope.spawn(|| sender.send(2));
            // Whatever the thread does, it comes after the future that waits.
            assert_eq!(receiver.recv(), Ok(0));
            assert_eq!(receiver.recv(), Ok(1));
            assert_eq!(receiver.recv(), Ok(2));
            blocked.join().unwrap().unwrap();
        });
        assert_eq!(ready(&mut before), Ok(()));
    }
}

/// Futures and threads of both sides give up at random moments: nothing is lost or comes twice.
#[test]
fn all_give_up_at_random() {
    /// Polls up to this many times, and gives up then.
    fn try_a_few<F: Future + Unpin>(mut future: F, polls: u64) -> Option<F::Output> {
        let waker = Calls::new();
        for _ in 0..polls {
            if let Poll::Ready(value) = poll(&mut future, &listed(&waker)) {
                return Some(value);
            }
            dawdle(polls * 10);
        }
        None
    }
    for capacity in [1, 2, 64] {
        let accounts = Accounts::default();
        let (sender, receiver) = mpmc::bounded(capacity);
        let producers: Vec<_> = (0..3)
            .map(|n| {
                let (sender, accounts) = (sender.clone(), accounts.clone());
                thread::spawn(move || {
                    let mut random = Random::new(n);
                    let mut sent = 0;
                    while sent < 2_000 {
                        let polls = random.below(4);
                        match random.below(3) {
                            // It may have been sent when it is given up, so only what is received
                            // is counted.
                            0 => match try_a_few(sender.send_async(accounts.message(0)), polls) {
                                Some(result) => result.unwrap(),
                                None => continue,
                            },
                            1 => match try_a_few(sender.reserve(), polls) {
                                Some(permit) if polls == 3 => drop(permit.unwrap()),
                                Some(permit) => permit.unwrap().send(accounts.message(0)).unwrap(),
                                None => continue,
                            },
                            _ => {
                                let time = Duration::from_micros(random.below(60));
                                if sender.send_timeout(accounts.message(0), time).is_err() {
                                    continue;
                                }
                            }
                        }
                        sent += 1;
                    }
                })
            })
            .collect();
        drop(sender);
        let consumers: Vec<_> = (0..3)
            .map(|n| {
                let receiver = receiver.clone();
                thread::spawn(move || {
                    let mut random = Random::new(10 + n);
                    let mut received = 0;
                    loop {
                        let polls = random.below(4);
                        match random.below(3) {
                            0 => match try_a_few(receiver.recv_async(), polls) {
                                Some(Ok(_)) => received += 1,
                                Some(Err(_)) => return received,
                                None => {}
                            },
                            1 => match receiver.recv() {
                                Ok(_) => received += 1,
                                Err(_) => return received,
                            },
                            _ => {
                                let time = Duration::from_micros(random.below(60));
                                match receiver.recv_timeout(time) {
                                    Ok(_) => received += 1,
                                    Err(RecvTimeoutError::Timeout) => {}
                                    Err(RecvTimeoutError::Closed(_)) => return received,
                                }
                            }
                        }
                    }
                })
            })
            .collect();
        producers
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        let received: usize = consumers
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum();
        assert!(received > 0);
        // All places are free again.
        eventually("all has been received", || receiver.is_empty());
        drop(receiver);
        accounts.settle();
    }
}
