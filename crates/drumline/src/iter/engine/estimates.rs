//! What a thread remembers of the loops that it went through: how long their items took.
//!
//! A look at the time costs as much as a hundred additions, so a loop over a few hundred cannot
//! afford many. If this thread has measured the same loop a moment ago, it need not look again: it
//! begins with the chunk length of then. Estimates for each place in the code are due to Acar,
//! Aksenov, Charguéraud and Rainey, "Provably and practically efficient granularity control"
//! (PPoPP 2019).
//!
//! What is measured is a loop from its first item to its last one, if no other thread helped: the
//! first item is often the shortest. An estimate may be wrong, as the same code can go through
//! other items. So it is believed only [a few times](BELIEVED), and only of loops that are not much
//! longer. It is not believed where the first item of the loop has run a loop itself: a loop over
//! the children of a node is the same code at the root and at the leaves. And it is forgotten when
//! another thread has asked for items of the loop, or taken some: then a look costs little in
//! comparison. If a wrong one is believed, the items of a chunk hide each other: those of the first
//! half of what follows the first item, then most of the others. While the first item runs, all
//! others are on offer; so is a part of them while a chunk runs, except at the end, and in a pool
//! with one job.

use std::cell::Cell;

use crate::sync::{Ticks, per_thread};

/// An estimate is believed this often, before the loop is measured again.
const BELIEVED: u8 = 32;

/// For how long the items should take that an estimate counts, in nanoseconds.
pub(super) const SPAN: u64 = 2_000;

/// Loops with fewer items in that time are measured each time: the looks are cheap in comparison.
const WORTH_IT: usize = 64;

/// How many loops a thread remembers: a power of two.
const ENTRIES: usize = 64;

/// What is known of one loop.
struct Entry {
    site: Cell<Site>,
    /// This many items took [`SPAN`].
    items: Cell<u32>,
    /// It is believed of loops of this length at most.
    longest: Cell<u32>,
    /// How often it will be believed.
    left: Cell<u8>,
}

/// What a thread remembers.
struct Estimates {
    /// How many loops the thread has begun.
    begun: Cell<u32>,
    entries: [Entry; ENTRIES],
}

impl Estimates {
    const fn new() -> Self {
        let entries = [const {
            Entry {
                site: Cell::new(Site(0)),
                items: Cell::new(0),
                longest: Cell::new(0),
                left: Cell::new(0),
            }
        }; ENTRIES];
        Estimates {
            begun: Cell::new(0),
            entries,
        }
    }
}

per_thread! {
    static ESTIMATES: Estimates = const { Estimates::new() };
}

/// Which loop of the program it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Site(usize);

impl Site {
    /// The loop that has this function for itself.
    #[inline(always)]
    pub(super) fn new(code: *const ()) -> Self {
        Site(code as usize)
    }

    /// Where its entry is. Functions begin at multiples of 16 bytes.
    #[inline(always)]
    fn index(self) -> usize {
        ((self.0 >> 4) ^ (self.0 >> 10)) % ENTRIES
    }

    /// The loop begins, with `len` items.
    #[inline(always)]
    pub(super) fn begin(self, len: usize) -> Begun {
        ESTIMATES.with(|all| {
            let number = all.begun.get().wrapping_add(1);
            all.begun.set(number);
            let entry = &all.entries[self.index()];
            let left = entry.left.get();
            let is_known = entry.site.get() == self && len <= entry.longest.get() as usize;
            let believed = if is_known && left > 0 {
                entry.left.set(left - 1);
                Ok(entry.items.get())
            } else {
                Err(Ticks::now())
            };
            Begun { number, believed }
        })
    }

    /// The next time the loop is to be measured.
    pub(super) fn forget(self) {
        ESTIMATES.with(|all| {
            let entry = &all.entries[self.index()];
            if entry.site.get() == self {
                entry.left.set(0);
            }
        });
    }

    /// All `len` items of the loop took `nanos` together.
    pub(super) fn note(self, len: usize, nanos: u64) {
        let items = len as u128 * u128::from(SPAN) / u128::from(nanos.max(1));
        let clamped = |number: u128| u32::try_from(number).unwrap_or(u32::MAX);
        let is_worth_it = items >= WORTH_IT as u128;
        ESTIMATES.with(|all| {
            let entry = &all.entries[self.index()];
            entry.site.set(self);
            entry.items.set(clamped(items));
            entry.longest.set(clamped(len as u128 * 2));
            entry.left.set(if is_worth_it { BELIEVED } else { 0 });
        });
    }
}

/// A loop that this thread has begun.
#[derive(Clone, Copy)]
pub(super) struct Begun {
    number: u32,
    /// How many items take [`SPAN`]; or when the loop began, if no estimate is believed.
    pub(super) believed: Result<u32, Ticks>,
}

impl Begun {
    /// Whether the thread has begun no other loops since.
    #[inline(always)]
    pub(super) fn is_last(&self) -> bool {
        ESTIMATES.with(|all| all.begun.get() == self.number)
    }

    /// All `len` items of `site` have been gone through, by this thread.
    #[cold]
    #[inline(never)]
    pub(super) fn end(&self, site: Site, len: usize) {
        if let Err(start) = self.believed
            && self.is_last()
        {
            site.note(len, Ticks::now().nanos_since(start));
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    fn estimate(site: Site, len: usize) -> Option<u32> {
        site.begin(len).believed.ok()
    }

    #[test]
    fn an_estimate_is_believed_a_few_times() {
        let (site, other) = (Site(4096), Site(4096 + 16));
        assert_eq!(estimate(site, 10), None);
        site.note(10, 20);
        for _ in 0..BELIEVED {
            assert_eq!(estimate(site, 10), Some(1000));
            assert_eq!(estimate(other, 10), None);
        }
        assert_eq!(estimate(site, 10), None);
    }

    #[test]
    fn an_estimate_is_forgotten() {
        let site = Site(4096);
        site.note(100, 200);
        Site(4096 + 16).forget();
        assert_eq!(estimate(site, 100), Some(1000));
        site.forget();
        assert_eq!(estimate(site, 100), None);
    }

    /// What a short loop took says nothing of a long one.
    #[test]
    fn a_longer_loop_is_measured() {
        let site = Site(4096);
        site.note(100, 20);
        assert_eq!(estimate(site, 201), None);
        assert_eq!(estimate(site, 200), Some(10_000));
    }

    #[test]
    fn long_items_are_measured_each_time() {
        let site = Site(8192);
        site.note(WORTH_IT - 1, SPAN);
        assert_eq!(estimate(site, 10), None);
        site.note(WORTH_IT, SPAN);
        assert_eq!(estimate(site, 10), Some(WORTH_IT as u32));
    }

    /// The loop over the leaves says nothing about the one over the branches.
    #[test]
    fn a_loop_of_which_an_item_is_a_loop_is_not_believed() {
        let site = Site(4096);
        site.note(100, 20);
        let outer = site.begin(100);
        assert!(outer.believed.is_ok() && outer.is_last());
        assert!(site.begin(100).believed.is_ok());
        assert!(!outer.is_last());
    }

    #[test]
    fn a_loop_of_which_an_item_is_a_loop_is_not_noted() {
        let site = Site(4096);
        let outer = site.begin(1_000_000);
        site.begin(100);
        outer.end(site, 1_000_000);
        assert_eq!(estimate(site, 100), None);
        // This many items in a moment, also if this thread was interrupted.
        let alone = site.begin(usize::MAX);
        alone.end(site, usize::MAX);
        assert!(estimate(site, 100).is_some());
    }

    /// Two loops with one place in the table are measured each time, and not mistaken.
    #[test]
    fn a_loop_is_not_mistaken_for_another() {
        let site = Site(4096);
        let others = (1..).map(|index| Site(4096 + 16 * index));
        let other = others.skip(1).find(|other| other.index() == site.index());
        let other = other.expect("there are more sites than entries");
        site.note(100, 200);
        assert_eq!(estimate(other, 100), None);
        other.note(100, 2000);
        assert_eq!(estimate(site, 100), None);
        assert_eq!(estimate(other, 100), Some(100));
    }
}
