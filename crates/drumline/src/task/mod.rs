//! Tasks that await: what is used inside futures and around them.
//!
//! | to | use |
//! |---|---|
//! | start a future | [`drumline::spawn_future`](crate::spawn_future()), and on a [`Pool`](crate::Pool) |
//! | start one that borrows | [`Scope::spawn_future`](crate::Scope::spawn_future) |
//! | wait for one on a thread | [`block_on`], [`JoinHandle::join`](crate::JoinHandle::join) |
//! | wait for whichever of many is ready first | [`TaskSet`] |
//! | let other tasks run | [`yield_now`] |
//! | wait until a token is cancelled | [`CancellationToken::cancelled`](crate::CancellationToken::cancelled) |
//! | wait for a time | [`sleep`], [`sleep_until`], [`timeout`], [`timeout_at`] |
//!
//! ```
//! use std::time::Duration;
//! use drumline::task;
//!
//! let answer = drumline::block_on(async {
//!     let search = drumline::spawn(|| (1..1_000).find(|n| n * n == 1_764));
//!     task::timeout(Duration::from_secs(60), search).await
//! });
//! assert_eq!(answer.unwrap().unwrap(), Some(42));
//! ```
//!
//! # The budget of a task
//!
//! A task that awaits things which are always ready would never let others run. So after 128
//! handles and other things of Drumline that were ready at once, the next one makes the task yield.

mod block_on;
mod task_set;
mod yield_now;

pub use block_on::block_on;
pub use task_set::TaskSet;
pub use yield_now::{YieldNow, yield_now};

pub use crate::control::{Cancelled, CancelledOwned};
pub use crate::deadline::{Elapsed, Sleep, Timeout, sleep, sleep_until, timeout, timeout_at};
