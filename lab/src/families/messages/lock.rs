//! Two kinds of locks: one for each state, and one for all states of the process.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What protects a state.
pub trait Lock<S>: Send + Sync + 'static {
    /// What the state is reached through while the lock is held.
    type Guard<'a>: DerefMut<Target = S>;

    /// Puts a state behind a lock.
    fn new(state: S) -> Self;

    /// Takes the lock.
    fn lock(&self) -> Self::Guard<'_>;

    /// Gives the lock back until the condition variable is notified.
    fn wait<'a>(&'a self, condition: &Condvar, guard: Self::Guard<'a>) -> Self::Guard<'a>;
}

/// A lock for one state.
pub type OwnLock<S> = Mutex<S>;

impl<S: Send + 'static> Lock<S> for OwnLock<S> {
    type Guard<'a> = MutexGuard<'a, S>;

    fn new(state: S) -> Self {
        Mutex::new(state)
    }

    fn lock(&self) -> Self::Guard<'_> {
        Mutex::lock(self).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, condition: &Condvar, guard: Self::Guard<'a>) -> Self::Guard<'a> {
        let guard = condition.wait(guard);
        guard.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The lock of all states that are behind a [`ProcessLock`].
static GLOBAL: Mutex<()> = Mutex::new(());

/// A state behind the one lock of all.
#[derive(Debug)]
pub struct ProcessLock<S>(UnsafeCell<S>);

// SAFETY: only a guard reaches the state, and a guard holds `GLOBAL`, so one thread has it at a
// time. `S: Send` lets that be any thread.
unsafe impl<S: Send> Sync for ProcessLock<S> {}

/// Holds the one lock of all, and reaches one state.
#[derive(Debug)]
pub struct ProcessGuard<'a, S> {
    state: &'a UnsafeCell<S>,
    held: MutexGuard<'static, ()>,
}

impl<S> Deref for ProcessGuard<'_, S> {
    type Target = S;

    fn deref(&self) -> &S {
        // SAFETY: the guard holds `GLOBAL`, and lends its state only as long as itself is borrowed.
        unsafe { &*self.state.get() }
    }
}

impl<S> DerefMut for ProcessGuard<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        // SAFETY: as in `deref`; the guard itself is borrowed mutably.
        unsafe { &mut *self.state.get() }
    }
}

impl<S: Send + 'static> Lock<S> for ProcessLock<S> {
    type Guard<'a> = ProcessGuard<'a, S>;

    fn new(state: S) -> Self {
        Self(UnsafeCell::new(state))
    }

    fn lock(&self) -> Self::Guard<'_> {
        ProcessGuard {
            state: &self.0,
            held: GLOBAL.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn wait<'a>(&'a self, condition: &Condvar, guard: Self::Guard<'a>) -> Self::Guard<'a> {
        let ProcessGuard { state, held } = guard;
        let held = condition.wait(held);
        let held = held.unwrap_or_else(PoisonError::into_inner);
        ProcessGuard { state, held }
    }
}
