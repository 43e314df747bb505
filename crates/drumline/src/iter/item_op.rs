//! Adapters that take one item at a time: `map`, `filter`, `flat_map_iter`, `take_any`, …
//!
//! An adapter of this kind is an [`ItemOp`], some ten lines. The consumer that it takes to be a
//! parallel iterator is here; what makes exactly one item of each is a
//! [`MapOp`](super::map_op::MapOp) besides, and so keeps an indexed iterator indexed.

use crate::iter::plumbing::{Consumer, Folder, UnindexedConsumer};

/// How an item operation begins in each part of a loop. Cloned where the loop is split.
pub(crate) trait Plan: Clone + Send {
    /// The item operation.
    type ItemOp;

    /// Whether the item operation has something that has a price, and is made or cloned for each
    /// part.
    const HAS_STATE: bool = false;

    /// Begins a part.
    fn begin(self) -> Self::ItemOp;

    /// Whether no part wants items any more.
    fn full(&self) -> bool {
        false
    }
}

/// What is done with each item.
pub(crate) trait ItemOp<T> {
    /// What it hands on.
    type Item;

    /// Takes an item, and gives `folder` what comes of it.
    fn feed<F>(&mut self, folder: F, item: T) -> F
    where
        F: Folder<Self::Item>;

    /// Takes items until there are no more, or no more are wanted. An operation replaces this by an
    /// adapter of the standard library, if there is one: the compiler knows those.
    fn feed_all<F, I>(&mut self, mut folder: F, items: I) -> F
    where
        F: Folder<Self::Item>,
        I: Iterator<Item = T>,
    {
        for item in items {
            folder = self.feed(folder, item);
            if self.full() || folder.full() {
                break;
            }
        }
        folder
    }

    /// Whether it wants no more items.
    fn full(&self) -> bool {
        false
    }
}

/// Hands on to `base` what an item operation makes of the items.
#[derive(Debug)]
pub(crate) struct ItemOpConsumer<C, P> {
    base: C,
    plan: P,
}

impl<C, P> ItemOpConsumer<C, P> {
    pub(crate) fn new(base: C, plan: P) -> Self {
        ItemOpConsumer { base, plan }
    }
}

impl<T, C, P> Consumer<T> for ItemOpConsumer<C, P>
where
    P: Plan,
    P::ItemOp: ItemOp<T>,
    C: Consumer<<P::ItemOp as ItemOp<T>>::Item>,
{
    type Folder = ItemOpFolder<C::Folder, P::ItemOp>;
    type Reducer = C::Reducer;
    type Result = C::Result;
    const RESUMES: bool = C::RESUMES;
    const ADVANCES_UNCOUNTED: bool = C::ADVANCES_UNCOUNTED;
    const SUCCEEDS: bool = C::SUCCEEDS || P::HAS_STATE;

    fn split_at(self, index: usize) -> (Self, Self, C::Reducer) {
        let (left, right, reducer) = self.base.split_at(index);
        let left = ItemOpConsumer::new(left, self.plan.clone());
        (left, ItemOpConsumer::new(right, self.plan), reducer)
    }

    fn into_folder(self) -> Self::Folder {
        ItemOpFolder {
            base: self.base.into_folder(),
            op: self.plan.begin(),
        }
    }

    fn full(&self) -> bool {
        self.plan.full() || self.base.full()
    }

    #[inline]
    fn hides(&self, len: usize) -> bool {
        self.base.hides(len)
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        ItemOpFolder {
            base: self.base.resume(folder.base),
            op: folder.op,
        }
    }

    fn split_chunk(self, count: usize) -> (Self, Self) {
        let (first, rest) = self.base.split_chunk(count);
        let first = ItemOpConsumer::new(first, self.plan.clone());
        (first, ItemOpConsumer::new(rest, self.plan))
    }

    fn advance(self, folder: Self::Folder, count: usize) -> (Self::Folder, Self) {
        let (base, rest) = self.base.advance(folder.base, count);
        let op = folder.op;
        let rest = ItemOpConsumer::new(rest, self.plan);
        (ItemOpFolder { base, op }, rest)
    }

    fn succeed(self, folder: Self::Folder) -> (Self::Result, Self::Folder) {
        let (result, base) = self.base.succeed(folder.base);
        let op = folder.op;
        (result, ItemOpFolder { base, op })
    }
}

impl<T, C, P> UnindexedConsumer<T> for ItemOpConsumer<C, P>
where
    P: Plan,
    P::ItemOp: ItemOp<T>,
    C: UnindexedConsumer<<P::ItemOp as ItemOp<T>>::Item>,
{
    fn split_off_left(&self) -> Self {
        ItemOpConsumer::new(self.base.split_off_left(), self.plan.clone())
    }

    fn to_reducer(&self) -> C::Reducer {
        self.base.to_reducer()
    }
}

/// The folder of an [`ItemOpConsumer`].
#[derive(Debug)]
pub(crate) struct ItemOpFolder<F, S> {
    pub(crate) base: F,
    pub(crate) op: S,
}

impl<T, F, S> Folder<T> for ItemOpFolder<F, S>
where
    S: ItemOp<T>,
    F: Folder<S::Item>,
{
    type Result = F::Result;

    #[inline]
    fn consume(mut self, item: T) -> Self {
        self.base = self.op.feed(self.base, item);
        self
    }

    #[inline]
    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        self.base = self.op.feed_all(self.base, iter.into_iter());
        self
    }

    fn complete(self) -> F::Result {
        self.close(true)
    }

    fn close(self, is_over: bool) -> F::Result {
        self.base.close(is_over)
    }

    #[inline]
    fn full(&self) -> bool {
        self.op.full() || self.base.full()
    }
}

/// Declares the struct of an adapter, how it is made and how it is shown.
macro_rules! adapter {
    (
        $(#[$meta:meta])*
        $name:ident < I $(, $param:ident)* > { $($field:ident : $type:ty),* $(,)? }
    ) => {
        $(#[$meta])*
        #[must_use = "parallel iterators do nothing unless they are driven"]
        #[derive(Clone)]
        pub struct $name<I $(, $param)*> {
            base: I,
            $($field: $type,)*
        }

        impl<I $(, $param)*> $name<I $(, $param)*> {
            pub(crate) fn new(base: I $(, $field: $type)*) -> Self {
                $name { base, $($field),* }
            }
        }

        impl<I: ::std::fmt::Debug $(, $param)*> ::std::fmt::Debug for $name<I $(, $param)*> {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name)).field("base", &self.base).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use adapter;

/// Declares an adapter that is an [`ItemOp`] between a parallel iterator and its consumer.
///
/// The plan sees the fields under their names.
macro_rules! item_op_adapter {
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
                base.drive_unindexed($crate::iter::item_op::ItemOpConsumer::new(consumer, $plan))
            }
        }
    };
}
pub(crate) use item_op_adapter;

/// Declares what does something by a function: a struct around a reference to it that is its own
/// plan.
macro_rules! by_fn {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub(crate) struct $name<'f, F>(pub(crate) &'f F);

        impl<F> Clone for $name<'_, F> {
            fn clone(&self) -> Self {
                $name(self.0)
            }
        }

        impl<F: Sync> $crate::iter::item_op::Plan for $name<'_, F> {
            type ItemOp = Self;

            fn begin(self) -> Self {
                self
            }
        }
    };
}
pub(crate) use by_fn;
