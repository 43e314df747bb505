//! Stopping a loop from outside.

use crate::control::CancellationToken;
use crate::iter::item_op::{ItemOp, Plan, item_op_adapter};
use crate::iter::plumbing::Folder;

item_op_adapter! {
    /// The items of another iterator until a token is cancelled; see
    /// [`cancel_on`](crate::iter::ParallelIterator::cancel_on).
    CancelOn<I> { token: CancellationToken }
    where [] { }
    yields I::Item;
    plan UntilCancelled(&token);
}

/// Hands items on until the token is cancelled; plan and item operation in one.
#[derive(Clone, Debug)]
struct UntilCancelled<'t>(&'t CancellationToken);

impl Plan for UntilCancelled<'_> {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T> ItemOp<T> for UntilCancelled<'_> {
    type Item = T;

    #[inline]
    fn feed<F: Folder<T>>(&mut self, folder: F, item: T) -> F {
        if self.0.is_cancelled() {
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
        folder.consume_iter(items.take_while(|_| !self.0.is_cancelled()))
    }

    #[inline]
    fn full(&self) -> bool {
        self.0.is_cancelled()
    }
}
