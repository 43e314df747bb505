//! Loom models of the pool's protocols: the very code that ships, explored in
//! every order of its steps (within a bound on preemptions, stated per model).
//!
//! | file | race |
//! |---|---|
//! | `deque` | owner against thieves: each entry to exactly one of them |
//! | `overflow` | a full deque is continued in another |
//! | `take_back` | the owner takes back what a thief has not started |
//! | `latch` | the owner sleeps until the thief is done, then frees the frame |
//! | `mark` | publishing against marking and scanning |
//! | `early_barrier` | the same two races before the system has answered |
//! | `lost_barrier` | the same two races where the barrier is lost, and owners change over |
//! | `idle` | which worker searches and which ones sleep: no lost wake-up |
//! | `hand_off` | a task that a worker hands to itself, and a thief that takes it |
//! | `job_ring` | tasks that a worker queues without a lock: each one to one thread |
//! | `share` | jobs that a thief moves to its own queue: each one to one thread, and none unseen |
//! | `injector` | jobs from outside: each one to exactly one thread, and none unseen |
//! | `alert` | work from outside against a searcher that naps and a place that becomes free |
//! | `guest` | threads that come and go, and threads that wait |
//! | `spares` | threads that block, threads that take their places, and the monitor |
//! | `waiters` | threads that wait and would run any job |
//! | `ref_count` | references to a pool: the last one frees it, and no other does |
//! | `shutdown` | the end of a pool |
//! | `workerless` | what is queued in a pool without workers |
//!
//! `sync::barrier_sequence` has its own models: one barrier for several threads.
//!
//! Every model is also run with planted bugs ([`Plant`](crate::sync::plant))
//! and must fail then. [`pool`], of a [`shape`], is the driver that the last five share.
//!
//! The models share things by `std`'s `Arc`, because loom's own panics once more while a model that
//! failed is taken down. The thread that joins the others drops it.

#![allow(
    clippy::arc_with_non_send_sync,
    reason = "loom's threads are coroutines of one, and loom checks what they share"
)]

mod alert;
mod deque;
mod early_barrier;
mod guest;
mod hand_off;
mod helper;
mod idle;
mod injector;
mod job_ring;
mod latch;
mod lost_barrier;
mod mark;
mod overflow;
mod pool;
mod ref_count;
mod scan;
mod shape;
mod share;
mod shutdown;
mod spares;
mod take_back;
mod waiters;
mod workerless;

use loom::cell::UnsafeCell;
use std::sync::Arc;

use super::deque::slot::{Slot, StealState};
use super::deque::{Deque, Effort, Reasons, Steal, Stolen};
use crate::job::Header;
use crate::sync::exploration::bounded;
use crate::wait::Parker;

/// Explores `model` in all orders with at most `preemptions` unforced switches.
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// A job that counts its runs. Not atomically: two runs that are not ordered
/// by the protocol are a data race, which loom reports.
#[repr(C)]
struct Task {
    header: Header,
    runs: UnsafeCell<usize>,
    waits_for: Option<Arc<Parker>>,
}

impl Task {
    fn new() -> Self {
        Task {
            header: Header::new(Self::run_at),
            runs: UnsafeCell::new(0),
            waits_for: None,
        }
    }

    /// A job that does not end before this is unparked.
    fn waiting_for(event: &Arc<Parker>) -> Self {
        Task {
            waits_for: Some(Arc::clone(event)),
            ..Task::new()
        }
    }

    fn job(&self) -> *const Header {
        std::ptr::from_ref(self).cast()
    }

    fn run(&self) {
        // SAFETY: loom checks that accesses are ordered; the pointer is good.
        self.runs.with_mut(|runs| unsafe { *runs += 1 });
        if let Some(event) = &self.waits_for {
            event.park();
        }
    }

    /// # Safety
    ///
    /// `data` comes from [`job`](Self::job) of a task that is alive.
    unsafe fn run_at(data: *const ()) {
        // SAFETY: the caller's obligation.
        unsafe { &*data.cast::<Task>() }.run();
    }

    /// How often it ran; all runs must have been published to the caller.
    fn runs(&self) -> usize {
        // SAFETY: as in `run`.
        self.runs.with(|runs| unsafe { *runs })
    }

    fn assert_once(&self) {
        assert_eq!(self.runs(), 1, "a job runs exactly once");
    }
}

/// Some tasks that a model's threads share.
fn tasks(count: usize) -> Arc<Vec<Task>> {
    Arc::new((0..count).map(|_| Task::new()).collect())
}

/// As `Seat::run_stolen`, without a seat: runs what was taken, unless its owner
/// has it back. Returns whether the owner has to be woken.
fn run_stolen(stolen: &Stolen, thief: usize) -> bool {
    // SAFETY: the models keep their deques alive.
    let slot = unsafe { &*stolen.slot };
    assert!(!stolen.job.is_null(), "an entry that was never written");
    if slot.start(thief) {
        // SAFETY: `start` was won, so the job is alive and this thread's.
        unsafe { Header::run(stolen.job) };
        slot.finish(thief)
    } else {
        false
    }
}

/// One attempt to steal and run one entry. Returns whether one was taken.
fn raid(deque: &Deque, thief: usize, batch: usize) -> bool {
    let effort = match batch {
        0 => Effort::Look,
        batch => Effort::Force(batch),
    };
    match deque.steal(thief, effort, None) {
        Steal::Taken(stolen) => {
            let _ = run_stolen(&stolen, thief);
            true
        }
        Steal::Empty | Steal::Missed | Steal::Busy => false,
    }
}

/// Owner: the push of a `join`, and what it owes to the threads that asked for attention. `None`:
/// the deque is full.
fn push(deque: &Deque, job: *const Header) -> (*mut Slot, Option<Reasons>) {
    let slot = deque.vacant();
    // SAFETY: the models push on the owner's thread, and keep the job alive.
    let asked = unsafe { deque.push::<false>(slot, job) };
    let reasons = if asked {
        deque.attend(slot)
    } else {
        Some(Reasons::NONE)
    };
    (slot, reasons)
}

/// Owner: takes its newest entry back, as the end of `join`. `false`: a thief
/// has it.
fn pop(deque: &Deque, slot: *mut Slot) -> bool {
    // SAFETY: the models pop on the owner's thread, newest first.
    unsafe { deque.pop::<false>(slot) || deque.reclaim(slot) }
}

/// Owner: as the end of `join`, with a wait that spins.
fn finish_join(deque: &Deque, slot: *mut Slot, task: &Task) {
    if pop(deque, slot) {
        task.run();
        return;
    }
    settle(deque, slot, task);
}

/// Owner: as `waiting::settle`, with a wait that spins.
fn settle(deque: &Deque, slot: *mut Slot, task: &Task) {
    // SAFETY: the deque is alive.
    let entry = unsafe { &*slot };
    if entry.take_back() {
        task.run();
    } else {
        while entry.progress() != StealState::Done {
            loom::thread::yield_now();
        }
        task.assert_once();
    }
    deque.release(slot);
}
