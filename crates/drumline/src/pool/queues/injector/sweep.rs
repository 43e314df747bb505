//! Dropping spent tickets, and closing up the holes of jobs that were withdrawn.

use super::{Block, Content, EMPTIED, Injector, LAP, Slot, jobs_between, spent};
use crate::sync::SpinGuard;
use crate::sync::atomic::Ordering;

/// A place between head and tail, with its block.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    block: *const Block,
}

impl Place {
    /// Goes back by one slot.
    ///
    /// # Safety
    ///
    /// The lock is held, and the place is behind the head.
    unsafe fn step_back(&mut self) {
        if self.index.is_multiple_of(LAP) {
            // Over the gap of the lap before.
            self.index = self.index.wrapping_sub(2);
            // SAFETY: this block is behind that of the head, which lives while the lock is held.
            let block = unsafe { &*self.block };
            // Relaxed: it came with the link to this block, which was acquired.
            self.block = block.before.load(Ordering::Relaxed);
        } else {
            self.index = self.index.wrapping_sub(1);
        }
    }

    /// # Safety
    ///
    /// The lock is held, and the place is that of a slot between head and tail.
    unsafe fn slot<'a>(self) -> &'a Slot {
        // SAFETY: no block between head and tail is freed while the lock is held.
        &unsafe { &*self.block }.slots[self.index % LAP]
    }
}

impl Slot {
    /// Under the lock, in a slot that is written.
    fn empty(&self) {
        // Relaxed: the lock orders it.
        self.run.store(EMPTIED, Ordering::Relaxed);
    }
}

impl Injector {
    /// Drops all spent tickets. Moves the other jobs towards the tail, in their order. Returns how
    /// many slots were left without a job that the head cannot pass now.
    ///
    /// The caller moves the head on. Until then, and after that, the tail minus the head counts
    /// each job that is queued.
    pub(super) fn sweep(&self, _held: &SpinGuard<'_>) -> usize {
        // Relaxed: the lock orders what is the head's.
        let head = self.head.index.load(Ordering::Relaxed);
        // Acquire: with the tail come the links to its block.
        let tail = self.tail.index.load(Ordering::Acquire);
        let mut from = Place {
            index: tail,
            block: self.head.block.load(Ordering::Relaxed),
        };
        for _ in 0..(head % LAP + tail.wrapping_sub(head)) / LAP {
            // SAFETY: no block between head and tail is freed while the lock is held.
            from.block = unsafe { &*from.block }.next.load(Ordering::Acquire);
        }
        // What lies at `to` and behind it stays there.
        let mut to = from;
        let mut left = 0;
        while from.index != head {
            // SAFETY: the lock is held, and the head is further on.
            unsafe { from.step_back() };
            // SAFETY: the lock is held, and this place is not before the head.
            let slot = unsafe { from.slot() };
            match slot.read() {
                // Its push is under way. Holes behind it stay.
                Content::Unwritten => {
                    left += slots_between(from, to);
                    to = from;
                }
                Content::Emptied => {}
                // SAFETY: takers need the lock. The slot is emptied at once.
                Content::Job(job) if unsafe { spent::drop_if_spent(job) } => slot.empty(),
                Content::Job(job) => {
                    // SAFETY: the lock is held, and `to` was behind `from`, at least.
                    unsafe { to.step_back() };
                    if to.index != from.index {
                        slot.empty();
                        // SAFETY: the lock is held, and this place is behind the head. It was
                        // emptied before.
                        unsafe { to.slot() }.write(job);
                    }
                }
            }
        }
        left
    }
}

/// How many slots lie between these two places.
fn slots_between(from: Place, to: Place) -> usize {
    jobs_between(from.index, to.index) - 1
}
