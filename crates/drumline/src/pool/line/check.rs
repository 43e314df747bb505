//! What holds whenever the lock is free: the models look after each step.

use super::Line;
use super::state::State;

impl State {
    pub(super) fn check(&self) {
        let acting = self.acting.iter().count();
        assert!(
            (acting..=acting + self.members).contains(&self.active),
            "who is active is known: {self:?}"
        );
        let displaced = self.displaced.iter().count();
        assert!(
            displaced == self.displaced_len && displaced <= self.away,
            "who has lost its place is known, and away: {self:?}"
        );
        for seat in self.acting.iter() {
            assert!(
                !self.displaced.contains(seat) && !self.idle.contains(seat),
                "{seat} is active and nothing else: {self:?}"
            );
        }
        let max_workers = self.staffing.max_workers;
        assert!(
            max_workers == 0 || self.workers <= max_workers,
            "the limit is the limit: {self:?}"
        );
        assert!(
            self.stealers.iter().count() <= self.waiting,
            "who would steal waits: {self:?}"
        );
        if let Some(lookout) = self.lookout {
            assert!(
                !self.idle.contains(lookout) && !self.acting.contains(lookout),
                "the lookout is awake and idle: {self:?}"
            );
            assert!(!self.hungry, "a lookout needs no marks: {self:?}");
        }
        if let Some(monitor) = self.monitor {
            assert!(
                self.idle.contains(monitor),
                "the monitor stands in line: {self:?}"
            );
        }
    }
}

impl Line {
    /// The pool has ended, and everybody has come back and left.
    pub(crate) fn assert_settled(&self) {
        self.with(|state| {
            let rest = (state.in_use(), state.waiting, state.arriving, state.leaving);
            assert_eq!(rest, (state.members, 0, 0, 0), "{state:?}");
            assert!(state.over, "{state:?}");
        });
    }
}
