//! Whether there are more threads than processors just now.
//!
//! Where a thread has to share its processor, waking another one does not get more done, and a thread that goes to
//! sleep for every gap in its work is woken at the cost of a switch away from somebody who was busy. There it is better
//! to offer the processor: whoever gets it keeps it for a time slice, in which more work arrives.

use std::time::Duration;

use crate::platform::crowd;
use crate::sync::{Instant, Mutex, lock, thread};

/// So long it stays crowded after a thread has lost its processor.
const MEMORY: Duration = Duration::from_millis(20);

/// Time between two questions to the system.
const PAUSE: Duration = Duration::from_millis(1);

/// When some threads last noticed that it was crowded.
#[derive(Debug, Default)]
pub(crate) struct Crowded(Mutex<Option<Instant>>);

/// What one thread knows about its processor, and some threads together of theirs.
#[derive(Debug)]
pub(crate) struct Crowd<'a> {
    /// How often it had lost it when it asked for the last time, and when that was.
    seen: Option<(u64, Instant)>,
    crowded: &'a Crowded,
}

impl<'a> Crowd<'a> {
    /// To be used on one thread.
    pub(crate) fn new(crowded: &'a Crowded) -> Self {
        Crowd {
            seen: None,
            crowded,
        }
    }

    /// Whether this thread or one of the others has lost its processor lately. It takes two looks to see that.
    pub(crate) fn is_crowded(&mut self, now: Instant) -> bool {
        match self.seen {
            Some((_, at)) if now.saturating_duration_since(at) < PAUSE => {}
            _ => {
                self.look(now);
            }
        }
        lock(&self.crowded.0).is_some_and(|at| now.saturating_duration_since(at) < MEMORY)
    }

    /// Asks the system; whether there was a loss since the last time.
    fn look(&mut self, now: Instant) -> bool {
        let count = crowd::preemptions();
        let before = self.seen.replace((count, now));
        let lost = before.is_some_and(|(before, _)| before != count);
        if lost {
            *lock(&self.crowded.0) = Some(now);
        }
        lost
    }

    /// Where it is crowded, leaves the processor to others for a while, unless `is_there` says that what this thread
    /// waits for has come. Returns what it said last.
    pub(crate) fn make_room(&mut self, mut is_there: impl FnMut() -> bool) -> bool {
        let nap: u64 = std::env::var("DL_NAP")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or(3000);
        let yields: u64 = std::env::var("DL_YIELD")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or(1);
        for _ in 0..yields {
            thread::yield_now();
            if is_there() {
                return true;
            }
        }
        let now = Instant::now();
        self.look(now);
        if !self.is_crowded(now) {
            return false;
        }
        thread::sleep(Duration::from_micros(nap));
        is_there()
    }
}
