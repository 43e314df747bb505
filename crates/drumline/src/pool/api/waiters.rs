//! Which threads and tasks of a pool wait at an end of a channel.

use super::handle::Pool;
use crate::wait::{Waiter, waiters_of};

impl Pool {
    /// What of this pool waits at an end of a channel now: its threads that sleep there, guests
    /// included, and its tasks with a pending future there. What has waited longest comes first.
    ///
    /// The part of [`channel::waiters`](crate::channel::waiters) that belongs to this pool; see
    /// there. A thread that has called from one pool into another belongs to both.
    ///
    /// ```
    /// use drumline::channel::{WaitingFor, spsc};
    ///
    /// let pool = drumline::Pool::builder().jobs(1).build()?;
    /// let (mut sender, mut receiver) = spsc::unbounded::<u32>();
    /// let task = pool.spawn_future(async move { receiver.recv_async().await });
    /// let waiter = loop {
    ///     if let Some(waiter) = pool.waiters().pop() {
    ///         break waiter;
    ///     }
    ///     std::thread::yield_now();
    /// };
    /// assert_eq!(waiter.waiting_for(), WaitingFor::Message);
    /// assert!(waiter.thread().is_none(), "it is a task");
    /// assert_eq!(waiter.location().file(), file!());
    /// sender.send(7)?;
    /// assert_eq!(task.join().unwrap(), Ok(7));
    /// assert!(pool.waiters().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    #[must_use]
    pub fn waiters(&self) -> Vec<Waiter> {
        self.registry().forbid_fork();
        waiters_of(Some(self.registry().id()))
    }
}
