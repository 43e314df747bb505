//! What the sources have in common.

/// Makes a parallel iterator of what has a length and a producer.
macro_rules! indexed_source {
    (
        [$($generics:tt)*] $source:ty { $($bounds:tt)* }
        item $item:ty;
        len($this:ident) $len:expr;
        producer($that:ident) $producer:expr;
    ) => {
        impl<$($generics)*> $crate::iter::ParallelIterator for $source
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

        impl<$($generics)*> $crate::iter::IndexedParallelIterator for $source
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

            fn with_producer<Callback>(self, callback: Callback) -> Callback::Output
            where
                Callback: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                let $that = self;
                callback.callback($producer)
            }
        }
    };
}
pub(crate) use indexed_source;
