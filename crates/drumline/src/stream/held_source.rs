//! The source of a stage, and the *run* of one consumer.
//!
//! Where no other consumer is at work and items are short, one consumer of a blind source handles
//! them alone: it pulls an item, handles it, hands in what came of it, and pulls the next. It keeps
//! the token meanwhile, and the stage state learns of its items when the run ends. The consumer may
//! be the serial end, which hands out the results itself.
//!
//! ```text
//!              begin_run         an item: lock, pull, unlock, handle
//!   (no run) ─────────────► (run) ◄─────────────────────────────────┐
//!      ▲                      │ └─────────────────────────────────────┘
//!      │  end_run             │
//!      └── the owner: the source has ended, or the run is unwanted
//!      └── another consumer: it takes the run away
//! ```
//!
//! # The race feared
//!
//! *The owner is held up* by an item or a result, perhaps until a later item has been handled. The
//! owner has the token, so no other consumer could pull. So the lock of the source is held for the
//! pull only, and a consumer takes the run away while the owner handles an item. Under that lock
//! the taker removes the run from its place, and then frees the token. Only the thread that removes
//! the run ends it: its items are counted once, and the token is freed once. The owner finds the
//! run gone when it comes back for the next item. The number of the item at hand was given out by
//! the taker (`StageState::end_run`), so the order of results is kept.
//!
//! *The lock is taken.* The owner is in the source, and no other could pull in any case. The taker
//! says that the run is unwanted (`StageState::turn`); the owner looks at that before each pull.
//!
//! The owner never waits for the lock. If the lock is taken, a consumer has taken the run away, and
//! may be waiting in the source.
//!
//! # Pulls
//!
//! One word says whether a pull is under way, and how many there were. Only the thread with the
//! lock writes it. The consumer that watches (`aside`) leaves when a pull has waited for long, and
//! the end of that pull calls another one before the item is handled:
//!
//! ```text
//!   end of a pull            the consumer that watches
//!   store pulls              store left
//!   light()                  heavy()
//!   load  left               load  pulls       never: both loads miss
//! ```
//!
//! If the consumer finds that the pull is over, it stays. It stays also if the barrier is refused.

use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::barrier::{self, Barrier};
use crate::sync::{Mutex, MutexGuard, TryLockError, lock};

/// A source, locked for each pull. Only a consumer that takes a run away competes for the lock.
#[derive(Debug)]
pub(super) struct HeldSource<S> {
    inner: Mutex<LockedSource<S>>,
    /// The number of pulls, above one bit.
    pulls: AtomicUsize,
    /// The consumer that watched has left.
    left: AtomicBool,
    barrier: Barrier,
}

/// A pull is under way.
const PULLING: usize = 1;
/// One pull.
const ONE: usize = 2;

#[derive(Debug)]
pub(super) struct LockedSource<S> {
    pub(super) source: S,
    /// The run, if there is one.
    pub(super) run: Option<PullRun>,
}

/// A run of one consumer.
#[derive(Clone, Copy, Debug)]
pub(super) struct PullRun {
    pub(super) results: ResultsTo,
    /// How many items were pulled.
    pub(super) items: u64,
}

/// Where the results of a run go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultsTo {
    /// The serial end hands them out itself.
    Out,
    /// To the stage state, after each item.
    StageState,
    /// Nowhere: it is a parallel end.
    Nowhere,
}

/// How far the pulls have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pulls(usize);

impl Pulls {
    pub(super) fn is_pulling(self) -> bool {
        self.0 & PULLING != 0
    }

    pub(super) fn since(self, before: Self) -> usize {
        (self.0 / ONE).wrapping_sub(before.0 / ONE)
    }
}

impl<S> HeldSource<S> {
    pub(super) fn new(source: S, barrier: Barrier) -> Self {
        HeldSource {
            inner: Mutex::new(LockedSource { source, run: None }),
            pulls: AtomicUsize::new(0),
            left: AtomicBool::new(false),
            barrier,
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, LockedSource<S>> {
        lock(&self.inner)
    }

    /// The source with its run, if there is one and its owner does not pull.
    pub(super) fn with_run(&self) -> Option<MutexGuard<'_, LockedSource<S>>> {
        let held = match self.inner.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let has_run = held.run.is_some() || crate::sync::planted!(RunUnchecked);
        has_run.then_some(held)
    }

    /// Takes the run out of its place, if its owner does not pull. The thread that gets it ends it.
    pub(super) fn take_run(&self) -> Option<PullRun> {
        self.with_run()?.run.take()
    }

    /// The thread with the lock is about to pull.
    #[inline]
    pub(super) fn begin_pull(&self) {
        // Relaxed: only the thread with the lock writes it, and it publishes nothing but itself.
        let pulls = self.pulls.load(Ordering::Relaxed);
        self.pulls.store(pulls | PULLING, Ordering::Relaxed);
    }

    /// The thread with the lock has pulled. Returns whether the stage is unwatched since.
    #[inline]
    pub(super) fn end_pull(&self) -> bool {
        // Relaxed: see `begin_pull`. PULLING carries over into the count.
        let pulls = self.pulls.load(Ordering::Relaxed);
        self.pulls
            .store(pulls.wrapping_add(ONE - PULLING), Ordering::Relaxed);
        match self.barrier {
            Barrier::Asymmetric => barrier::light(),
            Barrier::Refused => barrier::fence(),
        }
        // Relaxed, here and below: the barrier orders it, and it publishes nothing but itself.
        self.left.load(Ordering::Relaxed) && self.left.swap(false, Ordering::Relaxed)
    }

    pub(super) fn pulls(&self) -> Pulls {
        // Relaxed: see `begin_pull`.
        Pulls(self.pulls.load(Ordering::Relaxed))
    }

    /// The consumer that watches leaves. `false`: the pull that it has `seen` is over, so it stays.
    pub(super) fn leave_unwatched(&self, seen: Pulls) -> bool {
        if !seen.is_pulling() {
            return false;
        }
        // Relaxed: see `end_pull`.
        self.left.store(
            !crate::sync::planted!(WatcherLeavesSilently),
            Ordering::Relaxed,
        );
        let leaves = barrier::heavy(self.barrier) && self.pulls() == seen;
        if !leaves {
            // Relaxed: see `end_pull`. If that pull has found the note, it calls one too many.
            self.left.store(false, Ordering::Relaxed);
        }
        leaves
    }
}
