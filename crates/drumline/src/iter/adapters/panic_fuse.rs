//! `panic_fuse`.

use std::thread;

use super::until::Until;
use crate::iter::item_op::{ItemOp, ItemOpConsumer, ItemOpFolder, Plan, adapter};
use crate::iter::plumbing::{Consumer, Folder, Producer, ProducerCallback, UnindexedConsumer};
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use crate::sync::atomic::{AtomicBool, Ordering};

adapter! {
    /// The items of another iterator until something panics; see
    /// [`panic_fuse`](crate::iter::ParallelIterator::panic_fuse).
    PanicFuse<I> {}
}

impl<I: ParallelIterator> ParallelIterator for PanicFuse<I> {
    type Item = I::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<I::Item>,
    {
        let blown = AtomicBool::new(false);
        self.base
            .drive_unindexed(ItemOpConsumer::new(consumer, Wire(&blown)))
    }

    fn opt_len(&self) -> Option<usize> {
        self.base.opt_len()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for PanicFuse<I> {
    fn len(&self) -> usize {
        self.base.len()
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<I::Item>,
    {
        let blown = AtomicBool::new(false);
        self.base.drive(ItemOpConsumer::new(consumer, Wire(&blown)))
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<I::Item>,
    {
        struct Callback<'b, CB> {
            callback: CB,
            wire: Wire<'b>,
        }

        impl<T, CB: ProducerCallback<T>> ProducerCallback<T> for Callback<'_, CB> {
            type Output = CB::Output;

            fn callback<P>(self, base: P) -> CB::Output
            where
                P: Producer<Item = T>,
            {
                let wire = self.wire;
                self.callback.callback(FuseProducer { base, wire })
            }
        }

        let blown = AtomicBool::new(false);
        let wire = Wire(&blown);
        self.base.with_producer(Callback { callback, wire })
    }
}

/// Leads to the flag that tells all threads.
#[derive(Clone, Debug)]
struct Wire<'b>(&'b AtomicBool);

impl Wire<'_> {
    #[inline]
    fn is_blown(&self) -> bool {
        // Relaxed: it only saves work; the panic itself comes by another way.
        self.0.load(Ordering::Relaxed)
    }
}

impl<'b> Plan for Wire<'b> {
    type ItemOp = Fuse<'b>;

    fn begin(self) -> Fuse<'b> {
        let began_without_panic = !thread::panicking();
        Fuse {
            wire: self,
            began_without_panic,
        }
    }

    fn full(&self) -> bool {
        self.is_blown()
    }
}

/// Blows when it is dropped by a panic.
#[derive(Debug)]
struct Fuse<'b> {
    wire: Wire<'b>,
    /// In a destructor that runs because of another panic nothing can be noticed.
    began_without_panic: bool,
}

impl Drop for Fuse<'_> {
    fn drop(&mut self) {
        if self.began_without_panic && thread::panicking() {
            // Relaxed: as above.
            self.wire.0.store(true, Ordering::Relaxed);
        }
    }
}

impl<T> ItemOp<T> for Fuse<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        folder.consume(item)
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = T>,
    {
        folder.consume_iter(Until::new(items, || self.wire.is_blown()))
    }

    #[inline]
    fn full(&self) -> bool {
        self.wire.is_blown()
    }
}

/// Gives the items of `base` until the fuse is blown.
///
/// Then it gives fewer than there are. What lies around it ends there too and must not panic: its
/// panic could win over that of the user.
struct FuseProducer<'b, P> {
    base: P,
    wire: Wire<'b>,
}

impl<'b, P: Producer> Producer for FuseProducer<'b, P> {
    type Item = P::Item;
    type IntoIter = FuseIter<'b, P::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = true;

    fn into_iter(self) -> Self::IntoIter {
        FuseIter {
            // First, so that it blows where the following panics.
            fuse: self.wire.begin(),
            base: self.base.into_iter(),
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
        let left = FuseProducer {
            base: left,
            wire: self.wire.clone(),
        };
        let right = FuseProducer {
            base: right,
            wire: self.wire,
        };
        (left, right)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<P::Item>,
    {
        let folder = ItemOpFolder {
            base: folder,
            op: self.wire.begin(),
        };
        self.base.fold_with(folder).base
    }
}

/// The sequential iterator of a [`FuseProducer`].
struct FuseIter<'b, I> {
    fuse: Fuse<'b>,
    base: I,
}

impl<I: Iterator> Iterator for FuseIter<'_, I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.fuse.wire.is_blown() {
            return None;
        }
        self.base.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.base.size_hint()
    }
}

impl<I: DoubleEndedIterator> DoubleEndedIterator for FuseIter<'_, I> {
    #[inline]
    fn next_back(&mut self) -> Option<I::Item> {
        if self.fuse.wire.is_blown() {
            return None;
        }
        self.base.next_back()
    }
}

impl<I: ExactSizeIterator> ExactSizeIterator for FuseIter<'_, I> {}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::panic::{self, AssertUnwindSafe};

    use crate::iter::plumbing::{Producer, ProducerCallback};
    use crate::prelude::*;

    /// Counts the items that the left part gives, in both directions, once the right one has
    /// panicked.
    #[derive(Clone, Copy)]
    struct LeftBehindPanic;

    impl<T> ProducerCallback<T> for LeftBehindPanic {
        type Output = (usize, usize);

        fn callback<P>(self, producer: P) -> (usize, usize)
        where
            P: Producer<Item = T>,
        {
            let (left, right) = producer.split_at(4);
            let (first, second) = left.split_at(2);
            let payload = panic::catch_unwind(AssertUnwindSafe(|| {
                let mut items = right.into_iter();
                drop(items.next());
                panic::resume_unwind(Box::new("the user's"));
            }));
            assert!(payload.is_err_and(|payload| payload.is::<&str>()));
            let count = |count, _| count + 1;
            (
                first.into_iter().fold(0, count),
                second.into_iter().rfold(0, count),
            )
        }
    }

    // A panic of these could win over the one that they were to give way to.
    #[test]
    fn what_lies_around_a_blown_fuse_ends_without_a_panic() {
        let fused = || (0..8).into_par_iter().panic_fuse();
        let all = || (0..8).into_par_iter();
        let left = LeftBehindPanic;
        assert_eq!(fused().enumerate().with_producer(left), (0, 0));
        assert_eq!(fused().zip(all()).with_producer(left), (0, 0));
        assert_eq!(all().zip(fused()).with_producer(left), (0, 0));
        let three = (all(), fused(), all()).into_par_iter();
        assert_eq!(three.with_producer(left), (0, 0));
        assert_eq!(all().zip(fused()).rev().with_producer(left), (0, 0));
    }
}
