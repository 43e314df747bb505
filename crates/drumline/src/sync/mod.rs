//! Atomics, fences and the smallest locks: the only module that names the
//! standard library's atomics, so that a model checker can take their place.
//!
//! Everything above imports its shared memory from here. Under `--cfg drumline_loom`
//! the same names resolve to loom's types, and the models in this crate run
//! the very code that ships. Under `--cfg drumline_shuttle` they resolve to shuttle's,
//! and whole pools run under its scheduler; threads, thread-local state and the
//! clock come from here as well, for its sake.

/// Whether a planted bug is switched on: `false`, and gone, outside the models.
#[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
macro_rules! planted {
    ($plant:ident) => {
        $crate::sync::plant::is($crate::sync::plant::Plant::$plant)
    };
}
#[cfg(not(all(test, any(drumline_loom, drumline_shuttle))))]
macro_rules! planted {
    ($plant:ident) => {
        false
    };
}
pub(crate) use planted;

/// A static of what this module offers: one for the process. Under shuttle there is one for each
/// run of a program, because its objects belong to that run. Several runs go on at once, on threads
/// of the tests that shuttle knows nothing of.
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
macro_rules! process_wide {
    ($($(#[$attribute:meta])* static $NAME:ident: $T:ty = $value:expr;)+) => {
        $($(#[$attribute])* static $NAME: $T = $value;)+
    };
}
#[cfg(drumline_loom)]
macro_rules! process_wide {
    ($($(#[$attribute:meta])* static $NAME:ident: $T:ty = $value:expr;)+) => {
        loom::lazy_static! { $($(#[$attribute])* static ref $NAME: $T = $value;)+ }
    };
}
#[cfg(drumline_shuttle)]
macro_rules! process_wide {
    ($($(#[$attribute:meta])* static $NAME:ident: $T:ty = $value:expr;)+) => {
        $(
            $(#[$attribute])*
            static $NAME: $crate::sync::per_run::PerRun<$T> =
                $crate::sync::per_run::PerRun::new(|| $value);
        )+
    };
}
pub(crate) use process_wide;

pub(crate) mod barrier;
mod barrier_loss;
mod barrier_sequence;
mod checked_cell;
mod count;
#[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
pub(crate) mod exploration;
#[cfg(all(test, drumline_loom, target_os = "linux", target_pointer_width = "64"))]
mod model_stacks;
#[cfg(not(drumline_loom))]
pub(crate) mod own_word;
#[cfg(not(drumline_loom))]
mod per_process;
#[cfg(drumline_shuttle)]
pub(crate) mod per_run;
#[cfg(all(test, any(drumline_loom, drumline_shuttle)))]
pub(crate) mod plant;
mod prefetch;
mod random;
#[cfg(all(
    any(target_os = "linux", windows),
    not(any(drumline_loom, drumline_shuttle, drumline_fence, miri))
))]
mod registration;
mod retry_backoff;
mod shared_words;
mod spin;
mod spin_cell;
mod stopwatch;
#[cfg(not(drumline_loom))]
mod thread_number;
#[cfg(not(drumline_loom))]
mod ticks;

pub(crate) use checked_cell::CheckedCell;
pub(crate) use count::{Count, Level};
#[cfg(not(drumline_loom))]
pub(crate) use per_process::PerProcess;
pub(crate) use prefetch::{prefetch, prefetch_for_write};
pub(crate) use random::XorShift;
pub(crate) use retry_backoff::RetryBackoff;
pub(crate) use shared_words::SharedWords;
pub(crate) use spin::{SpinGuard, SpinLock};
pub(crate) use spin_cell::SpinCell;
pub(crate) use stopwatch::Stopwatch;
#[cfg(not(drumline_loom))]
pub(crate) use thread_number::thread_number;
#[cfg(not(drumline_loom))]
pub(crate) use ticks::{TickScale, Ticks};

#[cfg(drumline_shuttle)]
pub(crate) mod step_clock;

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

#[cfg(drumline_loom)]
pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

#[cfg(drumline_shuttle)]
pub(crate) mod atomic {
    pub(crate) use shuttle::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};

#[cfg(drumline_shuttle)]
pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard, Weak};

#[cfg(drumline_loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

/// What comes of an attempt to lock a mutex; the model checkers have it from here as well.
pub(crate) use std::sync::TryLockError;

/// Locks a mutex and goes on where an earlier holder panicked.
///
/// The critical sections of this crate leave their data consistent at every
/// point where user code or an allocation could panic, so a poisoned lock
/// carries no bad state here; refusing it would turn one panic into many.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

/// Tells the processor (or the model checker) that this thread spins.
#[inline]
pub(crate) fn relax() {
    #[cfg(not(any(drumline_loom, drumline_shuttle)))]
    std::hint::spin_loop();
    #[cfg(drumline_loom)]
    loom::thread::yield_now();
    #[cfg(drumline_shuttle)]
    shuttle::thread::yield_now();
}

/// As many turns of [`relax_or_yield`] are short: together, about the time of one uncontended
/// steal.
const SPINS: u32 = 200;

/// One turn of a wait for another thread that is about to do a few instructions.
#[inline]
pub(crate) fn relax_or_yield(turns: &mut u32) {
    *turns = turns.saturating_add(1);
    if *turns < SPINS {
        return relax();
    }
    // That thread has probably lost its processor: it may have this one.
    #[cfg(not(drumline_loom))]
    thread::yield_now();
    #[cfg(drumline_loom)]
    relax();
}

/// Threads, as the pool starts and joins them.
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) use std::thread;

#[cfg(drumline_shuttle)]
pub(crate) use shuttle::thread;

/// The clock: of steps, where every run has to be the same.
#[cfg(all(not(drumline_shuttle), any(not(drumline_loom), test)))]
pub(crate) use std::time::Instant;

#[cfg(drumline_shuttle)]
pub(crate) use step_clock::Instant;

/// State of each thread that needs no destructor. So it can be used at any time, also by the
/// destructors of the program's own thread-local state: with a destructor of its own, it could be
/// gone by then, and to use it would end the process.
#[cfg(not(drumline_loom))]
macro_rules! per_thread {
    ($($(#[$attribute:meta])* static $NAME:ident: $T:ty = const { $($value:tt)* };)+) => {
        $(const _: () = assert!(!std::mem::needs_drop::<$T>(), "it has a destructor");)+
        $crate::sync::thread_local! {
            $($(#[$attribute])* static $NAME: $T = const { $($value)* };)+
        }
    };
}
#[cfg(not(drumline_loom))]
pub(crate) use per_thread;

/// State of a thread that is dropped when the thread ends. Other destructors may run after that of
/// this state, so each user says what `try_with` means then.
#[cfg(not(drumline_loom))]
macro_rules! until_thread_ends {
    ($(#[$attribute:meta])* static $NAME:ident: $T:ty = const { $($value:tt)* };) => {
        $crate::sync::thread_local! {
            $(#[$attribute])* static $NAME: $T = const { $($value)* };
        }
    };
}
#[cfg(not(drumline_loom))]
pub(crate) use until_thread_ends;

#[cfg(not(any(drumline_loom, drumline_shuttle)))]
pub(crate) use std::thread_local;

#[cfg(drumline_shuttle)]
pub(crate) use shuttle::thread_local;

/// Keeps a value apart from the one that comes after it in memory, as [`Apart`] does. It is not
/// aligned: memory that is takes an allocator twice as long to find.
#[derive(Debug)]
pub(crate) struct Spaced<T> {
    pub(crate) value: T,
    _space: std::mem::MaybeUninit<[u8; 128]>,
}

impl<T> Spaced<T> {
    pub(crate) fn new(value: T) -> Self {
        Spaced {
            value,
            _space: std::mem::MaybeUninit::uninit(),
        }
    }
}

/// Keeps a value on cache lines of its own.
///
/// 128 bytes: two lines, because the adjacent-line prefetcher of x86-64 pulls
/// lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}
