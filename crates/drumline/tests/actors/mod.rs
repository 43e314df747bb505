//! What tests of actors share.

use drumline::actor::{Scheduler, SharedScheduler};

/// Each scheduler that has threads.
pub fn schedulers() -> Vec<Scheduler> {
    vec![
        Scheduler::Managed,
        Scheduler::ForkJoinLifo,
        Scheduler::ForkJoinFifo,
        Scheduler::Shared(SharedScheduler::new(2).unwrap()),
        Scheduler::Pinned,
    ]
}
