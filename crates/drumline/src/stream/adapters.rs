//! What a stream does with its items on the way.

use super::chunks::Chunks;
use super::feed::Feed;
use super::serial::Serial;
use super::stream::{Stream, positive};
use super::take::Take;
use super::work::{
    Enumerate, Filter, FilterMap, FlatMap, IndexedWork, Inspect, Map, MapInit, Pass, TryMap, Work,
};

impl<F: Feed> Stream<F> {
    /// Groups of `size` items, in the order of the source; the last one may have fewer. They are
    /// the items of the stream from here on: what is numbered, counted, and taken in batches.
    ///
    /// Only a stream that does nothing yet has this. Where groups are to be made of results, begin
    /// another stage: `.ordered().stream().chunks(10)`.
    ///
    /// ```
    /// let sums = drumline::stream::iter(1..=10)
    ///     .chunks(4)
    ///     .map(|numbers| numbers.iter().sum::<u32>())
    ///     .collect::<Vec<_>>();
    /// assert_eq!(sums, [10, 26, 19]);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0, or if items are to be [weighed](Self::weigh): call that afterwards.
    ///
    /// # Cancellation
    ///
    /// What was taken from the source comes in a last group, which may have fewer items.
    ///
    /// # Blocking
    ///
    /// The consumer that asks for a group waits until it is full, or the source has ended. For
    /// groups that wait for some time only, see the guide's recipes for streams.
    #[track_caller]
    pub fn chunks(self, size: usize) -> Stream<Chunks<F>> {
        Stream {
            feed: Chunks::new(self.feed, positive(size, "chunk size")),
            work: Pass,
            consumers: self.consumers,
            settings: self.settings.for_chunks(),
        }
    }
}

impl<F, W> Stream<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    /// Makes something of each item, several at once.
    ///
    /// ```
    /// let sum = drumline::stream::iter(1..=3).map(|n| n * n).reduce_with(|a, b| a + b);
    /// assert_eq!(sum, Some(14));
    /// ```
    pub fn map<OP, R>(self, op: OP) -> Stream<F, Map<W, OP>>
    where
        OP: Fn(W::Out) -> R + Send + Sync,
        R: Send,
    {
        self.chain(|base| Map { base, op })
    }

    /// Leaves out the items for which `op` says no.
    ///
    /// ```
    /// assert_eq!(drumline::stream::iter(0..10).filter(|n| n % 5 == 0).count(), 2);
    /// ```
    pub fn filter<OP>(self, op: OP) -> Stream<F, Filter<W, OP>>
    where
        OP: Fn(&W::Out) -> bool + Send + Sync,
    {
        self.chain(|base| Filter { base, op })
    }

    /// Makes something of each item, or leaves it out.
    ///
    /// ```
    /// let texts = drumline::stream::iter(["1", "two", "3"]);
    /// let numbers = texts.filter_map(|text| text.parse::<u32>().ok());
    /// assert_eq!(numbers.reduce_with(|a, b| a + b), Some(4));
    /// ```
    pub fn filter_map<OP, R>(self, op: OP) -> Stream<F, FilterMap<W, OP>>
    where
        OP: Fn(W::Out) -> Option<R> + Send + Sync,
        R: Send,
    {
        self.chain(|base| FilterMap { base, op })
    }

    /// Makes any number of items of each.
    ///
    /// What is made of one item is made as a whole, before any of it goes on: that much is in
    /// memory besides what [`in_flight`](Self::in_flight) allows. It must come to an end.
    ///
    /// ```
    /// let words = drumline::stream::iter(["a b", "c"]).flat_map(|line| line.split(' '));
    /// assert_eq!(words.count(), 3);
    /// ```
    pub fn flat_map<OP, R>(self, op: OP) -> Stream<F, FlatMap<W, OP>>
    where
        OP: Fn(W::Out) -> R + Send + Sync,
        R: IntoIterator,
        R::Item: Send,
    {
        self.chain(|base| FlatMap { base, op })
    }

    /// Looks at each item, and hands it on.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let letters = AtomicUsize::new(0);
    /// let count = drumline::stream::iter(["one", "three"])
    ///     .inspect(|word| { letters.fetch_add(word.len(), Ordering::Relaxed); })
    ///     .count();
    /// assert_eq!((count, letters.into_inner()), (2, 8));
    /// ```
    pub fn inspect<OP>(self, op: OP) -> Stream<F, Inspect<W, OP>>
    where
        OP: Fn(&W::Out) + Send + Sync,
    {
        self.chain(|base| Inspect { base, op })
    }

    /// Gives each item its number in the source; the first has 0.
    ///
    /// ```
    /// let lines = ["ok", "bad", "ok"];
    /// let bad = drumline::stream::iter(lines)
    ///     .enumerate()
    ///     .filter(|(_, line)| *line == "bad")
    ///     .collect::<Vec<_>>();
    /// assert_eq!(bad, [(1, "bad")]);
    /// ```
    ///
    /// # Panics
    ///
    /// At an item whose number is more than `usize::MAX`.
    pub fn enumerate(self) -> Stream<F, Enumerate<W>>
    where
        W: IndexedWork<F::Item>,
    {
        self.chain(|base| Enumerate { base })
    }

    /// Only the first `count` items: no more than these are taken from the source, and then the
    /// stream has ended.
    ///
    /// Lend the source to go on with what is left of it.
    ///
    /// ```
    /// use drumline::stream::stream;
    ///
    /// let (sender, mut receiver) = drumline::channel::mpsc::unbounded();
    /// (1..=10).try_for_each(|n| sender.send(n))?;
    /// let first = stream(&mut receiver).take(4).map(|n| n * n).collect::<Vec<_>>();
    /// assert_eq!((first, receiver.recv()), (vec![1, 4, 9, 16], Ok(5)));
    /// # Ok::<(), drumline::stream::SendError<i32>>(())
    /// ```
    pub fn take(self, count: usize) -> Stream<Take<F>, W>
    where
        W: IndexedWork<F::Item>,
    {
        Stream {
            feed: Take::new(self.feed, count),
            work: self.work,
            consumers: self.consumers,
            settings: self.settings,
        }
    }

    /// As [`map`](Self::map), with a state that each consumer has for itself. There are never more
    /// states than consumers at once, unless one is lost to a panic.
    ///
    /// ```
    /// let lengths = drumline::stream::iter(0..100).map_init(String::new, |text, n| {
    ///     use std::fmt::Write;
    ///     text.clear();
    ///     write!(text, "{n}").unwrap();
    ///     text.len()
    /// });
    /// assert_eq!(lengths.reduce_with(|a, b| a + b), Some(190));
    /// ```
    pub fn map_init<INIT, S, OP, R>(self, init: INIT, op: OP) -> Stream<F, MapInit<W, INIT, OP>>
    where
        INIT: Fn() -> S + Send + Sync,
        S: Send,
        OP: Fn(&mut S, W::Out) -> R + Send + Sync,
        R: Send,
    {
        self.chain(|base| MapInit { base, init, op })
    }

    /// As [`map`](Self::map), with a function that can fail: after an error nothing more is taken
    /// from the source. What had been taken is finished, and all results arrive at the end, the
    /// error among them.
    ///
    /// ```
    /// let mut results = Vec::new();
    /// drumline::stream::iter(["1", "two", "3"])
    ///     .try_map(|text| text.parse::<u32>())
    ///     .ordered()
    ///     .for_each(|result| results.push(result));
    /// assert_eq!(results[0], Ok(1));
    /// assert!(results[1].is_err());
    /// ```
    pub fn try_map<OP, R, E>(self, op: OP) -> Stream<F, TryMap<W, OP>>
    where
        OP: Fn(W::Out) -> Result<R, E> + Send + Sync,
        R: Send,
        E: Send,
    {
        self.settings.set_may_stop();
        self.chain(|base| TryMap { base, op })
    }

    /// Brings the results together again, in the order of the source.
    ///
    /// ```
    /// let squares = drumline::stream::iter(1..=5).map(|n| n * n).ordered();
    /// let squares: Vec<u32> = squares.into_iter().collect();
    /// assert_eq!(squares, [1, 4, 9, 16, 25]);
    /// ```
    pub fn ordered(self) -> Serial<F, W> {
        self.serial(true)
    }

    /// Brings the results together again, as they come.
    ///
    /// ```
    /// let squares = drumline::stream::iter(1..=5).map(|n| n * n).unordered();
    /// let mut squares: Vec<u32> = squares.into_iter().collect();
    /// squares.sort();
    /// assert_eq!(squares, [1, 4, 9, 16, 25]);
    /// ```
    pub fn unordered(self) -> Serial<F, W> {
        self.serial(false)
    }

    /// [`map`](Self::map), and then [`ordered`](Self::ordered).
    ///
    /// ```
    /// let mut squares = Vec::new();
    /// let stream = drumline::stream::iter(1..=4).map_ordered(|n| n * n);
    /// stream.for_each(|square| squares.push(square));
    /// assert_eq!(squares, [1, 4, 9, 16]);
    /// ```
    pub fn map_ordered<OP, R>(self, op: OP) -> Serial<F, Map<W, OP>>
    where
        OP: Fn(W::Out) -> R + Send + Sync,
        R: Send,
    {
        self.map(op).ordered()
    }

    /// The results in a collection, in the order of the source.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let squares: Vec<u32> = stream::iter(1..=5).map(|n| n * n).collect();
    /// assert_eq!(squares, [1, 4, 9, 16, 25]);
    /// let numbers: Result<Vec<u32>, _> = stream::iter(["1", "two"]).map(str::parse).collect();
    /// assert!(numbers.is_err());
    /// ```
    ///
    /// # Panics
    ///
    /// As [`with`](Serial::with).
    ///
    /// # Blocking
    ///
    /// As [`with`](Serial::with). A collection that wants no more, such as a `Result` after an
    /// error, stops the stream.
    pub fn collect<C: FromIterator<W::Out>>(self) -> C {
        self.ordered().collect()
    }

    fn serial(self, is_ordered: bool) -> Serial<F, W> {
        Serial {
            feed: self.feed,
            work: self.work,
            consumers: self.consumers,
            settings: self.settings,
            is_ordered,
        }
    }
}
