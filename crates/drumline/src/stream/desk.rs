//! The desk of a stage: who pulls from the source, who watches it, and who is called to help.
//!
//! # What it owns
//!
//! The *token* (only who has it touches the source), the number of consumers at work, the numbers
//! that items and batches get, how much is in flight, and the finished batches that wait for the
//! serial end. All of it is under one mutex, which is taken two or three times per batch and never
//! around code of a user.
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
//! work queues: keep few threads busy rather than all a little, so that nearly nobody has to be
//! woken.) Who has nothing to do leaves. Only the last one may not: it stays with the token and
//! sleeps in the source's own blocking receive.
//!
//! Items that take long are the exception. Who works on one does not come back soon, so while items
//! are *lengthy* a second consumer is called to watch as soon as the first has something to do.
//!
//! # The races feared
//!
//! *The last item against sleep.* A consumer finds the token taken and leaves, while the one who
//! has it takes some items and leaves others. It cannot be lost: leaving and the end of a pull are
//! steps under one lock. If leaving comes first, whoever pulled a full batch sees one consumer
//! less, and calls. If it comes second, the token is free.
//!
//! *Nobody is left.* `empty` lets a consumer go only if another one is at work, which will come
//! back (`turn`). Who leaves for want of room says so in `held_back`, and whoever makes room calls.
//!
//! *A call that nobody answers* (the pool is busy with other things) holds nobody up: while nobody
//! is at work the serial end steps in, in place of the called one, who then finds nothing to do. It
//! may sleep in the source, too, if it is the only one at work: as long as it does, nobody else can
//! finish anything. Where it may not step in (its thread is in no pool that takes it, or the
//! consumers have threads of their own), it calls somebody before it sleeps, if nobody is at work.
//! Who that thread is may change from one batch to the next: the results of one stage are taken by
//! the consumers of the next.

use std::time::Duration;

use super::finished::Finished;
use super::held::{Results, Run};
use super::load::Load;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, MutexGuard, lock, planted};
use crate::wait::Parker;

/// Where the consumers of a stage meet. `B`: a finished batch.
#[derive(Debug)]
pub(super) struct Desk<B> {
    state: Mutex<State<B>>,
    /// Where the serial end sleeps.
    end: Parker,
    /// Where a consumer that is aside naps.
    watcher: Parker,
    /// The token is held for a run. Written under the lock; a hint for those that read it.
    run: AtomicBool,
    /// And is to end it. Likewise.
    unwanted: AtomicBool,
}

#[derive(Debug)]
struct State<B> {
    /// Somebody has the source.
    token: bool,
    /// And sleeps in it.
    asleep: bool,
    /// Consumers at work, the one with the token included.
    active: usize,
    /// Consumers that are to come.
    called: usize,
    /// Calls that have gone out and that nobody has answered. May be more: where somebody else has
    /// stepped in for a called one, the call is still out, and good for the next time.
    out: usize,
    /// So many may be at work.
    most: usize,
    /// Nothing is pulled any more.
    ended: bool,
    /// Somebody left because too much was in flight.
    held_back: bool,
    /// Items take so long that whoever works on some does not count as watching.
    lengthy: bool,
    next_item: u64,
    next_batch: u64,
    in_flight: Load,
    limit: Load,
    finished: Finished<B>,
    /// The serial end sleeps.
    end_sleeps: bool,
    /// It looks for something to do.
    end_looks: bool,
    /// A consumer is aside, and watches; it is not at work.
    aside: bool,
    /// And is to come forward.
    beckoned: bool,
    /// How many items of the run at hand were handed in (`put_alone`).
    put: u64,
    /// The number of the item that the owner of a run was at work on when the run was taken away.
    reserved: Option<Ticket>,
}

/// The numbers of a batch and of its first item, and what it weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) batch: u64,
    pub(super) first: u64,
    pub(super) load: Load,
}

/// What a consumer is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Pull: the token is its own. No more than this.
    Pull(Load),
    /// The token is taken, by somebody who is going to give it back soon: ask again.
    Again,
    /// Leave: others do what is to be done.
    Leave,
    /// Leave: the stream is over.
    Over,
}

/// What a consumer is to do who found the source empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Empty {
    /// Sleep in the source, with the token.
    Watch,
    /// Leave: somebody else comes back.
    Leave,
}

/// What a consumer says of its pull.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pulled {
    /// What it took.
    pub(super) load: Load,
    /// There may be more, and it did not sleep for these.
    pub(super) overloaded: bool,
    /// Its batch is going to take long.
    pub(super) lengthy: bool,
    /// The source has ended.
    pub(super) ended: bool,
}

/// What the serial end finds.
#[derive(Debug)]
pub(super) enum Next<B> {
    /// A batch; `true`: a consumer is to be called.
    Batch(B, bool),
    /// Nothing yet.
    Wait,
    /// Nothing any more.
    Over,
}

/// Whether the caller has to have a consumer come.
pub(super) type Call = bool;

impl<B> Desk<B> {
    /// A desk for `most` consumers, none of which has been called.
    pub(super) fn new(most: usize, limit: Load, finished: Finished<B>) -> Self {
        Desk {
            state: Mutex::new(State {
                token: false,
                asleep: false,
                active: 0,
                called: 0,
                out: 0,
                most,
                ended: false,
                held_back: false,
                lengthy: false,
                next_item: 0,
                next_batch: 0,
                in_flight: Load::NONE,
                limit,
                finished,
                end_sleeps: false,
                end_looks: false,
                aside: false,
                beckoned: false,
                put: 0,
                reserved: None,
            }),
            end: Parker::new(),
            watcher: Parker::new(),
            run: AtomicBool::new(false),
            unwanted: AtomicBool::new(false),
        }
    }

    /// Wants a consumer, if there is none.
    pub(super) fn summon(&self) -> Call {
        let mut state = lock(&self.state);
        state.active == 0 && self.call_in(&mut state)
    }

    /// A called consumer comes. `false`: it is too late, and to go again.
    pub(super) fn arrive(&self) -> bool {
        let mut state = lock(&self.state);
        state.out -= 1;
        if state.called == 0 {
            return false;
        }
        state.called -= 1;
        state.active += 1;
        true
    }

    /// The serial end wants to work for a while rather than wait. `false`: others do what there is
    /// to do, or it would take long.
    pub(super) fn step_in(&self) -> bool {
        let mut state = lock(&self.state);
        if state.token || state.ended || !state.has_room() {
            return false;
        }
        if state.active == state.most || (state.active > 0 && state.lengthy) {
            return false;
        }
        state.active += 1;
        // Perhaps in place of one that was called.
        state.called = state.called.min(state.most - state.active);
        true
    }

    /// A consumer at work wants something to do; `stopped`: nothing shall be pulled any more.
    /// `patient`: it would ask again.
    pub(super) fn turn(&self, stopped: bool, patient: bool) -> Turn {
        self.turn_in(lock(&self.state), stopped, patient)
    }

    /// As [`turn`](Self::turn), for one that has finished a batch.
    pub(super) fn hand_in(&self, ticket: Ticket, batch: B, stopped: bool, patient: bool) -> Turn {
        let mut state = lock(&self.state);
        if let Some(gone) = state.finished.put(ticket, batch) {
            // There is no serial end to wait for.
            state.in_flight -= gone;
            state.held_back &= !state.has_room();
        }
        self.turn_in(state, stopped, patient)
    }

    fn turn_in(&self, mut state: MutexGuard<'_, State<B>>, stopped: bool, patient: bool) -> Turn {
        state.ended |= stopped;
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
    pub(super) fn pulled(&self, pulled: Pulled) -> (Ticket, Call) {
        let mut state = lock(&self.state);
        let ticket = Ticket {
            batch: state.next_batch,
            first: state.next_item,
            load: pulled.load,
        };
        if pulled.load.items > 0 {
            state.next_batch += 1;
            state.next_item += pulled.load.items as u64;
            state.in_flight += pulled.load;
        }
        state.token = false;
        state.asleep = false;
        state.lengthy = pulled.lengthy;
        state.ended |= pulled.ended;
        let overloaded = pulled.overloaded && !planted!(OverloadedCallsNobody);
        let lengthy = pulled.lengthy && !planted!(LengthyUnwatched);
        let call = (overloaded || lengthy) && self.call_in(&mut state);
        self.beckon_at_end(&mut state);
        (ticket, call)
    }

    /// The one with the token has found nothing. `is_end`: it is the serial end, which must not
    /// sleep while there is something for it.
    pub(super) fn empty(&self, is_end: bool) -> (Empty, Call) {
        let mut state = lock(&self.state);
        let is_last = state.active == 1 && !planted!(LastConsumerLeaves);
        let may_sleep = !(is_end && state.finished.is_ready());
        if !state.ended && may_sleep && (is_last || (state.lengthy && !is_end)) {
            state.asleep = true;
            return (Empty::Watch, false);
        }
        state.token = false;
        (Empty::Leave, self.go(state, is_end))
    }

    /// The serial end, which stepped in, leaves with what it has finished.
    pub(super) fn step_out(&self, done: Option<(Ticket, B)>) -> Call {
        let mut state = lock(&self.state);
        if let Some((ticket, batch)) = done
            && let Some(gone) = state.finished.put(ticket, batch)
        {
            state.in_flight -= gone;
        }
        self.go(state, true)
    }

    /// One less at work. If it was the serial end, and the last, somebody else has to come; where
    /// there is one consumer at a time, there is nobody else.
    fn go(&self, mut state: MutexGuard<'_, State<B>>, is_end: bool) -> Call {
        state.active -= 1;
        let call = is_end && state.active == 0 && state.most > 1 && self.call_in(&mut state);
        self.rouse_end(state);
        call
    }

    /// Hands a finished batch in, and stays at work.
    pub(super) fn put(&self, ticket: Ticket, batch: B) {
        let mut state = lock(&self.state);
        if let Some(gone) = state.finished.put(ticket, batch) {
            state.in_flight -= gone;
            state.held_back &= !state.has_room();
        }
        self.rouse_end(state);
    }

    /// The numbers for a batch that one at work takes from what was pulled.
    pub(super) fn ticket(&self, load: Load) -> Ticket {
        lock(&self.state).next_ticket(load)
    }

    /// How many others are at work besides the caller, which is.
    pub(super) fn others(&self) -> usize {
        lock(&self.state).active - 1
    }

    /// How many are at hand, besides the one at work that asks: at work, too, or looking for
    /// something to do.
    pub(super) fn at_hand(&self) -> usize {
        let state = lock(&self.state);
        state.active - 1 + usize::from(state.end_helps())
    }

    /// The serial end looks for something to do, or does no more.
    pub(super) fn look_out(&self, looks: bool) {
        lock(&self.state).end_looks = looks;
    }

    /// The one with the token hands in what came of the next item, and pulls again if this says so.
    /// It is added to the batch before it if that has not been taken, and is below so many items.
    pub(super) fn put_alone(&self, most: usize, batch: &mut B, add: fn(&mut B, &mut B)) -> bool
    where
        B: Default,
    {
        let mut state = lock(&self.state);
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

    /// A consumer with the token begins a run, whose results it hands in.
    pub(super) fn begin_alone(&self) -> Call {
        let mut state = lock(&self.state);
        self.begin_run(&mut state, true);
        state.is_unwatched() && self.call_in(&mut state)
    }

    fn begin_run(&self, state: &mut State<B>, runs: bool) {
        state.put = 0;
        // Relaxed: under the lock; see `is_run` and `is_run_unwanted`.
        self.run.store(runs, Ordering::Relaxed);
        self.unwanted.store(false, Ordering::Relaxed);
    }

    /// A run is over: the thread that has removed it gives the token back. `is_taken`: that thread
    /// is not the owner, which may be at work on an item. Its owner stays at work.
    pub(super) fn end_run(&self, run: &Run, ended: bool, is_taken: bool) -> Call {
        let mut state = lock(&self.state);
        // Relaxed, as all that concerns this word: it only tells where to look.
        self.run.store(false, Ordering::Relaxed);
        if run.results != Results::Desk {
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
        state.token = false;
        state.lengthy = false;
        state.ended |= ended;
        let call = !is_taken && run.results == Results::Out && self.call_in(&mut state);
        self.rouse_end(state);
        call
    }

    /// The serial end, whose run is over, is no longer at work.
    pub(super) fn leave_run(&self) -> Call {
        self.go(lock(&self.state), true)
    }

    /// The only consumer at work is about to handle items, and no other watches: whether one is to
    /// be called.
    pub(super) fn wants_watch(&self) -> Call {
        let mut state = lock(&self.state);
        state.is_unwatched() && self.call_in(&mut state)
    }

    /// A consumer that is not at work wants to watch. `false`: it is not needed.
    pub(super) fn step_aside(&self) -> bool {
        let mut state = lock(&self.state);
        let steps = !state.ended && !state.aside && state.token;
        state.aside |= steps;
        steps
    }

    /// Whether the consumer that is aside is to come forward.
    pub(super) fn is_beckoned(&self) -> bool {
        let state = lock(&self.state);
        state.beckoned || state.ended
    }

    pub(super) fn nap_aside(&self, time: Duration) {
        self.watcher.park_timeout(time);
    }

    /// The consumer that is aside watches no more. `false`: it is to come forward.
    pub(super) fn watch_no_more(&self) -> bool {
        let mut state = lock(&self.state);
        let may_leave = !state.beckoned && !state.ended && state.token;
        state.aside &= !may_leave;
        may_leave
    }

    /// The consumer that is aside is at work again. `false`: it is to leave.
    pub(super) fn come_forward(&self) -> bool {
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
    fn call_in(&self, state: &mut State<B>) -> Call {
        if !state.aside || state.ended || state.active == state.most || !state.has_room() {
            return state.call();
        }
        self.beckon(state);
        false
    }

    fn beckon(&self, state: &mut State<B>) {
        if !std::mem::replace(&mut state.beckoned, true) {
            self.watcher.unpark();
        }
    }

    fn beckon_at_end(&self, state: &mut State<B>) {
        if state.aside && state.ended {
            self.beckon(state);
        }
    }

    /// Whether there seems to be a run of the serial end.
    pub(super) fn is_run(&self) -> bool {
        // Relaxed: the run itself is looked up under the lock of the source.
        self.run.load(Ordering::Relaxed)
    }

    /// Whether the serial end is to end its run.
    pub(super) fn is_run_unwanted(&self) -> bool {
        // Relaxed: it ends the run under the lock, which publishes the rest.
        self.unwanted.load(Ordering::Relaxed)
    }

    /// A consumer wants the token, or all is over: if this is a run, it ends with the item at hand.
    fn end_wanted_run(&self) {
        // Relaxed: see `is_run_unwanted`.
        self.unwanted.store(true, Ordering::Relaxed);
    }

    /// Wants one more consumer.
    pub(super) fn call(&self) -> Call {
        let mut state = lock(&self.state);
        state.most > 1 && self.call_in(&mut state)
    }

    /// Whether others are pulling now, and have hardly any results yet.
    pub(super) fn is_run_by_others(&self) -> bool {
        let state = lock(&self.state);
        state.token && state.active < state.most && state.finished.len() == 1
    }

    /// Whether there is no room, with results at hand for the serial end.
    pub(super) fn is_held_back(&self) -> bool {
        let state = lock(&self.state);
        !state.ended && !state.has_room() && state.finished.is_ready()
    }

    /// Whether the serial end has something to do.
    pub(super) fn is_ready(&self) -> bool {
        let state = lock(&self.state);
        state.finished.is_ready() || state.is_over()
    }

    /// A consumer at work leaves.
    pub(super) fn leave(&self) {
        let mut state = lock(&self.state);
        state.active -= 1;
        self.rouse_end(state);
    }

    /// The serial end joins those at work, for what was pulled. `false`: there may be no more of
    /// them.
    pub(super) fn join_in(&self) -> bool {
        let mut state = lock(&self.state);
        if state.active == state.most {
            return false;
        }
        state.active += 1;
        state.called = state.called.min(state.most - state.active);
        true
    }

    /// The serial end steps in, with the token, where nothing else is at work or finished; perhaps
    /// for a run.
    pub(super) fn step_in_alone(&self, runs: bool) -> bool {
        let mut state = lock(&self.state);
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

    /// Nothing shall be pulled any more.
    pub(super) fn stop(&self) {
        let mut state = lock(&self.state);
        state.ended = true;
        self.end_wanted_run();
        self.rouse_end(state);
    }

    /// Whether nothing is pulled any more.
    pub(super) fn has_ended(&self) -> bool {
        lock(&self.state).ended
    }

    /// How many items have been taken from the source.
    pub(super) fn items(&self) -> u64 {
        lock(&self.state).next_item
    }

    /// The next finished batch, for the serial end. `sleep`: the serial end is going to sleep if
    /// there is none.
    pub(super) fn next(&self, sleep: bool) -> Next<B> {
        let mut state = lock(&self.state);
        match state.finished.take() {
            Some((load, batch)) => {
                state.in_flight -= load;
                let call = state.held_back && state.has_room() && {
                    state.held_back = planted!(RoomCallsNobody);
                    !planted!(RoomCallsNobody) && self.call_in(&mut state)
                };
                Next::Batch(batch, call)
            }
            None if state.is_over() => Next::Over,
            None => {
                state.end_sleeps = sleep;
                Next::Wait
            }
        }
    }

    /// Sleeps until there may be something for the serial end.
    pub(super) fn sleep(&self) {
        self.end.park();
    }

    /// The same, for no longer than this time.
    pub(super) fn sleep_for(&self, time: Duration) {
        self.end.park_timeout(time);
    }

    /// Wakes the serial end if it sleeps and has a reason not to.
    fn rouse_end(&self, mut state: MutexGuard<'_, State<B>>) {
        self.beckon_at_end(&mut state);
        let has_reason = state.finished.is_ready() || state.is_over();
        if state.end_sleeps && has_reason && !planted!(EndNotRoused) {
            state.end_sleeps = false;
            drop(state);
            self.end.unpark();
        }
    }
}

impl<B> State<B> {
    fn is_over(&self) -> bool {
        self.ended && self.active == 0
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

    /// One consumer is at work, and no other notices if it is held up.
    fn is_unwatched(&self) -> bool {
        self.active == 1 && !self.aside && self.most > 1
    }

    /// The serial end is about to do what is there.
    fn end_helps(&self) -> bool {
        self.end_looks && self.active < self.most
    }

    /// One item may always be in flight, whatever it weighs.
    fn has_room(&self) -> bool {
        self.in_flight.items == 0 || self.in_flight.is_below(self.limit)
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
    fn call(&mut self) -> Call {
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
