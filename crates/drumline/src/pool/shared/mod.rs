//! What the threads of one pool share.
//!
//! | file | noun |
//! |---|---|
//! | `registry` | the heart of a pool: all parts that its threads share |
//! | `shared_registry`, `ref_count` | what keeps it alive |
//! | `seat`, `table`, `local` | a thread's place in a pool, and how to find it |
//! | `admission`, `free_seats` | which threads get seats |
//! | `workers`, `spares`, `members` | the threads of the pool, in lists |
//! | `waking`, `scan` | waking the threads that the idle set chooses; whether there is work |
//! | `lifetime`, `held_open` | what the end of a pool waits for |
//! | `hooks`, `notify` | the border to the program's own code; what happens on a seat, told |
//! | `thread_requests`, `refusal`, `thread_limit` | threads asked for, refused, and allowed |
//! | `spawn_retry` | pools that wait for a thread |
//! | `block_state` | what the occupant of a seat has said of its blocking |
//! | `wait_policy`, `next` | what a waiting thread may run; what a thread does after a stolen job |
//!
//! A pool is a table of seats, and each seat knows its pool: the registry, the seat, the table,
//! what a thread knows of its seat (`local`), and the hooks, which run outside of every seat, are
//! one circle. All other files are on one side of it. What starts a thread is a function that the
//! builder gives to `thread_requests`, because a worker stands on all of this.

#[cfg(not(drumline_loom))]
mod admission;
pub(super) mod block_state;
#[cfg(not(drumline_loom))]
mod free_seats;
#[cfg(not(drumline_loom))]
pub(super) mod held_open;
#[cfg(not(drumline_loom))]
pub(super) mod hooks;
#[cfg(not(drumline_loom))]
pub(super) mod lifetime;
#[cfg(not(drumline_loom))]
pub(crate) mod local;
#[cfg(not(drumline_loom))]
mod members;
#[cfg(not(drumline_loom))]
pub(super) mod next;
#[cfg(not(drumline_loom))]
pub(super) mod notify;
#[cfg(any(not(drumline_loom), test))]
pub(super) mod ref_count;
#[cfg(not(drumline_loom))]
pub(super) mod refusal;
#[cfg(not(drumline_loom))]
pub(super) mod registry;
#[cfg(not(drumline_loom))]
pub(super) mod scan;
#[cfg(not(drumline_loom))]
pub(super) mod seat;
#[cfg(not(drumline_loom))]
pub(super) mod shared_registry;
#[cfg(not(drumline_loom))]
mod spares;
#[cfg(not(drumline_loom))]
pub(super) mod spawn_retry;
#[cfg(not(drumline_loom))]
pub(super) mod table;
#[cfg(not(drumline_loom))]
pub(super) mod thread_limit;
#[cfg(not(drumline_loom))]
pub(super) mod thread_requests;
#[cfg(not(drumline_loom))]
pub(super) mod wait_policy;
#[cfg(not(drumline_loom))]
mod waking;
#[cfg(any(not(drumline_loom), test))]
pub(super) mod workers;
