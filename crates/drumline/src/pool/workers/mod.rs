//! The threads of a pool: starting them, what they run, and taking it from others.
//!
//! | file | noun |
//! |---|---|
//! | `worker` | a worker from its arrival to the end of its pool |
//! | `thief` | taking work from others |
//! | `steal_backoff`, `run_length` | leaving victims alone whose jobs are too short to be taken |
//! | `overdue` | jobs that have waited for long |
//! | `thread_starter`, `thread_builder` | starting threads; the record of one that is counted |
//!
//! A worker never waits for a job: `pool::waiting` has the loop for that, and knows this room.

pub(super) mod overdue;
pub(super) mod run_length;
pub(super) mod steal_backoff;
pub(super) mod thief;
pub(super) mod thread_builder;
pub(super) mod thread_starter;
pub(super) mod worker;
