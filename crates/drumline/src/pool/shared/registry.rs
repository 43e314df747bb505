//! What the threads of one pool share.

use super::free_seats::FreeSeats;
use super::hooks::Hooks;
use super::lifetime::Lifetime;
use super::members::Members;
use super::seat::Seat;
use super::shared_registry::{SelfReference, SharedRegistry};
use super::spares::Spares;
use super::table::SeatTable;
use super::thread_limit::ThreadLimit;
use super::thread_requests::ThreadRequests;
use super::wait_policy::WaitPolicy;
use super::workers::Workers;
use crate::platform::fork;
use crate::pool::idle::IdleSet;
use crate::pool::observe::counters::Counters;
use crate::pool::queues::injector::Injector;
use crate::pool::queues::job_queue::JobQueue;
use crate::pool::queues::suspended::SuspendedList;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::barrier::Barrier;
use crate::sync::process_wide;
use crate::unwind::Payload;

process_wide! {
    /// The numbers of pools begin with 1.
    static NEXT_ID: AtomicUsize = AtomicUsize::new(1);
}

/// More shards than this are no use: as many threads at least would have to suspend futures at
/// once.
const MOST_SHARDS: usize = 64;

/// The heart of a pool, shared by its handle and its threads.
pub(crate) struct Registry {
    /// Itself, for code that must keep it alive.
    this: SelfReference,
    /// No other pool of this process has it.
    id: usize,
    idle_set: IdleSet,
    seats: SeatTable,
    free_seats: FreeSeats,
    /// Jobs from threads that are not in the pool.
    injector: Injector,
    /// Long-lived jobs, which begin at the bottom of a worker's stack only.
    long_lived: JobQueue,
    /// Futures that wait.
    suspended: SuspendedList,
    barrier: Barrier,
    hooks: Hooks,
    thread_requests: ThreadRequests,
    guests: bool,
    limit: ThreadLimit,
    wait_policy: WaitPolicy,
    /// The fork generation in which the pool was made.
    generation: u32,
    workers: Workers,
    spares: Spares,
    members: Members,
    lifetime: Lifetime,
    /// What threads count that have no seat here; several may at once.
    outsiders: Counters,
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("idle_set", &self.idle_set)
            .field("barrier", &self.barrier)
            .field("guests", &self.guests)
            .finish_non_exhaustive()
    }
}

impl Registry {
    /// The caller [watches](fork::watch) forks.
    pub(crate) fn new_shared(
        places: usize,
        guests: bool,
        wait_policy: WaitPolicy,
        hooks: Hooks,
        thread_requests: ThreadRequests,
        barrier: Barrier,
        limit: ThreadLimit,
    ) -> SharedRegistry {
        SharedRegistry::new(|this| Registry {
            this,
            // Relaxed: the numbers only have to differ.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            idle_set: IdleSet::new(places, limit.worker_policy(places)),
            seats: SeatTable::new(),
            free_seats: FreeSeats::new(),
            injector: Injector::new(),
            long_lived: JobQueue::new(),
            suspended: SuspendedList::new(places.next_power_of_two().min(MOST_SHARDS)),
            barrier,
            hooks,
            thread_requests,
            guests,
            limit,
            wait_policy,
            generation: fork::generation(),
            workers: Workers::new(),
            spares: Spares::new(),
            members: Members::new(),
            lifetime: Lifetime::new(),
            outsiders: Counters::default(),
        })
    }

    /// Keeps the registry alive: what refers to it here does so already.
    #[inline]
    pub(crate) fn share(&self) -> SharedRegistry {
        self.this.share()
    }

    pub(super) fn self_reference(&self) -> &SelfReference {
        &self.this
    }

    /// A number that no other pool of this process has.
    pub(crate) fn id(&self) -> usize {
        self.id
    }

    /// How many threads may run user code at once.
    pub(crate) fn jobs(&self) -> usize {
        self.idle_set.places()
    }

    /// The threads that are members for good.
    pub(crate) fn members(&self) -> &Members {
        &self.members
    }

    /// The threads that are there because others block.
    pub(crate) fn spares(&self) -> &Spares {
        &self.spares
    }

    /// The counters of all threads that have no seat here.
    pub(crate) fn outsiders(&self) -> &Counters {
        &self.outsiders
    }

    pub(crate) fn idle_set(&self) -> &IdleSet {
        &self.idle_set
    }

    pub(crate) fn injector(&self) -> &Injector {
        &self.injector
    }

    /// The long-lived jobs that nothing has begun; see [`submit`](crate::pool::calls::submit).
    pub(crate) fn long_lived(&self) -> &JobQueue {
        &self.long_lived
    }

    /// The futures that wait.
    pub(crate) fn suspended(&self) -> &SuspendedList {
        &self.suspended
    }

    pub(crate) fn barrier(&self) -> Barrier {
        self.barrier
    }

    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    pub(crate) fn limit(&self) -> &ThreadLimit {
        &self.limit
    }

    /// The requests for threads.
    pub(crate) fn thread_requests(&self) -> &ThreadRequests {
        &self.thread_requests
    }

    /// What a thread that waits may run.
    pub(crate) fn wait_policy(&self) -> WaitPolicy {
        self.wait_policy
    }

    /// Whether calls from outside run on the calling thread.
    pub(crate) fn has_guests(&self) -> bool {
        self.guests
            || if self.is_fixed() {
                self.free_seats.are_of_callers()
            } else {
                self.workers() == 0
            }
    }

    /// Whether the pool promises that indices are less than the number of jobs,
    /// and that no more closures run at once.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.guests && !self.limit.has_spares()
    }

    /// The numbers of the seats that no thread has.
    pub(super) fn free_seats(&self) -> &FreeSeats {
        &self.free_seats
    }

    /// The seats.
    pub(super) fn table(&self) -> &SeatTable {
        &self.seats
    }

    pub(crate) fn seats_len(&self) -> usize {
        self.seats.len()
    }

    pub(crate) fn seat(&self, index: usize) -> &Seat {
        self.seats.get(index)
    }

    pub(crate) fn seats(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter()
    }

    /// The seats from which a thread could take something: those in use, and those with jobs in
    /// their queues. From number `start` on, and then those before it.
    pub(crate) fn seats_in_use(&self, start: usize) -> impl Iterator<Item = &Seat> {
        let numbers = self.idle_set.in_use().iter_from(start);
        numbers.map(|index| self.seat(index))
    }

    /// How many threads the pool has, guests apart.
    pub(crate) fn threads(&self) -> usize {
        self.workers() + self.spares.len() + self.members.len()
    }

    /// How many workers were started.
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The workers that the pool has or expects.
    pub(crate) fn worker_list(&self) -> &Workers {
        &self.workers
    }

    /// The seat numbers of the threads that a broadcast goes to, in the order of their results:
    /// the member for good, if it takes part, and the workers.
    pub(crate) fn broadcast_seats(&self) -> Vec<usize> {
        let member = self.members.broadcast_seat();
        self.workers
            .with(|workers| member.into_iter().chain(workers.iter().copied()).collect())
    }

    /// What the pool's end waits for.
    pub(crate) fn lifetime(&self) -> &Lifetime {
        &self.lifetime
    }

    /// Waits until every worker has ended.
    pub(crate) fn wait_ended(&self) {
        self.lifetime.wait(|| self.spares.take_handles());
    }

    /// Waits until every worker has ended, or something is [begun](Self::disturb_end). The pool was
    /// at rest.
    pub(crate) fn wait_undisturbed(&self) {
        self.lifetime
            .wait_undisturbed(|| self.spares.take_handles());
    }

    /// For a thread that has just come in from outside, or become active as a worker, and is about
    /// to run code of the program.
    pub(crate) fn disturb_end(&self) {
        if self.idle_set.is_closed_to_callers() {
            self.lifetime.disturb();
        }
    }

    /// For a thread that has queued work: whether there is no worker to take it.
    pub(crate) fn has_lost_workers(&self) -> bool {
        self.workers.are_gone()
    }

    /// A panic that no caller waits for: of a detached task, or of a hook.
    pub(crate) fn report_panic(&self, payload: Payload) {
        self.hooks.report_panic(payload);
    }

    /// Runs the handlers with which a worker begins. It is active meanwhile.
    pub(crate) fn run_entry_hooks(&self, index: usize) {
        self.hooks.run_entry(index);
    }

    /// Runs the handler with which a worker ends. It is active meanwhile.
    pub(crate) fn run_exit_hook(&self, index: usize) {
        self.hooks.run_exit(index);
    }

    /// Whether this process is a child of the one in which the pool was made.
    #[inline]
    pub(crate) fn is_forked(&self) -> bool {
        self.generation != fork::generation()
    }

    /// Panics where the pool's threads are in another process.
    ///
    /// # Panics
    ///
    /// In a child process of the one in which the pool was made.
    #[inline]
    pub(crate) fn forbid_fork(&self) {
        if self.is_forked() {
            forked();
        }
    }
}

#[cold]
fn forked() -> ! {
    panic!(
        "a drumline pool was used in a child process after fork: its threads exist in the parent \
         only; make a new pool in the child, or use the global functions, which start anew"
    )
}
