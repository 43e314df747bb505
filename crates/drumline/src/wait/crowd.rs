//! Whether there are more threads than processors just now.
//!
//! Where a thread has to share its processor, waking another one does not get more done, and a thread that sleeps until
//! the next item is woken at the cost of a switch away from somebody who was busy, for that one item. There it is better to
//! offer the processor first, to whoever keeps it for a time slice, and to stay away for a few milliseconds then, in which more
//! items arrive. Offering it again and again is worse: several who have nothing to do only switch between themselves.

use std::time::Duration;

use crate::platform::crowd;
use crate::sync::{Instant, Mutex, lock, thread};

/// It is crowded if both of the last two losses are not older than this.
const MEMORY: Duration = Duration::from_millis(40);

/// Less than this, and somebody has only had a moment's work to do: that is no crowd.
const LOSS: Duration = Duration::from_micros(500);

/// So long who finds nothing stays away where it is crowded: about a time slice.
const NAP: Duration = Duration::from_millis(4);

/// The last two times at which one of some threads had to wait for its processor. A single one means little: something
/// in the system has always a moment's work to do.
#[derive(Debug, Default)]
pub(crate) struct Crowded(Mutex<[Option<Instant>; 2]>);

/// What one thread knows about its processor, and some threads together of theirs.
#[derive(Debug)]
pub(crate) struct Crowd<'a> {
    /// How often it had lost its processor when it asked last.
    seen: Option<u64>,
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

    /// Whether this thread or one of the others has had to wait for its processor lately, and not only for a moment.
    pub(crate) fn is_crowded(&self, now: Instant) -> bool {
        let [_, before] = *lock(&self.crowded.0);
        before.is_some_and(|at| now.saturating_duration_since(at) < MEMORY)
    }

    /// Something took so long, and should have taken less. If it took much longer, and the thread lost its processor
    /// meanwhile, it is crowded.
    pub(crate) fn took(&mut self, should: Duration, did: Duration, now: Instant) {
        if did.saturating_sub(should) < LOSS {
            return;
        }
        let count = crowd::preemptions();
        let before = self.seen.replace(count);
        if before.is_some_and(|before| before != count) {
            self.crowded.note(now);
        }
    }

    /// Leaves the processor to others for a while if it is crowded, unless `is_there` says that what this thread
    /// waits for has come. Returns what it said last. `busy`: it has had a lot to do until now, so it may be crowded
    /// without anybody having noticed.
    pub(crate) fn make_room(&mut self, busy: bool, mut is_there: impl FnMut() -> bool) -> bool {
        let before = Instant::now();
        if !busy && !self.is_crowded(before) {
            // To offer the processor in vain has a price: the kernel lets a thread that did so wait longer when it is
            // woken.
            return false;
        }
        // Whoever takes the processor now keeps it for a time slice, and perhaps it is who sends.
        thread::yield_now();
        let now = Instant::now();
        if now.saturating_duration_since(before) >= LOSS {
            self.crowded.note(now);
        }
        if is_there() {
            return true;
        }
        if !self.is_crowded(now) {
            return false;
        }
        thread::sleep(NAP);
        is_there()
    }
}

impl Crowded {
    fn note(&self, now: Instant) {
        let mut times = lock(&self.0);
        *times = [Some(now), times[0]];
    }
}

#[cfg(test)]
mod tests {
    use super::{Crowd, Crowded, MEMORY};
    use crate::sync::Instant;

    #[test]
    fn it_is_crowded_for_a_while_after_two_losses() {
        let crowded = Crowded::default();
        let now = Instant::now();
        let crowd = Crowd::new(&crowded);
        assert!(!crowd.is_crowded(now));
        crowded.note(now);
        assert!(!crowd.is_crowded(now), "once is nothing");
        crowded.note(now);
        assert!(Crowd::new(&crowded).is_crowded(now + MEMORY / 2));
        assert!(!Crowd::new(&crowded).is_crowded(now + MEMORY));
    }

    #[test]
    fn what_is_there_is_not_waited_for() {
        let crowded = Crowded::default();
        let mut looks = 0;
        let mut look = || {
            looks += 1;
            true
        };
        assert!(
            !Crowd::new(&crowded).make_room(false, &mut look),
            "no crowd, no look"
        );
        let now = Instant::now() + MEMORY;
        crowded.note(now);
        crowded.note(now);
        assert!(Crowd::new(&crowded).make_room(false, &mut look));
        assert_eq!(looks, 1);
    }
}
