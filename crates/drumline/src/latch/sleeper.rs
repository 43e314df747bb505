//! How a thread that waits is woken.

#[cfg(not(drumline_loom))]
use crate::wait::Gate;
use crate::wait::Parker;

/// How to wake a thread that waits for one thing to happen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sleeper {
    /// A member of a pool: the parker of its seat.
    Member(*const Parker),
    /// A thread outside: a gate in its frame.
    #[cfg(not(drumline_loom))]
    Outsider(*const Gate),
    /// A member of another pool: a bell in its frame.
    #[cfg(not(drumline_loom))]
    Elsewhere(*const Bell),
}

/// Wakes a member of another pool: its frame stays until that has been done.
#[cfg(not(drumline_loom))]
#[derive(Debug)]
pub(crate) struct Bell {
    parker: *const Parker,
    rung: Gate,
}

#[cfg(not(drumline_loom))]
impl Bell {
    /// A bell to be rung for the calling thread. `parker` is the parker of this thread, and lives
    /// as long as the bell.
    pub(crate) fn new(parker: &Parker) -> Self {
        Bell {
            parker,
            rung: Gate::new(),
        }
    }

    /// Rings it. Its waiter may free it before this returns, hence a pointer.
    ///
    /// # Safety
    ///
    /// The bell has not been rung, and stays where it is until it has.
    unsafe fn ring(bell: *const Bell) {
        // SAFETY: the frame of the bell stays, and so the seat of its thread.
        unsafe { &*(*bell).parker }.unpark();
        // SAFETY: as above; the gate is the last that is touched.
        unsafe { Gate::open_at(&raw const (*bell).rung) };
    }

    /// Waits until it has been rung to the end.
    pub(crate) fn wait(&self) {
        self.rung.wait();
    }
}

// SAFETY: parkers and gates are made to be used from other threads; the
// caller of `wake` answers for the memory.
unsafe impl Send for Sleeper {}

impl Sleeper {
    /// Wakes it, for good: what it waits for has happened.
    ///
    /// # Safety
    ///
    /// The seat of a member, and so its pool, is alive. The gate of an
    /// outsider, which stays in its frame until it is open, has not been opened,
    /// nor has a bell been rung.
    pub(crate) unsafe fn wake(self) {
        match self {
            // SAFETY: the caller says that the seat is alive.
            Sleeper::Member(parker) => unsafe { &*parker }.unpark(),
            // SAFETY: the frame waits until the gate has been opened.
            #[cfg(not(drumline_loom))]
            Sleeper::Outsider(gate) => unsafe { Gate::open_at(gate) },
            #[cfg(not(drumline_loom))]
            // SAFETY: the frame waits until the bell has been rung; once, says the caller.
            Sleeper::Elsewhere(bell) => unsafe { Bell::ring(bell) },
        }
    }

    /// Makes a member look again; an outsider could do nothing.
    ///
    /// # Safety
    ///
    /// The seat of a member, and so its pool, is alive.
    #[cfg(not(drumline_loom))]
    pub(crate) unsafe fn rouse(self) {
        if let Sleeper::Member(parker) = self {
            // SAFETY: the caller says that the seat is alive.
            unsafe { &*parker }.unpark();
        }
    }
}
