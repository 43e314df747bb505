//! What the line has under its lock.

use super::role::{Role, Wake};
use crate::pool::idle::IdleSet;
use crate::sync::planted;

#[derive(Debug)]
pub(super) struct State {
    pub(super) places: usize,
    pub(super) active: usize,
    /// Threads that wait: they are not active, but their deques are in use.
    pub(super) away: usize,
    /// Threads that are active for good, whether they do something or not.
    pub(super) members: usize,
    pub(super) idle: IdleSet,
    pub(super) lookout: Option<usize>,
    /// The marks are out (or are being placed by a thread that will scan).
    pub(super) hungry: bool,
    pub(super) closing: bool,
    pub(super) over: bool,
}

impl State {
    pub(super) fn new(places: usize) -> Self {
        State {
            places,
            active: 0,
            away: 0,
            members: 0,
            idle: IdleSet::new(),
            lookout: None,
            hungry: false,
            closing: false,
            over: false,
        }
    }

    pub(super) fn place_is_free(&self) -> bool {
        self.active < self.places
    }

    /// How many threads may push to a deque of theirs.
    pub(super) fn in_use(&self) -> usize {
        self.active + self.away
    }

    /// A thread's deque enters use: whether it must carry the mark. If it need
    /// not, the marks (if they are out) no longer cover every deque.
    pub(super) fn admit(&mut self) -> bool {
        let marked = self.place_is_free() && self.lookout.is_none() && !self.idle.is_empty();
        if !marked && self.lookout.is_none() {
            self.hungry = false;
        }
        marked && !planted!(AdmitUnmarked)
    }

    /// Makes the head of the line the lookout.
    pub(super) fn call_next(&mut self) -> Wake {
        self.hungry = false;
        match self.idle.pop_first() {
            Some(next) => {
                self.lookout = Some(next);
                Wake::One(next)
            }
            None => Wake::Nobody,
        }
    }

    /// Makes sure that somebody watches, if there is a place for what is there.
    pub(super) fn summon(&mut self) -> Wake {
        if self.lookout.is_some() {
            Wake::Nobody
        } else if self.place_is_free() {
            self.call_next()
        } else {
            self.hungry = planted!(SummonKeepsHungry) && self.hungry;
            Wake::Nobody
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
            return self.call_next();
        }
        // No deque is in use, and one that enters will be marked.
        self.hungry = true;
        Wake::Nobody
    }

    /// A waking worker without a role goes to the line, unless the line has
    /// nobody awake and no marks to rely on: then it is the lookout.
    pub(super) fn stand(&mut self, me: usize) -> Role {
        if self.lookout.is_none() && !self.hungry && self.place_is_free() && !planted!(StandSleeps)
        {
            self.idle.remove(me);
            self.lookout = Some(me);
            Role::Watch
        } else {
            self.idle.insert(me);
            Role::Sleep
        }
    }

    /// Ends the pool if it is closing and nothing is left to be done.
    pub(super) fn end_if_done(&mut self, work: &dyn Fn() -> bool) -> bool {
        if planted!(EndForgotten) && !self.over {
            return false;
        }
        let at_rest = self.in_use() == self.members;
        if self.closing && !self.over && at_rest && (planted!(EndsWithWork) || !work()) {
            self.over = true;
        }
        self.over
    }
}
