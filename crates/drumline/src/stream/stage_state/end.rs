//! What the stage state does for the serial end.

use std::task::Waker;
use std::time::Duration;

use super::{LockedState, NextBatch, StageState, State, WakeNeeded};
use crate::stream::ticket::Ticket;
use crate::sync::planted;
use crate::unwind;

/// What others do, besides the consumer that asks.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct OthersAtHand {
    /// How many are at work on what will be done soon, or look for something to do.
    pub(in crate::stream) at_hand: usize,
    /// There are no others, not even such that are held up.
    pub(in crate::stream) is_alone: bool,
}

impl<B> StageState<B> {
    /// The serial end, which stepped in, leaves with what it has finished.
    pub(in crate::stream) fn step_out(&self, done: Option<(Ticket, B)>) -> WakeNeeded {
        let mut state = self.locked();
        if let Some((ticket, batch)) = done {
            state.is_done(ticket);
            if let Some(gone) = state.finished.put(ticket, batch) {
                state.in_flight -= gone;
            }
        }
        self.go(state, true)
    }

    /// What others do, besides the one at work that asks.
    pub(in crate::stream) fn others_at_hand(&self) -> OthersAtHand {
        let state = self.locked();
        let all = state.active - 1 + usize::from(state.end_helps());
        let held_up = if planted!(HeldUpAtHand) {
            0
        } else {
            usize::try_from(state.owners_out).unwrap_or(0)
        };
        OthersAtHand {
            at_hand: all.saturating_sub(held_up),
            is_alone: all == 0,
        }
    }

    /// The serial end looks for something to do, or does no more.
    pub(in crate::stream) fn look_out(&self, looks: bool) {
        self.locked().end_looks = looks;
    }

    /// Whether there is no room, with results at hand for the serial end.
    pub(in crate::stream) fn is_held_back(&self) -> bool {
        let state = self.locked();
        !state.ended && !state.has_room() && state.finished.is_ready()
    }

    /// Whether the serial end has something to do.
    pub(in crate::stream) fn is_ready(&self) -> bool {
        let state = self.locked();
        state.finished.is_ready() || state.is_over()
    }

    /// One more is at work: a consumer that was aside. `false`: there may be no more of them.
    pub(in crate::stream) fn join_in(&self) -> bool {
        self.locked().join_in()
    }

    /// The serial end is at work on what was pulled. `false`: it is not to be.
    pub(in crate::stream) fn join_in_at_end(&self) -> bool {
        let mut state = self.locked();
        state.leaves_room_at_end() && state.join_in()
    }

    /// Whether the serial end, which is at work, may take more of what was pulled.
    pub(in crate::stream) fn leaves_room_at_end(&self) -> bool {
        self.locked().leaves_room_at_end()
    }

    /// The next finished batch, for the serial end. `sleep`: the serial end is going to sleep if
    /// there is none.
    pub(in crate::stream) fn next(&self, sleep: bool) -> NextBatch<B> {
        self.next_in(&mut self.locked(), sleep)
    }

    fn next_in(&self, state: &mut State<B>, sleep: bool) -> NextBatch<B> {
        match state.finished.take() {
            Some((load, batch)) => {
                state.in_flight -= load;
                let call = state.held_back && state.has_room() && {
                    state.held_back = planted!(RoomCallsNobody);
                    !planted!(RoomCallsNobody) && self.call_in(state)
                };
                NextBatch::Batch(batch, call)
            }
            None if state.is_over() => NextBatch::Over,
            None => {
                state.end_sleeps = sleep;
                NextBatch::Wait
            }
        }
    }

    /// As [`next`](Self::next), for a serial end that is a task. If there is nothing, `waker` is
    /// woken when there is. What this leaves in its place is for the caller to drop: that is code
    /// of the program.
    #[cfg(any(feature = "futures", drumline_loom))]
    pub(in crate::stream) fn next_or_wake(&self, waker: &mut Option<Waker>) -> NextBatch<B> {
        let mut state = self.locked();
        let next = self.next_in(&mut state, true);
        if planted!(EndWakerTwoSteps) {
            state.end_sleeps = false;
            drop(state);
            state = self.locked();
            state.end_sleeps = true;
        }
        if matches!(next, NextBatch::Wait) {
            std::mem::swap(&mut state.end_waker, waker);
        }
        next
    }

    /// The task that is the serial end is not to be woken any more.
    #[cfg(any(feature = "futures", drumline_loom))]
    pub(in crate::stream) fn forget_waker(&self) {
        let mut state = self.locked();
        let waker = state.end_waker.take();
        state.end_sleeps &= waker.is_none();
        drop(state);
        // It is the program's, and so is its drop.
        drop(waker);
    }

    /// Wants a consumer, if none is at work and those that were called do not come.
    #[cfg(any(feature = "futures", drumline_loom))]
    pub(in crate::stream) fn recall(&self) -> WakeNeeded {
        let mut state = self.locked();
        if state.ended || state.active > 0 {
            return false;
        }
        state.called = state.called.max(1);
        // A call that was lost is not answered, and stays in there.
        state.out += 1;
        true
    }

    /// Sleeps until there may be something for the serial end.
    pub(in crate::stream) fn sleep(&self) {
        self.end.park();
    }

    /// The same, and runs jobs of the thread's pool meanwhile.
    #[cfg(not(drumline_loom))]
    pub(in crate::stream) fn serve(&self) {
        self.end.serve();
    }

    /// The same, for no longer than this time.
    pub(in crate::stream) fn sleep_for(&self, time: Duration) {
        self.end.nap(time, true);
    }

    /// Wakes the serial end if it sleeps and has a reason not to.
    pub(super) fn rouse_end(&self, mut state: LockedState<'_, B>) {
        self.beckon_at_end(&mut state);
        let has_reason = state.finished.is_ready() || state.is_over();
        if state.end_sleeps && has_reason && !planted!(EndNotRoused) {
            state.end_sleeps = false;
            let waker = state.end_waker.take();
            drop(state);
            match waker {
                Some(waker) => wake_task(waker),
                None => self.end.unpark(),
            }
        }
    }
}

/// Wakes a task. The waker is the program's, and its panic not that of the consumer which wakes.
/// The consumer may hold the lock of the source or of the pocket. No poll, and no drop of the
/// task's stream, waits for those.
#[cold]
fn wake_task(waker: Waker) {
    if let Err(payload) = unwind::catch(|| waker.wake()) {
        unwind::discard(payload);
    }
}
