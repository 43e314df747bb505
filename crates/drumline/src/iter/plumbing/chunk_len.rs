//! How much a loop does between two looks around.

use crate::sync::Ticks;

/// How often an eager loop halves its items before a thread goes through them.
pub(super) const SPLITS: u32 = 6;

/// What can be split more often than this is taken for what can be split for ever: some producers
/// give a share to everybody who asks.
const DEEPEST: u32 = 4096;

/// This many offers may stand at once before the first chunk of items of which each can be of any
/// size.
const NESTED: u32 = 16;

/// The longest chunk before a loop looks at the clock, in items.
const UNTIMED: usize = 1024;

/// A chunk that took less than this, in nanoseconds, may be followed by a longer one.
pub(super) const SHORT: u64 = 4_000;

/// A chunk that took more than this is followed by a shorter one.
pub(super) const LONG: u64 = 16_000;

/// How long chunks are.
#[derive(Clone, Copy)]
pub(crate) struct ChunkLen {
    /// The next one, in items.
    pub(crate) items: usize,
    /// As much as this may be done without an offer.
    pub(super) hidden: usize,
    /// No part is to be shorter.
    pub(super) min: usize,
    /// Somebody helps: so chunks are measured.
    pub(super) is_helped: bool,
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
            hidden: share.min(UNTIMED / 4).max(min.saturating_mul(2) - 1),
            min,
            is_helped: false,
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
            whole: DEEPEST,
            depth: 0,
            nested: NESTED,
            is_part: false,
        }
    }

    /// Whether the next chunk is to be measured.
    #[inline(always)]
    pub(super) fn is_timed(&self) -> bool {
        self.is_helped || self.items >= UNTIMED
    }

    /// A chunk is over that was not measured.
    #[inline(always)]
    pub(super) fn learn_nothing(&mut self) {
        self.items = self.items.saturating_mul(8);
        // The last of nine items is not worth an offer.
        self.hidden = self.hidden.max(self.min.saturating_mul(9));
    }

    /// A chunk is over that began at `start`.
    #[inline(never)]
    pub(super) fn learn_since(&mut self, start: Ticks) {
        let took = Ticks::now().nanos_since(start);
        if took < SHORT {
            self.items = self.items.saturating_mul(2);
            self.whole = self.whole.min(self.depth).saturating_sub(1).max(SPLITS);
        } else if took > LONG {
            self.items = (self.items / 2).max(self.min);
            self.whole = self.whole.max(self.depth + 1).min(DEEPEST);
        }
    }

    /// A chunk of a shared loop is over that began at `start`. The next one is to last some
    /// microseconds. Returns when that was.
    pub(super) fn learn(&mut self, start: Ticks) -> Ticks {
        let now = Ticks::now();
        let took = now.nanos_since(start);
        if took < SHORT / 2 {
            let factor = (SHORT / took.max(1)).clamp(2, 8);
            self.items = self.items.saturating_mul(factor as usize);
            self.whole = self.whole.min(self.depth).saturating_sub(1).max(SPLITS);
        } else if took > 2 * SHORT {
            let factor = (took / SHORT).clamp(2, 8);
            self.items = (self.items / factor as usize).max(self.min);
            self.whole = self.whole.max(self.depth + 1).min(DEEPEST);
        }
        now
    }

    /// Goes on elsewhere in the loop, where items may be longer.
    pub(super) fn begin_anew(&mut self) {
        self.items = (self.items / 8).max(self.min);
    }
}
