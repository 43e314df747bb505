//! The seats that run jobs of one scope.
//!
//! A bit for each seat: set before a job begins there, cleared after it has ended. A job may run on
//! top of another one of the same scope. Then the lower one keeps the bit.
//!
//! # The race feared
//!
//! A waiting thread has got hold of an entry in the deque of a seat, and asks whether the seat
//! still [runs](Runners::contains) a job of the scope. The bit was cleared, the occupant has pushed
//! an entry of other work, and that is the entry. The thread must not see the old bit.
//!
//! It cannot: it asks with a read-modify-write. If that comes before the clearing in the order of
//! the word, the clearing has seen it, and what the occupant pushes later was not there yet when
//! the thread got hold of its entry. Otherwise it sees the cleared bit.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, lock};

/// Seats with numbers below `WORDS * BITS` have a bit.
const WORDS: usize = 4;
const BITS: usize = usize::BITS as usize;

/// The seats that run jobs of one scope.
pub(crate) struct Runners {
    bits: [AtomicUsize; WORDS],
    /// Those without a bit, each as often as it does.
    further: Mutex<Vec<usize>>,
}

/// A job runs in a seat; to be [struck off](Runners::strike_off) by the same thread.
#[must_use]
pub(crate) struct Runner {
    seat: usize,
    /// No job of the scope runs below.
    is_outermost: bool,
}

impl Runners {
    pub(crate) fn new() -> Self {
        Runners {
            bits: [const { AtomicUsize::new(0) }; WORDS],
            further: Mutex::new(Vec::new()),
        }
    }

    /// The calling thread, in this seat, is about to begin a job.
    pub(crate) fn enroll(&self, seat: usize) -> Runner {
        let is_outermost = match self.bits.get(seat / BITS) {
            Some(word) => {
                let bit = 1 << (seat % BITS);
                // Release publishes the raised floor to the Acquire in `contains` and `any`.
                word.fetch_or(bit, Ordering::AcqRel) & bit == 0
            }
            None => {
                lock(&self.further).push(seat);
                true
            }
        };
        Runner { seat, is_outermost }
    }

    /// The job has ended.
    pub(crate) fn strike_off(&self, runner: Runner) {
        let Runner { seat, is_outermost } = runner;
        match self.bits.get(seat / BITS) {
            Some(word) if is_outermost => {
                // Acquire pairs with the Release in `contains`, see above.
                word.fetch_and(!(1 << (seat % BITS)), Ordering::AcqRel);
            }
            Some(_) => {}
            None => {
                let mut further = lock(&self.further);
                let place = further.iter().rposition(|&other| other == seat);
                further.swap_remove(place.expect("enrolled by this thread"));
            }
        }
    }

    /// Whether a job runs in `seat`.
    pub(crate) fn contains(&self, seat: usize) -> bool {
        match self.bits.get(seat / BITS) {
            Some(word) => word.fetch_or(0, Ordering::AcqRel) & 1 << (seat % BITS) != 0,
            None => lock(&self.further).contains(&seat),
        }
    }

    /// Calls `visit` with each seat, until it returns `true`. No lock is held meanwhile. Seats that
    /// begin or end during the look may be missed.
    pub(crate) fn any(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        for (index, word) in self.bits.iter().enumerate() {
            // Acquire pairs with the Release in `enroll`.
            let mut bits = word.load(Ordering::Acquire);
            while bits != 0 {
                if visit(index * BITS + bits.trailing_zeros() as usize) {
                    return true;
                }
                bits &= bits - 1;
            }
        }
        let further = |place| lock(&self.further).get(place).copied();
        (0..).map_while(further).any(visit)
    }
}
