//! Pools that wait for a thread that the system refused.

use super::registry::Registry;
use super::shared_registry::{Listed, SharedRegistry};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, lock, process_wide};

process_wide! {
    static POOLS: Mutex<Vec<Listed>> = Mutex::new(Vec::new());
    /// How many there are. A thread that ends reads it without the lock.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
}

/// The system refused a thread to this pool.
pub(crate) fn add(registry: &Registry) {
    let mut pools = lock(&POOLS);
    if !pools.iter().any(|pool| pool.is(registry)) {
        pools.push(Listed::new(registry));
    }
    COUNT.store(pools.len(), Ordering::Release);
}

/// The memory of this registry is about to go.
pub(super) fn forget(registry: &Registry) {
    // A thread that added it had a reference, and so has published that.
    if COUNT.load(Ordering::Acquire) == 0 {
        return;
    }
    let mut pools = lock(&POOLS);
    pools.retain(|pool| !pool.is(registry));
    COUNT.store(pools.len(), Ordering::Release);
}

/// A thread has ended: perhaps the system grants another one now.
pub(crate) fn retry() {
    if COUNT.load(Ordering::Acquire) == 0 {
        return;
    }
    // The last reference to one may go below, and that takes the lock.
    let pools: Vec<SharedRegistry> = {
        let mut pools = lock(&POOLS);
        // SAFETY: they are in the list, and its lock is held.
        let shared = pools
            .drain(..)
            .filter_map(|pool| unsafe { pool.try_share() })
            .collect();
        // Not before: a registry that the list does not have goes without the lock.
        COUNT.store(0, Ordering::Release);
        shared
    };
    for pool in pools {
        pool.thread_requests().forgive();
        if pool.has_work() {
            pool.wake(pool.idle_set().summon());
        }
    }
}
