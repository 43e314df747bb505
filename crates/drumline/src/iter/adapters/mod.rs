//! Parallel iterators that are made of others: a method of
//! [`ParallelIterator`](super::ParallelIterator) or
//! [`IndexedParallelIterator`](super::IndexedParallelIterator) makes each of them.
//!
//! Most do something with one item at a time. These are [item operations](super::item_op), of which
//! [`map_op`](super::map_op) keeps the number of items; [`bridged`] is what the indexed ones have
//! in common.

pub(in crate::iter) mod blocks;
pub(in crate::iter) mod both;
pub(in crate::iter) mod cancel;
pub(in crate::iter) mod chain;
pub(in crate::iter) mod chunks;
pub(in crate::iter) mod cloned;
pub(in crate::iter) mod enumerate;
pub(in crate::iter) mod filter;
pub(in crate::iter) mod flat_map;
pub(in crate::iter) mod flat_map_iter;
pub(in crate::iter) mod fold;
pub(in crate::iter) mod fold_chunks;
pub(in crate::iter) mod inspect;
pub(in crate::iter) mod interleave;
pub(in crate::iter) mod intersperse;
pub(in crate::iter) mod map;
pub(in crate::iter) mod panic_fuse;
pub(in crate::iter) mod part_len;
pub(in crate::iter) mod positions;
pub(in crate::iter) mod progress;
pub(in crate::iter) mod rev;
pub(in crate::iter) mod spaced;
pub(in crate::iter) mod start;
pub(in crate::iter) mod step_by;
pub(in crate::iter) mod take_any;
pub(in crate::iter) mod take_any_while;
pub(in crate::iter) mod take_skip;
pub(in crate::iter) mod try_fold;
pub(in crate::iter) mod until;
pub(in crate::iter) mod with_jobs;
pub(in crate::iter) mod worker_state;
pub(in crate::iter) mod wrapping;
pub(in crate::iter) mod zip;
