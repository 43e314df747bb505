//! Futures of channels that are polled, and then forgotten instead of dropped.

use std::future::Future;
use std::mem::forget;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use drumline::block_on;
use drumline::channel::{lanes, spsc};

/// A waker that counts its calls.
#[derive(Default)]
struct Calls(AtomicUsize);

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Polls a future that is not ready, and forgets it.
fn poll_and_forget(mut future: impl Future + Unpin) -> Arc<Calls> {
    let calls = Arc::new(Calls::default());
    let waker = Waker::from(Arc::clone(&calls));
    let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    forget(future);
    calls
}

#[test]
fn a_receive_that_was_forgotten_holds_nothing_up() {
    let (mut sender, mut receiver) = spsc::unbounded();
    for round in 0..3 {
        poll_and_forget(receiver.recv_async());
        let calls = poll_and_forget(receiver.recv_async());
        // As a task, then as a thread that sleeps.
        {
            let mut future = pin!(receiver.recv_async());
            let mut cx = Context::from_waker(Waker::noop());
            assert!(future.as_mut().poll(&mut cx).is_pending());
            sender.send(round).unwrap();
            assert_eq!(future.as_mut().poll(&mut cx), Poll::Ready(Ok(round)));
        }
        assert_eq!(calls.0.load(Ordering::SeqCst), 0);
        poll_and_forget(receiver.recv_async());
        thread::scope(|scope| {
            let receives = scope.spawn(|| receiver.recv());
            sender.send(round).unwrap();
            assert_eq!(receives.join().unwrap(), Ok(round));
        });
    }
    let calls = poll_and_forget(receiver.recv_async());
    sender.send(7).unwrap();
    assert_eq!(calls.0.load(Ordering::SeqCst), 1);
    assert_eq!(block_on(receiver.recv_async()), Ok(7));
}

#[test]
fn a_send_that_was_forgotten_holds_nothing_up() {
    let (mut sender, mut receiver) = spsc::bounded(1);
    sender.send(0).unwrap();
    poll_and_forget(sender.send_async(1));
    poll_and_forget(sender.reserve());
    poll_and_forget(sender.closed());
    thread::scope(|scope| {
        let sends = scope.spawn(|| sender.send(2));
        assert_eq!(receiver.recv(), Ok(0));
        assert_eq!(receiver.recv(), Ok(2));
        assert_eq!(sends.join().unwrap(), Ok(()));
    });
    poll_and_forget(sender.closed());
    receiver.close();
    block_on(sender.closed());
}

#[test]
fn a_receive_from_lanes_that_was_forgotten_holds_nothing_up() {
    let (mut sender, mut receiver) = lanes::unbounded();
    poll_and_forget(receiver.recv_async());
    thread::scope(|scope| {
        let receives = scope.spawn(|| receiver.recv());
        sender.send(1).unwrap();
        assert_eq!(receives.join().unwrap(), Ok(1));
    });
    poll_and_forget(receiver.recv_async());
    receiver.close();
    assert!(block_on(receiver.recv_async()).is_err());
}
