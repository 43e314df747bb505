//! What a consumer does in a stage with a blind source; see [`pocket`](super::pocket).

use super::consumer::{PAUSE, StageConsumer, TRIES};
use super::load::Load;
use super::pocket;
use super::solo::Drawn;
use super::source::Source;
use super::stage::{BatchOutcome, Stage};
use super::stage_state::{OthersAtHand, PullReport, Turn};
use super::ticket::Ticket;
use super::work::{At, Work};
use crate::sync::{Instant, MutexGuard, relax};
use crate::unwind;

use std::time::Duration;

/// A pull that took longer has waited.
const WAITED: Duration = Duration::from_micros(50);

/// How often a consumer looks for room before it leaves for want of it.
const FOR_ROOM: u32 = 8 * TRIES;

/// How often the serial end looks for something to do before it sleeps: for about as long as a
/// consumer works on a batch, because to sleep and to be woken costs more.
const FOR_WORK: u32 = 8 * TRIES;

/// How often the serial end looks for something to do before it hands out results.
const LOOK_EVERY: u32 = 8;

/// What comes next for a consumer.
enum BlindStep {
    /// A batch, from the pocket.
    Work(Ticket),
    /// Pull one item, or this many into the pocket.
    Pull { ahead: Option<usize> },
    /// Handle up to this many items, each before the next is pulled.
    Alone(usize),
    /// The pocket is being filled, or the token comes back soon: look again.
    Again,
    /// It has left.
    Left,
}

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// Handles one item. `false`: the stream is to stop.
    #[inline]
    pub(super) fn handle(
        &self,
        at: &At,
        index: u64,
        item: S::Item,
        own: &mut Option<W::State>,
        outs: &mut BatchOutcome<W::Out>,
    ) -> bool {
        let outcome = match own {
            Some(_) => Ok(()),
            None => unwind::catch(|| self.work.begin()).map(|state| *own = Some(state)),
        };
        let outcome = match (outcome, own.as_mut()) {
            (Ok(()), Some(state)) => {
                at.go_to(index);
                unwind::catch(|| {
                    self.work.work(state, at, item, &mut |out| outs.push(out));
                })
            }
            (outcome, _) => {
                unwind::discard(item);
                outcome
            }
        };
        let has_panicked = outcome.is_err();
        if let Err(payload) = outcome {
            self.panicked(index, payload);
            // What the item had made is lost with it.
            while !outs.is_empty() {
                unwind::discard(outs.pop());
            }
            *own = own.take().and_then(|state| self.work.salvage(state));
        }
        if at.take_stop() {
            self.fail();
            return false;
        }
        !has_panicked
    }
}

impl<'s, S, W> StageConsumer<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// Works, or stays aside, until other consumers do what there is to do.
    pub(super) fn stay_and_watch(&mut self) {
        let stage = self.stage;
        // A run is quick, as far as is known: it goes on for now.
        if stage.pocket.leave_run(&stage.stage_state) && !stage.watch(self.executor) {
            return;
        }
        loop {
            self.stay_blind();
            if !stage.watch(self.executor) {
                return;
            }
        }
    }

    /// Works until there is nothing to do that others do not.
    pub(super) fn stay_blind(&mut self) {
        let stage_state = &self.stage.stage_state;
        let mut looks = 0;
        loop {
            let (ticket, pull) = match self.step(looks) {
                BlindStep::Work(ticket) => (Some(ticket), Duration::ZERO),
                BlindStep::Pull { ahead } => self.pull_blind(ahead),
                BlindStep::Alone(most) => {
                    self.run_alone(most);
                    (None, Duration::ZERO)
                }
                BlindStep::Again => {
                    looks += 1;
                    (0..PAUSE).for_each(|_| relax());
                    continue;
                }
                BlindStep::Left => return,
            };
            looks = 0;
            if let Some(ticket) = ticket {
                let outcome = self.work(ticket, pull);
                stage_state.put(ticket, outcome);
            }
        }
    }

    fn step(&mut self, looks: u32) -> BlindStep {
        let stage = self.stage;
        let impatient = looks >= TRIES;
        let mut pulled = stage.pocket.look();
        if pulled.len() > 0 && (impatient || !pulled.is_open()) {
            return BlindStep::Work(self.take(&mut pulled));
        }
        if pulled.is_open() {
            if !impatient {
                return BlindStep::Again;
            }
            pulled.leave();
            stage.stage_state.leave();
            return BlindStep::Left;
        }
        if looks < FOR_ROOM && stage.stage_state.is_held_back() {
            // The serial end takes something soon, and to be called again takes longer.
            return BlindStep::Again;
        }
        stage.take_run_away();
        let room = match stage.stage_state.turn(stage.is_cancelled(), !impatient) {
            Turn::Pull(room) => room,
            Turn::Again => return BlindStep::Again,
            Turn::Leave | Turn::Over => return BlindStep::Left,
        };
        let OthersAtHand { at_hand, is_alone } = stage.stage_state.others_at_hand();
        let share = self.hand.batch_size.items();
        let ahead = share.saturating_mul(at_hand + 1).min(room.items);
        let is_ahead = at_hand > 0 && share > 1 && ahead > 1 && !stage.settings.is_weighed();
        if is_ahead {
            pulled.open();
        }
        let is_plain = stage.settings.stats.is_none() && !stage.settings.is_weighed();
        if is_alone && share > 1 && is_plain {
            return BlindStep::Alone(share);
        }
        BlindStep::Pull {
            ahead: is_ahead.then_some(ahead),
        }
    }

    /// Takes a batch from the pocket.
    fn take(&mut self, pulled: &mut MutexGuard<'_, pocket::PocketItems<S::Item>>) -> Ticket {
        pulled.take(self.hand.batch_size.items(), &mut self.hand.batch);
        self.since = Some(Instant::now());
        self.stage.stage_state.ticket(Load {
            items: self.hand.batch.len(),
            batches: 1,
            weight: 0,
        })
    }

    /// Pulls, as the one with the token: one item, or many into the pocket.
    fn pull_blind(&mut self, ahead: Option<usize>) -> (Option<Ticket>, Duration) {
        let stage = self.stage;
        let mut held = stage.source.lock();
        let source = &mut held.source;
        let begun = self.since.take().unwrap_or_else(Instant::now);
        let mut weight = 0;
        let (mut drained, mut is_unwatched) = (Ok(true), false);
        for count in 0..ahead.unwrap_or(1) {
            if count > 0 && (stage.is_cancelled() || stage.stage_state.is_stopped()) {
                break;
            }
            let (drawn, unwatched) = stage.draw_one(source);
            is_unwatched |= unwatched;
            match drawn {
                Drawn::Item(item) if ahead.is_some() => {
                    if !stage.pocket.add(item) {
                        break;
                    }
                }
                Drawn::Item(item) => {
                    self.hand.batch.push(item);
                    let item = &self.hand.batch[0];
                    match unwind::catch(|| stage.settings.weight(item)) {
                        Ok(heavy) => weight = heavy,
                        Err(payload) => drained = Err(payload),
                    }
                }
                Drawn::Empty => break,
                Drawn::Over(payload) => {
                    drained = payload.map_or(Ok(false), Err);
                    break;
                }
            }
        }
        let counted = unwind::catch(|| {
            if let Some(stats) = &stage.settings.stats {
                let mut waits = Vec::new();
                source.waits(&mut waits);
                stats.pulled(false, source.len_hint(), &waits);
            }
        });
        drop(held);
        let now = Instant::now();
        let waited = now.saturating_duration_since(begun) > WAITED;
        let mut pulled = stage.pocket.look();
        if ahead.is_some() {
            pulled.close();
            pulled.take(self.hand.batch_size.items(), &mut self.hand.batch);
        }
        let (items, left) = (self.hand.batch.len(), pulled.len());
        self.awake = if waited {
            0
        } else {
            self.awake.saturating_add(1)
        };
        let is_busy = self.awake as usize >= self.hand.batch_size.items().max(2);
        let ended = !matches!((&drained, &counted), (Ok(true), Ok(())));
        stage.source_said(ended);
        let (ticket, call) = stage.stage_state.pulled(PullReport {
            load: Load {
                items,
                batches: usize::from(items > 0),
                weight,
            },
            overloaded: (left > 0 || is_busy) && self.is_overloaded(usize::MAX),
            lengthy: items > 0 && self.is_lengthy(items),
            ended,
        });
        drop(pulled);
        let call = call
            || items > 0 && (is_unwatched || ahead.is_none()) && stage.stage_state.wants_watch();
        for payload in [drained.err(), counted.err()].into_iter().flatten() {
            stage.panicked_for_good(ticket.first + (items + left) as u64, payload);
        }
        if call {
            self.call();
        }
        self.since = Some(now);
        ((items > 0).then_some(ticket), Duration::ZERO)
    }

    /// The serial end, which has nothing to hand out, works on a batch if there is one that it can
    /// have. It looks for one for a while. `false`: there is none.
    ///
    /// `has_results`: it need not help, and does so for the sake of the others. If it always took
    /// the first result at once, no consumer could ever pull ahead for it.
    pub(super) fn help_blind(&mut self, has_results: bool) -> bool {
        self.since = None;
        let tries = if has_results { LOOK_EVERY } else { FOR_WORK };
        let before = self.stage.source.pulls();
        for looks in 0..=tries {
            // A pull that waits may do so for long.
            let is_silent = looks >= TRIES && before.is_pulling();
            let is_silent = is_silent && self.stage.source.pulls() == before;
            match self.first_help(is_silent || looks == tries, has_results) {
                Help::Batch(ticket, pull) => {
                    self.help_on(ticket, pull);
                    return true;
                }
                Help::Again => (0..PAUSE).for_each(|_| relax()),
                Help::Results => return true,
                Help::None => break,
            }
        }
        false
    }

    fn first_help(&mut self, impatient: bool, with_results: bool) -> Help {
        let stage = self.stage;
        if stage.is_cancelled() {
            stage.stage_state.cancel();
        }
        let mut pulled = stage.pocket.look();
        let has_results = !with_results && stage.stage_state.is_ready();
        if has_results && !pulled.is_open() {
            stage.stage_state.look_out(false);
            return Help::Results;
        }
        let goes = impatient || has_results;
        if pulled.len() > 0 && (goes || !pulled.is_open()) && stage.stage_state.join_in_at_end() {
            stage.stage_state.look_out(false);
            return Help::Batch(Some(self.take(&mut pulled)), Duration::ZERO);
        }
        if !with_results && !pulled.is_open() && stage.stage_state.step_in_alone(false) {
            stage.stage_state.look_out(false);
            drop(pulled);
            let (ticket, pull) = self.pull_blind(None);
            return Help::Batch(ticket, pull);
        }
        stage.stage_state.look_out(!goes);
        if !goes {
            return Help::Again;
        }
        if pulled.is_open() {
            pulled.leave();
        }
        if has_results {
            Help::Results
        } else {
            Help::None
        }
    }

    /// Works on a first batch, if there is one, and on what no other consumer would take. Then it
    /// leaves.
    fn help_on(&mut self, mut ticket: Option<Ticket>, mut pull: Duration) {
        let stage = self.stage;
        loop {
            if let Some(ticket) = ticket.take() {
                let outcome: BatchOutcome<W::Out> = self.work(ticket, pull);
                stage.stage_state.put(ticket, outcome);
            }
            let mut pulled = stage.pocket.look();
            if pulled.len() > 0
                && (pulled.is_open() || stage.stage_state.others() == 0)
                && stage.stage_state.leaves_room_at_end()
            {
                ticket = Some(self.take(&mut pulled));
                pull = Duration::ZERO;
                continue;
            }
            if pulled.is_open() {
                pulled.leave();
            }
            let mut call = stage.stage_state.step_out(None);
            drop(pulled);
            // With two, the serial end looks after the other one before it sleeps.
            call |= stage.most > 2 && stage.stage_state.wants_watch();
            if call {
                self.call();
            }
            return;
        }
    }
}

/// What the serial end finds to do.
enum Help {
    /// A batch, and the time that it took to pull; or no batch, after a pull.
    Batch(Option<Ticket>, Duration),
    /// Nothing yet: look again.
    Again,
    /// Something is finished.
    Results,
    /// Nothing.
    None,
}
