//! Channels for one message.

mod common;

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Calls, dawdle, panicking_waker, poll, waker};
use common::{Random, ends, quiet_panic};
use drumline::channel::oneshot::{self, Receiver, Sender};
use drumline::channel::{CloseReason, RecvTimeoutError, SendError, TryRecvError};

#[test]
fn the_message_comes() {
    for round in 0..2_000 {
        let (sender, receiver) = oneshot::channel();
        let sending = thread::spawn(move || {
            dawdle(round % 200 * 20);
            sender.send(round)
        });
        dawdle(round % 170 * 20);
        assert_eq!(receiver.recv(), Ok(round));
        assert_eq!(sending.join().unwrap(), Ok(()));
    }
}

#[test]
fn the_receiver_is_told_why() {
    type Ends = fn(Sender<u32>);
    let ways: [(Ends, CloseReason); 2] = [
        (drop, CloseReason::Dropped),
        (
            |_sender| quiet_panic("the sender panics"),
            CloseReason::Panicked,
        ),
    ];
    for round in 0..400 {
        let (end, reason) = ways[round % 2];
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || {
            dawdle(round as u64 * 10);
            end(sender);
        });
        if round % 4 < 2 {
            assert_eq!(receiver.recv().unwrap_err().reason(), reason);
            let _ = sending.join();
        } else {
            let _ = sending.join();
            assert!(receiver.is_ready());
            assert_eq!(receiver.try_recv(), Err(TryRecvError::Closed(reason)));
            assert_eq!(drumline::block_on(receiver).unwrap_err().reason(), reason);
        }
    }
}

/// The receiver ends at a random moment. The message is received, dropped or given back.
#[test]
fn an_end_of_the_receiver_loses_no_message() {
    let mut random = Random::new(11);
    for round in 0..3_000 {
        let accounts = Accounts::default();
        let (sender, mut receiver) = oneshot::channel();
        let message = accounts.message(7);
        let wait = random.below(400);
        let sending = thread::spawn(move || {
            dawdle(wait);
            sender.send(message).map_err(|SendError(back)| back.number)
        });
        dawdle(random.below(3_000));
        match round % 4 {
            0 => {
                drop(receiver);
                assert!(matches!(sending.join().unwrap(), Ok(()) | Err(7)));
            }
            1 => {
                receiver.close();
                let received = receiver.try_recv().map(|message| message.number);
                match sending.join().unwrap() {
                    Ok(()) => assert_eq!(received, Ok(7)),
                    Err(back) => {
                        let closed = TryRecvError::Closed(CloseReason::ClosedByReceiver);
                        assert_eq!((back, received), (7, Err(closed)));
                    }
                }
            }
            2 => {
                // Polled, and dropped while it is listed.
                let _ = poll(&mut receiver, Waker::noop());
                drop(receiver);
                assert!(matches!(sending.join().unwrap(), Ok(()) | Err(7)));
            }
            _ => {
                let early = receiver.recv_timeout(Duration::from_nanos(wait));
                match early.map(|message| message.number) {
                    Ok(number) => assert_eq!(number, 7),
                    Err(error) => {
                        assert_eq!(error, RecvTimeoutError::Timeout);
                        assert_eq!(receiver.recv().unwrap().number, 7);
                    }
                }
                assert_eq!(sending.join().unwrap(), Ok(()));
            }
        }
        accounts.settle();
    }
}

/// After the message was received it is "finished", whatever is asked.
#[test]
fn it_is_received_once() {
    let accounts = Accounts::default();
    let (sender, mut receiver) = oneshot::channel();
    assert_eq!(receiver.try_recv().map(drop), Err(TryRecvError::Empty));
    assert!(!receiver.is_ready() && !sender.is_closed());
    sender.send(accounts.message(1)).unwrap();
    assert!(receiver.is_ready());
    receiver.close();
    assert!(
        matches!(poll(&mut receiver, Waker::noop()), Poll::Ready(Ok(message)) if message.number == 1)
    );
    accounts.settle();
    for _ in 0..2 {
        let finished = TryRecvError::Closed(CloseReason::Finished);
        assert_eq!(receiver.try_recv().map(drop), Err(finished));
        match poll(&mut receiver, Waker::noop()) {
            Poll::Ready(Err(error)) => assert_eq!(error.reason(), CloseReason::Finished),
            _ => panic!("it waits for a second message"),
        }
        let late = receiver.recv_deadline(Instant::now()).map(drop);
        assert_eq!(late, Err(RecvTimeoutError::Closed(CloseReason::Finished)));
        receiver.close();
    }
    drop(receiver);
    accounts.settle();
}

/// The waker of the last poll is called, once, and none is kept.
#[test]
fn only_the_last_waker_is_called() {
    let (first, second) = (Calls::new(), Calls::new());
    let (sender, mut receiver) = oneshot::channel();
    for _ in 0..3 {
        for calls in [&first, &second] {
            let waker = Waker::from(Arc::clone(calls));
            assert!(poll(&mut receiver, &waker).is_pending());
            assert!(poll(&mut receiver, &waker).is_pending());
        }
    }
    assert_eq!(
        Arc::strong_count(&first),
        1,
        "a waker is kept that was replaced"
    );
    sender.send(1).unwrap();
    assert_eq!((first.count(), second.count()), (0, 1));
    assert_eq!(Arc::strong_count(&second), 1);
    assert_eq!(poll(&mut receiver, Waker::noop()), Poll::Ready(Ok(1)));
    assert_eq!((first.count(), second.count()), (0, 1));
}

#[test]
fn a_receiver_that_is_dropped_keeps_no_waker() {
    let calls = Calls::new();
    let (sender, mut receiver) = oneshot::channel();
    assert!(poll(&mut receiver, &Arc::clone(&calls).into()).is_pending());
    drop(receiver);
    assert_eq!(Arc::strong_count(&calls), 1);
    assert_eq!(sender.send(1), Err(SendError(1)));
    assert_eq!(calls.count(), 0);
    // Nor one that blocks instead.
    let (sender, mut receiver) = oneshot::channel();
    assert!(poll(&mut receiver, &Arc::clone(&calls).into()).is_pending());
    assert!(receiver.recv_timeout(Duration::ZERO).is_err());
    assert_eq!(Arc::strong_count(&calls), 1);
    sender.send(1).unwrap();
    assert_eq!((calls.count(), receiver.recv()), (0, Ok(1)));
}

/// Polled as a future through a reference, then by a thread, then as a future again.
#[test]
fn a_receiver_is_used_in_all_ways_in_turn() {
    let (sender, mut receiver) = oneshot::channel();
    let mut calls = Vec::new();
    for _ in 0..3 {
        let call = Calls::new();
        assert!(poll(&mut &mut receiver, &Arc::clone(&call).into()).is_pending());
        assert_eq!(
            receiver.recv_timeout(Duration::from_micros(100)),
            Err(RecvTimeoutError::Timeout)
        );
        calls.push(call);
    }
    let sending = thread::spawn(move || sender.send(5));
    assert_eq!(receiver.recv_timeout(Duration::MAX), Ok(5));
    sending.join().unwrap().unwrap();
    assert!(calls.iter().all(|call| call.count() == 0));
}

#[test]
fn closed_waits_for_the_end_of_the_receiver() {
    for round in 0..600 {
        let (mut sender, mut receiver) = oneshot::channel::<u32>();
        let closing = thread::spawn(move || {
            dawdle(round * 5);
            match round % 2 {
                0 => drop(receiver),
                _ => {
                    receiver.close();
                    let closed = receiver.recv().unwrap_err().reason();
                    assert_eq!(closed, CloseReason::ClosedByReceiver);
                }
            }
        });
        drumline::block_on(sender.closed());
        assert!(sender.is_closed());
        assert_eq!(sender.send(1), Err(SendError(1)));
        closing.join().unwrap();
    }
}

/// A thread that waits for a message sleeps in the kernel.
#[cfg(target_os = "linux")]
#[test]
fn a_waiting_thread_sleeps() {
    let (sender, receiver) = oneshot::channel();
    let thread = thread::Builder::new().name("oneshot-waits".into());
    let receiving = thread.spawn(move || receiver.recv()).unwrap();
    common::threads::wait_until_asleep("oneshot-waits", 1, Duration::from_millis(20));
    sender.send(1).unwrap();
    assert_eq!(receiving.join().unwrap(), Ok(1));
}

/// A future of `closed` that is dropped leaves no waker, and the sender can be used.
#[test]
fn closed_may_be_dropped() {
    let calls = Calls::new();
    let (mut sender, receiver) = oneshot::channel();
    for _ in 0..3 {
        let mut closed = pin!(sender.closed());
        let waker = Waker::from(Arc::clone(&calls));
        for _ in 0..2 {
            let polled = closed.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
        }
    }
    let mut closed = Box::pin(sender.closed());
    let waker = Waker::from(Arc::clone(&calls));
    assert!(
        closed
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_pending()
    );
    drop((closed, waker));
    assert_eq!(Arc::strong_count(&calls), 1, "a waker is kept");
    sender.send(1).unwrap();
    assert_eq!((receiver.recv(), calls.count()), (Ok(1), 0));
}

/// A task that is polled by the very call that wakes it.
#[test]
fn wakers_may_poll_at_once() {
    let (sender, receiver) = oneshot::channel();
    let received = Arc::new(AtomicUsize::new(0));
    let task = Arc::new(std::sync::Mutex::new(receiver));
    let waker = waker({
        let (task, received) = (Arc::clone(&task), Arc::clone(&received));
        move || match poll(&mut *task.lock().unwrap(), Waker::noop()) {
            Poll::Ready(message) => received.store(message.unwrap(), Ordering::SeqCst),
            Poll::Pending => panic!("woken too early"),
        }
    });
    assert!(poll(&mut *task.lock().unwrap(), &waker).is_pending());
    sender.send(3).unwrap();
    assert_eq!(received.load(Ordering::SeqCst), 3);
}

#[test]
fn a_waker_that_panics_takes_nothing_along() {
    let accounts = Accounts::default();
    let (sender, mut receiver) = oneshot::channel();
    assert!(poll(&mut receiver, &panicking_waker()).is_pending());
    let message = accounts.message(1);
    let sent = catch_unwind(AssertUnwindSafe(|| sender.send(message)));
    assert!(matches!(sent, Ok(Ok(())) | Err(_)));
    assert_eq!(receiver.recv().unwrap().number, 1);
    accounts.settle();

    let (sender, mut receiver) = oneshot::channel::<u32>();
    assert!(poll(&mut receiver, &panicking_waker()).is_pending());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(sender)));
    assert_eq!(receiver.recv().unwrap_err().reason(), CloseReason::Dropped);
}

/// A future that is leaked, with its waker, does not keep the channel from its work.
#[test]
fn closed_may_be_leaked() {
    ends(|| {
        let (mut sender, receiver) = oneshot::channel::<u32>();
        for _ in 0..3 {
            let mut closed = Box::pin(sender.closed());
            let polled = closed
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending());
            std::mem::forget(closed);
        }
        sender.send(1).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
    });
}

#[test]
fn deadlines_at_the_edges() {
    let (sender, mut receiver) = oneshot::channel();
    for time in [
        Duration::ZERO,
        Duration::from_nanos(1),
        Duration::from_micros(100),
    ] {
        assert_eq!(receiver.recv_timeout(time), Err(RecvTimeoutError::Timeout));
    }
    let past = Instant::now();
    assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
    sender.send([1; 300]).unwrap();
    assert_eq!(receiver.recv_deadline(past), Ok([1; 300]));
    let (sender, mut receiver) = oneshot::channel();
    let sending = thread::spawn(move || sender.send(()));
    assert_eq!(
        receiver.recv_timeout(Duration::from_secs(u64::MAX / 4)),
        Ok(())
    );
    sending.join().unwrap().unwrap();
}

#[test]
fn ends_may_be_sent() {
    fn is_send<T: Send>(_: &T) {}
    fn is_unpin<T: Unpin>() {}
    let (mut sender, receiver) = oneshot::channel::<std::cell::Cell<u32>>();
    is_send(&sender);
    is_send(&receiver);
    is_send(&sender.closed());
    is_unpin::<Receiver<std::marker::PhantomPinned>>();
    assert!(size_of::<Sender<[u64; 9]>>() <= 16 && size_of::<Receiver<[u64; 9]>>() <= 16);
}
