//! How many items a consumer takes at once.
//!
//! Enough that the hand-over costs next to nothing beside the items, and no more than that: what
//! lies in the hands of one consumer no other can take. So a batch is made to take some [`AIM`], by
//! what the items took lately; one that took longer than the others counts for a while. Items that
//! take longer than that are taken one by one.
//!
//! A hand-over is a few steps under locks that all consumers of the stage share. So the time for
//! which they are held, with all consumers at work, must be less than a batch takes: a batch takes
//! [`PER_CONSUMER`] for each of them if that is more.

use std::num::NonZero;
use std::time::Duration;

/// How long a batch should take.
const AIM: Duration = Duration::from_micros(20);

/// How long a batch should take at least for each consumer at work: some times what a hand-over
/// takes, whose locks come from other processors, as a rule.
const PER_CONSUMER: Duration = Duration::from_nanos(2_500);

/// The batch size of one consumer.
#[derive(Clone, Debug)]
pub(super) struct BatchSize {
    /// Always this many.
    fixed: Option<usize>,
    limit: usize,
    next: usize,
    /// What an item takes, in nanoseconds; unknown before the first.
    each: Option<u64>,
    /// What the quickest ones took lately.
    least: u64,
    /// How long it took to take the last batch from the source.
    pull: Duration,
}

impl BatchSize {
    /// Adapts itself, up to `limit`.
    pub(super) fn adaptive(limit: NonZero<usize>) -> Self {
        BatchSize {
            fixed: None,
            limit: limit.get(),
            next: 1,
            each: None,
            least: u64::MAX,
            pull: Duration::ZERO,
        }
    }

    pub(super) fn fixed(size: NonZero<usize>) -> Self {
        BatchSize {
            fixed: Some(size.get()),
            limit: size.get(),
            next: size.get(),
            each: None,
            least: u64::MAX,
            pull: Duration::ZERO,
        }
    }

    /// Whether it never changes.
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed.is_some()
    }

    /// How many to take now.
    pub(super) fn items(&self) -> usize {
        self.fixed.unwrap_or(self.next)
    }

    /// Whether a batch of this many items is going to take longer than `time`. Also `true` while
    /// that is unknown.
    pub(super) fn may_exceed(&self, items: usize, time: Duration) -> bool {
        self.each.is_none() || self.takes(items) >= time
    }

    /// The time that this many items are going to take, by the times of the last ones.
    pub(super) fn takes(&self, items: usize) -> Duration {
        Duration::from_nanos(self.each.unwrap_or(0).saturating_mul(items as u64))
    }

    /// Whether batches are taken from the source in less than this.
    pub(super) fn pulls_in(&self, time: Duration) -> bool {
        self.pull < time
    }

    /// The time that this many items should take, by the quickest ones lately.
    pub(super) fn takes_at_least(&self, items: usize) -> Duration {
        Duration::from_nanos(self.least.saturating_mul(items as u64))
    }

    /// A batch was taken from the source in one time and worked on in another. If the thread has
    /// `lost` its processor meanwhile, that may be why it took this long: the estimate is at most
    /// doubled. About as many consumers as are `busy` share the source.
    pub(super) fn took(
        &mut self,
        items: usize,
        pull: Duration,
        work: Duration,
        lost: bool,
        busy: usize,
    ) {
        if items == 0 {
            return;
        }
        self.pull = pull;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let mut now = nanoseconds(pull.max(work)) / items as u64;
        let lately = self.each.unwrap_or(0);
        self.least = now.min(self.least.saturating_add(self.least / 16 + 1));
        if lost && lately > 0 {
            now = now.min(lately.saturating_mul(2));
        }
        let each = now.max(lately - lately / 4);
        self.each = Some(each);
        let busy = u64::try_from(busy).unwrap_or(u64::MAX);
        let shared = nanoseconds(PER_CONSUMER).saturating_mul(busy);
        let aim = nanoseconds(AIM).max(shared) / each.max(1);
        let aim = usize::try_from(aim).unwrap_or(usize::MAX);
        // At most twice as many as have been tried, now or before.
        let tried = items.max(self.next / 2);
        self.next = aim.min(tried.saturating_mul(2)).clamp(1, self.limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHY: Duration = Duration::from_micros(250);
    const LIMIT: NonZero<usize> = NonZero::new(1024).unwrap();

    fn after(batch_size: &mut BatchSize, batches: usize, each: Duration) -> usize {
        for _ in 0..batches {
            let items = batch_size.items();
            let work = each * u32::try_from(items).unwrap();
            batch_size.took(items, Duration::ZERO, work, false, 1);
        }
        batch_size.items()
    }

    #[test]
    fn short_items_come_in_batches_that_take_a_while() {
        let mut batch_size = BatchSize::adaptive(LIMIT);
        assert_eq!(batch_size.items(), 1);
        assert_eq!(after(&mut batch_size, 20, Duration::from_nanos(50)), 400);
        assert_eq!(after(&mut batch_size, 20, Duration::ZERO), 1024);
    }

    #[test]
    fn long_items_come_one_by_one() {
        let mut batch_size = BatchSize::adaptive(LIMIT);
        assert!(batch_size.may_exceed(1, LENGTHY), "that is not known yet");
        assert_eq!(after(&mut batch_size, 20, Duration::from_nanos(50)), 400);
        assert!(!batch_size.may_exceed(400, LENGTHY));
        // One slow batch is enough.
        assert_eq!(after(&mut batch_size, 1, Duration::from_millis(1)), 1);
        assert!(batch_size.may_exceed(1, LENGTHY));
        // The way back is slower.
        assert_eq!(after(&mut batch_size, 5, Duration::from_nanos(50)), 1);
        assert_eq!(after(&mut batch_size, 60, Duration::from_nanos(50)), 400);
    }

    #[test]
    fn batches_grow_with_the_consumers() {
        let each = Duration::from_micros(20);
        for (busy, expected) in [(1, 1), (8, 1), (64, 8)] {
            let mut batch_size = BatchSize::adaptive(LIMIT);
            for _ in 0..20 {
                let items = batch_size.items();
                let work = each * u32::try_from(items).unwrap();
                batch_size.took(items, Duration::ZERO, work, false, busy);
            }
            assert_eq!(batch_size.items(), expected);
        }
    }

    #[test]
    fn a_slow_source_is_not_drained_in_batches() {
        let mut batch_size = BatchSize::adaptive(LIMIT);
        for _ in 0..20 {
            let items = batch_size.items();
            let pull = Duration::from_micros(30) * u32::try_from(items).unwrap();
            batch_size.took(items, pull, Duration::ZERO, false, 1);
        }
        assert_eq!(batch_size.items(), 1);
    }

    #[test]
    fn a_fixed_batch_stays() {
        let mut batch_size = BatchSize::fixed(NonZero::new(7).unwrap());
        assert_eq!(after(&mut batch_size, 20, Duration::from_secs(1)), 7);
    }
}
