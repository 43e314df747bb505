//! The requests for the threads of one pool, and which thread serves them.
//!
//! One thread at a time starts threads, on its own account or on that of others: it *serves* the
//! requests. A thread that has a request while another one serves leaves it there and goes on. So
//! no thread waits for the hooks that run meanwhile: the name of a thread, the program's own way
//! to start one. A hook that asks for threads itself does not wait for itself.
//!
//! The threads are started elsewhere (`pool::workers::thread_starter`), because they run what knows
//! this: a pool has a function that starts its spares.

use std::time::Duration;

use super::hooks::{self, NameHook};
use super::refusal::Refusals;
use super::registry::Registry;
use crate::sync::{Mutex, lock};
use crate::unwind;

/// The stack of a worker unless told otherwise: that of a main thread.
const STACK_SIZE: usize = 8 << 20;

/// What every thread of a pool gets.
#[derive(Default)]
pub(crate) struct ThreadSettings {
    pub(crate) name: Option<NameHook>,
    pub(crate) stack_size: Option<usize>,
}

/// The requests for threads of one pool.
pub(crate) struct ThreadRequests {
    requests: Mutex<Requests>,
    stack_size: usize,
    /// Starts a spare for the pool, and serves what is asked meanwhile.
    start_spares: fn(&Registry),
}

struct Requests {
    /// The name hook; away while it runs.
    name: Option<NameHook>,
    /// How many workers are asked for and not started.
    workers: usize,
    /// How many spares are asked for and not started.
    spares: usize,
    /// Whether a thread serves the requests.
    served: bool,
    refusals: Refusals,
}

/// What a thread is started for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThreadKind {
    /// One of the pool's jobs.
    Worker,
    /// The place of a thread that blocks.
    Spare,
}

/// What the thread that serves has to do next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Request {
    /// To start a thread with this seat. It is counted from now on.
    Start(ThreadKind, usize),
    /// To ask for a spare again later: the system has refused one just now.
    PutOff,
}

impl ThreadRequests {
    /// Of a pool whose spares are started by `start_spares`.
    pub(crate) fn new(settings: ThreadSettings, start_spares: fn(&Registry)) -> Self {
        ThreadRequests {
            requests: Mutex::new(Requests {
                name: settings.name,
                workers: 0,
                spares: 0,
                served: false,
                refusals: Refusals::new(),
            }),
            stack_size: settings.stack_size.unwrap_or(STACK_SIZE),
            start_spares,
        }
    }

    /// The stack of a thread, in bytes.
    pub(crate) fn stack_size(&self) -> usize {
        self.stack_size
    }

    /// Has a spare started, for a thread that blocks.
    pub(crate) fn start_spares(&self, registry: &Registry) {
        (self.start_spares)(registry);
    }

    /// Asks for workers until `registry` has `wanted`. Returns whether the caller has to serve
    /// that, and all that is asked for meanwhile.
    #[must_use]
    pub(crate) fn ask_for_workers(&self, registry: &Registry, wanted: usize) -> bool {
        self.ask(|requests| {
            let missing = wanted.saturating_sub(registry.workers());
            requests.workers = requests.workers.max(missing);
        })
    }

    /// Asks for `count` spares. Returns whether the caller has to serve that, and all that is
    /// asked for meanwhile.
    #[must_use]
    pub(crate) fn ask_for_spares(&self, count: usize) -> bool {
        self.ask(|requests| requests.spares += count)
    }

    /// Takes note of a request. Returns whether no thread serves.
    fn ask(&self, note: impl FnOnce(&mut Requests)) -> bool {
        let mut requests = lock(&self.requests);
        note(&mut requests);
        !std::mem::replace(&mut requests.served, true)
    }

    /// The next request. With none left, the caller no longer serves.
    pub(crate) fn next(&self, registry: &Registry) -> Option<Request> {
        let mut requests = lock(&self.requests);
        if requests.workers > 0 {
            let wanted = registry.workers() + requests.workers;
            // The idle set says no where spares are allowed, and the seats where none are.
            let is_fixed = registry.is_fixed();
            let is_wanted = is_fixed || registry.idle_set().expect_worker(wanted);
            if let Some(index) = is_wanted.then(|| registry.seat_worker()).flatten() {
                if is_fixed {
                    let is_wanted = registry.idle_set().expect_worker(wanted);
                    debug_assert!(is_wanted, "a fixed pool has no limit on workers");
                }
                requests.workers -= 1;
                return Some(Request::Start(ThreadKind::Worker, index));
            }
            // Spares are there instead, and work like any worker; or the seats are for callers.
            requests.workers = 0;
        }
        if requests.spares == 0 {
            requests.served = false;
            return None;
        }
        requests.spares -= 1;
        if requests.refusals.is_put_off() {
            return Some(Request::PutOff);
        }
        let index = registry.spare_seat();
        registry.spares().add(index);
        Some(Request::Start(ThreadKind::Spare, index))
    }

    /// The system has refused a worker, and would refuse the others as well. Returns how many those
    /// are; they are asked for no longer.
    pub(crate) fn drop_workers(&self) -> usize {
        std::mem::take(&mut lock(&self.requests).workers)
    }

    /// The system has refused a spare, which `took` this long. Returns how many times it did since
    /// the program last heard of it, if the program has to hear of it now.
    #[must_use]
    pub(crate) fn note_refusal(&self, took: Duration, spell: usize) -> Option<u64> {
        lock(&self.requests).refusals.note(took, spell)
    }

    /// The name for a thread, if the program names its threads. Called by the thread that serves.
    pub(crate) fn name(&self, registry: &Registry, index: usize) -> Option<String> {
        let mut hook = lock(&self.requests).name.take()?;
        let name = hooks::name_thread(registry.hooks(), &mut hook, index);
        lock(&self.requests).name = Some(hook);
        name
    }

    /// A thread was to be had, or may be: the next request is not put off.
    pub(crate) fn forgive(&self) {
        lock(&self.requests).refusals.forgive();
    }

    /// How many threads the system has refused.
    pub(crate) fn refused(&self) -> u64 {
        lock(&self.requests).refusals.total()
    }
}

/// Hooks that are dropped may panic, and a pool may be dropped on a thread of its own.
impl Drop for ThreadRequests {
    fn drop(&mut self) {
        unwind::discard(lock(&self.requests).name.take());
    }
}
