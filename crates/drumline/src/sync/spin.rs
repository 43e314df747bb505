//! A lock for critical sections of a few instructions.
//!
//! The thief-lock of a deque is held for one steal: a handful of stores and,
//! at most, one system call. Thieves only ever *try* it; the owner of the deque
//! waits for it, rarely and briefly, so the wait spins and then gives way to
//! other threads instead of parking.

use super::atomic::{AtomicBool, Ordering};
use super::relax;

/// Spins before the waiting owner offers its processor to others: about the
/// time of one uncontended steal.
const SPINS: u32 = 200;

/// A test-and-set lock without data; what it guards says so where it lives.
#[derive(Debug)]
pub(crate) struct SpinLock {
    held: AtomicBool,
}

/// Proof that the lock is held; dropping it releases the lock.
#[must_use]
#[derive(Debug)]
pub(crate) struct SpinGuard<'a> {
    lock: &'a SpinLock,
}

impl SpinLock {
    pub(crate) fn new() -> Self {
        SpinLock {
            held: AtomicBool::new(false),
        }
    }

    /// Takes the lock if it is free at this moment.
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<SpinGuard<'_>> {
        // Acquire pairs with the Release in `SpinGuard::drop`.
        if !self.held.load(Ordering::Relaxed) && !self.held.swap(true, Ordering::Acquire) {
            Some(SpinGuard { lock: self })
        } else {
            None
        }
    }

    /// Waits until the lock is free, and takes it.
    #[cold]
    pub(crate) fn lock(&self) -> SpinGuard<'_> {
        let mut spins = 0;
        loop {
            if let Some(guard) = self.try_lock() {
                return guard;
            }
            spins += 1;
            if spins < SPINS {
                relax();
            } else {
                // The holder has probably lost its processor: let it run.
                #[cfg(not(loom))]
                std::thread::yield_now();
                #[cfg(loom)]
                relax();
            }
        }
    }
}

impl Drop for SpinGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        // Release pairs with the Acquire in `SpinLock::try_lock`.
        self.lock.held.store(false, Ordering::Release);
    }
}
