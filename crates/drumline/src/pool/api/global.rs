//! The pool that a program has without making it.

use std::ptr;

use super::build_error::BuildError;
use super::builder::PoolBuilder;
use super::handle::Pool;
use crate::job::ErasedCall;
use crate::pool::calls::guest;
use crate::pool::shared::local;
use crate::pool::shared::registry::Registry;
use crate::pool::shared::shared_registry::SharedRegistry;
use crate::pool::waiting::hand_over;
use crate::pool::workers::thread_starter::become_member;
use crate::sync::atomic::{AtomicPtr, Ordering};
use crate::sync::process_wide;

process_wide! {
    /// The registry of the global pool, leaked: it lives as long as the process.
    static GLOBAL: AtomicPtr<Registry> = AtomicPtr::new(ptr::null_mut());
    /// How it is to be made, if the program has said so: leaked. No lock, which a thread of the
    /// parent might hold for ever in a forked child.
    static DESCRIPTION: AtomicPtr<fn() -> PoolBuilder> = AtomicPtr::new(ptr::null_mut());
}

/// The builder of the global pool.
fn builder() -> PoolBuilder {
    // Acquire pairs with the Release in `describe`.
    // SAFETY: null, or leaked for good.
    let describe = unsafe { DESCRIPTION.load(Ordering::Acquire).as_ref() };
    describe.map_or_else(PoolBuilder::new, |describe| describe())
}

/// From now on the global pool is made as `describe` says.
pub(crate) fn describe(describe: fn() -> PoolBuilder) -> Result<(), BuildError> {
    if existing().is_some() {
        return Err(BuildError::global_exists());
    }
    let described = Box::into_raw(Box::new(describe));
    // Release: for `builder`, which reads what it points to.
    DESCRIPTION.store(described, Ordering::Release);
    Ok(())
}

/// The global pool, if it has been made in this very process.
fn existing() -> Option<&'static Registry> {
    // Acquire pairs with the Release in `publish`.
    // SAFETY: null, or leaked for good.
    let registry = unsafe { GLOBAL.load(Ordering::Acquire).as_ref() };
    registry.filter(|registry| !registry.is_forked())
}

/// Makes `pool` the global one, unless there is one already.
fn publish(pool: Pool) -> Result<(), Pool> {
    let before = GLOBAL.load(Ordering::Acquire);
    // SAFETY: null, or leaked for good.
    if unsafe { before.as_ref() }.is_some_and(|registry| !registry.is_forked()) {
        return Err(pool);
    }
    let registry = SharedRegistry::clone(pool.registry());
    let raw = SharedRegistry::into_raw(registry);
    match GLOBAL.compare_exchange(before, raw.cast_mut(), Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => {
            std::mem::forget(pool);
            Ok(())
        }
        Err(_) => {
            // SAFETY: from `into_raw` above, and not published.
            drop(unsafe { SharedRegistry::from_raw(raw) });
            Err(pool)
        }
    }
}

/// The global pool; made on first use, and anew in a forked child.
pub(crate) fn registry() -> &'static Registry {
    loop {
        if let Some(registry) = existing() {
            return registry;
        }
        if let Err(error) = make(builder()) {
            panic!("the global pool cannot be made as described: {error}");
        }
    }
}

/// Makes a pool. Returns whether it is the global one: another thread may have made that meanwhile.
fn make(builder: PoolBuilder) -> Result<bool, BuildError> {
    let (pool, member) = builder.build_without_member()?;
    let registry = SharedRegistry::clone(pool.registry());
    if let Err(pool) = publish(pool) {
        drop(pool);
        return Ok(false);
    }
    // Not before: this thread would be a member for good of a pool that ends.
    if let Some(index) = member {
        become_member(&registry, index);
    }
    Ok(true)
}

/// Runs `op` in the pool that this thread is in, or else in the global one: `op` is compiled once.
pub(crate) fn in_any<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    /// # Safety
    ///
    /// `call` is a call of this very type, and nothing else uses it.
    unsafe fn run<O: FnOnce() -> R, R>(call: *mut ()) {
        // SAFETY: the caller's obligation.
        let call = unsafe { &mut *call.cast::<ErasedCall<O, R>>() };
        if let Some(op) = call.op.take() {
            call.result = Some(op());
        }
    }

    fn runner<O: FnOnce() -> R, R>(_call: &ErasedCall<O, R>) -> unsafe fn(*mut ()) {
        run::<O, R>
    }

    let mut call = ErasedCall::new(op);
    let run = runner(&call);
    // SAFETY: the call is of the type that `run` is for, and stays here; what is in it is `Send`.
    unsafe { call_in_any((&raw mut call).cast(), run) };
    call.result()
}

/// Runs `op` in the global pool, for a thread that is in no pool.
#[cold]
pub(crate) fn in_global<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    in_any(op)
}

/// Runs `run` with `call`. Compiled once for all calls: there is one in every loop of a program.
///
/// # Safety
///
/// `run` can be called with `call`, on any thread.
unsafe fn call_in_any(call: *mut (), run: unsafe fn(*mut ())) {
    if !local::deque().is_null() {
        // SAFETY: the caller's obligation.
        return unsafe { run(call) };
    }
    struct Erased(*mut ());

    // SAFETY: the caller's promise.
    unsafe impl Send for Erased {}

    let call = Erased(call);
    let op = move || {
        let call = call;
        // SAFETY: the caller's obligation.
        unsafe { run(call.0) }
    };
    let registry = registry();
    if registry.has_guests() {
        guest::enter(registry, |_| op());
    } else {
        hand_over::hand_over(registry, op);
    }
}

/// Makes the pool of `builder` the global one.
pub(crate) fn build(builder: PoolBuilder) -> Result<(), BuildError> {
    if existing().is_some() {
        return Err(BuildError::global_exists());
    }
    if make(builder)? {
        Ok(())
    } else {
        Err(BuildError::global_exists())
    }
}

/// The number of jobs of the pool that the current thread is in, or of the
/// global pool: how many threads may run user code at once.
///
/// Asking does not make the global pool: before its first use, this is the
/// number that it would have.
///
/// ```
/// assert!(drumline::current_jobs() >= 1);
/// ```
#[doc(alias = "current_num_threads")]
pub fn current_jobs() -> usize {
    match local::seat() {
        Some(seat) => seat.registry().jobs(),
        None => existing().map_or_else(|| builder().described_jobs(), Registry::jobs),
    }
}

/// The number of the current thread in its pool, or `None` outside every pool.
///
/// It is unique among the threads that are in the pool at this moment, guests
/// included, and a worker keeps its number. It may exceed
/// [`current_jobs`], because guests and spare threads are counted too: by any
/// number. So it is no index into a table, except in a pool without guests and
/// spares, where it is [less than the number of jobs](crate::PoolBuilder::spares).
/// [`WorkerLocal`](crate::WorkerLocal) is a table that works in every pool.
///
/// ```
/// assert_eq!(drumline::worker_index(), None);
/// let (inside, _) = drumline::join(drumline::worker_index, || ());
/// assert!(inside.is_some());
/// ```
#[doc(alias = "current_thread_index")]
pub fn worker_index() -> Option<usize> {
    local::seat().map(crate::pool::shared::seat::Seat::index)
}
