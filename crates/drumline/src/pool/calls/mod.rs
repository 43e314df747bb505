//! Calls from outside, and jobs on their way into a pool.
//!
//! | file | noun |
//! |---|---|
//! | `guest` | a thread that is in the pool for one call |
//! | `submit` | where a job is queued |
//! | `stand_in` | a thread that does the work of a pool without workers |
//!
//! Nothing here waits for a job, and nothing here steals.

pub(crate) mod guest;
pub(super) mod stand_in;
pub(super) mod submit;
