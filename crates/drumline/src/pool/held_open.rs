//! A pool that does not end, for as long as something outlives the call that said so.

use std::mem;

use super::registry::{KeptOpen, SharedRegistry};

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
