//! A limit on the number of threads that take part in one loop.
//!
//! A loop with a limit has a permit for each thread besides the first. It forks only with a permit
//! in hand. The permit goes to the thread that takes the half. It comes back when that half is
//! done, or when no thread took it.
//!
//! The adapter and the loop know nothing of each other: the consumers between them may be a user's.
//! So the adapter *announces* the limit on its thread for as long as it drives what it adapts
//! ([`Announced`]). The drive may run more loops than one: `skip` and `chain` do. Each of them has
//! the limit. A loop *hides* the limit while it lasts, because the loops that closures begin have
//! none.

use std::cell::Cell;
use std::mem::ManuallyDrop;

use crate::join;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, per_thread};

/// Permits to take part.
#[derive(Debug)]
pub(crate) struct LoopLimit {
    /// How many threads may take part.
    jobs: usize,
    /// How many more threads may join in now.
    free: AtomicUsize,
}

per_thread! {
    /// Whether there is something in `CURRENT`: what every loop asks, so it is cheap.
    static IS_SET: Cell<bool> = const { Cell::new(false) };
    /// The limit of the loops that begin on this thread now. Never dropped here: every
    /// [`Announced`] puts back what was there before, and the first one finds nothing.
    static CURRENT: Cell<ManuallyDrop<Option<Arc<LoopLimit>>>> =
        const { Cell::new(ManuallyDrop::new(None)) };
}

impl LoopLimit {
    /// Permits for `jobs` threads, the one that begins among them.
    fn new(jobs: usize) -> Arc<Self> {
        Arc::new(LoopLimit {
            jobs,
            free: AtomicUsize::new(jobs - 1),
        })
    }

    /// Whether a limit is announced on this thread.
    #[inline(always)]
    pub(crate) fn is_set() -> bool {
        IS_SET.with(Cell::get)
    }

    /// The limit that is announced on this thread.
    #[inline]
    pub(crate) fn announced() -> Option<Arc<LoopLimit>> {
        if !LoopLimit::is_set() {
            return None;
        }
        let hidden = LoopLimit::hide();
        hidden.before.clone()
    }

    /// Announces `limit`, or none, for the loops that begin on this thread until the result is
    /// dropped.
    #[cold]
    #[inline(never)]
    pub(crate) fn announce(limit: Option<Arc<LoopLimit>>) -> Announced {
        Announced {
            before: replace(limit),
        }
    }

    /// Hides the announced limit from the loops that begin on this thread until the result is
    /// dropped.
    #[inline]
    pub(crate) fn hide() -> Announced {
        if LoopLimit::is_set() {
            return LoopLimit::announce(None);
        }
        Announced { before: None }
    }

    /// Whether it is a limit of one thread.
    pub(crate) fn is_alone(&self) -> bool {
        self.jobs == 1
    }

    /// Takes a permit. `false`: there is none.
    #[must_use]
    pub(crate) fn acquire(&self) -> bool {
        // Relaxed: a count; what the threads do together is published by the join.
        let taken = self
            .free
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
                free.checked_sub(1)
            });
        taken.is_ok()
    }

    /// Gives a permit back.
    pub(crate) fn release(&self) {
        // Relaxed: as above.
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// The permit that this thread was handed; given back when dropped.
    pub(crate) fn hold(&self) -> Permit<'_> {
        Permit(self)
    }
}

/// Announces `limit` instead of what is returned.
fn replace(limit: Option<Arc<LoopLimit>>) -> Option<Arc<LoopLimit>> {
    IS_SET.with(|is_set| is_set.set(limit.is_some()));
    ManuallyDrop::into_inner(CURRENT.with(|current| current.replace(ManuallyDrop::new(limit))))
}

#[cold]
#[inline(never)]
fn put_back(before: Option<Arc<LoopLimit>>) {
    drop(replace(before));
}

/// As [`join::within`]; the limit that is announced here is announced there as well.
pub(crate) fn within<R: Send>(op: impl FnOnce() -> R + Send) -> R {
    let limit = LoopLimit::announced();
    join::within(move || {
        let _announced = limit.map(|limit| LoopLimit::announce(Some(limit)));
        op()
    })
}

/// A permit in use.
#[derive(Debug)]
pub(crate) struct Permit<'l>(&'l LoopLimit);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Puts back, when dropped, the limit that was announced before.
#[must_use]
pub(crate) struct Announced {
    before: Option<Arc<LoopLimit>>,
}

impl Announced {
    /// Announces a limit of `jobs` threads, unless a stricter one is announced already.
    pub(crate) fn new(jobs: usize) -> Self {
        let before = LoopLimit::announced();
        LoopLimit::announce(match before {
            Some(stricter) if stricter.jobs <= jobs => Some(stricter),
            _ => Some(LoopLimit::new(jobs)),
        })
    }

    /// Announces, for one of several loops, the limit that was announced before.
    pub(crate) fn again(&self) -> Option<Announced> {
        let limit = self.before.as_ref()?;
        Some(LoopLimit::announce(Some(limit.clone())))
    }

    /// The limit that was announced before.
    pub(crate) fn before(&self) -> Option<&Arc<LoopLimit>> {
        self.before.as_ref()
    }
}

impl Drop for Announced {
    #[inline]
    fn drop(&mut self) {
        // What was hidden is put back; what was announced in its place is dropped.
        if self.before.is_some() || LoopLimit::is_set() {
            put_back(self.before.take());
        }
    }
}
