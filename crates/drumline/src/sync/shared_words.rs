//! A few words that one thread at a time writes, and that others read as a whole.
//!
//! For what is written often and read seldom: to write costs the stores and no read-modify-write,
//! and a writer never waits for a reader.
//!
//! # The race feared
//!
//! A reader that sees some words of one [`set`](SharedWords::set), and some of the next one. The
//! `sequence` is odd while the words are there to be read. Each change of it makes it greater. A
//! reader looks at it before and after it reads the words. If it has read a word of a later `set`,
//! then it sees that the sequence has changed: the writer stored an even number, ran a release
//! fence and then stored that word; the reader loaded the word, runs an acquire fence and then
//! loads the sequence. This is the sequence lock of H.-J. Boehm, "Can seqlocks get along with
//! programming language memory models?", 2012.

use std::ptr;

use super::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};

/// How often a reader tries anew, because the words have changed meanwhile.
const TRIES: u32 = if cfg!(drumline_loom) { 2 } else { 100 };

/// `N` words, or none.
#[derive(Debug)]
pub(crate) struct SharedWords<const N: usize> {
    /// Odd: there are words.
    sequence: AtomicUsize,
    /// Pointers keep their provenance; a number is the address of one.
    words: [AtomicPtr<()>; N],
}

impl<const N: usize> SharedWords<N> {
    pub(crate) fn new() -> Self {
        SharedWords {
            sequence: AtomicUsize::new(0),
            words: std::array::from_fn(|_| AtomicPtr::new(ptr::null_mut())),
        }
    }

    /// Writer: whether there are words.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        // Relaxed, also below: only the writer changes it, and the writer asks.
        self.sequence.load(Ordering::Relaxed) % 2 == 1
    }

    /// Writer: one of the words.
    #[inline]
    pub(crate) fn word(&self, number: usize) -> *mut () {
        // Relaxed: the writer wrote it. For `read`, its fence orders the load.
        self.words[number].load(Ordering::Relaxed)
    }

    /// Writer: there are no words any more.
    #[inline]
    pub(crate) fn clear(&self) {
        // Relaxed: as in `is_set`.
        let sequence = self.sequence.load(Ordering::Relaxed);
        if sequence % 2 == 1 {
            // Relaxed: publishes nothing. What is written next comes after the fence in `set`.
            self.sequence
                .store(sequence.wrapping_add(1), Ordering::Relaxed);
        }
    }

    /// Writer: there are these words from now on.
    pub(crate) fn set(&self, words: [*mut (); N]) {
        if !planted!(WordsUncleared) {
            self.clear();
        }
        // Relaxed: as in `is_set`.
        let sequence = self.sequence.load(Ordering::Relaxed);
        // Pairs with the fence in `read`: a thread that reads one of these words sees that the last
        // ones were cleared.
        if !planted!(WordsUnfenced) {
            fence(Ordering::Release);
        }
        // Relaxed: the fence above and the store below order the words.
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        // Release publishes the words to the Acquire in `read`.
        self.sequence.store(sequence | 1, Ordering::Release);
    }

    /// The words that there are. Also `None` if they change all the time.
    pub(crate) fn read(&self) -> Option<[*mut (); N]> {
        for _ in 0..TRIES {
            // Acquire pairs with the Release in `set`.
            let before = self.sequence.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                return None;
            }
            let words = std::array::from_fn(|number| self.word(number));
            // Pairs with the fence in `set`.
            fence(Ordering::Acquire);
            // Relaxed: the fence keeps it behind the loads of the words.
            if self.sequence.load(Ordering::Relaxed) == before {
                return Some(words);
            }
        }
        None
    }
}

#[cfg(all(test, drumline_loom))]
mod models {
    use std::ptr;
    use std::sync::Arc;

    use loom::thread;

    use super::SharedWords;
    use crate::sync::plant::{Plant, must_catch};

    /// A writer that waits twice, and a reader.
    fn words_are_read_as_a_whole() {
        loom::model(|| {
            let shared = Arc::new(SharedWords::<2>::new());
            // The reader begins later: loom misses orders in which a load comes before a store of a
            // thread that has loaded the same word in between.
            let reader = {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    if let Some([first, second]) = shared.read() {
                        assert_eq!(first.addr(), second.addr(), "torn");
                        assert!((1..=2).contains(&first.addr()));
                    }
                })
            };
            for number in 1..=2 {
                shared.set([ptr::without_provenance_mut(number); 2]);
            }
            reader.join().unwrap();
            let last = shared.read().map(|words| words.map(<*mut ()>::addr));
            assert_eq!(last, Some([2, 2]));
            shared.clear();
            assert_eq!(shared.read(), None);
        });
    }

    #[test]
    fn loom_words_are_read_as_a_whole() {
        words_are_read_as_a_whole();
    }

    #[test]
    fn loom_plants_words_are_read_as_a_whole() {
        for plant in [Plant::WordsUncleared, Plant::WordsUnfenced] {
            must_catch(plant, words_are_read_as_a_whole);
        }
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::ptr;
    use std::sync::Arc;

    use super::SharedWords;

    /// Also under Miri, which has weak memory.
    #[test]
    fn miri_words_are_read_as_a_whole() {
        let shared = Arc::new(SharedWords::<3>::new());
        let writer = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || {
                for number in 1..200 {
                    shared.set([ptr::without_provenance_mut(number); 3]);
                    if number % 3 == 0 {
                        shared.clear();
                    }
                }
            })
        };
        while !writer.is_finished() {
            if let Some([first, second, third]) = shared.read() {
                assert!(first == second && second == third, "torn");
            }
            std::thread::yield_now();
        }
        writer.join().unwrap();
    }
}
