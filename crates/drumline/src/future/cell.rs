//! The future, later its outcome, in one allocation.
//!
//! ```text
//!  core: node, watcher │ word │ header of the job │ table of functions   the same for all futures
//!  home: the pool or the scope
//!  stage: the future, or its outcome, or nothing
//! ```
//!
//! The future stays where it is until it is dropped there. The core is all that wakers know, and
//! owns nothing that is borrowed: a waker may outlive the pool, and all that the future refers to.
//!
//! # Lines of memory
//!
//! Futures that are spawned one after another lie side by side, and different workers run them. Two
//! of them must not have a line of memory in common that each run writes. To align them would cost
//! memory, and `malloc` takes much longer for it. So what is used at the beginning and at the end
//! only comes first: the node and the watcher. With what the allocator adds to each block, this
//! keeps the parts that runs use 56 bytes and more apart from those of both neighbours: they share
//! no line, or the first word of one and the last of the other. Without it, 100 tasks that yield on
//! two workers took three times as long.

use std::cell::UnsafeCell;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};

use super::home::{Home, dispose};
use super::{FutureHandle, JoinError, waker};
use crate::job::{Header, JobRef};
use crate::latch::{DropReason, FutureWord, Pause, Run, WakeStep, Watcher};
use crate::pool::{Node, WakeOrigin, local};
use crate::unwind;
use crate::wait::budget::Budget;

/// What came of a future.
pub(crate) type Outcome<T> = Result<T, JoinError>;

/// The part of a future that does not depend on its type.
#[repr(C)]
pub(crate) struct Core {
    node: Node,
    pub(super) word: FutureWord,
    header: Header,
    table: &'static Table,
}

/// What depends on the type. All of it takes the address of a live core of that type.
struct Table {
    wake: unsafe fn(*const Core),
    queue: unsafe fn(*const Core, WakeOrigin),
    /// Moves the outcome to an address, or drops it where that is null.
    take_outcome: unsafe fn(*const Core, *mut ()),
    free: unsafe fn(*const Core),
}

#[repr(C)]
struct FutureCell<F: Future, H> {
    core: Core,
    home: H,
    stage: UnsafeCell<Stage<F>>,
}

enum Stage<F: Future> {
    Future(ManuallyDrop<F>),
    Outcome(Outcome<F::Output>),
    Empty,
}

/// Makes a future, and queues it for its first poll.
///
/// # Safety
///
/// What the future borrows stays until it is done, and so does what its output borrows, or the
/// handle.
pub(crate) unsafe fn spawn<F, H>(future: F, home: H) -> FutureHandle<F::Output>
where
    F: Future + Send,
    F::Output: Send,
    H: Home,
{
    let cell = Box::new(FutureCell {
        core: Core {
            node: Node::new(),
            word: FutureWord::new(),
            header: Header::new(FutureCell::<F, H>::run),
            table: &FutureCell::<F, H>::TABLE,
        },
        home,
        stage: UnsafeCell::new(Stage::Future(ManuallyDrop::new(future))),
    });
    let cell = NonNull::from(Box::leak(cell));
    // SAFETY: the handle has a reference, so the cell stays until this returns.
    let home = unsafe { &(*cell.as_ptr()).home };
    let handle = FutureHandle::new(cell.cast());
    let run = JobRef {
        // SAFETY: as above.
        data: unsafe { Core::header(cell.as_ptr().cast()) }.cast(),
        run: FutureCell::<F, H>::run_first,
    };
    // SAFETY: the word of a new future says that its first run is to be queued.
    unsafe { home.queue_first(run) };
    handle
}

impl Core {
    /// The job that runs the future.
    ///
    /// # Safety
    ///
    /// The core is alive.
    #[inline]
    pub(crate) unsafe fn header(this: *const Core) -> *const Header {
        // SAFETY: the core is alive.
        unsafe { &raw const (*this).header }
    }

    /// The core of such a job.
    ///
    /// # Safety
    ///
    /// `data` comes from [`header`](Self::header).
    #[inline]
    unsafe fn of_job(data: *const ()) -> *const Core {
        // SAFETY: the header lies in a core.
        unsafe { data.byte_sub(std::mem::offset_of!(Core, header)) }.cast()
    }

    /// Wakes the future, and drops a reference.
    ///
    /// # Safety
    ///
    /// The caller has a reference, and uses it no more.
    #[inline]
    pub(super) unsafe fn wake(this: *const Core) {
        // SAFETY: the caller has a reference, so the core is alive.
        unsafe { ((*this).table.wake)(this) };
    }

    /// Queues a run. The core may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The core is alive, and its word has said that a run is to be queued. If the calling thread
    /// is not in the pool, the caller has a reference besides.
    #[inline]
    pub(super) unsafe fn queue(this: *const Core, origin: WakeOrigin) {
        // SAFETY: the core is alive.
        unsafe { ((*this).table.queue)(this, origin) };
    }

    /// Moves the outcome to `place`, or disposes of it if that is null: its handle is being
    /// dropped.
    ///
    /// # Safety
    ///
    /// The outcome is the caller's, and of the type that `place` is for.
    pub(super) unsafe fn take_outcome(this: *const Core, place: *mut ()) {
        // SAFETY: the core is alive.
        unsafe { ((*this).table.take_outcome)(this, place) };
    }

    /// Frees the memory.
    ///
    /// # Safety
    ///
    /// Nothing refers to it, and the future is done.
    pub(super) unsafe fn free(this: *const Core) {
        // SAFETY: the core is alive.
        unsafe { ((*this).table.free)(this) };
    }

    /// Has a future dropped that waits. Returns the run that is to be queued for that.
    ///
    /// # Safety
    ///
    /// The node is part of a core, and the lock of the list is held, in which it is.
    unsafe fn evict(node: *const Node) -> Option<JobRef> {
        // SAFETY: the node lies in a core.
        let core = unsafe { node.byte_sub(std::mem::offset_of!(Core, node)) }.cast::<Core>();
        // SAFETY: the run that frees the core takes the node out first, with the lock.
        let wake = unsafe { &*core }.word.evict();
        // SAFETY: the core is alive until that run.
        (wake == WakeStep::Queue).then(|| unsafe { Header::job_ref(Core::header(core)) })
    }
}

impl<F, H> FutureCell<F, H>
where
    F: Future + Send,
    F::Output: Send,
    H: Home,
{
    const TABLE: Table = Table {
        wake: Self::wake,
        queue: Self::queue,
        take_outcome: Self::take_outcome,
        free: Self::free,
    };

    /// # Safety
    ///
    /// `core` is that of a live cell of this very type.
    unsafe fn of<'a>(core: *const Core) -> &'a Self {
        // SAFETY: a cell begins with its core.
        unsafe { &*core.cast::<Self>() }
    }

    unsafe fn wake(core: *const Core) {
        // SAFETY: the caller has a reference, so the cell is alive until that is given up.
        let (word, seat) = unsafe { (&(*core).word, Self::of(core).home.seat()) };
        let cell = core.cast::<Self>();
        let wake = if seat.is_some() {
            word.wake_with_ref()
        } else {
            word.wake()
        };
        if wake == WakeStep::Queue {
            // SAFETY: the run is to be queued. Either this thread is in the pool, or the reference
            // keeps the home, and so the pool's memory. No reference to the cell is held meanwhile.
            unsafe { H::queue(&raw const (*cell).home, core, seat, WakeOrigin::Woken) };
        }
        if wake == WakeStep::Nothing || seat.is_none() {
            // SAFETY: the reference was not given to the run.
            unsafe { waker::drop_ref(core) };
        }
    }

    unsafe fn queue(core: *const Core, origin: WakeOrigin) {
        let cell = core.cast::<Self>();
        // SAFETY: the cell is alive now.
        let seat = unsafe { Self::of(core) }.home.seat();
        // SAFETY: the caller's obligations. No reference to the cell is held meanwhile.
        unsafe { H::queue(&raw const (*cell).home, core, seat, origin) };
    }

    unsafe fn take_outcome(core: *const Core, place: *mut ()) {
        // SAFETY: the caller's obligation.
        let cell = unsafe { Self::of(core) };
        // SAFETY: the outcome is the caller's.
        let Stage::Outcome(outcome) = (unsafe { cell.stage.get().replace(Stage::Empty) }) else {
            unreachable!("it is done, and asked once");
        };
        if place.is_null() {
            if let Some(payload) = dispose(outcome) {
                cell.home.take_late_panic(payload);
            }
        } else {
            // SAFETY: the place is for an outcome of this type, says the caller.
            unsafe { place.cast::<Outcome<F::Output>>().write(outcome) };
        }
    }

    unsafe fn free(core: *const Core) {
        // SAFETY: allocated in `spawn`, and nothing refers to it.
        drop(unsafe { Box::from_raw(core.cast_mut().cast::<Self>()) });
    }

    /// The first run: polls the future, or drops it.
    ///
    /// # Safety
    ///
    /// `data` is the address of the job of a cell of this very type; called once.
    unsafe fn run_first(data: *const ()) {
        // SAFETY: the address is that of the job of a core.
        let core = unsafe { Core::of_job(data) };
        // SAFETY: the run has a reference, so the core is alive until it gives that up.
        let run = unsafe { &(*core).word }.start();
        // SAFETY: the run has begun.
        unsafe { Self::go_on(core.cast(), run) };
    }

    /// A later run.
    ///
    /// # Safety
    ///
    /// As for [`run_first`](Self::run_first), once for each run that was queued.
    unsafe fn run(data: *const ()) {
        // SAFETY: as in `run_first`.
        let core = unsafe { Core::of_job(data) };
        // SAFETY: as in `run_first`.
        let run = unsafe { &(*core).word }.resume();
        // SAFETY: the run has begun.
        unsafe { Self::go_on(core.cast(), run) };
    }

    /// # Safety
    ///
    /// The cell is that of a run that has begun.
    #[inline]
    unsafe fn go_on(this: *const Self, run: Run) {
        // SAFETY: as in `run`.
        let cell = unsafe { &*this };
        match run {
            // SAFETY: as for this function.
            Run::Poll if cell.home.has_cancelled() => unsafe {
                Self::complete(this, Err(Self::error(DropReason::Evicted)));
            },
            // SAFETY: as above.
            Run::Poll => unsafe { Self::poll(this) },
            // SAFETY: as above.
            Run::Drop(reason) => unsafe { Self::complete(this, Err(Self::error(reason))) },
        }
    }

    /// # Safety
    ///
    /// The cell is that of a run that has begun. It may be gone before this returns, hence a
    /// pointer: a reference that is passed on promises that its memory stays.
    unsafe fn poll(this: *const Self) {
        // SAFETY: the run has the future.
        let Stage::Future(future) = (unsafe { &mut *(*this).stage.get() }) else {
            unreachable!("it is not done");
        };
        // SAFETY: the future stays in its cell until it is dropped there.
        let future = unsafe { Pin::new_unchecked(&mut **future) };
        // SAFETY: the run keeps its reference while it polls.
        let waker = unsafe { waker::borrowed(this.cast()) };
        let poll = || {
            let budget = Budget::begin_task(&waker);
            let polled = unwind::catch(|| future.poll(&mut Context::from_waker(&waker)));
            (polled, budget.has_yielded(), budget.clones())
        };
        let (polled, has_yielded, clones) = match local::seat() {
            Some(seat) => seat.poll(poll),
            None => poll(),
        };
        let outcome = match polled {
            // SAFETY: as for this function.
            Ok(Poll::Pending) if has_yielded => return unsafe { Self::queue_again(this, clones) },
            // SAFETY: as for this function.
            Ok(Poll::Pending) => return unsafe { Self::suspend(this, clones) },
            Ok(Poll::Ready(value)) => Ok(value),
            Err(payload) => Err(JoinError::panicked(payload)),
        };
        if clones > 0 {
            // SAFETY: the run has a reference.
            unsafe { &(*this).core.word }.add_clones(clones);
        }
        // SAFETY: as for this function.
        unsafe { Self::complete(this, outcome) };
    }

    /// The future has yielded. `clones` of its waker are on account.
    ///
    /// # Safety
    ///
    /// As for [`poll`](Self::poll).
    unsafe fn queue_again(this: *const Self, clones: usize) {
        // SAFETY: the run has a reference.
        let cell = unsafe { &*this };
        if clones > 0 {
            cell.core.word.add_clones(clones);
        }
        if !cell.home.is_closed() && cell.core.word.may_yield() {
            // SAFETY: the reference of this run is that of the next, and this thread is in the
            // pool.
            unsafe { Self::queue(this.cast(), WakeOrigin::Itself) };
        } else {
            // The run that suspends it does what is to be done then.
            let wake = cell.core.word.wake();
            debug_assert_eq!(wake, WakeStep::Nothing, "it is polled");
            // SAFETY: as for this function.
            unsafe { Self::suspend(this, 0) };
        }
    }

    /// The future is not ready. `clones` of its waker are on account.
    ///
    /// # Safety
    ///
    /// As for [`poll`](Self::poll).
    unsafe fn suspend(this: *const Self, clones: usize) {
        let pause = {
            // SAFETY: the run has a reference, up to `pause`.
            let cell = unsafe { &*this };
            let is_kept = if cell.core.node.is_linked() {
                !cell.home.is_closed()
            } else {
                // SAFETY: the cell stays until the end of the future has taken the node out.
                unsafe {
                    let node = &raw const (*this).core.node;
                    cell.home.suspended().link(node, Core::evict)
                }
            };
            if is_kept {
                cell.core.word.pause(clones)
            } else {
                if clones > 0 {
                    cell.core.word.add_clones(clones);
                }
                Pause::Drop(DropReason::Evicted)
            }
        };
        match pause {
            Pause::Idle => {}
            // SAFETY: the reference of this run is that of the next, and this thread is in the
            // pool.
            Pause::Again => unsafe { Core::queue(this.cast(), WakeOrigin::Itself) },
            // SAFETY: as for this function.
            Pause::Drop(reason) => unsafe { Self::complete(this, Err(Self::error(reason))) },
        }
    }

    fn error(reason: DropReason) -> JoinError {
        match reason {
            DropReason::Cancelled => JoinError::Cancelled,
            DropReason::Evicted => H::EVICTED,
        }
    }

    /// Drops the future and puts the outcome in its place, for the handle if there is one.
    ///
    /// # Safety
    ///
    /// As for [`poll`](Self::poll).
    unsafe fn complete(this: *const Self, outcome: Outcome<F::Output>) {
        // SAFETY: the run has a reference, up to the last line.
        let cell = unsafe { &*this };
        let stage = cell.stage.get();
        let dropped = unwind::catch(|| {
            // SAFETY: the run has the future.
            if let Stage::Future(future) = unsafe { &mut *stage } {
                // SAFETY: once: the stage is overwritten below.
                unsafe { ManuallyDrop::drop(future) };
            }
        });
        let outcome = match (dropped, outcome) {
            (Ok(()), outcome) => outcome,
            // The first panic is the one that tells most.
            (Err(payload), Err(first @ JoinError::Panicked(_))) => {
                unwind::discard(payload);
                Err(first)
            }
            (Err(payload), outcome) => {
                unwind::discard(outcome);
                Err(JoinError::panicked(payload))
            }
        };
        if cell.core.node.is_linked() {
            cell.home.suspended().unlink(&cell.core.node);
        }
        if cell.core.word.is_alone() {
            // SAFETY: what was there has been dropped.
            unsafe { stage.write(Stage::Empty) };
            if let Some(payload) = dispose(outcome) {
                cell.home.take_lost_panic(payload);
            }
            cell.home.has_ended();
            // SAFETY: nothing else refers to it.
            unsafe { Self::free(this.cast()) };
            return;
        }
        // SAFETY: what was there has been dropped.
        unsafe { stage.write(Stage::Outcome(outcome)) };
        let finished = cell.core.word.finish();
        if finished.is_detached {
            // SAFETY: the word leaves the outcome to the run.
            let outcome = unsafe { stage.replace(Stage::Empty) };
            if let Stage::Outcome(outcome) = outcome
                && let Some(payload) = dispose(outcome)
            {
                cell.home.take_lost_panic(payload);
            }
        }
        match finished.watcher {
            None => {}
            // SAFETY: a member waits in this very pool, and its seats are alive while this thread
            // is in it; an outsider waits for this.
            Some(Watcher::Thread(sleeper)) => unsafe { sleeper.wake() },
            Some(Watcher::Task(waker)) => {
                if let Err(payload) = unwind::catch(|| waker.wake()) {
                    cell.home.report_panic(payload);
                }
            }
        }
        cell.home.has_ended();
        // SAFETY: the reference of the run, which ends here.
        unsafe { waker::drop_ref(this.cast()) };
    }
}

#[cfg(all(not(any(drumline_loom, drumline_shuttle)), target_pointer_width = "64"))]
const _: () = assert!(
    // And 8 bytes of the allocator.
    std::mem::offset_of!(Core, word) + size_of::<FutureWord>() - size_of::<usize>() >= 48,
    "what the runs of two neighbours use may share a line of memory"
);
#[cfg(not(drumline_shuttle))]
const _: () = assert!(
    size_of::<Core>() <= 10 * size_of::<usize>(),
    "a program may have millions of futures"
);
