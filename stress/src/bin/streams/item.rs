//! Items that note what becomes of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use drumline::stream::{Drained, Polled, Source, Stopper};
use stress::check;

use crate::round::Round;

/// What became of an item, how often.
#[derive(Default)]
pub struct Mark {
    /// Its place in the source, from 1 on, once it was taken.
    pub place: AtomicU64,
    pub made: AtomicU32,
    pub worked: AtomicU32,
    pub lost: AtomicU32,
    pub arrived: AtomicU32,
    pub dropped: AtomicU32,
}

/// An item, or one of its copies.
pub struct Item {
    pub number: u64,
    /// The stages it has been through: plain memory, so that sanitizers see which threads touch it.
    pub steps: Box<usize>,
    pub round: Arc<Round>,
}

impl Item {
    pub fn new(number: u64, steps: usize, round: &Arc<Round>) -> Self {
        round.marks[number as usize]
            .made
            .fetch_add(1, Ordering::Relaxed);
        Item {
            number,
            steps: Box::new(steps),
            round: Arc::clone(round),
        }
    }

    pub fn mark(&self) -> &Mark {
        &self.round.marks[self.number as usize]
    }

    /// Comes from the source, as the one with this number.
    pub fn take(&self, place: &mut u64) {
        *place += 1;
        let before = self.mark().place.swap(*place, Ordering::Relaxed);
        check(before == 0, "an item was taken twice");
    }

    pub fn copies(self) -> Vec<Item> {
        let copies = self.round.plan.copies(self.number);
        let more = (1..copies).map(|_| Item::new(self.number, *self.steps, &self.round));
        let mut all: Vec<_> = more.collect();
        all.extend((copies > 0).then_some(self));
        all
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        self.mark().dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// Notes what is taken from a source.
pub struct Taken<S>(pub S, pub u64);

impl<S: Source<Item = Item>> Source for Taken<S> {
    type Item = Item;

    fn recv(&mut self) -> Option<Item> {
        let item = self.0.recv();
        item.inspect(|item| item.take(&mut self.1))
    }

    fn try_recv(&mut self) -> Polled<Item> {
        let polled = self.0.try_recv();
        if let Polled::Item(item) = &polled {
            item.take(&mut self.1);
        }
        polled
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<Item>) -> Drained {
        let before = batch.len();
        let drained = self.0.recv_batch(most, batch);
        let taken = &batch[before..];
        taken.iter().for_each(|item| item.take(&mut self.1));
        drained
    }

    fn len_hint(&self) -> Option<usize> {
        self.0.len_hint()
    }

    fn stopper(&self) -> Option<Stopper> {
        self.0.stopper()
    }
}

/// What has arrived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub count: u64,
    pub sum: u64,
    /// The place of the last one, where they come one after another.
    last: u64,
}

impl Tally {
    pub fn new(count: u64, sum: u64) -> Self {
        Tally {
            count,
            sum,
            last: 0,
        }
    }

    /// One item has arrived.
    pub fn one(item: Item) -> Self {
        let stages = 1 + usize::from(item.round.plan.two);
        check(*item.steps == stages, "an item has missed a stage");
        item.mark().arrived.fetch_add(1, Ordering::Relaxed);
        Tally::new(1, item.number)
    }

    /// The next one has come, where they come one after another.
    pub fn add_next(&mut self, item: Item) {
        let place = item.mark().place.load(Ordering::Relaxed);
        let is_next = place >= self.last || !item.round.plan.ordered;
        item.round.check(is_next, "results are out of order");
        self.last = place;
        self.merge(Tally::one(item));
    }

    /// What comes one after another.
    pub fn of(items: impl Iterator<Item = Item>) -> Self {
        let mut tally = Tally::default();
        items.for_each(|item| tally.add_next(item));
        tally
    }

    pub fn merge(&mut self, more: Tally) {
        self.count += more.count;
        self.sum += more.sum;
    }

    /// Whether it is as many, with the same sum.
    pub fn is_like(&self, other: Tally) -> bool {
        (self.count, self.sum) == (other.count, other.sum)
    }
}
