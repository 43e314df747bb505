//! Loops that are split in advance: those that cannot resume, that ask for short parts, or have a limit.

use super::items::Items;
use super::pace::{Pace, SPLITS};
use super::part::Part;
use super::plant::planted;
use super::{Consumer, Folder, Reducer};
use crate::iter::limit::Limit;
use crate::join::{self, Fate, Watch};

/// What an eager loop goes by.
#[derive(Clone, Copy)]
pub(super) struct Halving<'l> {
    pub(super) min: usize,
    pub(super) max: usize,
    /// The loop asks it for a permit wherever it forks.
    pub(super) limit: Option<&'l Limit>,
}

impl Halving<'_> {
    /// Whether there is a permit for a half that is offered: it is held then.
    fn may_fork(&self) -> bool {
        self.limit.is_none_or(Limit::acquire)
    }

    /// Nobody took the half.
    fn stay(&self) {
        if let Some(limit) = self.limit {
            limit.release();
        }
    }
}

/// Halves `part` until it was halved `splits` times, and goes through what is left.
#[cold]
#[inline(never)]
pub(super) fn eager<I, C>(part: Part<I, C>, halving: Halving<'_>, splits: u32) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    if part.consumer.full() {
        return part.consumer.into_folder().complete();
    }
    let is_long = halving.max < usize::MAX && !part.items.at_most(halving.max);
    // Halves are not to be shorter than `min`, however short they should be otherwise.
    let is_short = part.items.at_most(halving.min.saturating_mul(2) - 1);
    if is_short || !is_long && splits == 0 {
        return part.fold_apart(None).complete();
    }
    let (first, second, reducer) = if I::COUNTED {
        let at = part.items.middle(&Pace::unknown(), false);
        part.split(at)
    } else {
        match part.halve(&Pace::unknown(), false) {
            Ok(halves) => halves,
            Err(part) => return part.fold_apart(None).complete(),
        }
    };
    let splits = splits.saturating_sub(1);
    let own = (first, halving, splits);
    let (left, fate) = if halving.may_fork() {
        let (left, fate) = join::offer_calmly(second, own, eager_first, move |second| {
            eager_elsewhere(second, halving)
        });
        if let Fate::Back(_) = fate {
            halving.stay();
        }
        (left, fate)
    } else {
        (eager(own.0, halving, splits), Fate::Back(second))
    };
    match fate {
        Fate::Back(second) => reducer.reduce(left, eager(second, halving, splits)),
        Fate::Done(right) if planted!(EagerSwapped) => reducer.reduce(right, left),
        Fate::Done(right) => reducer.reduce(left, right),
    }
}

/// The first half, on the thread that has split it off.
fn eager_first<I, C>(
    (first, halving, splits): (Part<I, C>, Halving<'_>, u32),
    _watch: Watch<'_>,
) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    eager(first, halving, splits)
}

/// The second half, on the thread that has taken it.
fn eager_elsewhere<I, C>(mut second: Part<I, C>, halving: Halving<'_>) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let _permit = halving.limit.map(Limit::hold);
    second.items.arrive();
    eager(second, halving, SPLITS)
}
