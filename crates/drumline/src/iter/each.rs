//! Adapters that make one item of each: `map`, `inspect`, `cloned`, …
//!
//! They are [stages](super::stage), and besides, as the number of items stays what it is, they are
//! indexed where what they adapt is. An adapter of this kind is an [`Each`], some ten lines.

use super::plumbing::{Folder, Producer};
use super::stage::{Plan, Stage, StageFolder};

/// What is done to each item.
pub(crate) trait Each<T> {
    /// What becomes of an item.
    type Item;

    /// Makes an item of an item.
    fn apply(&mut self, item: T) -> Self::Item;

    /// A run of items is over, and other things may be done on this thread before the next.
    #[inline]
    fn rest(&mut self) {}
}

/// What makes one item of each, as a plan and as a stage.
#[derive(Clone, Debug)]
pub(crate) struct One<E>(pub(crate) E);

impl<L: Plan> Plan for One<L> {
    type Stage = One<L::Stage>;

    #[inline]
    fn begin(self) -> Self::Stage {
        One(self.0.begin())
    }
}

impl<T, E> Stage<T> for One<E>
where
    E: Each<T>,
{
    type Item = E::Item;

    #[inline]
    fn feed<F>(&mut self, folder: F, item: T) -> F
    where
        F: Folder<Self::Item>,
    {
        let item = self.0.apply(item);
        self.0.rest();
        folder.consume(item)
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<Self::Item>,
        I: Iterator<Item = T>,
    {
        let folder = folder.consume_iter(items.map(|item| self.0.apply(item)));
        self.0.rest();
        folder
    }
}

/// Gives what the plan makes of the items of `base`.
#[derive(Debug)]
pub(crate) struct EachProducer<P, L> {
    base: P,
    plan: L,
}

impl<P, L> EachProducer<P, L> {
    pub(crate) fn new(base: P, plan: L) -> Self {
        EachProducer { base, plan }
    }
}

impl<P, L> Producer for EachProducer<P, L>
where
    P: Producer,
    L: Plan,
    L::Stage: Each<P::Item>,
{
    type Item = <L::Stage as Each<P::Item>>::Item;
    type IntoIter = EachIter<P::IntoIter, L::Stage>;
    const HAS_STATE: bool = P::HAS_STATE || L::HAS_STATE;

    fn into_iter(self) -> Self::IntoIter {
        EachIter {
            base: self.base.into_iter(),
            each: self.plan.begin(),
        }
    }

    fn min_len(&self) -> usize {
        self.base.min_len()
    }

    fn max_len(&self) -> usize {
        self.base.max_len()
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let (left, right) = self.base.split_at(index);
        let left = EachProducer::new(left, self.plan.clone());
        (left, EachProducer::new(right, self.plan))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        let folder = StageFolder {
            base: folder,
            stage: One(self.plan.begin()),
        };
        self.base.fold_with(folder).base
    }
}

/// The sequential iterator of an [`EachProducer`].
#[derive(Debug)]
pub(crate) struct EachIter<I, E> {
    base: I,
    each: E,
}

impl<I, E> Iterator for EachIter<I, E>
where
    I: Iterator,
    E: Each<I::Item>,
{
    type Item = E::Item;

    #[inline]
    fn next(&mut self) -> Option<E::Item> {
        let item = self.base.next()?;
        Some(self.each.apply(item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }

    #[inline]
    fn fold<B, F>(self, init: B, mut fold: F) -> B
    where
        F: FnMut(B, E::Item) -> B,
    {
        let mut each = self.each;
        self.base
            .fold(init, |value, item| fold(value, each.apply(item)))
    }
}

impl<I, E> DoubleEndedIterator for EachIter<I, E>
where
    I: DoubleEndedIterator,
    E: Each<I::Item>,
{
    #[inline]
    fn next_back(&mut self) -> Option<E::Item> {
        let item = self.base.next_back()?;
        Some(self.each.apply(item))
    }
}

impl<I, E> ExactSizeIterator for EachIter<I, E>
where
    I: ExactSizeIterator,
    E: Each<I::Item>,
{
}

/// Declares an adapter that makes one item of each: as `stage_adapter`, and indexed.
macro_rules! each_adapter {
    (
        $(#[$meta:meta])*
        $name:ident < I $(, $param:ident)* > { $($field:ident : $type:ty),* $(,)? }
        where [$($extra:ident),*] { $($bound:tt)* }
        yields $item:ty;
        plan $plan:expr;
    ) => {
        $crate::iter::stage::adapter! {
            $(#[$meta])*
            $name<I $(, $param)*> { $($field: $type),* }
        }

        impl<I $(, $param)* $(, $extra)*> $crate::iter::ParallelIterator for $name<I $(, $param)*>
        where
            I: $crate::iter::ParallelIterator,
            $($bound)*
        {
            type Item = $item;

            fn drive_unindexed<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                let $name { base, $($field),* } = self;
                base.drive_unindexed($crate::iter::stage::StageConsumer::new(consumer, $crate::iter::each::One($plan)))
            }

            fn opt_len(&self) -> Option<usize> {
                self.base.opt_len()
            }
        }

        impl<I $(, $param)* $(, $extra)*> $crate::iter::IndexedParallelIterator for $name<I $(, $param)*>
        where
            I: $crate::iter::IndexedParallelIterator,
            $($bound)*
        {
            fn len(&self) -> usize {
                self.base.len()
            }

            fn drive<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::Consumer<Self::Item>,
            {
                let $name { base, $($field),* } = self;
                base.drive($crate::iter::stage::StageConsumer::new(consumer, $crate::iter::each::One($plan)))
            }

            fn with_producer<Callback>(self, callback: Callback) -> Callback::Output
            where
                Callback: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                let $name { base, $($field),* } = self;
                base.with_producer($crate::iter::each::WithEach {
                    callback,
                    plan: $plan,
                })
            }
        }
    };
}
pub(crate) use each_adapter;

/// Passes on a producer, wrapped.
#[derive(Debug)]
pub(crate) struct WithEach<CB, L> {
    pub(crate) callback: CB,
    pub(crate) plan: L,
}

impl<T, CB, L> super::plumbing::ProducerCallback<T> for WithEach<CB, L>
where
    L: Plan,
    L::Stage: Each<T>,
    CB: super::plumbing::ProducerCallback<<L::Stage as Each<T>>::Item>,
{
    type Output = CB::Output;

    fn callback<P>(self, producer: P) -> CB::Output
    where
        P: Producer<Item = T>,
    {
        self.callback
            .callback(EachProducer::new(producer, self.plan))
    }
}
