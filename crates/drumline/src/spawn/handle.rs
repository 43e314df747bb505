//! The handle of a spawned task.

use std::fmt;
use std::thread;

use super::task::{self, Joint, TaskOutcome};
use crate::latch::{Sleeper, TaskState, TaskWord};
use crate::pool::stack_room::StackRoom;
use crate::pool::waiting::{self, Awaited};
use crate::pool::{Registry, SharedRegistry, guest, local};
use crate::sync::Arc;

/// A spawned task, to be joined or left alone.
///
/// Made by [`spawn`](crate::spawn()) and its kin. Dropping the handle *detaches*
/// the task: it runs all the same, its value is dropped, and its panic goes
/// to the pool's panic handler.
///
/// A handle may outlive the handle of its pool: dropping a pool lets it
/// finish everything that was spawned.
///
/// ```
/// let task = drumline::spawn(|| 6 * 7);
/// assert_eq!(task.join().unwrap(), 42);
/// ```
pub struct JoinHandle<T: Send + 'static> {
    /// `None` once it has been joined.
    task: Option<Arc<dyn Joint<T>>>,
    registry: SharedRegistry,
}

impl<T: Send + 'static> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

impl<T: Send + 'static> JoinHandle<T> {
    pub(super) fn new(registry: SharedRegistry, task: Arc<dyn Joint<T>>) -> Self {
        JoinHandle {
            task: Some(task),
            registry,
        }
    }

    /// Returns the value of the task, or the payload of its panic.
    ///
    /// A task that nobody has begun is *taken back* and runs here and now, on
    /// the caller's stack. This works for threads of the task's pool, and for
    /// threads outside if the pool takes guests, and as long as there is room on
    /// the stack: with less than a quarter left (or 256 KiB, but never more
    /// than half) the task is left to another thread. So a chain of tasks, each of
    /// which joins the one before, may be longer than any stack.
    ///
    /// ```
    /// let good = drumline::spawn(|| "value");
    /// let bad = drumline::spawn(|| panic!("no value"));
    /// assert_eq!(good.join().unwrap(), "value");
    /// assert_eq!(bad.join().unwrap_err().downcast_ref(), Some(&"no value"));
    /// ```
    ///
    /// # Errors
    ///
    /// If the task panicked, with the payload.
    ///
    /// # Panics
    ///
    /// In a forked child, if the task had not ended before the fork.
    ///
    /// # Blocking
    ///
    /// Until the task has ended. While another thread runs it, the caller
    /// helps with what the task forks, and runs nothing else.
    pub fn join(mut self) -> thread::Result<T> {
        let registry = &*self.registry;
        let done = self.is_finished();
        if !done {
            registry.forbid_fork();
        }
        let task = self.task.take().expect("joined once");
        if done {
            // SAFETY: done; the handle has not been detached, and is gone
            // after this.
            return unsafe { task.take_outcome() };
        }
        let is_inside = local::find(registry).is_some();
        if registry.has_guests() || is_inside {
            let room = StackRoom::find();
            // Without room a worker runs it, or whoever takes the place of one.
            if (room.is_some() || registry.workers() == 0)
                && let Some(outcome) = take_back(registry, &task)
            {
                return outcome;
            }
        }
        let running = Running(task.word());
        if is_inside || !registry.is_fixed() {
            waiting::wait_in(registry, &running);
        } else {
            // As a guest it would have one of the seats, which the task may need.
            waiting::block_on(&running);
        }
        // SAFETY: done; the handle has not been detached, and is gone after
        // this.
        unsafe { task.take_outcome() }
    }

    /// Whether the task has ended, so that [`join`](Self::join) would not wait.
    ///
    /// ```
    /// let task = drumline::spawn(|| ());
    /// while !task.is_finished() {
    ///     std::thread::yield_now();
    /// }
    /// task.join().unwrap();
    /// ```
    pub fn is_finished(&self) -> bool {
        self.task
            .as_ref()
            .is_none_or(|task| task.word().progress() == TaskState::Done)
    }
}

/// Runs the task here and now, if nobody has begun it.
fn take_back<T>(registry: &Registry, task: &Arc<dyn Joint<T>>) -> Option<TaskOutcome<T>> {
    guest::enter(registry, |seat| {
        let _open = seat.is_permanent().then(|| registry.keep_open());
        if !task.word().take_back() {
            return None;
        }
        // The common case of a task that is joined where it was spawned leaves
        // no ticket for others to stumble over.
        let address = task.address();
        if seat.queue().withdraw(address) || registry.injector().withdraw(address) {
            // SAFETY: `ticket` counted this reference; the ticket is out of its
            // queue, so nobody else drops it.
            unsafe { Arc::decrement_strong_count(Arc::as_ptr(task)) };
        }
        // SAFETY: `take_back` was won.
        Some(unsafe { task.run_here() })
    })
}

impl<T: Send + 'static> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            task::detach(&self.registry, &*task);
        }
    }
}

/// A task that its handle waits for.
struct Running<'a>(&'a TaskWord);

impl Awaited for Running<'_> {
    fn is_done(&self) -> bool {
        self.0.progress() == TaskState::Done
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        match self.0.progress() {
            TaskState::Running(seat) => visit(seat),
            TaskState::Queued | TaskState::Done => false,
        }
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.0.progress() == TaskState::Running(seat)
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.0.watch(sleeper)
    }
}
