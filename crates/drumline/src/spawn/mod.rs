//! Tasks: closures and futures that outlive the frame that made them.
//!
//! | file | noun |
//! |---|---|
//! | `handle` | what the program holds |
//! | `task` | what the queues hold of a closure; of a future it is [`crate::future`] |

mod handle;
#[cfg(doctest)]
mod promises;
mod task;

pub use handle::{AbortOnDrop, JoinHandle};

use std::future::Future;

use crate::future::{self, PoolHome};
use crate::pool::{self, Pool, Registry, SharedRegistry, local};
use task::Task;

/// Starts a task that runs some time from now, on some thread of the pool.
///
/// In a thread of a pool, that pool runs it; elsewhere the global pool does. A
/// thread runs the newest of its tasks first, as a rule: one in 244 at most is the oldest, if that
/// has waited for long, so that tasks that spawn what they wait for keep no other waiting for ever.
/// Other threads take the oldest, several at once from a long queue. What threads outside of the
/// pool spawn is begun in the order in which it was spawned.
///
/// The handle gets the value or the panic. If the handle of a task is dropped, the task is detached
/// and runs all the same. A pool has no workers if no thread could be created. Then the task runs
/// on the calling thread, at the latest when its outermost call into the pool returns.
///
/// ```
/// let (send, receive) = std::sync::mpsc::channel();
/// drumline::spawn(move || send.send("hello"));
/// assert_eq!(receive.recv(), Ok("hello"));
/// ```
///
/// # Panics
///
/// In a forked child, inside a pool of the parent.
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_here(f, false)
}

/// As [`spawn`], but a thread runs its tasks of this kind in the order in
/// which it spawned them.
///
/// ```
/// let tasks: Vec<_> = (0..4).map(|n| drumline::spawn_fifo(move || n * n)).collect();
/// let squares: Vec<_> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
/// assert_eq!(squares, [0, 1, 4, 9]);
/// ```
///
/// # Panics
///
/// As [`spawn`].
pub fn spawn_fifo<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    spawn_here(f, true)
}

/// Starts a future: a task that waits without holding a thread.
///
/// In a thread of a pool, that pool polls it; elsewhere the global pool does. The future is first
/// polled some time from now, as a closure made by [`spawn`] would be run. When it is woken, it is
/// queued again. A future that is woken by a job of a worker is polled by that worker next, as a
/// rule. A poll that blocks or computes for long holds up no other task: idle threads take what
/// waits behind it. Announce what blocks with [`blocking`](crate::blocking()), as in any job.
///
/// There is no I/O in Drumline. Futures that need another runtime's reactor or timers must find it,
/// as on any foreign executor; [`task::sleep`](crate::task::sleep) works everywhere.
///
/// The future is dropped on a thread of its pool, when it is ready, when it has been
/// [aborted](JoinHandle::abort), when nothing is left that could wake it, or when the pool ends.
///
/// ```
/// let answer = drumline::spawn_future(async {
///     let half = drumline::spawn(|| 21); // computes on any thread of the pool
///     half.await.unwrap() * 2
/// });
/// assert_eq!(answer.join().unwrap(), 42);
/// ```
///
/// # Panics
///
/// In a forked child, inside a pool of the parent.
pub fn spawn_future<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let registry = local::seat().map_or_else(pool::global_registry, |seat| seat.registry());
    spawn_future_in(Registry::share(registry), future)
}

impl Pool {
    /// [`spawn_future`](crate::spawn_future()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let task = pool.spawn_future(async { 1 + 1 });
    /// assert_eq!(task.join().unwrap(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_future<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        spawn_future_in(SharedRegistry::clone(self.registry()), future)
    }

    /// [`spawn`](crate::spawn()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let task = pool.spawn(|| 1 + 1);
    /// drop(pool); // finishes what was spawned
    /// assert_eq!(task.join().unwrap(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn<F, T>(&self, f: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(SharedRegistry::clone(self.registry()), f, false)
    }

    /// [`spawn_fifo`](crate::spawn_fifo()) in this pool.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(pool.spawn_fifo(|| 1 + 1).join().unwrap(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// In a forked child.
    pub fn spawn_fifo<F, T>(&self, f: F) -> JoinHandle<T>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        spawn_in(SharedRegistry::clone(self.registry()), f, true)
    }
}

fn spawn_here<F, T>(f: F, fifo: bool) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let registry = local::seat().map_or_else(pool::global_registry, |seat| seat.registry());
    spawn_in(Registry::share(registry), f, fifo)
}

pub(crate) fn spawn_in<F, T>(registry: SharedRegistry, f: F, fifo: bool) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    registry.forbid_fork();
    let task = Task::new(f);
    let ticket = task.ticket();
    let queue = pool::submit(&registry, ticket, fifo);
    JoinHandle::of_closure(registry, task, queue)
}

pub(crate) fn spawn_future_in<F>(registry: SharedRegistry, future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    registry.forbid_fork();
    // SAFETY: neither the future nor its output borrows anything.
    let handle = unsafe { future::spawn(future, PoolHome(SharedRegistry::clone(&registry))) };
    JoinHandle::of_future(registry, handle)
}

/// Starts a detached task that is [long-lived](pool::submit_long_lived). To be called only while
/// the pool is kept open for it.
pub(crate) fn spawn_long_lived(registry: SharedRegistry, f: impl FnOnce() + Send + 'static) {
    registry.forbid_fork();
    let task = Task::new(f);
    // Before it can begin: so a panic is reported by the thread that runs it.
    task::detach(&registry, &*task);
    pool::submit_long_lived(&registry, task.ticket());
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier};

    use crate::sync::XorShift;
    use crate::{JoinHandle, Pool, join, spawn, spawn_fifo, yield_now};

    /// More than the spent tickets that a queue keeps, and than what lies near its ends.
    const MOST: usize = 64 + 2 * 64;

    /// Drains the handles in any order.
    fn in_any_order(
        handles: &mut Vec<JoinHandle<u64>>,
        random: &XorShift,
    ) -> Option<JoinHandle<u64>> {
        (!handles.is_empty()).then(|| handles.swap_remove(random.below(handles.len())))
    }

    /// The caller has the only place, so no other thread takes tickets from its queue.
    #[test]
    fn tickets_of_joined_tasks_do_not_pile_up() {
        let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
        pool.install(|| {
            let random = XorShift::new(3);
            let kept = spawn(|| 1);
            for round in 0..if cfg!(miri) { 5 } else { 500 } {
                let spawn_one = |n| match (n + round) % 3 {
                    0 => spawn_fifo(move || n),
                    _ => spawn(move || n),
                };
                let mut handles: Vec<_> = (0..64).map(spawn_one).collect();
                let mut sum = 0;
                while let Some(handle) = in_any_order(&mut handles, &random) {
                    sum += handle.join().unwrap();
                }
                assert_eq!(sum, 63 * 64 / 2);
                let depth = pool.stats().queue_depth;
                assert!(depth <= MOST, "{depth} in round {round}");
            }
            assert_eq!(kept.join().unwrap(), 1);
        });
    }

    /// The handles go to another thread than the one that spawned.
    #[test]
    fn tickets_in_the_queue_of_another_thread_do_not_pile_up() {
        let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
        pool.install(|| {
            for round in 0..if cfg!(miri) { 5 } else { 100 } {
                let mut handles: Vec<_> = (0..64).map(|n| spawn(move || n)).collect();
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        let random = XorShift::new(round);
                        while let Some(handle) = in_any_order(&mut handles, &random) {
                            handle.join().unwrap();
                        }
                    });
                });
                let depth = pool.stats().queue_depth;
                assert!(depth <= MOST, "{depth} in round {round}");
            }
        });
    }

    /// A thread outside spawns and aborts while the only place is taken. The jobs that are left run
    /// in their order.
    #[test]
    fn tickets_of_aborted_tasks_do_not_pile_up() {
        let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
        let random = XorShift::new(7);
        let (begun, is_over) = (Arc::new(Barrier::new(2)), Arc::new(AtomicBool::new(false)));
        let holder = pool.spawn({
            let (begun, is_over) = (Arc::clone(&begun), Arc::clone(&is_over));
            move || {
                begun.wait();
                while !is_over.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
            }
        });
        begun.wait();
        let last = Arc::new(AtomicUsize::new(0));
        let mut kept = Vec::new();
        for round in 0..if cfg!(miri) { 2 } else { 50 } {
            let last = Arc::clone(&last);
            kept.push(pool.spawn(move || assert_eq!(last.fetch_add(1, Ordering::Relaxed), round)));
            let mut handles: Vec<_> = (0..640).map(|n| pool.spawn(move || n)).collect();
            while let Some(handle) = in_any_order(&mut handles, &random) {
                assert!(handle.cancel().is_ok());
            }
            let depth = pool.stats().queue_depth;
            assert!(depth <= MOST + 2 * kept.len(), "{depth} in round {round}");
        }
        is_over.store(true, Ordering::Release);
        holder.join().unwrap();
        for task in kept {
            while !task.is_finished() {
                std::thread::yield_now();
            }
            task.join().unwrap();
        }
        pool.shutdown().unwrap();
    }

    #[test]
    fn on_a_system_that_refuses_the_barrier() {
        for (jobs, guests) in [(1, true), (2, true), (1, false), (2, false), (8, true)] {
            let pool = Pool::builder()
                .jobs(jobs)
                .guests(guests)
                .refuse_barrier()
                .build()
                .unwrap();
            let sum: u32 = pool.install(|| {
                let tasks: Vec<_> = (0..1_000)
                    .map(|n| spawn(move || join(move || n, || 1)))
                    .collect();
                let detached = spawn(|| ());
                while !detached.is_finished() {
                    yield_now();
                }
                tasks
                    .into_iter()
                    .map(|task| task.join().unwrap())
                    .map(|(n, one)| n + one)
                    .sum()
            });
            assert_eq!(sum, 500_500);
            let task = pool.spawn(|| spawn(|| 3).join().unwrap());
            assert_eq!(task.join().unwrap(), 3);
            pool.shutdown().unwrap();
        }
    }
}
