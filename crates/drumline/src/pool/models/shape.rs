//! What a [pool in miniature](super::pool) is like.

use super::super::idle::WorkerPolicy;
use super::pool::Pool;

/// What a pool in miniature is like.
pub(super) struct Shape {
    pub(super) places: usize,
    /// Workers that are there from the start.
    pub(super) workers: usize,
    /// Seats for guests and members, numbered after those of the workers.
    pub(super) others: usize,
    /// Seats for spares, numbered last.
    pub(super) spares: usize,
    pub(super) worker_policy: WorkerPolicy,
    /// How many spares may end because they are not needed.
    pub(super) quits: usize,
    /// How often a searcher naps until it is called.
    pub(super) naps: usize,
    /// How many threads the system refuses.
    pub(super) refusals: usize,
    /// What a worker does for a job from its inbox.
    pub(super) errand: fn(&Pool, usize),
    /// What a worker that is there from the start does before it enters the idle set: the handler
    /// of the program that runs then.
    pub(super) entry: Option<fn(&Pool, usize)>,
}

impl Shape {
    pub(super) const FIXED: Shape = Shape {
        places: 0,
        workers: 0,
        others: 0,
        spares: 0,
        worker_policy: WorkerPolicy::FIXED,
        quits: 0,
        naps: 0,
        refusals: 0,
        errand: |_, _| {},
        entry: None,
    };
}
