//! Stages that bring their results together again: the serial end, and what can be done there.

use std::fmt;

use super::consumers::{ConsumerKind, Consumers};
use super::executor::{Detached, Tasks, Threads};
use super::feed::{Feed, Use};
use super::finished::Finished;
use super::report::Report;
use super::results::{Adrift, Attended, Close, Results};
use super::settings::Settings;
use super::sink::Sink;
use super::source::Source;
use super::stage::Stage;
use super::stream::Stream;
use super::work::Work;
use crate::channel::SendError;
use crate::unwind;

/// A parallel stage that brings its results together in one place, in order or not. Made by
/// [`ordered`](Stream::ordered) and [`unordered`](Stream::unordered).
///
/// Nothing happens before one of the methods here, or the iterator, is used.
///
/// ```
/// use drumline::stream;
///
/// let lengths = stream::iter(["one", "three"]).map(str::len).ordered(); // nothing happens yet
/// let mut list = Vec::new();
/// lengths.for_each(|length| list.push(length));
/// assert_eq!(list, [3, 5]);
/// ```
#[must_use = "a stage does nothing before its results are asked for"]
pub struct Serial<F: Feed, W> {
    pub(super) feed: F,
    pub(super) work: W,
    pub(super) consumers: Consumers,
    pub(super) settings: Settings<F::Item>,
    pub(super) is_ordered: bool,
}

impl<F, W> Serial<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    /// Runs the stage while `serial` takes its results, on the calling thread; what `serial` leaves
    /// is dropped.
    ///
    /// The functions of the stage may borrow what outlives the call.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let names = ["ada", "grace", "barbara"];
    /// let greeting = String::from("hello");
    /// let longest = stream::iter(names)
    ///     .map_ordered(|name| format!("{greeting}, {name}"))
    ///     .with(|greetings| greetings.max_by_key(String::len));
    /// assert_eq!(longest.unwrap(), "hello, barbara");
    /// ```
    ///
    /// # Panics
    ///
    /// Where `serial` does, and where a function of the stage does (see
    /// [`OnPanic`](super::OnPanic)).
    ///
    /// # Blocking
    ///
    /// Until `serial` has returned and what was in flight is finished. A source that has no
    /// [stopper](Source::stopper) and says nothing more holds it up, if `serial` returns before the
    /// end.
    pub fn with<R>(self, serial: impl FnOnce(&mut Results<'_, W::Out>) -> R) -> R {
        let (result, _) = self.attend(serial);
        result
    }

    /// Does something with each result, one after another, on the calling thread.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let mut squares = Vec::new();
    /// let report = stream::iter(1..=4).map_ordered(|n| n * n).for_each(|square| squares.push(square));
    /// assert_eq!((report.items, squares), (4, vec![1, 4, 9, 16]));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`with`](Self::with).
    ///
    /// # Blocking
    ///
    /// Until the stream has ended.
    pub fn for_each(self, mut op: impl FnMut(W::Out)) -> Report {
        let ((), report) = self.run(|results| results.each(&mut op));
        report
    }

    /// Does something that can fail with each result, one after another, on the calling thread; the
    /// first error stops the stream.
    ///
    /// ```
    /// use drumline::stream;
    /// use std::io::Write;
    ///
    /// let mut out = Vec::new();
    /// stream::iter(["a", "b"])
    ///     .map_ordered(str::to_uppercase)
    ///     .try_for_each(|line| writeln!(out, "{line}"))?;
    /// assert_eq!(out, b"A\nB\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first that `op` returns. Results that come after it are dropped.
    ///
    /// # Panics
    ///
    /// As [`with`](Self::with).
    ///
    /// # Blocking
    ///
    /// As [`with`](Self::with).
    pub fn try_for_each<E>(self, op: impl FnMut(W::Out) -> Result<(), E>) -> Result<Report, E> {
        self.settings.set_may_stop();
        let (outcome, report) = self.run(|results| results.try_for_each(op));
        outcome.map(|()| report)
    }

    /// The results in a collection, on the calling thread: in the order of the source if the stage
    /// is [`ordered`](Stream::ordered).
    ///
    /// ```
    /// let squares = drumline::stream::iter(1..=4).map(|n| n * n).unordered();
    /// let mut squares: Vec<u32> = squares.collect();
    /// squares.sort();
    /// assert_eq!(squares, [1, 4, 9, 16]);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`with`](Self::with).
    ///
    /// # Blocking
    ///
    /// As [`with`](Self::with). A collection that wants no more, such as a `Result` after an error,
    /// stops the stream.
    pub fn collect<C: FromIterator<W::Out>>(self) -> C {
        self.with(|results| results.collect())
    }

    /// Sends the results to a channel (any [`Sink`]), as long as its receiver is there.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    /// use drumline::stream::{self, stream};
    ///
    /// let (mut sender, mut receiver) = spsc::bounded(4);
    /// let adding = std::thread::spawn(move || {
    ///     let sum = stream(&mut receiver).reduce_with(|a, b| a + b);
    ///     (sum, receiver.close_reason())
    /// });
    /// stream::iter(1..=100).map_ordered(|n| n * 2).send_to(&mut sender)?;
    /// sender.finish();
    /// assert_eq!(adding.join().unwrap(), (Some(10_100), Some(CloseReason::Finished)));
    /// # Ok::<(), stream::SendError<i32>>(())
    /// ```
    ///
    /// A sender that is given, not lent, is dropped at the end of the stream. Its receiver gets
    /// [`Dropped`](crate::channel::CloseReason::Dropped) then, or
    /// [`Panicked`](crate::channel::CloseReason::Panicked) if the stream has panicked.
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel: the result that was not sent comes back,
    /// and the stream stops. Results of items that were in flight then are dropped.
    ///
    /// # Panics
    ///
    /// As [`with`](Self::with).
    ///
    /// # Blocking
    ///
    /// As [`with`](Self::with), and while the channel is full. In a pool the thread is replaced
    /// meanwhile, so that what empties the channel may run in the same pool. A pool
    /// [without spares](crate::PoolBuilder::spares) has to have a job for each stream that may wait
    /// so: see [pipes](super#from-stream-to-stream).
    pub fn send_to<K>(self, mut sink: K) -> Result<Report, SendError<W::Out>>
    where
        K: Sink<W::Out>,
    {
        self.try_for_each(|result| sink.send(result))
    }

    /// The results as the source of another parallel stage, in the same pool.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let texts = ["1 2", "3 4 5"];
    /// let mut squares = Vec::new();
    /// stream::iter(texts)
    ///     .flat_map(|text| text.split(' ').map(|n| n.parse::<u32>().unwrap()))
    ///     .ordered()
    ///     .stream()
    ///     .map_ordered(|n| n * n)
    ///     .for_each(|square| squares.push(square));
    /// assert_eq!(squares, [1, 4, 9, 16, 25]);
    /// ```
    pub fn stream(self) -> Stream<Self> {
        let (consumers, settings) = (self.consumers.clone(), self.settings.for_next_stage());
        Stream::begin(self, consumers, settings)
    }

    /// Runs the stage, and says what it did, and those before it.
    fn run<R>(self, serial: impl FnOnce(&mut Results<'_, W::Out>) -> R) -> (R, Report) {
        let notes = self.settings.notes.clone();
        let (result, items) = self.attend(serial);
        (result, notes.report(items))
    }

    /// Runs the stage, and says how many items there were.
    fn attend<R>(self, serial: impl FnOnce(&mut Results<'_, W::Out>) -> R) -> (R, u64) {
        let Serial {
            feed,
            work,
            consumers,
            settings,
            is_ordered,
        } = self;
        feed.feed(Attending {
            work,
            consumers,
            settings,
            is_ordered,
            serial,
        })
    }
}

/// Runs a stage while something is done with its results.
struct Attending<W, T, K> {
    work: W,
    consumers: Consumers,
    settings: Settings<T>,
    is_ordered: bool,
    serial: K,
}

pub(super) fn finished<B>(is_ordered: bool) -> Finished<B> {
    if is_ordered {
        Finished::in_order()
    } else {
        Finished::as_they_come()
    }
}

impl<T, W, K, R> Use<T> for Attending<W, T, K>
where
    T: Send,
    W: Work<T>,
    K: FnOnce(&mut Results<'_, W::Out>) -> R,
{
    type Out = (R, u64);

    fn apply<S: Source<Item = T>>(self, source: S) -> (R, u64) {
        let consumers = self.consumers;
        let most = consumers.most();
        let finished = finished(self.is_ordered);
        let stage = Stage::new(source, self.work, self.settings, most, finished);
        let result = consumers.attend(|executor| {
            let _close = Close {
                stage: &stage,
                executor,
            };
            let attended = Attended {
                stage: stage.clone(),
                executor,
                solo: None,
            };
            (self.serial)(&mut Results::new(attended))
        });
        stage.note_end();
        if let Some(payload) = stage.take_fatal() {
            // The serial end has not come to it.
            unwind::discard(result);
            unwind::resume(payload);
        }
        let items = stage.stage_state.items();
        // By hand: a value that is being returned is leaked if the drop of a source panics.
        drop(stage);
        (result, items)
    }
}

/// A stage that runs is a source for the next one.
impl<F, W> Feed for Serial<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    type Item = W::Out;

    fn feed<U: Use<W::Out>>(self, on: U) -> U::Out {
        self.with(|results| on.apply(results))
    }
}

/// The results, for a stage that borrows nothing.
///
/// It begins with the first item that is asked for, and stops when the iterator is dropped: what
/// was in flight is finished, but no thread waits for it. The pool should live as long as the
/// iterator.
impl<S, W> IntoIterator for Serial<S, W>
where
    S: Source + 'static,
    W: Work<S::Item> + 'static,
{
    type Item = W::Out;
    type IntoIter = Results<'static, W::Out>;

    fn into_iter(self) -> Results<'static, W::Out> {
        let most = self.consumers.most();
        let finished = finished(self.is_ordered);
        let stage = Stage::new(self.feed, self.work, self.settings, most, finished);
        if let ConsumerKind::Threads(threads) = self.consumers.kind {
            return Results::new(Adrift {
                stage,
                executor: Threads::new(Detached, threads.get(), false),
                solo: None,
            });
        }
        let registry = self.consumers.share();
        Results::new(Adrift {
            stage,
            executor: Tasks { registry },
            solo: None,
        })
    }
}

impl<F: Feed, W> fmt::Debug for Serial<F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serial")
            .field("settings", &self.settings)
            .field("is_ordered", &self.is_ordered)
            .finish_non_exhaustive()
    }
}
