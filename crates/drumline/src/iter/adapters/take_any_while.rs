//! `take_any_while`, `skip_any_while` and `while_some`.

use super::until::Until;
use crate::iter::item_op::{ItemOp, Plan, item_op_adapter};
use crate::iter::plumbing::Folder;
use crate::sync::atomic::{AtomicBool, Ordering};

item_op_adapter! {
    /// Items of another iterator until one of them does not satisfy a predicate; see
    /// [`take_any_while`](crate::iter::ParallelIterator::take_any_while).
    TakeAnyWhile<I, P> { predicate: P }
    where [] { P: Fn(&I::Item) -> bool + Sync + Send, }
    yields I::Item;
    plan TakingWhile(Once { over: &AtomicBool::new(false), by: &predicate });
}

item_op_adapter! {
    /// Items of another iterator after one of them did not satisfy a predicate; see
    /// [`skip_any_while`](crate::iter::ParallelIterator::skip_any_while).
    SkipAnyWhile<I, P> { predicate: P }
    where [] { P: Fn(&I::Item) -> bool + Sync + Send, }
    yields I::Item;
    plan SkippingWhile(Once { over: &AtomicBool::new(false), by: &predicate });
}

item_op_adapter! {
    /// What the items of another iterator hold, until one of them is `None`; see
    /// [`while_some`](crate::iter::ParallelIterator::while_some).
    WhileSome<I> {}
    where [T] { I: crate::iter::ParallelIterator<Item = Option<T>>, T: Send, }
    yields T;
    plan Unwrapping(Once { over: &AtomicBool::new(false), by: &() });
}

/// Something that is over once and for all, for all threads.
#[derive(Debug)]
struct Once<'f, P> {
    over: &'f AtomicBool,
    by: &'f P,
}

impl<P> Clone for Once<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Once<'_, P> {}

impl<P> Once<'_, P> {
    #[inline]
    fn is_over(self) -> bool {
        // Relaxed: it decides only how many items are taken, and that number is not defined anyway.
        self.over.load(Ordering::Relaxed)
    }

    fn end(self) {
        // Relaxed: as above.
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether it is not over, which it is if the item does not satisfy the predicate.
    #[inline]
    fn goes_on<T>(self, item: &T) -> bool
    where
        P: Fn(&T) -> bool,
    {
        if self.is_over() {
            return false;
        }
        let goes_on = (self.by)(item);
        if !goes_on {
            self.end();
        }
        goes_on
    }
}

/// Hands on items until it is over; plan and item operation in one.
#[derive(Debug)]
struct TakingWhile<'f, P>(Once<'f, P>);

impl<P> Clone for TakingWhile<'_, P> {
    fn clone(&self) -> Self {
        TakingWhile(self.0)
    }
}

impl<P: Sync> Plan for TakingWhile<'_, P> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }

    fn full(&self) -> bool {
        self.0.is_over()
    }
}

impl<T, P> ItemOp<T> for TakingWhile<'_, P>
where
    P: Fn(&T) -> bool,
{
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if self.0.goes_on(&item) {
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
        let items = Until::new(items, || self.0.is_over());
        folder.consume_iter(items.take_while(|item| self.0.goes_on(item)))
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.is_over()
    }
}

/// Drops items until it is over; plan and item operation in one.
#[derive(Debug)]
struct SkippingWhile<'f, P>(Once<'f, P>);

impl<P> Clone for SkippingWhile<'_, P> {
    fn clone(&self) -> Self {
        SkippingWhile(self.0)
    }
}

impl<P: Sync> Plan for SkippingWhile<'_, P> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T, P> ItemOp<T> for SkippingWhile<'_, P>
where
    P: Fn(&T) -> bool,
{
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if self.0.goes_on(&item) {
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
        // What is over stays so.
        folder.consume_iter(items.skip_while(|item| self.0.goes_on(item)))
    }
}

/// Hands on what items hold until one holds nothing; plan and item operation in one.
#[derive(Clone, Debug)]
struct Unwrapping<'f>(Once<'f, ()>);

impl Plan for Unwrapping<'_> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }

    fn full(&self) -> bool {
        self.0.is_over()
    }
}

impl<T> ItemOp<Option<T>> for Unwrapping<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: Option<T>) -> F {
        match item {
            Some(item) => folder.consume(item),
            None => {
                self.0.end();
                folder
            }
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<T>,
        I: Iterator<Item = Option<T>>,
    {
        let items = Until::new(items, || self.0.is_over());
        folder.consume_iter(items.map_while(|item| {
            if item.is_none() {
                self.0.end();
            }
            item
        }))
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.is_over()
    }
}
