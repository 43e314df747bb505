//! Futures as jobs: a future on the heap, which is polled when it is queued.
//!
//! | file | noun |
//! |---|---|
//! | `cell` | the future, later its outcome, in one allocation |
//! | `waker` | what wakes it |
//! | `handle` | what the program holds, without the type of the future |
//! | `home` | where it is queued: in a pool, or in a scope |
//! | `error` | why there is no value |
//!
//! How far a future is, and which thread may touch what, is the matter of
//! [`FutureWord`](crate::latch::FutureWord). Here is what is done at each of its steps.
//!
//! # Rejected
//!
//! The cell of the crate `async-task`. It ends the process if a waker panics that waits for a task,
//! or if the drop of a future panics. Here such a panic goes to the panic handler of the pool. It
//! counts references twice for each wake-up of a task that knows its pool. It needs a list of
//! wakers, with an allocation for each task, to find the tasks that wait when a pool ends. And
//! loom does not see into it.

mod cell;
mod error;
mod handle;
mod home;
#[cfg(all(test, not(drumline_shuttle)))]
mod small_tests;
mod waker;

pub(crate) use cell::{Core, spawn};
pub use error::{JoinError, PanicPayload};
pub(crate) use handle::FutureHandle;
pub(crate) use home::{Home, PoolHome};
