//! What the stage state knows of the consumer that stays aside and watches; see `aside`.
//!
//! # Over a source that is not blind
//!
//! All is under the lock of the stage state: each pull ends there anyway.
//!
//! ```text
//!             begin_watch          look: held up, or beckoned
//!  (leaving) ─────────────► aside ────────────────────────────► at work
//!                            │ ▲ nap
//!                            │ └── look: pulls go on
//!                            │
//!                            └──► (gone)  look: no pull for some time, or the end
//! ```
//!
//! # The races feared
//!
//! *The last one that watches leaves, and an item takes long.* The consumer that is aside leaves
//! only if no consumer could pull now: the token is taken, or there is no room, or as many are at
//! work as may be. In the first case the end of that pull finds no consumer aside, and calls one
//! (`StageState::pulled`). In the second case `held_back` is set, and room calls. In the third case
//! each consumer that comes back to the stage state takes its turn, and goes aside itself if it has
//! none. The serial end does not stay aside, so it calls another consumer when it steps out
//! (`StageState::go`).
//!
//! *A consumer leaves the source, and those that are left are held up.* A look that finds the
//! token free and no pull since the last look notes how many batches are out, and the next number.
//! A batch below that number that is handed in counts no more. `StageState::empty` keeps the last
//! consumer that is not held up at the source, where it sleeps.

use std::time::Duration;

use super::{StageState, State, WakeNeeded};
use crate::sync::planted;

/// A consumer that has seen no pull for this time leaves.
const SILENCE: Duration = Duration::from_millis(50);

/// What a consumer that is aside has seen.
#[derive(Debug)]
pub(in crate::stream) struct AsideWatch {
    /// How many batches had been pulled.
    pulls: u64,
    /// For how long there was no other.
    silence: Duration,
}

/// What a consumer that is aside is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stream) enum Look {
    /// Nap on.
    Stay,
    /// Come forward: it is at work.
    Work,
    /// Leave.
    Leave,
}

impl<B> StageState<B> {
    /// The same stage state, of a stage with a source that is not blind and with consumers that
    /// stay aside.
    pub(in crate::stream) fn watched(self) -> Self {
        self.locked().is_watched = true;
        self
    }

    /// A consumer has arrived. `true`: it is only to watch, and not at work.
    pub(in crate::stream) fn arrives_to_watch(&self) -> bool {
        let mut state = self.locked();
        let watches = std::mem::take(&mut state.to_watch) && state.active > 1 && !state.ended;
        state.active -= usize::from(watches);
        watches
    }

    /// A consumer that is not at work wants to watch. `None`: it is not needed.
    pub(in crate::stream) fn begin_watch(&self) -> Option<AsideWatch> {
        let mut state = self.locked();
        let is_needed = state.is_watched && !state.ended && state.active > 0;
        if !is_needed || state.aside {
            return None;
        }
        state.aside = true;
        Some(AsideWatch {
            pulls: state.next_batch,
            silence: Duration::ZERO,
        })
    }

    /// The consumer that is aside looks, after it has slept for a whole `nap` or was woken.
    pub(in crate::stream) fn look(&self, watch: &mut AsideWatch, nap: Option<Duration>) -> Look {
        let mut state = self.locked();
        let is_beckoned = std::mem::take(&mut state.beckoned);
        let has_pulled = state.next_batch != watch.pulls;
        watch.pulls = state.next_batch;
        let is_held_up = nap.is_some() && !has_pulled && !state.token;
        let may_come = state.active < state.most && !state.ended;
        if may_come && (is_beckoned || is_held_up) {
            if state.has_room() {
                if is_held_up {
                    state.held_up = state.at_work;
                    state.held_up_below = state.next_batch;
                }
                state.come_forward();
                return Look::Work;
            }
            state.held_back = true;
        }
        watch.silence = match nap {
            _ if has_pulled => Duration::ZERO,
            Some(nap) => watch.silence + nap,
            None => watch.silence,
        };
        if !state.ended && watch.silence < SILENCE {
            return Look::Stay;
        }
        state.aside = planted!(AsideForGood);
        Look::Leave
    }

    /// Consumers are about to handle items, and no other watches: whether one is to be called.
    pub(in crate::stream) fn wants_watch(&self) -> WakeNeeded {
        let mut state = self.locked();
        state.is_unwatched() && self.call_in(&mut state)
    }

    /// A consumer that is not at work wants to watch. `false`: it is not needed.
    pub(in crate::stream) fn step_aside(&self) -> bool {
        let mut state = self.locked();
        let steps = !state.ended && !state.aside && state.token;
        state.aside |= steps;
        steps
    }

    /// Whether the consumer that is aside is to come forward.
    pub(in crate::stream) fn is_beckoned(&self) -> bool {
        let state = self.locked();
        state.beckoned || state.ended
    }

    /// Sleeps for this time. `true`: it was woken. `serves`: also by a job for its thread alone.
    pub(in crate::stream) fn nap_aside(&self, time: Duration, serves: bool) -> bool {
        self.watcher.nap(time, serves)
    }

    /// Sleeps until it is woken.
    #[cfg(all(test, drumline_loom))]
    pub(in crate::stream) fn sleep_aside(&self) {
        self.watcher.park();
    }

    /// The consumer that is aside has something else to do: whether another one is to come.
    #[cfg(not(drumline_loom))]
    pub(in crate::stream) fn give_up_watch(&self) -> WakeNeeded {
        let mut state = self.locked();
        state.aside = false;
        let is_wanted = std::mem::take(&mut state.beckoned) || state.is_unwatched();
        is_wanted && self.call_in(&mut state)
    }

    /// The consumer that is aside watches no more. `false`: it is to come forward.
    pub(in crate::stream) fn watch_no_more(&self) -> bool {
        let mut state = self.locked();
        let may_leave = !state.beckoned && !state.ended && state.token;
        state.aside &= !may_leave;
        may_leave
    }

    /// The consumer that is aside is at work again. `false`: it is to leave.
    pub(in crate::stream) fn come_forward(&self) -> bool {
        let mut state = self.locked();
        if state.ended || state.active == state.most {
            state.aside = false;
            state.beckoned = false;
            return false;
        }
        state.come_forward();
        true
    }

    /// Wants one more consumer, if it is of use: the one that is aside, or another.
    pub(super) fn call_in(&self, state: &mut State<B>) -> WakeNeeded {
        state.to_watch = false;
        if !state.aside || state.ended || state.active == state.most || !state.has_room() {
            return state.call();
        }
        self.beckon(state);
        false
    }

    /// Wants a consumer aside, over a source that is not blind.
    pub(super) fn call_to_watch(&self, state: &mut State<B>) -> WakeNeeded {
        if !state.is_watched || state.called > 0 || !state.is_unwatched() {
            return false;
        }
        let call = self.call_in(state);
        state.to_watch = state.called > 0;
        call
    }

    pub(super) fn beckon(&self, state: &mut State<B>) {
        state.wakes_watcher |= !std::mem::replace(&mut state.beckoned, true);
    }

    pub(super) fn beckon_at_end(&self, state: &mut State<B>) {
        if state.aside && state.ended {
            self.beckon(state);
        }
    }
}

impl<B> State<B> {
    /// The consumer that is aside is at work, perhaps in place of one that was called.
    fn come_forward(&mut self) {
        self.aside = false;
        self.beckoned = false;
        self.active += 1;
        self.called = self.called.min(self.most - self.active);
    }
}
