//! One sending end of a lane for many threads.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::messages::Accounts;
use common::{ends, eventually, pool, quiet_panic};
use drumline::channel::spsc::{self, SharedSender};
use drumline::channel::{CloseReason, SendError, TrySendError, WaitingFor, waiters};

#[test]
fn messages_of_many_threads_come_in_the_order_of_each() {
    for capacity in [1, 3, usize::MAX] {
        ends(move || {
            let (sender, mut receiver) = match capacity {
                usize::MAX => spsc::unbounded(),
                _ => spsc::bounded(capacity),
            };
            let sender = sender.into_shared();
            for from in 0..8 {
                let sender = sender.clone();
                thread::spawn(move || {
                    for number in 0..500 {
                        if number % 3 == 0 {
                            let mut message = (from, number);
                            while let Err(error) = sender.try_send(message) {
                                assert!(matches!(error, TrySendError::Full(_)));
                                message = error.into_inner();
                                thread::yield_now();
                            }
                        } else {
                            sender.send((from, number)).unwrap();
                        }
                    }
                    sender.finish();
                });
            }
            sender.finish();
            let mut next = [0; 8];
            for (from, number) in receiver.iter() {
                assert_eq!(number, next[from]);
                next[from] += 1;
            }
            assert_eq!(next, [500; 8]);
            assert_eq!(receiver.close_reason(), Some(CloseReason::Finished));
        });
    }
}

#[test]
fn the_gravest_reason_counts() {
    fn reason(end: impl FnOnce(SharedSender<u8>)) -> Option<CloseReason> {
        let (sender, mut receiver) = spsc::unbounded();
        let sender = sender.into_shared();
        let others = [sender.clone(), sender.clone()];
        end(sender);
        assert_eq!(receiver.close_reason(), None, "others are left");
        others.into_iter().for_each(SharedSender::finish);
        assert!(receiver.recv().is_err());
        receiver.close_reason()
    }
    assert_eq!(reason(SharedSender::finish), Some(CloseReason::Finished));
    assert_eq!(reason(drop), Some(CloseReason::Dropped));
    let panics = |sender| {
        let thread = thread::spawn(move || {
            let _held: SharedSender<u8> = sender;
            quiet_panic("the sender panics");
        });
        assert!(thread.join().is_err());
    };
    assert_eq!(reason(panics), Some(CloseReason::Panicked));
}

#[test]
fn messages_come_back_when_the_receiver_is_gone() {
    ends(|| {
        let accounts = Accounts::default();
        let (sender, receiver) = spsc::bounded(1);
        let sender = sender.into_shared();
        sender.send(accounts.message(0)).unwrap();
        assert!(matches!(
            sender.try_send(accounts.message(1)),
            Err(TrySendError::Full(_))
        ));
        let waiting: Vec<_> = (2..5)
            .map(|number| {
                let (sender, message) = (sender.clone(), accounts.message(number));
                thread::spawn(move || {
                    let SendError(back) = sender.send(message).unwrap_err();
                    assert_eq!(back.number, number);
                })
            })
            .collect();
        eventually("one waits for room", || {
            let is_here = |location: &std::panic::Location<'_>| location.file() == file!();
            waiters().iter().any(|waiter| {
                waiter.waiting_for() == WaitingFor::Capacity && is_here(waiter.location())
            })
        });
        // It has the lock meanwhile, which is not asked for here.
        assert_eq!(
            (sender.len(), sender.is_empty(), sender.is_closed()),
            (1, false, false)
        );
        // And the channel is full.
        assert!(matches!(
            sender.try_send(accounts.message(5)),
            Err(TrySendError::Full(_))
        ));
        drop(receiver);
        // Also while the one that waits has not noticed.
        assert!(matches!(
            sender.try_send(accounts.message(7)),
            Err(TrySendError::Closed(_))
        ));
        waiting
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        assert!(sender.is_closed());
        assert!(sender.send(accounts.message(6)).is_err());
        drop(sender);
        accounts.settle();
    });
}

/// Jobs that wait for the one that waits for room are replaced like that one.
#[test]
fn jobs_that_wait_for_the_lock_are_replaced() {
    ends(|| {
        let pool = pool(1);
        let (sender, mut receiver) = spsc::bounded(1);
        let sender = sender.into_shared();
        let sent = Arc::new(AtomicUsize::new(0));
        let senders: Vec<_> = (0..4)
            .map(|number| {
                let (sender, sent) = (sender.clone(), Arc::clone(&sent));
                pool.spawn(move || {
                    sender.send(number).unwrap();
                    sent.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        drop(sender);
        let receiver = pool.spawn(move || receiver.iter().sum::<u32>());
        assert_eq!(receiver.join().unwrap(), 6);
        senders.into_iter().for_each(|job| job.join().unwrap());
        assert_eq!(sent.load(Ordering::SeqCst), 4);
    });
}
