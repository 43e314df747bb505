//! A spawned closure on the heap, later its outcome.
//!
//! One allocation, counted twice: by the ticket in a queue and by the handle. The word
//! ([`crate::latch::TaskWord`]) says which of them may touch the closure and the outcome.

use std::cell::UnsafeCell;
use std::mem;

use crate::job::JobRef;
use crate::latch::{Detach, Finish, TaskState, TaskWord, Watcher};
use crate::pool::{self, Registry, local, spent};
use crate::sync::Arc;
use crate::unwind::{self, Payload};

/// What came of a task.
pub(super) type TaskOutcome<T> = Result<T, Payload>;

/// A task, without the type of its closure: what a handle sees of it.
pub(super) trait Joint<T>: Send + Sync {
    fn word(&self) -> &TaskWord;

    /// The address by which the queues know the task.
    fn address(&self) -> *const ();

    /// Runs the task on the caller's stack.
    ///
    /// # Safety
    ///
    /// The caller has won [`TaskWord::take_back`]; called once.
    unsafe fn run_here(&self) -> TaskOutcome<T>;

    /// Drops the closure.
    ///
    /// # Safety
    ///
    /// As for [`run_here`](Self::run_here).
    unsafe fn drop_closure(&self);

    /// Takes the outcome.
    ///
    /// # Safety
    ///
    /// The word says that the task is done, and that the outcome is the
    /// caller's; called once.
    unsafe fn take_outcome(&self) -> TaskOutcome<T>;
}

#[derive(Debug)]
enum TaskContent<F, T> {
    Ready(F),
    Ended(TaskOutcome<T>),
    /// It runs, or its outcome has been taken.
    Empty,
}

/// The word lies first, where [`spent`] looks for it.
#[repr(C)]
pub(super) struct Task<F, T> {
    word: TaskWord,
    content: UnsafeCell<TaskContent<F, T>>,
}

// SAFETY: the closure and the outcome go from thread to thread, one at a time,
// as the word says; both are `Send`.
unsafe impl<F: Send, T: Send> Send for Task<F, T> {}
// SAFETY: as for `Send`. No thread gets a shared reference to what is in the cell.
unsafe impl<F: Send, T: Send> Sync for Task<F, T> {}

impl<F, T> Task<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    pub(super) fn new(func: F) -> Arc<Self> {
        Arc::new(Task {
            word: TaskWord::new(),
            content: UnsafeCell::new(TaskContent::Ready(func)),
        })
    }

    /// The ticket: a reference to the task in the shape of a job. It must be
    /// run once.
    pub(super) fn ticket(self: &Arc<Self>) -> JobRef {
        JobRef {
            data: spent::mark(Arc::into_raw(Arc::clone(self)).cast()),
            run: Self::redeem,
        }
    }

    /// Takes what is in the cell.
    ///
    /// # Safety
    ///
    /// The word says that the cell is the caller's.
    unsafe fn take_stage(&self) -> TaskContent<F, T> {
        // SAFETY: the caller says that no other thread touches the cell now.
        let content = unsafe { &mut *self.content.get() };
        mem::replace(content, TaskContent::Empty)
    }

    /// Runs the task, if its handle has not.
    ///
    /// # Safety
    ///
    /// `data` comes from `ticket`, and is used once. The thread has a seat, or the task is back.
    unsafe fn redeem(data: *const ()) {
        // SAFETY: the reference that `ticket` leaked, taken once.
        let task = unsafe { Arc::from_raw(spent::unmark(data).cast::<Self>()) };
        let Some(seat) = local::seat() else {
            // A thread outside sweeps a queue.
            assert_eq!(task.word.progress(), TaskState::Back, "jobs run in seats");
            return;
        };
        if !task.word.start(seat.index()) {
            return;
        }
        // SAFETY: `start` was won.
        let TaskContent::Ready(func) = (unsafe { task.take_stage() }) else {
            unreachable!("no thread has run it");
        };
        let outcome = unwind::catch(func);
        // SAFETY: the cell is the runner's until `finish`.
        unsafe { *task.content.get() = TaskContent::Ended(outcome) };
        match task.word.finish() {
            Finish::Kept => {}
            // SAFETY: a member waits in this very pool. The pool's seats are alive while this
            // thread is in one; an outsider waits for this.
            Finish::Wake(Watcher::Thread(sleeper)) => unsafe { sleeper.wake() },
            Finish::Wake(Watcher::Task(waker)) => {
                if let Err(payload) = unwind::catch(|| waker.wake()) {
                    seat.registry().report_panic(payload);
                }
            }
            Finish::Detached => {
                // SAFETY: the word leaves the outcome to the runner.
                if let Some(payload) = dispose(unsafe { task.take_outcome() }) {
                    seat.registry().report_panic(payload);
                }
            }
        }
    }
}

impl<F, T> Joint<T> for Task<F, T>
where
    F: FnOnce() -> T + Send,
    T: Send,
{
    fn word(&self) -> &TaskWord {
        &self.word
    }

    fn address(&self) -> *const () {
        spent::mark(std::ptr::from_ref(self).cast())
    }

    unsafe fn run_here(&self) -> TaskOutcome<T> {
        // SAFETY: the caller has won `take_back`.
        match unsafe { self.take_stage() } {
            TaskContent::Ready(func) => unwind::catch(func),
            TaskContent::Ended(_) | TaskContent::Empty => unreachable!("no thread has run it"),
        }
    }

    unsafe fn drop_closure(&self) {
        // SAFETY: the caller has won `take_back`.
        drop(unsafe { self.take_stage() });
    }

    unsafe fn take_outcome(&self) -> TaskOutcome<T> {
        // SAFETY: the outcome is the caller's.
        match unsafe { self.take_stage() } {
            TaskContent::Ended(outcome) => outcome,
            TaskContent::Ready(_) | TaskContent::Empty => {
                unreachable!("it has run, and is asked once")
            }
        }
    }
}

/// Gives up a task. Its outcome will not be asked for.
pub(super) fn detach<T>(registry: &Registry, task: &dyn Joint<T>) {
    match task.word().detach() {
        Detach::Left => {}
        Detach::Done => {
            // SAFETY: the word leaves the outcome to the handle.
            if let Some(payload) = dispose(unsafe { task.take_outcome() }) {
                pool::report_later(registry, payload);
            }
        }
    }
}

/// Drops a value that no handle asks for. Returns the panic of the task, or that of this drop.
fn dispose<T>(outcome: TaskOutcome<T>) -> Option<Payload> {
    match outcome {
        Ok(value) => unwind::catch(|| drop(value)).err(),
        Err(payload) => Some(payload),
    }
}
