//! Parallel iterators.

mod convert;
mod each;
pub(crate) mod fields;
mod filter;
mod for_each;
mod gather;
mod indexed;
mod map;
mod parallel;
pub mod plumbing;
mod reduce;
pub(crate) mod source;
mod stage;
mod sum;

pub use {
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    filter::Filter,
    indexed::IndexedParallelIterator,
    map::Map,
    parallel::ParallelIterator,
};
