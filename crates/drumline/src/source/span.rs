//! What a range of indices comes to.

use std::ops::{Bound, Range, RangeBounds};

/// The range of indices that `range` stands for in `len` items.
///
/// # Panics
///
/// If it is none.
pub(super) fn span<R>(range: &R, len: usize) -> Range<usize>
where
    R: RangeBounds<usize>,
{
    let after = |index: usize| {
        index
            .checked_add(1)
            .expect("an index is at most `usize::MAX`")
    };
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&before) => after(before),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&last) => after(last),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => len,
    };
    assert!(
        start <= end,
        "a range begins at {start}, behind its end at {end}"
    );
    assert!(end <= len, "a range ends at {end}, of {len} items");
    start..end
}
