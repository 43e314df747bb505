//! `take_any` and `skip_any`.

use super::until::Until;
use crate::iter::item_op::{ItemOp, Plan, item_op_adapter};
use crate::iter::plumbing::Folder;
use crate::sync::atomic::{AtomicUsize, Ordering};

item_op_adapter! {
    /// Some items of another iterator, no matter which; see
    /// [`take_any`](crate::iter::ParallelIterator::take_any).
    TakeAny<I> { count: usize }
    where [] {}
    yields I::Item;
    plan Taking(&AtomicUsize::new(count));
}

item_op_adapter! {
    /// The items of another iterator without some, no matter which; see
    /// [`skip_any`](crate::iter::ParallelIterator::skip_any).
    SkipAny<I> { count: usize }
    where [] {}
    yields I::Item;
    plan Skipping(&AtomicUsize::new(count));
}

/// Whether nothing is left of `count`.
#[inline]
fn is_used_up(count: &AtomicUsize) -> bool {
    // Relaxed: the number says how many, and nothing else goes by it.
    count.load(Ordering::Relaxed) == 0
}

/// Takes one away from `count`, if there is one.
#[inline]
fn take_one(count: &AtomicUsize) -> bool {
    // Relaxed: as above.
    let less = |count: usize| count.checked_sub(1);
    count
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
        .is_ok()
}

/// Hands on as many items as the number says; plan and item operation in one.
#[derive(Clone, Debug)]
struct Taking<'n>(&'n AtomicUsize);

impl Plan for Taking<'_> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }

    fn full(&self) -> bool {
        is_used_up(self.0)
    }
}

impl<T> ItemOp<T> for Taking<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if take_one(self.0) {
            folder.consume(item)
        } else {
            folder
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = T>,
    {
        // No item is asked for when it is known that there will be no use for it.
        let items = Until::new(items, || is_used_up(self.0));
        folder.consume_iter(items.take_while(|_| take_one(self.0)))
    }

    #[inline]
    fn full(&self) -> bool {
        is_used_up(self.0)
    }
}

/// Drops as many items as the number says; plan and item operation in one.
#[derive(Clone, Debug)]
struct Skipping<'n>(&'n AtomicUsize);

impl Plan for Skipping<'_> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T> ItemOp<T> for Skipping<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if take_one(self.0) {
            folder
        } else {
            folder.consume(item)
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = T>,
    {
        // What is used up stays so.
        folder.consume_iter(items.skip_while(|_| take_one(self.0)))
    }
}
