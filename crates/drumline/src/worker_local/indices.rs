//! Numbers for threads: the lowest that is free first, so that tables stay
//! as short as the number of threads that are alive at once.

use std::collections::BTreeSet;

use crate::sync::planted;

/// Which numbers are held; used under a lock.
#[derive(Debug)]
pub(super) struct Indices {
    /// Numbers from here on were never held.
    next: usize,
    free: BTreeSet<usize>,
}

impl Indices {
    pub(super) const fn new() -> Self {
        Indices {
            next: 0,
            free: BTreeSet::new(),
        }
    }

    /// A number that no thread holds.
    pub(super) fn take(&mut self) -> usize {
        if planted!(IndexTakenTwice)
            && let Some(&index) = self.free.first()
        {
            return index;
        }
        self.free.pop_first().unwrap_or_else(|| {
            let index = self.next;
            self.next += 1;
            index
        })
    }

    /// The thread that took this number does not use it any more.
    pub(super) fn give_back(&mut self, index: usize) {
        self.free.insert(index);
    }
}
