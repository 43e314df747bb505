//! Tasks that no thread waits for.

use crate::defaults;

/// Runs `task` some time later, in the pool that the current thread is in, or the global one.
///
/// Without a panic handler, a panic of the task aborts the process.
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// rayon::spawn(move || send.send(42).unwrap());
/// assert_eq!(receive.recv(), Ok(42));
/// ```
pub fn spawn<F>(task: F)
where
    F: FnOnce() + Send + 'static,
{
    defaults::describe_global();
    drop(drumline::spawn(task));
}

/// As [`spawn`], but the thread begins its tasks of this kind in the order in which it spawned
/// them. Another thread that takes some of them has an order of its own.
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// rayon::spawn_fifo(move || send.send(42).unwrap());
/// assert_eq!(receive.recv(), Ok(42));
/// ```
pub fn spawn_fifo<F>(task: F)
where
    F: FnOnce() + Send + 'static,
{
    defaults::describe_global();
    drop(drumline::spawn_fifo(task));
}
