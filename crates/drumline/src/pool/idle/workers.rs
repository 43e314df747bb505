//! Workers that come and go, and the monitor among them.

use super::IdleSet;
use super::role::{Duty, Role, Wake};
use crate::sync::planted;

impl IdleSet {
    /// A worker is about to be started that the idle set has not asked for: one of `wanted`, which
    /// is no more than the limit. `false`: with those that were asked for, the limit is met.
    #[must_use]
    pub(crate) fn expect_worker(&self, wanted: usize) -> bool {
        self.with(|state| {
            let worker_policy = &mut state.worker_policy;
            if worker_policy.max_workers > 0 {
                worker_policy.max_workers = worker_policy.max_workers.max(wanted);
                if state.workers >= worker_policy.max_workers {
                    return false;
                }
            }
            state.workers += 1;
            state.arriving += 1;
            true
        })
    }

    /// Up to `count` workers are about to be started beside one that the idle set has asked for.
    /// Returns how many.
    #[must_use]
    pub(crate) fn expect_spares(&self, count: usize) -> usize {
        self.with(|state| {
            let room = state
                .worker_policy
                .max_workers
                .saturating_sub(state.workers);
            let count = if state.over { 0 } else { count.min(room) };
            state.workers += count;
            state.arriving += count;
            count
        })
    }

    /// A worker could not be started, and will not arrive.
    pub(crate) fn worker_not_started(&self, work: &dyn Fn() -> bool) -> Wake {
        self.with(|state| {
            state.workers -= 1;
            if !planted!(UnhireForgotten) {
                state.arriving -= 1;
            }
            if state.end_if_done(work) {
                Wake::All
            } else {
                Wake::None
            }
        })
    }

    /// A worker that is not needed at present wants to end. Whether it may; if
    /// so, it is no longer in the idle set, and says when it has [`left`](Self::left).
    pub(crate) fn quit(&self, me: usize) -> bool {
        self.with(|state| {
            if planted!(QuitAnyway) {
                state.idle.remove(me);
                state.leaving += 1;
                return true;
            }
            if state.searcher == Some(me) || state.over || !state.idle.remove(me) {
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
                Wake::None
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
            if state.searcher == Some(me) {
                return Duty::Other(Role::Search);
            }
            if state.monitor != Some(me) {
                if planted!(DeposedOutOfLine) {
                    return Duty::Leave { mark: false };
                }
                // Called to be the searcher, and deposed before it had noticed. It is not in the
                // idle set any more, so no thread would wake it again.
                return Duty::Other(state.enqueue_idle(me));
            }
            if state.place_is_free() && state.searcher.is_none() && !state.wake_requested {
                // A place was taken from a thread that blocks.
                return Duty::Other(state.enqueue_idle(me));
            }
            if !rested || state.displaced_len > 0 {
                return Duty::Stay;
            }
            if state.place_is_free() || state.searcher.is_some() {
                state.monitor = None;
                return Duty::Leave { mark: false };
            }
            if work() {
                return Duty::Stay;
            }
            state.monitor = None;
            state.wake_requested = true;
            Duty::Leave {
                mark: !planted!(MonitorLeavesUnmarked),
            }
        })
    }
}

#[cfg(all(test, not(drumline_loom), not(drumline_shuttle)))]
mod tests {
    use super::super::{Absence, IdleSet, ParkStep, Role, TakeOutcome, WorkerPolicy};
    use super::{Duty, Wake};

    /// An idle set in which a worker looks after the active threads.
    fn monitored(places: usize, max_workers: usize) -> IdleSet {
        let worker_policy = WorkerPolicy {
            max_workers,
            monitored: true,
        };
        IdleSet::new(places, worker_policy)
    }

    /// A monitor that goes to sleep outside of the idle set is not woken any more.
    #[test]
    fn a_monitor_that_was_called_and_deposed_stands_in_line_again() {
        let idle_set = monitored(2, 10);
        let (work, none) = (|| true, || false);
        for worker in [0, 1] {
            assert!(idle_set.expect_worker(2));
            assert_eq!(idle_set.arrive(worker, &none).0, Role::Sleep);
        }
        let (guest, other) = (2, 3);
        assert_eq!(idle_set.enter(guest, |_| ()), Wake::None);
        assert_eq!(idle_set.enter(other, |_| ()), Wake::One(1));
        assert_eq!(idle_set.woken(1, |_| ()), Role::Monitor);
        assert_eq!(idle_set.leave(guest, false, &work), Wake::One(0));
        assert_eq!(idle_set.woken(0, |_| ()), Role::Search);
        assert!(matches!(
            idle_set.take(0, true, false),
            TakeOutcome::Active { .. }
        ));
        // Called, which takes it out of the idle set, while it naps; and deposed before it wakes.
        assert_eq!(idle_set.leave(other, false, &work), Wake::One(1));
        assert_eq!(
            idle_set.become_idle(0, false, &work),
            (Role::Search, Wake::None)
        );
        assert_eq!(idle_set.monitor(1, false, &work), Duty::Other(Role::Sleep));
        assert!(idle_set.quit(1), "it is in the idle set");
    }

    /// Spares that are started ahead count against the limit, as each other does, and there is none
    /// after the end.
    #[test]
    fn spares_ahead_keep_to_the_limit() {
        let idle_set = monitored(1, 5);
        let none = || false;
        assert!(idle_set.expect_worker(1));
        assert_eq!(idle_set.expect_spares(2), 2);
        assert_eq!(idle_set.expect_spares(9), 2);
        assert_eq!(idle_set.expect_spares(1), 0);
        assert!(!idle_set.expect_worker(1));
        for worker in 0..5 {
            assert_eq!(idle_set.arrive(worker, &none).0, Role::Sleep);
        }
    }

    /// What a thread has queued before it blocks does not wait for the end of a nap.
    #[test]
    fn a_thread_that_blocks_calls_a_searcher_that_naps() {
        let idle_set = monitored(2, 10);
        let (work, none) = (|| true, || false);
        assert!(idle_set.expect_worker(1));
        let guest = 1;
        assert_eq!(idle_set.enter(guest, |_| ()), Wake::None);
        assert_eq!(idle_set.arrive(0, &none).0, Role::Search);
        assert!(idle_set.prepare_nap(0));
        assert_eq!(idle_set.rest(guest, Absence::Blocks, &none), Wake::None);
        assert_eq!(idle_set.come_back(guest, Absence::Blocks), Wake::None);
        assert_eq!(idle_set.rest(guest, Absence::Blocks, &work), Wake::One(0));
        assert_eq!(idle_set.come_back(guest, Absence::Blocks), Wake::None);
        // It is on its way.
        assert_eq!(idle_set.rest(guest, Absence::Blocks, &work), Wake::None);
    }

    /// A worker is called to help while it looks for the last time: it goes to where it learns
    /// that, and its deque enters use there. The monitor is not called.
    #[test]
    fn a_worker_that_looks_for_the_last_time_may_be_called_and_the_monitor_may_not() {
        let idle_set = monitored(4, 10);
        let (work, none) = (|| true, || false);
        assert!(idle_set.expect_worker(3));
        let guest = 3;
        assert_eq!(idle_set.enter(guest, |_| ()), Wake::None);
        assert_eq!(idle_set.arrive(0, &none).0, Role::Search);
        assert_eq!(idle_set.prepare_park(0, &none), ParkStep::Mark);
        assert_eq!(idle_set.call_helpers(1), [0]);
        assert_eq!(idle_set.unpark(0), Role::Called);
        let mut is_marked = None;
        assert_eq!(
            idle_set.woken(0, |marked| is_marked = Some(marked)),
            Role::Work
        );
        assert_eq!(
            is_marked,
            Some(true),
            "it relies on marks, and another worker may come"
        );
        assert_eq!(
            idle_set.become_idle(0, false, &work),
            (Role::Search, Wake::None)
        );

        // With all places taken, it is the monitor. What it makes free relies on it.
        let others = [4, 5, 6];
        for other in others {
            let _ = idle_set.enter(other, |_| ());
        }
        assert_eq!(idle_set.prepare_park(0, &none), ParkStep::Monitor);
        for other in others {
            idle_set.displace(other, true, &|| true);
        }
        assert!(idle_set.call_helpers(1).is_empty());
        let duty = idle_set.monitor(0, false, &work);
        assert_eq!(duty, Duty::Other(Role::Search));
    }
}
