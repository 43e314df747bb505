//! How much a loop does between two looks around.

use super::counted::ALIGNED;
use super::estimates::{Begun, Site};
use crate::sync::Ticks;

/// How often an eager loop halves its items before a thread goes through them.
pub(super) const SPLITS: u32 = 6;

/// What can be split more often than this is taken for what can be split for ever: some producers
/// give a share to everybody who asks.
const DEEPEST: u32 = 4096;

/// This many offers may stand at once before the first chunk of items of which each can be of any
/// size.
const NESTED: u32 = 16;

/// The most items that are left unoffered at the end of a loop.
const HIDDEN: usize = 256;

/// As many items are left unoffered at the end of a loop with short ones: an offer costs as much as a
/// hundred additions.
const SHORT: usize = 24;

/// A loop of which more items are left after the first one goes to the next aligned one: what comes
/// after that is faster.
const ALIGNED_FIRST: usize = 2048;

/// How long a chunk should take, in nanoseconds: a thread that asks for items waits for its end. It
/// may take half as long, or twice.
const TARGET: u64 = 2_000;

/// The same in a shared loop. Other threads need not wait for it, but each takes a lock.
const SHARED_TARGET: u64 = 4_000;

/// By which factor a chunk may differ from the one before.
const GROWTH: u64 = 64;

/// How long chunks are.
#[derive(Clone, Copy)]
pub(crate) struct ChunkLen {
    /// The next one, in items.
    pub(crate) items: usize,
    /// As much as this may be done without an offer.
    pub(super) hidden: usize,
    /// No part is to be shorter.
    pub(super) min: usize,
    /// Another thread helps, so that chunks are to be short from the first one on.
    pub(super) is_helped: bool,
    /// A chunk of this loop has been measured.
    pub(super) is_measured: bool,
    /// The length of the chunk after the next one, which is not to be measured.
    pub(super) next: Option<usize>,
    /// Where there is nothing to count: what has been split so often is gone through as a whole.
    pub(super) whole: u32,
    /// How often that had been split which the last chunk went through.
    pub(super) depth: u32,
    /// So many offers more may stand at once.
    pub(super) nested: u32,
    /// This goes through a part of a loop, and its thread has, or takes, another one afterwards.
    pub(super) is_part: bool,
}

impl ChunkLen {
    /// The chunk length of a loop with which no thread has helped yet.
    #[inline(always)]
    pub(super) fn new(len: usize, min: usize) -> Self {
        let share = len.div_ceil(16);
        ChunkLen {
            items: min,
            hidden: share.min(HIDDEN).max(min.saturating_mul(2) - 1),
            min,
            is_helped: false,
            is_measured: false,
            next: None,
            whole: DEEPEST,
            depth: 0,
            nested: NESTED,
            is_part: false,
        }
    }

    /// The chunk length when neither the number of items nor their size is known.
    pub(crate) fn unknown() -> Self {
        ChunkLen::helped(1)
    }

    /// The chunk length of a thread that shares a loop: how long items take is not known.
    pub(super) fn helped(min: usize) -> Self {
        ChunkLen {
            items: min,
            hidden: min.saturating_mul(2) - 1,
            min,
            is_helped: true,
            is_measured: false,
            next: None,
            whole: DEEPEST,
            depth: 0,
            nested: NESTED,
            is_part: false,
        }
    }

    /// The first chunk of a loop is over, and `len` items are left.
    #[inline(always)]
    pub(super) fn learn_first(&mut self, begun: &Begun, len: usize) {
        let estimate = match begun.estimate() {
            Ok(estimate) => estimate,
            Err(start) => {
                self.learn_unhelped(start, begun.site);
                return;
            }
        };
        if let Some(items) = estimate {
            let items = items.max(self.min);
            if len > ALIGNED_FIRST {
                self.items = ALIGNED.max(self.min);
                // Not at once as long as that: this is when threads come to help.
                self.next = Some((items / 8).max(self.min));
            } else {
                self.items = items;
                // Not more than a chunk, and about half of the loop has been on offer.
                self.hidden = self.hidden.max(items.min(len.div_ceil(2)));
            }
            self.hidden = self.hidden.max(SHORT);
        }
    }

    /// As [`learn`](Self::learn), in a loop with which no thread has helped yet.
    #[inline(never)]
    pub(super) fn learn_unhelped(&mut self, start: Ticks, site: Site) -> Ticks {
        let now = self.learn(start);
        self.is_measured = true;
        // As short as it may be, it may take any time.
        let is_shortest = self.items <= self.min;
        site.note(if is_shortest { 0 } else { self.items });
        now
    }

    /// A chunk is over that began at `start`. Returns when that was.
    pub(super) fn learn(&mut self, start: Ticks) -> Ticks {
        let now = Ticks::now();
        self.adapt(now.nanos_since(start), TARGET);
        now
    }

    /// As [`learn`](Self::learn), in a shared loop.
    pub(super) fn learn_shared(&mut self, start: Ticks) -> Ticks {
        let now = Ticks::now();
        self.adapt(now.nanos_since(start), SHARED_TARGET);
        now
    }

    fn adapt(&mut self, took: u64, target: u64) {
        if took < target / 2 {
            let factor = (target / took.max(1)).clamp(2, GROWTH);
            self.items = self.items.saturating_mul(factor as usize);
            self.whole = self.whole.min(self.depth).saturating_sub(1).max(SPLITS);
        } else if took > target * 2 {
            let factor = (took / target).min(GROWTH);
            self.items = (self.items / factor as usize).max(self.min);
            self.whole = self.whole.max(self.depth + 1).min(DEEPEST);
        }
    }

    /// Goes on elsewhere in the loop, where items may be longer.
    pub(super) fn begin_anew(&mut self) {
        self.items = (self.items / 8).max(self.min);
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::super::estimates::WORTH_IT;
    use super::*;

    /// What is not split further because the user says so may take any time: nothing is known of
    /// the items.
    #[test]
    fn what_is_as_short_as_it_may_be_is_no_estimate() {
        for (min, is_believed) in [(1, true), (1000, false)] {
            let site = Site::new(what_is_as_short_as_it_may_be_is_no_estimate as *const ());
            let mut chunk_len = ChunkLen::new(100_000, min);
            chunk_len.items = 1000;
            let start = Ticks::now();
            while Ticks::now().nanos_since(start) < TARGET / 2 {}
            // It took about as long as it should, or this thread was interrupted.
            chunk_len.learn_unhelped(start, site);
            let is_cut = chunk_len.items < WORTH_IT;
            let estimate = site.begin().estimate();
            assert_eq!(estimate.is_ok(), is_believed && !is_cut);
            site.note(0);
        }
    }
}
