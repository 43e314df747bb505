//! A thread that waits where tasks wait as well.

use std::sync::Arc;
use std::task::{Wake, Waker};

use super::Parker;
use super::hook::Blocked;
use crate::sync::{Instant, relax};

/// How often it looks before it sleeps: two microseconds, about.
const GLANCES: u32 = if cfg!(drumline_shuttle) { 1 } else { 50 };

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
        let parker = &self.0.0;
        // The thread is on a list now: what it waits for may come sooner than it could fall asleep,
        // and costs the other side no system call then.
        for _ in 0..GLANCES {
            if parker.has_token() {
                break;
            }
            relax();
        }
        let _blocked = Blocked::announce();
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
