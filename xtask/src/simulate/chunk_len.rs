//! How much a loop does between two looks around: `iter::plumbing::chunk_len`.

use super::clock::Time;

/// The longest run before the first look at the clock, in items.
const UNTIMED: usize = 1024;
/// A run that took less may be followed by a longer one.
const SHORT: Time = 4_000;
/// A run that took more is followed by a shorter one.
const LONG: Time = 16_000;
/// No more than this is left of a brief loop.
const BRIEF: usize = 1024;

/// How long runs are.
#[derive(Clone, Copy, Debug)]
pub struct ChunkLen {
    /// The next one, in items.
    pub run: usize,
    /// As much as this may be done without an offer.
    pub hidden: usize,
    /// Another thread helps, so runs are measured.
    pub is_helped: bool,
}

impl ChunkLen {
    /// Of a loop that no thread has helped with yet.
    pub fn new(len: usize) -> Self {
        ChunkLen {
            run: 1,
            hidden: len.div_ceil(16).clamp(1, UNTIMED / 4),
            is_helped: false,
        }
    }

    /// Of a thread that helps, or is helped.
    pub fn helped(len: usize) -> Self {
        let share = (len / 64).max(1);
        ChunkLen {
            run: share.min(UNTIMED),
            hidden: share.min(UNTIMED / 4),
            is_helped: true,
        }
    }

    pub fn is_timed(&self) -> bool {
        self.is_helped || self.run >= UNTIMED
    }

    /// A run is over that was not measured.
    pub fn learn_nothing(&mut self) {
        self.run = self.run.saturating_mul(64);
    }

    /// A run is over that took this long.
    pub fn learn(&mut self, took: Time) {
        if took < SHORT {
            self.run = self.run.saturating_mul(2);
        } else if took > LONG {
            self.run = (self.run / 2).max(1);
        }
    }
}

/// Where to split this many items.
pub fn halfway(len: usize, is_late: bool) -> usize {
    let offered = if !is_late {
        len.div_ceil(2)
    } else if len < BRIEF {
        (len / 8).max(1)
    } else {
        len / 4
    };
    len.saturating_sub(offered)
}
