//! Whether it pays at some place to offer the processor, though threads compete for it.
//!
//! A thread that has to wait, and shares its processor, may sleep: then it is woken at once when
//! there is something for it. Or it may offer its processor, which costs half as much. If another
//! thread of the same channel takes it, all goes on. If that of another program does, a time slice
//! is lost. The thread cannot know that before. But it sees afterwards how much the channel has
//! moved meanwhile.
//!
//! So a thread offers once for each wait, and counts what was moved. If that is too little for the
//! time, there are no such offers at this channel for a number of waits, which doubles each time.
//!
//! Four threads that send to one, with room for 128 messages, on two processors: 29 ns a message
//! with offers, and 54 where they sleep. Beside two busy loops an offer for each wait would cost 15
//! to 70 %.

use std::time::Duration;

use super::Patience;
use crate::sync::atomic::{AtomicU32, Ordering};
use crate::sync::{Instant, thread};

/// A thread that gets its processor back so soon has lost nothing.
const SOON: Duration = Duration::from_micros(100);
/// A channel has moved enough if it moves at least one message in this time, in microseconds.
const MICROS: u128 = 8;
/// After an offer that did not pay, there is none in this number of waits at first.
const FIRST: u32 = 64;
/// And in this number of waits at most.
const MOST: u32 = 1 << 14;

/// What came of offers at one place.
#[derive(Debug)]
pub(crate) struct YieldRecord {
    /// Waits without an offer that are to come.
    left: AtomicU32,
    /// How many they were after the last offer that did not pay; 0: the last one did.
    span: AtomicU32,
}

impl YieldRecord {
    pub(crate) const fn new() -> Self {
        YieldRecord {
            left: AtomicU32::new(0),
            span: AtomicU32::new(0),
        }
    }

    /// Offers the processor, if that is well. `moved` says how much was passed on so far.
    pub(super) fn offer(&self, patience: &Patience, moved: impl Fn() -> u64) {
        if !patience.is_oversubscribed() {
            patience.offer();
            return;
        }
        // Relaxed, here and below: it decides how a thread waits, and nothing else. If two threads
        // change it at once, one change is lost.
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
            return;
        }
        let (begun, before) = (Instant::now(), moved());
        thread::yield_now();
        self.learn(begun.elapsed(), moved().wrapping_sub(before));
    }

    /// A thread was without its processor for this time, and so much was passed on meanwhile.
    fn learn(&self, time: Duration, moved: u64) {
        if time < SOON {
            return;
        }
        let span = if u128::from(moved) >= time.as_micros() / MICROS {
            0
        } else {
            // Relaxed, here and below: as in `offer`.
            let span = self.span.load(Ordering::Relaxed);
            (2 * span).clamp(FIRST, MOST)
        };
        // Relaxed: as in `offer`.
        self.span.store(span, Ordering::Relaxed);
        self.left.store(span, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{FIRST, MOST, YieldRecord};
    use crate::sync::atomic::Ordering;

    fn left(record: &YieldRecord) -> u32 {
        // Relaxed: one thread.
        record.left.load(Ordering::Relaxed)
    }

    #[test]
    fn offers_that_pay_go_on() {
        let record = YieldRecord::new();
        record.learn(Duration::from_micros(10), 0);
        assert_eq!(left(&record), 0, "too short to be a loss");
        record.learn(Duration::from_millis(3), 1_000);
        assert_eq!(left(&record), 0);
    }

    #[test]
    fn offers_that_do_not_pay_become_rare() {
        let record = YieldRecord::new();
        record.learn(Duration::from_millis(3), 128);
        assert_eq!(left(&record), FIRST);
        record.learn(Duration::from_millis(3), 0);
        assert_eq!(left(&record), 2 * FIRST);
        (0..20).for_each(|_| record.learn(Duration::from_millis(3), 0));
        assert_eq!(left(&record), MOST);
        record.learn(Duration::from_millis(3), 10_000);
        record.learn(Duration::from_millis(3), 0);
        assert_eq!(left(&record), FIRST, "it begins anew");
    }
}
