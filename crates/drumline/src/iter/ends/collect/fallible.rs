//! Collections of what may fail: `Option` and `Result` of a collection.

use std::fmt;

use crate::iter::item_op::{ItemOp, ItemOpConsumer, Plan};
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator};
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};

/// The collection of all items, or `None` as soon as one is `None`.
impl<C, T> FromParallelIterator<Option<T>> for Option<C>
where
    C: FromParallelIterator<T>,
    T: Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Option<T>>,
    {
        let items = iter.into_par_iter().map(|item| item.ok_or(()));
        Result::from_par_iter(items).ok()
    }
}

/// The collection of all items, or an error as soon as there is one: of several, which one is not
/// said.
impl<C, T, E> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
    T: Send,
    E: Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Result<T, E>>,
    {
        let failure = Failure::none();
        let collection = C::from_par_iter(Successes {
            base: iter.into_par_iter(),
            failure: &failure,
        });
        match failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(collection),
        }
    }
}

/// The first error that a thread met.
struct Failure<E> {
    has_failed: AtomicBool,
    error: Mutex<Option<E>>,
}

impl<E> fmt::Debug for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Failure").finish_non_exhaustive()
    }
}

impl<E> Failure<E> {
    fn none() -> Self {
        Failure {
            has_failed: AtomicBool::new(false),
            error: Mutex::new(None),
        }
    }

    /// Keeps `error`, if it is the first one.
    #[cold]
    fn keep(&self, error: E) {
        // Dropped without the lock, as that may panic.
        let mut error = Some(error);
        {
            let mut kept = self.lock();
            if kept.is_none() {
                *kept = error.take();
            }
        }
        // Relaxed: it is only for ending early. The error is looked at when the loop is over.
        self.has_failed.store(true, Ordering::Relaxed);
    }

    fn has_failed(&self) -> bool {
        // Relaxed: as in `keep`.
        self.has_failed.load(Ordering::Relaxed)
    }

    fn lock(&self) -> crate::sync::MutexGuard<'_, Option<E>> {
        self.error
            .lock()
            .expect("no thread panics while errors are locked")
    }

    fn into_inner(self) -> Option<E> {
        self.error
            .into_inner()
            .expect("no thread panics while errors are locked")
    }
}

/// The items of `base` that are no errors, until there is one.
#[derive(Debug)]
struct Successes<'e, I, E> {
    base: I,
    failure: &'e Failure<E>,
}

impl<I, T, E> ParallelIterator for Successes<'_, I, E>
where
    I: ParallelIterator<Item = Result<T, E>>,
    T: Send,
    E: Send,
{
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let plan = UntilFailure(self.failure);
        self.base
            .drive_unindexed(ItemOpConsumer::new(consumer, plan))
    }
}

/// Takes items until there is an error; plan and item operation in one.
#[derive(Debug)]
struct UntilFailure<'e, E>(&'e Failure<E>);

impl<E> Clone for UntilFailure<'_, E> {
    fn clone(&self) -> Self {
        UntilFailure(self.0)
    }
}

impl<E: Send> Plan for UntilFailure<'_, E> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T, E> ItemOp<Result<T, E>> for UntilFailure<'_, E> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: Result<T, E>) -> F {
        match item {
            Ok(item) => folder.consume(item),
            Err(error) => {
                self.0.keep(error);
                folder
            }
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = Result<T, E>>,
    {
        if self.0.has_failed() {
            return folder;
        }
        folder.consume_iter(items.map_while(|item| match item {
            Ok(item) if !self.0.has_failed() => Some(item),
            Ok(_) => None,
            Err(error) => {
                self.0.keep(error);
                None
            }
        }))
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.has_failed()
    }
}
