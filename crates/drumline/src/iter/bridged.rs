//! What indexed parallel iterators have in common: they say how long they are and what their
//! producer is, and all else is a bridge.

/// Makes a type a parallel iterator and an indexed one. Its consumers are bridged with its
/// producer. An adapter, whose producer comes from what it adapts, takes the callback as well.
///
/// ```text
/// bridged! {
///     [T] Once<T> where { T: Send }
///     yields T;
///     len |_once| 1;
///     producer |once| OnceProducer(Some(once.item));
/// }
///
/// bridged! {
///     [I] Rev<I> where { I: IndexedParallelIterator }
///     yields I::Item;
///     len |rev| rev.base.len();
///     producer |rev, callback| rev.base.with_producer(/* a callback that reverses */);
/// }
/// ```
macro_rules! bridged {
    (
        [$($generics:tt)*] $iter:ty where { $($bounds:tt)* }
        yields $item:ty;
        len |$this:ident| $len:expr;
        producer |$owner:ident| $producer:expr;
    ) => {
        $crate::iter::bridged::bridged! {
            [$($generics)*] $iter where { $($bounds)* }
            yields $item;
            len |$this| $len;
            producer |$owner, callback| callback.callback($producer);
        }
    };
    (
        [$($generics:tt)*] $iter:ty where { $($bounds:tt)* }
        yields $item:ty;
        len |$this:ident| $len:expr;
        producer |$owner:pat_param, $callback:ident| $give:expr;
    ) => {
        impl<$($generics)*> $crate::iter::ParallelIterator for $iter
        where
            $($bounds)*
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

        impl<$($generics)*> $crate::iter::IndexedParallelIterator for $iter
        where
            $($bounds)*
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
