//! What the lock of the idle set protects.

use std::sync::Arc;

use super::role::{Role, Wake};
use super::seat_bits::SeatBits;
use super::seat_set::SeatSet;
use crate::sync::planted;

/// How many workers there may be, and whether one looks after them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkerPolicy {
    /// The pool starts a worker when a place is free for work and the idle set is empty, while
    /// there are fewer workers than this. The monitor is one of them.
    pub(crate) max_workers: usize,
    /// A worker looks after the active threads while no place is free.
    pub(crate) monitored: bool,
}

impl WorkerPolicy {
    /// The workers that there are, and no others.
    pub(crate) const FIXED: WorkerPolicy = WorkerPolicy {
        max_workers: 0,
        monitored: false,
    };
}

#[derive(Debug)]
pub(super) struct IdleState {
    pub(super) places: usize,
    pub(super) active: usize,
    /// Threads that wait or block: they are not active, but their deques are
    /// in use.
    pub(super) away: usize,
    /// Those of them that wait for work of this pool.
    pub(super) waiting: usize,
    /// Those of them that would run any job, and sleep.
    pub(super) stealers: SeatSet,
    /// The searcher that said so last, if it naps. It may have been deposed since.
    pub(super) napping: Option<usize>,
    /// Whether the searcher naps over places of threads that only wait.
    pub(super) deferring: bool,
    /// Threads that are active for good, whether they do something or not.
    pub(super) members: usize,
    pub(super) idle: SeatSet,
    pub(super) searcher: Option<usize>,
    /// The marks are out (or are being placed by a thread that will scan).
    pub(super) wake_requested: bool,
    pub(super) closing: bool,
    /// The pool is closed, and has one more place, for workers that would have none.
    pub(super) has_last_place: bool,
    pub(super) over: bool,
    /// Calls from outside that may bring work at any time, and keep the pool from its end.
    pub(super) kept_open: usize,

    pub(super) worker_policy: WorkerPolicy,
    /// Workers that there are, those that have not arrived and those that have
    /// quit and not ended yet included.
    pub(super) workers: usize,
    /// Workers that have quit and not ended yet.
    pub(super) leaving: usize,
    /// Workers that were deposed as searchers, or had not woken up to be it, and
    /// are on their way to the idle set.
    pub(super) deposed: SeatSet,
    /// Workers that have been started and will arrive.
    pub(super) arriving: usize,
    /// The seats that are active, except members.
    pub(super) active_set: SeatSet,
    /// Members: active for good, also while they do something else.
    pub(super) permanent: SeatSet,
    /// The seats that were active and count as away, because their threads were seen to block. The
    /// threads do not know.
    pub(super) displaced: SeatSet,
    pub(super) displaced_len: usize,
    /// An idle worker that looks after the active threads.
    pub(super) monitor: Option<usize>,
    /// The seats with deques in use, and those with jobs in their queues.
    in_use: Arc<SeatBits>,
}

impl IdleState {
    pub(super) fn new(places: usize, worker_policy: WorkerPolicy, in_use: Arc<SeatBits>) -> Self {
        IdleState {
            places,
            active: 0,
            away: 0,
            waiting: 0,
            stealers: SeatSet::new(),
            napping: None,
            deferring: false,
            members: 0,
            idle: SeatSet::new(),
            searcher: None,
            wake_requested: false,
            closing: false,
            has_last_place: false,
            kept_open: 0,
            over: false,
            worker_policy,
            workers: 0,
            leaving: 0,
            deposed: SeatSet::new(),
            arriving: 0,
            active_set: SeatSet::new(),
            permanent: SeatSet::new(),
            displaced: SeatSet::new(),
            displaced_len: 0,
            monitor: None,
            in_use,
        }
    }

    pub(super) fn place_is_free(&self) -> bool {
        self.active < self.places + usize::from(self.has_last_place)
    }

    /// How many threads may push to a deque of theirs.
    pub(super) fn in_use(&self) -> usize {
        self.active + self.away
    }

    /// `me` is active from now on.
    pub(super) fn activate(&mut self, me: usize) {
        self.active += 1;
        if !self.permanent.contains(me) {
            self.active_set.insert(me);
        }
        if !planted!(EntersUnlisted) {
            self.in_use.insert(me);
        }
    }

    /// `me`, which was active, does not push any more. With `has_jobs`, its queue is not empty.
    pub(super) fn retire(&mut self, me: usize, has_jobs: bool) {
        self.deactivate(me);
        if !has_jobs {
            self.in_use.remove(me);
        }
    }

    /// `me` is not active any more: it waits, is idle, or leaves.
    pub(super) fn deactivate(&mut self, me: usize) {
        if self.recall(me) && !planted!(DisplacedForgotten) {
            // It had lost its place without knowing it.
            self.away -= 1;
        } else {
            self.active_set.remove(me);
            self.active -= 1;
        }
    }

    /// Whether `me`, an idle worker as far as it knows, has a place: it was called to help. (It may
    /// have been seen to block since.)
    pub(super) fn is_called(&self, me: usize) -> bool {
        self.active_set.contains(me) || self.displaced.contains(me)
    }

    /// Takes note that `me`, which was seen to block, does not. Whether it was.
    pub(super) fn recall(&mut self, me: usize) -> bool {
        let was = self.displaced.remove(me);
        self.displaced_len -= usize::from(was);
        was
    }

    /// Whether a worker is idle, or could be started.
    pub(super) fn has_next(&self) -> bool {
        !self.idle.is_empty() || self.may_start_worker()
    }

    /// Whether some worker is on its way to the idle set, and will look before it
    /// sleeps.
    pub(super) fn is_coming(&self) -> bool {
        self.arriving > 0 || !self.deposed.is_empty()
    }

    /// Whether a worker looks after the active threads when no place is free, or
    /// could: at the limit every worker may be busy.
    pub(super) fn may_be_monitored(&self) -> bool {
        self.worker_policy.monitored && self.has_relief()
    }

    /// Whether a worker would take a place that a thread gives up.
    pub(super) fn has_relief(&self) -> bool {
        self.has_next() || self.searcher.is_some() || self.is_coming()
    }

    pub(super) fn may_start_worker(&self) -> bool {
        let another = self.workers < self.worker_policy.max_workers || self.has_stealers();
        !self.is_coming() && another && !self.over
    }

    fn has_stealers(&self) -> bool {
        self.stealers.last().is_some() && !planted!(StealerNotCalled)
    }

    /// Asks for a further worker, unless one is on its way. The caller knows that there is
    /// something to do.
    fn start_worker(&mut self) -> Wake {
        if self.is_coming() || self.over || planted!(SpareNotStarted) {
            return Wake::None;
        }
        if self.workers < self.worker_policy.max_workers {
            self.workers += 1;
            self.arriving += 1;
            return Wake::StartWorker;
        }
        if self.has_stealers()
            && let Some(stealer) = self.stealers.pop_first()
        {
            return Wake::One(stealer);
        }
        self.at_the_limit()
    }

    /// A further worker is needed, and there may be none.
    pub(super) fn at_the_limit(&self) -> Wake {
        if self.worker_policy.max_workers == 0 || self.leaving > 0 {
            // A worker that is about to end asks again then (`left`). A pool without spares has no
            // limit to warn of.
            Wake::None
        } else {
            Wake::ThreadLimit
        }
    }

    /// A thread's deque enters use: whether it must carry the mark. If it need
    /// not, the marks (if they are out) no longer cover every deque.
    pub(super) fn admit(&mut self) -> bool {
        let marked = self.searcher.is_none()
            && if self.place_is_free() {
                self.has_next()
            } else {
                // The monitor sleeps, and relies on the marks.
                self.wake_requested && self.worker_policy.monitored && self.monitor.is_none()
            };
        if !marked && self.searcher.is_none() {
            self.wake_requested = false;
        }
        marked && !planted!(AdmitUnmarked)
    }

    /// Makes the first idle worker the searcher, or asks for a further worker.
    pub(super) fn call_next(&mut self) -> Wake {
        self.wake_requested = false;
        match self.idle.pop_first() {
            Some(next) => {
                if self.monitor == Some(next) {
                    self.monitor = None;
                }
                self.searcher = Some(next);
                Wake::One(next)
            }
            None => self.start_worker(),
        }
    }

    /// Makes sure that there is a searcher, if a place is free, and otherwise that a worker looks
    /// after the active threads.
    pub(super) fn summon(&mut self) -> Wake {
        if self.searcher.is_some() {
            Wake::None
        } else if self.place_is_free() {
            self.call_next()
        } else {
            self.wake_requested = planted!(SummonKeepsRequest) && self.wake_requested;
            self.look_after(true)
        }
    }

    /// The last place may just have been taken. Then a worker must look after the active threads,
    /// or the pool must be marked. `work`: something is known to be visible.
    pub(super) fn look_after(&mut self, work: bool) -> Wake {
        if !self.worker_policy.monitored
            || planted!(NoMonitor)
            || self.place_is_free()
            || self.monitor.is_some()
            || self.searcher.is_some()
            || self.wake_requested
            || self.over
        {
            return Wake::None;
        }
        match self.idle.last() {
            Some(last) => {
                self.monitor = Some(last);
                Wake::One(last)
            }
            // The worker that arrives finds no monitor, and becomes it.
            None if self.is_coming() => Wake::None,
            // The limit counts the monitor: at the limit there is none unless a
            // worker is idle.
            None if self.workers >= self.worker_policy.max_workers
                && !(planted!(MonitorBeyondLimit)
                    && self.workers == self.worker_policy.max_workers) =>
            {
                // If threads block without a word, the worker that has just taken the last place
                // was the last one that could notice.
                if self.displaced_len > 0 && self.at_the_limit() == Wake::ThreadLimit {
                    Wake::NoMonitor
                } else {
                    Wake::None
                }
            }
            None if work => {
                self.workers += 1;
                self.arriving += 1;
                Wake::StartWorker
            }
            None => {
                self.wake_requested = true;
                Wake::Mark
            }
        }
    }

    /// A free place needs a searcher, unless there is one or the pool is marked.
    pub(super) fn place_was_freed(&mut self, work: &dyn Fn() -> bool) -> Wake {
        if self.searcher.is_some() || self.wake_requested || !self.place_is_free() {
            return Wake::None;
        }
        if planted!(LeaveWakesNobody) {
            return Wake::None;
        }
        if self.in_use() > 0 || work() {
            if !self.idle.is_empty() {
                return self.call_next();
            }
            if self.is_coming() {
                // It is going to look.
                return Wake::None;
            }
            if work() {
                return self.start_worker();
            }
            if !self.may_start_worker() {
                return Wake::None;
            }
            self.wake_requested = true;
            if planted!(FreedUnmarked) {
                return Wake::None;
            }
            return Wake::Mark;
        }
        // No deque is in use, and one that enters will be marked.
        self.wake_requested = true;
        Wake::None
    }

    /// A waking worker without a role enters the idle set. If there is neither a searcher nor a
    /// mark to rely on, it is the searcher, or the monitor while no place is free.
    pub(super) fn enqueue_idle(&mut self, me: usize) -> Role {
        self.deposed.remove(me);
        if self.monitor == Some(me) {
            self.monitor = None;
        }
        let unwatched = self.searcher.is_none() && !self.wake_requested;
        if unwatched && self.place_is_free() && !planted!(EnqueueSleeps) {
            self.idle.remove(me);
            self.searcher = Some(me);
            return Role::Search;
        }
        self.idle.insert(me);
        if unwatched
            && self.worker_policy.monitored
            && !self.place_is_free()
            && self.monitor.is_none()
        {
            self.monitor = Some(me);
            return Role::Monitor;
        }
        Role::Sleep
    }

    /// Whether no thread is in the pool, members for good apart, and no call may bring work.
    /// Workers may be on their way.
    pub(super) fn is_at_rest(&self) -> bool {
        self.in_use() == self.members && self.kept_open == 0
    }

    /// Ends the pool if it is closing and nothing is left to be done.
    pub(super) fn end_if_done(&mut self, work: &dyn Fn() -> bool) -> bool {
        if planted!(EndForgotten) && !self.over {
            return false;
        }
        if self.kept_open > 0 {
            return self.over;
        }
        let arrives = self.arriving > 0 && !planted!(EndsWithoutArrivals);
        let at_rest = self.in_use() == self.members && !arrives;
        if self.closing && !self.over && at_rest && (planted!(EndsWithWork) || !work()) {
            self.over = true;
        }
        self.over
    }
}
