//! Adapters that make one item of each: `map`, `inspect`, `cloned`, …
//!
//! They are [item operations](super::item_op). The number of items stays what it is, so they are
//! indexed if what they adapt is. An adapter of this kind is a [`MapOp`], some ten lines.

use super::item_op::{ItemOp, ItemOpFolder, Plan};
use crate::iter::plumbing::{Folder, Producer};

/// What is done to each item.
pub(crate) trait MapOp<T> {
    /// What becomes of an item.
    type Item;

    /// Makes an item of an item.
    fn apply(&mut self, item: T) -> Self::Item;

    /// A chunk of items is over, and other things may be done on this thread before the next.
    #[inline]
    fn rest(&mut self) {}
}

/// What makes one item of each, as a plan and as an item operation.
#[derive(Clone, Debug)]
pub(crate) struct One<E>(pub(crate) E);

impl<L: Plan> Plan for One<L> {
    type ItemOp = One<L::ItemOp>;
    const HAS_STATE: bool = L::HAS_STATE;

    #[inline]
    fn begin(self) -> Self::ItemOp {
        One(self.0.begin())
    }

    fn full(&self) -> bool {
        self.0.full()
    }
}

impl<T, E> ItemOp<T> for One<E>
where
    E: MapOp<T>,
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
pub(crate) struct MapOpProducer<P, L> {
    base: P,
    plan: L,
}

impl<P, L> MapOpProducer<P, L> {
    pub(crate) fn new(base: P, plan: L) -> Self {
        MapOpProducer { base, plan }
    }
}

impl<P, L> Producer for MapOpProducer<P, L>
where
    P: Producer,
    L: Plan,
    L::ItemOp: MapOp<P::Item>,
{
    type Item = <L::ItemOp as MapOp<P::Item>>::Item;
    type IntoIter = MapOpIter<P::IntoIter, L::ItemOp>;
    const HAS_STATE: bool = P::HAS_STATE || L::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        MapOpIter {
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
        let left = MapOpProducer::new(left, self.plan.clone());
        (left, MapOpProducer::new(right, self.plan))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        let folder = ItemOpFolder {
            base: folder,
            op: One(self.plan.begin()),
        };
        self.base.fold_with(folder).base
    }
}

/// The sequential iterator of a [`MapOpProducer`].
#[derive(Debug)]
pub(crate) struct MapOpIter<I, E> {
    base: I,
    each: E,
}

impl<I, E> Iterator for MapOpIter<I, E>
where
    I: Iterator,
    E: MapOp<I::Item>,
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

impl<I, E> DoubleEndedIterator for MapOpIter<I, E>
where
    I: DoubleEndedIterator,
    E: MapOp<I::Item>,
{
    #[inline]
    fn next_back(&mut self) -> Option<E::Item> {
        let item = self.base.next_back()?;
        Some(self.each.apply(item))
    }
}

impl<I, E> ExactSizeIterator for MapOpIter<I, E>
where
    I: ExactSizeIterator,
    E: MapOp<I::Item>,
{
}

/// Declares an adapter that makes one item of each: as `item_op_adapter`, and indexed.
macro_rules! map_op_adapter {
    (
        $(#[$meta:meta])*
        $name:ident < I $(, $param:ident)* > { $($field:ident : $type:ty),* $(,)? }
        where [$($life:lifetime)? $($extra:ident),*] { $($bound:tt)* }
        yields $item:ty;
        plan $plan:expr;
    ) => {
        $crate::iter::item_op::adapter! {
            $(#[$meta])*
            $name<I $(, $param)*> { $($field: $type),* }
        }

        impl<$($life,)? I $(, $param)* $(, $extra)*> $crate::iter::ParallelIterator for $name<I $(, $param)*>
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
                base.drive_unindexed($crate::iter::item_op::ItemOpConsumer::new(consumer, $crate::iter::map_op::One($plan)))
            }

            fn opt_len(&self) -> Option<usize> {
                self.base.opt_len()
            }
        }

        impl<$($life,)? I $(, $param)* $(, $extra)*> $crate::iter::IndexedParallelIterator for $name<I $(, $param)*>
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
                base.drive($crate::iter::item_op::ItemOpConsumer::new(consumer, $crate::iter::map_op::One($plan)))
            }

            fn with_producer<Callback>(self, callback: Callback) -> Callback::Output
            where
                Callback: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                let $name { base, $($field),* } = self;
                base.with_producer($crate::iter::map_op::WithMapOp {
                    callback,
                    plan: $plan,
                })
            }
        }
    };
}
pub(crate) use map_op_adapter;

/// Passes on a producer, wrapped.
#[derive(Debug)]
pub(crate) struct WithMapOp<CB, L> {
    pub(crate) callback: CB,
    pub(crate) plan: L,
}

impl<T, CB, L> crate::iter::plumbing::ProducerCallback<T> for WithMapOp<CB, L>
where
    L: Plan,
    L::ItemOp: MapOp<T>,
    CB: crate::iter::plumbing::ProducerCallback<<L::ItemOp as MapOp<T>>::Item>,
{
    type Output = CB::Output;

    fn callback<P>(self, producer: P) -> CB::Output
    where
        P: Producer<Item = T>,
    {
        self.callback
            .callback(MapOpProducer::new(producer, self.plan))
    }
}
