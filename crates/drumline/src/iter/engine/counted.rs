//! Items of a known number, and where they are cut.

use super::chunk_len::ALIGNED;
use super::chunk_len::ChunkLen;
use super::items::{Items, halfway};
use super::plant::planted;
use crate::iter::plumbing::{Folder, Producer};

/// As [`ALIGNED`], for shorter parts.
const HALF_ALIGNED: usize = 8;

/// Fewer items are cut in two halves, aligned or not.
const UNALIGNED: usize = 32;

/// The items of a producer.
pub(super) struct Counted<P> {
    producer: P,
    len: usize,
    /// Which one of the loop is the first.
    start: usize,
}

impl<P> Counted<P> {
    pub(super) fn new(producer: P, len: usize) -> Self {
        let start = 0;
        Counted {
            producer,
            len,
            start,
        }
    }
}

/// By how many items a part that began at `at` would not be aligned, if the first item is the one
/// at `start` of the loop.
#[inline(always)]
fn excess(start: usize, at: usize) -> (usize, usize) {
    let unit = if at >= 2 * ALIGNED {
        ALIGNED
    } else {
        HALF_ALIGNED
    };
    (start.wrapping_add(at) & (unit - 1), unit)
}

/// Where to split instead of at `at`, so that the second part is aligned: a little before, but not
/// before `min`. The first item is the one at `start` of the loop.
#[inline(always)]
pub(super) fn aligned(start: usize, at: usize, min: usize) -> usize {
    let (excess, _) = excess(start, at);
    match at.checked_sub(excess) {
        Some(aligned) if aligned >= min => aligned,
        _ => at,
    }
}

impl<P: Producer> Items for Counted<P> {
    type Item = P::Item;
    const COUNTED: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn split(mut self, at: usize) -> (Self, Self) {
        let (producer, mut rest) = self.producer.split_at(at);
        if planted!(SplitSkipsOne) && at + 1 < self.len {
            rest = rest.split_at(1).1;
            self.len -= 1;
        }
        let first = Counted {
            producer,
            len: at,
            ..self
        };
        let second = Counted {
            producer: rest,
            len: self.len - at,
            start: self.start + at,
        };
        (first, second)
    }

    #[inline(always)]
    fn middle(&self, chunk_len: &ChunkLen, is_late: bool) -> usize {
        let at = halfway(self.len, is_late, chunk_len.min);
        let (excess, unit) = excess(self.start, at);
        // A little behind: what is offered is no more for that.
        let aligned = at + ((unit - excess) & (unit - 1));
        let fits = aligned.saturating_add(chunk_len.min) <= self.len;
        if at > 0 && self.len >= UNALIGNED && fits {
            aligned
        } else {
            at
        }
    }

    #[inline(always)]
    fn chunk(&self, chunk_len: &ChunkLen) -> usize {
        aligned(self.start, chunk_len.items, chunk_len.min)
    }

    #[inline(always)]
    fn at_most(&self, count: usize) -> bool {
        self.len <= count
    }

    fn left(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn start(&self) -> Option<usize> {
        Some(self.start)
    }

    #[inline(always)]
    fn fold_chunk<F>(self, chunk_len: &mut ChunkLen, folder: F) -> (F, Self)
    where
        F: Folder<P::Item>,
    {
        let at = self.chunk(chunk_len);
        let (chunk, rest) = self.split(at);
        (chunk.producer.fold_with(folder), rest)
    }

    #[inline(always)]
    fn fold_all<F>(self, folder: F) -> F
    where
        F: Folder<P::Item>,
    {
        self.producer.fold_with(folder)
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::*;

    /// Numbers up to this one.
    struct Upto(usize);

    impl Producer for Upto {
        type Item = usize;
        type IntoIter = std::ops::Range<usize>;

        fn into_iter(self) -> Self::IntoIter {
            0..self.0
        }

        fn split_at(self, index: usize) -> (Self, Self) {
            (Upto(index), Upto(self.0 - index))
        }
    }

    /// Wherever a part is cut, the second part begins at a multiple of 8, and of 64 if the first is
    /// long; no part is shorter than the minimum, and no item is lost.
    #[test]
    fn parts_begin_aligned() {
        for min in [1, 2, 5, 100] {
            for first in [1, 2, 7, 8, 63, 100] {
                for items in [1, 7, 8, 30, 64, 127, 128, 500, 4000] {
                    let case = format!("min {min}, first {first}, chunk {items}");
                    let all = Counted::new(Upto(10_000), 10_000);
                    let (_, rest) = all.split(first);
                    let chunk_len = ChunkLen {
                        items: items.max(min),
                        ..ChunkLen::helped(min)
                    };
                    let (chunk, mut rest) = (rest.chunk(&chunk_len), rest);
                    assert!((min..=chunk_len.items).contains(&chunk), "{case}");
                    rest = rest.split(chunk).1;
                    let is_long = min == 1 && items >= HALF_ALIGNED;
                    assert!(!is_long || rest.start % HALF_ALIGNED == 0, "{case}");
                    let is_long = min == 1 && items >= 2 * ALIGNED;
                    assert!(!is_long || rest.start % ALIGNED == 0, "{case}");
                    for is_late in [false, true] {
                        let at = rest.middle(&chunk_len, is_late);
                        assert!(at >= min && at + min <= rest.len, "{case}");
                        assert_eq!((rest.start + at) % ALIGNED, 0, "{case}");
                    }
                    let len = rest.len;
                    let at = aligned(rest.start, len / 2, min);
                    let (stays, goes) = rest.split(at);
                    assert!(stays.len == at && at >= min, "{case}");
                    assert_eq!((at + goes.len, goes.start % ALIGNED), (len, 0), "{case}");
                }
            }
        }
    }
}
