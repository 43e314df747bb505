//! A thread that waits where tasks wait as well.

use std::sync::Arc;
use std::task::{Wake, Waker};

use super::Parker;
use super::hook::Blocked;
use crate::sync::Instant;

/// One sleep of a thread, to be ended by a [`Waker`].
#[derive(Debug)]
pub(crate) struct SleepingThread(Arc<Place>);

#[derive(Debug)]
struct Place(Parker);

impl Wake for Place {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.unpark();
    }
}

impl SleepingThread {
    pub(crate) fn new() -> Self {
        SleepingThread(Arc::new(Place(Parker::new())))
    }

    /// What wakes the thread.
    pub(crate) fn waker(&self) -> Waker {
        Waker::from(Arc::clone(&self.0))
    }

    /// Sleeps until the waker is called, or until the deadline. Returns whether it was called.
    /// Another thread has the place of this one in a pool meanwhile.
    pub(crate) fn sleep(&self, deadline: Option<Instant>) -> bool {
        let _blocked = Blocked::announce();
        let parker = &self.0.0;
        let Some(deadline) = deadline else {
            parker.park();
            return true;
        };
        loop {
            let time = deadline.saturating_duration_since(Instant::now());
            if parker.park_timeout(time) {
                return true;
            }
            if time.is_zero() {
                return false;
            }
        }
    }
}
