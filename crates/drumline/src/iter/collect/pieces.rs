//! Collecting what nobody knows the number of: every part of a loop that another thread took makes a
//! piece.

use std::collections::{LinkedList, linked_list};
use std::iter::{self, Chain, Once};
use std::marker::PhantomData;
use std::mem;

use crate::iter::ParallelIterator;
use crate::iter::gather::{Gather, Join, gather};

/// What a piece can be.
pub(crate) trait Piece: Default + Send {
    /// Whether there is anything in it.
    fn is_empty(&self) -> bool;
}

impl<T: Send> Piece for Vec<T> {
    fn is_empty(&self) -> bool {
        self.is_empty()
    }
}

/// Pieces in the order of their items: at least one, and all but the last have some.
#[derive(Debug, Default)]
pub(crate) struct Pieces<P> {
    before: LinkedList<P>,
    last: P,
}

impl<P> Pieces<P> {
    /// All pieces, by reference.
    pub(super) fn iter(&self) -> impl Iterator<Item = &P> {
        self.before.iter().chain([&self.last])
    }

    /// The first piece, and the others.
    pub(super) fn split_first(mut self) -> (P, Option<Self>) {
        match self.before.pop_front() {
            Some(first) => (first, Some(self)),
            None => (self.last, None),
        }
    }
}

impl<P: Piece> Pieces<P> {
    /// All pieces that are not empty.
    pub(crate) fn into_list(mut self) -> LinkedList<P> {
        if !self.last.is_empty() {
            self.before.push_back(self.last);
        }
        self.before
    }
}

impl<T> Pieces<Vec<T>> {
    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.iter().map(Vec::len).sum()
    }

    /// All items in one vector: the first piece, with the others appended to it.
    pub(super) fn into_vec(self) -> Vec<T> {
        let (mut first, others) = self.split_first();
        if let Some(others) = others {
            others.append_to(&mut first);
        }
        first
    }

    /// Appends all items to `vec`.
    pub(super) fn append_to(self, vec: &mut Vec<T>) {
        vec.reserve(self.len());
        for mut piece in self {
            vec.append(&mut piece);
        }
    }
}

impl<P> IntoIterator for Pieces<P> {
    type Item = P;
    type IntoIter = Chain<linked_list::IntoIter<P>, Once<P>>;

    fn into_iter(self) -> Self::IntoIter {
        self.before.into_iter().chain(iter::once(self.last))
    }
}

/// The items of `iter` in vectors: in one, if their number is known, or nobody helps.
pub(crate) fn pieces<I>(iter: I) -> Pieces<Vec<I::Item>>
where
    I: ParallelIterator,
{
    match iter.opt_len() {
        Some(len) => Pieces {
            before: LinkedList::new(),
            last: super::vec_of_len(iter, len),
        },
        None => pieces_of(iter),
    }
}

/// The items of `iter` in pieces that can take them.
pub(super) fn pieces_of<I, P>(iter: I) -> Pieces<P>
where
    I: ParallelIterator,
    P: Piece + Extend<I::Item>,
{
    gather(iter, &InPieces(PhantomData))
}

/// Gathers pieces.
#[derive(Debug)]
struct InPieces<P>(PhantomData<fn() -> P>);

impl<P: Piece> Join<Pieces<P>> for InPieces<P> {
    fn join(&self, mut left: Pieces<P>, mut right: Pieces<P>) -> Pieces<P> {
        let end = mem::take(&mut left.last);
        if !end.is_empty() {
            left.before.push_back(end);
        }
        left.before.append(&mut right.before);
        left.last = right.last;
        left
    }
}

impl<T, P> Gather<T> for InPieces<P>
where
    P: Piece + Extend<T>,
{
    type Value = Pieces<P>;

    #[inline]
    fn begin(&self) -> Pieces<P> {
        Pieces {
            before: LinkedList::new(),
            last: P::default(),
        }
    }

    #[inline]
    fn take(&self, mut value: Pieces<P>, item: T) -> Pieces<P> {
        value.last.extend(Some(item));
        value
    }

    #[inline]
    fn take_all<I>(&self, mut value: Pieces<P>, items: I) -> Pieces<P>
    where
        I: Iterator<Item = T>,
    {
        value.last.extend(items);
        value
    }
}
