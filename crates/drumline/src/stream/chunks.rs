//! Groups of items.
//!
//! A group is taken from the source in one pull, by one consumer, so no item waits in between: what
//! was taken is in a group that the stream handles, also where the stream is stopped while the group
//! is being filled. For that the wait for the next item must end when the stream stops. A source
//! that has a stopper is stopped by it. In any other the wait is one of [`LOOK`], after which a flag
//! says whether to go on. After each wait the thread also takes part in broadcasts of its pool: what
//! fills the source may come from one.

use std::num::NonZero;
use std::time::Duration;

use super::consumer::{LAST_LOOK, LOOK};
use super::feed::{Feed, Use};
use super::source::{Drained, Polled, Source, Stopper};
use crate::channel::CloseReason;
use crate::pool;
use crate::sync::Arc;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::wait;

/// Groups of what a stream begins with; made by [`chunks`](super::Stream::chunks).
#[derive(Clone, Debug)]
pub struct Chunks<F> {
    base: F,
    size: NonZero<usize>,
}

impl<F> Chunks<F> {
    pub(super) fn new(base: F, size: NonZero<usize>) -> Self {
        Chunks { base, size }
    }
}

impl<F: Feed> Feed for Chunks<F> {
    type Item = Vec<F::Item>;

    fn feed<U: Use<Vec<F::Item>>>(self, on: U) -> U::Out {
        let size = self.size.get();
        self.base.feed(WithGroups { size, on })
    }
}

/// Does something with groups of the items of a source.
struct WithGroups<U> {
    size: usize,
    on: U,
}

impl<T: Send, U: Use<Vec<T>>> Use<T> for WithGroups<U> {
    type Out = U::Out;

    fn apply<S: Source<Item = T>>(self, source: S) -> U::Out {
        self.on.apply(Groups {
            can_wait: !source.is_blind(),
            stopper: source.stopper(),
            source,
            size: self.size,
            stopped: Arc::default(),
            is_over: false,
        })
    }
}

/// A source of groups.
struct Groups<S> {
    source: S,
    size: usize,
    /// The source's own.
    stopper: Option<Stopper>,
    /// The stream wants no more.
    stopped: Arc<AtomicBool>,
    /// The source knows what is there without waiting, and may wait for some time only.
    can_wait: bool,
    is_over: bool,
}

impl<S: Source> Groups<S> {
    /// Waits for the next item.
    fn next_item(&mut self) -> Option<S::Item> {
        if !self.can_wait {
            return self.source.recv();
        }
        let look = self.stopper.as_ref().map_or(LOOK, |_| LAST_LOOK);
        loop {
            match wait::blocking(|| self.source.recv_timeout(look)) {
                Polled::Item(item) => return Some(item),
                Polled::Ended => return None,
                // Relaxed: nothing is read that was written before it.
                Polled::Empty if self.stopped.load(Ordering::Relaxed) => return None,
                Polled::Empty => pool::run_what_is_sent(),
            }
        }
    }

    /// Adds to a group until it is full, or there is no more.
    fn fill(&mut self, group: &mut Vec<S::Item>) {
        while group.len() < self.size {
            let drained = self.source.recv_batch(self.size - group.len(), group);
            if group.len() == self.size {
                return;
            }
            let next = match drained {
                Drained::Ended => None,
                Drained::More | Drained::Empty => self.next_item(),
            };
            let Some(item) = next else {
                self.is_over = true;
                return;
            };
            group.push(item);
        }
    }
}

impl<S: Source> Source for Groups<S> {
    type Item = Vec<S::Item>;

    fn recv(&mut self) -> Option<Vec<S::Item>> {
        if self.is_over {
            return None;
        }
        let mut group = Vec::new();
        self.fill(&mut group);
        (!group.is_empty()).then_some(group)
    }

    fn try_recv(&mut self) -> Polled<Vec<S::Item>> {
        self.recv().map_or(Polled::Ended, Polled::Item)
    }

    /// A group that is not full may wait for more.
    fn is_blind(&self) -> bool {
        true
    }

    fn measure_waits(&mut self, measures: bool) {
        self.source.measure_waits(measures);
    }

    fn waits(&mut self, waits: &mut Vec<Duration>) {
        self.source.waits(waits);
    }

    fn stopper(&self) -> Option<Stopper> {
        let stopped = Arc::clone(&self.stopped);
        // Relaxed: see `next_item`.
        let stop = move || stopped.store(true, Ordering::Relaxed);
        Some(match self.stopper.clone() {
            Some(stopper) => stopper.after(stop),
            None => Stopper::of_own(stop),
        })
    }

    fn end_reason(&self) -> Option<CloseReason> {
        self.source.end_reason()
    }
}
