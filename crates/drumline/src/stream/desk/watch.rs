//! What the desk knows of the consumer that stays aside and watches; see `aside`.

use std::time::Duration;

use super::{Call, Desk, State};
use crate::sync::lock;

impl<B> Desk<B> {
    /// The only consumer at work is about to handle items, and no other watches: whether one is to
    /// be called.
    pub(in crate::stream) fn wants_watch(&self) -> Call {
        let mut state = lock(&self.state);
        state.is_unwatched() && self.call_in(&mut state)
    }

    /// A consumer that is not at work wants to watch. `false`: it is not needed.
    pub(in crate::stream) fn step_aside(&self) -> bool {
        let mut state = lock(&self.state);
        let steps = !state.ended && !state.aside && state.token;
        state.aside |= steps;
        steps
    }

    /// Whether the consumer that is aside is to come forward.
    pub(in crate::stream) fn is_beckoned(&self) -> bool {
        let state = lock(&self.state);
        state.beckoned || state.ended
    }

    pub(in crate::stream) fn nap_aside(&self, time: Duration) {
        self.watcher.park_timeout(time);
    }

    /// The consumer that is aside watches no more. `false`: it is to come forward.
    pub(in crate::stream) fn watch_no_more(&self) -> bool {
        let mut state = lock(&self.state);
        let may_leave = !state.beckoned && !state.ended && state.token;
        state.aside &= !may_leave;
        may_leave
    }

    /// The consumer that is aside is at work again. `false`: it is to leave.
    pub(in crate::stream) fn come_forward(&self) -> bool {
        let mut state = lock(&self.state);
        state.aside = false;
        state.beckoned = false;
        if state.ended || state.active == state.most {
            return false;
        }
        state.active += 1;
        state.called = state.called.min(state.most - state.active);
        true
    }

    /// Wants one more consumer, if it is of use: the one that is aside, or another.
    pub(super) fn call_in(&self, state: &mut State<B>) -> Call {
        if !state.aside || state.ended || state.active == state.most || !state.has_room() {
            return state.call();
        }
        self.beckon(state);
        false
    }

    pub(super) fn beckon(&self, state: &mut State<B>) {
        if !std::mem::replace(&mut state.beckoned, true) {
            self.watcher.unpark();
        }
    }

    pub(super) fn beckon_at_end(&self, state: &mut State<B>) {
        if state.aside && state.ended {
            self.beckon(state);
        }
    }
}
