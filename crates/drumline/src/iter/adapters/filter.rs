//! `filter` and `filter_map`.

use crate::iter::item_op::{ItemOp, by_fn, item_op_adapter};
use crate::iter::plumbing::Folder;

item_op_adapter! {
    /// The items of another iterator that satisfy a predicate; see
    /// [`filter`](crate::iter::ParallelIterator::filter).
    Filter<I, P> { predicate: P }
    where [] { P: Fn(&I::Item) -> bool + Sync + Send, }
    yields I::Item;
    plan Satisfying(&predicate);
}

by_fn! {
    /// Drops what does not satisfy the predicate.
    Satisfying
}

impl<T, P> ItemOp<T> for Satisfying<'_, P>
where
    P: Fn(&T) -> bool,
{
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if (self.0)(&item) {
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
        folder.consume_iter(items.filter(self.0))
    }
}

item_op_adapter! {
    /// What a function makes of the items of another iterator, where it makes something; see
    /// [`filter_map`](crate::iter::ParallelIterator::filter_map).
    FilterMap<I, P> { op: P }
    where [R] { P: Fn(I::Item) -> Option<R> + Sync + Send, R: Send, }
    yields R;
    plan Making(&op);
}

by_fn! {
    /// Drops what nothing is made of.
    Making
}

impl<T, R, P> ItemOp<T> for Making<'_, P>
where
    P: Fn(T) -> Option<R>,
{
    type Item = R;

    #[inline]
    fn feed<F: Folder<R>>(&mut self, folder: F, item: T) -> F {
        match (self.0)(item) {
            Some(made) => folder.consume(made),
            None => folder,
        }
    }

    #[inline]
    fn feed_all<F, I>(&mut self, folder: F, items: I) -> F
    where
        F: Folder<R>,
        I: Iterator<Item = T>,
    {
        folder.consume_iter(items.filter_map(self.0))
    }
}
