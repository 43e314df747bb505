//! The producer of `intersperse`.

use crate::iter::plumbing::Producer;

/// Gives the items of `base` with an element between each two.
pub(crate) struct SpacedProducer<P, T> {
    base: P,
    element: T,
    /// How many items this gives.
    len: usize,
    /// Whether it gives the element first.
    leads: bool,
}

impl<P, T> SpacedProducer<P, T> {
    pub(crate) fn new(base: P, element: T, len: usize) -> Self {
        SpacedProducer {
            base,
            element,
            len,
            leads: false,
        }
    }
}

impl<P, T> Producer for SpacedProducer<P, T>
where
    P: Producer<Item = T>,
    T: Clone + Send,
{
    type Item = T;
    type IntoIter = SpacedIter<P::IntoIter, T>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        SpacedIter {
            base: self.base.into_iter(),
            element: self.element,
            len: self.len,
            leads: self.leads,
        }
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        // Of an odd number of items, what comes first is one more.
        let of_base = index / 2 + usize::from(index % 2 == 1 && !self.leads);
        let (left, right) = self.base.split_at(of_base);
        let left = SpacedProducer {
            base: left,
            element: self.element.clone(),
            len: index,
            leads: self.leads,
        };
        let right = SpacedProducer {
            base: right,
            element: self.element,
            len: self.len - index,
            leads: self.leads != (index % 2 == 1),
        };
        (left, right)
    }
}

/// The sequential iterator of a [`SpacedProducer`].
pub(crate) struct SpacedIter<I, T> {
    base: I,
    element: T,
    len: usize,
    leads: bool,
}

impl<I, T> Iterator for SpacedIter<I, T>
where
    I: Iterator<Item = T>,
    T: Clone,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.leads = !self.leads;
        if self.leads {
            self.base.next()
        } else {
            Some(self.element.clone())
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<I, T> DoubleEndedIterator for SpacedIter<I, T>
where
    I: DoubleEndedIterator<Item = T>,
    T: Clone,
{
    fn next_back(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // The last one has as many before it as are left now.
        if self.leads == self.len.is_multiple_of(2) {
            Some(self.element.clone())
        } else {
            self.base.next_back()
        }
    }
}

impl<I, T> ExactSizeIterator for SpacedIter<I, T>
where
    I: ExactSizeIterator<Item = T>,
    T: Clone,
{
}
