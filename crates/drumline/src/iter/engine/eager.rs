//! Loops that are split in advance: those that cannot resume, that ask for short parts, or have a
//! limit. Compiled once for all loops, see [`steps`](super::steps).

use super::chunk_len::{ChunkLen, SPLITS};
use super::helped::Fresh;
use super::loop_limit::LoopLimit;
use super::steps::{PartState, Split, Steps, split_for};
use crate::join::{self, SplitOutcome};

/// What an eager loop goes by.
#[derive(Clone, Copy)]
pub(super) struct Halving<'l> {
    pub(super) min: usize,
    pub(super) max: usize,
    /// The loop asks it for a permit wherever it forks.
    pub(super) limit: Option<&'l LoopLimit>,
}

impl Halving<'_> {
    /// Whether there is a permit for a half that is offered: it is held then.
    fn may_fork(&self) -> bool {
        self.limit.is_none_or(LoopLimit::acquire)
    }

    /// No thread took the half.
    fn stay(&self) {
        if let Some(limit) = self.limit {
            limit.release();
        }
    }
}

/// Halves `part` until it was halved `splits` times, and goes through what is left. It is closed
/// then.
pub(super) fn eager(part: &mut dyn Steps, halving: Halving<'_>, splits: u32) {
    let look = part.look();
    let is_long = halving.max < usize::MAX && !look.at_most(halving.max);
    // Halves are not to be shorter than `min`, however short they should be otherwise.
    let is_short = look.at_most(halving.min.saturating_mul(2) - 1);
    let is_last = is_short || !is_long && splits == 0;
    let unknown = ChunkLen::unknown();
    let split = if look.nests {
        Split::Halve(&unknown)
    } else {
        Split::At(look.left / 2)
    };
    let is_whole = part.state() == PartState::Full
        || is_last
        || !split_for(part, split, &mut |first, second| {
            both(first, second, halving, splits.saturating_sub(1));
        });
    if is_whole {
        part.fold();
        part.close();
    }
}

/// As [`eager`], for two halves, of which the second is on offer, if there is a permit.
fn both(first: &mut dyn Steps, second: &mut dyn Steps, halving: Halving<'_>, splits: u32) {
    if halving.may_fork() {
        let own = (first, halving, splits);
        let elsewhere = move |second: Fresh<'_>| {
            let _permit = halving.limit.map(LoopLimit::hold);
            second.elsewhere(&mut |second| eager(second, halving, SPLITS));
        };
        let ((), split) = join::publish_split(
            Fresh::new(&mut *second),
            own,
            |own, _| eager(own.0, own.1, own.2),
            elsewhere,
            // The first half is closed.
            |()| (),
        );
        match split {
            SplitOutcome::Taken(()) => return,
            SplitOutcome::NotTaken(_) => halving.stay(),
        }
    } else {
        eager(first, halving, splits);
    }
    eager(second, halving, splits);
}
