//! How often things have happened.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// One count.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub(crate) fn add_one(&self) {
        // Relaxed, here and below: a count publishes nothing but itself.
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The count so far.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a service has done so far. Displayed as one line per count.
#[derive(Debug, Default)]
pub struct Counters {
    /// Connections that were accepted.
    pub connections: Count,
    /// Requests that were admitted.
    pub admitted: Count,
    /// Requests that were refused, because too many were admitted.
    pub refused: Count,
    /// Requests of clients that went away before the answer.
    pub abandoned: Count,
    /// Requests that passed their deadline, while they were read or computed.
    pub overdue: Count,
    /// Jobs that a thread of the pool has begun.
    pub jobs_begun: Count,
    /// Jobs that gave a result.
    pub jobs_finished: Count,
    /// Jobs that saw that their token was cancelled.
    pub jobs_stopped: Count,
    /// Jobs that panicked.
    pub jobs_panicked: Count,
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counters {
            connections,
            admitted,
            refused,
            abandoned,
            overdue,
            jobs_begun,
            jobs_finished,
            jobs_stopped,
            jobs_panicked,
        } = self;
        for (name, count) in [
            ("connections_total", connections),
            ("requests_admitted_total", admitted),
            ("requests_refused_total", refused),
            ("requests_abandoned_total", abandoned),
            ("requests_overdue_total", overdue),
            ("jobs_begun_total", jobs_begun),
            ("jobs_finished_total", jobs_finished),
            ("jobs_stopped_total", jobs_stopped),
            ("jobs_panicked_total", jobs_panicked),
        ] {
            writeln!(f, "{name} {}", count.get())?;
        }
        Ok(())
    }
}
