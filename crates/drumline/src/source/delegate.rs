//! Parallel iterators that are another one under a name of their own.

/// Declares that the parallel iterator `$name` is what its field `inner` is.
macro_rules! delegate {
    ($name:ty => $item:ty, impl $($generics:tt)*) => {
        impl $($generics)* $crate::iter::ParallelIterator for $name {
            type Item = $item;

            fn drive_unindexed<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::UnindexedConsumer<Self::Item>,
            {
                self.inner.drive_unindexed(consumer)
            }

            fn opt_len(&self) -> Option<usize> {
                self.inner.opt_len()
            }
        }
    };
}
pub(super) use delegate;

/// As `delegate`, of an indexed one.
macro_rules! delegate_indexed {
    ($name:ty => $item:ty, impl $($generics:tt)*) => {
        $crate::source::delegate::delegate! { $name => $item, impl $($generics)* }

        impl $($generics)* $crate::iter::IndexedParallelIterator for $name {
            fn len(&self) -> usize {
                self.inner.len()
            }

            fn drive<Next>(self, consumer: Next) -> Next::Result
            where
                Next: $crate::iter::plumbing::Consumer<Self::Item>,
            {
                self.inner.drive(consumer)
            }

            fn with_producer<Callback>(self, callback: Callback) -> Callback::Output
            where
                Callback: $crate::iter::plumbing::ProducerCallback<Self::Item>,
            {
                self.inner.with_producer(callback)
            }
        }
    };
}
pub(super) use delegate_indexed;

/// Makes a parallel iterator over references `Clone`, whatever they refer to.
macro_rules! clone_inner {
    ($name:ident<$($param:tt),*>) => {
        impl<$($param),*> Clone for $name<$($param),*> {
            fn clone(&self) -> Self {
                $name {
                    inner: self.inner.clone(),
                }
            }
        }
    };
}
pub(super) use clone_inner;
