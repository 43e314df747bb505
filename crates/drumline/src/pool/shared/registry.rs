//! What the threads of one pool share.

use std::iter;
use std::sync::OnceLock;

use super::hooks::Hooks;
use super::lifetime::Lifetime;
use super::scan::Scan;
use super::seat::Seat;
use super::spare_handles::SpareHandles;
use super::table::SeatTable;
use super::thread_limit::ThreadLimit;
use super::thread_requests::ThreadRequests;
use super::wait_policy::WaitPolicy;
use super::workers::Workers;
use crate::job::JobRef;
use crate::platform::fork;
use crate::pool::deque::Reasons;
use crate::pool::idle::wake_backoff::WakeCost;
use crate::pool::idle::{IdleSet, Role, Wake};
use crate::pool::observe::counters::Counters;
use crate::pool::queues::injector::Injector;
use crate::pool::queues::job_queue::JobQueue;
use crate::pool::queues::spent;
use crate::pool::queues::suspended::SuspendedList;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::barrier::{self, Barrier};
use crate::sync::{Arc, Instant, Mutex, Weak, lock, process_wide, thread};
use crate::unwind::{self, Payload};
use crate::wait::{Gate, blocking};

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
    this: Weak<Registry>,
    /// No other pool of this process has it.
    id: usize,
    idle_set: IdleSet,
    seats: SeatTable,
    /// Seats that no guest uses. Its lock also orders changes of the table.
    free: Mutex<Vec<usize>>,
    /// The last worker of a [fixed](Self::is_fixed) pool has turned out not to come: calls run on
    /// the threads that make them, for good. Written with the lock of `free` held.
    ///
    /// It stays false in a pool that has no worker because all jobs are a member's: there is no
    /// seat for a guest.
    is_of_callers: AtomicBool,
    /// Threads outside that wait for their turn in a [fixed](Self::is_fixed)
    /// pool without threads; changed with the lock of `free` held.
    callers: Mutex<Vec<Arc<Gate>>>,
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
    /// Seat numbers of the spares that there are now.
    spares: Mutex<Vec<usize>>,
    handles: Mutex<Vec<thread::JoinHandle<()>>>,
    spare_handles: Mutex<SpareHandles>,
    /// Threads that are members for good without being workers or guests.
    members: AtomicUsize,
    /// The seat of the member for good, if broadcasts go to it.
    member_seat: OnceLock<usize>,
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
    pub(crate) fn new(
        places: usize,
        guests: bool,
        wait_policy: WaitPolicy,
        hooks: Hooks,
        thread_requests: ThreadRequests,
        barrier: Barrier,
        limit: ThreadLimit,
    ) -> SharedRegistry {
        SharedRegistry::new_cyclic(|this| Registry {
            this: Weak::clone(this),
            // Relaxed: the numbers only have to differ.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            idle_set: IdleSet::new(places, limit.worker_policy(places)),
            seats: SeatTable::new(),
            free: Mutex::new(Vec::new()),
            is_of_callers: AtomicBool::new(false),
            callers: Mutex::new(Vec::new()),
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
            spares: Mutex::new(Vec::new()),
            handles: Mutex::new(Vec::new()),
            spare_handles: Mutex::new(SpareHandles::default()),
            members: AtomicUsize::new(0),
            member_seat: OnceLock::new(),
            lifetime: Lifetime::new(),
            outsiders: Counters::default(),
        })
    }

    /// Keeps the registry alive.
    pub(crate) fn share(&self) -> SharedRegistry {
        self.this
            .upgrade()
            .expect("whoever refers to a registry keeps it alive")
    }

    /// A number that no other pool of this process has.
    pub(crate) fn id(&self) -> usize {
        self.id
    }

    /// How many threads may run user code at once.
    pub(crate) fn jobs(&self) -> usize {
        self.idle_set.places()
    }

    /// How many threads are members for good without being workers.
    pub(crate) fn members(&self) -> usize {
        // Relaxed, here and below: written before the pool has other threads.
        self.members.load(Ordering::Relaxed)
    }

    pub(crate) fn add_member(&self) {
        self.members.fetch_add(1, Ordering::Relaxed);
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

    /// The long-lived jobs that nothing has begun; see [`submit`](crate::pool::submit).
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
                // Relaxed: a late answer hands a call over, and `rely_on_worker` asks behind a
                // fence.
                self.is_of_callers.load(Ordering::Relaxed)
            } else {
                self.workers() == 0
            }
    }

    /// Whether the pool promises that indices are less than the number of jobs,
    /// and that no more closures run at once.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.guests && !self.limit.has_spares()
    }

    // ---- seats ------------------------------------------------------------

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

    /// The seat of a thread that is to be a member for good: the first one.
    pub(crate) fn add_seat(&self) -> usize {
        let _free = lock(&self.free);
        self.push_seat().index()
    }

    /// A seat for a worker, which is counted from now on as one, but not yet as alive. `None`: the
    /// seats of this fixed pool are for callers.
    pub(crate) fn seat_worker(&self) -> Option<usize> {
        let mut free = lock(&self.free);
        // Relaxed: written with the lock that is held.
        let left_over = if !self.is_fixed() {
            None
        } else if self.is_of_callers.load(Ordering::Relaxed) {
            return None;
        } else {
            // Of a worker that could not be started.
            free.pop()
        };
        let index = left_over.unwrap_or_else(|| self.push_seat().index());
        self.workers.add(index);
        Some(index)
    }

    /// The caller holds the lock of `free`.
    fn push_seat(&self) -> &Seat {
        self.seats
            .push(|index| Box::new(Seat::new(self, index, barrier::now(self.barrier))))
    }

    /// Gives a guest a seat and counts it as active.
    pub(crate) fn admit(&self) -> &Seat {
        let mut free = lock(&self.free);
        // One guest at least, also when the number of jobs was lowered: `has_guests` allows it.
        while self.is_fixed()
            && self.seats_len() - free.len() >= self.jobs().max(self.members() + 1)
        {
            // Every seat that is not free is a guest's or a member's: there is no worker.
            let turn = Arc::new(Gate::new());
            lock(&self.callers).push(Arc::clone(&turn));
            drop(free);
            turn.wait();
            free = lock(&self.free);
        }
        let seat = match free.pop() {
            Some(index) => self.seat(index),
            None => self.push_seat(),
        };
        drop(free);
        seat.block_state().occupy();
        seat.counters().has_new_occupant();
        seat.begin();
        self.wake(self.idle_set.enter(seat.index(), |marked| {
            // Every deque of the chain: behind a trampoline it is the second that
            // is pushed to.
            if marked {
                seat.ask(Reasons::WAKE_REQUESTED);
            } else if seat.first_deque().is_asked() {
                let _ = seat.first_deque().take_reasons();
            }
        }));
        seat
    }

    /// Takes the seat back from a guest.
    pub(crate) fn dismiss(&self, seat: &Seat) {
        if self.is_forked() {
            // The lock of the idle set may be held by a thread of the parent, for ever.
            return;
        }
        seat.block_state().vacate();
        seat.handshake().end();
        let has_jobs = seat.queue().len() > 0;
        if has_jobs && self.workers() > 0 {
            // A worker looks into other queues only when its own is empty; into the injector it
            // looks now and then. Before `leave`: that sees to it that a thread looks after this.
            while let Some(job) = seat.queue().take() {
                // SAFETY: the job is out of its queue, and is run by no other thread.
                if !unsafe { spent::drop_if_spent(job) } {
                    self.injector.push(job);
                }
            }
        }
        self.wake(
            self.idle_set
                .leave(seat.index(), has_jobs, &|| self.has_work()),
        );
        lock(&self.free).push(seat.index());
        if self.is_fixed() {
            self.call_waiting();
        }
    }

    /// Threads outside that wait for their turn look again.
    pub(crate) fn call_waiting(&self) {
        let callers = {
            let _free = lock(&self.free);
            std::mem::take(&mut *lock(&self.callers))
        };
        for turn in callers {
            turn.open();
        }
    }

    // ---- workers ------------------------------------------------------------

    /// A worker becomes active to do what only it can do.
    pub(crate) fn begin(&self, seat: &Seat) {
        seat.begin();
        self.wake(self.idle_set.begin(seat.index(), carry_mark(seat)));
    }

    /// A worker's sleep ended. If it was called to help, its deque is in use from now on.
    pub(crate) fn woken(&self, seat: &Seat) -> Role {
        seat.begin();
        let role = self.idle_set.woken(seat.index(), carry_mark(seat));
        if role != Role::Work {
            seat.handshake().end();
        }
        role
    }

    /// Wakes up to `count` idle workers, for which there is work, besides the searcher.
    pub(crate) fn call_helpers(&self, count: usize) {
        if count > 0 && self.idle_set.has_room_for_helpers() {
            for helper in self.idle_set.call_helpers(count) {
                self.wake(Wake::One(helper));
            }
        }
    }

    /// A worker has arrived, and is active at once: it has handlers to run.
    pub(crate) fn begin_first(&self, seat: &Seat) {
        seat.begin();
        let admit = carry_mark(seat);
        let work = || self.has_work();
        self.wake(self.idle_set.arrive_active(seat.index(), admit, &work));
    }

    /// From now on broadcasts go to the member for good with this seat, too.
    pub(crate) fn broadcast_to(&self, member: usize) {
        let is_first = self.member_seat.set(member).is_ok();
        debug_assert!(is_first, "one thread builds a pool");
    }

    /// Makes a seat for a thread that is active for good.
    pub(crate) fn seat_member(&self, index: usize) -> &Seat {
        let seat = self.seat(index);
        seat.stay_for_good();
        self.idle_set.add_member(seat.index(), carry_mark(seat));
        seat
    }

    /// A worker that has been counted will not come. Returns whether it was the last one, and the
    /// jobs that were sent to it: these are for others.
    pub(crate) fn remove_worker(&self, index: usize) -> (bool, Vec<JobRef>) {
        // With the lock: a thread that counts the workers, and finds one missing, finds its seat.
        let mut free = lock(&self.free);
        if self.workers.with(|workers| workers == [index]) {
            // Relaxed: the removal fences. If `rely_on_worker` misses it, `see_to_work` finds work.
            self.is_of_callers.store(true, Ordering::Relaxed);
        }
        let was_last = self.workers.remove(index);
        // Nothing is sent to it from now on.
        let inbox = self.seat(index).inbox();
        let jobs = iter::from_fn(|| inbox.take()).collect();
        // First the seat: the calling thread may need it for the jobs, and so may one that waits.
        free.push(index);
        drop(free);
        if self.is_fixed() {
            self.call_waiting();
        }
        (was_last, jobs)
    }

    /// How many threads the pool has, guests apart.
    pub(crate) fn threads(&self) -> usize {
        self.workers() + lock(&self.spares).len() + self.members()
    }

    /// A seat for a spare.
    pub(crate) fn spare_seat(&self) -> usize {
        let mut free = lock(&self.free);
        match free.pop() {
            Some(index) => index,
            None => self.push_seat().index(),
        }
    }

    /// Counts a spare that is about to be started.
    pub(crate) fn count_spare(&self, index: usize) {
        lock(&self.spares).push(index);
    }

    /// A spare has left the idle set for good, or could not be started.
    pub(crate) fn dismiss_spare(&self, seat: &Seat) {
        seat.handshake().end();
        seat.block_state().move_out();
        lock(&self.spares).retain(|&index| index != seat.index());
        lock(&self.free).push(seat.index());
        self.limit_over();
        self.reap();
    }

    /// Gives back what ended spares still hold. They are not waited for: a
    /// thread-local destructor of a user may still run, for any length of time.
    pub(crate) fn reap(&self) {
        #[cfg(not(drumline_shuttle))]
        {
            let alive = lock(&self.spares).len();
            lock(&self.spare_handles).reap(alive);
        }
    }

    /// Keeps the handle of a spare's thread, to wait for its very end if it
    /// lives to the end of the pool.
    pub(crate) fn keep_spare_handle(&self, handle: thread::JoinHandle<()>) {
        lock(&self.spare_handles).keep(handle);
    }

    /// Keeps the handle of a worker's thread, to wait for its very end.
    pub(crate) fn keep_handle(&self, handle: thread::JoinHandle<()>) {
        lock(&self.handles).push(handle);
    }

    /// How many workers were started.
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The workers that the pool has or expects.
    pub(crate) fn worker_list(&self) -> &Workers {
        &self.workers
    }

    /// The seat numbers of the workers.
    pub(crate) fn worker_seats(&self) -> Vec<usize> {
        self.workers.with(<[usize]>::to_vec)
    }

    /// The seat numbers of the threads that a broadcast goes to, in the order of their results:
    /// the member for good, if it takes part, and the workers.
    pub(crate) fn broadcast_seats(&self) -> Vec<usize> {
        let member = self.member_seat.get().copied();
        self.workers
            .with(|workers| member.into_iter().chain(workers.iter().copied()).collect())
    }

    pub(crate) fn is_broadcast_to(&self, index: usize) -> bool {
        self.member_seat.get() == Some(&index)
    }

    /// What the pool's end waits for.
    pub(crate) fn lifetime(&self) -> &Lifetime {
        &self.lifetime
    }

    /// Waits until every worker has ended.
    pub(crate) fn wait_ended(&self) {
        self.lifetime.wait();
        let mut handles = std::mem::take(&mut *lock(&self.handles));
        handles.append(&mut lock(&self.spare_handles).take());
        for handle in handles {
            // A worker does not panic; a thread-local destructor of a user may.
            if let Err(payload) = blocking(|| handle.join()) {
                unwind::discard(payload);
            }
        }
    }

    // ---- waking -----------------------------------------------------------

    /// Wakes the thread that the idle set chose. The caller may be anywhere between a push and its
    /// pop, so nothing unwinds from here.
    pub(crate) fn wake(&self, wake: Wake) {
        if wake != Wake::None {
            unwind::never(|| self.wake_now(wake));
        }
    }

    fn wake_now(&self, wake: Wake) {
        match wake {
            Wake::None => {}
            Wake::One(index) => {
                self.count_call(index);
                let begun = Instant::now();
                if self.seat(index).parker().call() {
                    WakeCost::here().learn(begun.elapsed());
                }
            }
            Wake::All => {
                for index in self.worker_seats() {
                    self.seat(index).parker().unpark();
                }
                for &index in &*lock(&self.spares) {
                    self.seat(index).parker().unpark();
                }
            }
            Wake::StartWorker => self.thread_requests.start_spares(self),
            Wake::Mark => {
                if self.mark_and_scan() != Scan::Nothing {
                    self.wake(self.idle_set.summon());
                }
            }
            Wake::ThreadLimit => self.limit_reached(),
            Wake::NoMonitor => self.monitor_is_gone(),
        }
    }

    /// For a thread that has queued work: whether there is no worker to take it.
    pub(crate) fn has_lost_workers(&self) -> bool {
        self.workers.are_gone()
    }

    /// Keeps the pool from its end while a call from outside, or from a member for good, may bring
    /// work, until this is dropped. `None`: it has ended.
    pub(crate) fn keep_open(&self) -> Option<KeptOpen<'_>> {
        self.idle_set.begin_call().then(|| {
            // Without workers this is all that `wait_ended` waits for.
            self.lifetime.begin();
            KeptOpen(self)
        })
    }

    // ---- failures -----------------------------------------------------------

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

/// What is done under the lock of the idle set when a deque enters use: it carries the mark if the
/// pool is marked.
fn carry_mark(seat: &Seat) -> impl FnOnce(bool) {
    move |marked| {
        if marked {
            seat.ask(Reasons::WAKE_REQUESTED);
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

/// A call from outside keeps the pool from its end.
#[must_use]
pub(crate) struct KeptOpen<'r>(pub(crate) &'r Registry);

impl Drop for KeptOpen<'_> {
    fn drop(&mut self) {
        let registry = self.0;
        if !registry.is_forked() {
            registry.wake(registry.idle_set.end_call(&|| registry.has_work()));
            registry.lifetime.pay_end(registry.idle_set.is_over());
            registry.lifetime.end();
        }
    }
}

/// A registry as its threads share it.
pub(crate) type SharedRegistry = Arc<Registry>;
