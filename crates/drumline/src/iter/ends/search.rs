//! Searches: `find_any`, `any`, `all`, `position_any`, `position_first`, `eq`, …

use std::ops::ControlFlow::{Break, Continue};

use super::reduction::{Join, Reduction, run_reduction};
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What `op` makes of some item that it makes something of.
pub(crate) fn any<I, R, F>(iter: I, op: F) -> Option<R>
where
    I: ParallelIterator,
    R: Send,
    F: Fn(I::Item) -> Option<R> + Sync,
{
    let search = AnyOf {
        found: AtomicBool::new(false),
        op,
    };
    run_reduction(iter, &search)
}

/// What `op` makes of the first item that it makes something of, and the index of that item.
pub(crate) fn first<I, R, F>(iter: I, op: F) -> Option<(usize, R)>
where
    I: IndexedParallelIterator,
    R: Send,
    F: Fn(I::Item) -> Option<R> + Sync,
{
    let search = FirstOf {
        best: AtomicUsize::new(usize::MAX),
        op,
    };
    match run_reduction(iter.enumerate(), &search) {
        SearchState::Found(index, made) => Some((index, made)),
        SearchState::On | SearchState::Late => None,
    }
}

/// Ends everywhere as soon as something is found.
struct AnyOf<F> {
    /// Relaxed throughout: it only says that there is no need to go on. What was found comes with
    /// the result.
    found: AtomicBool,
    op: F,
}

impl<R, F: Sync> Join<Option<R>> for AnyOf<F> {
    fn join(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        left.or(right)
    }
}

impl<T, R, F> Reduction<T> for AnyOf<F>
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
        // Relaxed: see `found`.
        self.found.store(true, Ordering::Relaxed);
        Some(made)
    }

    #[inline]
    fn take_all<I>(&self, value: Option<R>, mut items: I) -> Option<R>
    where
        I: Iterator<Item = T>,
    {
        if value.is_some() {
            return value;
        }
        let end = items.try_for_each(|item| match (self.op)(item) {
            None if self.over() => Break(None),
            None => Continue(()),
            made => Break(made),
        });
        let Break(Some(made)) = end else {
            return None;
        };
        // Relaxed: see `found`.
        self.found.store(true, Ordering::Relaxed);
        Some(made)
    }

    #[inline]
    fn over(&self) -> bool {
        // Relaxed: see `found`.
        self.found.load(Ordering::Relaxed)
    }
}

/// What comes of a search for the first.
enum SearchState<R> {
    /// Nothing yet.
    On,
    /// This, at this index.
    Found(usize, R),
    /// Nothing before what another part found earlier on.
    Late,
}

/// Ends wherever something was found further to the front.
struct FirstOf<F> {
    /// The smallest index at which something was found. Relaxed throughout: it only says that
    /// there is no need to go on. What was found comes with the result, and the result of the
    /// foremost part counts.
    best: AtomicUsize,
    op: F,
}

impl<R, F: Sync> Join<SearchState<R>> for FirstOf<F> {
    fn join(&self, left: SearchState<R>, right: SearchState<R>) -> SearchState<R> {
        match left {
            SearchState::Found(..) => left,
            SearchState::On | SearchState::Late => right,
        }
    }
}

impl<T, R, F> Reduction<(usize, T)> for FirstOf<F>
where
    R: Send,
    F: Fn(T) -> Option<R> + Sync,
{
    type Value = SearchState<R>;

    #[inline]
    fn begin(&self) -> SearchState<R> {
        SearchState::On
    }

    #[inline]
    fn take(&self, value: SearchState<R>, (index, item): (usize, T)) -> SearchState<R> {
        if self.full(&value) {
            return value;
        }
        // Relaxed: see `best`.
        if index > self.best.load(Ordering::Relaxed) {
            return SearchState::Late;
        }
        match (self.op)(item) {
            None => SearchState::On,
            Some(made) => {
                // Relaxed: see `best`.
                self.best.fetch_min(index, Ordering::Relaxed);
                SearchState::Found(index, made)
            }
        }
    }

    // Never inline: the loop needs all registers, and it is called once in a run.
    #[inline(never)]
    fn take_all<I>(&self, value: SearchState<R>, items: I) -> SearchState<R>
    where
        I: Iterator<Item = (usize, T)>,
    {
        if self.full(&value) {
            return value;
        }
        for (index, item) in items {
            // Relaxed, here and below: see `best`.
            if index > self.best.load(Ordering::Relaxed) {
                return SearchState::Late;
            }
            if let Some(made) = (self.op)(item) {
                self.best.fetch_min(index, Ordering::Relaxed);
                return SearchState::Found(index, made);
            }
        }
        SearchState::On
    }

    #[inline]
    fn full(&self, value: &SearchState<R>) -> bool {
        !matches!(value, SearchState::On)
    }
}
