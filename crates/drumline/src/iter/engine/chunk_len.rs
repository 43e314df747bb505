//! How much a loop does between two looks around.
//!
//! # Rejected
//!
//! * Chunks of 1, 8, 64 and 512 items without a look at the time: 24 ms of an inner loop of 64
//!   items were hidden, and `vc-nested` took twice its ideal.
//! * A look at the time in each loop: 11 ns of the 43 that 100 items take. So loops are measured,
//!   and [believed](super::estimates) for a while.
//! * Chunks of twice the length of the one before, unmeasured: 16 ms were hidden.
//! * To offer half of what came back, rather than a quarter: two offers more for each loop.

use super::estimates::{Begun, SPAN};
use crate::sync::Ticks;

/// How often an eager loop halves its items before a thread goes through them.
pub(super) const SPLITS: u32 = 6;

/// What can be split more often than this is taken for what can be split for ever: some producers
/// give a share to every caller that asks.
const DEEPEST: u32 = 4096;

/// This many offers may stand at once before the first chunk of items of which each can be of any
/// size.
const NESTED: u32 = 16;

/// The most items that are left unoffered at the end of a loop.
const HIDDEN: usize = 256;

/// As many items are left unoffered at the end of a loop with short ones: an offer costs as much as
/// a hundred additions.
const SHORT: usize = 9;

/// Fewer items, after the first one, are all offered one by one: as few may be large ones.
const FEW: usize = 4;

/// Parts begin at multiples of this number of items, if they are long enough. Vector code of a part
/// that begins elsewhere may take a quarter longer, as every few of its loads cross a line of
/// memory.
pub(super) const ALIGNED: usize = 64;

/// A loop of which more items are left after the first one goes to the next aligned one: what comes
/// after that is faster.
const ALIGNED_FIRST: usize = 512;

/// How long a chunk should take, in nanoseconds: a thread that asks for items waits for its end. It
/// may take half as long, or twice.
const TARGET: u64 = SPAN;

/// The same where this is little in comparison with what is left: at the end of a chunk the caches
/// and the predictions of branches are worth less, most of all in memory that is new.
const LONG_TARGET: u64 = 8_000;

/// A long chunk needs this many chunks left of the loop.
const LONG: usize = 512;

/// The same in a shared loop. Other threads need not wait for it, but each takes a lock.
const SHARED_TARGET: u64 = 4_000;

/// By which factor a chunk may differ from the one before. Not by more: a short item, often the
/// first one, says little of those that follow.
const GROWTH: u64 = 4;

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
    /// While there is nothing to count: what has been split this often is gone through as a whole.
    pub(super) whole: u32,
    /// How often that had been split which the last chunk went through.
    pub(super) depth: u32,
    /// This many offers more may stand at once.
    pub(super) nested: u32,
}

impl ChunkLen {
    /// The chunk length of a loop with which no thread has helped yet.
    #[inline(always)]
    pub(super) fn new(min: usize) -> Self {
        ChunkLen {
            items: min,
            hidden: min.saturating_mul(2) - 1,
            min,
            is_helped: false,
            is_measured: false,
            next: None,
            whole: DEEPEST,
            depth: 0,
            nested: NESTED,
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
        }
    }

    /// The first chunk of a loop is over, and `len` items are left. In a pool that `is_alone`, with
    /// one job, no other thread would come for them.
    #[inline(always)]
    pub(super) fn learn_first(&mut self, begun: &Begun, len: usize, is_alone: bool) {
        self.hidden = self.hidden.max((len / 16).min(HIDDEN));
        let items = match begun.believed {
            Ok(items) => (items as usize).max(self.min),
            Err(start) => {
                self.learn_unhelped(start, len);
                return;
            }
        };
        if !begun.is_last() {
            return;
        }
        // What is not longer than a chunk is over before a thread comes to help.
        let is_short = len <= items;
        if len > ALIGNED_FIRST {
            self.items = ALIGNED.max(self.min);
            let next = if is_short { items } else { items / 8 };
            self.next = Some(next.max(self.min));
        } else {
            self.items = items;
        }
        let hidden = if is_alone && is_short {
            // All, unless it is to be aligned.
            if len > ALIGNED_FIRST { len / 2 } else { len }
        } else if len >= FEW {
            // Not more than half: the first half may turn out to be long.
            SHORT.min(len.div_ceil(2))
        } else {
            0
        };
        self.hidden = self.hidden.max(hidden);
    }

    /// As [`learn`](Self::learn), in a loop with which no thread has helped yet.
    #[inline(never)]
    pub(super) fn learn_unhelped(&mut self, start: Ticks, left: usize) -> Ticks {
        let now = self.learn(start, left);
        self.is_measured = true;
        // The first item is often a long one, so what is hidden may grow again with the chunks.
        let hidden = (left / 16)
            .min(HIDDEN)
            .min(self.items.saturating_mul(2) - 1);
        self.hidden = self.hidden.max(hidden);
        now
    }

    /// A chunk is over that began at `start`, and about `left` items are left; 0 if they are not
    /// counted. Returns when that was.
    pub(super) fn learn(&mut self, start: Ticks, left: usize) -> Ticks {
        let now = Ticks::now();
        self.adapt(now.nanos_since(start), self.target(left));
        now
    }

    /// As [`learn`](Self::learn), in a shared loop.
    pub(super) fn learn_shared(&mut self, start: Ticks) -> Ticks {
        let now = Ticks::now();
        self.adapt(now.nanos_since(start), SHARED_TARGET);
        now
    }

    /// How long a chunk should take when `left` items are left, in nanoseconds.
    fn target(&self, left: usize) -> u64 {
        if left / LONG > self.items {
            LONG_TARGET
        } else {
            TARGET
        }
    }

    fn adapt(&mut self, took: u64, target: u64) {
        if took < target / 2 {
            let factor = (target / took.max(1)).clamp(2, GROWTH);
            self.items = self.items.saturating_mul(factor as usize);
            self.whole = self.whole.min(self.depth).saturating_sub(1).max(SPLITS);
            return;
        }
        if took > target * 2 {
            let factor = (took / target).min(GROWTH);
            self.items = (self.items / factor as usize).max(self.min);
            self.whole = self.whole.max(self.depth + 1).min(DEEPEST);
        }
        // What the end of the loop hides is a number of items, and these are not short: it is to be
        // less than two chunks.
        self.hidden = self.hidden.min(self.items.saturating_mul(2) - 1);
    }

    /// Goes on elsewhere in the loop, where items may be longer.
    ///
    /// What has been split this often may be of any size there: the splits of a part that has come
    /// from another thread are counted anew. So nothing is known of it.
    pub(super) fn begin_anew(&mut self) {
        self.items = (self.items / 8).max(self.min);
        self.whole = DEEPEST;
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::super::estimates::Site;
    use super::*;

    /// The chunk length of a loop that was measured, when its first item is over and `len` are
    /// left.
    fn after_first(len: usize, is_alone: bool) -> ChunkLen {
        let site = Site::new(after_first as *const ());
        site.note(1_000_000, 1_000_000);
        let mut chunk_len = ChunkLen::new(1);
        chunk_len.learn_first(&site.begin(len + 1), len, is_alone);
        assert!(chunk_len.items > 1);
        chunk_len
    }

    /// Where another thread may come, half of what follows the first item is on offer, however
    /// short the items were the last time; a few are offered one by one.
    #[test]
    fn at_most_half_of_a_short_loop_is_hidden() {
        for len in 1..FEW {
            assert_eq!(after_first(len, false).hidden, 1);
        }
        for len in FEW..10_000 {
            let hidden = after_first(len, false).hidden;
            assert!(hidden <= len.div_ceil(2), "{hidden} of {len}");
            assert!(
                hidden <= SHORT.max(len / 16).min(HIDDEN),
                "{hidden} of {len}"
            );
        }
    }

    #[test]
    fn alone_a_short_loop_is_not_offered() {
        let cases = [(1, 1), (512, 512), (513, 256), (2000, 1000), (2001, 125)];
        for (len, hidden) in cases {
            assert_eq!(after_first(len, true).hidden, hidden, "{len}");
        }
    }

    /// The end of a loop is in short chunks, and so is one of few items.
    #[test]
    fn chunks_are_long_where_much_is_left() {
        let mut chunk_len = ChunkLen::new(1);
        chunk_len.items = 100;
        assert_eq!(chunk_len.target(0), TARGET);
        assert_eq!(chunk_len.target(100 * LONG), TARGET);
        assert_eq!(chunk_len.target(101 * LONG), LONG_TARGET);
        // From a long one, as the end comes near.
        let mut left = 10_000_000;
        let mut chunks = 0;
        while left > chunk_len.items {
            left -= chunk_len.items;
            // One nanosecond each.
            chunk_len.adapt(chunk_len.items as u64, chunk_len.target(left));
            assert!(chunk_len.items as u64 <= GROWTH * LONG_TARGET);
            chunks += 1;
        }
        assert!((625..10_000).contains(&chunks), "{chunks}");
        assert!(chunk_len.items as u64 <= GROWTH * TARGET);
    }

    /// The end of one part says nothing of the size of another one that has been split as often.
    #[test]
    fn elsewhere_nothing_is_gone_through_as_a_whole() {
        let mut chunk_len = ChunkLen::unknown();
        // A single item, three splits after this thread took what it is of.
        chunk_len.depth = 3;
        chunk_len.adapt(1, SHARED_TARGET);
        assert_eq!(chunk_len.whole, SPLITS);
        chunk_len.begin_anew();
        assert_eq!(chunk_len.whole, DEEPEST);
    }

    /// The end of a loop is left without an offer only if that takes no longer than two chunks.
    #[test]
    fn long_items_are_all_on_offer() {
        for (nanos, hidden) in [(TARGET / 4, 62), (TARGET, 1), (100_000_000, 1)] {
            let mut chunk_len = ChunkLen::new(1);
            chunk_len.hidden = 62;
            chunk_len.adapt(nanos, TARGET);
            assert_eq!(chunk_len.hidden, hidden, "{nanos} ns");
        }
        // Ten items are a chunk.
        let mut chunk_len = ChunkLen::new(1);
        (chunk_len.items, chunk_len.hidden) = (10, HIDDEN);
        chunk_len.adapt(TARGET, TARGET);
        assert_eq!(chunk_len.hidden, 19);
        // As few as the program allows.
        let mut chunk_len = ChunkLen::new(100);
        chunk_len.hidden = HIDDEN;
        chunk_len.adapt(TARGET * 100, TARGET);
        assert_eq!(chunk_len.hidden, 199);
    }

    /// However short the first item was, it says little of the next ones.
    #[test]
    fn chunks_grow_slowly() {
        let site = Site::new(chunks_grow_slowly as *const ());
        // Of many, one during which the thread stayed where it was: else the item seems to be long.
        let is_short = || {
            let mut chunk_len = ChunkLen::new(1);
            chunk_len.learn_first(&site.begin(100), 99, false);
            assert!(chunk_len.items <= 4);
            chunk_len.hidden == 99 / 16
        };
        assert!((0..1_000).any(|_| is_short()));
    }
}
