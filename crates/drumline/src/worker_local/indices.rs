//! Numbers for threads: the lowest that is free first, so that tables stay
//! as short as the number of threads that are alive at once.
//!
//! A bit for each number says whether a thread holds it. There is no lock: in
//! a forked child that could be held for ever, by a thread of the parent.

use std::ptr;

use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::planted;

/// Numbers in a word.
#[cfg(not(drumline_loom))]
const BITS: usize = usize::BITS as usize;
#[cfg(drumline_loom)]
const BITS: usize = 1;

/// Words in a block.
#[cfg(not(drumline_loom))]
const WORDS: usize = 16;
#[cfg(drumline_loom)]
const WORDS: usize = 1;

/// Which numbers are held: those of a block, and of the blocks behind it.
#[derive(Debug)]
pub(super) struct Indices {
    words: [AtomicUsize; WORDS],
    next: AtomicPtr<Indices>,
}

impl Indices {
    #[cfg(not(drumline_loom))]
    pub(super) const fn new() -> Self {
        Indices {
            words: [const { AtomicUsize::new(0) }; WORDS],
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }

    #[cfg(drumline_loom)]
    pub(super) fn new() -> Self {
        Indices {
            words: std::array::from_fn(|_| AtomicUsize::new(0)),
            next: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// A number that no thread holds. What its last holder did happened before.
    pub(super) fn take(&self) -> usize {
        let (mut block, mut first) = (self, 0);
        loop {
            for word in &block.words {
                if let Some(bit) = claim(word) {
                    return first + bit;
                }
                first += BITS;
            }
            block = block.further();
        }
    }

    /// The thread that took this number does not use it any more.
    pub(super) fn give_back(&self, index: usize) {
        let mut block = self;
        for _ in 0..index / (WORDS * BITS) {
            block = block.further();
        }
        let order = if planted!(IndexGivenRelaxed) {
            Ordering::Relaxed
        } else {
            // Release pairs with the Acquire in `claim`.
            Ordering::Release
        };
        let word = &block.words[index / BITS % WORDS];
        word.fetch_and(!(1 << (index % BITS)), order);
    }

    /// The block behind this one.
    fn further(&self) -> &Indices {
        // Acquire pairs with the Release below.
        let mut next = self.next.load(Ordering::Acquire);
        if next.is_null() {
            let fresh = Box::into_raw(Box::new(Indices::new()));
            // Release publishes the block; Acquire receives that of a thread
            // that was faster.
            let placed = self.next.compare_exchange(
                ptr::null_mut(),
                fresh,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            next = match placed {
                Ok(_) => fresh,
                Err(faster) => {
                    // SAFETY: leaked above, and not published.
                    drop(unsafe { Box::from_raw(fresh) });
                    faster
                }
            };
        }
        // SAFETY: leaked by this function, and freed in `drop` only.
        unsafe { &*next }
    }
}

impl Drop for Indices {
    fn drop(&mut self) {
        // Acquire pairs with the Release in `further`.
        let next = self.next.load(Ordering::Acquire);
        if !next.is_null() {
            // SAFETY: leaked by `further`, and freed once, here.
            drop(unsafe { Box::from_raw(next) });
        }
    }
}

/// The lowest number of the word that was free, and is held now.
fn claim(word: &AtomicUsize) -> Option<usize> {
    // Relaxed, here and on failure: the exchange decides.
    let mut now = word.load(Ordering::Relaxed);
    loop {
        let bit = now.trailing_ones() as usize;
        if bit >= BITS {
            return None;
        }
        let held = now | 1 << bit;
        if planted!(IndexTakenTwice) {
            word.store(held, Ordering::Relaxed);
            return Some(bit);
        }
        // Acquire pairs with the Release in `give_back`, also through the
        // exchanges of others in between.
        match word.compare_exchange_weak(now, held, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => return Some(bit),
            Err(other) => now = other,
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn miri_the_lowest_number_is_taken() {
        let indices = Indices::new();
        let many = WORDS * BITS + 3;
        assert!((0..many).all(|index| indices.take() == index));
        for index in [7, many - 1, BITS] {
            indices.give_back(index);
        }
        assert_eq!([(); 4].map(|()| indices.take()), [7, BITS, many - 1, many]);
    }
}
