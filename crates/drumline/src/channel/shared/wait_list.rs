//! Threads and tasks that wait, in the order in which they came.

use std::task::Waker;

/// A list of what waits. It is changed under a lock of its owner, and calls no waker itself: a
/// waker is the program's, and may do anything.
///
/// Whatever waits has an *entry*. An entry that is [called](WaitList::call) leaves the order, and
/// stays until its owner [removes](WaitList::remove) it: so the owner learns that it was called,
/// also where it gives up at the same moment.
#[derive(Debug)]
pub(super) struct WaitList<P> {
    entries: Vec<Entry<P>>,
    /// The first of a chain of entries that are free.
    free: usize,
    used: usize,
    first: usize,
    last: usize,
}

/// Which entry is one's own. It is good until the entry is removed.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::channel) struct WaitKey(usize);

/// No entry.
const NONE: usize = usize::MAX;
/// An empty list keeps the memory of this many entries.
const KEPT: usize = 16;

#[derive(Debug)]
enum Entry<P> {
    Free {
        next: usize,
    },
    /// In the order, between these.
    Waiting {
        payload: P,
        waker: Waker,
        before: usize,
        after: usize,
    },
    Called {
        payload: P,
    },
}

/// What a removed entry was.
#[derive(Debug)]
pub(super) struct Removed<P> {
    pub(super) payload: P,
    pub(super) was_called: bool,
    /// To be dropped outside of the lock.
    pub(super) waker: Option<Waker>,
}

impl<P> WaitList<P> {
    pub(super) fn new() -> Self {
        WaitList {
            entries: Vec::new(),
            free: NONE,
            used: 0,
            first: NONE,
            last: NONE,
        }
    }

    /// Whether nothing waits. There may be entries that were called.
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Adds an entry behind the others.
    pub(super) fn push(&mut self, payload: P, waker: Waker) -> WaitKey {
        let before = self.last;
        let index = self.insert(Entry::Waiting {
            payload,
            waker,
            before,
            after: NONE,
        });
        self.link(before, index, NONE);
        WaitKey(index)
    }

    /// Adds an entry before the others: one that has waited already.
    pub(super) fn push_first(&mut self, payload: P, waker: Waker) -> WaitKey {
        let after = self.first;
        let index = self.insert(Entry::Waiting {
            payload,
            waker,
            before: NONE,
            after,
        });
        self.link(NONE, index, after);
        WaitKey(index)
    }

    /// The payload of the entry that has waited longest.
    pub(super) fn first(&mut self) -> Option<&mut P> {
        match self.entries.get_mut(self.first)? {
            Entry::Waiting { payload, .. } => Some(payload),
            Entry::Free { .. } | Entry::Called { .. } => None,
        }
    }

    /// Calls the entry that has waited longest, and returns its waker, which is to be called when
    /// the lock is open.
    pub(super) fn call(&mut self) -> Option<Waker> {
        let first = self.first;
        let entry = self.entries.get_mut(first)?;
        let Entry::Waiting {
            payload,
            waker,
            after,
            ..
        } = std::mem::replace(entry, Entry::Free { next: NONE })
        else {
            unreachable!("the first of the order waits");
        };
        *entry = Entry::Called { payload };
        self.unlink(NONE, after);
        Some(waker)
    }

    /// Whether this entry was called.
    pub(super) fn is_called(&self, key: &WaitKey) -> bool {
        matches!(self.entries[key.0], Entry::Called { .. })
    }

    /// Has another waker called. Returns the one before, to be dropped outside of the lock; `None`:
    /// the entry was called.
    pub(super) fn replace_waker(&mut self, key: &WaitKey, new: Waker) -> Option<Waker> {
        match &mut self.entries[key.0] {
            Entry::Waiting { waker, .. } => Some(std::mem::replace(waker, new)),
            Entry::Free { .. } | Entry::Called { .. } => None,
        }
    }

    /// Removes an entry.
    pub(super) fn remove(&mut self, key: WaitKey) -> Removed<P> {
        let next = self.free;
        let entry = std::mem::replace(&mut self.entries[key.0], Entry::Free { next });
        self.free = key.0;
        self.used -= 1;
        let removed = match entry {
            Entry::Waiting {
                payload,
                waker,
                before,
                after,
            } => {
                self.unlink(before, after);
                Removed {
                    payload,
                    was_called: false,
                    waker: Some(waker),
                }
            }
            Entry::Called { payload } => Removed {
                payload,
                was_called: true,
                waker: None,
            },
            Entry::Free { .. } => unreachable!("a key is used once"),
        };
        if self.used == 0 {
            // After a burst.
            self.entries.clear();
            self.entries.shrink_to(KEPT);
            self.free = NONE;
        }
        removed
    }

    fn insert(&mut self, entry: Entry<P>) -> usize {
        let index = self.free;
        match self.entries.get_mut(index) {
            Some(free) => {
                if let Entry::Free { next } = *free {
                    self.free = next;
                }
                *free = entry;
                self.used += 1;
                index
            }
            None => {
                self.entries.push(entry);
                self.used += 1;
                self.entries.len() - 1
            }
        }
    }

    fn link(&mut self, before: usize, index: usize, after: usize) {
        self.set_after(before, index);
        self.set_before(after, index);
    }

    /// The two that an entry was between are neighbours now.
    fn unlink(&mut self, before: usize, after: usize) {
        self.set_after(before, after);
        self.set_before(after, before);
    }

    /// What comes after `index`, or first if that is no entry.
    fn set_after(&mut self, index: usize, new: usize) {
        match self.entries.get_mut(index) {
            Some(Entry::Waiting { after, .. }) => *after = new,
            _ => self.first = new,
        }
    }

    /// What comes before `index`, or last if that is no entry.
    fn set_before(&mut self, index: usize, new: usize) {
        match self.entries.get_mut(index) {
            Some(Entry::Waiting { before, .. }) => *before = new,
            _ => self.last = new,
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::collections::VecDeque;
    use std::task::Waker;

    use super::{WaitKey, WaitList};
    use crate::sync::XorShift;

    /// Random steps give what a queue gives.
    #[test]
    fn is_a_queue() {
        let random = XorShift::new(18);
        let mut list = WaitList::new();
        let mut waiting: VecDeque<(usize, WaitKey)> = VecDeque::new();
        let mut called: Vec<(usize, WaitKey)> = Vec::new();
        for step in 0..20_000 {
            match random.below(6) {
                0 | 1 => waiting.push_back((step, list.push(step, Waker::noop().clone()))),
                2 => waiting.push_front((step, list.push_first(step, Waker::noop().clone()))),
                3 => {
                    assert_eq!(list.first().copied(), waiting.front().map(|entry| entry.0));
                    assert_eq!(list.call().is_some(), !waiting.is_empty());
                    called.extend(waiting.pop_front());
                }
                4 if !waiting.is_empty() => {
                    let index = random.below(waiting.len());
                    let (payload, key) = waiting.remove(index).unwrap();
                    assert!(!list.is_called(&key));
                    let removed = list.remove(key);
                    assert_eq!((removed.payload, removed.was_called), (payload, false));
                    assert!(removed.waker.is_some());
                }
                5 if !called.is_empty() => {
                    let index = random.below(called.len());
                    let (payload, key) = called.swap_remove(index);
                    assert!(list.is_called(&key));
                    assert!(list.replace_waker(&key, Waker::noop().clone()).is_none());
                    let removed = list.remove(key);
                    assert_eq!((removed.payload, removed.was_called), (payload, true));
                }
                _ => {}
            }
            assert_eq!(list.is_empty(), waiting.is_empty());
        }
        for (_, key) in called.into_iter().chain(waiting) {
            list.remove(key);
        }
        assert!(list.is_empty() && list.entries.is_empty());
        assert!(list.entries.capacity() <= super::KEPT, "memory is kept");
    }
}
