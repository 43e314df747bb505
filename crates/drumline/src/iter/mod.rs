//! Parallel iterators.

mod cancel;
mod convert;
mod each;
mod filter;
mod fixed;
mod for_each;
mod gather;
mod indexed;
mod limit;
mod map;
mod parallel;
pub mod plumbing;
mod progress;
mod reduce;
mod stage;
mod sum;
mod worker_state;

pub use {
    cancel::{CancelOn, CancellationToken},
    convert::{
        FromParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
        IntoParallelRefMutIterator, ParallelDrainFull, ParallelDrainRange, ParallelExtend,
    },
    filter::Filter,
    indexed::IndexedParallelIterator,
    limit::WithJobs,
    map::Map,
    parallel::ParallelIterator,
    progress::{Progress, WithProgress},
    worker_state::MapWorker,
};
