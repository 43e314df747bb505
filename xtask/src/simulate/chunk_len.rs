//! How much a loop does between two looks around: `iter::plumbing::chunk_len`.

use super::clock::Time;

/// The longest chunk before the first look at the clock, in items.
const UNTIMED: usize = 1024;
/// A chunk that took less may be followed by a longer one.
const SHORT: Time = 4_000;
/// A chunk that took more is followed by a shorter one.
const LONG: Time = 16_000;
/// No more than this is left of a small loop.
const SMALL_LOOP: usize = 1024;

/// How long chunks are.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLen {
    /// The next one, in items.
    pub items: usize,
    /// As much as this may be done without an offer.
    pub hidden: usize,
    /// Another thread helps, so chunks are measured.
    pub is_helped: bool,
}

impl ChunkLen {
    /// Of a loop that no thread has helped with yet.
    pub fn new(len: usize) -> Self {
        ChunkLen {
            items: 1,
            hidden: len.div_ceil(16).clamp(1, UNTIMED / 4),
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

    pub fn is_timed(&self) -> bool {
        self.is_helped || self.items >= UNTIMED
    }

    /// A chunk is over that was not measured.
    pub fn learn_nothing(&mut self) {
        self.items = self.items.saturating_mul(8);
        self.hidden = self.hidden.max(9);
    }

    /// A chunk of a loop that no thread helps is over, and took this long.
    pub fn learn_since(&mut self, took: Time) {
        if took < SHORT {
            self.items = self.items.saturating_mul(2);
        } else if took > LONG {
            self.items = (self.items / 2).max(1);
        }
    }

    /// The same for a shared loop.
    pub fn learn(&mut self, took: Time) {
        if took < SHORT / 2 {
            let factor = (SHORT / took.max(1)).clamp(2, 8);
            self.items = self.items.saturating_mul(factor as usize);
        } else if took > 2 * SHORT {
            let factor = (took / SHORT).clamp(2, 8);
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
