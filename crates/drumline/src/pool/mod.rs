//! Pools: threads, and the scheduler that keeps them busy.
//!
//! | file | noun |
//! |---|---|
//! | `deque`, `slot` | pending halves of joins, public to thieves |
//! | `job_queue` | spawned jobs |
//! | `spent` | tickets in queues that are of no use any more |
//! | `hand_off` | the task that a worker runs next |
//! | `suspended` | the futures that wait |
//! | `handshake` | how owners change over to fences when the barrier is lost |
//! | `scan` | whether there is anything, and whether that is certain |
//! | `seat`, `table`, `local` | a thread's place in a pool, and how to find it |
//! | `idle`, `seat_set`, `seat_bits` | which worker searches, which ones sleep; seats in use |
//! | `thief` | taking work from others |
//! | `steal_backoff`, `run_length` | whether it was worth it |
//! | `overdue` | when a worker takes a job that has waited for long |
//! | `waiting`, `wait_policy` | the one loop that waits, and what it may run |
//! | `elsewhere` | waiting in one pool for what happens in another |
//! | `stack_room` | room on the stack for what it runs |
//! | `compensate`, `block_state` | what becomes of the place of a thread that blocks |
//! | `monitor` | noticing that a thread blocks |
//! | `spare_policy`, `spare_handles` | whether a waiting thread is replaced; spares' threads |
//! | `refusal`, `spawn_retry` | when the system refuses a thread, and pools that wait for one |
//! | `wake_backoff` | how long a searcher that was woken for nothing stays away |
//! | `worker`, `workers`, `guest` | threads of the pool, and threads that call it |
//! | `lifetime`, `held_open` | what the end of a pool waits for |
//! | `stand_in` | the work of a pool that has no workers |
//! | `submit`, `yielding` | spawned jobs on their way in, and on request out |
//! | `next` | what a thread does right after a stolen job |
//! | `registry`, `thread_limit` | what they share |
//! | `hooks` | the border to the program's own code that the scheduler calls |
//! | `event`, `notify`, `trace`, `warning` | what the program hears of them |
//! | `counters`, `stats` | how often things happen |
//! | `waiters` | which threads and tasks wait at an end of a channel |
//! | `builder`, `thread_starter`, `build_error`, `handle`, `global` | the public face |

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
    calls::guest::{self, is_inmost, may_work, visit},
    calls::submit::{
        QueuedIn, WakeOrigin, has_withdrawn, open_for_long_lived, submit, submit_behind,
        submit_long_lived, submit_oldest, submit_plain, submit_woken,
    },
    deque::Deque,
    deque::slot::Slot,
    queues::spent,
    queues::suspended::{Node, SuspendedList},
    shared::held_open::{HeldOpen, KeptOpen},
    shared::local,
    shared::next::do_next,
    shared::registry::{Registry, SharedRegistry},
    shared::seat::Seat,
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
