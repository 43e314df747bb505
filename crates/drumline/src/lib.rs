//! Drumline: a parallel runtime.
//!
//! One pool of threads serves fork/join ([`join()`]) and spawned tasks. Making
//! code parallel costs about a nanosecond per fork; an idle pool costs nothing.
#![warn(missing_docs)]

#[cfg(doctest)]
mod compile_fail;
mod job;
#[cfg(not(loom))]
mod jobs;
#[cfg(not(loom))]
mod join;
#[cfg(not(loom))]
mod platform;
mod pool;
mod sync;
mod unwind;
mod wait;

#[cfg(not(loom))]
pub use crate::{
    jobs::{Jobs, ParseJobsError},
    join::{FnContext, join, join_context},
    pool::{
        BuildError, IntoJobs, Pool, PoolBuilder, ShutdownError, ThreadBuilder, Warning,
        current_jobs, worker_index,
    },
};
