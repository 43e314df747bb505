//! A look at the time that the waits of several tasks share.
//!
//! Since when a task waits is asked by people, seldom. To read the processor's counter for each
//! wait took a tenth of what it costs to pass a message from task to task. Tasks that hand the
//! worker on to each other run within microseconds, 16 of them at most. So the first one that waits
//! looks at the time, and the others take that. What a worker takes from a queue, and whatever may
//! have blocked, begins [anew](forget).
//!
//! A task that computes for long makes those that it hands the worker to look older, by that time.
//! So it does with itself, if it waits at two channels in one poll and computes in between, or
//! waits after it was handed the worker and has computed.

use std::cell::Cell;

use super::budget::Poller;
use crate::sync::{Ticks, per_thread};

per_thread! {
    /// The last look of this thread, if it still serves.
    static LAST: Cell<Option<Ticks>> = const { Cell::new(None) };
}

/// The thread turns to something else, or has slept: the next look is a new one.
#[inline]
pub(crate) fn forget() {
    LAST.with(|last| last.set(None));
}

/// The time at which what `poller` polls begins to wait, about.
#[inline]
pub(super) fn now(poller: Poller) -> Ticks {
    if poller != Poller::Task {
        // No worker forgets for it.
        return Ticks::now();
    }
    LAST.with(|last| {
        last.get().unwrap_or_else(|| {
            let now = Ticks::now();
            last.set(Some(now));
            now
        })
    })
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::sync::Instant;

    fn later() {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(1) {
            thread::yield_now();
        }
    }

    #[test]
    fn tasks_share_a_look_until_it_is_forgotten() {
        forget();
        let first = now(Poller::Task).into_words();
        later();
        assert_eq!(now(Poller::Task).into_words(), first);
        assert_ne!(now(Poller::Thread).into_words(), first);
        forget();
        assert_ne!(now(Poller::Task).into_words(), first);
    }
}
