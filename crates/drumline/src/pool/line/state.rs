//! What the line has under its lock.

use super::role::{Role, Wake};
use crate::pool::idle::IdleSet;
use crate::sync::planted;

/// How many workers there may be, and who looks after them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Staffing {
    /// A worker is added where a place is free for work and nobody stands in
    /// line, as long as there are fewer than this. The monitor is one of them.
    pub(crate) max_workers: usize,
    /// Somebody looks after the active threads when no place is free.
    pub(crate) monitored: bool,
}

impl Staffing {
    /// The workers that there are, and nobody else.
    pub(crate) const FIXED: Staffing = Staffing {
        max_workers: 0,
        monitored: false,
    };
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) places: usize,
    pub(super) active: usize,
    /// Threads that wait or block: they are not active, but their deques are
    /// in use.
    pub(super) away: usize,
    /// Those of them that wait for work of this pool.
    pub(super) waiting: usize,
    /// Those of them that would run any job, and sleep.
    pub(super) stealers: IdleSet,
    /// Whether the lookout naps over places of threads that only wait.
    pub(super) holding: bool,
    /// Threads that are active for good, whether they do something or not.
    pub(super) members: usize,
    pub(super) idle: IdleSet,
    pub(super) lookout: Option<usize>,
    /// The marks are out (or are being placed by a thread that will scan).
    pub(super) hungry: bool,
    pub(super) closing: bool,
    pub(super) over: bool,
    /// Calls from outside that may bring work at any time, and keep the pool from its end.
    pub(super) kept_open: usize,

    pub(super) staffing: Staffing,
    /// Workers that there are, those that have not arrived and those that have
    /// quit and not ended yet included.
    pub(super) workers: usize,
    /// Workers that have quit and not ended yet.
    pub(super) leaving: usize,
    /// Workers that were deposed as lookouts, or had not woken up to be it, and
    /// are on their way to the line.
    pub(super) loose: IdleSet,
    /// Workers that have been hired and will arrive.
    pub(super) arriving: usize,
    /// Who is active, except members.
    pub(super) acting: IdleSet,
    /// Members: active for good, also while they do something else.
    pub(super) permanent: IdleSet,
    /// Who was active and counts as away because it was seen to block; it does
    /// not know.
    pub(super) displaced: IdleSet,
    pub(super) displaced_len: usize,
    /// An idle worker that looks after the active threads.
    pub(super) monitor: Option<usize>,
}

impl State {
    pub(super) fn new(places: usize, staffing: Staffing) -> Self {
        State {
            places,
            active: 0,
            away: 0,
            waiting: 0,
            stealers: IdleSet::new(),
            holding: false,
            members: 0,
            idle: IdleSet::new(),
            lookout: None,
            hungry: false,
            closing: false,
            kept_open: 0,
            over: false,
            staffing,
            workers: 0,
            leaving: 0,
            loose: IdleSet::new(),
            arriving: 0,
            acting: IdleSet::new(),
            permanent: IdleSet::new(),
            displaced: IdleSet::new(),
            displaced_len: 0,
            monitor: None,
        }
    }

    pub(super) fn place_is_free(&self) -> bool {
        self.active < self.places
    }

    /// How many threads may push to a deque of theirs.
    pub(super) fn in_use(&self) -> usize {
        self.active + self.away
    }

    // ---- who is active -----------------------------------------------------

    /// `me` is active from now on.
    pub(super) fn activate(&mut self, me: usize) {
        self.active += 1;
        if !self.permanent.contains(me) {
            self.acting.insert(me);
        }
    }

    /// `me` is not active any more: it waits, is idle, or leaves.
    pub(super) fn deactivate(&mut self, me: usize) {
        if self.recall(me) && !planted!(DisplacedForgotten) {
            // It had lost its place without knowing it.
            self.away -= 1;
        } else {
            self.acting.remove(me);
            self.active -= 1;
        }
    }

    /// Takes note that `me`, which was seen to block, does not. Whether it was.
    pub(super) fn recall(&mut self, me: usize) -> bool {
        let was = self.displaced.remove(me);
        self.displaced_len -= usize::from(was);
        was
    }

    // ---- who comes next ----------------------------------------------------

    /// Whether somebody stands in line, or could be hired to.
    pub(super) fn has_next(&self) -> bool {
        !self.idle.is_empty() || self.may_hire()
    }

    /// Whether some worker is on its way to the line, and will look before it
    /// sleeps.
    fn is_coming(&self) -> bool {
        self.arriving > 0 || !self.loose.is_empty()
    }

    /// Whether a worker looks after the active threads when no place is free, or
    /// could: at the limit every worker may be busy.
    pub(super) fn may_be_monitored(&self) -> bool {
        self.staffing.monitored && (self.has_next() || self.lookout.is_some() || self.is_coming())
    }

    fn may_hire(&self) -> bool {
        let another = self.workers < self.staffing.max_workers || self.has_stealers();
        !self.is_coming() && another && !self.over
    }

    fn has_stealers(&self) -> bool {
        self.stealers.last().is_some() && !planted!(StealerNotCalled)
    }

    /// Hires a worker, unless one is on its way. The caller knows that there is
    /// something to do.
    fn recruit(&mut self) -> Wake {
        if self.is_coming() || self.over || planted!(SpareNotHired) {
            return Wake::Nobody;
        }
        if self.workers < self.staffing.max_workers {
            self.workers += 1;
            self.arriving += 1;
            return Wake::Recruit;
        }
        if self.has_stealers()
            && let Some(stealer) = self.stealers.pop_first()
        {
            return Wake::One(stealer);
        }
        self.at_the_limit()
    }

    /// A further worker is needed, and there may be none.
    fn at_the_limit(&self) -> Wake {
        if self.staffing.max_workers == 0 || self.leaving > 0 {
            // One that is about to end asks again then (`left`). Where there are
            // no spares there is no limit to tell of.
            Wake::Nobody
        } else {
            Wake::Limit
        }
    }

    /// A thread's deque enters use: whether it must carry the mark. If it need
    /// not, the marks (if they are out) no longer cover every deque.
    pub(super) fn admit(&mut self) -> bool {
        let marked = self.lookout.is_none()
            && if self.place_is_free() {
                self.has_next()
            } else {
                // The monitor sleeps, and relies on the marks.
                self.hungry && self.staffing.monitored && self.monitor.is_none()
            };
        if !marked && self.lookout.is_none() {
            self.hungry = false;
        }
        marked && !planted!(AdmitUnmarked)
    }

    /// Makes the head of the line the lookout, or hires one.
    pub(super) fn call_next(&mut self) -> Wake {
        self.hungry = false;
        match self.idle.pop_first() {
            Some(next) => {
                if self.monitor == Some(next) {
                    self.monitor = None;
                }
                self.lookout = Some(next);
                Wake::One(next)
            }
            None => self.recruit(),
        }
    }

    /// Makes sure that somebody watches, if there is a place for what is there,
    /// and otherwise that those who have the places are looked after.
    pub(super) fn summon(&mut self) -> Wake {
        if self.lookout.is_some() {
            Wake::Nobody
        } else if self.place_is_free() {
            self.call_next()
        } else {
            self.hungry = planted!(SummonKeepsHungry) && self.hungry;
            self.look_after(true)
        }
    }

    /// The last place may just have been taken: then somebody must look after
    /// those who have them, or the marks must be out. `work`: something is
    /// known to be visible.
    pub(super) fn look_after(&mut self, work: bool) -> Wake {
        if !self.staffing.monitored
            || planted!(NoMonitor)
            || self.place_is_free()
            || self.monitor.is_some()
            || self.lookout.is_some()
            || self.hungry
            || self.over
        {
            return Wake::Nobody;
        }
        match self.idle.last() {
            Some(last) => {
                self.monitor = Some(last);
                Wake::One(last)
            }
            // The worker that arrives finds no monitor, and becomes it.
            None if self.is_coming() => Wake::Nobody,
            // The limit counts the monitor: at the limit there is none unless a
            // worker is idle.
            None if self.workers >= self.staffing.max_workers
                && !(planted!(MonitorBeyondLimit) && self.workers == self.staffing.max_workers) =>
            {
                // Where threads block without a word, the worker that has just
                // taken the last place was the last one that could notice.
                if self.displaced_len > 0 {
                    self.at_the_limit()
                } else {
                    Wake::Nobody
                }
            }
            None if work => {
                self.workers += 1;
                self.arriving += 1;
                Wake::Recruit
            }
            None => {
                self.hungry = true;
                Wake::Mark
            }
        }
    }

    /// Where nobody watches and no marks are out, a free place needs a lookout.
    pub(super) fn place_was_freed(&mut self, work: &dyn Fn() -> bool) -> Wake {
        if self.lookout.is_some() || self.hungry || !self.place_is_free() {
            return Wake::Nobody;
        }
        if planted!(LeaveWakesNobody) {
            return Wake::Nobody;
        }
        if self.in_use() > 0 || work() {
            if !self.idle.is_empty() {
                return self.call_next();
            }
            if self.is_coming() {
                // It is going to look.
                return Wake::Nobody;
            }
            if work() {
                return self.recruit();
            }
            if !self.may_hire() {
                return Wake::Nobody;
            }
            self.hungry = true;
            if planted!(FreedUnmarked) {
                return Wake::Nobody;
            }
            return Wake::Mark;
        }
        // No deque is in use, and one that enters will be marked.
        self.hungry = true;
        Wake::Nobody
    }

    /// A waking worker without a role goes to the line, unless the line has
    /// nobody awake and no marks to rely on: then it is the lookout, or, where
    /// no place is free, the monitor.
    pub(super) fn stand(&mut self, me: usize) -> Role {
        self.loose.remove(me);
        if self.monitor == Some(me) {
            self.monitor = None;
        }
        let unwatched = self.lookout.is_none() && !self.hungry;
        if unwatched && self.place_is_free() && !planted!(StandSleeps) {
            self.idle.remove(me);
            self.lookout = Some(me);
            return Role::Watch;
        }
        self.idle.insert(me);
        if unwatched && self.staffing.monitored && !self.place_is_free() && self.monitor.is_none() {
            self.monitor = Some(me);
            return Role::Monitor;
        }
        Role::Sleep
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
