//! How many of several are still at work.
//!
//! ```text
//!   n ──count_down()──► n-1 ──► … ──► 1 ──count_down()──► 0: done
//!        watch() sets WAITING beside the number, at any time
//! ```
//!
//! It lives in the frame of the waiter, and that frame may be gone as soon as the number is 0.
//! **The race feared** is a last step that afterwards reads the name of the sleeper. So a thread
//! that may be the last reads the name *before* its step. The step is a compare-and-swap from the
//! very word that showed WAITING (or not), and touches nothing afterwards.

use std::cell::UnsafeCell;

use super::Sleeper;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;

const WAITING: usize = 1;
const ONE: usize = 2;

/// A number that goes down to 0, once.
#[derive(Debug)]
pub(crate) struct Countdown {
    word: AtomicUsize,
    /// Written by the waiter before it sets WAITING, once; read after WAITING
    /// has been seen.
    sleeper: UnsafeCell<Option<Sleeper>>,
}

// SAFETY: the cell is written by one thread before the Release of WAITING and
// read by others after its Acquire; the rest is atomic.
unsafe impl Sync for Countdown {}

impl Countdown {
    pub(crate) fn new(count: usize) -> Self {
        Countdown {
            word: AtomicUsize::new(count * ONE),
            sleeper: UnsafeCell::new(None),
        }
    }

    /// One is done. Returns the sleeper to wake, if any. `this` may be gone by then.
    ///
    /// # Safety
    ///
    /// `this` is alive, and this is called at most as often as there were ones.
    #[must_use]
    pub(crate) unsafe fn count_down(this: *const Self) -> Option<Sleeper> {
        // SAFETY: alive before the step, says the caller.
        let word = unsafe { &raw const (*this).word };
        // SAFETY: as above. Acquire pairs with the Release in `watch`.
        let mut now = unsafe { &*word }.load(Ordering::Acquire);
        let order = if planted!(CountRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::AcqRel
        };
        loop {
            let sleeper = if now & WAITING != 0 {
                // SAFETY: alive before the step; written before WAITING was
                // set, and not written again.
                unsafe { *(*this).sleeper.get() }
            } else {
                None
            };
            let is_last = now & !WAITING == ONE;
            // Release publishes what this one did to the Acquire in `is_done`,
            // through all later steps. Acquire, also on failure, as above.
            // SAFETY: alive before the step. On success it may be gone, and is
            // not touched again.
            let step =
                unsafe { &*word }.compare_exchange_weak(now, now - ONE, order, Ordering::Acquire);
            match step {
                Ok(_) if is_last && planted!(CountThenLook) => {
                    // SAFETY: there is none: this is a planted bug.
                    let late = unsafe { &*word }.load(Ordering::Acquire);
                    // SAFETY: as above.
                    return (late & WAITING != 0).then(|| unsafe { *(*this).sleeper.get() })?;
                }
                Ok(_) if is_last => return sleeper,
                Ok(_) => return None,
                Err(other) => now = other,
            }
        }
    }

    /// Waiter: whether all are done.
    pub(crate) fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `count_down`.
        self.word.load(Ordering::Acquire) < ONE
    }

    /// Waiter: this memory goes away now. The model checker demands that no thread touches it any
    /// more.
    #[cfg(all(test, drumline_loom))]
    pub(super) fn die(&mut self) {
        self.word.with_mut(|_| ());
    }

    /// Waiter, once: names the sleeper to wake. `false`: all are done, and the sleeper will not be
    /// woken.
    #[must_use]
    pub(crate) fn watch(&self, sleeper: Sleeper) -> bool {
        // SAFETY: read only after WAITING has been set below; called once.
        unsafe { *self.sleeper.get() = Some(sleeper) };
        // Release pairs with the Acquire in `count_down`.
        self.word.fetch_or(WAITING, Ordering::AcqRel) >= ONE
    }
}
