//! What the stage state knows of the run of a consumer; see
//! [`held_source`](super::super::held_source).

use super::{StageState, State, WakeNeeded};
use crate::stream::held_source::{PullRun, ResultsTo};
use crate::stream::load::Load;
use crate::stream::ticket::Ticket;
use crate::sync::atomic::Ordering;
use crate::sync::planted;

impl<B> StageState<B> {
    /// The one with the token hands in what came of the next item, and pulls again if this says so.
    /// It is added to the batch before it if that has not been taken, and has fewer items than
    /// `most`.
    pub(in crate::stream) fn put_alone(
        &self,
        most: usize,
        batch: &mut B,
        add: fn(&mut B, &mut B),
    ) -> bool
    where
        B: Default,
    {
        let mut state = self.locked();
        if let Some(ticket) = state.reserved.take() {
            let _ = state.finished.put(ticket, std::mem::take(batch));
            self.rouse_end(state);
            return false;
        }
        let mut load = Load {
            items: 1,
            batches: 0,
            weight: 0,
        };
        let last = state.next_batch.wrapping_sub(1);
        match state.finished.last(last) {
            Some((before, other)) if before.items < most => {
                *before += load;
                add(other, batch);
            }
            _ => {
                load.batches = 1;
                let ticket = Ticket {
                    batch: state.next_batch,
                    first: state.next_item,
                    load,
                };
                state.next_batch += 1;
                let _ = state.finished.put(ticket, std::mem::take(batch));
            }
        }
        state.next_item += 1;
        state.put += 1;
        state.in_flight += load;
        let goes_on = state.active == 1 && !state.end_helps() && !state.ended && state.has_room();
        self.rouse_end(state);
        goes_on
    }

    /// A consumer with the token begins a run, and hands in the results of the run.
    pub(in crate::stream) fn begin_alone(&self) -> WakeNeeded {
        let mut state = self.locked();
        self.begin_run(&mut state, true);
        state.is_unwatched() && self.call_in(&mut state)
    }

    pub(super) fn begin_run(&self, state: &mut State<B>, runs: bool) {
        state.put = 0;
        // Relaxed: under the lock; see `is_run` and `is_run_unwanted`.
        self.run.store(runs, Ordering::Relaxed);
        self.unwanted.store(false, Ordering::Relaxed);
    }

    /// A run is over: the thread that has removed it gives the token back. `is_taken`: that thread
    /// is not the owner, which may be at work on an item. Its owner stays at work, and is held up
    /// until it says that it [is back](Self::owner_is_back).
    pub(in crate::stream) fn end_run(
        &self,
        run: &PullRun,
        ended: bool,
        is_taken: bool,
    ) -> WakeNeeded {
        let mut state = self.locked();
        // Relaxed, as all that concerns this word: it only tells where to look.
        self.run.store(false, Ordering::Relaxed);
        if run.results != ResultsTo::StageState {
            state.next_item += run.items;
        } else if run.items > state.put && !planted!(NothingReserved) {
            // The taker pulls the items that come after this one.
            debug_assert!(is_taken, "the owner has handed in what it has pulled");
            let load = Load {
                items: 1,
                batches: 1,
                weight: 0,
            };
            state.reserved = Some(state.next_ticket(load));
        }
        state.owners_out += isize::from(is_taken);
        state.token = false;
        state.lengthy = false;
        state.ended |= ended;
        let call = !is_taken && run.results == ResultsTo::Out && self.call_in(&mut state);
        self.rouse_end(state);
        call
    }

    /// The owner of a run, which stays at work, has found that the run was taken away.
    pub(in crate::stream) fn owner_is_back(&self) {
        self.locked().owners_out -= 1;
    }

    /// The serial end, after its run, is no longer at work. `was_taken`: the run was taken away.
    pub(in crate::stream) fn leave_run(&self, was_taken: bool) -> WakeNeeded {
        let mut state = self.locked();
        state.owners_out -= isize::from(was_taken);
        self.go(state, true)
    }

    /// Whether there seems to be a run of the serial end.
    pub(in crate::stream) fn is_run(&self) -> bool {
        // Relaxed: the run itself is looked up under the lock of the source.
        self.run.load(Ordering::Relaxed)
    }

    /// Whether the serial end is to end its run.
    pub(in crate::stream) fn is_run_unwanted(&self) -> bool {
        // Relaxed: it ends the run under the lock, which publishes the rest.
        self.unwanted.load(Ordering::Relaxed)
    }

    /// A consumer wants the token, or all is over: if this is a run, it ends with the item at hand.
    pub(super) fn end_wanted_run(&self) {
        // Relaxed: see `is_run_unwanted`.
        self.unwanted.store(true, Ordering::Relaxed);
    }

    /// Whether others are pulling now, and have hardly any results yet.
    pub(in crate::stream) fn is_run_by_others(&self) -> bool {
        let state = self.locked();
        state.token && state.active < state.most && state.finished.len() == 1
    }

    /// The serial end steps in, with the token, where nothing else is at work or finished; perhaps
    /// for a run.
    pub(in crate::stream) fn step_in_alone(&self, runs: bool) -> bool {
        let mut state = self.locked();
        let is_alone = state.active == 0 && !state.token && !state.finished.is_ready();
        if !is_alone || state.ended || !state.has_room() {
            return false;
        }
        state.active = 1;
        state.token = true;
        state.called = state.called.min(state.most - 1);
        self.begin_run(&mut state, runs);
        true
    }
}
