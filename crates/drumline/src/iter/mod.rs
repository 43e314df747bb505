//! Parallel iterators.

mod convert;
mod each;
mod empty;

pub(crate) mod fields;
mod filter;
mod for_each;
mod from_par_fn;
mod gather;
mod indexed;
mod map;
mod once;
mod par_bridge;
mod parallel;
pub mod plumbing;
mod reduce;
mod repeat;
pub(crate) mod source;
mod splitter;
mod stage;
mod sum;
mod walk_tree;

pub use {
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    empty::{Empty, empty},
    filter::Filter,
    from_par_fn::{FromParFn, from_par_fn},
    indexed::IndexedParallelIterator,
    map::Map,
    once::{Once, once},
    par_bridge::{IterBridge, ParallelBridge},
    parallel::ParallelIterator,
    repeat::{Repeat, RepeatN, repeat, repeat_n},
    splitter::{Split, split},
    walk_tree::{
        WalkTree, WalkTreePostfix, WalkTreePrefix, walk_tree, walk_tree_postfix, walk_tree_prefix,
    },
};

#[expect(deprecated, reason = "it is the old name")]
pub use repeat::repeatn;
