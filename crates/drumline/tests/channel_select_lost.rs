//! Reports of lost values, lost wake-ups and hangs in the selections of other projects. Each has a
//! test here that loses the value if a select of this crate does the same.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use common::eventually;
use common::messages::{Accounts, Calls, poll};
use drumline::channel::{
    CloseReason, Select, SelectError, TryRecvError, lanes, mpmc, mpsc, oneshot, select,
    select_async, spsc, waiters,
};

/// Whether this thread sleeps at a channel.
fn sleeps(thread: &thread::Thread) -> bool {
    let is_it = |other: &thread::Thread| other.id() == thread.id();
    waiters()
        .iter()
        .any(|waiter| waiter.thread().is_some_and(is_it))
}

/// kanal #50, "Non selected channel in select! lose sent value": two senders to two channels; one
/// of the values was gone after the other channel had been selected. Also kanal #24 and #65.
#[test]
fn a_path_that_is_not_selected_keeps_its_value() {
    drumline::block_on(async {
        let (first, of_first) = mpmc::bounded(1);
        let (second, mut of_second) = mpsc::bounded(1);
        for round in 0..200 {
            let sends = [
                drumline::spawn_future({
                    let first = first.clone();
                    async move { first.send_async(2 * round).await.unwrap() }
                }),
                drumline::spawn_future({
                    let second = second.clone();
                    async move { second.send_async(2 * round + 1).await.unwrap() }
                }),
            ];
            let mut received = Vec::new();
            while received.len() < 2 {
                select_async! {
                    recv(of_first) -> message => received.push(message.unwrap()),
                    recv(of_second) -> message => received.push(message.unwrap()),
                }
            }
            received.sort_unstable();
            assert_eq!(received, [2 * round, 2 * round + 1]);
            for send in sends {
                send.await.unwrap();
            }
        }
    });
}

/// flume #135, "Lost message when selecting on MPMC in loop from multiple threads": a thread that
/// was woken for a message left by the other path, and the message stayed in the channel for ever.
#[test]
fn a_thread_that_leaves_by_another_path_passes_its_message_on() {
    let accounts = Accounts::default();
    for round in 0..100 {
        let (jobs, job) = mpmc::unbounded();
        let received = Arc::new(AtomicUsize::new(0));
        let (signals, threads): (Vec<_>, Vec<_>) = (0..4)
            .map(|_| {
                let (signal, mut stopped) = spsc::unbounded::<()>();
                let (job, received) = (job.clone(), Arc::clone(&received));
                let thread = thread::spawn(move || {
                    loop {
                        select! {
                            recv(job) -> message => match message {
                                Ok(message) => {
                                    drop(message);
                                    received.fetch_add(1, Ordering::SeqCst);
                                }
                                Err(_) => return,
                            },
                            recv(stopped) -> _ => return,
                        }
                    }
                });
                (signal, thread)
            })
            .unzip();
        // All but one are stopped while messages come.
        let mut signals = signals;
        let stays = signals.remove(round % 4);
        for (number, signal) in signals.into_iter().enumerate() {
            jobs.send(accounts.message(number)).unwrap();
            drop(signal);
        }
        eventually("the thread that stays takes what is left", || {
            received.load(Ordering::SeqCst) == 3
        });
        drop(stays);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    }
    accounts.settle();
}

/// flume #44, "select_general hang": a selector slept although messages were in its channels. Also
/// flume #124 and iroh #2533, where a message was in the channel and the receiver not woken.
#[test]
fn a_select_does_not_sleep_beside_a_message() {
    const MESSAGES: usize = 5_000;
    let (mut first, mut of_first) = spsc::unbounded();
    let (mut second, mut of_second) = lanes::unbounded();
    let (third, of_third) = mpmc::bounded(1);
    let senders = [
        thread::spawn(move || (0..MESSAGES).for_each(|number| first.send(number).unwrap())),
        thread::spawn(move || (0..MESSAGES).for_each(|number| second.send(number).unwrap())),
        thread::spawn(move || (0..MESSAGES).for_each(|number| third.send(number).unwrap())),
    ];
    let mut select = Select::new();
    select.recv(&mut of_first, |message| (0, message));
    select.recv(&mut of_second, |message| (1, message));
    select.recv(&of_third, |message| (2, message));
    let mut next = [0; 3];
    while let Some((path, message)) = select.wait() {
        match message {
            Ok(message) => {
                assert_eq!(message, next[path]);
                next[path] += 1;
            }
            Err(end) => assert_eq!(end.reason(), CloseReason::Dropped),
        }
    }
    assert_eq!(next, [MESSAGES; 3]);
    senders
        .into_iter()
        .for_each(|sender| sender.join().unwrap());
}

/// flume #120, "Race condition in the async code when sender drops too quickly": the receiver saw
/// that the sender was gone, and not the value that it had sent before.
#[test]
fn a_value_comes_before_the_end() {
    for round in 0..500 {
        let (mut first, mut of_first) = spsc::unbounded();
        let (second, mut of_second) = mpsc::unbounded();
        let (third, mut of_third) = oneshot::channel();
        let sender = thread::spawn(move || match round % 3 {
            0 => {
                first.send(round).unwrap();
                drop(first);
                Some((None, Some(second), Some(third)))
            }
            1 => {
                second.send(round).unwrap();
                drop(second);
                Some((Some(first), None, Some(third)))
            }
            _ => {
                third.send(round).unwrap();
                Some((Some(first), Some(second), None))
            }
        });
        let received = drumline::block_on(async {
            select_async! {
                recv(of_first) -> message => message,
                recv(of_second) -> message => message,
                recv(of_third) -> message => message,
            }
        });
        assert_eq!(received, Ok(round));
        drop(sender.join().unwrap());
    }
}

/// flume #176, "Selector::wait_timeout on an empty Selector hangs forever".
#[test]
fn a_select_without_paths_does_not_hang() {
    let mut select = Select::<()>::new();
    assert_eq!(select.wait(), None);
    let long = Duration::from_secs(3600);
    assert_eq!(select.wait_timeout(long), Err(SelectError::NoPath));
    assert_eq!(drumline::block_on(select.wait_async()), None);
}

/// tokio #5947: a value that `send` had taken was gone with the branch that was not selected. Also
/// async-channel #87, "Sending cancel safety", and futures-rs #2754, the same of `SinkExt::send`.
#[test]
fn a_value_is_not_gone_with_a_send_that_was_not_selected() {
    let accounts = Accounts::default();
    let (full, of_full) = mpmc::bounded(1);
    let (mut other, mut of_other) = spsc::unbounded();
    full.send(accounts.message(0)).unwrap();
    let mut mine = Some(accounts.message(1));
    let waker = Waker::noop();
    {
        let mut select = Select::new();
        select.send(&full, || mine.take(), |sent| sent.is_ok());
        select.recv(&mut of_other, |_| false);
        assert!(poll(&mut select.wait_async(), waker).is_pending());
        other.send(()).unwrap();
        assert_eq!(select.wait(), Some(false));
    }
    assert_eq!(mine.as_ref().unwrap().number, 1);
    // The same with the macro, in a future that is dropped.
    let message = accounts.message(2);
    {
        let mut selecting = pin!(async {
            select_async! {
                send(full, mine.take().unwrap()) -> sent => sent.is_ok(),
                recv(of_other) -> _ => false,
            }
        });
        let mut cx = Context::from_waker(waker);
        assert!(selecting.as_mut().poll(&mut cx).is_pending());
    }
    assert_eq!(mine.take().unwrap().number, 1);
    assert_eq!(of_full.recv().unwrap().number, 0);
    assert!(full.try_send(message).is_ok());
    drop((full, of_full));
    accounts.settle();
}

/// futures-rs #2894, "Timing out on `SinkExt::send` still causes the item to be re-inserted later":
/// what was not sent in time came all the same.
#[test]
fn a_send_that_was_too_late_is_not_sent_later() {
    let (full, of_full) = mpmc::bounded(3);
    (1..=3).for_each(|number| full.send(number).unwrap());
    let is_late = select! {
        send(full, 4) -> _ => false,
        default(Duration::from_millis(1)) => true,
    };
    assert!(is_late);
    let is_late = drumline::block_on(async {
        select_async! { send(full, 5) -> _ => false, default(Duration::from_millis(1)) => true }
    });
    assert!(is_late);
    drop(full);
    assert_eq!(of_full.iter().collect::<Vec<_>>(), [1, 2, 3]);
}

/// crossbeam #286, "Receiving on an empty and disconnected channel, but why was it selected then?",
/// and solana #21981, where `ready_timeout` returned although nothing was ready: the two steps of a
/// selection saw two states. Here they are one: what a path gives was there when it was chosen.
#[test]
fn what_is_selected_is_received() {
    let (sender, receiver) = mpmc::bounded(2);
    let (_open, silent) = mpmc::unbounded::<usize>();
    let total = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let received = select! {
                        recv(receiver) -> message => message,
                        recv(silent) -> message => message,
                    };
                    match received {
                        // Relaxed: a count, read when the threads have been joined.
                        Ok(number) => total.fetch_add(number, Ordering::Relaxed),
                        // The end comes after the last message, and not before.
                        Err(_) => {
                            return assert_eq!(
                                receiver.try_recv(),
                                Err(TryRecvError::Closed(CloseReason::Finished))
                            );
                        }
                    };
                }
            });
        }
        (0..2_000).for_each(|number| sender.send(number).unwrap());
        sender.finish();
    });
    assert_eq!(total.into_inner(), 1_999_000);
}

/// chan #20, "Deadlock with select-send and select-recv": at a channel without places, each of two
/// selections waited for the other one to come. Here that is refused in advance.
#[test]
fn two_selects_do_not_wait_for_each_other_at_a_rendezvous() {
    let (sender, receiver) = mpmc::rendezvous::<u32>();
    let refused = thread::spawn(move || {
        let mut select = Select::new();
        select.send(&sender, || Some(1), |_| ());
    });
    assert!(refused.join().is_err());
    // The sender is gone with its thread.
    let received = select! { recv(receiver) -> message => message };
    assert_eq!(received.unwrap_err().reason(), CloseReason::Panicked);
    // A place is enough.
    let (sender, receiver) = mpmc::bounded(1);
    let receiving = thread::spawn(move || select! { recv(receiver) -> message => message });
    select! { send(sender, 2) -> sent => sent.unwrap() }
    assert_eq!(receiving.join().unwrap(), Ok(2));
}

/// async-oneshot-channel #1: the waker of a dropped future was called later, and a new one was
/// forgotten.
#[test]
fn the_last_waker_is_called() {
    let (to_once, mut of_once) = oneshot::channel();
    let (to_queue, of_queue) = mpmc::bounded(1);
    let (mut to_lane, mut of_lane) = spsc::unbounded::<u32>();
    let [first, second, third] = [(); 3].map(|()| Calls::new());
    let mut select = Select::new();
    select
        .recv(&mut of_once, Result::ok)
        .recv(&of_queue, Result::ok)
        .recv(&mut of_lane, Result::ok);
    {
        let mut waiting = select.wait_async();
        assert!(poll(&mut waiting, &Waker::from(Arc::clone(&first))).is_pending());
    }
    {
        let mut waiting = select.wait_async();
        assert!(poll(&mut waiting, &Waker::from(Arc::clone(&second))).is_pending());
        let waker = Waker::from(Arc::clone(&third));
        assert!(poll(&mut waiting, &waker).is_pending());
        to_queue.send(1).unwrap();
        assert_eq!((first.count(), second.count(), third.count()), (0, 0, 1));
        assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Some(Some(1))));
    }
    to_lane.send(2).unwrap();
    to_once.send(3).unwrap();
    assert_eq!((first.count(), second.count(), third.count()), (0, 0, 1));
    let mut left = [select.wait(), select.wait()];
    left.sort_unstable();
    assert_eq!(left, [Some(Some(2)), Some(Some(3))]);
}

/// The notification of a receiver that gives up goes to the next one: a common report (event
/// listeners, semaphores), and what `tokio::sync::Notify` had to be taught. Here the receiver is a
/// select that has come to its limit.
#[test]
fn a_select_that_is_too_late_passes_its_call_on() {
    let (sender, receiver) = mpmc::unbounded();
    for number in 0..200 {
        let waits = thread::spawn({
            let receiver = receiver.clone();
            move || receiver.recv()
        });
        let mut select = Select::new();
        select.recv(&receiver, Result::ok);
        let mut waiting = select.wait_async();
        let calls = Calls::new();
        // Before or behind the thread, by chance.
        if number % 2 == 0 {
            eventually("the thread sleeps", || sleeps(waits.thread()));
        }
        assert!(poll(&mut waiting, &Waker::from(calls)).is_pending());
        sender.send(number).unwrap();
        drop(waiting);
        drop(select);
        assert_eq!(waits.join().unwrap(), Ok(number));
    }
}
