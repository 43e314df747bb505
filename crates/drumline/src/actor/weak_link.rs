//! What weak references to an actor have in common: where it is, as long as there is its memory.
//!
//! An actor that has weak references has one link, and the weak references keep that and nothing
//! else. A weak reference becomes one that counts under the lock of the link, if the
//! [word](super::life_word) allows it.
//!
//! **The race feared** is a thread that makes such a reference while another one frees the memory.
//! The thread that is to free it closes the link first, under the lock. A thread that holds the
//! lock and finds the link open may use the word; the word says DEAD if that memory is about to be
//! freed, and then there is no reference to be made.

use std::ptr::NonNull;

use crate::sync::{Mutex, lock, planted};

/// The address of an actor, until its memory is freed.
#[derive(Debug)]
pub(crate) struct WeakLink<T>(Mutex<Option<NonNull<T>>>);

// SAFETY: the address is used under the lock, for what any thread may do with it.
unsafe impl<T: Sync> Send for WeakLink<T> {}
// SAFETY: as for `Send`.
unsafe impl<T: Sync> Sync for WeakLink<T> {}

impl<T> WeakLink<T> {
    pub(crate) fn new(core: NonNull<T>) -> Self {
        WeakLink(Mutex::new(Some(core)))
    }

    /// Calls `upgrade` with the address, if the memory is there. It stays until that returns.
    pub(crate) fn with<R>(&self, upgrade: impl FnOnce(NonNull<T>) -> R) -> Option<R> {
        let core = lock(&self.0);
        (*core).map(upgrade)
    }

    /// The memory is about to be freed.
    pub(crate) fn close(&self) {
        if !planted!(WeakLinkLeftOpen) {
            *lock(&self.0) = None;
        }
    }
}
