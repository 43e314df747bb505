//! Pools: threads, and the scheduler that keeps them busy.
//!
//! | file | noun |
//! |---|---|
//! | `deque`, `slot` | pending halves of joins, public to thieves |
//! | `queue` | spawned jobs |
//! | `handshake` | how owners change over to fences when the barrier is lost |
//! | `scan` | whether there is anything, and whether that is certain |
//! | `seat`, `table`, `local` | a thread's place in a pool, and how to find it |
//! | `line`, `idle` | who watches and who sleeps |
//! | `thief` | taking work from others |
//! | `waiting`, `wait_policy` | the one loop that waits, and what it may run |
//! | `elsewhere` | waiting in one pool for what happens in another |
//! | `room` | room on the stack for what it runs |
//! | `compensate`, `conduct` | what becomes of the place of a thread that blocks |
//! | `monitor` | noticing that a thread blocks |
//! | `reserve` | whether a thread that only waits is replaced |
//! | `refusal`, `starved` | when the system refuses a thread, and pools that wait for one |
//! | `worker`, `guest` | threads of the pool, and threads that call it |
//! | `submit`, `yielding` | spawned jobs on their way in, and on request out |
//! | `registry`, `limit` | what they share |
//! | `hooks` | the border to the program's own code that the scheduler calls |
//! | `event`, `tell`, `trace`, `warning` | what the program hears of them |
//! | `counters`, `stats` | how often things happen |
//! | `builder`, `recruit`, `build_error`, `handle`, `global` | the public face |

mod conduct;
mod deque;
mod handshake;
mod idle;
mod line;
mod slot;

#[cfg(all(test, loom))]
mod models;
#[cfg(all(test, shuttle))]
mod programs;

#[cfg(not(loom))]
mod build_error;
#[cfg(not(loom))]
mod builder;
#[cfg(not(loom))]
mod compensate;
#[cfg(not(loom))]
mod counters;
#[cfg(not(loom))]
mod elsewhere;
#[cfg(not(loom))]
mod event;
#[cfg(not(loom))]
mod global;
#[cfg(not(loom))]
pub(crate) mod guest;
#[cfg(not(loom))]
mod handle;
#[cfg(not(loom))]
mod hooks;
#[cfg(not(loom))]
mod limit;
#[cfg(not(loom))]
pub(crate) mod local;
#[cfg(not(loom))]
mod monitor;
#[cfg(not(loom))]
mod queue;
#[cfg(not(loom))]
mod recruit;
#[cfg(not(loom))]
mod refusal;
#[cfg(all(test, not(loom), not(miri)))]
mod refused_tests;
#[cfg(not(loom))]
mod registry;
#[cfg(not(loom))]
mod reserve;
#[cfg(not(loom))]
pub(crate) mod room;
#[cfg(not(loom))]
mod scan;
#[cfg(not(loom))]
mod seat;
#[cfg(all(test, not(loom)))]
mod small_tests;
#[cfg(not(loom))]
mod starved;
#[cfg(not(loom))]
mod stats;
#[cfg(not(loom))]
mod submit;
#[cfg(not(loom))]
mod table;
#[cfg(not(loom))]
mod tell;
#[cfg(not(loom))]
mod thief;
#[cfg(not(loom))]
mod trace;
#[cfg(not(loom))]
mod wait_policy;
#[cfg(not(loom))]
pub(crate) mod waiting;
#[cfg(not(loom))]
mod warning;
#[cfg(not(loom))]
mod worker;
#[cfg(not(loom))]
mod yielding;

#[cfg(not(loom))]
use crate::unwind;

#[cfg(not(loom))]
pub use {
    build_error::BuildError,
    builder::{IntoJobs, PoolBuilder},
    event::Event,
    global::{current_jobs, worker_index},
    handle::{Pool, ShutdownError},
    recruit::ThreadBuilder,
    stats::Stats,
    wait_policy::WaitPolicy,
    warning::Warning,
    yielding::{Yield, yield_local, yield_now},
};

#[cfg(not(loom))]
pub(crate) use {
    deque::Deque,
    global::{in_any, in_global, registry as global_registry},
    guest::{is_inmost, may_visit, visit},
    handle::install,
    registry::{Registry, Shared},
    slot::Slot,
    submit::{submit, submit_long_lived, takes_long_lived},
};

/// After a push that found the deque's limit changed: answers those who asked.
/// `false`: the deque is full (or a gate), and the push is undone.
#[cfg(not(loom))]
#[cold]
#[inline(never)]
pub(crate) fn attend(deque: &Deque, slot: *mut Slot) -> bool {
    let Some(reasons) = deque.attend(slot) else {
        return false;
    };
    if let Some(seat) = local::seat() {
        // The push stands, and the job refers to a frame below.
        unwind::never(|| seat.answer(reasons));
    }
    true
}

/// Between two pushes: answers those who asked the owner of `deque`.
#[cfg(not(loom))]
#[cold]
#[inline(never)]
pub(crate) fn answer(deque: &Deque) {
    let reasons = deque.take_reasons();
    if let Some(seat) = local::seat() {
        unwind::never(|| seat.answer(reasons));
    }
}
