//! Queues of jobs that a thread of the pool has spawned: jobs that outlive the frame that made them.
//!
//! Spawns cost an allocation already, so a short critical section is the right
//! price here; the length is readable without the lock, for those who only look.

use std::collections::VecDeque;

use crate::job::JobRef;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Count, Mutex, lock};

/// A queue that its owner uses as a stack and everybody else from the old end.
///
/// First-in first-out jobs keep their order among themselves: their places in
/// the stack are tokens, and each token stands for the oldest such job.
#[derive(Debug, Default)]
pub(crate) struct JobQueue {
    entries: Mutex<Entries>,
    len: AtomicUsize,
    /// How often the lock was taken; counted under it.
    locks: Count,
}

#[derive(Debug, Default)]
struct Entries {
    stack: VecDeque<Option<JobRef>>,
    fifo: VecDeque<JobRef>,
}

impl JobQueue {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// About how many jobs are queued.
    pub(crate) fn len(&self) -> usize {
        // Relaxed: a hint. Who must not miss a job uses a barrier or a lock.
        self.len.load(Ordering::Relaxed)
    }

    /// How often a thread has taken the lock.
    #[cfg(not(drumline_loom))]
    pub(crate) fn locks(&self) -> u64 {
        self.locks.get()
    }

    fn with<R>(&self, change: impl FnOnce(&mut Entries) -> R) -> R {
        let mut entries = lock(&self.entries);
        self.locks.up();
        let outcome = change(&mut entries);
        self.len.store(entries.stack.len(), Ordering::Relaxed);
        outcome
    }

    /// Adds a job that its owner takes last-in first-out.
    pub(crate) fn push(&self, job: JobRef) {
        self.with(|entries| entries.stack.push_back(Some(job)));
    }

    /// Adds a job that its owner takes first-in first-out.
    pub(crate) fn push_fifo(&self, job: JobRef) {
        self.with(|entries| {
            entries.fifo.push_back(job);
            entries.stack.push_back(None);
        });
    }

    /// Owner: the newest job (or the oldest of the first-in first-out ones).
    pub(crate) fn pop(&self) -> Option<JobRef> {
        if self.len() == 0 {
            return None;
        }
        self.with(|entries| {
            let newest = entries.stack.pop_back()?;
            newest.or_else(|| entries.fifo.pop_front())
        })
    }

    /// Takes the newest entry out if it is a job at this address.
    pub(crate) fn withdraw(&self, data: *const ()) -> bool {
        if self.len() == 0 {
            return false;
        }
        let is_it = |job: &JobRef| job.data == data;
        self.with(|entries| match entries.stack.back() {
            Some(Some(job)) if is_it(job) => entries.stack.pop_back().is_some(),
            Some(None) if entries.fifo.back().is_some_and(is_it) => {
                entries.fifo.pop_back();
                entries.stack.pop_back().is_some()
            }
            _ => false,
        })
    }

    /// Takes an entry out, wherever it lies, if it is a job at this address.
    pub(crate) fn withdraw_any(&self, data: *const ()) -> bool {
        if self.len() == 0 {
            return false;
        }
        self.with(|entries| {
            let is_it = |entry: &Option<JobRef>| entry.is_some_and(|job| job.data == data);
            let place = entries.stack.iter().rposition(is_it);
            place.is_some_and(|place| entries.stack.remove(place).is_some())
        })
    }

    /// Anybody: the oldest job.
    pub(crate) fn take(&self) -> Option<JobRef> {
        if self.len() == 0 {
            return None;
        }
        self.with(|entries| {
            let oldest = entries.stack.pop_front()?;
            oldest.or_else(|| entries.fifo.pop_front())
        })
    }
}
