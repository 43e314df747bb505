//! Drumline: a parallel runtime.
//!
//! One pool of threads serves fork/join ([`join()`]) and spawned tasks. Making
//! code parallel costs about a nanosecond per fork; an idle pool costs nothing.
#![warn(missing_docs)]
#![cfg_attr(
    any(loom, shuttle),
    allow(
        dead_code,
        unused_imports,
        reason = "the models use a part of the crate"
    )
)]

#[cfg(not(loom))]
mod broadcast;
#[cfg(doctest)]
mod compile_fail;
mod job;
#[cfg(not(loom))]
mod jobs;
#[cfg(not(loom))]
mod join;
mod latch;
#[cfg(not(loom))]
mod platform;
mod pool;
#[cfg(not(loom))]
mod scope;
#[cfg(not(loom))]
mod spawn;
mod sync;
mod unwind;
mod wait;

#[cfg(not(loom))]
pub use crate::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    jobs::{Jobs, ParseJobsError},
    join::{FnContext, join, join_context},
    pool::{
        BuildError, IntoJobs, Pool, PoolBuilder, ShutdownError, ThreadBuilder, Warning, Yield,
        current_jobs, worker_index, yield_local, yield_now,
    },
    scope::{Scope, ScopeFifo, in_place_scope, in_place_scope_fifo, scope, scope_fifo},
    spawn::{JoinHandle, spawn, spawn_fifo},
};
