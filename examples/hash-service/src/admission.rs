//! How many requests may be admitted at once.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Admits requests, up to a limit.
///
/// The queue of a pool has no limit of its own. This one stands before it, so at most `limit`
/// bodies are in memory and at most `limit` jobs in the pool.
#[derive(Debug)]
pub struct AdmissionLimit {
    free: Arc<Semaphore>,
    limit: usize,
}

/// One admitted request. Dropping it lets the next one in.
#[derive(Debug)]
pub struct Admission(
    #[expect(dead_code, reason = "it counts until it is dropped")] OwnedSemaphorePermit,
);

impl AdmissionLimit {
    /// Admits up to `limit` requests at once.
    pub fn new(limit: usize) -> Self {
        AdmissionLimit {
            free: Arc::new(Semaphore::new(limit)),
            limit,
        }
    }

    /// Admits a request, or refuses it at once: nothing waits here.
    pub fn try_admit(&self) -> Option<Admission> {
        Arc::clone(&self.free)
            .try_acquire_owned()
            .ok()
            .map(Admission)
    }

    /// How many requests are admitted now.
    pub fn admitted(&self) -> usize {
        self.limit - self.free.available_permits()
    }

    /// How many can be.
    pub fn limit(&self) -> usize {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::AdmissionLimit;

    #[test]
    fn the_limit_holds_and_a_dropped_admission_makes_room() {
        let limit = AdmissionLimit::new(2);
        let (first, second) = (limit.try_admit(), limit.try_admit());
        assert!(first.is_some() && second.is_some());
        assert!(limit.try_admit().is_none());
        assert_eq!(limit.admitted(), 2);
        drop(first);
        assert_eq!(limit.admitted(), 1);
        assert!(limit.try_admit().is_some());
    }
}
