//! What indexed adapters (and sources) have in common: they say how long they are and what their
//! producer is, and all else is a bridge.

use crate::iter::plumbing::{Producer, ProducerCallback};

/// Makes a type a parallel iterator and an indexed one. Its consumers are bridged with its
/// producer.
///
/// ```text
/// bridged! {
///     [I] Rev<I> where { I: IndexedParallelIterator, }
///     yields I::Item;
///     len |rev| rev.base.len();
///     producer |rev, callback| rev.base.with_producer(/* a callback that reverses */);
/// }
/// ```
macro_rules! bridged {
    (
        [$($param:ident),* $(,)?] $adapter:ty
        where { $($bound:tt)* }
        yields $item:ty;
        len |$this:ident| $len:expr;
        producer |$owner:ident, $callback:ident| $give:expr;
    ) => {
        impl<$($param),*> $crate::iter::ParallelIterator for $adapter
        where
            $($bound)*
        {
            type Item = $item;

            fn drive_unindexed<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                $crate::iter::plumbing::bridge(self, consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                Some($crate::iter::IndexedParallelIterator::len(self))
            }
        }

        impl<$($param),*> $crate::iter::IndexedParallelIterator for $adapter
        where
            $($bound)*
        {
            fn len(&self) -> usize {
                let $this = self;
                $len
            }

            fn drive<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::Consumer<Self::Item>,
            {
                $crate::iter::plumbing::bridge(self, consumer)
            }

            fn with_producer<Callback>(self, $callback: Callback) -> Callback::Output
            where
                Callback: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                let $owner = self;
                $give
            }
        }
    };
}
pub(crate) use bridged;

/// What an adapter makes of the producer of what it adapts.
pub(crate) trait Wrap<T> {
    /// What the new producer gives.
    type Item;

    /// The new producer.
    type Producer<P>: Producer<Item = Self::Item>
    where
        P: Producer<Item = T>;

    /// Makes it.
    fn wrap<P>(self, base: P) -> Self::Producer<P>
    where
        P: Producer<Item = T>;
}

/// Passes on a producer, wrapped.
#[derive(Debug)]
pub(crate) struct Wrapping<CB, W> {
    pub(crate) callback: CB,
    pub(crate) wrap: W,
}

impl<T, CB, W> ProducerCallback<T> for Wrapping<CB, W>
where
    W: Wrap<T>,
    CB: ProducerCallback<W::Item>,
{
    type Output = CB::Output;

    fn callback<P>(self, producer: P) -> CB::Output
    where
        P: Producer<Item = T>,
    {
        self.callback.callback(self.wrap.wrap(producer))
    }
}
