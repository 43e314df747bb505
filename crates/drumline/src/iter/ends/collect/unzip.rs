//! `unzip`, `partition`, `partition_map`: two collections at once, and pairs of collections.
//!
//! A collection takes an iterator, it gives no consumer away. So the left collection is given an
//! iterator. To drive that iterator gives the right collection another one. When that one is
//! driven, both consumers are at hand.

use crate::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use crate::iter::{
    Either, FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator,
};

/// What of an item goes to which side.
pub(in crate::iter) trait Deal<T>: Sync {
    /// What goes to the left side.
    type Left: Send;

    /// What goes to the right side.
    type Right: Send;

    /// Whether each side gets one of each item.
    const ONE_OF_EACH: bool = false;

    /// Deals an item out.
    fn deal<L, R>(&self, item: T, left: L, right: R) -> (L, R)
    where
        L: Folder<Self::Left>,
        R: Folder<Self::Right>;
}

/// The halves of a pair, one for each side.
#[derive(Debug)]
pub(in crate::iter) struct Pairs;

impl<A: Send, B: Send> Deal<(A, B)> for Pairs {
    type Left = A;
    type Right = B;
    const ONE_OF_EACH: bool = true;

    #[inline]
    fn deal<L, R>(&self, item: (A, B), left: L, right: R) -> (L, R)
    where
        L: Folder<A>,
        R: Folder<B>,
    {
        (left.consume(item.0), right.consume(item.1))
    }
}

/// To the left what satisfies the predicate.
#[derive(Debug)]
pub(in crate::iter) struct ByPredicate<'f, P>(pub(in crate::iter) &'f P);

impl<T, P> Deal<T> for ByPredicate<'_, P>
where
    T: Send,
    P: Fn(&T) -> bool + Sync,
{
    type Left = T;
    type Right = T;

    #[inline]
    fn deal<L, R>(&self, item: T, left: L, right: R) -> (L, R)
    where
        L: Folder<T>,
        R: Folder<T>,
    {
        if (self.0)(&item) {
            (left.consume(item), right)
        } else {
            (left, right.consume(item))
        }
    }
}

/// As the function says.
#[derive(Debug)]
pub(in crate::iter) struct ByEither<'f, P>(pub(in crate::iter) &'f P);

impl<T, A, B, P> Deal<T> for ByEither<'_, P>
where
    A: Send,
    B: Send,
    P: Fn(T) -> Either<A, B> + Sync,
{
    type Left = A;
    type Right = B;

    #[inline]
    fn deal<L, R>(&self, item: T, left: L, right: R) -> (L, R)
    where
        L: Folder<A>,
        R: Folder<B>,
    {
        match (self.0)(item) {
            Either::Left(item) => (left.consume(item), right),
            Either::Right(item) => (left, right.consume(item)),
        }
    }
}

/// Makes two collections of the items of `iter`.
pub(in crate::iter) fn deal<I, D, A, B>(iter: I, by: &D) -> (A, B)
where
    I: ParallelIterator,
    D: Deal<I::Item>,
    A: Default + Send + ParallelExtend<D::Left>,
    B: Default + Send + ParallelExtend<D::Right>,
{
    let mut sides = (A::default(), B::default());
    deal_to(iter, by, &mut sides);
    sides
}

/// Extends two collections by the items of `iter`.
fn deal_to<I, D, A, B>(iter: I, by: &D, sides: &mut (A, B))
where
    I: ParallelIterator,
    D: Deal<I::Item>,
    A: Send + ParallelExtend<D::Left>,
    B: Send + ParallelExtend<D::Right>,
{
    let (left, right) = sides;
    left.par_extend(ForLeft {
        base: iter,
        by,
        right,
    });
}

/// What the left side is extended by.
struct ForLeft<'a, I, D, B> {
    base: I,
    by: &'a D,
    right: &'a mut B,
}

impl<I, D, B> ParallelIterator for ForLeft<'_, I, D, B>
where
    I: ParallelIterator,
    D: Deal<I::Item>,
    B: Send + ParallelExtend<D::Right>,
{
    type Item = D::Left;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<D::Left>,
    {
        let mut result = None;
        self.right.par_extend(ForRight {
            base: self.base,
            by: self.by,
            consumer,
            result: &mut result,
        });
        result.expect("`par_extend` drives the iterator that it is given")
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len().filter(|_| D::ONE_OF_EACH)
    }
}

/// What the right side is extended by.
struct ForRight<'a, I, D, C, R> {
    base: I,
    by: &'a D,
    consumer: C,
    result: &'a mut Option<R>,
}

impl<I, D, C> ParallelIterator for ForRight<'_, I, D, C, C::Result>
where
    I: ParallelIterator,
    D: Deal<I::Item>,
    C: UnindexedConsumer<D::Left>,
{
    type Item = D::Right;

    fn drive_unindexed<Right>(self, consumer: Right) -> Right::Result
    where
        Right: UnindexedConsumer<D::Right>,
    {
        let dealer = Dealer::new(self.by, self.consumer, consumer);
        let (left, right) = self.base.drive_unindexed(dealer);
        *self.result = Some(left);
        right
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len().filter(|_| D::ONE_OF_EACH)
    }
}

/// Deals items out to two consumers.
#[derive(Debug)]
pub(super) struct Dealer<'a, D, L, R> {
    by: &'a D,
    left: L,
    right: R,
}

impl<'a, D, L, R> Dealer<'a, D, L, R> {
    pub(super) fn new(by: &'a D, left: L, right: R) -> Self {
        Dealer { by, left, right }
    }
}

impl<'a, T, D, L, R> Consumer<T> for Dealer<'a, D, L, R>
where
    D: Deal<T>,
    L: Consumer<D::Left>,
    R: Consumer<D::Right>,
{
    type Folder = Dealing<'a, D, L::Folder, R::Folder>;
    type Reducer = BothSides<L::Reducer, R::Reducer>;
    type Result = (L::Result, R::Result);
    const RESUMES: bool = L::RESUMES && R::RESUMES;
    const ADVANCES_UNCOUNTED: bool = L::ADVANCES_UNCOUNTED && R::ADVANCES_UNCOUNTED;

    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer) {
        let (left, left_rest, left_reducer) = self.left.split_at(index);
        let (right, right_rest, right_reducer) = self.right.split_at(index);
        (
            Dealer::new(self.by, left, right),
            Dealer::new(self.by, left_rest, right_rest),
            BothSides(left_reducer, right_reducer),
        )
    }

    fn into_folder(self) -> Self::Folder {
        Dealing {
            by: self.by,
            left: self.left.into_folder(),
            right: self.right.into_folder(),
        }
    }

    fn full(&self) -> bool {
        self.left.full() && self.right.full()
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        Dealing {
            by: self.by,
            left: self.left.resume(folder.left),
            right: self.right.resume(folder.right),
        }
    }

    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (left, left_rest) = self.left.split_chunk(count);
        let (right, right_rest) = self.right.split_chunk(count);
        (
            Dealer::new(self.by, left, right),
            Dealer::new(self.by, left_rest, right_rest),
        )
    }

    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let by = self.by;
        let (left, left_rest) = self.left.advance(folder.left, count);
        let (right, right_rest) = self.right.advance(folder.right, count);
        (
            Dealing { by, left, right },
            Dealer::new(by, left_rest, right_rest),
        )
    }
}

impl<T, D, L, R> UnindexedConsumer<T> for Dealer<'_, D, L, R>
where
    D: Deal<T>,
    L: UnindexedConsumer<D::Left>,
    R: UnindexedConsumer<D::Right>,
{
    fn split_off_left(&self) -> Self {
        let left = self.left.split_off_left();
        Dealer::new(self.by, left, self.right.split_off_left())
    }

    fn to_reducer(&self) -> Self::Reducer {
        BothSides(self.left.to_reducer(), self.right.to_reducer())
    }
}

/// The folder of a [`Dealer`].
#[derive(Debug)]
pub(super) struct Dealing<'a, D, L, R> {
    by: &'a D,
    left: L,
    right: R,
}

impl<T, D, L, R> Folder<T> for Dealing<'_, D, L, R>
where
    D: Deal<T>,
    L: Folder<D::Left>,
    R: Folder<D::Right>,
{
    type Result = (L::Result, R::Result);

    #[inline]
    fn consume(self, item: T) -> Self {
        let (left, right) = self.by.deal(item, self.left, self.right);
        let by = self.by;
        Dealing { by, left, right }
    }

    #[inline]
    fn consume_iter<I>(self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        // In variables of this function, and not in `self`: then they stay in registers.
        let Dealing {
            by,
            mut left,
            mut right,
        } = self;
        for item in iter {
            (left, right) = by.deal(item, left, right);
            if left.full() && right.full() {
                break;
            }
        }
        Dealing { by, left, right }
    }

    fn complete(self) -> Self::Result {
        self.close(true)
    }

    fn close(self, is_over: bool) -> Self::Result {
        (self.left.close(is_over), self.right.close(is_over))
    }

    #[inline]
    fn full(&self) -> bool {
        self.left.full() && self.right.full()
    }
}

/// The reducer of a [`Dealer`].
#[derive(Debug)]
pub(super) struct BothSides<L, R>(L, R);

impl<A, B, L, R> Reducer<(A, B)> for BothSides<L, R>
where
    L: Reducer<A>,
    R: Reducer<B>,
{
    fn reduce(self, left: (A, B), right: (A, B)) -> (A, B) {
        let first = self.0.reduce(left.0, right.0);
        (first, self.1.reduce(left.1, right.1))
    }
}

/// Extends each by its half of the pairs.
impl<A, B, Left, Right> ParallelExtend<(A, B)> for (Left, Right)
where
    A: Send,
    B: Send,
    Left: Send + ParallelExtend<A>,
    Right: Send + ParallelExtend<B>,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = (A, B)>,
    {
        deal_to(iter.into_par_iter(), &Pairs, self);
    }
}

/// Extends each by the items of its side.
impl<A, B, Left, Right> ParallelExtend<Either<A, B>> for (Left, Right)
where
    A: Send,
    B: Send,
    Left: Send + ParallelExtend<A>,
    Right: Send + ParallelExtend<B>,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = Either<A, B>>,
    {
        deal_to(iter.into_par_iter(), &ByEither(&|side| side), self);
    }
}

/// Collects each half of the pairs.
impl<A, B, Left, Right> FromParallelIterator<(A, B)> for (Left, Right)
where
    A: Send,
    B: Send,
    Left: Send + FromParallelIterator<A>,
    Right: Send + FromParallelIterator<B>,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = (A, B)>,
    {
        let (left, right): (Made<_>, Made<_>) = deal(iter.into_par_iter(), &Pairs);
        (left.take(), right.take())
    }
}

/// Collects the items of each side.
impl<A, B, Left, Right> FromParallelIterator<Either<A, B>> for (Left, Right)
where
    A: Send,
    B: Send,
    Left: Send + FromParallelIterator<A>,
    Right: Send + FromParallelIterator<B>,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = Either<A, B>>,
    {
        let by = ByEither(&|side| side);
        let (left, right): (Made<_>, Made<_>) = deal(iter.into_par_iter(), &by);
        (left.take(), right.take())
    }
}

/// A collection that is yet to be made: extending it makes it.
struct Made<C>(Option<C>);

impl<C> Default for Made<C> {
    fn default() -> Self {
        Made(None)
    }
}

impl<C> Made<C> {
    fn take(self) -> C {
        self.0.expect("both sides have been made")
    }
}

impl<T, C> ParallelExtend<T> for Made<C>
where
    T: Send,
    C: Send + FromParallelIterator<T>,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        self.0 = Some(C::from_par_iter(iter));
    }
}
