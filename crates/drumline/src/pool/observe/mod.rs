//! What a program can learn of its pools, as data.
//!
//! | file | noun |
//! |---|---|
//! | `event` | what a pool tells about its threads |
//! | `warning` | what did not go as asked |
//! | `trace` | events as events of `tracing` |
//! | `counters` | how often things have happened on one seat |
//!
//! Nothing here knows a thread of the pool. What the scheduler has to tell, it tells by way of
//! `pool::shared::hooks`.

pub(super) mod counters;
pub(super) mod event;
pub(super) mod trace;
pub(super) mod warning;
