//! What a runtime has to offer to share items among virtual cores.
//!
//! As with streams, there is one method per way of sharing, in which each library's own calls stand
//! as its users would write them. A runtime names those that it has.

use std::sync::Arc;

use anyhow::Result;

use crate::runtime::RuntimeCard;
use crate::sleepers::Sleepers;

/// A way of sharing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// [`VirtualRuntime::each`], [`nested`](VirtualRuntime::nested),
    /// [`join`](VirtualRuntime::join) and [`scope`](VirtualRuntime::scope).
    Share,
    /// [`VirtualRuntime::stream`].
    Stream,
    /// [`VirtualRuntime::spawn`].
    Spawn,
    /// [`VirtualRuntime::bridge`].
    Bridge,
}

/// A runtime that shares items.
pub trait VirtualRuntime: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What it does.
    const CALLS: &'static [Call];

    /// Whether no more items run at once than there are jobs. Where more do, the answer is wrong.
    const KEEPS_JOBS: bool;

    /// Makes a pool.
    fn start(jobs: usize) -> Result<Self>;

    /// Runs `call` inside the pool, where the runtime has such a place.
    fn enter<R: Send>(&self, _call: impl FnOnce() -> R + Send) -> R {
        unreachable!("this runtime lacks it")
    }

    /// A loop over all items; called inside the pool, like the next three.
    fn each(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A loop whose body is a loop over `inner` items.
    fn nested(&self, _items: &Arc<Sleepers>, _inner: usize) {
        unreachable!("this runtime lacks it")
    }

    /// A binary tree of joins with the items as its leaves.
    fn join(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A scope in which each item is spawned.
    fn scope(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// A stream of all items, from a source that always has one; called from outside of the pool.
    fn stream(&self, _items: &Arc<Sleepers>) {
        unreachable!("this runtime lacks it")
    }

    /// Queues a task from outside of the pool, and does not wait for it.
    fn spawn(&self, _task: impl FnOnce() + Send + 'static) {
        unreachable!("this runtime lacks it")
    }

    /// Runs `item` with each number that a sequential iterator gives; called from outside of the
    /// pool.
    fn bridge(
        &self,
        _numbers: impl Iterator<Item = u64> + Send,
        _item: impl Fn(u64) + Send + Sync,
    ) {
        unreachable!("this runtime lacks it")
    }
}
