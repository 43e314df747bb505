//! Which seats are in use: a bitmap that is read without a lock.
//!
//! # What it owns
//!
//! A bit for each seat. It is set while a thread may push to a deque of that seat: it is active, or
//! away. It stays set when a thread leaves jobs in the queue of its seat. A bit that is set for
//! nothing costs a look. The next occupant that leaves an empty queue clears it.
//!
//! Marks, scans, surveys and thieves visit these seats and no others. In a pool of 128 threads of
//! which two are at work, they touch two lines of memory for each of the two, and one for the
//! bitmap.
//!
//! # Why no seat is missed
//!
//! The lock of the idle set is held for each change. A thread that marks has held that lock before,
//! and has noted there that the pool is marked. So a seat that entered use before has its bit, and
//! the marking thread sees it. A seat that enters later is told that it must carry the mark
//! (`IdleState::admit`). A thief that comes without the lock may miss a seat that has just entered
//! use. It is a searcher, which looks again, or an active worker, and the idle set does not rely on
//! its look.
//!
//! # Rejected
//!
//! A look at the state of each seat (`pool::deque::handshake`): a line of memory for each seat, and
//! 128 of them take longer than a wake-up. By simulation, 64 and 128 threads were all at work 135
//! and 244 µs after a call, and it is 45 and 71 with this and with shorter ways in loops
//! (`team::ticket`). A counter for each word: nothing asks how many there are.

use std::sync::OnceLock;

use crate::sync::atomic::{AtomicUsize, Ordering};

/// The first block has one word, each further one twice as many as the one before.
const BLOCKS: usize = 26;

/// A set of seat numbers.
#[derive(Debug)]
pub(crate) struct SeatBits {
    blocks: [OnceLock<Box<[AtomicUsize]>>; BLOCKS],
    /// How many words are in use.
    words: AtomicUsize,
}

/// How many seats a word is for.
const BITS: usize = usize::BITS as usize;

/// Block and offset of a word.
fn locate(word: usize) -> (usize, usize) {
    let n = word + 1;
    let block = n.ilog2();
    (block as usize, n - (1 << block))
}

impl SeatBits {
    pub(crate) fn new() -> Self {
        SeatBits {
            blocks: std::array::from_fn(|_| OnceLock::new()),
            words: AtomicUsize::new(0),
        }
    }

    /// The word, if it exists.
    fn word(&self, word: usize) -> Option<&AtomicUsize> {
        let (block, offset) = locate(word);
        self.blocks[block].get().map(|words| &words[offset])
    }

    /// Adds a seat. Callers take turns: they hold the lock of the idle set.
    pub(crate) fn insert(&self, seat: usize) {
        let (index, bit) = (seat / BITS, 1 << (seat % BITS));
        let (block, offset) = locate(index);
        let words = self.blocks[block]
            .get_or_init(|| (0..1 << block).map(|_| AtomicUsize::new(0)).collect());
        // Relaxed: callers take turns.
        let before = words[offset].load(Ordering::Relaxed);
        if before & bit == 0 {
            // Release pairs with the Acquire in `load`: a thread that sees the bit finds the seat
            // in the table.
            words[offset].store(before | bit, Ordering::Release);
        }
        // Relaxed: callers take turns.
        if index >= self.words.load(Ordering::Relaxed) {
            // Release pairs with the Acquire in `iter_from`: the word is there.
            self.words.store(index + 1, Ordering::Release);
        }
    }

    /// Removes a seat. Callers take turns: they hold the lock of the idle set.
    pub(crate) fn remove(&self, seat: usize) {
        let (index, bit) = (seat / BITS, 1 << (seat % BITS));
        if let Some(word) = self.word(index) {
            // Relaxed: callers take turns. Nothing is published by a bit that is cleared.
            let before = word.load(Ordering::Relaxed);
            word.store(before & !bit, Ordering::Release);
        }
    }

    fn load(&self, word: usize) -> usize {
        // Acquire pairs with the Release in `insert`.
        self.word(word)
            .map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// All seats in order.
    #[cfg(test)]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        self.iter_from(0)
    }

    /// All seats, from number `start` on, and then those before it.
    pub(crate) fn iter_from(&self, start: usize) -> impl Iterator<Item = usize> {
        // Acquire pairs with the Release in `insert`.
        let words = self.words.load(Ordering::Acquire);
        let (first, high) = (start / BITS, usize::MAX << (start % BITS));
        (0..=words).flat_map(move |step| {
            let mask = match step {
                0 => high,
                _ if step == words => !high,
                _ => usize::MAX,
            };
            let word = (first + step) % words.max(1);
            ones(self.load(word) & mask).map(move |bit| word * BITS + bit)
        })
    }
}

/// The numbers of the bits that are set.
fn ones(mut word: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        // One less clears the lowest bit that is set.
        word = (word != 0).then(|| word & (word - 1))?;
        Some(bit)
    })
}

#[cfg(all(test, not(drumline_loom), not(drumline_shuttle)))]
mod tests {
    use super::SeatBits;

    #[test]
    fn has_what_was_inserted_and_not_removed() {
        let bits = SeatBits::new();
        assert_eq!(bits.iter().count(), 0);
        let seats = [0, 1, 63, 64, 127, 128, 1_000, 70_000];
        for seat in seats {
            bits.insert(seat);
            bits.insert(seat);
        }
        assert!(bits.iter().eq(seats));
        bits.remove(64);
        bits.remove(64);
        bits.remove(5_000_000);
        assert!(bits.iter().eq([0, 1, 63, 127, 128, 1_000, 70_000]));
    }

    #[test]
    fn begins_where_it_is_told_and_visits_each_once() {
        let bits = SeatBits::new();
        let seats = [3, 40, 63, 64, 100, 200];
        seats.iter().for_each(|&seat| bits.insert(seat));
        for start in 0..256 {
            let behind = seats.iter().filter(|&&seat| seat >= start);
            let before = seats.iter().filter(|&&seat| seat < start);
            assert!(bits.iter_from(start).eq(behind.chain(before).copied()));
        }
    }
}
