//! Iterators as sources.

use super::{Drained, Polled, Source};

/// The items of an iterator; made by [`stream::iter`](crate::stream::iter).
///
/// Whichever consumer needs items asks the iterator for them, one consumer at a time: that is the
/// serial part of the stream. An iterator cannot say that it has nothing now, and any call can
/// wait: for a line of a pipe, for instance. So a consumer that asks for more leaves what it has
/// got where another one can take it, or asks only after it has handled that. With one job each
/// item is handled before the next is asked for.
///
/// A fixed [batch](crate::stream::Stream::batch) of more than one item makes the stream wait for
/// that many.
#[derive(Clone, Debug)]
pub struct Iter<I> {
    /// `None` once it has ended: not every iterator goes on saying so.
    items: Option<I>,
}

impl<I> Iter<I> {
    pub(crate) fn new(items: I) -> Self {
        Iter { items: Some(items) }
    }
}

// An iterator that is not `Send` gets the message of `Source`.
#[diagnostic::do_not_recommend]
impl<I> Source for Iter<I>
where
    I: Iterator + Send,
    I::Item: Send,
{
    type Item = I::Item;

    fn recv(&mut self) -> Option<I::Item> {
        let item = self.items.as_mut()?.next();
        if item.is_none() {
            self.items = None;
        }
        item
    }

    fn try_recv(&mut self) -> Polled<I::Item> {
        self.recv().map_or(Polled::Ended, Polled::Item)
    }

    fn is_blind(&self) -> bool {
        true
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<I::Item>) -> Drained {
        let Some(items) = &mut self.items else {
            return Drained::Ended;
        };
        let before = batch.len();
        batch.extend(items.take(most));
        if batch.len() - before < most {
            self.items = None;
            return Drained::Ended;
        }
        Drained::More
    }
}
