//! One thread's place in one pool: its deque, its queues, its parker.
//!
//! A worker has its seat for life; a guest borrows one for a call. Seats are
//! never freed before the pool, so a late wake-up or a late look at a deque
//! always finds memory.

use std::ptr::{self, NonNull};

use super::block_state::BlockState;
use super::next::run_next;
use super::registry::Registry;
use crate::job::{Header, JobRef};
use crate::pool::deque::handshake::Handshake;
use crate::pool::deque::{Deque, Reasons, Stolen};
use crate::pool::observe::counters::Counters;
use crate::pool::queues::hand_off::HandOff;
use crate::pool::queues::job_queue::JobQueue;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::barrier::{self, Barrier};
use crate::sync::{Apart, Level, Mutex, lock};
use crate::unwind;
use crate::wait::Parker;
#[cfg(not(drumline_loom))]
use crate::wait::moment;

/// Entries of a seat's first deque: a quarter of a mebibyte of address space, of which only what is
/// used is ever touched.
#[cfg(not(miri))]
const CAPACITY: usize = 16 * 1024 - 1;
#[cfg(miri)]
const CAPACITY: usize = 15;

/// A thread's place in a pool.
#[derive(Debug)]
pub(crate) struct Seat {
    /// Owned, and raw: the pointers in `current` and elsewhere outlive a move
    /// of the seat, which would end the right to use them if this were a box.
    deque: NonNull<Deque>,
    /// Jobs spawned here, which all threads may take. Surveys read it, so it shares no line with
    /// what a park writes.
    queue: Apart<JobQueue>,
    /// The task that the occupant runs next, which all threads may take when it has lain there for
    /// long. The occupant writes it often, and surveys read it.
    hand_off: Apart<HandOff>,
    /// Jobs for this very worker.
    inbox: JobQueue,
    /// Written by each park, and by the thread that ends it.
    parker: Apart<Parker>,
    /// Seats with threads that sleep until this one publishes something.
    waiters: Mutex<Vec<usize>>,
    /// The deque of the chain in use; written by the occupant.
    current: AtomicPtr<Deque>,
    /// Where the occupant was before it took this seat; written by it.
    outer: AtomicPtr<Seat>,
    /// How many regions deep the occupant blocks; written by it alone.
    regions: AtomicUsize,
    counters: Counters,
    block_state: BlockState,
    handshake: Handshake,
    /// The occupant is a member for good, and may outlive the pool's workers; written before it
    /// begins.
    permanent: AtomicBool,
    /// The occupant is a spare that took the place of a thread that waits, and it is not known yet
    /// whether that was in vain; used by it alone.
    is_trial: AtomicBool,
    /// Where the queue ended when the occupant began what it runs now, with nothing in its deque:
    /// jobs before that are older than its halves.
    older: Level,
    registry: *const Registry,
    index: usize,
}

// SAFETY: `registry` points to the registry that owns this seat and is only
// read; `deque` is owned, and itself `Send` and `Sync`, as is all else.
unsafe impl Send for Seat {}
// SAFETY: as for `Send`.
unsafe impl Sync for Seat {}

impl Seat {
    pub(crate) fn new(registry: &Registry, index: usize, barrier: Barrier) -> Self {
        let deque = NonNull::from(Box::leak(Deque::with_trampoline(Deque::new(
            CAPACITY, barrier,
        ))));
        Seat {
            current: AtomicPtr::new(deque.as_ptr()),
            deque,
            queue: Apart(JobQueue::new()),
            hand_off: Apart(HandOff::new()),
            inbox: JobQueue::new(),
            parker: Apart(Parker::new()),
            waiters: Mutex::new(Vec::new()),
            outer: AtomicPtr::new(ptr::null_mut()),
            regions: AtomicUsize::new(0),
            counters: Counters::default(),
            block_state: BlockState::new(index),
            handshake: Handshake::new(barrier == Barrier::Refused),
            permanent: AtomicBool::new(false),
            is_trial: AtomicBool::new(false),
            older: Level::default(),
            registry: ptr::from_ref(registry),
            index,
        }
    }

    /// The number of this seat: unique among the threads in the pool.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    #[inline]
    pub(crate) fn registry(&self) -> &Registry {
        // SAFETY: the registry owns its seats, so it is alive.
        unsafe { &*self.registry }
    }

    /// How often things have happened here; its occupant counts.
    #[inline]
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn block_state(&self) -> &BlockState {
        &self.block_state
    }

    pub(crate) fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    #[inline]
    pub(crate) fn queue(&self) -> &JobQueue {
        &self.queue
    }

    #[inline]
    pub(crate) fn hand_off(&self) -> &HandOff {
        &self.hand_off
    }

    #[inline]
    pub(crate) fn inbox(&self) -> &JobQueue {
        &self.inbox
    }

    pub(crate) fn parker(&self) -> &Parker {
        &self.parker
    }

    pub(crate) fn first_deque(&self) -> &Deque {
        // SAFETY: allocated in `new`, freed in `drop` only, shared in between.
        unsafe { self.deque.as_ref() }
    }

    /// This seat's deques, oldest entries first.
    pub(crate) fn deques(&self) -> impl Iterator<Item = &Deque> {
        std::iter::successors(Some(self.first_deque()), |deque| deque.next())
    }

    /// Whether the first deque is all of the chain: almost always.
    #[inline]
    fn has_one_deque(&self) -> bool {
        self.first_deque().next().is_none()
    }

    /// Occupant: the deque that it pushes to.
    #[inline]
    pub(crate) fn current(&self) -> &Deque {
        // Relaxed: only the occupant uses it. SAFETY: set to deques of this seat only.
        unsafe { &*self.current.load(Ordering::Relaxed) }
    }

    pub(crate) fn set_current(&self, deque: &Deque) {
        // Relaxed: as in `current`.
        self.current
            .store(ptr::from_ref(deque).cast_mut(), Ordering::Relaxed);
    }

    /// The thread that is about to take the seat is a member for good.
    pub(crate) fn stay_for_good(&self) {
        // Relaxed, here and below: that very thread reads it.
        self.permanent.store(true, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_permanent(&self) -> bool {
        self.permanent.load(Ordering::Relaxed)
    }

    /// The occupant, a worker that is about to begin its first job, is a trial or not.
    pub(crate) fn set_trial(&self, is_trial: bool) {
        // Relaxed, here and below: used by the occupant alone.
        self.is_trial.store(is_trial, Ordering::Relaxed);
    }

    /// The occupant has run some jobs, or one of them has to wait: `in_vain`. If this was a trial,
    /// it is over.
    pub(crate) fn end_trial(&self, in_vain: bool) {
        if self.is_trial.load(Ordering::Relaxed) {
            self.is_trial.store(false, Ordering::Relaxed);
            self.registry().spares().end_trial(in_vain);
        }
    }

    #[inline]
    pub(crate) fn outer(&self) -> *const Seat {
        // Relaxed, here and below: only the occupant uses it.
        self.outer.load(Ordering::Relaxed)
    }

    pub(crate) fn set_outer(&self, outer: *const Seat) {
        self.outer.store(outer.cast_mut(), Ordering::Relaxed);
    }

    /// About how many jobs another thread could take from this seat. What lies in the hand-off slot
    /// is not counted.
    pub(crate) fn visible(&self) -> usize {
        self.halves() + self.queue.len()
    }

    /// Whether there is something that another thread could take, now or soon.
    pub(crate) fn has_work(&self) -> bool {
        self.visible() > 0 || self.hand_off.is_full()
    }

    /// About how many of them are halves of joins.
    pub(crate) fn halves(&self) -> usize {
        self.deques().map(Deque::takeable).sum()
    }

    /// Whether the oldest job of the queue is older than the halves, as a rule.
    pub(crate) fn has_older_jobs(&self) -> bool {
        self.queue.has_before(self.older.get())
    }

    /// The occupant begins something.
    #[inline]
    fn note_older_jobs(&self, deque: &Deque) {
        if deque.is_at_bottom() {
            self.older.set(self.queue.end());
        }
    }

    /// A number that changes, as a rule, when the occupant forks, or comes back to a fork.
    pub(crate) fn forks(&self) -> usize {
        let deques = self.deques().map(Deque::progress);
        deques.fold(0, usize::wrapping_add)
    }

    /// How many jobs another thread could take from this seat without interrupting its occupant.
    pub(crate) fn exposed(&self) -> usize {
        self.deques().map(Deque::exposed).sum()
    }

    /// Asks the occupant for attention at its next push.
    pub(crate) fn ask(&self, reasons: Reasons) {
        for deque in self.deques() {
            deque.ask(reasons);
        }
    }

    /// Where the barrier is lost: whether the occupant pushes with a fence, or not
    /// at all, or has been switched out just now, which is one. To be asked after
    /// the marks and a fence. What a sleeping occupant has pushed is exposed.
    pub(crate) fn settle(&self) -> bool {
        if self.handshake.is_settled() {
            return true;
        }
        let occupant = || self.block_state.thread();
        if !occupant().is_off_processor() {
            return false;
        }
        for deque in self.deques() {
            deque.expose_sleeper(occupant, |thread| thread.is_off_processor());
        }
        true
    }

    /// Whether the occupant has halves that no other thread may take yet.
    pub(crate) fn has_hidden_halves(&self) -> bool {
        self.deques()
            .any(|deque| deque.takeable() < deque.visible())
    }

    /// Does what a thread can that has no time to wait, so that those may be taken soon.
    pub(crate) fn uncover_halves(&self) {
        if barrier::is_lost() {
            let _answered = self.settle();
        } else {
            // It is on its way then.
            let _works = barrier::is_there();
        }
    }

    /// Takes what lies in the hand-off slot, for another thread.
    pub(crate) fn steal_hand_off(&self) -> Option<*const Header> {
        let registry = self.registry();
        let is_settled = || barrier::is_lost() && self.settle();
        self.hand_off.steal(|| registry.heavy() || is_settled())
    }

    /// Whether the occupant blocks, as far as one can see.
    pub(crate) fn is_blocked(&self) -> bool {
        // Relaxed: the occupant reads what it wrote. For other threads it is a figure.
        self.regions.load(Ordering::Relaxed) > 0
    }

    /// The occupant is about to block. Whether it did not already.
    pub(crate) fn enter_region(&self) -> bool {
        // Relaxed, twice: only the occupant writes it.
        let depth = self.regions.load(Ordering::Relaxed);
        self.regions.store(depth + 1, Ordering::Relaxed);
        depth == 0
    }

    /// The occupant goes on. Whether that was the outermost region.
    pub(crate) fn leave_region(&self) -> bool {
        #[cfg(not(drumline_loom))]
        moment::forget();
        // Relaxed, twice: as in `enter_region`.
        let depth = self.regions.load(Ordering::Relaxed) - 1;
        self.regions.store(depth, Ordering::Relaxed);
        depth == 0
    }

    /// The occupant may push from now on.
    pub(crate) fn begin(&self) {
        self.note_older_jobs(self.first_deque());
        self.handshake.begin();
        self.acknowledge();
    }

    /// If the barrier is lost, the occupant fences from now on.
    pub(crate) fn acknowledge(&self) {
        if self.handshake.is_due() {
            self.handshake.acknowledge(self.deques());
        }
    }

    /// The deque to go on with where `full` has no room left.
    pub(crate) fn overflow<'a>(&'a self, full: &'a Deque) -> &'a Deque {
        if full.next().is_none() {
            let further = full.further();
            self.registry().idle_set().add_deque(|marked| {
                if marked {
                    for deque in std::iter::successors(Some(&*further), |deque| deque.next()) {
                        deque.ask(Reasons::WAKE_REQUESTED);
                    }
                }
                full.link(further);
            });
        }
        full.next().expect("linked above, or before")
    }

    /// Answers the threads that asked for attention.
    #[cold]
    pub(crate) fn answer(&self, reasons: Reasons) {
        let registry = self.registry();
        if registry.is_forked() {
            // The threads that asked live in the parent process.
            return;
        }
        self.acknowledge();
        if reasons.contains(Reasons::WAKE_REQUESTED) {
            registry.wake(registry.idle_set().summon());
        }
        if reasons.contains(Reasons::HAS_WAITER) {
            for waiter in std::mem::take(&mut *lock(&self.waiters)) {
                registry.seat(waiter).parker.unpark();
            }
        }
    }

    /// After work was published elsewhere than in the deque: the same duty as
    /// after a push.
    #[inline]
    pub(crate) fn published(&self) {
        let deque = self.current();
        if deque.is_fenced() {
            barrier::fence();
        } else {
            barrier::light();
        }
        if deque.is_asked() {
            self.answer(deque.take_reasons());
        }
    }

    /// Occupant: fills the hand-off slot. Returns what was in it before.
    #[inline(always)]
    pub(crate) fn put_hand_off(&self, job: *const Header) -> Option<*const Header> {
        self.hand_off.put(job, || self.current().is_fenced())
    }

    /// Occupant: takes what lies in the hand-off slot.
    #[inline]
    pub(crate) fn take_hand_off(&self) -> Option<*const Header> {
        self.hand_off.take(self.current().is_fenced())
    }

    /// Occupant: moves what lies in the hand-off slot to the queue, where others may take it at
    /// once.
    pub(crate) fn flush_hand_off(&self) {
        if let Some(job) = self.take_hand_off() {
            // SAFETY: a job in the slot is alive until it has been run.
            self.queue.push_task(unsafe { Header::job_ref(job) });
            self.published();
        }
    }

    /// Runs a job to its end, as one that has nothing to do with what is
    /// pending on this seat.
    ///
    /// # Safety
    ///
    /// As for [`JobRef::run`].
    #[inline]
    pub(crate) unsafe fn run(&self, job: JobRef) {
        #[cfg(not(drumline_loom))]
        moment::forget();
        // SAFETY: the caller's obligation.
        unsafe { self.run_handed_off(job) };
    }

    /// As [`run`](Self::run), for a task that the last job has handed to the occupant.
    ///
    /// # Safety
    ///
    /// As for [`JobRef::run`].
    #[inline]
    pub(crate) unsafe fn run_handed_off(&self, job: JobRef) {
        if !self.has_one_deque() {
            // SAFETY: the caller's obligation.
            return unsafe { self.run_in_chain(job) };
        }
        let guard = unwind::AbortOnUnwind;
        let deque = self.first_deque();
        self.note_older_jobs(deque);
        let before = deque.raise_floor();
        // SAFETY: the caller's obligation.
        unsafe { job.run() };
        deque.restore_floor(before);
        if !self.has_one_deque() {
            self.reset_further();
        }
        std::mem::forget(guard);
    }

    /// The same with further deques.
    ///
    /// # Safety
    ///
    /// As for [`JobRef::run`].
    #[cold]
    unsafe fn run_in_chain(&self, job: JobRef) {
        let guard = unwind::AbortOnUnwind;
        let floor = Floor::raise(self);
        // SAFETY: the caller's obligation.
        unsafe { job.run() };
        drop(floor);
        std::mem::forget(guard);
    }

    /// After a job during which all further deques were linked.
    #[cold]
    fn reset_further(&self) {
        self.deques().skip(1).for_each(Deque::reset_floor);
    }

    /// Until the guard is dropped, what runs on this seat has nothing to do with what is pending on
    /// it. A thread that waits for what is pending takes no part in it.
    #[must_use]
    pub(crate) fn stand_apart(&self) -> Floor<'_> {
        Floor::raise_with(self, Deque::set_apart)
    }

    /// Runs a half that was stolen from `victim`, unless its owner took it
    /// back. Returns whether it ran.
    pub(crate) fn run_stolen(&self, stolen: Stolen, victim: &Seat) -> bool {
        let guard = unwind::AbortOnUnwind;
        // Before `start`, which publishes it.
        let floor = Floor::raise(self);
        // SAFETY: slots live as long as the victim's seat, and so the pool.
        let slot = unsafe { &*stolen.slot };
        let started = slot.start(self.index);
        if started {
            if self.has_one_deque() {
                self.note_older_jobs(self.first_deque());
            }
            self.has_stolen(victim);
            // SAFETY: `start` was won, so the frame is alive until `finish`, and no other thread
            // runs the job.
            unsafe { Header::run(stolen.job) };
            if slot.finish(self.index) {
                victim.parker.unpark();
            }
            run_next();
        }
        if !started {
            self.counters.returned.up();
        }
        drop(floor);
        std::mem::forget(guard);
        started
    }

    /// Another thread wants to be woken when this seat publishes something.
    /// To be followed by a heavy barrier and a look.
    pub(crate) fn add_waiter(&self, waiter: usize) {
        {
            let mut waiters = lock(&self.waiters);
            if !waiters.contains(&waiter) {
                waiters.push(waiter);
            }
        }
        self.ask(Reasons::HAS_WAITER);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // SAFETY: leaked in `new`, and freed here only.
        drop(unsafe { Box::from_raw(self.deque.as_ptr()) });
    }
}

/// Raises the floors of a seat's deques while a job runs, so that a thread that waits for that job
/// takes nothing older.
pub(crate) struct Floor<'a> {
    seat: &'a Seat,
    first: *mut crate::pool::deque::slot::Slot,
    /// Floors of the further deques of the chain: almost always none.
    further: Option<Vec<*mut crate::pool::deque::slot::Slot>>,
}

impl<'a> Floor<'a> {
    #[inline]
    fn raise(seat: &'a Seat) -> Self {
        Self::raise_with(seat, Deque::raise_floor)
    }

    #[inline]
    fn raise_with(
        seat: &'a Seat,
        raise: fn(&Deque) -> *mut crate::pool::deque::slot::Slot,
    ) -> Self {
        let first = raise(seat.first_deque());
        let further = || seat.deques().skip(1).map(raise).collect();
        Floor {
            seat,
            first,
            further: (!seat.has_one_deque()).then(further),
        }
    }

    #[cold]
    fn restore_further(&mut self) {
        let mut before = self.further.iter().flatten();
        for deque in self.seat.deques().skip(1) {
            match before.next() {
                Some(before) => deque.restore_floor(*before),
                None => deque.reset_floor(),
            }
        }
    }
}

impl Drop for Floor<'_> {
    #[inline]
    fn drop(&mut self) {
        self.seat.first_deque().restore_floor(self.first);
        if !self.seat.has_one_deque() {
            self.restore_further();
        }
    }
}
