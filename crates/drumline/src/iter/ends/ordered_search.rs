//! `find_first`, `find_last` and their `map` forms.
//!
//! Each consumer has a *place*: a range of numbers, which is halved when the consumer is split. A
//! consumer that finds something publishes where its place begins, if that is better than what is
//! published. A consumer on the wrong side of the published place stops.
//!
//! Only disjoint places tell anything, and consumers with places that share a beginning never stop
//! each other. When a place is too small to be halved, both parts have it. That costs work and
//! nothing else, because the order of the results decides what is returned. A
//! [chunk](Consumer::split_chunk), and a folder that [advances](Consumer::advance), share the place
//! of what is after them. So places are used up by the splits of a loop, and not by its chunks.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow::{Break, Continue};

use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Which of several items is searched for.
pub(crate) trait End: Copy + Send + Sync + fmt::Debug {
    /// What is published before anything is found.
    const NOTHING: usize;

    /// Whether what is found at `place` is of no use beside what was found at `best`.
    fn is_beaten(place: usize, best: usize) -> bool;

    /// Publishes that something was found at `place`.
    fn publish(best: &AtomicUsize, place: usize);

    /// Whether a folder needs nothing but the first item that it finds.
    const FIRST: bool;
}

/// The first one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct First;

impl End for First {
    const NOTHING: usize = usize::MAX;
    const FIRST: bool = true;

    #[inline]
    fn is_beaten(place: usize, best: usize) -> bool {
        best < place
    }

    fn publish(best: &AtomicUsize, place: usize) {
        // Relaxed: it only saves work. What was found is in the result.
        best.fetch_min(place, Ordering::Relaxed);
    }
}

/// The last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Last;

impl End for Last {
    const NOTHING: usize = 0;
    const FIRST: bool = false;

    #[inline]
    fn is_beaten(place: usize, best: usize) -> bool {
        best > place
    }

    fn publish(best: &AtomicUsize, place: usize) {
        // Relaxed: as for `First`.
        best.fetch_max(place, Ordering::Relaxed);
    }
}

/// What `pick` makes of the first or the last item that it makes something of.
pub(crate) fn search<I, R, P, E>(iter: I, pick: &P, end: E) -> Option<R>
where
    I: ParallelIterator,
    P: Fn(I::Item) -> Option<R> + Sync,
    R: Send,
    E: End,
{
    let best = AtomicUsize::new(E::NOTHING);
    iter.drive_unindexed(Search {
        pick,
        best: &best,
        place: Cell::new((0, usize::MAX)),
        end,
    })
}

/// The consumer and its place.
struct Search<'f, P, E> {
    pick: &'f P,
    best: &'f AtomicUsize,
    place: Cell<(usize, usize)>,
    end: E,
}

impl<'f, P, E: End> Search<'f, P, E> {
    fn at(&self, place: (usize, usize)) -> Self {
        Search {
            place: Cell::new(place),
            ..*self
        }
    }

    /// Halves the place, and returns what gets the first half.
    fn halve(&self) -> Self {
        let (from, to) = self.place.get();
        let middle = from + (to - from) / 2;
        if middle == from {
            return self.at((from, to));
        }
        self.place.set((middle, to));
        self.at((from, middle))
    }

    fn folder<R>(self, found: Option<R>) -> SearchFolder<'f, P, E, R> {
        SearchFolder {
            pick: self.pick,
            best: self.best,
            from: self.place.get().0,
            end: PhantomData,
            found,
        }
    }
}

impl<'f, T, R, P, E> Consumer<T> for Search<'f, P, E>
where
    P: Fn(T) -> Option<R> + Sync,
    R: Send,
    E: End,
{
    type Folder = SearchFolder<'f, P, E, R>;
    type Reducer = Better<E>;
    type Result = Option<R>;
    const RESUMES: bool = true;
    const ADVANCES_UNCOUNTED: bool = true;

    fn split_at(self, _index: usize) -> (Self, Self, Better<E>) {
        (self.halve(), self.at(self.place.get()), Better(self.end))
    }

    fn into_folder(self) -> Self::Folder {
        self.folder(None)
    }

    fn full(&self) -> bool {
        // Relaxed: as in `publish`.
        E::is_beaten(self.place.get().0, self.best.load(Ordering::Relaxed))
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        self.folder(folder.found)
    }

    fn split_chunk(self, _count: usize) -> (Self, Self) {
        (self.at(self.place.get()), self)
    }

    fn advance(self, folder: Self::Folder, _count: usize) -> (Self::Folder, Self) {
        let rest = self.at(self.place.get());
        (self.folder(folder.found), rest)
    }
}

impl<T, R, P, E> UnindexedConsumer<T> for Search<'_, P, E>
where
    P: Fn(T) -> Option<R> + Sync,
    R: Send,
    E: End,
{
    fn split_off_left(&self) -> Self {
        self.halve()
    }

    fn to_reducer(&self) -> Better<E> {
        Better(self.end)
    }
}

/// Keeps the better one of two results.
struct Better<E>(E);

impl<R, E: End> Reducer<Option<R>> for Better<E> {
    fn reduce(self, left: Option<R>, right: Option<R>) -> Option<R> {
        if E::FIRST {
            left.or(right)
        } else {
            right.or(left)
        }
    }
}

/// The folder of a [`Search`].
struct SearchFolder<'f, P, E, R> {
    pick: &'f P,
    best: &'f AtomicUsize,
    from: usize,
    end: PhantomData<E>,
    found: Option<R>,
}

impl<P, E: End, R> SearchFolder<'_, P, E, R> {
    #[inline]
    fn is_beaten(&self) -> bool {
        // Relaxed: as in `publish`.
        E::is_beaten(self.from, self.best.load(Ordering::Relaxed))
    }

    #[inline]
    fn is_full(&self) -> bool {
        E::FIRST && self.found.is_some() || self.is_beaten()
    }

    /// Looks at an item.
    #[inline]
    fn look<T>(&mut self, item: T)
    where
        P: Fn(T) -> Option<R>,
    {
        if let Some(found) = (self.pick)(item) {
            self.found = Some(found);
            E::publish(self.best, self.from);
        }
    }
}

impl<T, R, P, E> Folder<T> for SearchFolder<'_, P, E, R>
where
    P: Fn(T) -> Option<R>,
    E: End,
{
    type Result = Option<R>;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        if !(E::FIRST && self.found.is_some()) {
            self.look(item);
        }
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        if self.is_full() {
            return self;
        }
        // Whether anything is left over does not matter.
        let _ = iter.into_iter().try_for_each(|item| {
            self.look(item);
            if self.is_full() {
                Break(())
            } else {
                Continue(())
            }
        });
        self
    }

    fn complete(self) -> Option<R> {
        self.found
    }

    fn full(&self) -> bool {
        self.is_full()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    /// Chunk after chunk of one part takes nothing off its place: what is split off behind many of
    /// them still beats what comes before it.
    #[test]
    fn chunks_do_not_use_up_a_place() {
        let best = AtomicUsize::new(Last::NOTHING);
        let pick = |item: u32| Some(item);
        let all = Search {
            pick: &pick,
            best: &best,
            place: Cell::new((0, usize::MAX)),
            end: Last,
        };
        let (first, mut rest) = Consumer::<u32>::split_chunk(all, 1);
        let mut folder = Consumer::<u32>::into_folder(first);
        for _ in 0..1000 {
            (folder, rest) = Consumer::<u32>::advance(rest, folder, 1);
        }
        let (left, right, _) = Consumer::<u32>::split_at(rest, 1);
        let right = Consumer::<u32>::into_folder(right).consume(7);
        assert_eq!(Folder::<u32>::complete(right), Some(7));
        let folder = Consumer::<u32>::resume(left, folder);
        assert!(Folder::<u32>::full(&folder), "a later item has been found");
    }
}
