//! A pool that does not end, for as long as something outlives the call that said so.

use std::mem;

use super::registry::Registry;
use super::shared_registry::SharedRegistry;

/// A call from outside keeps the pool from its end.
#[must_use]
pub(crate) struct KeptOpen<'r>(&'r Registry);

impl Drop for KeptOpen<'_> {
    fn drop(&mut self) {
        let registry = self.0;
        if !registry.is_forked() {
            registry.wake(registry.idle_set().end_call(&|| registry.has_work()));
            registry.lifetime().pay_end(registry.idle_set().is_over());
            registry.lifetime().end();
        }
    }
}

/// Keeps a pool from its end until it is dropped, as [`KeptOpen`] does, and keeps its memory, too.
pub(crate) struct HeldOpen(SharedRegistry);

impl HeldOpen {
    /// `None`: the pool has ended.
    pub(crate) fn new(registry: &SharedRegistry) -> Option<Self> {
        mem::forget(registry.keep_open()?);
        Some(HeldOpen(SharedRegistry::clone(registry)))
    }
}

impl Drop for HeldOpen {
    fn drop(&mut self) {
        drop(KeptOpen(&self.0));
    }
}

impl Registry {
    /// Keeps the pool from its end while a call from outside, or from a member for good, may bring
    /// work, until this is dropped. `None`: it has ended.
    pub(crate) fn keep_open(&self) -> Option<KeptOpen<'_>> {
        self.idle_set().begin_call().then(|| {
            // Without workers this is all that `wait_ended` waits for.
            self.lifetime().begin();
            self.disturb_end();
            KeptOpen(self)
        })
    }

    /// Something keeps the pool open that a thread outside of it runs, as long as the program
    /// likes.
    pub(crate) fn runs_elsewhere(&self) {
        self.lifetime().await_thread();
    }

    /// That is over.
    pub(crate) fn ran_elsewhere(&self) {
        self.lifetime().heard_of_thread();
    }
}
