//! Where jobs wait that no deque holds: spawned jobs, by where they come from.
//!
//! | file | noun |
//! |---|---|
//! | `job_queue`, `job_ring` | the jobs that a thread has spawned; the array behind them |
//! | `hand_off` | the task that a worker runs next |
//! | `injector` | jobs from threads outside |
//! | `spent` | tickets that are of no use any more |
//! | `suspended` | the futures that wait |
//!
//! A queue hands each job to one thread. It knows no thread and no seat, and wakes nothing.

pub(super) mod hand_off;
pub(super) mod injector;
#[cfg(any(not(drumline_loom), test))]
pub(super) mod job_queue;
mod job_ring;
pub(crate) mod spent;
#[cfg(not(drumline_loom))]
pub(super) mod suspended;
