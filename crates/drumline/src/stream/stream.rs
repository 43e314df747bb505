//! The stream that users build: a source, functions, and knobs.

use std::fmt;
use std::num::NonZero;

use super::consumers::{ConsumerKind, Consumers};
use super::feed::Feed;
use super::report::OnPanic;
use super::settings::Settings;
use super::stats::StreamStats;
use super::work::Pass;
use crate::control::{CancellationToken, Progress};
use crate::pool::{Pool, SharedRegistry};
use crate::sync::Arc;

/// Items from a [`Source`](super::Source), and what several consumers do with them; made by
/// [`stream`](super::stream()) and [`iter`](super::iter).
///
/// Nothing happens before an end is called: [`for_each`](Self::for_each) and its like, or one of
/// those of
/// [`ordered`](Self::ordered).
///
/// ```
/// use drumline::stream;
///
/// let words = stream::iter(["a", "few", "words"]); // nothing happens yet
/// let letters = words.map(str::len).reduce_with(|a, b| a + b);
/// assert_eq!(letters, Some(9));
/// ```
#[must_use = "a stream does nothing before its end is called"]
pub struct Stream<F: Feed, W = Pass> {
    pub(super) feed: F,
    pub(super) work: W,
    pub(super) consumers: Consumers,
    pub(super) settings: Settings<F::Item>,
}

/// Fails with a message that says what to do.
#[track_caller]
pub(super) fn positive(number: usize, what: &str) -> NonZero<usize> {
    match NonZero::new(number) {
        Some(number) => number,
        None => panic!("a stream with {what} = 0 could never go on; ask for at least 1"),
    }
}

impl<F: Feed> Stream<F> {
    pub(super) fn new(feed: F) -> Self {
        Stream::begin(feed, Consumers::default(), Settings::default())
    }

    pub(super) fn begin(feed: F, consumers: Consumers, settings: Settings<F::Item>) -> Self {
        Stream {
            feed,
            work: Pass,
            consumers,
            settings,
        }
    }
}

impl<F: Feed, W> Stream<F, W> {
    /// The consumers are jobs of this pool, rather than of the one that the calling thread is in,
    /// or the global one.
    ///
    /// ```
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// assert_eq!(drumline::stream::iter(0..10).pool(&pool).count(), 10);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn pool(mut self, pool: &Pool) -> Self {
        self.consumers.pool = Some(SharedRegistry::clone(pool.registry()));
        self
    }

    /// At most this many consumers at once, the calling thread included; otherwise as many as the
    /// pool has jobs.
    ///
    /// They come only as they are needed. With one, everything happens in the calling thread, in
    /// order.
    ///
    /// ```
    /// let mut in_order = Vec::new();
    /// let squares = drumline::stream::iter(1..=4).jobs(1).map(|n| n * n).ordered();
    /// squares.for_each(|square| in_order.push(square)); // on this thread alone
    /// assert_eq!(in_order, [1, 4, 9, 16]);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.consumers.kind = ConsumerKind::Jobs(positive(jobs, "jobs"));
        self
    }

    /// The consumers are threads that do nothing else, instead of jobs of a pool: for items that
    /// take long.
    ///
    /// They are started as they are needed, and end with the stream. The calling
    /// thread is one of them at a parallel end, and none at a serial one. If the system refuses a
    /// thread, the stream goes on with those that there are. Each of them has some memory from the
    /// beginning, started or not.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let lengths = stream::iter(["one", "three"])
    ///     .threads(2) // that may wait for a disk or a network as they like
    ///     .map(str::len)
    ///     .reduce_with(|a, b| a + b);
    /// assert_eq!(lengths, Some(8));
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn threads(mut self, threads: usize) -> Self {
        self.consumers.kind = ConsumerKind::Threads(positive(threads, "threads"));
        self
    }

    /// Consumers take this many items at once, if they are there; from an iterator, which cannot
    /// know that, they wait for all of them. Otherwise they take as many as make some 20 µs of
    /// work: one by one those that take long, and many short ones.
    ///
    /// The items of a batch wait for each other: one consumer handles them one after another. With
    /// a batch of 1 no item waits for another while a consumer is free, and an item may itself wait
    /// for a later one.
    ///
    /// ```
    /// use drumline::stream::stream;
    /// use std::sync::{Barrier, mpsc};
    ///
    /// let pool = drumline::Pool::builder().jobs(2).build()?;
    /// let (sender, receiver) = mpsc::channel();
    /// (0..100).for_each(|n| sender.send(n).unwrap());
    /// drop(sender);
    /// // Item 50 waits for item 51.
    /// let both = Barrier::new(2);
    /// stream(receiver).pool(&pool).batch(1).for_each(|n| {
    ///     if n == 50 || n == 51 {
    ///         both.wait();
    ///     }
    /// });
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn batch(mut self, items: usize) -> Self {
        self.settings.fixed_batch = Some(positive(items, "batch"));
        self
    }

    /// Consumers never take more than this many items at once, unless a [`batch`](Self::batch) of
    /// more is fixed. The default is 1024.
    ///
    /// ```
    /// // At most 16 of these blocks are in the hands of one consumer.
    /// let blocks = (0..100).map(|_| vec![0u8; 1 << 10]);
    /// assert_eq!(drumline::stream::iter(blocks).batch_limit(16).count(), 100);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn batch_limit(mut self, items: usize) -> Self {
        self.settings.batch_limit = positive(items, "batch_limit");
        self
    }

    /// At most this many items are in flight: taken from the source, and not yet taken by the
    /// serial end (or, at a parallel end, not yet handled). So it bounds the window in which
    /// results wait for an earlier one, too.
    ///
    /// Otherwise there are 8 batches per consumer.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// // No more than 8 of the blocks are in memory at once, however slow the end is.
    /// let blocks = (0..100).map(|_| vec![0u8; 1 << 10]);
    /// let mut bytes = 0;
    /// stream::iter(blocks)
    ///     .in_flight(8)
    ///     .map_ordered(|block| block.len())
    ///     .for_each(|len| bytes += len);
    /// assert_eq!(bytes, 100 << 10);
    /// ```
    ///
    /// # Panics
    ///
    /// If it is 0.
    #[track_caller]
    pub fn in_flight(mut self, items: usize) -> Self {
        self.settings.in_flight = Some(positive(items, "in_flight"));
        self
    }

    /// The items in flight weigh at most `limit` together, in whatever unit `weigh` counts (bytes,
    /// for instance), but for the last that was taken. One item is let through whatever it weighs.
    ///
    /// ```
    /// let blocks = vec![vec![0u8; 1 << 10]; 100];
    /// let count = drumline::stream::iter(blocks).weigh(1 << 14, Vec::len).count();
    /// assert_eq!(count, 100);
    /// ```
    ///
    /// # Panics
    ///
    /// If `limit` is 0.
    #[track_caller]
    pub fn weigh(
        mut self,
        limit: usize,
        weigh: impl Fn(&F::Item) -> usize + Send + Sync + 'static,
    ) -> Self {
        let limit = positive(limit, "weight").get();
        self.settings.weigh = Some((limit, Arc::new(weigh)));
        self
    }

    /// Nothing more is taken from the source once the token is cancelled; what has been taken is
    /// finished.
    ///
    /// A consumer that waits for the source is woken if that has a
    /// [stopper](super::Source::stopper). In any other source that can wait [for some time
    /// only](super::Source::recv_timeout), as channels can, it looks up every 20 ms;
    /// [`Snapshot::looks`](super::Snapshot::looks) counts that. In an iterator it waits for the
    /// next item.
    ///
    /// ```
    /// use drumline::stream;
    /// use drumline::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let report = stream::iter(0..).cancel_on(&token).for_each(|n| if n == 1_000 { token.cancel() });
    /// assert!(report.items > 1_000);
    /// ```
    pub fn cancel_on(mut self, token: &CancellationToken) -> Self {
        self.settings.cancel_on(token);
        self
    }

    /// Counts the items that are finished.
    ///
    /// ```
    /// use drumline::stream;
    /// use drumline::Progress;
    ///
    /// let progress = Progress::new();
    /// stream::iter(0..100).progress(&progress).for_each(|_| ());
    /// assert_eq!(progress.finished(), 100);
    /// ```
    pub fn progress(mut self, progress: &Progress) -> Self {
        self.settings.progress = Some(progress.clone());
        self
    }

    /// Counts items, batches, calls and sleeps, and measures how long items wait and take; see
    /// [`StreamStats`].
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// assert_eq!(stats.snapshot().items, 100);
    /// ```
    pub fn stats(mut self, stats: &StreamStats) -> Self {
        self.settings.stats = Some(stats.clone());
        self
    }

    /// What becomes of the stream if a function panics: it [stops](OnPanic::Stop), unless something
    /// else is said.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let report = stream::iter(0..3)
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|number| assert_ne!(number, 1, "not this one"));
    /// assert_eq!(report.panics.len(), 1);
    /// ```
    pub fn on_panic(mut self, what: OnPanic) -> Self {
        self.settings.on_panic = what;
        self
    }

    /// Adds a link to what is done.
    pub(super) fn chain<V>(self, link: impl FnOnce(W) -> V) -> Stream<F, V> {
        Stream {
            feed: self.feed,
            work: link(self.work),
            consumers: self.consumers,
            settings: self.settings,
        }
    }
}

impl<F: Feed, W> fmt::Debug for Stream<F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
