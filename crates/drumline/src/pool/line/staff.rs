//! Workers that come and go, and the monitor among them.

use super::Line;
use super::role::{Duty, Role, Wake};
use crate::sync::planted;

impl Line {
    /// A worker is about to be started that the line has not asked for: one of
    /// `wanted`, which is no more than there may be. `false`: there are as many
    /// as there may be, with those that were asked for.
    #[must_use]
    pub(crate) fn hire(&self, wanted: usize) -> bool {
        self.with(|state| {
            let staffing = &mut state.staffing;
            if staffing.max_workers > 0 {
                staffing.max_workers = staffing.max_workers.max(wanted);
                if state.workers >= staffing.max_workers {
                    return false;
                }
            }
            state.workers += 1;
            state.arriving += 1;
            true
        })
    }

    /// A worker could not be started, and will not arrive.
    pub(crate) fn unhire(&self, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.workers -= 1;
            if !planted!(UnhireForgotten) {
                state.arriving -= 1;
            }
            if state.end_if_done(work) {
                Wake::All
            } else {
                Wake::Nobody
            }
        })
    }

    /// A worker that is not needed at present wants to end. Whether it may; if
    /// so, it is no longer in line, and says when it has [`left`](Self::left).
    pub(crate) fn quit(&self, me: usize) -> bool {
        self.with(|state| {
            if planted!(QuitAnyway) {
                state.idle.remove(me);
                state.leaving += 1;
                return true;
            }
            if state.lookout == Some(me) || state.over || !state.idle.remove(me) {
                return false;
            }
            if state.monitor == Some(me) {
                state.idle.insert(me);
                return false;
            }
            state.leaving += 1;
            true
        })
    }

    /// A worker that has quit has nothing left to do: another one may take its
    /// place among the threads that there may be.
    pub(crate) fn left(&self, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.workers -= 1;
            state.leaving -= 1;
            if state.over || planted!(LeftUnasked) {
                Wake::Nobody
            } else if state.place_is_free() {
                state.place_was_freed(work)
            } else {
                state.look_after(work())
            }
        })
    }

    /// What the monitor has to do. `rested`: nothing was to be done for a
    /// while; `work`: whether something is visible.
    pub(crate) fn monitor(&self, me: usize, rested: bool, work: &dyn Fn() -> bool) -> Duty {
        self.with(|state| {
            if state.over {
                return Duty::Other(Role::Exit);
            }
            if state.lookout == Some(me) {
                return Duty::Other(Role::Watch);
            }
            if state.monitor != Some(me) {
                if planted!(DeposedOutOfLine) {
                    return Duty::Leave { mark: false };
                }
                // Called to be the lookout, and deposed before it had noticed:
                // then it is not in line any more, and nobody will wake it again.
                return Duty::Other(state.stand(me));
            }
            if state.place_is_free() && state.lookout.is_none() && !state.hungry {
                // A place was taken from somebody who blocks.
                return Duty::Other(state.stand(me));
            }
            if !rested || state.displaced_len > 0 {
                return Duty::Stay;
            }
            if state.place_is_free() || state.lookout.is_some() {
                state.monitor = None;
                return Duty::Leave { mark: false };
            }
            if work() {
                return Duty::Stay;
            }
            state.monitor = None;
            state.hungry = true;
            Duty::Leave {
                mark: !planted!(MonitorLeavesUnmarked),
            }
        })
    }
}

#[cfg(all(test, not(drumline_loom), not(drumline_shuttle)))]
mod tests {
    use super::super::{Line, Role, Staffing, Take};
    use super::{Duty, Wake};

    /// Found by the soak: the monitor went to sleep without standing in line, and nobody could wake
    /// it any more.
    #[test]
    fn a_monitor_that_was_called_and_deposed_stands_in_line_again() {
        let staffing = Staffing {
            max_workers: 10,
            monitored: true,
        };
        let line = Line::new(2, staffing);
        let (work, none) = (|| true, || false);
        for worker in [0, 1] {
            assert!(line.hire(2));
            assert_eq!(line.arrive(worker, &none).0, Role::Sleep);
        }
        let (guest, other) = (2, 3);
        assert_eq!(line.enter(guest, |_| ()), Wake::Nobody);
        assert_eq!(line.enter(other, |_| ()), Wake::One(1));
        assert_eq!(line.woken(1), Role::Monitor);
        assert_eq!(line.leave(guest, &work), Wake::One(0));
        assert_eq!(line.woken(0), Role::Watch);
        assert!(matches!(line.take(0, true, false), Take::Active { .. }));
        // Called, which takes it out of the line, while it naps; and deposed before it wakes.
        assert_eq!(line.leave(other, &work), Wake::One(1));
        assert_eq!(line.retire(0, &work), (Role::Watch, Wake::Nobody));
        assert_eq!(line.monitor(1, false, &work), Duty::Other(Role::Sleep));
        assert!(line.quit(1), "it stands in line");
    }
}
