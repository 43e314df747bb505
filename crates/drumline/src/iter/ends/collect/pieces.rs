//! Collecting items of unknown number: every part of a loop that another thread took makes
//! a piece.

use std::collections::{LinkedList, linked_list};
use std::iter::{self, Chain, Once};
use std::marker::PhantomData;

use super::append::append;
use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};

/// What a piece can be.
pub(super) trait Piece<T>: Default + Extend<T> + Send {
    /// Takes an item.
    #[inline]
    fn take(&mut self, item: T) {
        self.extend(Some(item));
    }
}

impl<T: Send> Piece<T> for Vec<T> {
    #[inline]
    fn take(&mut self, item: T) {
        self.push(item);
    }
}

/// Pieces in the order of their items; at least one.
#[derive(Debug)]
pub(in crate::iter) struct Pieces<P> {
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

impl<T> Pieces<Vec<T>> {
    /// All pieces that are not empty.
    pub(in crate::iter) fn into_list(self) -> LinkedList<Vec<T>> {
        let mut list = self.before;
        list.push_back(self.last);
        // Hardly ever is there one: a list is made anew where it is.
        if list.iter().any(Vec::is_empty) {
            list = list.into_iter().filter(|vec| !vec.is_empty()).collect();
        }
        list
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        self.iter().map(Vec::len).sum()
    }

    /// All items in one vector: the first piece, with the others appended to it.
    pub(super) fn into_vec(self) -> Vec<T>
    where
        T: Send,
    {
        let (mut first, others) = self.split_first();
        if let Some(others) = others {
            others.append_to(&mut first);
        }
        first
    }

    /// Appends all items to `vec`.
    pub(super) fn append_to(self, vec: &mut Vec<T>)
    where
        T: Send,
    {
        let len = self.len();
        append(vec, self.into_iter(), len);
    }
}

impl<P> IntoIterator for Pieces<P> {
    type Item = P;
    type IntoIter = Chain<linked_list::IntoIter<P>, Once<P>>;

    fn into_iter(self) -> Self::IntoIter {
        self.before.into_iter().chain(iter::once(self.last))
    }
}

/// The items of `iter` in vectors: in one, if their number is known, or no other thread helps.
pub(in crate::iter) fn pieces<I>(iter: I) -> Pieces<Vec<I::Item>>
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
    P: Piece<I::Item>,
{
    iter.drive_unindexed(InPieces(PhantomData))
}

/// Makes pieces: consumer and reducer. Not a [`Reduction`](crate::iter::reduction::Reduction), as
/// what takes the items is to be small: it is moved for each of them.
#[derive(Debug)]
struct InPieces<P>(PhantomData<fn() -> P>);

impl<T, P: Piece<T>> Consumer<T> for InPieces<P> {
    type Folder = PieceFolder<P>;
    type Reducer = Self;
    type Result = Pieces<P>;
    const RESUMES: bool = true;
    const ADVANCES_UNCOUNTED: bool = true;

    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        (InPieces(PhantomData), InPieces(PhantomData), self)
    }

    #[inline]
    fn into_folder(self) -> PieceFolder<P> {
        PieceFolder {
            piece: P::default(),
        }
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }

    #[inline]
    fn resume(self, folder: PieceFolder<P>) -> PieceFolder<P> {
        folder
    }

    #[inline]
    fn advance(self, folder: PieceFolder<P>, _count: usize) -> (PieceFolder<P>, Self) {
        (folder, self)
    }
}

impl<T, P: Piece<T>> UnindexedConsumer<T> for InPieces<P> {
    fn split_off_left(&self) -> Self {
        InPieces(PhantomData)
    }

    fn to_reducer(&self) -> Self {
        InPieces(PhantomData)
    }
}

impl<P> Reducer<Pieces<P>> for InPieces<P> {
    fn reduce(self, mut left: Pieces<P>, mut right: Pieces<P>) -> Pieces<P> {
        left.before.push_back(left.last);
        left.before.append(&mut right.before);
        Pieces {
            before: left.before,
            last: right.last,
        }
    }
}

/// The folder of [`InPieces`].
#[derive(Debug)]
struct PieceFolder<P> {
    piece: P,
}

impl<T, P: Piece<T>> Folder<T> for PieceFolder<P> {
    type Result = Pieces<P>;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.piece.take(item);
        self
    }

    #[inline]
    fn consume_iter<I>(self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        // A variable of this function, which the compiler knows better than `self`.
        let mut piece = self.piece;
        piece.extend(iter);
        PieceFolder { piece }
    }

    #[inline]
    fn complete(self) -> Pieces<P> {
        Pieces {
            before: LinkedList::new(),
            last: self.piece,
        }
    }

    #[inline]
    fn full(&self) -> bool {
        false
    }
}
