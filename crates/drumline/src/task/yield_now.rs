//! Letting other tasks run.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::wait::budget;

/// Lets other tasks run: the task goes behind all that are queued on this thread, closures and
/// futures.
///
/// A thread that waits in a scope, or in [`block_on`](crate::block_on()), runs nothing else: there
/// a future that yields comes after the other jobs of that scope only. What the thread has queued
/// in its pool is for other threads, and in a pool of one job, which has no other thread, for
/// later.
///
/// Not to be confused with the function [`drumline::yield_now`](crate::yield_now()), which runs
/// another job on top of the caller's stack.
///
/// ```
/// let task = drumline::spawn_future(async {
///     for _ in 0..3 {
///         drumline::task::yield_now().await;
///     }
/// });
/// task.join().unwrap();
/// ```
///
/// # Cancellation
///
/// A future that is dropped before it is ready leaves nothing behind.
pub fn yield_now() -> YieldNow {
    YieldNow { has_yielded: false }
}

/// The future of [`yield_now`].
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct YieldNow {
    has_yielded: bool,
}

impl Future for YieldNow {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.has_yielded, true) {
            return Poll::Ready(());
        }
        budget::yield_task(cx.waker());
        Poll::Pending
    }
}
