//! The state of a stage: which consumer pulls from the source, which one watches it, and which one
//! is called to help.
//!
//! # What it owns
//!
//! The *token* (only the consumer that has it touches the source), the number of consumers at work,
//! the numbers that items and batches get, how much is in flight, and the finished batches that
//! wait for the serial end. All of it is under one mutex. The mutex is taken two or three times per
//! batch, and never around code of a user.
//!
//! # What a consumer does
//!
//! ```text
//!             arrive                 turn                 pulled
//!  (called) ─────────► at work ─────────────► has token ─────────► has a batch ──┐
//!                        ▲  │                    │  ▲                            │
//!                        │  │ token taken,       │  │ an item came               │
//!                        │  │ or no room         │ empty                         │
//!                        │  ▼                    ▼  │                            │
//!                        │ (gone)  ◄── some ── watches (token in hand, asleep)   │
//!                        │           other                                       │
//!                        └───────── turn, with the finished batch ◄──────────────┘
//! ```
//!
//! Consumers are *biased*: one that keeps the others busy is called only by one that is
//! *overloaded*: that took a full batch without having slept for it. (The idea is that of biased
//! work queues: keep few threads busy rather than all a little, so that few have to be woken.) A
//! consumer that has nothing to do leaves. Only the last one that is not held up may not: it stays
//! with the token and sleeps in the source's own blocking receive. One that leaves stays aside if
//! no other does (`aside`, `watch`), and is the first to be called.
//!
//! Items that take long are the exception. A consumer that works on one does not come back soon, so
//! while items are *lengthy* a second consumer is called to watch as soon as the first has
//! something to do.
//!
//! # The races feared
//!
//! *The last item against sleep.* A consumer finds the token taken and leaves, while the one that
//! has it takes some items and leaves others. It cannot be lost: leaving and the end of a pull are
//! steps under one lock. If leaving comes first, the consumer that pulled a full batch sees one
//! consumer less, and calls. If it comes second, the token is free.
//!
//! *No consumer is left.* `empty` lets a consumer go only if another one is at work. That one will
//! come back (`turn`), or is held up, and then the one that is aside comes forward. A consumer that
//! leaves for want of room says so in `held_back`, and the one that makes room calls.
//!
//! *A call is not answered*, as the pool is busy with other things. That holds the stream up no
//! longer than the serial end takes to notice: while no consumer is at work it steps in, in place
//! of the called one, which then finds nothing to do. It may sleep in the source, too, if it is the
//! only one at work: as long as it does, no other thread can finish anything. While it works on an
//! item, no other thread takes results, and the item may wait for a later one: so it steps in only
//! if all others can pull an item each after that (`State::leaves_room_at_end`). Where it may not
//! step in (its thread is in no pool that takes it, or the consumers have threads of their own), it
//! calls a consumer before it sleeps, if none is at work. So does a serial end that is a task,
//! which never steps in and leaves its waker here (`async_results`). The thread of the serial end
//! may change from one batch to the next: the results of one stage are taken by the consumers of
//! the next.

mod end;
mod locked;
mod run;
mod watch;

pub(super) use self::end::OthersAtHand;
use self::locked::LockedState;
pub(super) use self::watch::Look;

use std::task::Waker;

use super::end_parker::EndParker;
use super::finished::Finished;
use super::load::Load;
use super::ticket::Ticket;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{Mutex, planted};

/// Where the consumers of a stage meet. `B`: a finished batch.
#[derive(Debug)]
pub(in crate::stream) struct StageState<B> {
    state: Mutex<State<B>>,
    /// Where the serial end sleeps.
    end: EndParker,
    /// Where a consumer that is aside naps.
    watcher: EndParker,
    /// The token is held for a run. Written under the lock; a hint for those that read it.
    run: AtomicBool,
    /// And is to end it. Likewise.
    unwanted: AtomicBool,
    /// Nothing more is to be pulled. Likewise.
    stopped: AtomicBool,
    /// How many consumers were at work when the last batch was pulled. Likewise.
    busy: AtomicUsize,
}

#[derive(Debug)]
struct State<B> {
    /// A consumer has the source.
    token: bool,
    /// And sleeps in it.
    asleep: bool,
    /// Consumers at work, the one with the token included.
    active: usize,
    /// Consumers that are to come.
    called: usize,
    /// The one that is to come is only to watch.
    to_watch: bool,
    /// Calls that have gone out and that no consumer has answered. May be more: where the serial
    /// end has stepped in for a called one, the call is still out, and good for the next time.
    out: usize,
    /// The number of consumers that may be at work.
    most: usize,
    /// Nothing is pulled any more.
    ended: bool,
    /// Because the program has cancelled the stream.
    cancelled: bool,
    /// A consumer left because too much was in flight.
    held_back: bool,
    /// Items take so much time that a consumer at work on some does not count as watching.
    lengthy: bool,
    next_item: u64,
    next_batch: u64,
    in_flight: Load,
    limit: Load,
    finished: Finished<B>,
    /// The serial end sleeps.
    end_sleeps: bool,
    /// And is a task, which this wakes. There only while it sleeps.
    end_waker: Option<Waker>,
    /// It looks for something to do.
    end_looks: bool,
    /// A consumer is aside, and watches; it is not at work.
    aside: bool,
    /// And is to come forward.
    beckoned: bool,
    /// And is to be woken when the lock is released: see `locked`.
    wakes_watcher: bool,
    /// The source is not blind, and consumers stay aside: see `watch`.
    is_watched: bool,
    /// Batches that were pulled and not handed in.
    at_work: usize,
    /// How many of them are held up: those with the lowest numbers, all below the next one.
    held_up: usize,
    held_up_below: u64,
    /// How many items of the run at hand were handed in (`put_alone`).
    put: u64,
    /// The number of the item that the owner of a run was at work on when the run was taken away.
    reserved: Option<Ticket>,
    /// How many owners of runs are at work on an item, and their run was taken away meanwhile: they
    /// are held up. Below zero for a moment, where such an owner is back before the taker is here.
    owners_out: isize,
}

/// What a consumer is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stream) enum Turn {
    /// Pull: the token is its own. No more than this.
    Pull(Load),
    /// The token is taken, and comes back soon: ask again.
    Again,
    /// Leave: others do what is to be done.
    Leave,
    /// Leave: the stream is over.
    Over,
}

/// What a consumer is to do when it found the source empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::stream) enum EmptySource {
    /// Sleep in the source, with the token.
    Watch,
    /// Leave: another consumer comes back.
    Leave,
}

/// What a consumer says of its pull.
#[derive(Clone, Copy, Debug)]
pub(in crate::stream) struct PullReport {
    /// What it took.
    pub(in crate::stream) load: Load,
    /// There may be more, and it did not sleep for these.
    pub(in crate::stream) overloaded: bool,
    /// Its batch is going to take long.
    pub(in crate::stream) lengthy: bool,
    /// The source has ended.
    pub(in crate::stream) ended: bool,
}

/// What the serial end finds.
#[derive(Debug)]
pub(in crate::stream) enum NextBatch<B> {
    /// A batch; `true`: a consumer is to be called.
    Batch(B, bool),
    /// Nothing yet.
    Wait,
    /// Nothing any more.
    Over,
}

/// Whether the caller has to have a consumer come.
pub(in crate::stream) type WakeNeeded = bool;

impl<B> StageState<B> {
    /// The state of a stage with `most` consumers, none of which has been called.
    pub(in crate::stream) fn new(most: usize, limit: Load, finished: Finished<B>) -> Self {
        StageState {
            state: Mutex::new(State {
                token: false,
                asleep: false,
                active: 0,
                called: 0,
                to_watch: false,
                out: 0,
                most,
                ended: false,
                cancelled: false,
                held_back: false,
                lengthy: false,
                next_item: 0,
                next_batch: 0,
                in_flight: Load::NONE,
                limit,
                finished,
                end_sleeps: false,
                end_waker: None,
                end_looks: false,
                aside: false,
                beckoned: false,
                wakes_watcher: false,
                is_watched: false,
                at_work: 0,
                held_up: 0,
                held_up_below: 0,
                put: 0,
                reserved: None,
                owners_out: 0,
            }),
            end: EndParker::new(),
            watcher: EndParker::new(),
            run: AtomicBool::new(false),
            unwanted: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            busy: AtomicUsize::new(1),
        }
    }

    /// About how many consumers are at work.
    pub(in crate::stream) fn busy(&self) -> usize {
        // Relaxed: a hint for the size of batches.
        self.busy.load(Ordering::Relaxed)
    }

    /// Wants a consumer, if there is none.
    pub(in crate::stream) fn summon(&self) -> WakeNeeded {
        let mut state = self.locked();
        state.active == 0 && self.call_in(&mut state)
    }

    /// A called consumer comes. `false`: it is too late, and to go again.
    pub(in crate::stream) fn arrive(&self) -> bool {
        let mut state = self.locked();
        state.out -= 1;
        if state.called == 0 {
            return false;
        }
        state.called -= 1;
        state.active += 1;
        true
    }

    /// The serial end wants to work for a while rather than wait: it is at work with the token, and
    /// may pull this much. `None`: others do what there is to do, or it would take long, or nothing
    /// is pulled any more (`cancelled`: from now on).
    pub(in crate::stream) fn step_in(&self, cancelled: bool) -> Option<Load> {
        let mut state = self.locked();
        if cancelled && !state.ended {
            state.cancel();
            self.end_wanted_run();
            self.rouse_end(state);
            return None;
        }
        if state.token || state.ended || !state.leaves_room_at_end() {
            return None;
        }
        if state.active == state.most || (state.active > 0 && state.lengthy) {
            return None;
        }
        state.active += 1;
        state.token = true;
        // Perhaps in place of one that was called.
        state.called = state.called.min(state.most - state.active);
        Some(state.room())
    }

    /// A consumer at work wants something to do; `cancelled`: nothing shall be pulled any more.
    /// `patient`: it would ask again.
    pub(in crate::stream) fn turn(&self, cancelled: bool, patient: bool) -> Turn {
        self.turn_in(self.locked(), cancelled, patient)
    }

    /// As [`turn`](Self::turn), for one that has finished a batch.
    pub(in crate::stream) fn hand_in(
        &self,
        ticket: Ticket,
        batch: B,
        cancelled: bool,
        patient: bool,
    ) -> Turn {
        let mut state = self.locked();
        state.is_done(ticket);
        if let Some(gone) = state.finished.put(ticket, batch) {
            // There is no serial end to wait for.
            state.in_flight -= gone;
            state.held_back &= !state.has_room();
        }
        self.turn_in(state, cancelled, patient)
    }

    fn turn_in(&self, mut state: LockedState<'_, B>, cancelled: bool, patient: bool) -> Turn {
        if cancelled {
            state.cancel();
        }
        let turn = if state.ended {
            Turn::Over
        } else if state.token {
            self.end_wanted_run();
            if patient && !state.asleep {
                Turn::Again
            } else {
                Turn::Leave
            }
        } else if !state.has_room() {
            state.held_back = true;
            Turn::Leave
        } else {
            Turn::Pull(state.room())
        };
        match turn {
            Turn::Pull(_) => state.token = true,
            Turn::Again => {}
            Turn::Leave | Turn::Over => state.active -= 1,
        }
        self.rouse_end(state);
        turn
    }

    /// The one with the token has pulled, and gives the token back.
    pub(in crate::stream) fn pulled(&self, pulled: PullReport) -> (Ticket, WakeNeeded) {
        let mut state = self.locked();
        let ticket = Ticket {
            batch: state.next_batch,
            first: state.next_item,
            load: pulled.load,
        };
        if pulled.load.items > 0 {
            state.next_batch += 1;
            state.next_item += pulled.load.items as u64;
            state.in_flight += pulled.load;
            state.at_work += usize::from(state.is_watched);
        }
        state.token = false;
        state.asleep = false;
        // Relaxed, twice: a hint. Only written when it changes: all consumers read it.
        if self.busy.load(Ordering::Relaxed) != state.active {
            self.busy.store(state.active, Ordering::Relaxed);
        }
        state.lengthy = pulled.lengthy;
        state.ended |= pulled.ended;
        let overloaded = pulled.overloaded && !planted!(OverloadedCallsNobody);
        let lengthy = pulled.lengthy && !planted!(LengthyUnwatched);
        let mut call = (overloaded || lengthy) && self.call_in(&mut state);
        if pulled.load.items > 0 {
            call |= self.call_to_watch(&mut state);
        }
        self.beckon_at_end(&mut state);
        (ticket, call)
    }

    /// The one with the token has found nothing. `is_end`: it is the serial end, which must not
    /// sleep while there is something for it.
    pub(in crate::stream) fn empty(&self, is_end: bool) -> (EmptySource, WakeNeeded) {
        let mut state = self.locked();
        // The serial end must take what those that are held up hand in.
        let others = state.active - 1 - if is_end { 0 } else { state.held_up };
        let is_last = others == 0 && !planted!(LastConsumerLeaves);
        let may_sleep = !(is_end && state.finished.is_ready());
        if !state.ended && may_sleep && (is_last || (state.lengthy && !is_end)) {
            state.asleep = true;
            return (EmptySource::Watch, false);
        }
        state.token = false;
        (EmptySource::Leave, self.go(state, is_end))
    }

    /// One less at work. If it was the serial end, another consumer has to come: to pull, if this
    /// was the last that is not held up, or to watch. With one consumer at a time there is none.
    fn go(&self, mut state: LockedState<'_, B>, is_end: bool) -> WakeNeeded {
        state.active -= 1;
        let call = is_end
            && state.most > 1
            && if state.active == state.held_up {
                self.call_in(&mut state)
            } else {
                !state.token && !planted!(EndLeavesUnwatched) && self.call_to_watch(&mut state)
            };
        self.rouse_end(state);
        call
    }

    /// Hands a finished batch in, and stays at work.
    pub(in crate::stream) fn put(&self, ticket: Ticket, batch: B) {
        let mut state = self.locked();
        if let Some(gone) = state.finished.put(ticket, batch) {
            state.in_flight -= gone;
            state.held_back &= !state.has_room();
        }
        self.rouse_end(state);
    }

    /// The numbers for a batch that one at work takes from what was pulled.
    pub(in crate::stream) fn ticket(&self, load: Load) -> Ticket {
        self.locked().next_ticket(load)
    }

    /// How many others are at work besides the caller, which is.
    pub(in crate::stream) fn others(&self) -> usize {
        self.locked().active - 1
    }

    /// Wants one more consumer.
    pub(in crate::stream) fn call(&self) -> WakeNeeded {
        let mut state = self.locked();
        state.most > 1 && self.call_in(&mut state)
    }

    /// A consumer at work leaves.
    pub(in crate::stream) fn leave(&self) {
        let mut state = self.locked();
        state.active -= 1;
        self.rouse_end(state);
    }

    /// Nothing shall be pulled any more.
    pub(in crate::stream) fn stop(&self) {
        self.stop_in(self.locked());
    }

    /// As [`stop`](Self::stop), because the program has cancelled the stream.
    pub(in crate::stream) fn cancel(&self) {
        let mut state = self.locked();
        state.cancel();
        self.stop_in(state);
    }

    fn stop_in(&self, mut state: LockedState<'_, B>) {
        state.ended = true;
        // Relaxed: see `is_stopped`.
        self.stopped.store(true, Ordering::Relaxed);
        self.end_wanted_run();
        self.rouse_end(state);
    }

    /// Whether the stream was cancelled before its source had ended.
    pub(in crate::stream) fn was_cancelled(&self) -> bool {
        self.locked().cancelled
    }

    /// Whether nothing more is to be pulled, without the lock: for a consumer between two pulls.
    pub(in crate::stream) fn is_stopped(&self) -> bool {
        // Relaxed: a hint. The consumer learns it under the lock before it asks for the token
        // again.
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether nothing is pulled any more.
    pub(in crate::stream) fn has_ended(&self) -> bool {
        self.locked().ended
    }

    /// How many items have been taken from the source.
    pub(in crate::stream) fn items(&self) -> u64 {
        self.locked().next_item
    }
}

impl<B> State<B> {
    fn is_over(&self) -> bool {
        self.ended && self.active == 0
    }

    /// Nothing is pulled any more, because the program has cancelled the stream, unless nothing was
    /// pulled any more before.
    fn cancel(&mut self) {
        self.cancelled |= !self.ended;
        self.ended = true;
    }

    /// The numbers of the next batch, which is in flight from now on.
    fn next_ticket(&mut self, load: Load) -> Ticket {
        let ticket = Ticket {
            batch: self.next_batch,
            first: self.next_item,
            load,
        };
        self.next_batch += 1;
        self.next_item += load.items as u64;
        self.in_flight += load;
        ticket
    }

    /// Consumers are at work, and no other notices if all of them are held up.
    fn is_unwatched(&self) -> bool {
        let may_come = self.active > 0 && self.active < self.most;
        may_come && !self.aside && !planted!(Unwatched)
    }

    /// A batch that was pulled is handed in.
    fn is_done(&mut self, ticket: Ticket) {
        if self.is_watched {
            self.at_work -= 1;
            self.held_up -= usize::from(ticket.batch < self.held_up_below);
        }
    }

    fn join_in(&mut self) -> bool {
        let joins = self.active < self.most;
        if joins {
            self.active += 1;
            self.called = self.called.min(self.most - self.active);
        }
        joins
    }

    /// The serial end is about to do what is there.
    fn end_helps(&self) -> bool {
        self.end_looks && self.active < self.most
    }

    /// One item may always be in flight, whatever it weighs.
    fn has_room(&self) -> bool {
        self.in_flight.items == 0 || self.in_flight.is_below(self.limit)
    }

    /// Whether the serial end may work on something: all others can be held up by an item each, and
    /// there is still room. Nothing of what is in flight now, and is finished meanwhile, makes room
    /// before the serial end is back. Where items are weighed, any of them may be as heavy as all
    /// the room.
    fn leaves_room_at_end(&self) -> bool {
        if planted!(EndFillsUp) {
            return self.has_room();
        }
        let Load { items, batches, .. } = self.in_flight;
        let fits = |there: usize, limit: usize| there.saturating_add(self.most) <= limit;
        let is_weighed = self.limit.weight < usize::MAX;
        items == 0
            || !is_weighed && fits(items, self.limit.items) && fits(batches, self.limit.batches)
    }

    /// How much may still be taken; one item in any case.
    fn room(&self) -> Load {
        let room = self.limit.less(self.in_flight);
        Load {
            items: room.items.max(1),
            ..room
        }
    }

    /// Wants one more consumer, if it is of use. Whether a call has to go out for it.
    fn call(&mut self) -> WakeNeeded {
        if self.ended || self.called > 0 || self.active == self.most {
            return false;
        }
        if !self.has_room() {
            self.held_back = true;
            return false;
        }
        self.called += 1;
        let is_new = self.out < self.called;
        self.out += usize::from(is_new);
        is_new
    }
}
