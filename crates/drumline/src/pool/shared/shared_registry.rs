//! A reference to a registry, which keeps it alive.
//!
//! Its [count](super::ref_count) is what each spawn would change otherwise. So it is no `Arc`: a
//! worker counts its references for itself.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use super::ref_count::{Before, RefAccount, RefCount};
use super::registry::Registry;
use super::spawn_retry;
use crate::sync::{Apart, per_thread};

per_thread! {
    /// That of a thread in the pool that it works for.
    static ACCOUNT: RefAccount = const { RefAccount::closed() };
}

/// What a registry knows of the references to it.
pub(crate) struct SelfReference {
    /// Threads outside change it, and workers read what lies around it.
    count: Apart<RefCount>,
    /// The registry itself, with the right to free it.
    registry: NonNull<Registry>,
}

// SAFETY: the count is atomic, and the address is that of a registry, which is shared.
unsafe impl Send for SelfReference {}
// SAFETY: as above.
unsafe impl Sync for SelfReference {}

/// A registry as its threads, handles and tasks share it.
pub(crate) struct SharedRegistry(NonNull<Registry>);

// SAFETY: it gives out shared references, and the last one drops the registry.
unsafe impl Send for SharedRegistry where Registry: Send + Sync {}
// SAFETY: as above.
unsafe impl Sync for SharedRegistry where Registry: Send + Sync {}

impl SharedRegistry {
    /// Makes a registry that knows how to share itself.
    pub(super) fn new(make: impl FnOnce(SelfReference) -> Registry) -> Self {
        let place = Box::leak(Box::<Registry>::new_uninit());
        let registry = NonNull::from(&mut *place).cast::<Registry>();
        // If this panics, the place is leaked.
        place.write(make(SelfReference {
            count: Apart(RefCount::new()),
            registry,
        }));
        SharedRegistry(registry)
    }

    /// The address of the registry.
    pub(crate) fn as_ptr(this: &Self) -> *const Registry {
        this.0.as_ptr()
    }

    /// Keeps the registry for good, or until [`from_raw`](Self::from_raw).
    pub(crate) fn into_raw(this: Self) -> *const Registry {
        Self::as_ptr(&ManuallyDrop::new(this))
    }

    /// Takes back what [`into_raw`](Self::into_raw) has kept.
    ///
    /// # Safety
    ///
    /// Once for each call of `into_raw` that returned this address.
    pub(crate) unsafe fn from_raw(raw: *const Registry) -> Self {
        // SAFETY: the caller has a reference, so the registry is alive.
        SharedRegistry(unsafe { &*raw }.self_reference().registry)
    }
}

impl SelfReference {
    /// A further reference, from one that the caller has.
    #[inline]
    pub(super) fn share(&self) -> SharedRegistry {
        let count = &*self.count;
        if !ACCOUNT.with(|account| account.up(count)) {
            count.up();
        }
        SharedRegistry(self.registry)
    }

    /// A reference, if the registry is not about to be freed. Its memory stays meanwhile.
    pub(super) fn try_share(&self) -> Option<SharedRegistry> {
        self.count.try_up().then(|| SharedRegistry(self.registry))
    }
}

impl Clone for SharedRegistry {
    #[inline]
    fn clone(&self) -> Self {
        self.self_reference().share()
    }
}

impl Deref for SharedRegistry {
    type Target = Registry;

    #[inline]
    fn deref(&self) -> &Registry {
        // SAFETY: the reference keeps it alive.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for SharedRegistry {
    #[inline]
    fn drop(&mut self) {
        let count = &*self.self_reference().count;
        if !ACCOUNT.with(|account| account.down(count)) && count.down() {
            free(self.0);
        }
    }
}

impl fmt::Debug for SharedRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Registry::fmt(self, f)
    }
}

#[cold]
#[inline(never)]
fn free(registry: NonNull<Registry>) {
    // SAFETY: the last reference is gone, and the memory is still there.
    spawn_retry::forget(unsafe { registry.as_ref() });
    // SAFETY: from `Box::leak` in `new`, and nothing else refers to it.
    drop(unsafe { Box::from_raw(registry.as_ptr()) });
}

/// Has the current thread, a worker of the pool, count its references for itself until this is
/// dropped.
pub(crate) struct OpenAccount<'a> {
    registry: &'a SharedRegistry,
    before: Before,
}

impl<'a> OpenAccount<'a> {
    /// The count must know the reference that the caller lends: `registry` stays until the account
    /// is closed, and is dropped after that.
    pub(crate) fn new(registry: &'a SharedRegistry) -> Self {
        let count = &*registry.self_reference().count;
        OpenAccount {
            registry,
            before: ACCOUNT.with(|account| account.open(count)),
        }
    }
}

impl Drop for OpenAccount<'_> {
    fn drop(&mut self) {
        let count = &*self.registry.self_reference().count;
        ACCOUNT.with(|account| account.close(count, self.before));
    }
}

/// A registry that may be gone: the address, for a list that the end of a registry
/// [takes it out of](spawn_retry::forget).
pub(super) struct Listed(NonNull<Registry>);

// SAFETY: an address; what is done with it is done with a shared reference.
unsafe impl Send for Listed {}

impl Listed {
    pub(super) fn new(registry: &Registry) -> Self {
        Listed(registry.self_reference().registry)
    }

    pub(super) fn is(&self, registry: &Registry) -> bool {
        ptr::eq(self.0.as_ptr(), registry)
    }

    /// A reference, if there is one left.
    ///
    /// # Safety
    ///
    /// It is in the list, whose lock is held.
    pub(super) unsafe fn try_share(&self) -> Option<SharedRegistry> {
        // SAFETY: a registry leaves the list before its memory goes, says the caller.
        unsafe { self.0.as_ref() }.self_reference().try_share()
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::{Pool, spawn, spawn_future};

    fn count(registry: &SharedRegistry) -> usize {
        registry.self_reference().count.get()
    }

    /// The count is a line of memory that all workers share.
    #[test]
    fn a_worker_that_spawns_leaves_the_count_alone() {
        let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
        let registry = SharedRegistry::clone(pool.registry());
        let (begin, may_begin) = mpsc::channel();
        let (tell, told) = mpsc::channel();
        let _worker = pool.spawn(move || {
            may_begin.recv().unwrap();
            let before = count(&registry);
            let tasks: Vec<_> = (0..100).map(|n| spawn(move || n)).collect();
            let futures: Vec<_> = (0..100).map(|n| spawn_future(async move { n })).collect();
            drop(futures);
            let sum: usize = tasks.into_iter().map(|task| task.join().unwrap()).sum();
            tell.send((sum, count(&registry) == before)).unwrap();
        });
        // No thread outside makes references, or drops some, from here on.
        begin.send(()).unwrap();
        assert_eq!(told.recv(), Ok((4_950, true)));
    }

    /// The handle of a task is dropped by a thread outside, after the pool.
    #[test]
    fn a_handle_that_a_worker_made_outlives_the_pool() {
        let pool = Pool::builder().jobs(1).build().unwrap();
        let task = pool.spawn(|| spawn(|| 3)).join().unwrap();
        let registry = SharedRegistry::clone(pool.registry());
        pool.shutdown().unwrap();
        // The thread of the worker may not have ended yet: it has an account, or not.
        assert_eq!(task.join().unwrap(), 3);
        assert!(count(&registry) >= 1);
    }
}
