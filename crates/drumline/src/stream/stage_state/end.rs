//! What the stage state does for the serial end.

use std::time::Duration;

use super::{NextBatch, StageState, Ticket, WakeNeeded};
use crate::sync::{lock, planted};

impl<B> StageState<B> {
    /// The serial end, which stepped in, leaves with what it has finished.
    pub(in crate::stream) fn step_out(&self, done: Option<(Ticket, B)>) -> WakeNeeded {
        let mut state = lock(&self.state);
        if let Some((ticket, batch)) = done {
            state.is_done(ticket);
            if let Some(gone) = state.finished.put(ticket, batch) {
                state.in_flight -= gone;
            }
        }
        self.go(state, true)
    }

    /// How many are at hand, besides the one at work that asks: at work, too, or looking for
    /// something to do.
    pub(in crate::stream) fn at_hand(&self) -> usize {
        let state = lock(&self.state);
        state.active - 1 + usize::from(state.end_helps())
    }

    /// The serial end looks for something to do, or does no more.
    pub(in crate::stream) fn look_out(&self, looks: bool) {
        lock(&self.state).end_looks = looks;
    }

    /// Whether there is no room, with results at hand for the serial end.
    pub(in crate::stream) fn is_held_back(&self) -> bool {
        let state = lock(&self.state);
        !state.ended && !state.has_room() && state.finished.is_ready()
    }

    /// Whether the serial end has something to do.
    pub(in crate::stream) fn is_ready(&self) -> bool {
        let state = lock(&self.state);
        state.finished.is_ready() || state.is_over()
    }

    /// One more is at work: the serial end, for what was pulled, or a consumer that was aside.
    /// `false`: there may be no more of them.
    pub(in crate::stream) fn join_in(&self) -> bool {
        let mut state = lock(&self.state);
        if state.active == state.most {
            return false;
        }
        state.active += 1;
        state.called = state.called.min(state.most - state.active);
        true
    }

    /// The next finished batch, for the serial end. `sleep`: the serial end is going to sleep if
    /// there is none.
    pub(in crate::stream) fn next(&self, sleep: bool) -> NextBatch<B> {
        let mut state = lock(&self.state);
        match state.finished.take() {
            Some((load, batch)) => {
                state.in_flight -= load;
                let call = state.held_back && state.has_room() && {
                    state.held_back = planted!(RoomCallsNobody);
                    !planted!(RoomCallsNobody) && self.call_in(&mut state)
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
}
