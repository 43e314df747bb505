//! How much a loop does between two looks around: `iter::engine::chunk_len`.

use super::clock::Time;

/// How long a chunk should take.
const TARGET: Time = 2_000;
/// The same where this is little in comparison with what is left.
const LONG_TARGET: Time = 8_000;
/// A long chunk needs this many chunks left of the loop.
const LONG: usize = 512;
/// The same in a shared loop.
const SHARED_TARGET: Time = 4_000;
/// By which factor a chunk may differ from the one before.
const GROWTH: Time = 4;
/// The most items that are left unoffered.
const HIDDEN: usize = 256;
/// No more than this is left of a small loop.
const SMALL_LOOP: usize = 1024;

/// How long chunks are.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLen {
    /// The next one, in items.
    pub items: usize,
    /// As much as this may be done without an offer.
    pub hidden: usize,
    /// Another thread helps.
    pub is_helped: bool,
}

impl ChunkLen {
    /// Of a loop that no thread has helped with yet.
    pub fn new(len: usize) -> Self {
        ChunkLen {
            items: 1,
            hidden: len.div_ceil(16).clamp(1, HIDDEN),
            is_helped: false,
        }
    }

    /// Of a thread that shares a loop.
    pub fn helped() -> Self {
        ChunkLen {
            items: 1,
            hidden: 1,
            is_helped: true,
        }
    }

    /// A chunk is over, and took this long; `left` items are left.
    pub fn learn(&mut self, took: Time, left: usize) {
        let target = if left / LONG > self.items {
            LONG_TARGET
        } else {
            TARGET
        };
        self.adapt(took, target);
    }

    /// The same for a shared loop.
    pub fn learn_shared(&mut self, took: Time) {
        self.adapt(took, SHARED_TARGET);
    }

    fn adapt(&mut self, took: Time, target: Time) {
        if took < target / 2 {
            let factor = (target / took.max(1)).clamp(2, GROWTH);
            self.items = self.items.saturating_mul(factor as usize);
        } else if took > target * 2 {
            let factor = (took / target).min(GROWTH);
            self.items = (self.items / factor as usize).max(1);
        }
    }

    /// Goes on elsewhere in the loop.
    pub fn begin_anew(&mut self) {
        self.items = (self.items / 8).max(1);
    }
}

/// Where to split this many items.
pub fn halfway(len: usize, is_late: bool) -> usize {
    let offered = if !is_late {
        len.div_ceil(2)
    } else if len < SMALL_LOOP {
        (len / 8).max(1)
    } else {
        len / 4
    };
    len.saturating_sub(offered)
}
