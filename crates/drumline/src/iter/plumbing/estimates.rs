//! What a thread remembers of the loops that it went through: how many items a chunk had.
//!
//! A look at the time costs as much as a hundred additions, so a loop over a few hundred cannot
//! afford two. If this thread has measured the same loop a moment ago, it need not look again: it
//! begins with the chunk length of then. Estimates for each place in the code are due to Acar,
//! Aksenov, Charguéraud and Rainey, "Provably and practically efficient granularity control"
//! (PPoPP 2019).
//!
//! An estimate may be wrong, as the same code can go through other items. So it is believed only
//! [a few times](BELIEVED). It is not believed where the first item of the loop has run a loop
//! itself: a loop over the children of a node is the same code at the root and at the leaves. If a
//! wrong one is believed, a chunk takes longer than it should: at most as half of the loop. While the
//! first item runs, all others are on offer; while the first half runs, the second is, if they are
//! more than a few; a second half that no thread took then may go unoffered.

use std::cell::Cell;

use crate::sync::{Ticks, per_thread};

/// An estimate is believed this often, before the loop is measured again.
const BELIEVED: u8 = 16;

/// Loops with fewer items in a chunk are measured each time: the looks are cheap in comparison.
pub(super) const WORTH_IT: usize = 64;

/// How many loops a thread remembers: a power of two.
const ENTRIES: usize = 64;

/// What is known of one loop.
struct Entry {
    site: Cell<Site>,
    /// The length of a chunk.
    items: Cell<u32>,
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

    /// The loop begins.
    #[inline(always)]
    pub(super) fn begin(self) -> Begun {
        ESTIMATES.with(|all| {
            let number = all.begun.get().wrapping_add(1);
            all.begun.set(number);
            let entry = &all.entries[self.index()];
            let left = entry.left.get();
            let believed = if entry.site.get() == self && left > 0 {
                entry.left.set(left - 1);
                Ok(entry.items.get())
            } else {
                Err(Ticks::now())
            };
            Begun {
                site: self,
                number,
                believed,
            }
        })
    }

    /// A chunk of the loop was measured: the next one is to have so many items.
    pub(super) fn note(self, items: usize) {
        ESTIMATES.with(|all| {
            let entry = &all.entries[self.index()];
            entry.site.set(self);
            entry.items.set(items.try_into().unwrap_or(u32::MAX));
            entry.left.set(if items < WORTH_IT { 0 } else { BELIEVED });
        });
    }
}

/// A loop that this thread has begun.
pub(super) struct Begun {
    pub(super) site: Site,
    number: u32,
    /// The length of a chunk; or when the loop began, if none is believed.
    believed: Result<u32, Ticks>,
}

impl Begun {
    /// How many items a chunk should have. `None` if the thread has begun other loops since; or when
    /// the loop began, if no estimate is believed.
    #[inline(always)]
    pub(super) fn estimate(&self) -> Result<Option<usize>, Ticks> {
        let items = self.believed?;
        let is_alone = ESTIMATES.with(|all| all.begun.get() == self.number);
        Ok(is_alone.then_some(items as usize))
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    fn estimate(site: Site) -> Option<usize> {
        site.begin().estimate().ok().flatten()
    }

    #[test]
    fn an_estimate_is_believed_a_few_times() {
        let (site, other) = (Site(4096), Site(4096 + 16));
        assert_eq!(estimate(site), None);
        site.note(1000);
        for _ in 0..BELIEVED {
            assert_eq!(estimate(site), Some(1000));
            assert_eq!(estimate(other), None);
        }
        assert_eq!(estimate(site), None);
    }

    #[test]
    fn long_items_are_measured_each_time() {
        let site = Site(8192);
        site.note(WORTH_IT - 1);
        assert_eq!(estimate(site), None);
        site.note(WORTH_IT);
        assert_eq!(estimate(site), Some(WORTH_IT));
    }

    /// The loop over the leaves says nothing about the one over the branches.
    #[test]
    fn a_loop_of_which_an_item_is_a_loop_is_not_believed() {
        let site = Site(4096);
        site.note(1000);
        let outer = site.begin();
        assert!(outer.believed.is_ok());
        assert_eq!(estimate(site), Some(1000));
        assert_eq!(outer.estimate().unwrap(), None);
    }

    /// Two loops with one place in the table are measured each time, and not mistaken.
    #[test]
    fn a_loop_is_not_mistaken_for_another() {
        let site = Site(4096);
        let others = (1..).map(|index| Site(4096 + 16 * index));
        let other = others.skip(1).find(|other| other.index() == site.index());
        let other = other.expect("there are more sites than entries");
        site.note(1000);
        assert_eq!(estimate(other), None);
        other.note(100);
        assert_eq!(estimate(site), None);
        assert_eq!(estimate(other), Some(100));
    }
}
