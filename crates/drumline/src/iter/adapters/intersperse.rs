//! `intersperse`.
//!
//! Where it is known how many items there are, a part knows whether anything comes before it, and
//! begins with the element if so. Where it is not known, as after a `filter`, a part may turn out
//! to be empty; then it is when two parts meet that the element comes between them, if both have
//! items.

use std::{fmt, mem};

use super::spaced::SpacedProducer;
use crate::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use crate::iter::{IndexedParallelIterator, ParallelIterator};

/// The items of another iterator with an element between each two; see
/// [`intersperse`](ParallelIterator::intersperse).
#[must_use = "parallel iterators do nothing unless they are driven"]
#[derive(Clone)]
pub struct Intersperse<I: ParallelIterator> {
    base: I,
    element: I::Item,
}

impl<I: ParallelIterator> Intersperse<I> {
    pub(crate) fn new(base: I, element: I::Item) -> Self {
        Intersperse { base, element }
    }
}

impl<I> fmt::Debug for Intersperse<I>
where
    I: ParallelIterator<Item: fmt::Debug> + fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intersperse")
            .field("base", &self.base)
            .field("element", &self.element)
            .finish()
    }
}

impl<I> ParallelIterator for Intersperse<I>
where
    I: ParallelIterator<Item: Clone>,
{
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        // Where there are more than can be counted, the places of its splits could not be either.
        if self.opt_len().is_some() {
            let consumer = Counted {
                base: consumer,
                element: self.element,
                is_first: true,
            };
            return self.base.drive_unindexed(consumer);
        }
        let consumer = Uncounted {
            base: consumer,
            element: self.element,
        };
        self.base.drive_unindexed(consumer).result
    }

    fn opt_len(&self) -> Option<usize> {
        match self.base.opt_len()? {
            0 => Some(0),
            len => len.checked_add(len - 1),
        }
    }
}

impl<I> IndexedParallelIterator for Intersperse<I>
where
    I: IndexedParallelIterator<Item: Clone>,
{
    fn len(&self) -> usize {
        let len = self.base.len();
        let between = len.saturating_sub(1);
        let sum = len.checked_add(between);
        sum.expect("there are at most `usize::MAX` items")
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<I::Item>,
    {
        self.base.drive(Counted {
            base: consumer,
            element: self.element,
            is_first: true,
        })
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<I::Item>,
    {
        struct Callback<CB, T> {
            callback: CB,
            element: T,
            len: usize,
        }

        impl<CB, T> ProducerCallback<T> for Callback<CB, T>
        where
            T: Clone + Send,
            CB: ProducerCallback<T>,
        {
            type Output = CB::Output;

            fn callback<P>(self, base: P) -> CB::Output
            where
                P: Producer<Item = T>,
            {
                self.callback
                    .callback(SpacedProducer::new(base, self.element, self.len))
            }
        }

        let len = self.len();
        self.base.with_producer(Callback {
            callback,
            element: self.element,
            len,
        })
    }
}

/// The consumer where it is known how many items there are.
struct Counted<C, T> {
    base: C,
    element: T,
    /// Nothing comes before this.
    is_first: bool,
}

impl<C, T> Counted<C, T> {
    /// How many items become of `count`, and whether nothing comes before what is after them.
    fn count(&self, count: usize) -> (usize, bool) {
        let first = usize::from(self.is_first && count > 0);
        (count + (count - first), self.is_first && count == 0)
    }
}

impl<T, C> Consumer<T> for Counted<C, T>
where
    T: Clone + Send,
    C: Consumer<T>,
{
    type Folder = SpacedFolder<C::Folder, T>;
    type Reducer = C::Reducer;
    type Result = C::Result;
    const RESUMES: bool = C::RESUMES;

    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (count, is_first) = self.count(index);
        let (left, right, reducer) = self.base.split_at(count);
        let left = Counted {
            base: left,
            element: self.element.clone(),
            is_first: self.is_first,
        };
        let right = Counted {
            base: right,
            element: self.element,
            is_first,
        };
        (left, right, reducer)
    }

    fn into_folder(self) -> Self::Folder {
        SpacedFolder {
            base: self.base.into_folder(),
            element: self.element,
            is_first: self.is_first,
        }
    }

    fn full(&self) -> bool {
        self.base.full()
    }

    #[inline]
    fn hides(&self, len: usize) -> bool {
        self.base.hides(len)
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        SpacedFolder {
            base: self.base.resume(folder.base),
            ..folder
        }
    }

    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (count, is_first) = self.count(count);
        let (base, rest) = self.base.advance(folder.base, count);
        let rest = Counted {
            base: rest,
            element: self.element,
            is_first,
        };
        (SpacedFolder { base, ..folder }, rest)
    }
}

impl<T, C> UnindexedConsumer<T> for Counted<C, T>
where
    T: Clone + Send,
    C: UnindexedConsumer<T>,
{
    /// # Panics
    ///
    /// Always: a caller that knows how many items there are splits by number.
    fn split_off_left(&self) -> Self {
        unreachable!("an iterator with an `opt_len` splits its consumer by number")
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

/// The folder of both consumers.
struct SpacedFolder<F, T> {
    base: F,
    element: T,
    is_first: bool,
}

impl<T, F> Folder<T> for SpacedFolder<F, T>
where
    T: Clone,
    F: Folder<T>,
{
    type Result = F::Result;

    fn consume(mut self, item: T) -> Self {
        if !mem::replace(&mut self.is_first, false) {
            self.base = self.base.consume(self.element.clone());
            if self.base.full() {
                return self;
            }
        }
        self.base = self.base.consume(item);
        self
    }

    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        let (element, is_first) = (&self.element, &mut self.is_first);
        self.base = self.base.consume_iter(iter.into_iter().flat_map(|item| {
            let is_first = mem::replace(is_first, false);
            let before = (!is_first).then(|| element.clone());
            before.into_iter().chain([item])
        }));
        self
    }

    fn complete(self) -> Self::Result {
        self.close(true)
    }

    fn close(self, is_over: bool) -> Self::Result {
        self.base.close(is_over)
    }

    fn full(&self) -> bool {
        self.base.full()
    }
}

/// The consumer where it is not known how many items there are.
struct Uncounted<C, T> {
    base: C,
    element: T,
}

impl<T, C> Consumer<T> for Uncounted<C, T>
where
    T: Clone + Send,
    C: UnindexedConsumer<T>,
{
    type Folder = UncountedFolder<C::Folder, T>;
    type Reducer = Between<C, C::Reducer, T>;
    type Result = Stretch<C::Result>;
    const RESUMES: bool = C::RESUMES;
    const ADVANCES_UNCOUNTED: bool = C::ADVANCES_UNCOUNTED;

    fn split_at(self, _index: usize) -> (Self, Self, Self::Reducer) {
        let left = self.split_off_left();
        let reducer = self.to_reducer();
        (left, self, reducer)
    }

    fn into_folder(self) -> Self::Folder {
        UncountedFolder(SpacedFolder {
            base: self.base.into_folder(),
            element: self.element,
            is_first: true,
        })
    }

    fn full(&self) -> bool {
        self.base.full()
    }

    #[inline]
    fn hides(&self, len: usize) -> bool {
        self.base.hides(len)
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        UncountedFolder(SpacedFolder {
            base: self.base.resume(folder.0.base),
            ..folder.0
        })
    }

    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.base.split_chunk(count);
        let first = Uncounted {
            base: first,
            element: self.element.clone(),
        };
        (first, Uncounted { base: rest, ..self })
    }

    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let folder = folder.0;
        let (base, rest) = self.base.advance(folder.base, count);
        let rest = Uncounted {
            base: rest,
            element: self.element,
        };
        (UncountedFolder(SpacedFolder { base, ..folder }), rest)
    }
}

impl<T, C> UnindexedConsumer<T> for Uncounted<C, T>
where
    T: Clone + Send,
    C: UnindexedConsumer<T>,
{
    fn split_off_left(&self) -> Self {
        Uncounted {
            base: self.base.split_off_left(),
            element: self.element.clone(),
        }
    }

    fn to_reducer(&self) -> Self::Reducer {
        Between {
            consumer: self.base.split_off_left(),
            element: self.element.clone(),
            before: self.base.to_reducer(),
            after: self.base.to_reducer(),
        }
    }
}

/// The result of a part, and whether there were items in it.
struct Stretch<R> {
    result: R,
    is_empty: bool,
}

/// The folder of an [`Uncounted`].
struct UncountedFolder<F, T>(SpacedFolder<F, T>);

impl<T, F> Folder<T> for UncountedFolder<F, T>
where
    T: Clone,
    F: Folder<T>,
{
    type Result = Stretch<F::Result>;

    fn consume(self, item: T) -> Self {
        UncountedFolder(self.0.consume(item))
    }

    fn consume_iter<I>(self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        UncountedFolder(self.0.consume_iter(iter))
    }

    fn complete(self) -> Self::Result {
        self.close(true)
    }

    fn close(self, is_over: bool) -> Self::Result {
        Stretch {
            is_empty: self.0.is_first,
            result: self.0.close(is_over),
        }
    }

    fn full(&self) -> bool {
        self.0.full()
    }
}

/// Puts the element between two parts, if both have items.
struct Between<C, R, T> {
    consumer: C,
    element: T,
    before: R,
    after: R,
}

impl<T, C> Reducer<Stretch<C::Result>> for Between<C, C::Reducer, T>
where
    C: Consumer<T>,
{
    fn reduce(self, left: Stretch<C::Result>, right: Stretch<C::Result>) -> Stretch<C::Result> {
        let is_empty = left.is_empty && right.is_empty;
        let mut result = left.result;
        if !left.is_empty && !right.is_empty {
            let mut folder = self.consumer.into_folder();
            if !folder.full() {
                folder = folder.consume(self.element);
            }
            result = self.before.reduce(result, folder.complete());
        }
        Stretch {
            result: self.after.reduce(result, right.result),
            is_empty,
        }
    }
}
