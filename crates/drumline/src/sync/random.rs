//! Random numbers for schedules: where a thread begins to look.

use std::cell::Cell;

/// A generator of random numbers, for one thread: xorshift32 (Marsaglia 2003). The same seed gives
/// the same numbers.
#[derive(Debug)]
pub(crate) struct XorShift(Cell<u32>);

impl XorShift {
    /// A generator. Other seeds give other numbers.
    pub(crate) fn new(seed: usize) -> Self {
        // Zero would stay zero.
        XorShift(Cell::new((seed as u32).wrapping_mul(0x9E37_79B9) | 1))
    }

    /// A generator that goes on from the [state](Self::state) of another one.
    #[cfg(not(drumline_loom))]
    pub(crate) fn from_state(state: u32) -> Self {
        XorShift(Cell::new(state))
    }

    /// From where it goes on; not 0.
    #[cfg(not(drumline_loom))]
    pub(crate) fn state(&self) -> u32 {
        self.0.get()
    }

    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&self, end: usize) -> usize {
        self.draw() as usize % end
    }

    /// A number that is not 0.
    pub(crate) fn draw(&self) -> u32 {
        let mut number = self.0.get();
        number ^= number << 13;
        number ^= number >> 17;
        number ^= number << 5;
        self.0.set(number);
        number
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    #[test]
    fn every_number_below_the_end_comes_for_every_seed() {
        for seed in 0..100 {
            let random = XorShift::new(seed);
            let mut seen = [false; 7];
            for _ in 0..200 {
                seen[random.below(7)] = true;
            }
            assert_eq!(seen, [true; 7], "seed {seed}");
        }
    }
}
