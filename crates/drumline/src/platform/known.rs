//! A number that a process finds out once.
//!
//! It is no `OnceLock`: a thread that comes second waits there for the first one. In a child that
//! was forked meanwhile the first one does not exist, and the wait never ends. Here both find the
//! number out.

use core::sync::atomic::{AtomicUsize, Ordering};

/// It was not looked for yet.
const UNKNOWN: usize = usize::MAX;
/// There is none.
const NONE: usize = usize::MAX - 1;

/// A number, or that there is none, as soon as a thread has found that out.
pub(crate) struct KnownNumber(AtomicUsize);

impl KnownNumber {
    pub(crate) const fn new() -> Self {
        KnownNumber(AtomicUsize::new(UNKNOWN))
    }

    /// What the first call has found. Threads that ask at the same time may all `find` it. A number
    /// that no count of things reaches is as good as none.
    pub(crate) fn get_or_find(&self, find: impl FnOnce() -> Option<usize>) -> Option<usize> {
        // Relaxed, here and below: the number is all that there is to know.
        let mut known = self.0.load(Ordering::Relaxed);
        if known == UNKNOWN {
            known = find().map_or(NONE, |number| number.min(NONE));
            self.0.store(known, Ordering::Relaxed);
        }
        (known != NONE).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_once() {
        for found in [None, Some(0), Some(7)] {
            let number = KnownNumber::new();
            assert_eq!(number.get_or_find(|| found), found);
            assert_eq!(number.get_or_find(|| unreachable!("it is known")), found);
        }
        let number = KnownNumber::new();
        assert_eq!(number.get_or_find(|| Some(usize::MAX)), None);
    }

    /// As a forked child finds it, in which the thread that looks for the number is not there.
    #[test]
    fn a_thread_does_not_wait_for_another_that_looks_for_it() {
        let number = KnownNumber::new();
        let found = number.get_or_find(|| number.get_or_find(|| Some(1)));
        assert_eq!(found, Some(1));
    }
}
