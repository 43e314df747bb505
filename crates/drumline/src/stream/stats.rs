//! What a stream counts, for programs that ask.

use std::fmt;
use std::time::Duration;

use super::histogram::Histogram;
use crate::sync::{Arc, Mutex, lock};

/// Counts what streams do; every clone stands for the same counts.
///
/// It costs a lock and a few additions per batch. What it has counted can be read at any time.
///
/// ```
/// use drumline::stream::{self, StreamStats};
///
/// let stats = StreamStats::new();
/// stream::iter(0..1_000).batch(10).stats(&stats).for_each(|_| ());
/// let counted = stats.snapshot();
/// assert_eq!((counted.items, counted.batches), (1_000, 100));
/// println!("half of the items took less than {:?}", counted.service.percentile(50.0));
/// ```
#[derive(Clone, Default)]
pub struct StreamStats {
    counts: Arc<Mutex<Snapshot>>,
}

/// What a [`StreamStats`] has counted so far.
///
/// ```
/// use drumline::stream::{self, StreamStats};
///
/// let stats = StreamStats::new();
/// stream::iter(0..100).batch(10).stats(&stats).for_each(|_| ());
/// let counted = stats.snapshot();
/// assert_eq!((counted.items, counted.batches), (100, 10));
/// println!("{} sleeps, service {:?}", counted.sleeps, counted.service);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Snapshot {
    /// Items that are finished.
    pub items: u64,
    /// Batches that they came in.
    pub batches: u64,
    /// How often a consumer was called, to help or to stay aside.
    pub calls: u64,
    /// How often a consumer slept because the source was empty.
    pub sleeps: u64,
    /// How often a consumer that slept looked up because the stream may be stopped, and the source
    /// cannot be woken. The looks of a consumer that is aside do not count.
    pub looks: u64,
    /// How often a consumer that is aside napped, because others were at work; not over an
    /// iterator. A consumer that waits for an item does not nap: it sleeps in the source, and the
    /// item wakes it.
    pub naps: u64,
    /// How many of those naps lasted to their end and found the consumers at work held up, so that
    /// an item may have waited for that long.
    pub late_naps: u64,
    /// Items that waited in the source when a consumer last looked, if the source knows.
    pub depth: Option<usize>,
    /// The most that ever waited when one looked.
    pub depth_max: Option<usize>,
    /// How long items waited in the source, if the source measures it. Our own
    /// [`queue`](super::queue()) does, as soon as a stream with counts takes from it. The wait
    /// begins with the call that sends the item, so it includes the time in which the sender waits
    /// for room.
    pub wait: Histogram,
    /// How long items took; those of a batch count as alike.
    pub service: Histogram,
}

impl Default for Snapshot {
    fn default() -> Self {
        Snapshot {
            items: 0,
            batches: 0,
            calls: 0,
            sleeps: 0,
            looks: 0,
            naps: 0,
            late_naps: 0,
            depth: None,
            depth_max: None,
            wait: Histogram::new(),
            service: Histogram::new(),
        }
    }
}

impl StreamStats {
    /// Counts of nothing.
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// assert_eq!(stats.snapshot().items, 200);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What has been counted so far.
    ///
    /// ```
    /// use drumline::stream::{self, StreamStats};
    ///
    /// let stats = StreamStats::new();
    /// assert_eq!(stats.snapshot().items, 0);
    /// stream::iter(0..100).stats(&stats).for_each(|_| ());
    /// assert_eq!(stats.snapshot().items, 100);
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        lock(&self.counts).clone()
    }

    /// A consumer was called.
    pub(super) fn called(&self) {
        lock(&self.counts).calls += 1;
    }

    /// A consumer that sleeps has looked up.
    pub(super) fn looked(&self) {
        lock(&self.counts).looks += 1;
    }

    /// A consumer that is aside has napped; `late`: an item may have waited for the end of the nap.
    pub(super) fn napped(&self, late: bool) {
        let mut counts = lock(&self.counts);
        counts.naps += 1;
        counts.late_naps += u64::from(late);
    }

    /// A batch was pulled, perhaps after a sleep. `depth`: this many items are left that wait.
    pub(super) fn pulled(&self, slept: bool, depth: Option<usize>, waits: &[Duration]) {
        let mut counts = lock(&self.counts);
        counts.sleeps += u64::from(slept);
        counts.depth = depth;
        counts.depth_max = counts.depth_max.max(depth);
        for &wait in waits {
            counts.wait.add(wait, 1);
        }
    }

    /// A batch is finished.
    pub(super) fn finished(&self, items: usize, work: Duration) {
        let mut counts = lock(&self.counts);
        counts.items += items as u64;
        counts.batches += 1;
        let each = work / u32::try_from(items).unwrap_or(u32::MAX).max(1);
        counts.service.add(each, items as u64);
    }
}

impl fmt::Debug for StreamStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot().fmt(f)
    }
}
