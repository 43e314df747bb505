//! A pool in miniature: real idle set, deques, slots and parkers, driven as
//! `pool::workers::worker`, `pool::shared::registry`, `pool::shared::seat`, `pool::waiting`,
//! `pool::blocking::compensate` and `pool::blocking::monitor` drive them. What those files do
//! between two steps of the protocol (patience, backoff, hooks) is left out: a
//! searcher looks once, naps as often as the shape says, and prepares to park. There is no time
//! either: a spare is tired of waiting, and a monitor has rested, as soon as they may.
//!
//! Keep it in step with them; where they differ, this proves nothing.

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::atomic::{AtomicBool as PlainBool, AtomicUsize as PlainUsize};
use std::sync::{Arc, Mutex as PlainMutex, Weak};
use std::time::Duration;

use super::super::deque::{Deque, Effort, Reasons, Steal};
use super::super::idle::{Absence, Duty, IdleSet, ParkStep, Role, TakeOutcome, Wake};
use super::shape::Shape;
use super::{Task, run_stolen};
use crate::job::Header;
use crate::pool::deque::slot::{Slot, StealState};
use crate::pool::shared::block_state::BlockState;
use crate::sync::barrier::{self, Barrier};
use crate::sync::planted;
use crate::wait::Parker;

/// A seat: a worker's, a guest's or a member's.
pub(super) struct Seat {
    pub(super) deque: Deque,
    parker: Parker,
    /// Jobs for this worker only: how many are waiting.
    pub(super) inbox: AtomicUsize,
    block_state: BlockState,
    /// What the system says of the occupant: that it waits in the kernel. Plain,
    /// like all that is no part of the protocol: no order of steps hangs on it.
    stuck: PlainBool,
    /// The occupant is a member for good.
    permanent: PlainBool,
}

/// The threads of the workers.
pub(super) struct Workers(Arc<Pool>);

impl Workers {
    /// Closes the pool and waits until every worker has ended.
    pub(super) fn end(self, pool: &Pool) {
        pool.close();
        self.join();
    }

    pub(super) fn join(self) {
        // A thread that starts a worker is one itself, or has ended before this.
        let next = || self.0.threads.lock().unwrap().pop();
        while let Some(worker) = next() {
            worker.join().unwrap();
        }
        self.0.idle_set.assert_settled();
    }
}

pub(super) struct Pool {
    this: Weak<Pool>,
    pub(super) idle_set: IdleSet,
    pub(super) seats: Vec<Seat>,
    workers: usize,
    first_spare: usize,
    /// Seats that no spare has.
    vacant: PlainMutex<Vec<usize>>,
    threads: PlainMutex<Vec<thread::JoinHandle<()>>>,
    quits: PlainUsize,
    naps: PlainUsize,
    refusals: PlainUsize,
    asked: PlainBool,
    /// The injector. `queued` is its length, for threads that only look.
    queue: Mutex<Vec<Arc<Task>>>,
    pub(super) queued: AtomicUsize,
    /// What a worker does for a job from its inbox.
    errand: fn(&Pool, usize),
    entry: Option<fn(&Pool, usize)>,
    /// For the models: something outside the pool waits here.
    pub(super) done: Parker,
    /// What a drop of the handle waits for, as in `pool::shared::lifetime`.
    ended_or_disturbed: Parker,
}

impl Pool {
    /// A pool with seats `0..workers` for workers and `others` more.
    pub(super) fn new(places: usize, workers: usize, others: usize) -> Arc<Self> {
        Self::with_errand(places, workers, others, |_, _| {})
    }

    pub(super) fn with_errand(
        places: usize,
        workers: usize,
        others: usize,
        errand: fn(&Pool, usize),
    ) -> Arc<Self> {
        Self::shaped(Shape {
            places,
            workers,
            others,
            errand,
            ..Shape::FIXED
        })
    }

    pub(super) fn shaped(shape: Shape) -> Arc<Self> {
        let first_spare = shape.workers + shape.others;
        let seats = first_spare + shape.spares;
        Arc::new_cyclic(|this| Pool {
            this: Weak::clone(this),
            idle_set: IdleSet::new(shape.places, shape.worker_policy),
            seats: (0..seats)
                .map(|seat| Seat {
                    deque: Deque::new(2, Barrier::Asymmetric),
                    parker: Parker::new(),
                    inbox: AtomicUsize::new(0),
                    block_state: BlockState::new(seat),
                    stuck: PlainBool::new(false),
                    permanent: PlainBool::new(false),
                })
                .collect(),
            workers: shape.workers,
            first_spare,
            vacant: PlainMutex::new((first_spare..seats).rev().collect()),
            threads: PlainMutex::new(Vec::new()),
            quits: PlainUsize::new(shape.quits),
            naps: PlainUsize::new(shape.naps),
            refusals: PlainUsize::new(shape.refusals),
            asked: PlainBool::new(false),
            queue: Mutex::new(Vec::new()),
            queued: AtomicUsize::new(0),
            errand: shape.errand,
            entry: shape.entry,
            done: Parker::new(),
            ended_or_disturbed: Parker::new(),
        })
    }

    /// Starts all workers.
    pub(super) fn start(pool: &Arc<Self>) -> Workers {
        for me in 0..pool.workers {
            assert!(pool.idle_set.expect_worker(pool.workers));
            pool.start_worker(me);
        }
        Workers(Arc::clone(pool))
    }

    fn start_worker(&self, me: usize) {
        let pool = self.this.upgrade().expect("the caller has it");
        let thread = thread::spawn(move || pool.live(me));
        self.threads.lock().unwrap().push(thread);
    }

    /// As `thread_starter::start_spare`.
    fn start_spare(&self) {
        if count_down(&self.refusals) {
            self.wake(self.idle_set.worker_not_started(&|| self.has_work()));
            // As `spawn_retry`: a thread of some pool ends, sooner or later.
            let pool = self.this.upgrade().expect("the caller has it");
            let other = thread::spawn(move || {
                if pool.has_work() {
                    pool.wake(pool.idle_set.summon());
                }
            });
            self.threads.lock().unwrap().push(other);
            return;
        }
        let seat = self.vacant.lock().unwrap().pop();
        self.start_worker(seat.expect("no more spares than the model says"));
    }

    pub(super) fn wake(&self, wake: Wake) {
        match wake {
            Wake::None => {}
            Wake::One(index) => self.seats[index].parker.unpark(),
            Wake::All => self.seats[..self.workers]
                .iter()
                .chain(&self.seats[self.first_spare..])
                .for_each(|seat| seat.parker.unpark()),
            Wake::Mark => {
                if self.mark_and_scan() {
                    self.wake(self.idle_set.summon());
                }
            }
            Wake::StartWorker => self.start_spare(),
            Wake::ThreadLimit | Wake::NoMonitor => {}
        }
    }

    fn enqueue(&self, task: Arc<Task>) {
        let mut queue = self.queue.lock().unwrap();
        queue.push(task);
        self.queued.store(queue.len(), Ordering::Relaxed);
    }

    /// A job from a thread that is not in the pool.
    pub(super) fn inject(&self, task: Arc<Task>) {
        self.enqueue(task);
        self.wake(self.idle_set.alert());
    }

    /// A job spawned on a seat, with the duty of `Seat::published`.
    pub(super) fn spawn(&self, seat: usize, task: Arc<Task>) {
        self.enqueue(task);
        barrier::light();
        let deque = &self.seats[seat].deque;
        if deque.is_asked() && deque.take_reasons().contains(Reasons::WAKE_REQUESTED) {
            self.wake(self.idle_set.summon());
        }
        // As `submit`.
        if self.seats[seat].permanent.load(Ordering::Relaxed) && self.idle_set.has_ended() {
            while let Some(task) = self.take_queued() {
                task.run();
            }
        }
    }

    pub(super) fn take_queued(&self) -> Option<Arc<Task>> {
        if self.queued.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut queue = self.queue.lock().unwrap();
        let task = queue.pop();
        self.queued.store(queue.len(), Ordering::Relaxed);
        task
    }

    /// A job for one worker.
    pub(super) fn send(&self, worker: usize) {
        self.seats[worker].inbox.fetch_add(1, Ordering::Relaxed);
        self.seats[worker].parker.unpark();
    }

    /// Whether the pool was at rest.
    pub(super) fn close(&self) -> bool {
        let (wake, is_at_rest) = self.idle_set.close(&|| self.has_work());
        self.wake(wake);
        is_at_rest
    }

    /// As the drop of a handle. For pools with one worker: its end is that of the pool.
    pub(super) fn drop_handle(&self) {
        if self.close() {
            self.ended_or_disturbed.park();
        }
    }

    /// As `Registry::disturb_end`.
    pub(super) fn disturb_end(&self) {
        if self.idle_set.is_closed_to_callers() {
            self.ended_or_disturbed.unpark();
        }
    }

    pub(super) fn enter(&self, seat: usize) {
        let deque = &self.seats[seat].deque;
        let wake = self.idle_set.enter(seat, |marked| {
            if marked {
                deque.ask(Reasons::WAKE_REQUESTED);
            } else if deque.is_asked() {
                let _ = deque.take_reasons();
            }
        });
        self.wake(wake);
    }

    pub(super) fn add_member(&self, seat: usize) {
        self.seats[seat].permanent.store(true, Ordering::Relaxed);
        let deque = &self.seats[seat].deque;
        self.idle_set.add_member(seat, |marked| {
            if marked {
                deque.ask(Reasons::WAKE_REQUESTED);
            }
        });
    }

    pub(super) fn leave(&self, seat: usize) {
        self.wake(self.idle_set.leave(seat, false, &|| self.has_work()));
    }

    /// The first half of a `join`.
    pub(super) fn push(&self, seat: usize, job: *const Header) -> *mut Slot {
        let deque = &self.seats[seat].deque;
        let (slot, reasons) = super::push(deque, job);
        let reasons = reasons.expect("there is room");
        if reasons.contains(Reasons::WAKE_REQUESTED) {
            self.wake(self.idle_set.summon());
        }
        slot
    }

    /// A thread that waits for something else than a half of its own.
    pub(super) fn rest(&self, seat: usize) {
        self.wake(
            self.idle_set
                .rest(seat, Absence::Waits, &|| self.has_work()),
        );
    }

    /// It goes on.
    pub(super) fn come_back(&self, seat: usize) {
        self.wake(self.idle_set.come_back(seat, Absence::Waits));
    }

    /// Sleeps until it is woken.
    pub(super) fn park(&self, seat: usize) {
        self.seats[seat].parker.park();
    }

    pub(super) fn unpark(&self, seat: usize) {
        self.seats[seat].parker.unpark();
    }

    /// The occupant of `seat` announces that it blocks.
    pub(super) fn block(&self, seat: usize) {
        if !self.seats[seat].block_state.block() {
            let why = Absence::Blocks;
            self.wake(self.idle_set.rest(seat, why, &|| self.has_work()));
        }
    }

    /// It goes on.
    pub(super) fn unblock(&self, seat: usize) {
        if self.seats[seat].block_state.unblock() {
            self.wake(self.idle_set.come_back(seat, Absence::Blocks));
        }
    }

    /// Its next blocking is expected to be short.
    pub(super) fn expect_short(&self, seat: usize) {
        self.seats[seat].block_state.expect_short(true);
    }

    /// To the system the occupant of `seat` seems to wait, for a moment.
    pub(super) fn stick(&self, seat: usize) {
        self.seats[seat].stuck.store(true, Ordering::Relaxed);
        thread::yield_now();
        self.seats[seat].stuck.store(false, Ordering::Relaxed);
    }

    /// To the system the occupant of `seat` waits.
    pub(super) fn stand_still(&self, seat: usize) {
        self.seats[seat].stuck.store(true, Ordering::Relaxed);
    }

    /// Whether this has not been asked before.
    pub(super) fn is_first(&self) -> bool {
        !self.asked.swap(true, Ordering::Relaxed)
    }

    /// The second half of a `join`, with a wait that rests at once.
    /// Returns whether the job is the caller's again.
    pub(super) fn settle(&self, seat: usize, slot: *mut Slot) -> bool {
        let Seat { deque, parker, .. } = &self.seats[seat];
        if super::pop(deque, slot) {
            return true;
        }
        // SAFETY: the deque is alive.
        let entry = unsafe { &*slot };
        let back = entry.take_back();
        if !back {
            let watching = entry.watch();
            while watching && entry.progress() != StealState::Done {
                self.rest(seat);
                parker.park();
                self.come_back(seat);
            }
        }
        deque.release(slot);
        back
    }

    fn inbox_is_empty(&self, me: usize) -> bool {
        self.seats[me].inbox.load(Ordering::Relaxed) == 0
    }

    /// What is done under the lock of the idle set when the deque of a worker enters use.
    fn admit(&self, me: usize) -> impl FnOnce(bool) {
        move |marked| {
            if marked {
                self.seats[me].deque.ask(Reasons::WAKE_REQUESTED);
            }
        }
    }

    fn begin(&self, me: usize) {
        self.wake(self.idle_set.begin(me, self.admit(me)));
    }

    fn live(&self, me: usize) {
        let mut role = match self.entry {
            Some(entry) if me < self.workers => self.begin_first(me, entry),
            _ => {
                let (role, wake) = self.idle_set.arrive(me, &|| self.has_work());
                self.wake(wake);
                role
            }
        };
        loop {
            role = match role {
                Role::Exit => return self.ended_or_disturbed.unpark(),
                Role::Sleep => {
                    if !self.sleep(me) {
                        return;
                    }
                    if self.inbox_is_empty(me) {
                        self.idle_set.woken(me, self.admit(me))
                    } else {
                        self.begin(me);
                        self.work(me, false)
                    }
                }
                Role::Called => self.idle_set.woken(me, self.admit(me)),
                Role::Work => self.work(me, false),
                Role::Monitor => self.look_after(me),
                Role::Search => match self.watch(me) {
                    Ok(mark) => self.work(me, mark),
                    Err(role) => role,
                },
            }
        }
    }

    fn begin_first(&self, me: usize, entry: fn(&Pool, usize)) -> Role {
        let admit = self.admit(me);
        self.wake(self.idle_set.arrive_active(me, admit, &|| self.has_work()));
        self.disturb_end();
        entry(self, me);
        self.become_idle(me)
    }

    fn become_idle(&self, me: usize) -> Role {
        let (role, wake) = self.idle_set.become_idle(me, false, &|| self.has_work());
        self.wake(wake);
        role
    }

    fn is_spare(&self, me: usize) -> bool {
        me >= self.first_spare
    }

    /// `false`: a spare that was not needed has left the idle set.
    fn sleep(&self, me: usize) -> bool {
        if self.is_spare(me) && self.quits.load(Ordering::Relaxed) > 0 && self.idle_set.quit(me) {
            count_down(&self.quits);
            self.vacant.lock().unwrap().push(me);
            self.wake(self.idle_set.left(&|| self.has_work()));
            return false;
        }
        self.seats[me].parker.park();
        true
    }

    /// As the monitor, until it has another role.
    fn look_after(&self, me: usize) -> Role {
        loop {
            if !self.inbox_is_empty(me) {
                self.begin(me);
                return self.work(me, false);
            }
            let needed = self.look();
            match self.idle_set.monitor(me, !needed, &|| self.has_work()) {
                Duty::Stay => {
                    self.seats[me].parker.park_timeout(Duration::ZERO);
                }
                Duty::Leave { mark } => {
                    if mark && self.mark_and_scan() {
                        self.wake(self.idle_set.summon());
                    }
                    return Role::Sleep;
                }
                Duty::Other(role) => return role,
            }
        }
    }

    /// Looks at the active threads. Here a thread that waits in the kernel now does not run, so one
    /// look is enough. The monitor takes two looks to choose which threads to suspect, and here it
    /// may suspect any.
    fn look(&self) -> bool {
        let (active, displaced) = self.idle_set.active_and_displaced();
        for index in displaced {
            if !self.seats[index].stuck.load(Ordering::Relaxed) {
                self.idle_set.replace(index);
            }
        }
        let needed = self.idle_set.is_full() && self.has_work();
        if needed {
            for index in active {
                let seat = &self.seats[index];
                let announced = seat.block_state.is_blocked();
                if announced || seat.stuck.load(Ordering::Relaxed) {
                    let claim = || !announced || seat.block_state.lose_place();
                    self.idle_set.displace(index, announced, &claim);
                }
            }
        }
        needed
    }

    /// `Ok(mark)`: active. `Err`: another role.
    fn watch(&self, me: usize) -> Result<bool, Role> {
        let work = || self.has_work();
        let mut modest = self.is_spare(me);
        loop {
            if !self.inbox_is_empty(me) {
                self.begin(me);
                return Ok(false);
            }
            let seen = self.queued.load(Ordering::Relaxed)
                + self.seats.iter().map(|s| s.deque.visible()).sum::<usize>();
            if seen > 0 {
                match self.idle_set.take(me, seen > 1, modest) {
                    TakeOutcome::Active { wake, mark } => {
                        self.wake(wake);
                        return Ok(mark);
                    }
                    TakeOutcome::Reserved { .. } => {
                        // Thinks it over for one nap.
                        modest = false;
                        self.seats[me].parker.park_timeout(Duration::ZERO);
                        continue;
                    }
                    TakeOutcome::NoPlace | TakeOutcome::Deposed => {}
                }
            }
            if seen == 0 && count_down(&self.naps) && self.nap(me) {
                continue;
            }
            match self.idle_set.prepare_park(me, &work) {
                ParkStep::Mark => {
                    if !self.mark_and_scan() {
                        return Err(Role::Sleep);
                    }
                    match self.idle_set.unpark(me) {
                        Role::Search => {}
                        role => return Err(role),
                    }
                }
                ParkStep::Search => {}
                ParkStep::Monitor => return Err(Role::Monitor),
                ParkStep::Sleep => return Err(Role::Sleep),
                ParkStep::Exit(wake) => {
                    self.wake(wake);
                    return Err(Role::Exit);
                }
            }
            // A nap.
            thread::yield_now();
        }
    }

    fn work(&self, me: usize, mark: bool) -> Role {
        self.disturb_end();
        let mut owes_marks = mark;
        while self.find(me, &mut owes_marks) {
            if self.idle_set.is_overfull() {
                break;
            }
        }
        self.become_idle(me)
    }

    /// Finds a job, pays the marks that it owes, and runs it.
    fn find(&self, me: usize, owes_marks: &mut bool) -> bool {
        let mut begin = || {
            if std::mem::take(owes_marks) && self.mark_and_scan() {
                self.wake(self.idle_set.summon());
            }
        };
        if !self.inbox_is_empty(me) {
            self.seats[me].inbox.fetch_sub(1, Ordering::Relaxed);
            begin();
            (self.errand)(self, me);
            return true;
        }
        if let Some(task) = self.take_queued() {
            begin();
            task.run();
            self.done.unpark();
            return true;
        }
        for (index, seat) in self.seats.iter().enumerate() {
            if index == me {
                continue;
            }
            match seat.deque.steal(me, Effort::Force(1), None) {
                Steal::Taken(stolen) => {
                    begin();
                    if run_stolen(&stolen, me) {
                        seat.parker.unpark();
                    }
                    return true;
                }
                // Another thread is at it: let it finish.
                Steal::Busy => thread::yield_now(),
                Steal::Empty | Steal::Missed => {}
            }
        }
        false
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // Of a model that failed: loom has forgotten its atomics.
            std::mem::forget(std::mem::take(&mut self.seats));
        }
    }
}

/// Uses up one of the `times` that something may still happen. Returns whether there was one left.
fn count_down(times: &PlainUsize) -> bool {
    let step = |left: usize| left.checked_sub(1);
    times
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, step)
        .is_ok()
}

/// A half that the other half waits for, as `a` waits for `b` on a barrier of the user's. The half
/// that waits never calls the runtime meanwhile, so another thread must take `b`.
#[repr(C)]
pub(super) struct Hidden {
    header: Header,
    task: Task,
    ran: Parker,
}

impl Hidden {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Hidden {
            header: Header::new(Self::run_at),
            task: Task::new(),
            ran: Parker::new(),
        })
    }

    /// A whole call of `join` on `seat`. Its first half waits for the second.
    pub(super) fn join(&self, pool: &Pool, seat: usize) {
        let slot = self.push(pool, seat);
        self.settle(pool, seat, slot);
    }

    pub(super) fn push(&self, pool: &Pool, seat: usize) -> *mut Slot {
        pool.push(seat, std::ptr::from_ref(self).cast())
    }

    pub(super) fn settle(&self, pool: &Pool, seat: usize, slot: *mut Slot) {
        self.wait();
        assert!(!pool.settle(seat, slot), "another thread has run it");
        self.task.assert_once();
    }

    /// Waits until it runs, without calling the runtime.
    pub(super) fn wait(&self) {
        self.ran.park();
    }

    /// The same, and the system knows that `seat` waits.
    pub(super) fn wait_stuck(&self, pool: &Pool, seat: usize) {
        let stuck = &pool.seats[seat].stuck;
        stuck.store(true, Ordering::Relaxed);
        self.wait();
        stuck.store(false, Ordering::Relaxed);
    }

    /// The same, announced.
    pub(super) fn wait_blocked(&self, pool: &Pool, seat: usize) {
        pool.block(seat);
        self.wait();
        pool.unblock(seat);
    }

    /// A whole call of `join` on `seat`. Its first half waits for the second as `wait` says.
    pub(super) fn join_with(&self, pool: &Pool, seat: usize, wait: fn(&Self, &Pool, usize)) {
        let slot = self.push(pool, seat);
        wait(self, pool, seat);
        assert!(!pool.settle(seat, slot), "another thread has run it");
        self.task.assert_once();
    }

    /// # Safety
    ///
    /// `data` is a `Hidden` that is alive.
    unsafe fn run_at(data: *const ()) {
        // SAFETY: the caller's obligation.
        let this = unsafe { &*data.cast::<Hidden>() };
        this.task.run();
        this.ran.unpark();
    }
}
