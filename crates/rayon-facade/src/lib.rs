//! Drumline under the names and paths of rayon 1.12, so that rayon's own tests can be compiled
//! against it (`cargo xtask rayon-suite`). It is no replacement to publish: a program that moves
//! from rayon to Drumline changes the few names that differ.
//!
//! ```
//! use rayon::prelude::*; // but it is Drumline
//!
//! let sum: u64 = (1..=100u64).into_par_iter().map(|n| n * n).sum();
//! assert_eq!(sum, 338_350);
//! ```
//!
//! What has the same shape in both is re-exported as it is. Files of this crate hold what has not:
//!
//! | file | noun |
//! |---|---|
//! | `builder` | [`ThreadPoolBuilder`], [`ThreadPoolBuildError`] |
//! | `pool` | [`ThreadPool`] |
//! | `thread`, `spawner` | [`ThreadBuilder`], and the closure that starts the thread |
//! | `tasks` | [`spawn`] and [`spawn_fifo`], which return nothing |
//! | `scope` | [`Scope`], with [`scope()`] and [`in_place_scope`] |
//! | `scope_fifo` | [`ScopeFifo`], with [`scope_fifo()`] and [`in_place_scope_fifo`] |
//! | `broadcast` | [`BroadcastContext`], with [`broadcast()`] and [`spawn_broadcast`] |
//! | `numbers` | [`current_num_threads`] and its like |
//! | `defaults` | what all pools have in common, the global one included |
//!
//! As with rayon:
//!
//! - Every pool, the global one too, has as many threads as jobs, and never more. It takes no
//!   guests: calls from outside run on its threads. So [`current_thread_index`] is less than
//!   [`current_num_threads`], and a table with that many entries has one for every thread.
//! - A thread that waits runs other jobs of its pool meanwhile. These can run on top of a frame
//!   that holds a lock or a borrowed thread-local value.
//! - Threads that block are not replaced. If all of them wait for what another job has to do (a
//!   lock, a channel), no thread is left for that job. The program stands still. These are
//!   rayon's own deadlocks. Drumline under its own name makes spare threads and has fewer.
//! - A detached task that panics where there is no panic handler aborts the process, and so does a
//!   panic handler that panics.
//!
//! Differences that stay:
//!
//! - A thread that waits takes no further job with less than a quarter of its stack left. Pools
//!   that call each other back and forth, with very many calls open at once, then stand still where
//!   rayon overflows the stack and aborts. A larger [stack](ThreadPoolBuilder::stack_size) helps
//!   both.
//! - A thread that waits or [yields](yield_now) runs no second half of its own pending
//!   [joins](join()); rayon runs it. If the first half waits for the second, another thread has to
//!   be free for that. With one thread the program stands still.
//! - If the first half of a join panics, the second is dropped, unless a thread has begun it.
//! - Tasks of [`spawn_fifo`] begin in their order on the thread that spawned them. A thread that
//!   takes some of them takes up to 32 at once, and its owner may begin the next before those. The
//!   order of [`scope_fifo()`] is that of rayon.
//! - While a panic handler runs on a thread, it is not called there again: what panics meanwhile,
//!   in a job that the handler waits for, is only counted as lost.
//! - Threads that the system refuses are a warning. The pool goes on with fewer, or without any.
//!   More than 32,767 are an error. If a closure that starts threads fails in
//!   [`build_global`](ThreadPoolBuilder::build_global), the global pool is there all the same.
//! - A pool that is dropped waits for threads that are at rest, and for their exit handlers. So the
//!   thread that drops it must not hold what these need.
//! - A [`thread_name`](ThreadPoolBuilder::thread_name) that panics aborts the process: no thread
//!   waits for that panic. It asks for a closure that is `Send`. Threads without one are named
//!   `drumline-0` and so on.
//! - [`current_num_threads`] does not make the global pool.
//! - [`ThreadPoolBuildError`] has no source where the system refuses something; the message says
//!   it.
//! - `RAYON_NUM_THREADS` is not read.
//! - `current_thread_has_pending_tasks`, the deprecated names and the features are missing.

mod broadcast;
mod builder;
mod defaults;
mod numbers;
mod pool;
#[cfg(doctest)]
mod promises;
mod scope;
mod scope_fifo;
mod spawner;
mod tasks;
mod thread;

pub use drumline::{
    FnContext, Yield, array, collections, iter, join, join_context, option, prelude, range,
    range_inclusive, result, slice, str, string, vec, yield_local, yield_now,
};

pub use self::{
    broadcast::{BroadcastContext, broadcast, spawn_broadcast},
    builder::{ThreadPoolBuildError, ThreadPoolBuilder},
    numbers::{current_num_threads, current_thread_index, max_num_threads},
    pool::ThreadPool,
    scope::{Scope, in_place_scope, scope},
    scope_fifo::{ScopeFifo, in_place_scope_fifo, scope_fifo},
    tasks::{spawn, spawn_fifo},
    thread::ThreadBuilder,
};
