//! Waiting for a future on a thread.

use std::future::{Future, IntoFuture};
use std::pin::pin;
use std::task::{Context, Poll, Wake, Waker};

use crate::pool::Signal;
use crate::wait::budget::{Budget, Poller};

/// Polls a future on the calling thread until it is ready.
///
/// The future need not be `Send`, and may borrow. The thread need not be in a pool.
///
/// ```
/// let name = String::from("ada");
/// let length = drumline::block_on(async { name.len() });
/// assert_eq!(length, 3);
/// ```
///
/// # Panics
///
/// Where the future does.
///
/// # Blocking
///
/// Until the future is ready; the thread sleeps while it is not. It runs nothing else meanwhile,
/// unless its pool is [told to](crate::WaitPolicy::Steal). A thread of a pool gives its place to a
/// spare, as with [`blocking`](crate::blocking()). In a pool
/// [without spares](crate::PoolBuilder::spares) that can stand still for ever: a pool of one job
/// that blocks on a task of its own has no thread left to run that task. Await there instead.
pub fn block_on<F: IntoFuture>(future: F) -> F::Output {
    let mut future = pin!(future.into_future());
    let thread = std::sync::Arc::new(ThreadWaker(Signal::new()));
    let waker = Waker::from(std::sync::Arc::clone(&thread));
    loop {
        let polled = {
            let _budget = Budget::begin(Poller::Thread);
            future.as_mut().poll(&mut Context::from_waker(&waker))
        };
        if let Poll::Ready(value) = polled {
            return value;
        }
        thread.0.wait();
        thread.0.take_back();
    }
}

/// Wakes the thread that polls.
struct ThreadWaker(Signal);

impl Wake for ThreadWaker {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.give();
    }

    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        self.0.give();
    }
}
