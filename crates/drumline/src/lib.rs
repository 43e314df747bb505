//! Drumline: a parallel runtime.
//!
//! One pool of threads serves fork/join ([`join()`]) and spawned tasks. Making
//! code parallel costs about a nanosecond per fork; an idle pool costs nothing.
#![warn(missing_docs)]
#![cfg_attr(loom, allow(dead_code, reason = "the models use a part of the crate"))]

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
