//! The handles of the threads of spares.

use crate::sync::thread::JoinHandle;

/// The handles of spares, in no order.
///
/// Those of threads that have ended are given back now and then: so there are at most about twice
/// as many as threads, and to look costs each thread little, however many there are.
#[derive(Debug, Default)]
pub(crate) struct SpareHandles {
    kept: Vec<JoinHandle<()>>,
}

impl SpareHandles {
    pub(crate) fn keep(&mut self, handle: JoinHandle<()>) {
        self.kept.push(handle);
    }

    /// Gives back what ended threads still hold, if there are many beside the `alive` ones.
    #[cfg(not(drumline_shuttle))]
    pub(crate) fn reap(&mut self, alive: usize) {
        if self.kept.len() > 2 * alive {
            self.kept.retain(|handle| !handle.is_finished());
        }
    }

    /// All that there are.
    pub(crate) fn take(&mut self) -> Vec<JoinHandle<()>> {
        std::mem::take(&mut self.kept)
    }
}
