//! Sequential iterators, as parallel ones.

use std::mem;
use std::ptr;

use super::ParallelIterator;
use super::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, per_thread};

/// Sequential iterators that can become parallel ones.
pub trait ParallelBridge: Sized {
    /// Becomes a parallel iterator over the same items, in no order.
    ///
    /// The iterator stays what it is: threads take turns to ask it for an item, and work on their
    /// items at once. So it pays where much is to be done with each item and the iterator is quick,
    /// or where it waits itself, as that of a channel does. No thread takes an item before it has
    /// done with the one before, unless the pool's [`WaitPolicy`](crate::WaitPolicy) is `Steal` and
    /// the closure waits for other work. What has a parallel iterator of its own should use that.
    ///
    /// If the iterator uses parallelism itself, and comes to run part of this very loop
    /// while it is asked for an item, that part ends early, and others go on with it.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use drumline::prelude::*;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// for number in 0..100u64 {
    ///     sender.send(number)?;
    /// }
    /// drop(sender);
    /// assert_eq!(receiver.into_iter().par_bridge().map(|n| n * n).sum::<u64>(), 328_350);
    /// # Ok::<(), mpsc::SendError<u64>>(())
    /// ```
    fn par_bridge(self) -> IterBridge<Self>;
}

impl<T> ParallelBridge for T
where
    T: Iterator<Item: Send> + Send,
{
    fn par_bridge(self) -> IterBridge<T> {
        IterBridge { iter: self }
    }
}

/// A parallel iterator over the items of a sequential one; see
/// [`par_bridge`](ParallelBridge::par_bridge).
///
/// If the sequential iterator panics, no thread asks it again, and the panic arrives where the loop
/// was begun, after all items have been worked on that it had given. If what is done with an item
/// panics, no more items are taken.
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct IterBridge<Iter> {
    iter: Iter,
}

impl<Iter> ParallelIterator for IterBridge<Iter>
where
    Iter: Iterator<Item: Send> + Send,
{
    type Item = Iter::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>,
    {
        let source = Source {
            iter: Mutex::new(self.iter),
            is_over: AtomicBool::new(false),
            holder: AtomicUsize::new(NOBODY),
        };
        let share = Share {
            source: &source,
            is_whole: true,
        };
        bridge_unindexed(share, consumer)
    }
}

/// What all threads ask for items.
struct Source<I> {
    iter: Mutex<I>,
    /// It has given its last item, or a thread has panicked. Relaxed: who sees it late asks once
    /// more, and looks again under the lock; the items of others come with the join that ends the
    /// loop.
    is_over: AtomicBool,
    /// The thread that asks for an item. Relaxed: every thread looks only for itself, and sees what
    /// it has written.
    holder: AtomicUsize,
}

/// No thread.
const NOBODY: usize = 0;

/// What stands for this thread.
fn this_thread() -> usize {
    per_thread! {
        static PLACE: u8 = const { 0 };
    }
    PLACE.with(|place| ptr::from_ref(place).addr())
}

impl<I: Iterator> Source<I> {
    /// The next item.
    fn ask(&self, me: usize) -> Option<I::Item> {
        // Poisoned: it has panicked. `is_over` says so in a moment.
        let mut iter = self.iter.lock().ok()?;
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        self.holder.store(me, Ordering::Relaxed);
        let item = iter.next();
        self.holder.store(NOBODY, Ordering::Relaxed);
        if item.is_none() {
            // It may begin anew if it is asked again.
            self.is_over.store(true, Ordering::Relaxed);
        }
        item
    }
}

/// The right to ask for items. The thread that gets one makes two of it: one to use, and another
/// one to offer.
struct Share<'s, I> {
    source: &'s Source<I>,
    is_whole: bool,
}

impl<I> UnindexedProducer for Share<'_, I>
where
    I: Iterator<Item: Send> + Send,
{
    type Item = I::Item;

    fn split(self) -> (Self, Option<Self>) {
        // A thread that asks for an item further down on its stack has the lock: what it offered
        // would be taken, and wait for that lock, and the thread would wait for what was taken.
        let is_asking = self.source.holder.load(Ordering::Relaxed) == this_thread();
        if !self.is_whole || is_asking || self.source.is_over.load(Ordering::Relaxed) {
            return (self, None);
        }
        let own = Share {
            is_whole: false,
            ..self
        };
        (own, Some(self))
    }

    fn fold_with<F>(self, mut folder: F) -> F
    where
        F: Folder<I::Item>,
    {
        let source = self.source;
        let me = this_thread();
        let end = EndOnPanic(&source.is_over);
        while !source.is_over.load(Ordering::Relaxed)
            // Otherwise this thread is asking right now, further down on its stack.
            && source.holder.load(Ordering::Relaxed) != me
            && let Some(item) = source.ask(me)
        {
            folder = folder.consume(item);
            if folder.full() {
                break;
            }
        }
        mem::forget(end);
        folder
    }
}

/// Ends the loop for everybody, unless it is forgotten.
struct EndOnPanic<'s>(&'s AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
