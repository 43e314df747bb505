//! The source of a stage, and the *run* of its serial end.
//!
//! Where no consumer is at work, the serial end of a blind source handles items by itself: it pulls one,
//! handles it, hands out what came of it, and comes back for the next. Between two of them it
//! keeps the token, its place at work and the state of the functions. So an item costs one lock,
//! that of the source, and the desk learns of all of them when the run ends.
//!
//! ```text
//!            step_in_alone         an item: lock, pull, handle, unlock
//!   (no run) ─────────────► (run) ◄──────────────────────────────────┐
//!      ▲                      │ └──────────────────────────────────────┘
//!      │  end_run             │
//!      └── the serial end: the source has ended, or the run is unwanted
//!      └── a consumer that has arrived: it takes the run away
//! ```
//!
//! # The race feared
//!
//! The serial end is busy with a result for long, or never comes back, and still has the token: a
//! consumer that was called could not pull. So such a consumer takes the run away. Who takes the run
//! out of its place, under the lock of the source, tells the desk of it, and no other does:
//! the items are counted once, and the token is given back once. If the lock is taken, the serial
//! end is at work on an item, and the consumer says that the run is unwanted (`Desk::turn`). The
//! serial end looks at that before each item.
//!
//! The serial end never waits for the lock of a source with a run: if it is taken, a consumer has
//! taken the run away, and may be waiting in the source.

use crate::sync::{Mutex, MutexGuard, TryLockError, lock};

/// A source, locked by whoever has the desk's token. Only one that wants to take a run away competes.
#[derive(Debug)]
pub(super) struct Held<S, R>(Mutex<Inner<S, R>>);

#[derive(Debug)]
pub(super) struct Inner<S, R> {
    pub(super) source: S,
    /// The run of the serial end.
    pub(super) run: Option<R>,
}

impl<S, R> Held<S, R> {
    pub(super) fn new(source: S) -> Self {
        Held(Mutex::new(Inner { source, run: None }))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner<S, R>> {
        lock(&self.0)
    }

    /// The source with its run, if there is one and it is not at work.
    pub(super) fn with_run(&self) -> Option<MutexGuard<'_, Inner<S, R>>> {
        let held = match self.0.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let has_run = held.run.is_some() || crate::sync::planted!(RunUnchecked);
        has_run.then_some(held)
    }

    /// Takes the run out of its place, if it is not at work: who gets it ends it.
    pub(super) fn take_run(&self) -> Option<R> {
        self.with_run()?.run.take()
    }
}
