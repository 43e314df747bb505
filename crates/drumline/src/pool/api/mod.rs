//! The public face of pools.
//!
//! | file | noun |
//! |---|---|
//! | `builder`, `build_error` | describing and making a pool |
//! | `handle` | the handle of a pool |
//! | `global` | the pool that a program has without making it |
//! | `stats`, `waiters` | what a pool has done so far; which of its threads wait at a channel |
//!
//! It knows all other rooms, and none of them knows it.

pub(super) mod build_error;
pub(super) mod builder;
pub(super) mod global;
pub(super) mod handle;
pub(super) mod stats;
mod waiters;
