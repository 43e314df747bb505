//! What blocks: a handler's thread sleeps.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// How long a nap takes.
pub const LENGTH: Duration = Duration::from_millis(10);

/// A nap that a message asks for. A runtime takes it in its own way, once, before the message is
/// handled.
#[must_use]
#[derive(Debug)]
pub struct Nap {
    taken: &'static AtomicU64,
}

impl Nap {
    /// One that is counted there.
    pub fn new(taken: &'static AtomicU64) -> Self {
        Self { taken }
    }

    /// Has the calling thread sleep.
    pub fn sleep(self) {
        sleep(LENGTH);
        // Relaxed: it is read when the messages have been handled, which come after.
        self.taken.fetch_add(1, Ordering::Relaxed);
    }
}
