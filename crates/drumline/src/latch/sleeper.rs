//! Whoever waits.

#[cfg(not(loom))]
use crate::wait::Gate;
use crate::wait::Parker;

/// How to wake a thread that waits for one thing to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sleeper {
    /// A member of a pool: the parker of its seat.
    Member(*const Parker),
    /// A thread outside: a gate in its frame.
    #[cfg(not(loom))]
    Outsider(*const Gate),
}

// SAFETY: parkers and gates are made to be used from other threads; whoever
// uses the address answers for the memory (see `wake`).
unsafe impl Send for Sleeper {}

impl Sleeper {
    /// Wakes it, for good: what it waits for has happened.
    ///
    /// # Safety
    ///
    /// The seat of a member, and so its pool, is alive. The gate of an
    /// outsider, which stays in its frame until it is open, has not been opened.
    pub(crate) unsafe fn wake(self) {
        match self {
            // SAFETY: the caller says that the seat is alive.
            Sleeper::Member(parker) => unsafe { &*parker }.unpark(),
            // SAFETY: the frame waits until the gate has been opened.
            #[cfg(not(loom))]
            Sleeper::Outsider(gate) => unsafe { &*gate }.open(),
        }
    }

    /// Makes a member look again; an outsider could do nothing.
    ///
    /// # Safety
    ///
    /// The seat of a member, and so its pool, is alive.
    #[cfg(not(loom))]
    pub(crate) unsafe fn rouse(self) {
        if let Sleeper::Member(parker) = self {
            // SAFETY: the caller says that the seat is alive.
            unsafe { &*parker }.unpark();
        }
    }
}
