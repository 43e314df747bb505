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

    /// Opens the gate for good, where it outlives the call.
    pub(crate) fn open(&self) {
        // SAFETY: the reference keeps the gate in place for the whole call.
        unsafe { Gate::open_at(self) };
    }

    /// Opens the gate for good. Its waiter may free it before this returns.
    ///
    /// The waiter cannot see the gate open before the lock is released. The notification is sent
    /// with the lock held, so nothing here is touched afterwards. The gate comes as a pointer,
    /// because a reference that is passed to a function promises that its memory stays until the
    /// function returns.
    ///
    /// # Safety
    ///
    /// The gate stays where it is until it is open.
    pub(crate) unsafe fn open_at(gate: *const Gate) {
        // SAFETY: not open yet, so it is in place, says the caller.
        let gate = unsafe { &*gate };
        let mut open = lock(&gate.open);
        *open = true;
        gate.opened.notify_all();
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

#[cfg(all(test, not(drumline_loom), not(drumline_shuttle)))]
mod tests {
    use super::Gate;

    /// A gate as `pool::waiting::block_on` has it: in the frame of its waiter. Miri lets the
    /// waiter leave at any step of `open_at`.
    #[test]
    fn miri_a_gate_goes_as_soon_as_it_is_open() {
        struct Address(*const Gate);
        // SAFETY: gates are opened by other threads.
        unsafe impl Send for Address {}
        for _ in 0..40 {
            let gate = Box::new(Gate::new());
            let address = Address(&raw const *gate);
            let opener = std::thread::spawn(move || {
                let address = address;
                // SAFETY: the gate is freed by its waiter, once it is open.
                unsafe { Gate::open_at(address.0) };
            });
            gate.wait();
            drop(gate);
            opener.join().unwrap();
        }
    }
}
