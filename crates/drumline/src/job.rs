//! Jobs: type-erased closures that another thread may run.
//!
//! * A [`StackJob`] lives in the frame of a `join` or a handed-over call. It holds its closure
//!   until a thread runs it, and then its result, in the same place. It has no state word: the
//!   deque's slot says which thread owns it. It begins with its [`Header`], the function that runs
//!   it, so that one address is all that a deque has to hold.
//! * A [`HeapJob`] owns a boxed closure and frees itself when it has run. It is referred to by a
//!   [`JobRef`], two words: an address, and the function that knows what the address means.
//! * An [`ErasedCall`] is what functions that are compiled once pass on by its address.

use std::cell::UnsafeCell;
use std::mem::ManuallyDrop;
use std::ptr;

use crate::unwind::{self, Payload};

/// Runs the job at an address.
pub(crate) type RunFn = unsafe fn(*const ());

/// A job to be run exactly once, by the thread that holds this.
///
/// The address is odd if the job is the ticket of a spawned task (`pool::spent`), and even if not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JobRef {
    pub(crate) data: *const (),
    pub(crate) run: RunFn,
}

// SAFETY: every constructor demands a closure that is `Send`, and the closure
// is what crosses threads; the reference itself is a pair of plain addresses.
unsafe impl Send for JobRef {}

impl JobRef {
    /// Runs the job.
    ///
    /// # Safety
    ///
    /// The job must be alive, and nothing else may run it, before or after.
    #[inline]
    pub(crate) unsafe fn run(self) {
        // SAFETY: `run` belongs to `data` by construction; the rest is the
        // caller's obligation.
        unsafe { (self.run)(self.data) }
    }
}

/// What a [`StackJob`] of any type begins with.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Header {
    run: RunFn,
}

impl Header {
    /// The header of a job that `run` knows how to run.
    #[inline(always)]
    pub(crate) fn new(run: RunFn) -> Self {
        Header { run }
    }

    /// The job that begins with this header, in the shape that queues hold.
    ///
    /// # Safety
    ///
    /// `this` points to the header of a live job.
    pub(crate) unsafe fn job_ref(this: *const Header) -> JobRef {
        JobRef {
            data: this.cast(),
            // SAFETY: the job is alive.
            run: unsafe { (*this).run },
        }
    }

    /// Runs the job that begins with this header.
    ///
    /// # Safety
    ///
    /// `this` points to the header of a live job. Nothing else runs it, before or after.
    pub(crate) unsafe fn run(this: *const Header) {
        // SAFETY: the job is alive.
        let run = unsafe { (*this).run };
        // SAFETY: `run` was made for the job that begins here.
        unsafe { run(this.cast()) }
    }
}

/// A closure in its maker's frame, replaced by its result when it has run.
#[repr(C)]
pub(crate) struct StackJob<F, R> {
    header: Header,
    cell: UnsafeCell<FuncOrResult<F, R>>,
}

#[repr(C)]
union FuncOrResult<F, R> {
    func: ManuallyDrop<F>,
    result: ManuallyDrop<Result<R, Payload>>,
}

impl<F, R> StackJob<F, R>
where
    F: FnOnce(bool) -> R + Send,
    R: Send,
{
    #[inline(always)]
    pub(crate) fn new(func: F) -> Self {
        StackJob {
            header: Header::new(Self::run_elsewhere),
            cell: UnsafeCell::new(FuncOrResult {
                func: ManuallyDrop::new(func),
            }),
        }
    }

    /// The address under which another thread can run this job.
    #[inline(always)]
    pub(crate) fn header(&self) -> *const Header {
        ptr::from_ref(self).cast()
    }

    /// Takes the closure back out.
    ///
    /// # Safety
    ///
    /// No thread has run the job, and none will.
    #[inline(always)]
    pub(crate) unsafe fn take_func(&self) -> F {
        // SAFETY: no thread runs the job, so this thread alone uses the cell.
        let cell = unsafe { &mut *self.cell.get() };
        // SAFETY: the job has not run, so the cell holds the closure, and the
        // caller uses neither the closure nor the job again.
        unsafe { ManuallyDrop::take(&mut cell.func) }
    }

    /// Takes the result that another thread left.
    ///
    /// # Safety
    ///
    /// The job has been run, its completion has been observed with Acquire,
    /// and the result has not been taken before.
    #[inline]
    pub(crate) unsafe fn take_result(&self) -> Result<R, Payload> {
        // SAFETY: the runner is done with the cell; this thread alone uses it.
        let cell = unsafe { &mut *self.cell.get() };
        // SAFETY: after the run the cell holds the result.
        unsafe { ManuallyDrop::take(&mut cell.result) }
    }

    /// Runs the job on a thread that is not its maker's.
    ///
    /// # Safety
    ///
    /// `data` comes from [`header`](Self::header) of a live job that the caller has won. No other
    /// thread touches the cell until the caller publishes the completion.
    unsafe fn run_elsewhere(data: *const ()) {
        // SAFETY: the caller's obligations; `obey` is the function for this type of job.
        unsafe { run_guarded(data, Self::obey) }
    }

    /// How [`run_guarded`] and [`StackJob::abandon`] get at the cell: one function for all that is
    /// rare, so that little has to be compiled for each type of job.
    ///
    /// # Safety
    ///
    /// `data` is the address of a live job of this very type. No other thread touches its cell,
    /// which holds what the order is about.
    #[cold]
    unsafe fn obey(data: *const (), order: JobCommand) {
        // SAFETY: the caller guarantees a live job of this very type.
        let job = unsafe { &*data.cast::<Self>() };
        let result = match order {
            // SAFETY: the caller has won the job, so no other thread runs it.
            JobCommand::Run => Ok(unsafe { job.take_func() }(true)),
            JobCommand::Panicked(payload) => Err(payload),
            // SAFETY: no thread has run the job, and none will.
            JobCommand::DropFunc => return drop(unsafe { job.take_func() }),
            // SAFETY: the runner is done, and nothing else takes the result.
            JobCommand::DropResult => return drop(unsafe { job.take_result() }),
        };
        // SAFETY: still the only user of the cell.
        let cell = unsafe { &mut *job.cell.get() };
        cell.result = ManuallyDrop::new(result);
    }

    /// Drops what is in the job, the closure if it `is_back` or else the result, and goes on with a
    /// panic; one of the drop is swallowed.
    ///
    /// # Safety
    ///
    /// Either no thread has run the job, and none will; or it has been run, with its completion
    /// observed with Acquire. The cell is not used again.
    #[inline(always)]
    pub(crate) unsafe fn abandon(&self, is_back: bool, payload: Payload) -> ! {
        // SAFETY: the caller's obligations; `obey` is the function for this type of job.
        unsafe { abandon(self.header().cast(), is_back, Self::obey, payload) }
    }
}

/// What is to be done with a [`StackJob`] of whatever type.
enum JobCommand {
    Run,
    /// The run ended so.
    Panicked(Payload),
    DropFunc,
    DropResult,
}

type ObeyFn = unsafe fn(*const (), JobCommand);

/// Runs the job at `data`; compiled once for all of them.
///
/// # Safety
///
/// As for [`StackJob::run_elsewhere`], with the job's own `obey`.
unsafe fn run_guarded(data: *const (), obey: ObeyFn) {
    // SAFETY: the caller's obligations.
    if let Err(payload) = unwind::catch(|| unsafe { obey(data, JobCommand::Run) }) {
        // SAFETY: as above; the closure is gone.
        unsafe { obey(data, JobCommand::Panicked(payload)) }
    }
}

/// As [`StackJob::abandon`]; compiled once for all of them.
///
/// # Safety
///
/// As there, with the job's own `obey`.
#[cold]
#[inline(never)]
unsafe fn abandon(data: *const (), is_back: bool, obey: ObeyFn, payload: Payload) -> ! {
    unwind::discard_erased(&mut || {
        let order = if is_back {
            JobCommand::DropFunc
        } else {
            JobCommand::DropResult
        };
        // SAFETY: the caller's obligations.
        unsafe { obey(data, order) }
    });
    unwind::resume(payload)
}

/// A boxed closure that runs once and frees itself. It must not unwind.
///
/// Aligned because jobs begin at even addresses, also those without any size (`pool::spent`).
#[repr(align(2))]
pub(crate) struct HeapJob<F> {
    func: F,
}

impl<F> HeapJob<F>
where
    F: FnOnce() + Send,
{
    /// Boxes `func` and forgets its lifetime.
    ///
    /// # Safety
    ///
    /// What `func` borrows must stay alive until the job has been run, and the
    /// job must be run exactly once (otherwise it leaks).
    pub(crate) unsafe fn into_job_ref(func: F) -> JobRef {
        JobRef {
            data: Box::into_raw(Box::new(HeapJob { func }))
                .cast_const()
                .cast(),
            run: Self::run,
        }
    }

    /// # Safety
    ///
    /// `data` comes from [`into_job_ref`](Self::into_job_ref) and is used once.
    unsafe fn run(data: *const ()) {
        // SAFETY: `data` is the box that `into_job_ref` leaked, taken once.
        let job = unsafe { Box::from_raw(data.cast_mut().cast::<Self>()) };
        let guard = unwind::AbortOnUnwind;
        (job.func)();
        std::mem::forget(guard);
    }
}

/// Something to be done by a function that gets its address only, and then what came of it. It is
/// empty when it is dropped.
#[derive(Debug)]
pub(crate) struct ErasedCall<O, R> {
    pub(crate) op: Option<O>,
    pub(crate) result: Option<R>,
}

impl<O, R> ErasedCall<O, R> {
    #[inline(always)]
    pub(crate) fn new(op: O) -> Self {
        ErasedCall {
            op: Some(op),
            result: None,
        }
    }

    /// What came of it.
    #[inline(always)]
    pub(crate) fn result(&mut self) -> R {
        self.result.take().expect("it has just been run")
    }
}
