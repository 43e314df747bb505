//! The handle of a spawned task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use super::task::{self, Joint, TaskOutcome};
use crate::future::{FutureHandle, JoinError};
use crate::latch::{Sleeper, TaskState, Watcher};
use crate::pool::stack_room::StackRoom;
use crate::pool::waiting::{self, Awaited};
use crate::pool::{self, QueuedIn, Registry, SharedRegistry, guest, local};
use crate::sync::Arc;
use crate::unwind;
use crate::wait::budget;

/// A spawned task: a closure or a future, to be joined, awaited or left alone.
///
/// Made by [`spawn`](crate::spawn()), [`spawn_future`](crate::spawn_future()) and their kin. A
/// thread waits for the outcome with [`join`](Self::join). A future awaits the handle, on any
/// executor: this is how a program hands work that computes from its async runtime to Drumline.
///
/// Dropping the handle *detaches* the task: it runs all the same, its value is dropped, and its
/// panic goes to the pool's panic handler. [`abort_on_drop`](Self::abort_on_drop) changes that.
///
/// A handle may outlive the handle of its pool: dropping a pool lets it finish every closure that
/// was spawned. A future that is not ready then is dropped ([`JoinError::Shutdown`]).
///
/// ```
/// let task = drumline::spawn(|| 6 * 7);
/// assert_eq!(task.join().unwrap(), 42);
///
/// let task = drumline::spawn(|| 6 * 7);
/// let awaited = drumline::block_on(async { task.await.unwrap() + 1 });
/// assert_eq!(awaited, 43);
/// ```
///
/// # Cancellation
///
/// A poll of the handle takes nothing but the outcome that it returns. So a `&mut` handle can be
/// awaited in a `select`, and again after that.
pub struct JoinHandle<T: Send + 'static> {
    /// `None` once the outcome has been taken.
    task: Option<AnyTask<T>>,
    registry: SharedRegistry,
    /// Where the ticket of a closure was put.
    queue: QueuedIn,
}

/// The task of a handle.
enum AnyTask<T> {
    Closure(Arc<dyn Joint<T>>),
    Future(FutureHandle<T>),
}

impl<T: Send + 'static> fmt::Debug for JoinHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JoinHandle")
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

impl<T: Send + 'static> JoinHandle<T> {
    fn new(registry: SharedRegistry, task: AnyTask<T>, queue: QueuedIn) -> Self {
        JoinHandle {
            task: Some(task),
            registry,
            queue,
        }
    }

    pub(super) fn of_closure(
        registry: SharedRegistry,
        task: Arc<dyn Joint<T>>,
        queue: QueuedIn,
    ) -> Self {
        Self::new(registry, AnyTask::Closure(task), queue)
    }

    pub(super) fn of_future(registry: SharedRegistry, future: FutureHandle<T>) -> Self {
        Self::new(registry, AnyTask::Future(future), QueuedIn::Injector)
    }

    /// Waits for the task, and returns its value, or why it has none.
    ///
    /// A closure that no thread has begun is *taken back* and runs here and now, on the caller's
    /// stack. This works for threads of the task's pool, and for threads outside if the pool takes
    /// guests, and as long as there is room on the stack: with less than a quarter left (or 256
    /// KiB, but never more than half) the task is left to another thread. So a chain of tasks, each
    /// of which joins the one before, may be longer than any stack. A future is never run here.
    ///
    /// ```
    /// let good = drumline::spawn(|| "value");
    /// let bad = drumline::spawn(|| panic!("no value"));
    /// let later = drumline::spawn_future(async { "later" });
    /// assert_eq!(good.join().unwrap(), "value");
    /// assert_eq!(bad.join().unwrap_err().into_panic().downcast_ref(), Some(&"no value"));
    /// assert_eq!(later.join().unwrap(), "later");
    /// ```
    ///
    /// # Errors
    ///
    /// If the task panicked, with the payload; if it was cancelled; or if it is a future that was
    /// not ready when its pool ended.
    ///
    /// # Panics
    ///
    /// In a forked child, if the task had not ended before the fork. If the outcome was taken
    /// before, by a poll of this handle.
    ///
    /// # Blocking
    ///
    /// Until the task has ended. While another thread runs a closure, the caller helps with what
    /// that forks, and runs nothing else. For a future it only waits, as
    /// [`block_on`](crate::block_on()) does: in a pool without spares, or without threads, a task
    /// that joins a future of its own pool can wait for ever, because the future needs the thread
    /// that waits.
    pub fn join(mut self) -> Result<T, JoinError> {
        if !self.is_finished() {
            self.registry.forbid_fork();
        }
        drop(self.unwatch());
        let registry = &*self.registry;
        match self.task.take().expect(TAKEN) {
            AnyTask::Closure(task) => join_closure(registry, &task, self.queue),
            AnyTask::Future(future) => {
                future.wait(registry);
                // SAFETY: done, and the handle has not been asked before.
                unsafe { future.take_outcome() }
            }
        }
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
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match &self.task {
            None => true,
            Some(AnyTask::Closure(task)) => {
                matches!(task.word().progress(), TaskState::Done | TaskState::Back)
            }
            Some(AnyTask::Future(future)) => future.is_done(),
        }
    }

    /// Asks that the task stop, and returns at once. The handle tells what came of it.
    ///
    /// A closure that no thread has begun never runs, and is dropped here. One that was begun runs
    /// to its end. A future is not polled again once the poll under way, if there is one, has
    /// ended; a thread of the pool drops it. After the end of the task this does nothing.
    ///
    /// ```
    /// let task = drumline::spawn_future(std::future::pending::<()>());
    /// task.abort();
    /// assert!(task.join().unwrap_err().is_cancelled());
    /// ```
    ///
    /// # Panics
    ///
    /// If what a closure has captured panics when it is dropped.
    pub fn abort(&self) {
        self.stop();
    }

    /// Asks that the task stop. Returns whether it is certain that it gives no value.
    fn stop(&self) -> bool {
        match &self.task {
            Some(AnyTask::Closure(task)) => {
                let is_back = task.word().take_back();
                if is_back {
                    // In a forked child a thread of the parent may hold the locks of the pool.
                    if !self.registry.is_forked() {
                        withdraw(&self.registry, task, self.queue);
                        pool::has_withdrawn(&self.registry, local::find(&self.registry));
                    }
                    // SAFETY: `take_back` was won.
                    let dropped = unwind::catch(|| unsafe { task.drop_closure() });
                    // A task may await the handle. The slot is the handle's, and other threads that
                    // abort have not won.
                    if let Some(Watcher::Task(waker)) = task.word().unwatch()
                        && let Err(payload) = unwind::catch(|| waker.wake())
                    {
                        self.registry.report_panic(payload);
                    }
                    if let Err(payload) = dropped {
                        unwind::resume(payload);
                    }
                }
                is_back
            }
            Some(AnyTask::Future(future)) => future.cancel(),
            None => false,
        }
    }

    /// Cancels the task if it can be cancelled, and gives the handle up.
    ///
    /// `Ok`: the task gives no value. A closure had not been begun, and has been dropped; a future
    /// will be dropped by a thread of the pool, and is not polled again.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(1).spares(false).build()?;
    /// pool.install(|| {
    ///     // The only place is taken by this closure.
    ///     assert!(drumline::spawn(|| unreachable!()).cancel().is_ok());
    /// });
    /// let task = pool.spawn(|| 5);
    /// while !task.is_finished() {
    ///     std::thread::yield_now();
    /// }
    /// let task = task.cancel().unwrap_err();
    /// assert_eq!(task.join().unwrap(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The handle, if the task has ended, if the closure has been begun, or if the future is being
    /// polled at this moment, or was woken and is about to be: it may still give a value. The
    /// handle tells what comes of it.
    ///
    /// # Panics
    ///
    /// As [`abort`](Self::abort).
    pub fn cancel(self) -> Result<(), Self> {
        if self.stop() { Ok(()) } else { Err(self) }
    }

    /// A handle that [aborts](Self::abort) the task when it is dropped.
    ///
    /// A closure that has begun runs to its end all the same. For it to stop sooner, it has to ask
    /// a [`CancellationToken`](crate::CancellationToken) between its steps.
    ///
    /// ```
    /// let task = drumline::spawn_future(std::future::pending::<()>()).abort_on_drop();
    /// drop(task); // the future is dropped, too
    /// ```
    #[must_use]
    pub fn abort_on_drop(self) -> AbortOnDrop<T> {
        AbortOnDrop(Some(self))
    }

    /// Takes the watcher back that a poll has named. Its drop may panic.
    fn unwatch(&mut self) -> Option<Watcher> {
        match &self.task {
            Some(AnyTask::Closure(task)) => task.word().unwatch(),
            Some(AnyTask::Future(future)) => future.unwatch(),
            None => None,
        }
    }

    /// Names a waker as the watcher, in place of the one that was named before. `false`: the task
    /// has ended, or was taken back.
    pub(crate) fn watch(&mut self, waker: &Waker) -> bool {
        assert!(self.task.is_some(), "{TAKEN}");
        if self.is_finished() {
            return false;
        }
        let watcher = Watcher::Task(waker.clone());
        match self.task.as_ref().expect(TAKEN) {
            AnyTask::Closure(task) => task.word().watch(watcher),
            AnyTask::Future(future) => future.watch(watcher),
        }
    }
}

const TAKEN: &str = "the outcome of this task has been taken already: a handle was polled after it \
                     was ready, or joined after that";

/// Waits without a thread: the outcome of the task, as of [`join`](JoinHandle::join).
///
/// # Panics
///
/// If it is polled again after it was ready. In a forked child, if the task had not ended before
/// the fork.
impl<T: Send + 'static> Future for JoinHandle<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        assert!(self.task.is_some(), "{TAKEN}");
        if self.is_finished() {
            // Of a closure that is back, the watcher is still there. It must go before the ticket
            // does: that may be dropped with a lock held.
            drop(self.unwatch());
        } else {
            self.registry.forbid_fork();
            if self.watch(cx.waker()) {
                return Poll::Pending;
            }
        }
        ready!(budget::proceed(cx));
        match self.task.take().expect(TAKEN) {
            AnyTask::Closure(task) => Poll::Ready(outcome_of(&task)),
            // SAFETY: done, and the handle has not been asked before.
            AnyTask::Future(future) => Poll::Ready(unsafe { future.take_outcome() }),
        }
    }
}

fn from_outcome<T>(outcome: TaskOutcome<T>) -> Result<T, JoinError> {
    outcome.map_err(JoinError::panicked)
}

/// The outcome of a closure that has ended, or was cancelled.
fn outcome_of<T>(task: &Arc<dyn Joint<T>>) -> Result<T, JoinError> {
    if task.word().progress() == TaskState::Back {
        return Err(JoinError::Cancelled);
    }
    // SAFETY: done; the handle has not been detached, and does not ask again.
    from_outcome(unsafe { task.take_outcome() })
}

fn join_closure<T>(
    registry: &Registry,
    task: &Arc<dyn Joint<T>>,
    queue: QueuedIn,
) -> Result<T, JoinError> {
    let running = RunningClosure(task);
    if running.is_done() {
        return outcome_of(task);
    }
    let is_inside = local::find(registry).is_some();
    if registry.has_guests() || is_inside {
        let room = StackRoom::find();
        // Without room a worker runs it, or the thread that takes the place of one.
        if (room.is_some() || registry.workers() == 0)
            && let Some(outcome) = take_back(registry, task, queue)
        {
            return from_outcome(outcome);
        }
    }
    if is_inside || !registry.is_fixed() {
        waiting::wait_in(registry, &running);
    } else {
        // As a guest it would have one of the seats, which the task may need.
        waiting::block_on(&running);
    }
    outcome_of(task)
}

/// Runs the task here and now, if no thread has begun it.
fn take_back<T>(
    registry: &Registry,
    task: &Arc<dyn Joint<T>>,
    queue: QueuedIn,
) -> Option<TaskOutcome<T>> {
    guest::enter(registry, |seat| {
        let _open = seat.is_permanent().then(|| registry.keep_open());
        if !task.word().take_back() {
            return None;
        }
        withdraw(registry, task, queue);
        // SAFETY: `take_back` was won.
        Some(unsafe { task.run_here() })
    })
}

/// Takes the ticket of a task out of its queue, if it is easy to find. The common case of a task
/// that is joined in the order of its spawn, or the reverse, leaves no ticket for others to stumble
/// over. The queue sweeps the tickets that are left.
fn withdraw<T>(registry: &Registry, task: &Arc<dyn Joint<T>>, queue: QueuedIn) {
    if queue.withdraw(registry, task.address()) {
        // SAFETY: `ticket` counted this reference; the ticket is out of its queue, so nothing else
        // drops it.
        unsafe { Arc::decrement_strong_count(Arc::as_ptr(task)) };
    }
}

impl<T: Send + 'static> Drop for JoinHandle<T> {
    fn drop(&mut self) {
        // It goes last: its drop may panic.
        let _watcher = self.unwatch();
        match self.task.take() {
            Some(AnyTask::Closure(task)) => task::detach(&self.registry, &*task),
            // Its drop does the same.
            Some(AnyTask::Future(future)) => drop(future),
            None => {}
        }
    }
}

/// A closure that its handle waits for.
struct RunningClosure<'a, T>(&'a Arc<dyn Joint<T>>);

impl<T> Awaited for RunningClosure<'_, T> {
    fn is_done(&self) -> bool {
        matches!(self.0.word().progress(), TaskState::Done | TaskState::Back)
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        match self.0.word().progress() {
            TaskState::Running(seat) => visit(seat),
            TaskState::Queued | TaskState::Done | TaskState::Back => false,
        }
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.0.word().progress() == TaskState::Running(seat)
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.0.word().watch(Watcher::Thread(sleeper))
    }
}

/// A [`JoinHandle`] that aborts its task when it is dropped; see
/// [`abort_on_drop`](JoinHandle::abort_on_drop). A closure that has begun runs to its end.
///
/// ```
/// let task = drumline::spawn(|| 1).abort_on_drop();
/// assert_eq!(drumline::block_on(task).unwrap(), 1);
/// ```
pub struct AbortOnDrop<T: Send + 'static>(Option<JoinHandle<T>>);

impl<T: Send + 'static> AbortOnDrop<T> {
    /// As [`JoinHandle::abort`].
    ///
    /// ```
    /// let task = drumline::spawn_future(std::future::pending::<()>()).abort_on_drop();
    /// task.abort();
    /// assert!(task.into_handle().join().unwrap_err().is_cancelled());
    /// ```
    pub fn abort(&self) {
        if let Some(handle) = &self.0 {
            handle.abort();
        }
    }

    /// The handle as it was: dropping it lets the task go on.
    ///
    /// ```
    /// let task = drumline::spawn(|| 1).abort_on_drop();
    /// assert_eq!(task.into_handle().join().unwrap(), 1);
    /// ```
    #[must_use]
    pub fn into_handle(mut self) -> JoinHandle<T> {
        self.0.take().expect("it is taken once")
    }
}

impl<T: Send + 'static> fmt::Debug for AbortOnDrop<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AbortOnDrop").field(&self.0).finish()
    }
}

impl<T: Send + 'static> Future for AbortOnDrop<T> {
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let handle = self.0.as_mut().expect("it is there until it is dropped");
        Pin::new(handle).poll(cx)
    }
}

impl<T: Send + 'static> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        if let Some(mut handle) = self.0.take() {
            // No task awaits the handle any more.
            let watcher = handle.unwatch();
            // A closure that is dropped here may panic; the program may be unwinding already.
            let outcome = unwind::catch(|| handle.abort());
            if let Err(payload) = outcome {
                handle.registry.report_panic(payload);
            }
            drop(handle);
            drop(watcher);
        }
    }
}
