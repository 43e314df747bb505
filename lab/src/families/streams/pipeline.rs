//! One serial producer and many consumers, and the book in which every item is entered once.
//!
//! An item is a number and the time at which it was handed over; both are known to the book before.
//! The consumer of an item enters there how long the item had waited. An entry of its own for every
//! item costs no contention, and shows at the end which item was lost or handled twice.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::latency::Latencies;

/// What a pipeline does. The runtimes bring the threads.
pub trait Pipeline: Sync {
    /// What is handed over.
    type Item: Send + 'static;

    /// How many items there are.
    fn items(&self) -> u64;

    /// Makes an item: the producer's work.
    fn make(&self, index: u64) -> Self::Item;

    /// The item without the work of making it, for a runtime that divides in advance and hands
    /// nothing over.
    fn given(&self, index: u64) -> Self::Item;

    /// The consumers' work.
    fn handle(&self, item: Self::Item);
}

/// The items of a pipeline, made one after the other.
pub fn made<P: Pipeline>(pipeline: &P) -> impl Iterator<Item = P::Item> + Send {
    (0..pipeline.items()).map(|index| pipeline.make(index))
}

/// The same in batches, for runtimes that leave it to their users. An item waits until its batch is
/// full.
pub fn batches<P: Pipeline>(
    pipeline: &P,
    batch: usize,
) -> impl Iterator<Item = Vec<P::Item>> + Send {
    let mut items = made(pipeline);
    std::iter::from_fn(move || {
        let mut together = Vec::with_capacity(batch);
        together.extend(items.by_ref().take(batch));
        (!together.is_empty()).then_some(together)
    })
}

/// What is handed over: which item it is, and when it was ready.
#[derive(Clone, Copy, Debug)]
pub struct Stamped {
    index: u64,
    ready: Option<Duration>,
}

/// An entry that is not written yet.
const OPEN: u64 = u64::MAX;

/// The entry of an item that was handled but never handed over.
const UNKNOWN: u64 = u64::MAX - 1;

/// Which items were handled, and after which wait.
#[derive(Debug)]
struct Book {
    begin: Instant,
    entries: Vec<AtomicU64>,
    complaint: Mutex<Option<String>>,
}

impl Book {
    fn new(items: u64) -> Self {
        Self {
            begin: Instant::now(),
            entries: (0..items).map(|_| AtomicU64::new(OPEN)).collect(),
            complaint: Mutex::new(None),
        }
    }

    fn stamp(&self, index: u64) -> Stamped {
        let ready = Some(self.begin.elapsed());
        Stamped { index, ready }
    }

    fn enter(&self, item: Stamped) {
        let waited = item.ready.map_or(UNKNOWN, |ready| {
            let waited = self.begin.elapsed().saturating_sub(ready);
            u64::try_from(waited.as_nanos()).unwrap_or(UNKNOWN - 1)
        });
        // Relaxed: the entries are read when all threads are known to have ended.
        let before = self.entries[item.index as usize].swap(waited, Ordering::Relaxed);
        if before != OPEN {
            self.complain(format!("item {} was handled twice", item.index));
        }
    }

    #[cold]
    fn complain(&self, what: String) {
        let mut complaint = self.complaint.lock().expect("no thread panics here");
        complaint.get_or_insert(what);
    }

    /// Whether every item was handled, each exactly once; and how long they waited.
    fn check(&self, latencies: &mut Latencies) -> Result<(), String> {
        if let Some(complaint) = &*self.complaint.lock().expect("no thread panics here") {
            return Err(complaint.clone());
        }
        for (index, entry) in self.entries.iter().enumerate() {
            match entry.load(Ordering::Relaxed) {
                OPEN => return Err(format!("item {index} was not handled")),
                UNKNOWN => {}
                waited => latencies.add(waited),
            }
        }
        Ok(())
    }
}

/// A pipeline of items that cost processor time on both sides.
#[derive(Debug)]
pub struct Spinning {
    make: u64,
    handle: u64,
    handled: AtomicU64,
    book: Book,
}

impl Spinning {
    /// A consumer takes `work` steps for an item, and the producer twice that, divided by the jobs:
    /// so with as many cores as jobs it makes items half as fast as they can be handled.
    pub fn new(work: u64, jobs: usize) -> Self {
        Self {
            make: 2 * work / jobs as u64,
            handle: work,
            handled: AtomicU64::new(0),
            book: Book::new(Self::count(work, jobs)),
        }
    }

    /// How many items it has. Below 10,000 steps they do not get more, so that small sizes are
    /// small.
    pub fn count(work: u64, jobs: usize) -> u64 {
        (1_000_000 / work).clamp(1, 100) * 50 * jobs as u64
    }

    /// Whether every item was handled exactly once; and how long they waited.
    pub fn check(&self, latencies: &mut Latencies) -> Result<(), String> {
        self.book.check(latencies)?;
        let items = self.items();
        match self.handled.load(Ordering::Relaxed) {
            sum if sum == items * (items + 1) / 2 => Ok(()),
            sum => Err(format!("the numbers of {items} items add up to {sum}")),
        }
    }
}

impl Pipeline for Spinning {
    type Item = Stamped;

    fn items(&self) -> u64 {
        self.book.entries.len() as u64
    }

    fn make(&self, index: u64) -> Stamped {
        increments(self.make);
        self.book.stamp(index)
    }

    fn given(&self, index: u64) -> Stamped {
        Stamped { index, ready: None }
    }

    fn handle(&self, item: Stamped) {
        self.book.enter(item);
        increments(self.handle);
        self.handled.fetch_add(item.index + 1, Ordering::Relaxed);
    }
}

/// This many atomic increments of a counter that no other thread sees.
#[inline(never)]
fn increments(count: u64) {
    let counter = AtomicU64::new(0);
    let counter = black_box(&counter);
    for _ in 0..count {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// A pipeline with long pauses, where handling costs nothing.
#[derive(Debug)]
pub struct Trickling {
    pause: Duration,
    book: Book,
}

impl Trickling {
    /// This many items, one after each pause.
    pub fn new(items: u64, pause: Duration) -> Self {
        let book = Book::new(items);
        Self { pause, book }
    }

    /// Whether every item was handled exactly once; and how long they waited.
    pub fn check(&self, latencies: &mut Latencies) -> Result<(), String> {
        self.book.check(latencies)
    }
}

impl Pipeline for Trickling {
    type Item = Stamped;

    fn items(&self) -> u64 {
        self.book.entries.len() as u64
    }

    fn make(&self, index: u64) -> Stamped {
        sleep(self.pause);
        self.book.stamp(index)
    }

    fn given(&self, index: u64) -> Stamped {
        Stamped { index, ready: None }
    }

    fn handle(&self, item: Stamped) {
        self.book.enter(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_items_are_those_of_the_definition() {
        assert_eq!(Spinning::count(1_000_000, 8), 50 * 8);
        assert_eq!(Spinning::count(10_000, 8), 100 * 50 * 8);
        assert_eq!(Spinning::count(1, 2), 100 * 50 * 2);
        assert_eq!(Spinning::new(10_000, 4).make, 5_000);
    }

    #[test]
    fn an_item_that_is_lost_or_doubled_is_found() {
        let mut latencies = Latencies::default();
        let pipeline = Spinning::new(1_000_000, 1);
        let items: Vec<_> = (0..50).map(|index| pipeline.book.stamp(index)).collect();
        items[1..]
            .iter()
            .for_each(|item| pipeline.book.enter(*item));
        let error = pipeline.check(&mut latencies).unwrap_err();
        assert_eq!(error, "item 0 was not handled");
        pipeline.book.enter(items[0]);
        assert!(pipeline.book.check(&mut latencies).is_ok());
        let error = pipeline.check(&mut latencies).unwrap_err();
        assert!(error.contains("add up to 0"), "{error}");
        pipeline.book.enter(items[7]);
        let error = pipeline.check(&mut latencies).unwrap_err();
        assert_eq!(error, "item 7 was handled twice");
    }

    #[test]
    fn an_item_that_was_given_has_no_latency() {
        let mut latencies = Latencies::default();
        let pipeline = Trickling::new(1, Duration::ZERO);
        pipeline.handle(pipeline.given(0));
        assert_eq!(pipeline.check(&mut latencies), Ok(()));
        assert_eq!(latencies, Latencies::default());
    }
}
