//! Groups of items.
//!
//! A group is taken from the source in one pull, by one consumer, so no item waits in between: what
//! was taken is in a group that the stream handles, also where the stream is stopped while the
//! group is being filled. For that the wait for the next item must end when the stream stops. A
//! source that has a stopper is stopped by it. In any other the wait is one of [`LOOK`]. A flag
//! says before each pull whether to go on. A panic of the source waits until the group before it
//! was handed out; if none is asked for after that, it comes when the stage asks how the source has
//! ended. After each wait the thread also takes part in broadcasts of its pool: what fills the
//! source may come from one.

use std::num::NonZero;
use std::time::Duration;

use super::consumer::{LAST_LOOK, LOOK};
use super::feed::{Feed, Use};
use super::source::{Drained, Polled, Source, Stopper};
use crate::channel::CloseReason;
use crate::pool;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock};
use crate::unwind::{self, Payload};
use crate::wait;

/// How many items are taken between two looks at whether the stream wants more.
const AT_ONCE: usize = 64;

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
            panicked: Mutex::new(None),
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
    /// The panic of the source that came while a group was filled. The group goes first.
    panicked: Mutex<Option<Payload>>,
}

impl<S: Source> Groups<S> {
    /// Whether the stream wants no more.
    fn is_stopped(&self) -> bool {
        // Relaxed: nothing is read that was written before it.
        self.stopped.load(Ordering::Relaxed)
    }

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
                Polled::Empty if self.is_stopped() => return None,
                Polled::Empty => pool::run_what_is_sent(),
            }
        }
    }

    /// Adds to a group until it is full, there is no more, or the stream wants no more.
    fn fill(&mut self, group: &mut Vec<S::Item>) {
        while group.len() < self.size && !self.is_stopped() {
            if self.can_wait {
                let most = (self.size - group.len()).min(AT_ONCE);
                let before = group.len();
                if self.source.recv_batch(most, group) == Drained::Ended {
                    self.is_over = true;
                    return;
                }
                if group.len() > before {
                    continue;
                }
            }
            let Some(item) = self.next_item() else {
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
        let panicked = lock(&self.panicked).take();
        if let Some(payload) = panicked {
            unwind::resume(payload);
        }
        let mut group = Vec::new();
        match unwind::catch(|| self.fill(&mut group)) {
            Err(payload) if group.is_empty() => unwind::resume(payload),
            Err(payload) => *lock(&self.panicked) = Some(payload),
            Ok(()) => {}
        }
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
        // Relaxed: see `is_stopped`.
        let stop = move || stopped.store(true, Ordering::Relaxed);
        Some(match self.stopper.clone() {
            Some(stopper) => stopper.after(stop),
            None => Stopper::of_own(stop),
        })
    }

    fn end_reason(&self) -> Option<CloseReason> {
        let panicked = lock(&self.panicked).take();
        if let Some(payload) = panicked {
            unwind::resume(payload);
        }
        self.source.end_reason()
    }

    fn has_given_all(&self) -> bool {
        self.source.has_given_all()
    }
}

/// A payload that was not taken: its drop is code of the program.
impl<S> Drop for Groups<S> {
    fn drop(&mut self) {
        unwind::discard(lock(&self.panicked).take());
    }
}
