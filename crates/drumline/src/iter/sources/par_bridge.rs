//! Sequential iterators, as parallel ones.

use std::cell::Cell;
use std::mem;
use std::ptr;
use std::sync::TryLockError;

use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, MutexGuard, per_thread, relax};

/// Sequential iterators that can become parallel ones.
///
/// ```
/// use drumline::prelude::*;
///
/// let lines = "1\n2\n3".lines(); // an iterator that is not parallel
/// let sum: u32 = lines.par_bridge().map(|line| line.parse::<u32>().unwrap()).sum();
/// assert_eq!(sum, 6);
/// ```
pub trait ParallelBridge: Sized {
    /// Becomes a parallel iterator over the same items, in no order.
    ///
    /// The iterator stays what it is: threads take turns to ask it for an item, and work on their
    /// items at once. So it pays where much is to be done with each item and the iterator is quick,
    /// or where it waits itself, as that of a channel does. No thread takes an item before it has
    /// done with the one before, unless the pool's [`WaitPolicy`](crate::WaitPolicy) is `Steal` and
    /// the closure waits for other work. What has a parallel iterator of its own should use that.
    ///
    /// If the iterator uses parallelism itself, and comes to run part of this very loop while it is
    /// asked for an item, that part ends early, and others go on with it. This holds for the thread
    /// that asks. Another one that helps with such an inner loop, and comes to this loop from
    /// there, waits for the iterator, and both can wait for ever: so the inner loop must not
    /// [yield](crate::yield_now()), nor must the pool's policy be `Steal`.
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
    /// It has given its last item, or a thread has panicked. Relaxed: a thread that sees it late
    /// asks once more, and looks again under the lock; the items of others come with the join that
    /// ends the loop.
    is_over: AtomicBool,
}

/// The sources that a thread asks for an item right now: the first one, and the next further out on
/// its stack.
struct Asking {
    source: *const (),
    outer: *const Asking,
}

per_thread! {
    /// The inmost one, or null.
    static ASKING: Cell<*const Asking> = const { Cell::new(ptr::null()) };
}

impl Asking {
    /// Runs `ask`, which asks `source`.
    fn run<R>(source: *const (), ask: impl FnOnce() -> R) -> R {
        /// Takes the entry off the list, also after a panic.
        struct Restore(*const Asking);

        impl Drop for Restore {
            fn drop(&mut self) {
                ASKING.with(|asking| asking.set(self.0));
            }
        }

        let outer = ASKING.with(Cell::get);
        let _restore = Restore(outer);
        let entry = Asking { source, outer };
        ASKING.with(|asking| asking.set(&raw const entry));
        ask()
    }

    /// Whether the calling thread asks `source` right now, further down on its stack.
    fn is_on(source: *const ()) -> bool {
        let mut entry = ASKING.with(Cell::get);
        // SAFETY: the entries are in frames of this thread, each of which takes its own off the
        // list before it ends.
        while let Some(asking) = unsafe { entry.as_ref() } {
            if asking.source == source {
                return true;
            }
            entry = asking.outer;
        }
        false
    }
}

/// How long a thread pauses at most between two tries to get the lock, in calls of `relax`: some
/// microseconds.
const LONGEST_PAUSE: u32 = 256;

/// After this many pauses in all it sleeps until it has the lock.
const MOST_PAUSES: u32 = 4 * LONGEST_PAUSE;

impl<I: Iterator> Source<I> {
    fn address(&self) -> *const () {
        ptr::from_ref(self).cast()
    }

    /// The iterator, when no other thread asks it. `None`: it has panicked, as `is_over` says.
    ///
    /// A quick iterator is free again in nanoseconds. A thread that slept for it at once would have
    /// to be woken by the one that has it, in a system call per item. So a thread tries for a while
    /// before it sleeps: that is for iterators that wait themselves.
    ///
    /// Each try takes the cache line of the lock away from the thread that has it. Where threads
    /// meet here at each item, the items are short, and one thread alone is quicker than several in
    /// turns. So the `pause` between two tries grows with each try that fails, and shrinks slowly.
    fn lock(&self, pause: &mut u32) -> Option<MutexGuard<'_, I>> {
        let mut pauses = 0;
        while pauses < MOST_PAUSES {
            match self.iter.try_lock() {
                Ok(iter) => {
                    if pauses == 0 {
                        *pause -= *pause / 8;
                    }
                    return Some(iter);
                }
                Err(TryLockError::Poisoned(_)) => return None,
                Err(TryLockError::WouldBlock) => {}
            }
            *pause = (*pause * 2).clamp(1, LONGEST_PAUSE);
            for _ in 0..*pause {
                relax();
            }
            pauses += *pause;
        }
        // Not announced: each thread that took the place of this one would come here, too.
        self.iter.lock().ok()
    }

    /// The next item.
    fn ask(&self, pause: &mut u32) -> Option<I::Item> {
        let mut iter = self.lock(pause)?;
        // Relaxed: see the field. It is in the line of the lock, which is not touched before.
        if self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        // Under the lock. The lock is not poisoned if this thread unwinds already, and asks in the
        // drop of some value.
        let end = EndOnPanic(&self.is_over);
        let item = Asking::run(self.address(), || iter.next());
        mem::forget(end);
        if item.is_none() {
            // It may begin anew if it is asked again. Relaxed: see the field.
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
        let is_asking = Asking::is_on(self.source.address());
        // Relaxed: see the field.
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
        let end = EndOnPanic(&source.is_over);
        // Otherwise this thread is asking right now, further down on its stack.
        if !Asking::is_on(source.address()) {
            let mut pause = 0;
            while let Some(item) = source.ask(&mut pause) {
                folder = folder.consume(item);
                if folder.full() {
                    break;
                }
            }
        }
        mem::forget(end);
        folder
    }
}

/// Ends the loop for all threads, unless it is forgotten.
struct EndOnPanic<'s>(&'s AtomicBool);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        // Relaxed: see `Source::is_over`.
        self.0.store(true, Ordering::Relaxed);
    }
}
