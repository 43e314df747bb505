//! Pools that wait for a thread that the system refused.

use crate::pool::shared::registry::{Registry, SharedRegistry};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, Weak, lock, process_wide};

process_wide! {
    static POOLS: Mutex<Vec<Weak<Registry>>> = Mutex::new(Vec::new());
    /// How many there are. A thread that ends reads it without the lock.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
}

/// The system refused a thread to this pool.
pub(crate) fn add(registry: &Registry) {
    let mut pools = lock(&POOLS);
    if !pools
        .iter()
        .any(|pool| std::ptr::eq(pool.as_ptr(), registry))
    {
        pools.push(SharedRegistry::downgrade(&registry.share()));
    }
    COUNT.store(pools.len(), Ordering::Release);
}

/// A thread has ended: perhaps the system grants another one now.
pub(crate) fn retry() {
    if COUNT.load(Ordering::Acquire) == 0 {
        return;
    }
    let pools = {
        let mut pools = lock(&POOLS);
        COUNT.store(0, Ordering::Release);
        std::mem::take(&mut *pools)
    };
    for pool in pools.iter().filter_map(Weak::upgrade) {
        pool.thread_requests().forgive();
        if pool.has_work() {
            pool.wake(pool.idle_set().summon());
        }
    }
}
