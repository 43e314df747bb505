//! Searches by index: `position_any`, `position_first`, `eq`, …

use super::gather::{Gather, Join, gather};
use super::{IndexedParallelIterator, ParallelIterator};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What `op` makes of some item that it makes something of.
pub(crate) fn any<I, R, F>(iter: I, op: F) -> Option<R>
where
    I: ParallelIterator,
    R: Send,
    F: Fn(I::Item) -> Option<R> + Sync,
{
    let search = Any {
        found: AtomicBool::new(false),
        op,
    };
    gather(iter, &search)
}

/// What `op` makes of the first item that it makes something of, and the index of that item.
pub(crate) fn first<I, R, F>(iter: I, op: F) -> Option<(usize, R)>
where
    I: IndexedParallelIterator,
    R: Send,
    F: Fn(I::Item) -> Option<R> + Sync,
{
    let search = First {
        best: AtomicUsize::new(usize::MAX),
        op,
    };
    match gather(iter.enumerate(), &search) {
        Search::Found(index, made) => Some((index, made)),
        Search::On | Search::Late => None,
    }
}

/// Ends everywhere as soon as something is found.
struct Any<F> {
    /// Relaxed throughout: it only says that there is no need to go on. What was found comes with
    /// the result.
    found: AtomicBool,
    op: F,
}

impl<R, F: Sync> Join<Option<R>> for Any<F> {
    fn join(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        left.or(right)
    }
}

impl<T, R, F> Gather<T> for Any<F>
where
    R: Send,
    F: Fn(T) -> Option<R> + Sync,
{
    type Value = Option<R>;

    #[inline]
    fn begin(&self) -> Option<R> {
        None
    }

    #[inline]
    fn take(&self, value: Option<R>, item: T) -> Option<R> {
        if value.is_some() {
            return value;
        }
        let made = (self.op)(item)?;
        self.found.store(true, Ordering::Relaxed);
        Some(made)
    }

    // Never inline: the loop needs all registers, and it is called once in a run.
    #[inline(never)]
    fn take_all<I>(&self, value: Option<R>, items: I) -> Option<R>
    where
        I: Iterator<Item = T>,
    {
        if value.is_some() {
            return value;
        }
        for item in items {
            let made = (self.op)(item);
            if made.is_some() {
                self.found.store(true, Ordering::Relaxed);
                return made;
            }
            if self.over() {
                break;
            }
        }
        None
    }

    #[inline]
    fn full(&self, _value: &Option<R>) -> bool {
        self.over()
    }

    #[inline]
    fn over(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }
}

/// What comes of a search for the first.
enum Search<R> {
    /// Nothing yet.
    On,
    /// This, at this index.
    Found(usize, R),
    /// Nothing before what another part found earlier on.
    Late,
}

/// Ends wherever something was found further to the front.
struct First<F> {
    /// The smallest index at which something was found. Relaxed throughout: it only says that
    /// there is no need to go on. What was found comes with the result, and the result of the
    /// foremost part counts.
    best: AtomicUsize,
    op: F,
}

impl<R, F: Sync> Join<Search<R>> for First<F> {
    fn join(&self, left: Search<R>, right: Search<R>) -> Search<R> {
        match left {
            Search::Found(..) => left,
            Search::On | Search::Late => right,
        }
    }
}

impl<T, R, F> Gather<(usize, T)> for First<F>
where
    R: Send,
    F: Fn(T) -> Option<R> + Sync,
{
    type Value = Search<R>;

    #[inline]
    fn begin(&self) -> Search<R> {
        Search::On
    }

    #[inline]
    fn take(&self, value: Search<R>, (index, item): (usize, T)) -> Search<R> {
        if self.full(&value) {
            return value;
        }
        if index > self.best.load(Ordering::Relaxed) {
            return Search::Late;
        }
        match (self.op)(item) {
            None => Search::On,
            Some(made) => {
                self.best.fetch_min(index, Ordering::Relaxed);
                Search::Found(index, made)
            }
        }
    }

    // Never inline: the loop needs all registers, and it is called once in a run.
    #[inline(never)]
    fn take_all<I>(&self, value: Search<R>, items: I) -> Search<R>
    where
        I: Iterator<Item = (usize, T)>,
    {
        if self.full(&value) {
            return value;
        }
        for (index, item) in items {
            if index > self.best.load(Ordering::Relaxed) {
                return Search::Late;
            }
            if let Some(made) = (self.op)(item) {
                self.best.fetch_min(index, Ordering::Relaxed);
                return Search::Found(index, made);
            }
        }
        Search::On
    }

    #[inline]
    fn full(&self, value: &Search<R>) -> bool {
        !matches!(value, Search::On)
    }
}
