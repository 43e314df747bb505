//! Threads that block: their places go to others, and come back.
//!
//! | file | noun |
//! |---|---|
//! | `compensate` | giving up a place while its thread blocks |
//! | `monitor` | noticing threads that block without a word |
//! | `spare_policy` | whether one more thread is worth it while others wait |
//!
//! What the occupant of a seat has said of its blocking is `pool::shared::block_state`. How threads
//! are started is the business of `pool::workers`.

pub(super) mod compensate;
pub(super) mod monitor;
pub(super) mod spare_policy;
