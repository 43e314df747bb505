//! Pools: threads, and the scheduler that keeps them busy.
//!
//! Each folder is a room. Arrows between rooms point down this list only, and `cargo xtask arrows`
//! holds the source to that:
//!
//! | room | what it has |
//! |---|---|
//! | `api` | the public face: builder, handle, the global pool |
//! | `waiting` | the one loop that waits, what it may run, and what is run on request |
//! | `workers` | threads that run jobs and take them from others, and how they are started |
//! | `calls` | guests, jobs on their way in, and a pool that has no workers |
//! | `blocking` | what becomes of the place of a thread that blocks |
//! | `shared` | what the threads share: the registry and its parts, seats, waking, hooks |
//! | `deque`, `queues`, `idle`, `observe` | pending halves; jobs; which worker searches; events |
//!
//! The four rooms of the last line know no other. `models` and `programs` are tests.

#[cfg(not(drumline_loom))]
mod api;
#[cfg(not(drumline_loom))]
mod blocking;
#[cfg(not(drumline_loom))]
mod calls;
mod deque;
mod idle;
#[cfg(not(drumline_loom))]
mod observe;
mod queues;
mod shared;
#[cfg(not(drumline_loom))]
pub(crate) mod waiting;
#[cfg(not(drumline_loom))]
mod workers;

#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(all(test, drumline_shuttle))]
mod programs;

#[cfg(all(test, not(drumline_loom), not(miri)))]
mod refused_tests;
#[cfg(all(test, not(drumline_loom)))]
mod small_tests;

#[cfg(not(drumline_loom))]
use crate::unwind;

#[cfg(not(drumline_loom))]
pub use {
    api::build_error::BuildError,
    api::builder::{IntoJobs, PoolBuilder},
    api::global::{current_jobs, worker_index},
    api::handle::{Pool, ShutdownError},
    api::stats::Stats,
    observe::event::Event,
    observe::warning::Warning,
    shared::wait_policy::WaitPolicy,
    waiting::yielding::{Yield, yield_local, yield_now},
    workers::thread_builder::ThreadBuilder,
};

#[cfg(not(drumline_loom))]
pub(crate) use {
    api::global::{in_any, in_global, registry as global_registry},
    calls::guest::{self, is_in_any, is_inmost, may_work, visit},
    calls::submit::{
        QueuedIn, WakeOrigin, has_withdrawn, open_for_long_lived, report_later, submit,
        submit_behind, submit_long_lived, submit_oldest, submit_plain, submit_woken,
    },
    deque::Deque,
    deque::slot::Slot,
    queues::spent,
    queues::suspended::{Node, SuspendedList},
    shared::held_open::{HeldOpen, KeptOpen},
    shared::local,
    shared::next::do_next,
    shared::registry::Registry,
    shared::seat::Seat,
    shared::shared_registry::SharedRegistry,
    waiting::hand_over::{install, work_in},
    waiting::signal::{Signal, is_sent_for, run_what_is_sent, serves_while_waiting},
    waiting::stack_room,
};

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
pub(crate) use shared::next::take_next;
#[cfg(not(drumline_loom))]
pub(crate) use workers::run_length::note as note_run_length;

/// After a push that found the deque's limit changed: answers the threads that asked. `false`: the
/// deque is full (or a trampoline), and the push is undone.
#[cfg(not(drumline_loom))]
#[cold]
#[inline(never)]
pub(crate) fn attend(deque: &Deque, slot: *mut Slot) -> bool {
    waiting::forget_thieves_of_parent(deque);
    let Some(reasons) = deque.attend(slot) else {
        return false;
    };
    if let Some(seat) = local::seat() {
        // The push stands, and the job refers to a frame below.
        unwind::never(|| seat.answer(reasons));
    }
    true
}

/// Between two pushes: answers the threads that asked the owner of `deque`.
#[cfg(not(drumline_loom))]
#[cold]
#[inline(never)]
pub(crate) fn answer(deque: &Deque) {
    let reasons = deque.take_reasons();
    if let Some(seat) = local::seat() {
        unwind::never(|| seat.answer(reasons));
    }
}
