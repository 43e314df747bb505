//! Atomics, fences and the smallest locks: the only module that names the
//! standard library's atomics, so that a model checker can take their place.
//!
//! Everything above imports its shared memory from here. Under `--cfg loom`
//! the same names resolve to loom's types, and the models in this crate run
//! the very code that ships.

/// Whether a planted bug is switched on: `false`, and gone, outside the models.
#[cfg(all(test, loom))]
macro_rules! planted {
    ($plant:ident) => {
        $crate::sync::plant::is($crate::sync::plant::Plant::$plant)
    };
}
#[cfg(not(all(test, loom)))]
macro_rules! planted {
    ($plant:ident) => {
        false
    };
}
pub(crate) use planted;

pub(crate) mod barrier;
#[cfg(all(test, loom))]
pub(crate) mod plant;
mod spin;

pub(crate) use spin::{SpinGuard, SpinLock};

#[cfg(not(loom))]
pub(crate) mod atomic {
    pub(crate) use std::sync::atomic::{
        AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence,
    };
}

#[cfg(loom)]
pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering, fence};
}

#[cfg(not(loom))]
pub(crate) use std::sync::{Arc, Mutex, MutexGuard};

#[cfg(loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};

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
    #[cfg(not(loom))]
    std::hint::spin_loop();
    #[cfg(loom)]
    loom::thread::yield_now();
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
