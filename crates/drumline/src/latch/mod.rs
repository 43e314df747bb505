//! Words that say how far something is, and which waiter to wake when it is done.
//!
//! | file | noun |
//! |---|---|
//! | `sleeper` | the thread that waits: one of a pool, or one outside |
//! | `task` | the life of a spawned closure |
//! | `future` | the life of a spawned future |
//! | `watcher` | the thread or future that waits for the end of one of them |
//! | `countdown` | how many of several are still at work |
//! | `job_count` | how many jobs of a scope are not done |
//! | `runners` | the seats that run jobs of a scope |
//!
//! A waiter names itself (`watch`) before it goes to sleep. The thread that makes the last step
//! finds the name in the same read-modify-write. So either the waiter learns that it need not
//! sleep, or the thread with the last step knows which waiter to wake.

mod countdown;
mod future;
#[cfg(all(test, drumline_loom))]
mod future_models;
mod job_count;
#[cfg(all(test, drumline_loom))]
mod job_count_models;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod runners;
mod sleeper;
mod task;
mod watcher;

pub(crate) use countdown::Countdown;
pub(crate) use future::{Cancel, Detached, DropReason, Dropped, FutureWord, Pause, Run, WakeStep};
pub(crate) use job_count::JobCount;
#[cfg(not(drumline_loom))]
pub(crate) use runners::{Runner, Runners};
#[cfg(not(drumline_loom))]
pub(crate) use sleeper::Bell;
pub(crate) use sleeper::Sleeper;
pub(crate) use task::{Detach, Finish, TaskState, TaskWord};
pub(crate) use watcher::Watcher;
