//! A value under a lock for a few instructions.

use std::cell::UnsafeCell;
use std::fmt;

use super::SpinLock;

/// A value that is changed in a few instructions at a time, under a [`SpinLock`] of its own.
///
/// Where threads rarely meet, it costs one read-modify-write; a mutex costs two.
#[derive(Default)]
pub(crate) struct SpinCell<T> {
    lock: SpinLock,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached under the lock only, by one thread at a time.
unsafe impl<T: Send> Send for SpinCell<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Send> Sync for SpinCell<T> {}

impl<T> fmt::Debug for SpinCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpinCell").finish_non_exhaustive()
    }
}

impl<T> SpinCell<T> {
    pub(crate) fn new(value: T) -> Self {
        SpinCell {
            lock: SpinLock::new(),
            value: UnsafeCell::new(value),
        }
    }

    /// Changes the value. `change` must not run code of the program, nor come here again.
    #[inline]
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let _held = self.lock.try_lock().unwrap_or_else(|| self.lock.lock());
        // SAFETY: the lock is held until the end of this function.
        change(unsafe { &mut *self.value.get() })
    }
}
