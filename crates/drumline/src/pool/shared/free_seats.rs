//! The seats that no thread has. `admission` gives them out.

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex};
use crate::wait::Gate;

/// The seats that no thread has, and what waits for one.
#[derive(Debug)]
pub(super) struct FreeSeats {
    /// Its lock also orders changes of the table.
    pub(super) seats: Mutex<Vec<usize>>,
    /// The last worker of a fixed pool has turned out not to come: calls run
    /// on the threads that make them, for good. Written with the lock of `seats` held.
    ///
    /// It stays false in a pool that has no worker because all jobs are a member's: there is no
    /// seat for a guest.
    pub(super) is_of_callers: AtomicBool,
    /// Threads outside that wait for their turn in a fixed
    /// pool without threads; changed with the lock of `seats` held.
    pub(super) callers: Mutex<Vec<Arc<Gate>>>,
}

impl FreeSeats {
    pub(super) fn new() -> Self {
        FreeSeats {
            seats: Mutex::new(Vec::new()),
            is_of_callers: AtomicBool::new(false),
            callers: Mutex::new(Vec::new()),
        }
    }

    /// Whether the seats of this fixed pool are for the threads that call it.
    pub(super) fn are_of_callers(&self) -> bool {
        // Relaxed: a late answer hands a call over, and `rely_on_worker` asks behind a fence.
        self.is_of_callers.load(Ordering::Relaxed)
    }
}
