//! The same item again and again.

use std::iter;

use crate::iter::bridged::bridged;
use crate::iter::plumbing::{
    Folder, Producer, UnindexedConsumer, UnindexedProducer, bridge_unindexed,
};
use crate::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip};

/// A parallel iterator over an item, for ever; see [`repeat`].
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct Repeat<T> {
    element: T,
}

/// A parallel iterator over clones of `element`, without end: something else has to end it.
///
/// ```
/// use drumline::iter::repeat;
/// use drumline::prelude::*;
///
/// assert_eq!(repeat(7).take(6).sum::<u32>(), 42);
/// ```
pub fn repeat<T: Clone + Send>(element: T) -> Repeat<T> {
    Repeat { element }
}

impl<T: Clone + Send> Repeat<T> {
    /// Ends it after `n` items.
    ///
    /// ```
    /// use drumline::iter::repeat;
    /// use drumline::prelude::*;
    ///
    /// assert_eq!(repeat("ab").take(3).map(str::len).sum::<usize>(), 6);
    /// ```
    pub fn take(self, n: usize) -> RepeatN<T> {
        repeat_n(self.element, n)
    }

    /// Pairs it with the items of another iterator, and ends with that.
    ///
    /// ```
    /// use drumline::iter::repeat;
    /// use drumline::prelude::*;
    ///
    /// let tens = repeat(10).zip([1, 2, 3].par_iter());
    /// assert_eq!(tens.map(|(ten, number)| ten * number).sum::<u32>(), 60);
    /// ```
    pub fn zip<Z>(self, zip_op: Z) -> Zip<RepeatN<T>, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = zip_op.into_par_iter();
        self.take(other.len()).zip(other)
    }
}

impl<T: Clone + Send> ParallelIterator for Repeat<T> {
    type Item = T;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<T>,
    {
        let producer = RepeatProducer {
            element: self.element,
            is_whole: true,
        };
        bridge_unindexed(producer, consumer)
    }
}

/// Gives items for ever. A split of the whole makes two parts of it: one to go through, and another
/// one to offer.
struct RepeatProducer<T> {
    element: T,
    is_whole: bool,
}

impl<T: Clone + Send> UnindexedProducer for RepeatProducer<T> {
    type Item = T;

    fn split(self) -> (Self, Option<Self>) {
        if !self.is_whole {
            return (self, None);
        }
        let own = RepeatProducer {
            element: self.element.clone(),
            is_whole: false,
        };
        (own, Some(self))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        folder.consume_iter(iter::repeat(self.element))
    }
}

/// A parallel iterator over an item, some number of times; see [`repeat_n`].
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct RepeatN<T> {
    repeats: Repeats<T>,
}

/// A parallel iterator over `element`, `n` times. It is cloned for all but the last.
///
/// ```
/// use drumline::iter::repeat_n;
/// use drumline::prelude::*;
///
/// let ones = repeat_n(1, 1_000);
/// assert_eq!((ones.len(), ones.sum::<u32>()), (1_000, 1_000));
/// ```
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN {
        repeats: Repeats::new(element, n),
    }
}

/// The name that [`repeat_n`] had.
///
/// ```
/// # #![allow(deprecated)]
/// use drumline::iter::repeatn;
/// use drumline::prelude::*;
///
/// assert_eq!(repeatn(2, 3).sum::<u32>(), 6);
/// ```
#[deprecated(note = "its name is `repeat_n` now")]
pub fn repeatn<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    repeat_n(element, n)
}

bridged! {
    [T] RepeatN<T> where { T: Clone + Send }
    yields T;
    len |this| this.repeats.left;
    producer |this| this.repeats;
}

/// The producer and the sequential iterator of a [`RepeatN`].
#[derive(Clone, Debug)]
struct Repeats<T> {
    /// Nothing if none is left.
    element: Option<T>,
    left: usize,
}

impl<T> Repeats<T> {
    fn new(element: T, left: usize) -> Self {
        Repeats {
            element: (left > 0).then_some(element),
            left,
        }
    }
}

impl<T: Clone + Send> Producer for Repeats<T> {
    type Item = T;
    type IntoIter = Self;

    fn into_iter(self) -> Self {
        self
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let Repeats { element, left } = self;
        let rest = left - index;
        let (first, second) = match (index, rest) {
            (0, _) => (None, element),
            (_, 0) => (element, None),
            _ => (element.clone(), element),
        };
        let first = Repeats {
            element: first,
            left: index,
        };
        let second = Repeats {
            element: second,
            left: rest,
        };
        (first, second)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<T>,
    {
        match self.element {
            Some(element) => folder.consume_iter(iter::repeat_n(element, self.left)),
            None => folder,
        }
    }
}

impl<T: Clone> Iterator for Repeats<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.left <= 1 {
            self.left = 0;
            return self.element.take();
        }
        self.left -= 1;
        self.element.clone()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T: Clone> DoubleEndedIterator for Repeats<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.next()
    }
}

impl<T: Clone> ExactSizeIterator for Repeats<T> {}
