//! Streams of work: items come one after another, and several consumers handle them.
//!
//! A stream has a serial beginning, a [`Source`]: an iterator, a channel, a [`queue`] that other
//! threads fill, anything that gives one item after another. What is to be done with the items is
//! said by functions, as with iterators, and several consumers apply them at once. At the end the
//! results are gone ([`for_each`](Stream::for_each)), gathered ([`fold`](Stream::fold)), or come
//! together again in one place, in the order of the source ([`ordered`](Stream::ordered)) or not,
//! where a next stage may begin.
//!
//! ```
//! use drumline::stream;
//!
//! let text = "one two\nthree\n\nfour five six\n";
//! let mut lengths = Vec::new();
//! stream::iter(text.lines())                     // serial: lines
//!     .filter(|line| !line.is_empty())           // in parallel, from here ...
//!     .map_ordered(|line| line.split(' ').count())
//!     .for_each(|words| lengths.push(words));    // ... to here: serial again, in order
//! assert_eq!(lengths, [2, 1, 3]);
//! ```
//!
//! | to | use |
//! |---|---|
//! | begin | [`iter`](iter()), [`stream()`] with a [`queue`], the receiver of a [channel](crate::channel), a channel of `std`, `crossbeam-channel`, `flume` or `kanal` (features of these names), an async stream with `from_async` (feature `futures`), or a [`Source`] of your own |
//! | choose the consumers | [`pool`](Stream::pool), [`jobs`](Stream::jobs), [`threads`](Stream::threads) |
//! | handle items | [`map`](Stream::map), [`filter`](Stream::filter), [`filter_map`](Stream::filter_map), [`flat_map`](Stream::flat_map), [`inspect`](Stream::inspect), [`enumerate`](Stream::enumerate), [`map_init`](Stream::map_init), [`try_map`](Stream::try_map) |
//! | choose items | [`take`](Stream::take), [`chunks`](Stream::chunks) |
//! | gather them | [`fold`](Stream::fold), [`try_fold`](Stream::try_fold), which go on as streams |
//! | end in parallel | [`for_each`](Stream::for_each), [`try_for_each`](Stream::try_for_each), [`reduce`](Stream::reduce), [`reduce_with`](Stream::reduce_with), [`try_reduce`](Stream::try_reduce), [`try_reduce_with`](Stream::try_reduce_with), [`fold_init`](Stream::fold_init), [`count`](Stream::count) |
//! | end in one place | [`collect`](Stream::collect), [`ordered`](Stream::ordered), [`map_ordered`](Stream::map_ordered), [`unordered`](Stream::unordered), and then [`for_each`](Serial::for_each), [`with`](Serial::with), [`send_to`](Serial::send_to), `into_iter` (of a first stage without `take` and `chunks`; others have [`with`](Serial::with)), and as an async stream `into_async` (likewise; feature `futures`) |
//! | go on in parallel | [`Serial::stream`] |
//! | bound what is in flight | [`in_flight`](Stream::in_flight), [`weigh`](Stream::weigh), [`batch`](Stream::batch), [`batch_limit`](Stream::batch_limit) |
//! | stop, watch, count | [`cancel_on`](Stream::cancel_on), [`progress`](Stream::progress), [`stats`](Stream::stats), [`on_panic`](Stream::on_panic) |
//! | run threads of one's own | [`biased::consumers`] |
//!
//! Methods that parallel iterators have as well are called here as
//! [there](crate::iter::ParallelIterator), and do the same. What differs comes of items that arrive
//! one after another:
//!
//! * [`collect`](Stream::collect) keeps the order of the source, as there. Which items meet in a
//!   [`reduce`](Stream::reduce) or [`fold`](Stream::fold) is chance; there, neighbours meet.
//! * The state of a [`map_init`](Stream::map_init) and the value of a `fold` are those of a
//!   consumer, not of a part of the loop. A consumer that has no items has no value.
//! * What one item becomes in a [`flat_map`](Stream::flat_map) is serial, as in `flat_map_iter`
//!   there.
//! * [`chunks`](Stream::chunks) is the first thing in a stage. A `fold` and a
//!   [`Serial::stream`] begin another stage, and settings such as [`jobs`](Stream::jobs) are those
//!   of one stage. Of two in the same stage, the last one holds.
//!
//! # What consumes
//!
//! Consumers are jobs of a pool. There is one at first; at a parallel end it is the calling thread
//! itself. An *overloaded* consumer calls another one: it has taken a full batch without waiting
//! for it, and there is more to take. A consumer that finds nothing leaves, and its thread goes
//! back to its pool. So as few threads as can do the work do it, and the others are left alone.
//! This is a *biased* work queue. It saves nearly all of the context switches of a queue that wakes
//! another sleeper for every item.
//!
//! Less than some 10 µs of work is no reason to call, unless the [batch](#batches) is fixed: a call
//! costs as much. The last consumer does not leave but waits in the source. If it is a thread of a
//! pool, it is replaced there meanwhile (see [`blocking`](crate::blocking())). When items come
//! every few microseconds, it first looks for 10 µs whether the next one is there. That saves the
//! sender a wake-up.
//!
//! Items that take long, from a quarter of a millisecond on, are an exception: while one consumer
//! works on such an item, another one watches the source.
//!
//! Whether an item takes long is only a guess, by what the last ones took. So while consumers are
//! at work and another one is free, that one stays *aside*: it looks now and then whether items are
//! still taken, and goes on if all those at work are held up. It looks after 8 ms, then every
//! 64 ms, and over an iterator more often. It leaves when the source has been silent for 50 ms. So
//! all consumers but one may be held up, also by items that wait for a later one
//! ([in batches of one](#batches)). A thread of a pool that waits in the source meanwhile wakes up
//! every 160 ms, as it may be wanted in the pool.
//!
//! Where more threads want to run than there are processors (a thread notices when it loses its
//! own), it would not help to wake another one. There a consumer is called only when much has piled
//! up, and one that finds the source empty comes back after a few milliseconds rather than for the
//! next item. This trades some milliseconds of latency, on a machine that has no processor to
//! spare, for most of the context switches. A consumer that is aside looks once in a second there.
//!
//! # Batches
//!
//! Consumers take batches that are worth some 20 µs of work, by what items took lately: many short
//! items at once, and one by one those that take longer. No other consumer can take an item that is
//! in a batch: it waits until those before it are done, however long they take. Items outside of
//! the batches at hand do not wait. If an item must not wait for the one before it, or may itself
//! wait for a later one, ask for a [`batch`](Stream::batch) of 1.
//!
//! An iterator cannot say that it has nothing now, and any call of it may wait, for a line of a
//! pipe for instance. Nothing that it has given waits with that call: each item is handled before
//! the next is asked for, or lies where another consumer takes it. That one may be at work on its
//! own batch. So if items may take long, or wait for a later one, ask for a
//! [`batch`](Stream::batch) of 1 here, too. A fixed batch of more than one is an exception: an
//! order to wait for that many.
//!
//! # Bounds
//!
//! Everything is bounded: at most 8 batches per consumer are in flight, or what
//! [`in_flight`](Stream::in_flight) and [`weigh`](Stream::weigh) say. In flight is what has been
//! taken from the source and not been handed to the serial end, so results that wait for an earlier
//! one count as well. Where there is no room nothing is taken from the source, so a slow stage
//! holds back the one before it, and in the end the [`queue`]'s senders. An item that waits for a
//! later one needs room for both, and for those in between.
//!
//! What [`flat_map`](Stream::flat_map) makes of one item is not bounded.
//!
//! # Stopping early
//!
//! An error of a [`try_for_each`](Stream::try_for_each) or [`try_map`](Stream::try_map), a panic, a
//! [cancelled token](Stream::cancel_on) or a serial end that wants no more: nothing further is
//! taken from the source then, and what has been taken is finished. Nothing is dropped silently:
//! results in flight arrive at the serial end if it asks, and what is in a source stays there.
//! (Give `&mut source` to a stream to go on with it afterwards.)
//!
//! A source that was given to the stream is dropped at its end, before the call returns or panics.
//!
//! A panic is carried to the end of the stream, and goes on there. With [`OnPanic::Continue`] it
//! costs only its item, and the [`Report`] has it, with the item's number.
//!
//! # Channels
//!
//! Every receiver of a [channel](crate::channel) is a [`Source`], and every sender a [`Sink`], but
//! for those of a `oneshot`.
//!
//! ```
//! use drumline::channel::{CloseReason, lanes};
//! use drumline::stream::stream;
//!
//! let (sender, receiver) = lanes::per_lane(64);
//! for client in 0..4u64 {
//!     let mut sender = sender.clone();
//!     drumline::spawn(move || (0..100).try_for_each(|n| sender.send(client * 1_000 + n)));
//! }
//! drop(sender);
//! let report = stream(receiver).for_each(|n| assert!(n % 1_000 < 100));
//! assert_eq!((report.items, report.close_reason), (400, Some(CloseReason::Dropped)));
//! ```
//!
//! * **The end.** The stream ends when the channel is closed and all messages were taken, whatever
//!   the reason. [`Report::close_reason`] has the reason; so has a receiver that was lent (`&mut
//!   receiver`). A sender on a thread that panics does not make the stream panic.
//! * **An early stop.** A receiver that was given to the stream is dropped at the stream's end.
//!   Then later sends fail, and a send that waits for room gets its message back; the messages that
//!   are left are dropped. A receiver that was lent is given back: the channel stays open, and the
//!   messages that are left stay in it. Its senders wait until another stream takes them, or the
//!   receiver is closed.
//! * **Waiting.** The last consumer sleeps at the channel, and in a pool its thread is replaced. A
//!   message, the end of the channel, and a stop of the stream wake it. A pool does not end while
//!   one of its threads sleeps so.
//! * **Feedback.** A function of the stream that sends to the channel which the stream takes from
//!   must not wait for room: after a stop nothing makes room. Use `try_send` there.
//!
//! # From stream to stream
//!
//! A channel joins two streams, also of one pool: the first one [sends](Serial::send_to) its
//! results, and the second one takes from the receiver. (Stages of one stream are joined by
//! [`Serial::stream`].)
//!
//! ```
//! use drumline::channel::spsc;
//! use drumline::stream::{self, stream};
//!
//! let pool = drumline::Pool::builder().jobs(1).build()?;
//! let (sender, receiver) = spsc::bounded(4);
//! let first = pool.spawn(|| stream::iter(1..=100).map_ordered(|n| n * 2).send_to(sender));
//! let second = pool.spawn(|| stream(receiver).reduce_with(|a, b| a + b));
//! assert_eq!(second.join().unwrap(), Some(10_100));
//! assert_eq!(first.join().unwrap()?.items, 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The first stream waits while the channel is full, and the second one while it is empty. The pool
//! replaces threads that wait so, and thus one job is enough. A pool
//! [without spares](crate::PoolBuilder::spares) needs as many jobs as there are such streams: with
//! fewer, they can wait for each other for ever.

#[cfg(not(drumline_loom))]
mod adapters;
#[cfg(not(drumline_loom))]
mod aside;
#[cfg(all(feature = "futures", not(drumline_loom)))]
mod async_results;
#[cfg(all(test, drumline_loom))]
mod await_models;
#[cfg(not(drumline_loom))]
mod batch_size;
#[cfg(not(drumline_loom))]
pub mod biased;
#[cfg(not(drumline_loom))]
mod blind;
#[cfg(not(drumline_loom))]
mod chunks;
#[cfg(not(drumline_loom))]
mod consumer;
#[cfg(not(drumline_loom))]
mod consumers;
mod end_parker;
#[cfg(not(drumline_loom))]
mod ends;
#[cfg(not(drumline_loom))]
mod executor;
#[cfg(not(drumline_loom))]
mod feed;
mod finished;
#[cfg(not(drumline_loom))]
mod fold;
#[cfg(not(drumline_loom))]
mod fold_init;
#[cfg(not(drumline_loom))]
mod hand;
mod held_source;
#[cfg(not(drumline_loom))]
mod histogram;
mod load;
#[cfg(all(test, drumline_loom))]
mod models;
mod parked_consumers;
mod pocket;
#[cfg(all(test, drumline_loom))]
mod pocket_models;
#[cfg(all(test, drumline_shuttle))]
mod programs;
#[cfg(not(drumline_loom))]
mod queue;
#[cfg(not(drumline_loom))]
mod reduce;
#[cfg(not(drumline_loom))]
mod report;
#[cfg(not(drumline_loom))]
mod results;
#[cfg(not(drumline_loom))]
mod serial;
#[cfg(not(drumline_loom))]
mod settings;
#[cfg(not(drumline_loom))]
mod sink;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod small_tests;
#[cfg(not(drumline_loom))]
mod solo;
#[cfg(not(drumline_loom))]
mod source;
#[cfg(not(drumline_loom))]
mod spin_backoff;
#[cfg(not(drumline_loom))]
mod stage;
mod stage_state;
#[cfg(not(drumline_loom))]
mod stats;
#[cfg(not(drumline_loom))]
mod stay;
#[cfg(not(drumline_loom))]
#[expect(clippy::module_inception, reason = "it is the noun")]
mod stream;
#[cfg(not(drumline_loom))]
mod take;
mod ticket;
#[cfg(not(drumline_loom))]
mod tried;
#[cfg(all(test, drumline_loom))]
mod watch_models;
#[cfg(not(drumline_loom))]
mod work;

#[cfg(all(feature = "futures", not(drumline_loom)))]
pub use self::{async_results::AsyncResults, source::FromAsync};
#[cfg(not(drumline_loom))]
pub use self::{
    chunks::Chunks,
    feed::Feed,
    fold::{Fold, TryFold},
    histogram::Histogram,
    queue::{Receiver, Sender, queue},
    report::{Failed, OnPanic, Panicked, Report, StreamEnd},
    results::Results,
    serial::Serial,
    sink::Sink,
    source::{Drained, Iter, Polled, Source, Stopper},
    stats::{Snapshot, StreamStats},
    stream::Stream,
    take::Take,
    work::{
        Enumerate, Filter, FilterMap, FlatMap, IndexedWork, Inspect, Map, MapInit, Pass, TryMap,
        Work,
    },
};
#[cfg(not(drumline_loom))]
pub use crate::channel::{SendError, TrySendError};

/// A stream of the items of a source.
///
/// ```
/// use drumline::stream::stream;
/// use std::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// std::thread::spawn(move || (1..=10).for_each(|n| sender.send(n).unwrap()));
/// assert_eq!(stream(receiver).reduce_with(|a, b| a + b), Some(55));
/// ```
#[cfg(not(drumline_loom))]
pub fn stream<S: Source>(source: S) -> Stream<S> {
    Stream::new(source)
}

/// A stream of the items of an iterator: consumers ask it for them, one at a time.
///
/// ```
/// assert_eq!(drumline::stream::iter(1..=10).map(|n| n * n).reduce_with(|a, b| a + b), Some(385));
/// ```
///
/// The iterator has to be [`Send`]. `io::stdin().lines()` holds a lock, and is not; wrap standard
/// input in a reader of its own:
///
/// ```
/// use drumline::stream;
/// use std::io::{self, BufRead, BufReader};
///
/// let lines = stream::iter(BufReader::new(io::stdin()).lines());
/// let words = lines.map(|line| line.map_or(0, |line| line.split(' ').count()));
/// # drop(words);
/// ```
#[cfg(not(drumline_loom))]
pub fn iter<I>(items: I) -> Stream<Iter<I::IntoIter>>
where
    I: IntoIterator,
    // The message of this bound says what to do about an iterator that is not `Send`.
    Iter<I::IntoIter>: Source,
{
    Stream::new(Iter::new(items.into_iter()))
}

/// A stream of the items of an async stream (`futures_core::Stream`), with the feature `futures`.
///
/// Consumers poll the async stream, one at a time. So it may be one of another runtime, if that
/// runtime's reactor and timers can be found from threads of a pool. Its end is the end of this
/// stream.
///
/// ```
/// use drumline::stream;
/// use futures_util::stream::{self as futures, StreamExt};
///
/// let numbers = futures::iter(1..=10).then(|n| async move {
///     drumline::task::yield_now().await;
///     n
/// });
/// assert_eq!(stream::from_async(numbers).map(|n| n * n).reduce_with(|a, b| a + b), Some(385));
/// ```
///
/// An item is taken out of the async stream only when a consumer has a place for it. Lend the async
/// stream to go on with it after a stream that stopped early:
///
/// ```
/// use drumline::stream;
///
/// let mut numbers = futures_util::stream::iter(0..1_000);
/// let stopped = stream::from_async(&mut numbers)
///     .in_flight(1)
///     .try_for_each(|n| if n < 10 { Ok(()) } else { Err(n) });
/// assert!(stopped.is_err());
/// assert!(stream::from_async(numbers).count() > 0);
/// ```
///
/// # Panics
///
/// A panic of a poll ends the stream, and arrives where the stream's other panics do.
///
/// # Blocking
///
/// A poll should not block, and what it computes holds up the other consumers that want items.
/// While the async stream is not ready, the last consumer waits in it and its thread is replaced,
/// as with a channel. It is woken by the async stream, and when this stream
/// [stops](self#stopping-early). In a pool without [spares](crate::PoolBuilder::spares), an async
/// stream that depends on tasks of that very pool can stand still for ever.
#[cfg(all(feature = "futures", not(drumline_loom)))]
pub fn from_async<S>(stream: S) -> Stream<FromAsync<S>>
where
    S: futures_core::Stream + Send,
    S::Item: Send,
{
    Stream::new(FromAsync::new(stream))
}
