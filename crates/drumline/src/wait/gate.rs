//! A door that opens once.

use super::hook::Blocked;
use crate::sync::{Condvar, Mutex, lock};

/// Threads outside a pool wait here for something that happens once.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Opens the gate for good.
    ///
    /// The waiter may free the gate as soon as it has seen it open. It cannot
    /// see that before the lock is released, and the notification is sent
    /// with the lock held, so nothing here is touched afterwards.
    pub(crate) fn open(&self) {
        let mut open = lock(&self.open);
        *open = true;
        self.opened.notify_all();
    }

    /// Waits until the gate is open.
    pub(crate) fn wait(&self) {
        let mut open = lock(&self.open);
        if *open {
            return;
        }
        drop(open);
        let _blocked = Blocked::announce();
        open = lock(&self.open);
        while !*open {
            open = match self.opened.wait(open) {
                Ok(open) => open,
                Err(poisoned) => poisoned.into_inner(),
            };
        }
    }
}
