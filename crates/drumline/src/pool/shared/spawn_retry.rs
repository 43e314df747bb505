//! Pools that wait for a thread that the system refused.
//!
//! Each process has its own list. A forked child must not ask again for the pools of its parent: a
//! thread that it gets for one would run the jobs that the parent runs. And the lock of the
//! parent's list may be held for ever in the child.

use super::registry::Registry;
use super::shared_registry::{Listed, SharedRegistry};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, PerProcess, lock, process_wide};

/// The pools that wait.
struct WaitingPools {
    pools: Mutex<Vec<Listed>>,
    /// How many there are. A thread that ends reads it without the lock.
    count: AtomicUsize,
}

process_wide! {
    static WAITING: PerProcess<WaitingPools> = PerProcess::new();
}

/// Those of this process.
fn waiting() -> &'static WaitingPools {
    WAITING.get(|| WaitingPools {
        pools: Mutex::new(Vec::new()),
        count: AtomicUsize::new(0),
    })
}

/// The system refused a thread to this pool.
pub(crate) fn add(registry: &Registry) {
    let waiting = waiting();
    let mut pools = lock(&waiting.pools);
    if !pools.iter().any(|pool| pool.is(registry)) {
        pools.push(Listed::new(registry));
    }
    waiting.count.store(pools.len(), Ordering::Release);
}

/// The memory of this registry is about to go.
pub(super) fn forget(registry: &Registry) {
    let waiting = waiting();
    // A thread that added it had a reference, and so has published that.
    if waiting.count.load(Ordering::Acquire) == 0 {
        return;
    }
    let mut pools = lock(&waiting.pools);
    pools.retain(|pool| !pool.is(registry));
    waiting.count.store(pools.len(), Ordering::Release);
}

/// A thread has ended: perhaps the system grants another one now.
pub(crate) fn retry() {
    let waiting = waiting();
    if waiting.count.load(Ordering::Acquire) == 0 {
        return;
    }
    // The last reference to one may go below, and that takes the lock.
    let pools: Vec<SharedRegistry> = {
        let mut pools = lock(&waiting.pools);
        // SAFETY: they are in the list, and its lock is held.
        let shared = pools
            .drain(..)
            .filter_map(|pool| unsafe { pool.try_share() })
            .collect();
        // Not before: a registry that the list does not have goes without the lock.
        waiting.count.store(0, Ordering::Release);
        shared
    };
    for pool in pools {
        pool.thread_requests().forgive();
        if pool.has_work() {
            pool.wake(pool.idle_set().summon());
        }
    }
}
