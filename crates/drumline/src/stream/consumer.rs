//! What a consumer does in a stage.

use std::time::Duration;

use super::executor::Executor;
use super::hand::Hand;
use super::load::Load;
use super::source::{Drained, Polled, Source};
use super::spin_backoff::{LOOKS_FOR, SpinBackoff};
use super::stage::{BatchOutcome, Stage};
use super::stage_state::{EmptySource, PullReport, Turn};
use super::ticket::Ticket;
use super::work::{At, Work};
use crate::pool;
use crate::sync::{Arc, Instant, lock, relax};
use crate::unwind::{self, Payload};
use crate::wait::{self, OversubscriptionWatch};

/// Work that has to wait before another consumer is called where threads compete for processors:
/// some time slices.
const OVERSUBSCRIBED_BACKLOG: Duration = Duration::from_millis(35);

/// Work that has to wait before another consumer is called at all: a call costs as much, and this
/// consumer has done it by the time at which another one comes. With a fixed batch any item is
/// enough, because it may be one that an earlier one waits for.
const WORTH_A_CALL: Duration = Duration::from_micros(10);

/// Items of this much time are lengthy: to wake a thread is a small thing beside them. The second
/// is for where threads compete for processors: the thread that is woken takes time from another,
/// and an item that comes during a shorter one waits no longer than for a time slice or two.
const LENGTHY: [Duration; 2] = [Duration::from_micros(250), Duration::from_millis(5)];

/// Pulls are quick that take no longer than this.
const QUICK: Duration = Duration::from_micros(10);

/// How often a consumer looks up that waits in a source that cannot be woken, if the stream may be
/// stopped.
pub(super) const LOOK: Duration = Duration::from_millis(20);

/// The longest time between two such looks where nothing stops the stream, and another consumer is
/// at work.
pub(super) const LAST_LOOK: Duration = Duration::from_millis(160);

/// How often a patient consumer asks for the token, and how long it waits in between: some
/// microseconds in all.
pub(super) const TRIES: u32 = 16;
pub(super) const PAUSE: u32 = 16;

/// One consumer, for the length of a stay.
pub(super) struct StageConsumer<'a, 's, S: Source, W: Work<S::Item>> {
    pub(super) stage: &'a Arc<Stage<S, W>>,
    pub(super) executor: &'a (dyn Executor<'s> + Sync),
    pub(super) hand: Hand<S::Item>,
    pub(super) at: At,
    oversubscription: OversubscriptionWatch,
    /// Batches that it has taken since it waited for the source.
    pub(super) awake: u32,
    /// When the last batch was done.
    pub(super) since: Option<Instant>,
    spin_backoff: SpinBackoff,
    /// It is the serial end.
    is_end: bool,
    /// And has time until then only.
    until: Option<Instant>,
}

/// How a visit to the source ended.
enum PullOutcome {
    /// With a batch, and the time that the pull took.
    Batch(Ticket, Duration),
    /// Without one; `turn` again.
    Nothing,
    /// The stage state said to leave.
    Left,
}

impl<'a, 's, S, W> StageConsumer<'a, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// A consumer that has arrived, or the serial end, which has stepped in.
    pub(super) fn new(
        stage: &'a Arc<Stage<S, W>>,
        executor: &'a (dyn Executor<'s> + Sync),
        is_end: bool,
        until: Option<Instant>,
    ) -> Self {
        let hand = lock(&stage.shelf).pop();
        StageConsumer {
            stage,
            executor,
            hand: hand.unwrap_or_else(|| Hand {
                batch_size: stage.settings.batch_size(stage.most),
                batch: Vec::new(),
            }),
            at: At::new(),
            oversubscription: OversubscriptionWatch::new(),
            awake: 0,
            since: None,
            spin_backoff: SpinBackoff::default(),
            is_end,
            until,
        }
    }

    /// Works until the stage state says to leave.
    pub(super) fn stay(&mut self) {
        let stage_state = &self.stage.stage_state;
        let mut turn = stage_state.turn(self.stage.is_cancelled(), self.is_patient());
        loop {
            turn = match turn {
                Turn::Pull(room) => match self.pull(room) {
                    PullOutcome::Batch(ticket, pull) => {
                        let outcome = self.work(ticket, pull);
                        let cancelled = self.stage.is_cancelled();
                        stage_state.hand_in(ticket, outcome, cancelled, self.is_patient())
                    }
                    PullOutcome::Nothing if self.stage.most == 1 && self.executor.is_sent_for() => {
                        // No other consumer would come.
                        pool::run_what_is_sent();
                        stage_state.turn(self.stage.is_cancelled(), self.is_patient())
                    }
                    PullOutcome::Nothing if self.executor.is_sent_for() => {
                        if stage_state.step_out(None) {
                            self.call();
                        }
                        return;
                    }
                    PullOutcome::Nothing => {
                        stage_state.turn(self.stage.is_cancelled(), self.is_patient())
                    }
                    PullOutcome::Left => return,
                },
                Turn::Again => self.ask_again(),
                Turn::Leave | Turn::Over => return,
            };
        }
    }

    /// Whether to wait a moment for the token where it is taken: pulls are quick, so that is
    /// shorter than the way to the pool and back.
    fn is_patient(&self) -> bool {
        self.hand.batch_size.pulls_in(QUICK)
    }

    /// Asks for the token a few times.
    fn ask_again(&self) -> Turn {
        let stage_state = &self.stage.stage_state;
        for _ in 0..TRIES {
            for _ in 0..PAUSE {
                relax();
            }
            let turn = stage_state.turn(self.stage.is_cancelled(), true);
            if turn != Turn::Again {
                return turn;
            }
        }
        stage_state.turn(self.stage.is_cancelled(), false)
    }

    /// Works on one batch, and leaves. The stage state has let it step in, with the token. `false`:
    /// there was nothing to do, and others are there to wait for more.
    pub(super) fn one_batch(&mut self, room: Load) -> bool {
        let stage_state = &self.stage.stage_state;
        self.since = None;
        let done = match self.pull(room) {
            PullOutcome::Batch(ticket, pull) => Some((ticket, self.work(ticket, pull))),
            PullOutcome::Nothing => None,
            PullOutcome::Left => return false,
        };
        if stage_state.step_out(done) {
            self.call();
        }
        true
    }

    pub(super) fn call(&self) {
        self.stage.call(self.executor);
    }

    /// Takes a batch from the source, as the one with the token.
    fn pull(&mut self, room: Load) -> PullOutcome {
        let stage = self.stage;
        let begun = self.since.take().unwrap_or_else(Instant::now);
        let mut held = stage.source.lock();
        let source = &mut held.source;
        let most = self.hand.batch_size.items().min(room.items);
        let mut weight = 0;
        let mut drained = self.draw(source, most, room.weight, &mut weight);
        let mut slept = false;
        if matches!(drained, Ok(Drained::Empty | Drained::More)) && self.hand.batch.is_empty() {
            let (empty, call) = stage.stage_state.empty(self.is_end);
            if empty == EmptySource::Leave {
                // First the lock goes: in a pool without threads, the called consumer may begin
                // here and now.
                drop(held);
                if call {
                    self.call();
                }
                return PullOutcome::Left;
            }
            slept = true;
            drained = self.watch(source, most, room.weight, &mut weight);
        }
        let items = self.hand.batch.len();
        let counted = unwind::catch(|| {
            let waiting = match drained {
                Ok(Drained::More) if !slept => source.len_hint().unwrap_or(usize::MAX),
                _ => 0,
            };
            if let Some(stats) = &stage.settings.stats {
                let mut waits = Vec::new();
                source.waits(&mut waits);
                stats.pulled(slept, source.len_hint(), &waits);
            }
            waiting
        });
        drop(held);
        let waiting = match counted {
            Ok(waiting) => waiting,
            Err(payload) => {
                // What it has given is handled; nothing more is taken from it.
                let first = std::mem::replace(&mut drained, Err(payload));
                unwind::discard(first.err());
                0
            }
        };
        let overloaded = waiting > 0 && self.is_overloaded(waiting);
        let lengthy = items > 0 && self.is_lengthy(items);
        let ended = !matches!(drained, Ok(Drained::More | Drained::Empty));
        stage.source_said(ended);
        let (ticket, call) = stage.stage_state.pulled(PullReport {
            load: Load {
                items,
                batches: usize::from(items > 0),
                weight,
            },
            overloaded,
            lengthy,
            ended,
        });
        if let Err(payload) = drained {
            stage.panicked_for_good(ticket.first + items as u64, payload);
        }
        if call {
            self.call();
        }
        if items == 0 {
            return PullOutcome::Nothing;
        }
        let now = Instant::now();
        self.since = Some(now);
        // Sleep does not count: it says nothing of what the items take.
        let pull = if slept { Duration::ZERO } else { now - begun };
        PullOutcome::Batch(ticket, pull)
    }

    /// Whether the items that wait are a reason to call another consumer: if they are worth it, and
    /// where threads compete for processors, only if they are many.
    pub(super) fn is_overloaded(&self, waiting: usize) -> bool {
        let batch_size = &self.hand.batch_size;
        let is_worth_it = batch_size.is_fixed() || batch_size.may_exceed(waiting, WORTH_A_CALL);
        is_worth_it
            && (batch_size.takes(waiting) >= OVERSUBSCRIBED_BACKLOG || !self.is_oversubscribed())
    }

    /// Whether the consumer that works on these items will not be back soon.
    pub(super) fn is_lengthy(&self, items: usize) -> bool {
        let [usual, oversubscribed] = LENGTHY;
        self.hand.batch_size.may_exceed(items, usual)
            && (self.hand.batch_size.may_exceed(items, oversubscribed) || !self.is_oversubscribed())
    }

    fn is_oversubscribed(&self) -> bool {
        self.oversubscription
            .is_oversubscribed(self.since.unwrap_or_else(Instant::now))
    }

    /// Waits for the source, as the one with the token that has found it empty.
    fn watch(
        &mut self,
        source: &mut S,
        most: usize,
        room: usize,
        weight: &mut usize,
    ) -> Result<Drained, Payload> {
        if let Some(drained) = self.look_for_a_moment(source, most, room, weight) {
            return drained;
        }
        let begun = Instant::now();
        let waited = unwind::catch(|| wait::blocking(|| self.wait_in(source)));
        self.spin_backoff.slept(begun.elapsed());
        let item = match waited? {
            Polled::Item(item) => item,
            Polled::Empty => return Ok(Drained::Empty),
            Polled::Ended => return Ok(Drained::Ended),
        };
        self.hand.batch.push(item);
        let item = &self.hand.batch[0];
        *weight = unwind::catch(|| self.stage.settings.weight(item))?;
        self.draw(source, most - 1, room, weight)
    }

    /// Looks into the source for a moment, if the next item may come as soon. `None`: nothing came.
    fn look_for_a_moment(
        &mut self,
        source: &mut S,
        most: usize,
        room: usize,
        weight: &mut usize,
    ) -> Option<Result<Drained, Payload>> {
        let begun = Instant::now();
        if self.oversubscription.is_oversubscribed(begun) || !self.spin_backoff.looks() {
            return None;
        }
        while begun.elapsed() < LOOKS_FOR {
            for _ in 0..PAUSE {
                relax();
            }
            let drained = self.draw(source, most, room, weight);
            let is_empty = matches!(drained, Ok(Drained::Empty | Drained::More));
            if !is_empty || !self.hand.batch.is_empty() {
                self.spin_backoff.looked(true);
                return Some(drained);
            }
        }
        self.spin_backoff.looked(false);
        None
    }

    /// Waits in the source for an item; `Empty`: it is over, the serial end has no more time, or
    /// the thread is sent for.
    fn wait_in(&self, source: &mut S) -> Polled<S::Item> {
        let stage = self.stage;
        let looks_up = stage.looks_up || self.until.is_some();
        let mut look = LOOK;
        loop {
            // Another one at work may wait for what only this thread can run.
            let looks = looks_up
                || self.executor.has_caller() && !self.is_end && stage.stage_state.others() > 0;
            if !looks {
                return source.recv().map_or(Polled::Ended, Polled::Item);
            }
            let now = Instant::now();
            let left = self.until.map(|until| until.saturating_duration_since(now));
            let polled = source.recv_timeout(left.map_or(look, |left| left.min(look)));
            if !matches!(polled, Polled::Empty) || !self.is_end && self.executor.is_sent_for() {
                return polled;
            }
            if !looks_up {
                if stage.stage_state.has_ended() {
                    return Polled::Empty;
                }
                look = LAST_LOOK.min(look * 2);
                continue;
            }
            if let Some(stats) = &stage.settings.stats {
                stats.looked();
            }
            if stage.is_cancelled() {
                stage.stage_state.cancel();
            }
            let is_late = self.until.is_some_and(|until| until <= Instant::now());
            if is_late || stage.stage_state.has_ended() {
                return Polled::Empty;
            }
        }
    }

    /// Takes what is there, up to `most` items, or up to a weight.
    fn draw(
        &mut self,
        source: &mut S,
        most: usize,
        room: usize,
        weight: &mut usize,
    ) -> Result<Drained, Payload> {
        let stage = self.stage;
        let batch = &mut self.hand.batch;
        if most == 0 {
            return Ok(Drained::More);
        }
        if !stage.settings.is_weighed() {
            return unwind::catch(|| source.recv_batch(most, batch));
        }
        unwind::catch(|| {
            for _ in 0..most {
                if *weight >= room && !batch.is_empty() {
                    break;
                }
                let before = batch.len();
                let drained = source.recv_batch(1, batch);
                if let Some(item) = batch.get(before) {
                    *weight = weight.saturating_add(stage.settings.weight(item));
                }
                if drained != Drained::More {
                    return drained;
                }
            }
            Drained::More
        })
    }

    /// Handles the items of a batch.
    pub(super) fn work(&mut self, ticket: Ticket, pull: Duration) -> BatchOutcome<W::Out> {
        let stage = self.stage;
        let items = self.hand.batch.len();
        let mut outs = if stage.is_end {
            Vec::new()
        } else {
            Vec::with_capacity(items)
        };
        let mut rest = self.hand.batch.drain(..);
        let mut index = ticket.first;
        let at = &self.at;
        let mut own = None;
        while rest.len() > 0 {
            let kept = own.take().or_else(|| lock(&stage.states).pop());
            let mut state = match kept.map_or_else(|| unwind::catch(|| stage.work.begin()), Ok) {
                Ok(state) => state,
                Err(payload) => {
                    // An item without a state is lost.
                    unwind::discard(rest.next());
                    stage.panicked(index, payload);
                    index += 1;
                    continue;
                }
            };
            let mut whole = outs.len();
            let outcome = unwind::catch(|| {
                for item in rest.by_ref() {
                    whole = outs.len();
                    at.go_to(index);
                    index += 1;
                    stage
                        .work
                        .work(&mut state, at, item, &mut |out| outs.push(out));
                    // At once: the rest of the batch may take long, and others pull meanwhile.
                    if at.is_stopped() {
                        at.take_stop();
                        stage.fail();
                    }
                }
            });
            own = match outcome {
                Ok(()) => Some(state),
                Err(payload) => {
                    stage.panicked(index - 1, payload);
                    // The item is lost, and so is what it had made.
                    while outs.len() > whole {
                        unwind::discard(outs.pop());
                    }
                    stage.work.salvage(state)
                }
            };
        }
        drop(rest);
        // Before the batch is handed in, so that a consumer that is called then finds the state.
        lock(&stage.states).extend(own);
        stage.settings.finished(items);
        if at.take_stop() {
            stage.fail();
        }
        if let Some(since) = self.since {
            let now = Instant::now();
            let work = now - since;
            let should = self.hand.batch_size.takes_at_least(items);
            let took = pull.max(work);
            let is_lost = self.oversubscription.took(should, took, now)
                || took >= LENGTHY[0] && self.oversubscription.is_oversubscribed(now);
            // A thread seldom waits for its processor for this long: the items are long, too.
            let lost = is_lost && took < OVERSUBSCRIBED_BACKLOG;
            let busy = stage.stage_state.busy();
            self.hand.batch_size.took(items, pull, work, lost, busy);
            if let Some(stats) = &stage.settings.stats {
                stats.finished(items, work);
            }
            self.since = Some(now);
        }
        outs
    }
}

impl<S: Source, W: Work<S::Item>> Drop for StageConsumer<'_, '_, S, W> {
    fn drop(&mut self) {
        let hand = Hand {
            batch_size: self.hand.batch_size.clone(),
            batch: std::mem::take(&mut self.hand.batch),
        };
        lock(&self.stage.shelf).push(hand);
    }
}
