//! The first items of a stream.

use std::time::Duration;

use super::feed::{Feed, Use};
use super::source::{Drained, Polled, Source, Stopper};
use crate::channel::CloseReason;

/// The first items of what a stream begins with; made by [`take`](super::Stream::take).
#[derive(Clone, Debug)]
pub struct Take<F> {
    base: F,
    count: usize,
}

impl<F> Take<F> {
    pub(super) fn new(base: F, count: usize) -> Self {
        Take { base, count }
    }
}

impl<F: Feed> Feed for Take<F> {
    type Item = F::Item;

    fn feed<U: Use<F::Item>>(self, on: U) -> U::Out {
        let left = self.count;
        self.base.feed(WithFirst { left, on })
    }
}

/// Does something with the first items of a source.
struct WithFirst<U> {
    left: usize,
    on: U,
}

impl<T, U: Use<T>> Use<T> for WithFirst<U> {
    type Out = U::Out;

    fn apply<S: Source<Item = T>>(self, source: S) -> U::Out {
        self.on.apply(First {
            source,
            left: self.left,
        })
    }
}

/// A source that ends after some items, and never takes more from the one that it has.
struct First<S> {
    source: S,
    left: usize,
}

impl<S: Source> Source for First<S> {
    type Item = S::Item;

    fn recv(&mut self) -> Option<S::Item> {
        if self.left == 0 {
            return None;
        }
        let item = self.source.recv()?;
        self.left -= 1;
        Some(item)
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<S::Item> {
        if self.left == 0 {
            return Polled::Ended;
        }
        let polled = self.source.recv_timeout(time);
        self.left -= usize::from(matches!(polled, Polled::Item(_)));
        polled
    }

    fn try_recv(&mut self) -> Polled<S::Item> {
        if self.left == 0 {
            return Polled::Ended;
        }
        let polled = self.source.try_recv();
        self.left -= usize::from(matches!(polled, Polled::Item(_)));
        polled
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<S::Item>) -> Drained {
        if self.left == 0 {
            return Drained::Ended;
        }
        let before = batch.len();
        let drained = self.source.recv_batch(most.min(self.left), batch);
        self.left = self.left.saturating_sub(batch.len() - before);
        if self.left == 0 {
            Drained::Ended
        } else {
            drained
        }
    }

    fn is_blind(&self) -> bool {
        self.source.is_blind()
    }

    fn len_hint(&self) -> Option<usize> {
        self.source.len_hint().map(|items| items.min(self.left))
    }

    fn measure_waits(&mut self, measures: bool) {
        self.source.measure_waits(measures);
    }

    fn waits(&mut self, waits: &mut Vec<Duration>) {
        self.source.waits(waits);
    }

    fn stopper(&self) -> Option<Stopper> {
        self.source.stopper()
    }

    fn end_reason(&self) -> Option<CloseReason> {
        self.source.end_reason()
    }

    fn has_given_all(&self) -> bool {
        self.left == 0 || self.source.has_given_all()
    }
}
