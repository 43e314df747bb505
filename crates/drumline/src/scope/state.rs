//! The state of a scope: its jobs, and the threads that run them.
//!
//! # What it owns
//!
//! * The jobs that were spawned and not begun, in [lists](super::job_list). The thread that opened
//!   the scope has one, and so do threads outside of the pool where one of those opened it. Other
//!   threads share as many as there are jobs in the pool, chosen by their seats.
//! * How many jobs are not done ([`JobCount`]; the body counts as one), and the sleeper of the
//!   wait. Its mutex is for the last job, and for a wait that sleeps; no other job takes it.
//! * The seats that run jobs now ([`Runners`]).
//! * The first panic.
//! * The futures of the scope that wait, so that a panic of the body finds them.
//!
//! Where jobs have one order for all threads (`Fifo`, and the scopes of streams) there is one list.
//!
//! # Tickets
//!
//! The pool's queues do not hold jobs of scopes but *tickets*: references to a list of the scope. A
//! thread that takes a ticket begins one job of that list, if any is left. So the scope's own wait
//! can run the scope's jobs, and no others, without searching the queues.
//!
//! As many tickets are out as there are jobs in the list, but never more than threads that could
//! take them: spawning a thousand jobs queues a handful of tickets. (An empty job costs some 60 ns
//! so, and cost 145 ns with a ticket for each.) A thread that takes a ticket
//! and leaves jobs behind puts a new one out before it begins. So **where a job is left, a ticket
//! is out** (or in the hands of a thread that is about to put it out). A ticket for the jobs of
//! another thread goes to the old end of the queue: a thread that came to help runs all that comes
//! of one job before it takes the next from there. Else each job, with the memory that it owns,
//! would go from the thread that spawned it to another one. A ticket without a job just
//! goes away; the scope, on the heap, lives until then. What is left in its own queue when all is
//! done, the scope takes back.
//!
//! The scope of a stream has *long-lived* jobs, all of them: consumers. Its tickets go to the
//! pool's queue for those, and are redeemed by workers that have nothing else on their stacks.
//!
//! # Futures
//!
//! A future of a scope counts as one job for its whole life, and each of its runs as one more. The
//! run that ends it counts both out. So the scope is not done while a wake-up can still queue a
//! run, and what a thread counts in that wakes the future, it counts in while the scope is not
//! done.
//!
//! # Which seats are related
//!
//! A waiting scope helps the seats that run its jobs. A seat is among the runners from before its
//! job begins until it is done, and the pool asks again after it has secured an entry. The floor of
//! the seat's deque has been raised before the job was enrolled, and is lowered after it was struck
//! off. So what is taken was forked by a job of this scope.
//!
//! # The race feared
//!
//! *The waiting scope looks, finds no job, and falls asleep while a job spawns another.* It names
//! its parker (`roused`) and then looks for the last time, under the lock of each list. A push
//! looks at the name after it has had that lock. So if the push comes later, it finds the name, and
//! rouses it; if it comes earlier, the look finds the job. The further lists may not be there yet
//! when the scope looks: a push to one of those fences, and so does the scope.
//!
//! What the last job and the sleeper do is the matter of [`JobCount`].

use std::cell::Cell;
use std::ptr;
use std::sync::OnceLock;

use super::job_list::{JobList, ScopeJob};
use crate::job::JobRef;
use crate::latch::{JobCount, Runner, Runners, Sleeper};
use crate::pool::{self, Registry, SuspendedList, local};
use crate::sync::{Arc, Mutex, lock};
use crate::unwind::{self, Payload};

/// More lists than this are no use: as many threads at least would have to spawn at once.
const MOST_LISTS: usize = 64;

/// How many jobs of its own list a waiting scope begins before it looks at the other lists first.
const OWN_IN_A_ROW: usize = 16;

/// The same, before it begins a closure of another list though its own has some.
const OWN_BEFORE_CLOSURES: usize = 64 * OWN_IN_A_ROW;

/// In which order a scope's jobs are begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpawnOrder {
    /// The spawning thread begins the newest, others the oldest.
    Lifo,
    /// Each thread begins the oldest.
    Fifo,
}

/// A spawned closure. It hands the state back, with its panic.
pub(super) type Body<'scope> =
    Box<dyn FnOnce(Arc<ScopeState>) -> (Arc<ScopeState>, Result<(), Payload>) + Send + 'scope>;

/// Spawned by a thread that is not in the pool.
const NOWHERE: usize = usize::MAX;

pub(crate) struct ScopeState {
    registry: *const Registry,
    order: SpawnOrder,
    /// Its jobs are [long-lived](pool::submit_long_lived).
    long_lived: bool,
    /// This many tickets may be out for one list.
    most_tickets: usize,
    /// Jobs that are not done, begun or not, and the body.
    count: JobCount,
    /// The seat that opened the scope, or `NOWHERE`.
    home: usize,
    /// Jobs that were spawned there; all, where they have one order.
    list: JobList,
    /// Jobs that were spawned elsewhere.
    further: OnceLock<Box<[FurtherList]>>,
    runners: Runners,
    /// The first panic, of a job or of the body.
    panic: OnceLock<Mutex<Option<Payload>>>,
    /// The futures that wait. There once one has waited, or the body has panicked.
    suspended: OnceLock<SuspendedList>,
}

/// A list for threads that did not open the scope.
struct FurtherList {
    /// The scope that has this list.
    scope: *const ScopeState,
    list: JobList,
}

// SAFETY: `registry` is used as a shared reference only, and `Registry` is `Sync`. `scope` of a
// further list is the address of this state, and all else may be sent.
unsafe impl Send for ScopeState {}
// SAFETY: as for `Send`.
unsafe impl Sync for ScopeState {}

impl ScopeState {
    pub(super) fn new(registry: &Registry, order: SpawnOrder, long_lived: bool) -> Arc<Self> {
        Arc::new(ScopeState {
            registry: std::ptr::from_ref(registry),
            order,
            long_lived,
            most_tickets: registry.jobs(),
            count: JobCount::new(),
            home: local::find(registry).map_or(NOWHERE, |seat| seat.index()),
            list: JobList::new(),
            further: OnceLock::new(),
            runners: Runners::new(),
            panic: OnceLock::new(),
            suspended: OnceLock::new(),
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
        self.count.add(1);
        let place = self.place(home);
        let list = self.list_at(place);
        if list.push(body, home, is_for_others, self.most_tickets) {
            if self.long_lived {
                if let Some(_open) = pool::open_for_long_lived(registry) {
                    self.put_out(place);
                }
            } else {
                self.put_out(place);
            }
        }
        // SAFETY: the caller is part of the scope, which is therefore not done. The further lists
        // may not be there yet when the waiter looks.
        unsafe { self.count.rouse(place.is_some()) };
    }

    /// Adds a future, which is to be polled for the first time. There is a ticket for it in any
    /// case: the body of the scope may wait for the future.
    ///
    /// # Safety
    ///
    /// As for [`push_run`](Self::push_run). The caller is part of the scope.
    pub(super) unsafe fn push_future(self: &Arc<Self>, run: JobRef) {
        self.count.add(1);
        // SAFETY: the caller's obligation.
        unsafe { self.push_run(run) };
    }

    /// Adds a run of a future, and a ticket for it. It may be run, and the scope be done, before
    /// this returns.
    ///
    /// # Safety
    ///
    /// The run is one of a future of this scope that is not done. The pool is alive until this
    /// returns: the caller is in it, or keeps it open.
    pub(super) unsafe fn push_run(self: &Arc<Self>, run: JobRef) {
        // SAFETY: the caller keeps the pool.
        let registry = unsafe { &*self.registry };
        let home = local::find(registry).map_or(NOWHERE, |seat| seat.index());
        self.count.add(1);
        let place = self.place(home);
        if self.list_at(place).push_run(run, self.most_tickets) {
            let ticket = self.ticket(place);
            pool::submit_behind(registry, ticket);
        }
        // SAFETY: the pool is alive. The wait that is named may be over; its seat's parker is there
        // all the same.
        unsafe { self.count.rouse(place.is_some()) };
    }

    /// A future of this scope has ended. Its last run is still counted.
    pub(super) fn end_future(&self) {
        let is_last = self.count.step(1);
        debug_assert!(!is_last, "the run is counted, too");
    }

    /// The futures of this scope that wait.
    pub(super) fn suspended(&self) -> &SuspendedList {
        self.suspended
            .get_or_init(|| SuspendedList::new(self.further_len().next_power_of_two()))
    }

    /// Whether its futures are dropped instead of polled.
    pub(super) fn has_cancelled_futures(&self) -> bool {
        self.suspended.get().is_some_and(SuspendedList::is_closed)
    }

    /// The body has panicked: has the futures dropped that wait now, and those that would wait from
    /// now on.
    pub(super) fn cancel_futures(self: &Arc<Self>) {
        for run in self.suspended().close() {
            // SAFETY: the future is not done until this run has ended, and the body, which is not
            // done, keeps the pool.
            unsafe { self.push_run(run) };
        }
    }

    /// Which of the further lists the jobs of a seat go to; `None`: none of them.
    fn place(&self, home: usize) -> Option<usize> {
        let has_one_list = self.long_lived || self.order == SpawnOrder::Fifo;
        (!has_one_list && home != self.home).then(|| home % self.further_len())
    }

    fn further_len(&self) -> usize {
        self.most_tickets.clamp(1, MOST_LISTS)
    }

    fn list_at(self: &Arc<Self>, place: Option<usize>) -> &JobList {
        let Some(place) = place else {
            return &self.list;
        };
        let make = |_| FurtherList {
            scope: Arc::as_ptr(self),
            list: JobList::new(),
        };
        let make_all = || (0..self.further_len()).map(make).collect();
        &self.further.get_or_init(make_all)[place].list
    }

    fn further(&self) -> &[FurtherList] {
        self.further.get().map_or(&[], |further| further)
    }

    /// The scope's wait is about to sleep outside the pool: puts out tickets for all jobs that are
    /// left. There may be none, if the pool has got its first worker just now.
    pub(super) fn leave_to_others(self: &Arc<Self>) {
        if self.long_lived {
            return;
        }
        let places = (0..self.further().len()).map(Some);
        for place in std::iter::once(None).chain(places) {
            while self.list_at(place).needs_ticket(self.most_tickets) {
                self.put_out(place);
            }
        }
    }

    /// The address by which the queues know the tickets of a list.
    fn address(self: &Arc<Self>, place: Option<usize>) -> *const () {
        match place {
            None => Arc::as_ptr(self).cast(),
            Some(place) => ptr::from_ref(&self.further()[place]).cast(),
        }
    }

    /// A new ticket for a list.
    fn ticket(self: &Arc<Self>, place: Option<usize>) -> JobRef {
        // Counted for the ticket.
        std::mem::forget(Arc::clone(self));
        JobRef {
            data: self.address(place),
            run: if place.is_none() {
                redeem
            } else {
                redeem_further
            },
        }
    }

    fn put_out(self: &Arc<Self>, place: Option<usize>) {
        let ticket = self.ticket(place);
        if self.long_lived {
            pool::submit_long_lived(self.registry(), ticket);
        } else {
            pool::submit(self.registry(), ticket, false);
        }
    }

    /// When the scope is done: what panicked first. Takes tickets back that
    /// are in the queue of this thread and of no use any more.
    pub(super) fn close(self: &Arc<Self>, registry: &Registry) -> Option<Payload> {
        let further = self.further().iter().map(|further| &further.list);
        if std::iter::once(&self.list)
            .chain(further)
            .any(|list| list.tickets() > 0)
        {
            self.recall(registry);
        }
        let panic = self.panic.get()?;
        registry.count_scope_lock();
        lock(panic).take()
    }

    fn recall(self: &Arc<Self>, registry: &Registry) {
        let seat = local::find(registry);
        let withdraw = |place| {
            let address = self.address(place);
            if self.long_lived {
                registry.long_lived().withdraw_any(address)
            } else {
                match seat {
                    Some(seat) => seat.queue().withdraw(address),
                    None => registry.injector().withdraw(address),
                }
            }
        };
        let further = self.further().len();
        let mut has_withdrawn = false;
        while withdraw(None) || (0..further).map(Some).any(withdraw) {
            has_withdrawn = true;
            // SAFETY: at this address there is a list of this state, and what refers to
            // it in a queue is a ticket, for which `ticket` counted a
            // reference.
            unsafe { Arc::decrement_strong_count(Arc::as_ptr(self)) };
        }
        if has_withdrawn {
            pool::has_withdrawn(registry, seat);
        }
    }

    /// Counts jobs in that have been handed out by other means.
    pub(crate) fn expect(&self, jobs: usize) {
        self.count.add(jobs);
    }

    /// A job that was counted by [`expect`](Self::expect) begins in this seat.
    pub(crate) fn enroll(&self, seat: usize) -> Runner {
        self.runners.enroll(seat)
    }

    /// Begins a job that the thread in this seat has a ticket for, and puts out another ticket if
    /// one is needed. Runs it to its end.
    fn run_one(self: Arc<Self>, place: Option<usize>, seat: usize) {
        // Before the job leaves the list: the wait finds the job, or this seat.
        let runner = self.enroll(seat);
        let list = self.list_at(place);
        let Some((job, more)) = list.redeem(seat, self.order, self.most_tickets) else {
            return self.runners.strike_off(runner);
        };
        if more {
            if self.place(seat) == place {
                self.put_out(place);
            } else {
                // Another thread's jobs. What this one is about to spawn comes first: else it would
                // take one after the other from there, while its own are left to other threads.
                pool::submit_oldest(self.registry(), self.ticket(place));
            }
        }
        let (state, outcome) = job.run(self);
        state.complete(runner, outcome);
    }

    /// A job that the waiting scope itself has run has ended. `ended` counts those that are still
    /// counted as pending.
    pub(super) fn end_own(&self, outcome: Result<(), Payload>, ended: &Cell<usize>) {
        if let Err(payload) = outcome {
            self.note_panic(payload);
        }
        ended.set(ended.get() + 1);
    }

    /// Begins a job for the waiting scope itself, of its own list as a rule. That is no runner: it
    /// need not help itself.
    pub(super) fn next_own(&self, ended: &Cell<usize>) -> Option<ScopeJob> {
        let turn = ended.get();
        // What its own list has may never end: a future that yields again and again, a job that
        // spawns itself. It may wait for a job of another list, and the threads that have tickets
        // for that may wait, too. Closures come from other threads, so their turn is rare unless
        // the own list has futures only.
        let others = if turn % OWN_IN_A_ROW == OWN_IN_A_ROW - 1 {
            let is_for_closures =
                turn % OWN_BEFORE_CLOSURES == OWN_BEFORE_CLOSURES - 1 || !self.list.has_closures();
            self.of_others(JobList::take_run)
                .or_else(|| is_for_closures.then(|| self.next_of_others()).flatten())
        } else {
            None
        };
        others
            .or_else(|| self.take_own(&self.list))
            .or_else(|| self.next_of_guest())
    }

    fn take_own(&self, list: &JobList) -> Option<ScopeJob> {
        match self.order {
            SpawnOrder::Lifo => list.take_newest(),
            SpawnOrder::Fifo => list.take_oldest(),
        }
    }

    /// A job that this thread has spawned, if the scope was opened outside of the pool. The wait is
    /// a guest there, and has a list as all threads of the pool.
    fn next_of_guest(&self) -> Option<ScopeJob> {
        if self.home != NOWHERE {
            return None;
        }
        let further = self.further.get()?;
        let seat = local::find(self.registry())?.index();
        self.take_own(&further[self.place(seat)?].list)
    }

    /// The first job that `take` finds in another list.
    fn of_others(&self, take: impl Fn(&JobList) -> Option<ScopeJob>) -> Option<ScopeJob> {
        self.further()
            .iter()
            .find_map(|further| take(&further.list))
    }

    /// Begins a job of another list for the waiting scope itself.
    pub(super) fn next_of_others(&self) -> Option<ScopeJob> {
        self.of_others(JobList::take_oldest)
    }

    /// Whether another list has a job.
    pub(super) fn others_have_some(&self) -> bool {
        let mut further = self.further().iter();
        further.any(|further| further.list.has_some())
    }

    /// No job is left to begin: counts those that the waiting scope has run. Returns whether all
    /// are done.
    pub(super) fn settle(&self, ended: &Cell<usize>) -> bool {
        let ended = ended.take();
        // The waiter is this thread, and awake.
        if ended > 0 {
            self.count.step(ended)
        } else {
            self.is_done()
        }
    }

    /// A job is done.
    pub(crate) fn complete(&self, runner: Runner, outcome: Result<(), Payload>) {
        if let Err(payload) = outcome {
            self.note_panic(payload);
        }
        self.runners.strike_off(runner);
        if self.count.step(1) {
            self.wake_sleeper();
        }
    }

    /// The body of the scope is done. Returns whether everything is.
    pub(super) fn complete_body(&self) -> bool {
        // The waiter is this thread, and awake.
        self.count.step(1)
    }

    /// A handle goes away that holds the panic of a future: keeps the payload if the scope is not
    /// done. Gives it back otherwise.
    pub(super) fn note_late_panic(&self, payload: Payload) -> Result<(), Payload> {
        // SAFETY: the handle keeps the pool's memory.
        let registry = unsafe { &*self.registry };
        // Counted in, the scope waits for this.
        if !self.count.try_add() {
            return Err(payload);
        }
        self.note_panic(payload);
        if self.count.step(1) {
            registry.count_scope_lock();
            if let Some(sleeper) = self.count.take_sleeper() {
                // SAFETY: only the last step finds an outsider, whose frame waits for this; the
                // parker of a member is part of the pool's memory.
                unsafe { sleeper.wake() };
            }
        }
        Ok(())
    }

    /// Keeps the payload of a panic, or drops it if it is not the first. Before the scope can end:
    /// to drop a payload is to run code of the program.
    pub(super) fn note_panic(&self, payload: Payload) {
        self.registry().count_scope_lock();
        let first = self.panic.get_or_init(|| Mutex::new(None));
        let surplus = {
            let mut first = lock(first);
            match *first {
                Some(_) => Some(payload),
                None => {
                    *first = Some(payload);
                    None
                }
            }
        };
        if let Some(payload) = surplus {
            unwind::discard(payload);
        }
    }

    /// After the last step. The frame of the scope may be gone, but not this state.
    fn wake_sleeper(&self) {
        // SAFETY: the last step was that of a job, in a thread of the pool.
        unsafe { &*self.registry }.count_scope_lock();
        if let Some(sleeper) = self.count.take_sleeper() {
            // SAFETY: this thread runs in the pool, or is the scope's own, so
            // the pool is alive; and only the last step finds an outsider.
            unsafe { sleeper.wake() };
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.count.is_done()
    }

    pub(super) fn runners(&self) -> &Runners {
        &self.runners
    }

    /// Names whom to wake; `false`: it is done, and none will be woken.
    pub(super) fn watch(&self, sleeper: Sleeper) -> bool {
        // SAFETY: the scope waits, in a frame that keeps the pool.
        unsafe { &*self.registry }.count_scope_lock();
        self.count.watch(sleeper)
    }
}

/// Begins a job of a scope, from the list of the thread that opened it, if there is one left.
///
/// # Safety
///
/// `data` is the state of a ticket, and the ticket is used once.
unsafe fn redeem(data: *const ()) {
    // SAFETY: the reference that `ticket` counted, taken once.
    let state = unsafe { Arc::from_raw(data.cast::<ScopeState>()) };
    let seat = local::seat().expect("jobs run in seats").index();
    state.run_one(None, seat);
}

/// As [`redeem`], from one of the further lists.
///
/// # Safety
///
/// `data` is the list of a ticket, and the ticket is used once.
unsafe fn redeem_further(data: *const ()) {
    let further = data.cast::<FurtherList>();
    // SAFETY: the list belongs to the state, to which the ticket is a reference.
    let scope = unsafe { (*further).scope };
    // SAFETY: the reference that `ticket` counted, taken once.
    let state = unsafe { Arc::from_raw(scope) };
    let first = state.further().as_ptr();
    // SAFETY: both point into the further lists, which are one slice.
    let place = unsafe { further.offset_from(first) };
    let place = usize::try_from(place).expect("not before the first one");
    let seat = local::seat().expect("jobs run in seats").index();
    state.run_one(Some(place), seat);
}
