//! The state of a scope: its jobs, and who runs them.
//!
//! # What it owns
//!
//! The jobs that were spawned and not begun, the seats that run jobs now, the
//! number of all that are not done (the body counts as one), the first panic.
//! All of it is under one mutex: a spawn has paid for an allocation already.
//!
//! # Tickets
//!
//! The pool's queues do not hold jobs of scopes but *tickets*: references to
//! the scope. Whoever takes a ticket begins one job of the scope, if any is left.
//! So the scope's own wait can run the scope's jobs, and no others, without
//! searching the queues.
//!
//! As many tickets are out as there are jobs, but never more than threads that
//! could take them: spawning a thousand jobs queues a handful of tickets. Who
//! takes a ticket and leaves jobs behind puts a new one out before it begins.
//! So **where a job is left, a ticket is out** (or in the hands of somebody who
//! is about to put it out). A ticket without a job just goes away; the scope, on
//! the heap, lives until then. What is left in its own queue when all is done,
//! the scope takes back.
//!
//! The scope of a stream has *long-lived* jobs, all of them: consumers. Its tickets go to the
//! pool's queue for those, and are redeemed by workers that have nothing else on their stacks.
//!
//! # Who is related
//!
//! A waiting scope helps the seats that run its jobs. A seat is in `runners`
//! from before its job begins until it is done, under the mutex, and the pool
//! asks again after it has secured an entry. The floor of the seat's deque has
//! been raised before the job was entered in the list, and is lowered after it
//! was struck off. So what is taken was forked by a job of this scope.
//!
//! # The race feared
//!
//! The waiting scope looks, finds no job, and falls asleep while a job spawns
//! another. It names its sleeper under the mutex before it looks for the last
//! time; a spawn that comes later finds the name there, and rouses it.

use std::collections::VecDeque;

use crate::job::JobRef;
use crate::latch::Sleeper;
use crate::pool::{self, Registry, local};
use crate::sync::{Arc, Mutex, lock, planted};
use crate::unwind::{self, Payload};

/// In which order a scope's jobs are begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpawnOrder {
    /// The spawning thread begins the newest, others the oldest.
    Lifo,
    /// Everybody begins the oldest.
    Fifo,
}

/// A spawned closure. It hands the state back, with its panic.
pub(super) type Body<'scope> =
    Box<dyn FnOnce(Arc<ScopeState>) -> (Arc<ScopeState>, Result<(), Payload>) + Send + 'scope>;

struct Entry {
    body: Body<'static>,
    /// The seat that spawned it, or `NOWHERE`.
    home: usize,
}

/// Spawned by a thread that is not in the pool.
const NOWHERE: usize = usize::MAX;

pub(crate) struct ScopeState {
    registry: *const Registry,
    order: SpawnOrder,
    /// Its jobs are [long-lived](pool::submit_long_lived).
    long_lived: bool,
    /// So many tickets may be out.
    most_tickets: usize,
    state: Mutex<State>,
}

// SAFETY: `registry` is used as a shared reference only, and `Registry` is
// `Sync`; the rest is under the mutex.
unsafe impl Send for ScopeState {}
// SAFETY: as for `Send`.
unsafe impl Sync for ScopeState {}

struct State {
    /// Jobs that are not done, begun or not, and 1 for the body.
    pending: usize,
    jobs: VecDeque<Entry>,
    /// How many tickets are out.
    tickets: usize,
    /// Seats that run jobs, each as often as it does.
    runners: Vec<usize>,
    panic: Option<Payload>,
    /// The waiting scope.
    sleeper: Option<Sleeper>,
}

impl ScopeState {
    pub(super) fn new(registry: &Registry, order: SpawnOrder, long_lived: bool) -> Arc<Self> {
        Arc::new(ScopeState {
            registry: std::ptr::from_ref(registry),
            order,
            long_lived,
            most_tickets: registry.jobs(),
            state: Mutex::new(State {
                pending: 1,
                jobs: VecDeque::new(),
                tickets: 0,
                runners: Vec::new(),
                panic: None,
                sleeper: None,
            }),
        })
    }

    /// The pool of the scope. To be called only while the scope is not done.
    pub(crate) fn registry(&self) -> &Registry {
        // SAFETY: the frame of the scope is inside the pool or borrows its
        // handle (the global pool is never freed), and it waits for all that
        // can call this: its body, and its jobs.
        unsafe { &*self.registry }
    }

    /// Adds a job, and a ticket for it.
    pub(super) fn push(self: &Arc<Self>, body: Body<'static>) {
        let registry = self.registry();
        registry.forbid_fork();
        let home = local::find(registry).map_or(NOWHERE, |seat| seat.index());
        // Where calls run on their threads, without workers, the scope's wait takes the job.
        let is_for_others =
            self.long_lived || home != NOWHERE || registry.workers() > 0 || !registry.has_guests();
        let (more, sleeper) = {
            let mut state = lock(&self.state);
            state.pending += 1;
            state.jobs.push_back(Entry { body, home });
            (
                is_for_others && self.needs_ticket(&mut state),
                state.sleeper,
            )
        };
        if more && self.long_lived {
            if let Some(_open) = pool::open_for_long_lived(registry) {
                self.put_out();
            }
        } else if more {
            self.put_out();
        }
        if let Some(sleeper) = sleeper {
            // SAFETY: the caller is part of the scope, which is therefore not
            // done, and whose pool is alive.
            unsafe { sleeper.rouse() };
        }
    }

    /// The scope's wait is about to sleep outside the pool: puts out tickets for all jobs that are
    /// left. There may be none, if the pool has got its first worker just now.
    pub(super) fn leave_to_others(self: &Arc<Self>) {
        while !self.long_lived && self.needs_ticket(&mut lock(&self.state)) {
            self.put_out();
        }
    }

    /// Whether another ticket is to be put out; counts it as out.
    fn needs_ticket(&self, state: &mut State) -> bool {
        let more = state.tickets < self.most_tickets.min(state.jobs.len());
        state.tickets += usize::from(more);
        more
    }

    fn put_out(self: &Arc<Self>) {
        let ticket = JobRef {
            data: Arc::into_raw(Arc::clone(self)).cast(),
            run: redeem,
        };
        if self.long_lived {
            pool::submit_long_lived(self.registry(), ticket);
        } else {
            pool::submit(self.registry(), ticket, false);
        }
    }

    /// When the scope is done: what panicked first. Takes tickets back that
    /// are in the queue of this thread and of no use any more.
    pub(super) fn close(self: &Arc<Self>, registry: &Registry) -> Option<Payload> {
        let (panic, tickets) = {
            let mut state = lock(&self.state);
            (state.panic.take(), state.tickets)
        };
        if tickets > 0 {
            self.recall(registry);
        }
        panic
    }

    fn recall(self: &Arc<Self>, registry: &Registry) {
        let seat = local::find(registry);
        let queue = seat.map_or(registry.injector(), |seat| seat.queue());
        let address = Arc::as_ptr(self).cast();
        let withdraw = || {
            if self.long_lived {
                registry.long_lived().withdraw_any(address)
            } else {
                queue.withdraw(address)
            }
        };
        let mut has_withdrawn = false;
        while withdraw() {
            has_withdrawn = true;
            // SAFETY: at this address there is this state, and what refers to
            // it in a queue is a ticket, for which `put_out` counted a
            // reference.
            unsafe { Arc::decrement_strong_count(Arc::as_ptr(self)) };
        }
        if has_withdrawn {
            pool::has_withdrawn(registry, seat);
        }
    }

    /// Counts jobs in that have been handed out by other means.
    pub(crate) fn expect(&self, jobs: usize) {
        lock(&self.state).pending += jobs;
    }

    /// A job that was counted by [`expect`](Self::expect) begins in this seat.
    pub(crate) fn enroll(&self, seat: usize) {
        lock(&self.state).runners.push(seat);
    }

    /// Begins a job that somebody in this seat has a ticket for. Says also
    /// whether to put out another ticket.
    fn begin(&self, seat: usize) -> Option<(Body<'static>, bool)> {
        let mut state = lock(&self.state);
        state.tickets -= 1;
        let entry = match self.order {
            SpawnOrder::Lifo if state.jobs.back()?.home == seat => state.jobs.pop_back()?,
            _ => state.jobs.pop_front()?,
        };
        state.runners.push(seat);
        let more = self.needs_ticket(&mut state) && !planted!(TicketForgotten);
        Some((entry.body, more))
    }

    /// Ends the last job that this returned, and begins another, for the
    /// waiting scope itself. That is no runner: it need not help itself. `Err`:
    /// none is left to begin; it says whether all are done.
    pub(super) fn next_own(
        &self,
        last: Option<Result<(), Payload>>,
    ) -> Result<Body<'static>, bool> {
        let mut state = match last {
            Some(Err(payload)) => {
                let _ = self.settle(None, Err(payload));
                lock(&self.state)
            }
            Some(Ok(())) => {
                let mut state = lock(&self.state);
                // The waiter is this thread, and awake.
                state.pending -= 1;
                state
            }
            None => lock(&self.state),
        };
        let entry = match self.order {
            SpawnOrder::Lifo => state.jobs.pop_back(),
            SpawnOrder::Fifo => state.jobs.pop_front(),
        };
        match entry {
            Some(entry) => Ok(entry.body),
            None => Err(state.pending == 0),
        }
    }

    /// A job in this seat is done.
    pub(crate) fn complete(&self, seat: usize, outcome: Result<(), Payload>) {
        let _ = self.settle(Some(seat), outcome);
    }

    /// The body of the scope is done. Returns whether everything is.
    pub(super) fn complete_body(&self, outcome: Result<(), Payload>) -> bool {
        self.settle(None, outcome)
    }

    /// Returns whether this was the last.
    fn settle(&self, seat: Option<usize>, outcome: Result<(), Payload>) -> bool {
        let mut surplus = outcome.err();
        let (last, sleeper) = {
            let mut state = lock(&self.state);
            if let Some(seat) = seat {
                let place = state.runners.iter().rposition(|&runner| runner == seat);
                state
                    .runners
                    .swap_remove(place.expect("whoever completes a job has begun it"));
            }
            if state.panic.is_none() {
                state.panic = surplus.take();
            }
            if surplus.is_none() {
                Self::step(&mut state)
            } else {
                (false, None)
            }
        };
        let (last, sleeper) = match surplus {
            None => (last, sleeper),
            Some(payload) => {
                // Before the scope can end: it waits for user code, and the
                // drop of a payload is user code.
                unwind::discard(payload);
                Self::step(&mut lock(&self.state))
            }
        };
        if let Some(sleeper) = sleeper {
            // SAFETY: this thread runs in the pool, or is the scope's own, so
            // the pool is alive; and only the last step finds an outsider.
            unsafe { sleeper.wake() };
        }
        last
    }

    /// One less; whether it was the last one, and whom to wake then.
    fn step(state: &mut State) -> (bool, Option<Sleeper>) {
        state.pending -= 1;
        if state.pending == 0 {
            let sleeper = state.sleeper.take();
            (true, sleeper.filter(|_| !planted!(ScopeWakesNone)))
        } else {
            (false, None)
        }
    }

    pub(super) fn is_done(&self) -> bool {
        lock(&self.state).pending == 0
    }

    pub(super) fn runner(&self, place: usize) -> Option<usize> {
        lock(&self.state).runners.get(place).copied()
    }

    pub(super) fn is_runner(&self, seat: usize) -> bool {
        lock(&self.state).runners.contains(&seat)
    }

    /// Names whom to wake; `false`: it is done.
    pub(super) fn watch(&self, sleeper: Sleeper) -> bool {
        let mut state = lock(&self.state);
        state.sleeper = Some(sleeper);
        state.pending > 0
    }
}

/// Begins a job of a scope, if there is one left.
///
/// # Safety
///
/// `data` is the state of a ticket, and the ticket is used once.
unsafe fn redeem(data: *const ()) {
    // SAFETY: the reference that `put_out` leaked, taken once.
    let state = unsafe { Arc::from_raw(data.cast::<ScopeState>()) };
    let seat = local::seat().expect("jobs run in seats").index();
    if let Some((body, more)) = state.begin(seat) {
        if more {
            state.put_out();
        }
        let (state, outcome) = body(state);
        state.complete(seat, outcome);
    }
}
