//! Whether there are more threads than processors just now.
//!
//! Where a thread has to share its processor, waking another one does not get more done: the
//! thread that is woken takes the processor from a busy one. So nothing there wakes a thread for
//! little work. But what a thread waits for can wake it: to stay away for some time, or to offer
//! the processor, would cost a time slice for each item that comes meanwhile.
//!
//! A thread learns of it when it gets its processor back later than it should: after it offered it,
//! after a nap, or in the middle of its work. What one thread has learned all threads of the
//! process know: they have the same processors, as a rule.
//!
//! Rejected: longer time slices, or `SCHED_BATCH`, asked for from the kernel. A thread with the
//! usual slice cuts the longer ones short. The processor time of the thread, to see what it lost:
//! the question ends time slices early, and there were a third more switches.

use std::sync::OnceLock;
use std::time::Duration;

use crate::platform::preemptions;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Instant, process_wide};

/// It is oversubscribed for this long after two losses that are no further apart.
const MEMORY: Duration = Duration::from_millis(40);

/// Less than this is a moment's work of another program: that is no oversubscription.
const LOSS: Duration = Duration::from_micros(500);

/// A thread that keeps a processor for this long has more than a moment's work: one such loss is
/// enough.
const SLICE: Duration = Duration::from_micros(2_500);

/// The losses of some threads. A single one means little: something in the system has always a
/// moment's work to do.
///
/// Times are in microseconds since a moment of the process, and 0 is never. All is relaxed: a
/// thread that learns of it a moment late only does what it did before. Where a word is too short
/// for the time (32 bits suffice for an hour), nothing counts as oversubscription after that.
#[derive(Debug)]
pub(crate) struct Oversubscription {
    /// The last loss.
    lost: AtomicUsize,
    /// It is oversubscribed until then.
    until: AtomicUsize,
}

impl Oversubscription {
    pub(super) const fn new() -> Self {
        Oversubscription {
            lost: AtomicUsize::new(0),
            until: AtomicUsize::new(0),
        }
    }

    /// What the threads of this process know.
    pub(crate) fn here() -> &'static Self {
        &HERE
    }

    /// Whether one of the threads has had to wait for its processor lately, and not only for a
    /// moment.
    pub(crate) fn is_oversubscribed(&self, now: Instant) -> bool {
        // Relaxed: a hint, which publishes nothing. See the type.
        stamp(now) < self.until.load(Ordering::Relaxed)
    }

    /// A thread that gave its processor away wanted it back at `should`, and has it now.
    pub(crate) fn came_back(&self, should: Instant) {
        let now = Instant::now();
        self.note(now.saturating_duration_since(should), now);
    }

    /// A thread has got its processor back, so much later than it should.
    pub(super) fn note(&self, loss: Duration, now: Instant) {
        if loss < LOSS {
            return;
        }
        let now = stamp(now);
        let memory = stamp_of(MEMORY);
        // Relaxed, here and below: as in `is_oversubscribed`.
        let before = self.lost.swap(now, Ordering::Relaxed);
        if loss >= SLICE || (before > 0 && now.saturating_sub(before) < memory) {
            self.until
                .store(now.saturating_add(memory), Ordering::Relaxed);
        }
    }
}

process_wide! {
    static HERE: Oversubscription = Oversubscription::new();
    static FIRST: OnceLock<Instant> = OnceLock::new();
}

/// Microseconds since the first call, and 1.
fn stamp(now: Instant) -> usize {
    let first = *FIRST.get_or_init(|| now);
    stamp_of(now.saturating_duration_since(first)).saturating_add(1)
}

fn stamp_of(time: Duration) -> usize {
    usize::try_from(time.as_micros()).unwrap_or(usize::MAX)
}

/// What one thread knows about its processor.
#[derive(Debug)]
pub(crate) struct OversubscriptionWatch {
    /// How often it had lost its processor when it asked last.
    seen: u64,
    shared: &'static Oversubscription,
}

impl OversubscriptionWatch {
    /// To be used on one thread.
    pub(crate) fn new() -> Self {
        OversubscriptionWatch {
            seen: preemptions::preemptions(),
            shared: Oversubscription::here(),
        }
    }

    /// Whether this thread or another one has had to wait for its processor lately, and not only
    /// for a moment.
    pub(crate) fn is_oversubscribed(&self, now: Instant) -> bool {
        self.shared.is_oversubscribed(now)
    }

    /// Something took this long, and should have taken less. If it took much longer, and the thread
    /// lost its processor meanwhile, it is oversubscription. Returns whether that is so.
    pub(crate) fn took(&mut self, should: Duration, did: Duration, now: Instant) -> bool {
        let loss = did.saturating_sub(should);
        if loss < LOSS {
            return false;
        }
        let count = preemptions::preemptions();
        let is_lost = std::mem::replace(&mut self.seen, count) != count;
        if is_lost {
            self.shared.note(loss, now);
        }
        is_lost
    }
}

#[cfg(test)]
mod tests {
    use super::{LOSS, MEMORY, Oversubscription, SLICE, stamp};
    use crate::sync::Instant;

    #[test]
    fn it_is_oversubscribed_for_a_while_after_two_losses() {
        let oversubscription = Oversubscription::new();
        // The first moment of the process may be that of another test, and is before `now`.
        stamp(Instant::now());
        let now = Instant::now();
        assert!(!oversubscription.is_oversubscribed(now));
        oversubscription.note(LOSS / 2, now);
        oversubscription.note(LOSS, now);
        assert!(!oversubscription.is_oversubscribed(now), "one is nothing");
        oversubscription.note(LOSS, now + MEMORY / 2);
        assert!(oversubscription.is_oversubscribed(now + MEMORY));
        assert!(!oversubscription.is_oversubscribed(now + MEMORY * 2));
    }

    #[test]
    fn losses_far_apart_are_nothing() {
        let oversubscription = Oversubscription::new();
        stamp(Instant::now());
        let now = Instant::now();
        oversubscription.note(LOSS, now);
        oversubscription.note(LOSS, now + MEMORY);
        assert!(!oversubscription.is_oversubscribed(now + MEMORY));
    }

    #[test]
    fn a_whole_time_slice_is_enough() {
        let oversubscription = Oversubscription::new();
        let now = Instant::now();
        oversubscription.note(SLICE, now);
        assert!(oversubscription.is_oversubscribed(now));
    }
}
