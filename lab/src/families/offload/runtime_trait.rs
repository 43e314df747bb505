//! What a runtime has to be able to do.

use std::future::Future;

use ::tokio::runtime::Builder;
use anyhow::Result;

use crate::runtime::RuntimeCard;

/// A runtime that computes for asynchronous code.
pub trait OffloadRuntime: Sized + Sync + 'static {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes whatever computes, on at most `jobs` threads.
    fn start(jobs: usize) -> Result<Self>;

    /// What the runtime needs of the asynchronous side: by default nothing.
    fn configure(_builder: &mut Builder, _jobs: usize) {}

    /// Hands a request over and awaits its answer. Called in a task of the asynchronous side.
    fn offload(
        &'static self,
        request: impl FnOnce() -> u64 + Send + 'static,
    ) -> impl Future<Output = Result<u64>> + Send;
}
