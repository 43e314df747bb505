//! Loops that are split in advance: those that cannot resume, that ask for short parts, or have a limit.

use super::drive::Part;
use super::items::Items;
use super::pace::{Pace, SPLITS};
use super::plant::planted;
use super::{Consumer, Folder, Reducer};
use crate::iter::limit::Limit;
use crate::join::{self, Fate};

/// A loop that is split in advance.
pub(super) fn split_in_advance<I, C>(part: Part<I, C>, min: usize, max: usize) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let halving = Halving {
        min,
        max,
        limit: None,
    };
    join::within(move || eager(part, halving, SPLITS))
}

/// A loop for which there is a limit: an eager one, which asks for a permit wherever it forks.
#[cold]
#[inline(never)]
pub(super) fn limited<I, C>(part: Part<I, C>, min: usize, max: usize) -> C::Result
where
    I: Items,
    C: Consumer<I::Item>,
{
    let limit = Limit::of_next_loop();
    let halving = Halving {
        min,
        max,
        limit: limit.as_deref(),
    };
    join::within(move || eager(part, halving, SPLITS))
}

/// What an eager loop goes by.
#[derive(Clone, Copy)]
struct Halving<'l> {
    min: usize,
    max: usize,
    limit: Option<&'l Limit>,
}

/// Halves `part` until it was halved `splits` times, and goes through what is left.
fn eager<I, C>(part: Part<I, C>, halving: Halving<'_>, splits: u32) -> C::Result
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
    let (first, second, reducer) = match part.halve(&Pace::unknown(), false) {
        Ok(halves) => halves,
        Err(part) => return part.fold_apart(None).complete(),
    };
    let splits = splits.saturating_sub(1);
    let limit = halving.limit;
    if limit.is_some_and(|limit| !limit.acquire()) {
        let left = eager(first, halving, splits);
        return reducer.reduce(left, eager(second, halving, splits));
    }
    let (left, fate) = join::offer_calmly(
        second,
        move |_| eager(first, halving, splits),
        move |mut second| {
            let _permit = limit.map(Limit::hold);
            second.items.arrive();
            eager(second, halving, SPLITS)
        },
    );
    match fate {
        Fate::Back(second) => {
            if let Some(limit) = limit {
                limit.release();
            }
            reducer.reduce(left, eager(second, halving, splits))
        }
        Fate::Done(right) if planted!(EagerSwapped) => reducer.reduce(right, left),
        Fate::Done(right) => reducer.reduce(left, right),
    }
}
