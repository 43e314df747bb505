//! References to a registry: a worker with an account, and threads without one.

// The standard library's `Arc`: a planted bug drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::explore;
use crate::pool::shared::ref_count::{RefAccount, RefCount};
use crate::sync::plant::{Plant, must_catch};

struct Registry {
    count: RefCount,
    /// Its memory: each reference reads it, and what frees the registry writes it.
    memory: UnsafeCell<u32>,
    /// How often it was freed.
    freed: AtomicUsize,
}

// SAFETY: the cell is what references share; loom checks every access.
unsafe impl Send for Registry {}
// SAFETY: as above.
unsafe impl Sync for Registry {}

impl Registry {
    /// With one reference, that of the caller.
    fn new() -> Arc<Self> {
        Arc::new(Registry {
            count: RefCount::new(),
            memory: UnsafeCell::new(1),
            freed: AtomicUsize::new(0),
        })
    }

    fn is_used(&self) {
        // SAFETY: loom checks that no other thread frees it.
        self.memory.with(|memory| assert_eq!(unsafe { *memory }, 1));
    }

    fn free(&self) {
        // SAFETY: loom checks that no other thread is here.
        self.memory.with_mut(|memory| unsafe { *memory = 0 });
        // Relaxed, here and below: a count, read when all threads have been joined.
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    fn share(&self, account: &RefAccount) {
        self.is_used();
        if !account.up(&self.count) {
            self.count.up();
        }
    }

    /// Drops a reference.
    fn release(&self, account: &RefAccount) {
        self.is_used();
        if !account.down(&self.count) && self.count.down() {
            self.free();
        }
    }

    fn was_freed_once(&self) {
        assert_eq!(self.freed.load(Ordering::Relaxed), 1, "freed once");
    }
}

/// A worker drops `dropped` references that another thread has made, and makes `made` that the
/// other thread drops. It ends while that thread still has one, or none.
fn worker_and_outsider(made: usize, dropped: usize) {
    explore(3, move || {
        let registry = Registry::new();
        let outside = RefAccount::closed();
        // That of the worker, which the count knows, and those that it drops.
        for _ in 0..=dropped {
            registry.share(&outside);
        }
        let begun = Arc::new(AtomicUsize::new(0));
        let worker = thread::spawn({
            let (registry, begun) = (Arc::clone(&registry), Arc::clone(&begun));
            move || {
                let account = RefAccount::closed();
                let before = account.open(&registry.count);
                for _ in 0..made {
                    registry.share(&account);
                }
                begun.store(1, Ordering::Release);
                for _ in 0..dropped {
                    registry.release(&account);
                }
                account.close(&registry.count, before);
                registry.release(&account);
            }
        });
        // What the worker has made is handed over.
        if made > 0 {
            while begun.load(Ordering::Acquire) == 0 {
                thread::yield_now();
            }
            for _ in 0..made {
                registry.release(&outside);
            }
        }
        registry.release(&outside);
        worker.join().unwrap();
        registry.was_freed_once();
    });
}

/// A thread looks for the registry in a list while the last reference goes.
fn listed() {
    explore(3, || {
        let registry = Registry::new();
        let other = Arc::clone(&registry);
        let looking = thread::spawn(move || {
            // The list keeps the memory.
            if other.count.try_up() {
                other.release(&RefAccount::closed());
            }
        });
        registry.release(&RefAccount::closed());
        looking.join().unwrap();
        registry.was_freed_once();
    });
}

#[test]
fn loom_ref_count_of_a_worker() {
    worker_and_outsider(1, 0);
    worker_and_outsider(0, 1);
    worker_and_outsider(1, 1);
    must_catch(Plant::RefAccountClosedInTwoSteps, || {
        worker_and_outsider(2, 0);
    });
}

#[test]
fn loom_ref_count_in_a_list() {
    listed();
}
