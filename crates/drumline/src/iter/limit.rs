//! A limit on the number of threads that take part in one loop.
//!
//! A loop with a limit has a permit for each thread besides the first. It forks only with a permit in
//! hand, which goes to whoever takes the half, and comes back when that one is done with it, or nobody
//! took it.
//!
//! The adapter and the loop know nothing of each other: between them is a chain of consumers that may be
//! anybody's. So the adapter leaves the limit with the thread, and the next loop that begins there takes it.

use std::cell::Cell;
use std::mem::ManuallyDrop;

use super::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer};
use super::stage::adapter;
use super::{IndexedParallelIterator, ParallelIterator};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Arc, per_thread};

/// Permits to take part.
#[derive(Debug)]
pub(crate) struct Limit {
    free: AtomicUsize,
}

per_thread! {
    /// Whether there is something in `NEXT`: what every loop asks, so it is cheap.
    static IS_SET: Cell<bool> = const { Cell::new(false) };
    /// The limit for the next loop that begins on this thread. Never dropped here: what announces
    /// a limit takes it back ([`Announced`]).
    static NEXT: Cell<ManuallyDrop<Option<Arc<Limit>>>> =
        const { Cell::new(ManuallyDrop::new(None)) };
}

impl Limit {
    /// Permits for `jobs` threads, the one that begins among them.
    fn new(jobs: usize) -> Arc<Self> {
        Arc::new(Limit {
            free: AtomicUsize::new(jobs - 1),
        })
    }

    /// Whether the loop that begins now has a limit.
    #[inline(always)]
    pub(crate) fn is_set() -> bool {
        IS_SET.with(Cell::get)
    }

    /// The limit of the loop that begins now, if it has one.
    pub(crate) fn of_next_loop() -> Option<Arc<Limit>> {
        if IS_SET.with(|is_set| is_set.replace(false)) {
            NEXT.with(|next| ManuallyDrop::into_inner(next.replace(ManuallyDrop::new(None))))
        } else {
            None
        }
    }

    /// The loop that begins now has no use for a limit.
    #[inline(always)]
    pub(crate) fn pass() {
        if Limit::is_set() {
            Limit::discard();
        }
    }

    #[cold]
    #[inline(never)]
    fn discard() {
        Limit::of_next_loop();
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

/// A permit in use.
#[derive(Debug)]
pub(crate) struct Permit<'l>(&'l Limit);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Takes a limit back that no loop took.
#[must_use]
pub(crate) struct Announced;

impl Announced {
    fn new(jobs: usize) -> Self {
        Self::again(Limit::new(jobs))
    }

    /// For one of several loops that share a limit.
    pub(crate) fn again(limit: Arc<Limit>) -> Self {
        IS_SET.with(|is_set| is_set.set(true));
        let before = NEXT.with(|next| next.replace(ManuallyDrop::new(Some(limit))));
        drop(ManuallyDrop::into_inner(before));
        Announced
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        Limit::of_next_loop();
    }
}

adapter! {
    /// Another iterator for whose loop there is a limit; see
    /// [`with_jobs`](super::ParallelIterator::with_jobs).
    WithJobs<I> { jobs: usize }
}

impl<I: ParallelIterator> ParallelIterator for WithJobs<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>,
    {
        let _announced = Announced::new(self.jobs);
        self.base.drive_unindexed(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for WithJobs<I> {
    fn len(&self) -> usize {
        self.base.len()
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Self::Item>,
    {
        let _announced = Announced::new(self.jobs);
        self.base.drive(consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Self::Item>,
    {
        struct Callback<CB> {
            callback: CB,
            jobs: usize,
        }

        impl<T, CB: ProducerCallback<T>> ProducerCallback<T> for Callback<CB> {
            type Output = CB::Output;

            fn callback<P: Producer<Item = T>>(self, producer: P) -> CB::Output {
                // Set when the base has done its own work, whatever that was.
                let _announced = Announced::new(self.jobs);
                self.callback.callback(producer)
            }
        }

        let Self { base, jobs } = self;
        base.with_producer(Callback { callback, jobs })
    }
}
