//! Where items come from.

mod channel;
mod iter;
mod other_channels;

#[cfg(feature = "futures")]
mod from_async;
#[cfg(feature = "kanal")]
mod kanal;

use std::fmt;
use std::time::Duration;

use crate::channel::CloseReason;
use crate::sync::{Arc, Mutex, lock};

#[cfg(feature = "futures")]
pub use from_async::FromAsync;
pub use iter::Iter;

/// What a [`Source`] says that was asked without waiting.
///
/// ```
/// use drumline::stream::{Polled, Source};
///
/// let (sender, mut receiver) = std::sync::mpsc::channel();
/// assert_eq!(receiver.try_recv().ok(), None);
/// sender.send(1).unwrap();
/// assert_eq!(Source::try_recv(&mut receiver), Polled::Item(1));
/// assert_eq!(Source::try_recv(&mut receiver), Polled::Empty);
/// drop(sender);
/// assert_eq!(Source::try_recv(&mut receiver), Polled::Ended);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polled<T> {
    /// The next item.
    Item(T),
    /// None is there now; there may be one later.
    Empty,
    /// There is none, and there never will be one.
    Ended,
}

/// What a [`Source`] says after a batch.
///
/// ```
/// use drumline::stream::{Drained, Source};
///
/// let (sender, mut receiver) = std::sync::mpsc::channel();
/// (1..=3).for_each(|number| sender.send(number).unwrap());
/// let mut batch = Vec::new();
/// assert_eq!(receiver.recv_batch(2, &mut batch), Drained::More);
/// assert_eq!(receiver.recv_batch(2, &mut batch), Drained::Empty);
/// drop(sender);
/// assert_eq!(receiver.recv_batch(2, &mut batch), Drained::Ended);
/// assert_eq!(batch, [1, 2, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// There may be more right now.
    More,
    /// No more are there now; there may be some later.
    Empty,
    /// There are no more, and there never will be any.
    Ended,
}

/// Makes a source that waits, or will, say that it has ended; see [`Source::stopper`].
///
/// ```
/// use drumline::stream::{self, Source};
///
/// let (sender, mut receiver) = stream::queue(1);
/// let stopper = receiver.stopper().expect("a queue has one");
/// let stopping = std::thread::spawn(move || stopper.stop());
/// assert_eq!(Source::recv(&mut receiver), None); // it waits no longer
/// stopping.join().unwrap();
/// drop::<stream::Sender<u8>>(sender);
/// ```
#[derive(Clone)]
pub struct Stopper {
    stop: Arc<dyn Fn() + Send + Sync>,
    /// It is code of the program, which may take long, or drop the stream.
    is_foreign: bool,
}

impl Stopper {
    /// A stopper that does `stop`.
    ///
    /// ```
    /// use drumline::stream::Stopper;
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// let stopped = Arc::new(AtomicBool::new(false));
    /// let stopper = Stopper::new({
    ///     let stopped = Arc::clone(&stopped);
    ///     move || stopped.store(true, Ordering::Relaxed)
    /// });
    /// stopper.stop();
    /// assert!(stopped.load(Ordering::Relaxed));
    /// ```
    pub fn new(stop: impl Fn() + Send + Sync + 'static) -> Self {
        Stopper {
            stop: Arc::new(stop),
            is_foreign: true,
        }
    }

    /// The stopper of a source of this crate: of a [`queue`](super::queue()) or a channel, which a
    /// later stream resets, or of an async stream.
    pub(in crate::stream) fn of_own(stop: impl Fn() + Send + Sync + 'static) -> Self {
        Stopper {
            stop: Arc::new(stop),
            is_foreign: false,
        }
    }

    /// Does something first.
    pub(in crate::stream) fn after(self, first: impl Fn() + Send + Sync + 'static) -> Self {
        let is_foreign = self.is_foreign;
        Stopper {
            stop: Arc::new(move || {
                first();
                self.stop();
            }),
            is_foreign,
        }
    }

    /// Stops the source.
    ///
    /// ```
    /// use drumline::stream::Stopper;
    /// use std::sync::mpsc;
    ///
    /// let (end, ended) = mpsc::channel();
    /// let stopper = Stopper::new(move || drop(end.send("no more")));
    /// stopper.stop();
    /// assert_eq!(ended.recv(), Ok("no more"));
    /// ```
    pub fn stop(&self) {
        (self.stop)();
    }

    /// Stops the source for a stream, unless that is over. A stream after it can go on with a
    /// queue, so a queue is stopped under the lock. Other sources are stopped for good, and so
    /// nothing depends on when.
    pub(super) fn stop_for(&self, is_over: &Mutex<bool>) {
        let is_over = lock(is_over);
        if *is_over {
            return;
        }
        if self.is_foreign {
            drop(is_over);
        }
        self.stop();
    }
}

impl fmt::Debug for Stopper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopper").finish_non_exhaustive()
    }
}

/// A queue, or anything else that items come from one by one.
///
/// Only one consumer at a time touches a source, so it need not be [`Sync`], and nothing in it has
/// to be thread-safe. To let streams take from a queue of your own, say how it waits and how it
/// looks:
///
/// ```
/// use drumline::stream::{Polled, Source, stream};
/// use std::collections::VecDeque;
/// use std::sync::{Arc, Condvar, Mutex};
///
/// /// Numbers that other threads push; `None` ends it.
/// #[derive(Clone, Default)]
/// struct Numbers(Arc<(Mutex<VecDeque<Option<u64>>>, Condvar)>);
///
/// impl Source for Numbers {
///     type Item = u64;
///
///     fn recv(&mut self) -> Option<u64> {
///         let (numbers, pushed) = &*self.0;
///         let waiting = numbers.lock().unwrap();
///         let mut numbers = pushed.wait_while(waiting, |numbers| numbers.is_empty()).unwrap();
///         if numbers[0].is_none() { None } else { numbers.pop_front()? } // the end stays
///     }
///
///     fn try_recv(&mut self) -> Polled<u64> {
///         if self.0.0.lock().unwrap().is_empty() { return Polled::Empty }
///         self.recv().map_or(Polled::Ended, Polled::Item) // only one consumer takes
///     }
/// }
///
/// let numbers = Numbers::default();
/// numbers.0.0.lock().unwrap().extend([Some(1), Some(2), None]);
/// assert_eq!(stream(numbers).reduce(|| 0, |a, b| a + b), 3);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a source of a stream",
    label = "no stream can take items from this",
    note = "receivers of channels are sources; `stream::iter` takes iterators",
    note = "an iterator has to be `Send`, and its items, too: several threads use it in turn; in \
            place of `io::stdin().lines()`, which holds a lock, give \
            `BufReader::new(io::stdin()).lines()`"
)]
pub trait Source: Send {
    /// What comes from it.
    type Item: Send;

    /// Waits for the next item; `None` when it has ended, then and ever after.
    ///
    /// ```
    /// use drumline::stream::Source;
    ///
    /// let (sender, mut receiver) = std::sync::mpsc::channel();
    /// sender.send(1).unwrap();
    /// drop(sender);
    /// assert_eq!(Source::recv(&mut receiver), Some(1));
    /// assert_eq!(Source::recv(&mut receiver), None);
    /// ```
    ///
    /// # Blocking
    ///
    /// Until there is an item, or none will come.
    fn recv(&mut self) -> Option<Self::Item>;

    /// Waits for the next item, but no longer than this time: then `Empty`.
    ///
    /// A stream waits so in a source without a [stopper](Self::stopper), if a
    /// [token](crate::stream::Stream::cancel_on) may cancel it, or its functions may fail. The
    /// consumer of any stream in a pool waits so too, while another consumer is at work on an item,
    /// because that item may [broadcast](crate::broadcast()). By default, this waits as
    /// [`recv`](Self::recv) does.
    ///
    /// ```
    /// use drumline::stream::{Polled, Source};
    /// use std::time::Duration;
    ///
    /// let (sender, mut receiver) = std::sync::mpsc::channel();
    /// let timeout = Duration::from_millis(1);
    /// assert_eq!(Source::recv_timeout(&mut receiver, timeout), Polled::Empty);
    /// sender.send(1).unwrap();
    /// assert_eq!(Source::recv_timeout(&mut receiver, timeout), Polled::Item(1));
    /// ```
    ///
    /// # Blocking
    ///
    /// Until there is an item, none will come, or the time is over.
    fn recv_timeout(&mut self, _time: Duration) -> Polled<Self::Item> {
        self.recv().map_or(Polled::Ended, Polled::Item)
    }

    /// The next item, if it is there now. A source that cannot know without waiting (an iterator)
    /// waits.
    ///
    /// ```
    /// use drumline::stream::{Polled, Source};
    ///
    /// let (sender, mut receiver) = std::sync::mpsc::channel();
    /// assert_eq!(Source::try_recv(&mut receiver), Polled::Empty);
    /// sender.send(1).unwrap();
    /// assert_eq!(Source::try_recv(&mut receiver), Polled::Item(1));
    /// ```
    fn try_recv(&mut self) -> Polled<Self::Item>;

    /// Adds at most `most` items that are there now, without waiting.
    ///
    /// Asks for them one by one, unless the source knows better.
    ///
    /// ```
    /// use drumline::stream::{Drained, Source};
    ///
    /// let (sender, mut receiver) = std::sync::mpsc::channel();
    /// (1..=3).for_each(|number| sender.send(number).unwrap());
    /// let mut batch = Vec::new();
    /// assert_eq!(receiver.recv_batch(8, &mut batch), Drained::Empty); // for now
    /// assert_eq!(batch, [1, 2, 3]);
    /// ```
    fn recv_batch(&mut self, most: usize, batch: &mut Vec<Self::Item>) -> Drained {
        for _ in 0..most {
            match self.try_recv() {
                Polled::Item(item) => batch.push(item),
                Polled::Empty => return Drained::Empty,
                Polled::Ended => return Drained::Ended,
            }
        }
        Drained::More
    }

    /// Whether to [ask](Self::try_recv) may wait, because it cannot know what is there: so with an
    /// iterator.
    ///
    /// A stream then takes care that nothing that has come waits for what has not. Such a source
    /// waits in [`try_recv`](Self::try_recv): where it says [`Empty`](Polled::Empty), it is asked
    /// again at once.
    ///
    /// ```
    /// use drumline::stream::{Polled, Source, stream};
    ///
    /// /// A countdown, which never has to wait: so its numbers may be asked for at any time.
    /// struct Countdown(u32);
    ///
    /// impl Source for Countdown {
    ///     type Item = u32;
    ///     fn recv(&mut self) -> Option<u32> {
    ///         self.0 = self.0.checked_sub(1)?;
    ///         Some(self.0)
    ///     }
    ///     fn try_recv(&mut self) -> Polled<u32> {
    ///         self.recv().map_or(Polled::Ended, Polled::Item)
    ///     }
    ///     fn is_blind(&self) -> bool {
    ///         false
    ///     }
    /// }
    ///
    /// assert_eq!(stream(Countdown(10)).count(), 10);
    /// ```
    fn is_blind(&self) -> bool {
        false
    }

    /// How many items are there now, if that is known.
    ///
    /// If it is known, no consumer is woken for items that are not there.
    ///
    /// ```
    /// use drumline::stream::{self, Source};
    ///
    /// let (sender, receiver) = stream::queue(16);
    /// sender.send(1).unwrap();
    /// assert_eq!(receiver.len_hint(), Some(1));
    /// assert_eq!(std::sync::mpsc::channel::<u8>().1.len_hint(), None); // it does not know
    /// ```
    fn len_hint(&self) -> Option<usize> {
        None
    }

    /// Whether it measures from now on how long items wait in it, if it can; [`waits`](Self::waits)
    /// tells. Each stream says so when it begins. A stream that does not measure does not ask.
    ///
    /// ```
    /// use drumline::stream::{self, Source};
    ///
    /// let (sender, mut receiver) = stream::queue(16);
    /// receiver.measure_waits(true);
    /// sender.send(1).unwrap();
    /// assert_eq!(Source::recv(&mut receiver), Some(1));
    /// let mut waits = Vec::new();
    /// receiver.waits(&mut waits);
    /// assert_eq!(waits.len(), 1);
    /// ```
    fn measure_waits(&mut self, _measures: bool) {}

    /// How long those items had waited that were received since the last time this was asked.
    ///
    /// ```
    /// use drumline::stream::{self, Source};
    ///
    /// let (sender, mut receiver) = stream::queue(16);
    /// receiver.measure_waits(true);
    /// sender.send("a").unwrap();
    /// sender.send("b").unwrap();
    /// let mut batch = Vec::new();
    /// receiver.recv_batch(8, &mut batch);
    /// let mut waits = Vec::new();
    /// receiver.waits(&mut waits);
    /// println!("{batch:?} have waited for {waits:?}");
    /// assert_eq!(waits.len(), 2);
    /// ```
    fn waits(&mut self, _waits: &mut Vec<Duration>) {}

    /// What ends the waiting in [`recv`](Self::recv) from outside, for good, if that is possible.
    ///
    /// A stream that stops early (an error, a panic, a cancellation) uses it. Without it, a
    /// consumer that waits for an item is gone only when one comes, or when the source ends; a
    /// stream that may be cancelled, or that may fail, looks up every 20 ms
    /// ([`recv_timeout`](Self::recv_timeout)).
    ///
    /// ```
    /// use drumline::stream::{self, Source};
    ///
    /// let (_sender, mut receiver) = stream::queue::<u8>(16);
    /// receiver.stopper().expect("a queue has one").stop();
    /// assert_eq!(Source::recv(&mut receiver), None);
    /// assert!(std::sync::mpsc::channel::<u8>().1.stopper().is_none());
    /// ```
    fn stopper(&self) -> Option<Stopper> {
        None
    }

    /// Why it has ended, once it has, if it is one that says so: the receiver of a
    /// [channel](crate::channel).
    ///
    /// ```
    /// use drumline::channel::{CloseReason, mpsc};
    /// use drumline::stream::Source;
    ///
    /// let (sender, mut receiver) = mpsc::unbounded::<u8>();
    /// sender.finish();
    /// assert_eq!(Source::recv(&mut receiver), None);
    /// assert_eq!(receiver.end_reason(), Some(CloseReason::Finished));
    /// ```
    fn end_reason(&self) -> Option<CloseReason> {
        None
    }

    /// Whether all that was wanted of it has come, though it was not asked for more. For the
    /// library only.
    #[doc(hidden)]
    fn has_given_all(&self) -> bool {
        false
    }
}

/// A source that another one lies behind.
macro_rules! forwards {
    ($(#[$meta:meta])* $outer:ty) => {
        $(#[$meta])*
        impl<S: Source + ?Sized> Source for $outer {
            type Item = S::Item;

            fn recv(&mut self) -> Option<S::Item> {
                (**self).recv()
            }

            fn recv_timeout(&mut self, time: Duration) -> Polled<S::Item> {
                (**self).recv_timeout(time)
            }

            fn try_recv(&mut self) -> Polled<S::Item> {
                (**self).try_recv()
            }

            fn recv_batch(&mut self, most: usize, batch: &mut Vec<S::Item>) -> Drained {
                (**self).recv_batch(most, batch)
            }

            fn is_blind(&self) -> bool {
                (**self).is_blind()
            }

            fn len_hint(&self) -> Option<usize> {
                (**self).len_hint()
            }

            fn measure_waits(&mut self, measures: bool) {
                (**self).measure_waits(measures);
            }

            fn waits(&mut self, waits: &mut Vec<Duration>) {
                (**self).waits(waits);
            }

            fn stopper(&self) -> Option<Stopper> {
                (**self).stopper()
            }

            fn end_reason(&self) -> Option<CloseReason> {
                (**self).end_reason()
            }

            fn has_given_all(&self) -> bool {
                (**self).has_given_all()
            }
        }
    };
}

forwards! {
    /// Takes from it as long as the stream lasts; what is left can be used afterwards.
    &mut S
}

forwards! { Box<S> }
