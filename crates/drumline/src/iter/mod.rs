//! Parallel iterators.

mod collect;
mod convert;
mod each;
mod either;
mod filter;
mod for_each;
mod gather;
mod indexed;
mod map;
mod parallel;
pub mod plumbing;
mod reduce;
mod stage;
mod sum;

pub use {
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    either::Either,
    filter::Filter,
    indexed::IndexedParallelIterator,
    map::Map,
    parallel::ParallelIterator,
};
