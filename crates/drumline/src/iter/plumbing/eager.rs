//! Loops that are split in advance: those that cannot resume, that ask for short parts, or have a limit.

use super::drive::Part;
use super::items::Items;
use super::pace::{Pace, SPLITS};
use super::{Consumer, Folder, Reducer};
use crate::iter::limit::Limit;
use crate::join;

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
        return part.fold();
    }
    let (first, second, reducer) = match part.halve(&Pace::unknown(), false) {
        Ok(halves) => halves,
        Err(part) => return part.fold(),
    };
    let splits = splits.saturating_sub(1);
    let (left, right) = fork(
        halving.limit,
        move || eager(first, halving, splits),
        move |migrated| {
            let mut second = second;
            if migrated {
                second.items.arrive();
            }
            eager(second, halving, if migrated { SPLITS } else { splits })
        },
    );
    reducer.reduce(left, right)
}

/// Runs `a` and `b`, at once if there is a permit; `b` is told whether it migrated.
fn fork<A, B, RA, RB>(limit: Option<&Limit>, a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    #[cfg(all(test, not(any(loom, shuttle))))]
    if join::forced::is_active() {
        return join::forced::fork(a, b);
    }
    let Some(limit) = limit else {
        return join::join_context(move |_| a(), move |context| b(context.migrated()));
    };
    if !limit.acquire() {
        return (a(), b(false));
    }
    join::join_context(
        move |_| a(),
        move |context| {
            let permit = limit.hold();
            if context.migrated() {
                return b(true);
            }
            drop(permit);
            b(false)
        },
    )
}
