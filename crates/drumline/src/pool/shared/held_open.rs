//! A pool that does not end, for as long as something outlives the call that said so.

use std::mem;

use super::registry::{KeptOpen, Registry, SharedRegistry};

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
