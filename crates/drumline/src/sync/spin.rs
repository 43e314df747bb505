//! A lock for critical sections of a few instructions.
//!
//! The thief-lock of a deque is held for one steal: a handful of stores, and no system call.
//! (Only where the barrier is lost a thief looks up under it whether the owner sleeps.) Thieves
//! *try* it, and wait for it only to end a claim of their own. The owner of the deque waits for
//! it, rarely and briefly, so the wait spins and then gives way to other threads instead of
//! parking.
//!
//! Under loom it is made of loom's mutex: a model cannot spin.

#[cfg(drumline_loom)]
pub(crate) use model::{SpinGuard, SpinLock};
#[cfg(not(drumline_loom))]
pub(crate) use real::{SpinGuard, SpinLock};

#[cfg(any(not(drumline_loom), test))]
mod real {
    use crate::sync::atomic::{AtomicBool, Ordering};
    use crate::sync::relax_or_yield;

    /// A test-and-set lock without data; what it guards says so where it lives.
    #[derive(Debug, Default)]
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
            // Relaxed: a hint, which spares a swap in vain. Acquire pairs with the Release in
            // `SpinGuard::drop`.
            if !self.held.load(Ordering::Relaxed) && !self.held.swap(true, Ordering::Acquire) {
                Some(SpinGuard { lock: self })
            } else {
                None
            }
        }

        /// Opens the lock, whichever thread holds it: one of a process that this one was forked
        /// from, and that does not exist here.
        #[cold]
        pub(crate) fn open_after_fork(&self) {
            // Relaxed: this thread is alone with what the lock protects.
            self.held.store(false, Ordering::Relaxed);
        }

        /// Waits until the lock is free, and takes it.
        #[cold]
        pub(crate) fn lock(&self) -> SpinGuard<'_> {
            let mut turns = 0;
            loop {
                if let Some(guard) = self.try_lock() {
                    return guard;
                }
                relax_or_yield(&mut turns);
            }
        }
    }

    impl Drop for SpinGuard<'_> {
        #[inline]
        fn drop(&mut self) {
            // Release pairs with the Acquire in `SpinLock::try_lock`.
            let order = if crate::sync::planted!(UnlockRelaxed) {
                Ordering::Relaxed
            } else {
                Ordering::Release
            };
            self.lock.held.store(false, order);
        }
    }
}

#[cfg(drumline_loom)]
mod model {
    use loom::sync::{Mutex, MutexGuard};

    /// The same contract from loom's own parts.
    #[derive(Debug, Default)]
    pub(crate) struct SpinLock {
        mutex: Mutex<()>,
    }

    #[must_use]
    #[derive(Debug)]
    pub(crate) struct SpinGuard<'a> {
        _locked: Option<MutexGuard<'a, ()>>,
    }

    impl SpinLock {
        pub(crate) fn new() -> Self {
            SpinLock {
                mutex: Mutex::new(()),
            }
        }

        pub(crate) fn try_lock(&self) -> Option<SpinGuard<'_>> {
            if crate::sync::planted!(SpinLockOpen) {
                return Some(SpinGuard { _locked: None });
            }
            self.mutex.try_lock().ok().map(|guard| SpinGuard {
                _locked: Some(guard),
            })
        }

        pub(crate) fn lock(&self) -> SpinGuard<'_> {
            if crate::sync::planted!(SpinLockOpen) {
                return SpinGuard { _locked: None };
            }
            SpinGuard {
                _locked: Some(self.mutex.lock().unwrap()),
            }
        }
    }
}

#[cfg(all(test, drumline_loom))]
#[allow(
    clippy::arc_with_non_send_sync,
    reason = "loom's threads are coroutines of one"
)]
mod tests {
    use std::sync::Arc;

    use loom::cell::UnsafeCell;
    use loom::thread;

    use super::real::SpinLock;
    use crate::sync::plant::{Plant, must_catch};

    /// Two threads try the real lock. The thread that gets the lock has the guarded value to
    /// itself, and sees what the thread before it did.
    fn exclusive() {
        let shared = Arc::new((SpinLock::new(), UnsafeCell::new(0)));
        let add = |shared: &(SpinLock, UnsafeCell<usize>)| match shared.0.try_lock() {
            Some(guard) => {
                // SAFETY: loom checks that accesses are ordered.
                shared.1.with_mut(|count| unsafe { *count += 1 });
                drop(guard);
                1
            }
            None => 0,
        };
        let other = thread::spawn({
            let shared = shared.clone();
            move || add(&shared)
        });
        let mine = add(&shared);
        let both = mine + other.join().unwrap();
        // SAFETY: as above.
        assert_eq!(shared.1.with(|count| unsafe { *count }), both);
    }

    #[test]
    fn loom_spin_lock_is_exclusive() {
        loom::model(exclusive);
    }

    #[test]
    fn loom_plants_spin_lock_is_exclusive() {
        must_catch(Plant::UnlockRelaxed, || loom::model(exclusive));
    }
}
