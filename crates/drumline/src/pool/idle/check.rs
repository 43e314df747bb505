//! What holds whenever the lock is free: the models look after each step.

use super::IdleSet;
use super::state::IdleState;

impl IdleState {
    pub(super) fn check(&self) {
        let active = self.active_set.iter().count();
        assert!(
            (active..=active + self.members).contains(&self.active),
            "an active worker is known: {self:?}"
        );
        let displaced = self.displaced.iter().count();
        assert!(
            displaced == self.displaced_len && displaced <= self.away,
            "a worker that has lost its place is known, and away: {self:?}"
        );
        for seat in self.active_set.iter() {
            assert!(
                !self.displaced.contains(seat) && !self.idle.contains(seat),
                "{seat} is active and nothing else: {self:?}"
            );
        }
        let max_workers = self.worker_policy.max_workers;
        assert!(
            max_workers == 0 || self.workers <= max_workers,
            "the limit is the limit: {self:?}"
        );
        assert!(
            self.stealers.iter().count() <= self.waiting,
            "a worker that would steal waits: {self:?}"
        );
        if let Some(searcher) = self.searcher {
            assert!(
                !self.idle.contains(searcher) && !self.active_set.contains(searcher),
                "the searcher is awake and idle: {self:?}"
            );
            assert!(!self.wake_requested, "a searcher needs no marks: {self:?}");
        }
        if let Some(monitor) = self.monitor {
            assert!(
                self.idle.contains(monitor),
                "the monitor stands in idle_set: {self:?}"
            );
        }
    }
}

impl IdleSet {
    /// The pool has ended. Every thread has come back, and all but members for good have left.
    pub(crate) fn assert_settled(&self) {
        self.with(|state| {
            let rest = (state.in_use(), state.waiting, state.arriving, state.leaving);
            assert_eq!(rest, (state.members, 0, 0, 0), "{state:?}");
            assert!(state.over, "{state:?}");
        });
    }
}
