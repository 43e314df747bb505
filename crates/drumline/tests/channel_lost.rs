//! Reports of lost values and of memory faults in the channels of other projects. Each has a test
//! here that fails if a channel of this crate does the same. Those about selections are in
//! `channel_select_lost.rs`.
//!
//! Two more have their tests beside others of their kind: tokio #4321, about memory that a channel
//! keeps after a burst, is `the_memory_of_an_mpsc_burst_is_given_back` in `channel_memory.rs`, and
//! crossbeam #821, about threads that spin while they wait, is `waiting_threads_sleep` in the tests
//! of each kind of channel.

mod common;

use std::future::Future;
use std::sync::{Arc, Barrier, mpsc as std_mpsc};
use std::task::{Poll, Waker};
use std::thread;

use common::messages::{Accounts, Message, dawdle, poll};
use common::{Random, ends};
use drumline::block_on;
use drumline::channel::{CloseReason, lanes, mpmc, mpsc, oneshot, spsc};

/// How many times two threads meet.
const ROUNDS: usize = 2_000;

/// Polls a future that has to wait.
#[track_caller]
fn waits<F: Future + Unpin>(future: &mut F) {
    assert!(poll(future, Waker::noop()).is_pending(), "it need not wait");
}

/// kanal #63, a double free: a value that goes from the future of a send to that of a receive has
/// one owner, whichever of the two is dropped, and when. One step after the other.
#[test]
fn a_value_between_two_futures_has_one_owner() {
    let accounts = Accounts::default();
    for received_by in 0..4 {
        let (sender, receiver) = mpmc::rendezvous::<Message>();
        // The receive waits first.
        let mut receiving = receiver.recv_async();
        waits(&mut receiving);
        let mut sending = sender.send_async(accounts.message(1));
        let sent = poll(&mut sending, Waker::noop());
        match received_by {
            0 => drop(poll(&mut receiving, Waker::noop())),
            1 => drop(receiving),
            2 => {
                drop(sending);
                drop(receiving);
                let _ = receiver.try_recv();
                continue;
            }
            _ => drop(receiver.try_recv()),
        }
        drop(sent);
        drop(sending);
        let _ = receiver.try_recv();
    }
    for received_by in 0..4 {
        let (sender, receiver) = mpmc::rendezvous::<Message>();
        // The send waits first, with the value.
        let mut sending = sender.send_async(accounts.message(1));
        waits(&mut sending);
        let mut receiving = receiver.recv_async();
        match received_by {
            0 => drop(poll(&mut receiving, Waker::noop())),
            1 => drop(sending),
            2 => {
                let received = poll(&mut receiving, Waker::noop());
                drop(sending);
                drop(received);
            }
            _ => {
                drop((receiver.clone(), sender.clone()));
                drop(receiving);
                drop(receiver);
                drop(poll(&mut sending, Waker::noop()));
            }
        }
    }
    let (sender, receiver) = oneshot::channel();
    sender.send(accounts.message(1)).unwrap();
    drop(receiver);
    accounts.settle();
}

/// The same with two threads: one drops its future while the other one is about to end its own.
#[test]
fn futures_that_are_dropped_at_once_drop_a_value_once() {
    let accounts = Accounts::default();
    for capacity in [0, 1] {
        let (sender, receiver) = match capacity {
            0 => mpmc::rendezvous(),
            n => mpmc::bounded(n),
        };
        let start = Arc::new(Barrier::new(2));
        let sends = {
            let (accounts, start) = (accounts.clone(), Arc::clone(&start));
            thread::spawn(move || {
                let mut random = Random::new(63);
                for number in 0..ROUNDS {
                    start.wait();
                    let mut sending = sender.send_async(accounts.message(number));
                    for _ in 0..random.below(3) {
                        if poll(&mut sending, Waker::noop()).is_ready() {
                            break;
                        }
                        dawdle(random.below(100));
                    }
                }
            })
        };
        let mut random = Random::new(64);
        for _ in 0..ROUNDS {
            start.wait();
            let mut receiving = receiver.recv_async();
            for _ in 0..random.below(3) {
                if poll(&mut receiving, Waker::noop()).is_ready() {
                    break;
                }
                dawdle(random.below(100));
            }
        }
        sends.join().unwrap();
        drop(receiver);
        accounts.settle();
    }
}

/// Sends one value and goes, beside a receiver that waits, or is about to: what comes first out of
/// `receive` is the value, and then the end.
fn last_value_is_received<S: Send + 'static, R>(
    channel: impl Fn() -> (S, R),
    send: impl Fn(S, Message) + Clone + Send + 'static,
    receive: impl Fn(&mut R) -> Result<Message, CloseReason>,
) {
    let accounts = Accounts::default();
    let (pass, passed) = std_mpsc::channel::<(S, usize)>();
    let made = accounts.clone();
    let sends = thread::spawn(move || {
        let mut random = Random::new(70);
        for (sender, number) in passed {
            dawdle(random.below(200));
            send(sender, made.message(number));
        }
    });
    let mut random = Random::new(71);
    for number in 0..ROUNDS {
        let (sender, mut receiver) = channel();
        pass.send((sender, number)).unwrap();
        dawdle(random.below(200));
        let received = receive(&mut receiver).expect("the value was lost at the close");
        assert_eq!(received.number, number);
        assert_eq!(receive(&mut receiver).unwrap_err(), CloseReason::Finished);
    }
    drop(pass);
    sends.join().unwrap();
    accounts.settle();
}

/// crossfire #70, values that are lost at the close: a sender that sends, and then ends the
/// channel, beside a thread that waits. Each kind of channel, and both ways to wait.
#[test]
fn a_value_that_is_sent_before_the_close_is_received() {
    ends(|| {
        last_value_is_received(
            spsc::unbounded,
            |mut sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| receiver.recv().map_err(|error| error.reason()),
        );
        last_value_is_received(
            || spsc::bounded(1),
            |mut sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| block_on(receiver.recv_async()).map_err(|error| error.reason()),
        );
        last_value_is_received(
            lanes::unbounded,
            |mut sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| receiver.recv().map_err(|error| error.reason()),
        );
        last_value_is_received(
            || mpsc::bounded(1),
            |sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| receiver.recv().map_err(|error| error.reason()),
        );
        last_value_is_received(
            mpmc::unbounded,
            |sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| block_on(receiver.recv_async()).map_err(|error| error.reason()),
        );
        last_value_is_received(
            mpmc::rendezvous,
            |sender, message| {
                sender.send(message).unwrap();
                sender.finish();
            },
            |receiver| receiver.recv().map_err(|error| error.reason()),
        );
    });
}

/// The same for many senders, of which the last one ends the channel, and several receivers: all
/// values are received, each once.
#[test]
fn values_of_many_senders_are_received_before_the_end() {
    const SENDERS: usize = 4;
    ends(|| {
        for _ in 0..ROUNDS / 8 {
            let (sender, receiver) = mpmc::bounded(2);
            let start = Arc::new(Barrier::new(SENDERS));
            let senders = (0..SENDERS).map(|number| {
                let (sender, start) = (sender.clone(), Arc::clone(&start));
                thread::spawn(move || {
                    start.wait();
                    sender.send(number).unwrap();
                })
            });
            let senders: Vec<_> = senders.collect();
            drop(sender);
            let receivers = [receiver.clone(), receiver]
                .map(|receiver| thread::spawn(move || receiver.iter().collect::<Vec<_>>()));
            let mut all: Vec<usize> = Vec::new();
            for receiver in receivers {
                all.extend(receiver.join().unwrap());
            }
            senders.into_iter().for_each(|one| one.join().unwrap());
            all.sort_unstable();
            assert_eq!(all, Vec::from_iter(0..SENDERS));
        }
    });
}

/// A poll that is ready after the close has the value, not the end.
#[test]
fn a_receive_that_waits_gets_the_value_and_not_the_end() {
    let (sender, mut receiver) = mpsc::unbounded();
    let mut receiving = receiver.recv_async();
    waits(&mut receiving);
    sender.send(1).unwrap();
    sender.finish();
    assert_eq!(poll(&mut receiving, Waker::noop()), Poll::Ready(Ok(1)));
    drop(receiving);
    assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Finished);
}
