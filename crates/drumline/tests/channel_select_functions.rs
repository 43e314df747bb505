//! The functions that a `Select` calls: they may take long, wait, select, and panic, and keep
//! nothing of the other paths meanwhile.

mod common;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::thread;

use common::messages::{Accounts, Calls, poll};
use common::{eventually, quiet_panic};
use drumline::channel::{Select, mpmc, spsc, waiters};

/// Polls a future that a function of a select uses.
fn poll_shared<F: Future + Unpin>(future: &Mutex<F>) -> Poll<F::Output> {
    poll(&mut *future.lock().unwrap(), Waker::noop())
}

/// The other receiver of the second channel waits behind the select. The first handler of that
/// sends.
fn a_message_goes_to_another_receiver(second: mpmc::Sender<u32>, of_second: mpmc::Receiver<u32>) {
    let (first, of_first) = mpmc::unbounded();
    let other = Mutex::new(of_second.recv_async());
    let mut select = Select::new();
    select
        .recv(&of_first, |_| {
            second.try_send(2).unwrap();
            poll_shared(&other)
        })
        .recv(&of_second, Poll::Ready);
    let mut waiting = select.wait_async();
    assert_eq!(poll(&mut waiting, Waker::noop()), Poll::Pending);
    assert_eq!(poll_shared(&other), Poll::Pending);
    first.send(1).unwrap();
    let received = poll(&mut waiting, Waker::noop());
    assert_eq!(received, Poll::Ready(Some(Poll::Ready(Ok(2)))));
}

#[test]
fn while_a_handler_runs_a_message_of_another_path_goes_to_another_receiver() {
    let (second, of_second) = mpmc::unbounded();
    a_message_goes_to_another_receiver(second, of_second);
}

#[test]
fn while_a_handler_runs_a_rendezvous_is_with_another_receiver() {
    let (second, of_second) = mpmc::rendezvous();
    a_message_goes_to_another_receiver(second, of_second);
}

#[test]
fn while_a_source_runs_the_room_of_another_path_goes_to_another_sender() {
    let (first, of_first) = mpmc::bounded(1);
    let (second, of_second) = mpmc::bounded(1);
    first.send(0).unwrap();
    second.send(0).unwrap();
    let other = Mutex::new(second.send_async(2));
    let mut select = Select::new();
    let source = || {
        assert_eq!(of_second.recv(), Ok(0));
        assert_eq!(poll_shared(&other), Poll::Ready(Ok(())));
        Some(1)
    };
    select
        .send(&first, source, |sent| sent)
        .send(&second, || Some(3), |sent| sent);
    let mut waiting = select.wait_async();
    assert_eq!(poll(&mut waiting, Waker::noop()), Poll::Pending);
    assert_eq!(poll_shared(&other), Poll::Pending);
    assert_eq!(of_first.recv(), Ok(0));
    let sent = poll(&mut waiting, Waker::noop());
    assert_eq!(sent, Poll::Ready(Some(Ok(()))));
    assert_eq!(of_first.try_recv(), Ok(1));
}

#[test]
fn a_handler_waits_for_another_receiver_of_another_path() {
    let (first, of_first) = mpmc::unbounded();
    let (second, of_second) = mpmc::unbounded();
    let (answers, answer) = mpmc::unbounded();
    thread::scope(|scope| {
        let receiver = of_second.clone();
        let selecting = scope.spawn(|| {
            let mut select = Select::new();
            select
                .recv(&of_first, |_| {
                    second.send(2).unwrap();
                    answer.recv()
                })
                .recv(&of_second, |message| message);
            select.wait()
        });
        let sleeps = |thread: &thread::Thread| {
            let is_it = |other: &thread::Thread| other.id() == thread.id();
            waiters()
                .iter()
                .any(|waiter| waiter.thread().is_some_and(is_it))
        };
        eventually("the select sleeps", || sleeps(selecting.thread()));
        let other = scope.spawn(move || answers.send(receiver.recv().unwrap()).unwrap());
        eventually("the receiver sleeps", || sleeps(other.thread()));
        first.send(1).unwrap();
        assert_eq!(selecting.join().unwrap(), Some(Ok(2)));
    });
}

#[test]
fn a_path_without_a_message_leaves_a_select_that_listens() {
    let (first, of_first) = mpmc::bounded(1);
    let (second, of_second) = mpmc::unbounded();
    first.send(0).unwrap();
    let mut select = Select::new();
    select
        .send(&first, || None, |sent| panic!("{sent:?}"))
        .recv(&of_second, Result::ok);
    let calls = Calls::new();
    let waker = Waker::from(Arc::clone(&calls));
    let mut waiting = select.wait_async();
    assert_eq!(poll(&mut waiting, &waker), Poll::Pending);
    assert_eq!(of_first.recv(), Ok(0));
    assert_eq!(calls.count(), 1);
    // The source has nothing, and the other path has.
    assert_eq!(poll(&mut waiting, &waker), Poll::Pending);
    second.send(1).unwrap();
    assert_eq!(calls.count(), 2);
    assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Some(Some(1))));
    // The place was given back.
    first.try_send(2).unwrap();
}

/// The first path gets room after the first look at it, and has no message in the last one.
#[test]
fn a_path_without_a_message_leaves_in_the_last_look() {
    let (mut first, mut of_first) = spsc::bounded(1);
    let (second, _of_second) = mpmc::bounded(1);
    let (third, of_third) = mpmc::unbounded();
    first.send(0).unwrap();
    let makes_room = || {
        assert_eq!(of_first.recv(), Ok(0));
        None::<u32>
    };
    let mut select = Select::biased();
    select
        .send(&mut first, || None, |sent| panic!("{sent:?}"))
        .send(&second, makes_room, |sent| panic!("{sent:?}"))
        .recv(&of_third, Result::ok);
    let calls = Calls::new();
    let waker = Waker::from(Arc::clone(&calls));
    let mut waiting = select.wait_async();
    assert_eq!(poll(&mut waiting, &waker), Poll::Pending);
    third.send(1).unwrap();
    assert_eq!(calls.count(), 1);
    assert_eq!(poll(&mut waiting, &waker), Poll::Ready(Some(Some(1))));
    drop(waiting);
    assert_eq!(select.len(), 1);
}

/// While the select listens, and while it does not.
#[test]
fn a_source_that_panics_gives_the_place_back() {
    let accounts = Accounts::default();
    for listens in [false, true] {
        let (sender, receiver) = mpmc::bounded(1);
        let mut select = Select::<()>::new();
        select.send(&sender, || quiet_panic("no message"), |_| ());
        if listens {
            sender.send(accounts.message(0)).unwrap();
            let mut waiting = select.wait_async();
            assert_eq!(poll(&mut waiting, Waker::noop()), Poll::Pending);
            drop(receiver.recv().unwrap());
            let polled = catch_unwind(AssertUnwindSafe(|| poll(&mut waiting, Waker::noop())));
            assert!(polled.is_err());
        } else {
            assert!(catch_unwind(AssertUnwindSafe(|| select.wait())).is_err());
        }
        // The select is still there.
        sender.try_send(accounts.message(1)).unwrap();
        assert_eq!(select.len(), 1);
        drop(receiver);
    }
    accounts.settle();
}
