//! What a consumer does in a stage whose source is blind; see [`pocket`](super::pocket).

use super::desk::{Pulled, Ticket, Turn};
use super::load::Load;
use super::pocket;
use super::source::{Polled, Source};
use super::stage::{Consumer, Outcome, PAUSE, TRIES};
use super::work::Work;
use crate::sync::{Instant, MutexGuard, relax};
use crate::unwind;

use std::time::Duration;

/// A pull that took longer has waited.
const WAITED: Duration = Duration::from_micros(50);

/// What comes next for a consumer.
enum Step {
    /// A batch, from the pocket.
    Work(Ticket),
    /// Pull one item, or so many into the pocket.
    Pull { ahead: Option<usize> },
    /// The pocket is being filled, or the token comes back soon: look again.
    Again,
    /// It has left.
    Left,
}

impl<'s, S, W> Consumer<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
    S::Item: 's,
    W::Out: 's,
    W::State: 's,
{
    /// Works until there is nothing to do that others do not.
    pub(super) fn stay_blind(&mut self) {
        let desk = &self.stage.desk;
        let mut looks = 0;
        loop {
            let (ticket, pull) = match self.step(looks >= TRIES) {
                Step::Work(ticket) => (Some(ticket), Duration::ZERO),
                Step::Pull { ahead } => self.pull_blind(ahead),
                Step::Again => {
                    looks += 1;
                    (0..PAUSE).for_each(|_| relax());
                    continue;
                }
                Step::Left => return,
            };
            looks = 0;
            if let Some(ticket) = ticket {
                let outcome = self.work(ticket, pull);
                desk.put(ticket, outcome);
            }
        }
    }

    fn step(&mut self, impatient: bool) -> Step {
        let stage = self.stage;
        let mut pulled = stage.pocket.look();
        if pulled.len() > 0 && (impatient || !pulled.is_open()) {
            return Step::Work(self.take(&mut pulled));
        }
        if pulled.is_open() {
            if !impatient {
                return Step::Again;
            }
            pulled.leave();
            stage.desk.leave();
            return Step::Left;
        }
        let room = match stage.desk.turn(stage.is_cancelled(), !impatient) {
            Turn::Pull(room) => room,
            Turn::Again => return Step::Again,
            Turn::Leave | Turn::Over => return Step::Left,
        };
        let end_looks = pulled.end_looks && stage.desk.takes_one_more();
        let at_hand = stage.desk.others() + usize::from(end_looks);
        let share = self.hand.pace.batch();
        let ahead = share.saturating_mul(at_hand + 1).min(room.items);
        let is_ahead = at_hand > 0 && share > 1 && ahead > 1 && !stage.settings.is_weighed();
        if is_ahead {
            pulled.open();
        }
        Step::Pull {
            ahead: is_ahead.then_some(ahead),
        }
    }

    /// Takes a batch from the pocket.
    fn take(&mut self, pulled: &mut MutexGuard<'_, pocket::Pulled<S::Item>>) -> Ticket {
        pulled.take(self.hand.pace.batch(), &mut self.hand.batch);
        self.since = Some(Instant::now());
        self.stage.desk.ticket(Load {
            items: self.hand.batch.len(),
            batches: 1,
            weight: 0,
        })
    }

    /// Pulls, as the one with the token: one item, or many into the pocket.
    fn pull_blind(&mut self, ahead: Option<usize>) -> (Option<Ticket>, Duration) {
        let stage = self.stage;
        let mut source = crate::sync::lock(&stage.source);
        let begun = self.since.take().unwrap_or_else(Instant::now);
        let mut weight = 0;
        let drained = unwind::catch(|| {
            for _ in 0..ahead.unwrap_or(1) {
                match source.try_recv() {
                    Polled::Item(item) if ahead.is_some() => {
                        if !stage.pocket.add(item) {
                            break;
                        }
                    }
                    Polled::Item(item) => {
                        self.hand.batch.push(item);
                        weight = stage.settings.weight(&self.hand.batch[0]);
                    }
                    Polled::Empty => break,
                    Polled::Ended => return false,
                }
            }
            true
        });
        let counted = unwind::catch(|| {
            if let Some(stats) = &stage.settings.stats {
                let mut waits = Vec::new();
                source.waits(&mut waits);
                stats.pulled(false, source.len_hint(), &waits);
            }
        });
        drop(source);
        let now = Instant::now();
        let waited = now.saturating_duration_since(begun) > WAITED;
        let mut pulled = stage.pocket.look();
        if ahead.is_some() {
            pulled.close();
            pulled.take(self.hand.pace.batch(), &mut self.hand.batch);
        }
        let (items, left) = (self.hand.batch.len(), pulled.len());
        self.awake = if waited {
            0
        } else {
            self.awake.saturating_add(1)
        };
        let is_busy = self.awake as usize >= self.hand.pace.batch().max(2);
        let (ticket, call) = stage.desk.pulled(Pulled {
            load: Load {
                items,
                batches: usize::from(items > 0),
                weight,
            },
            overloaded: (left > 0 || is_busy) && self.is_overloaded(usize::MAX),
            lengthy: items > 0 && self.is_lengthy(items),
            ended: !matches!((&drained, &counted), (Ok(true), Ok(()))),
        });
        drop(pulled);
        for payload in [drained.err(), counted.err()].into_iter().flatten() {
            stage.panicked_for_good(ticket.first + (items + left) as u64, payload);
        }
        if call {
            self.call();
        }
        self.since = Some(now);
        ((items > 0).then_some(ticket), Duration::ZERO)
    }

    /// The serial end, which has nothing to hand out, works on a batch if there is one that it can have. It looks for one
    /// for a while. `false`: there is none.
    pub(super) fn help_blind(&mut self) -> bool {
        let stage = self.stage;
        self.since = None;
        for looks in 0..=TRIES {
            match self.first_help(looks == TRIES) {
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

    fn first_help(&mut self, impatient: bool) -> Help {
        let stage = self.stage;
        let mut pulled = stage.pocket.look();
        let has_results = stage.desk.is_ready();
        if has_results && !pulled.is_open() {
            pulled.end_looks = false;
            return Help::Results;
        }
        let goes = impatient || has_results;
        if pulled.len() > 0 && (goes || !pulled.is_open()) && stage.desk.join_in() {
            pulled.end_looks = false;
            return Help::Batch(Some(self.take(&mut pulled)), Duration::ZERO);
        }
        if !pulled.is_open() && stage.desk.step_in_alone() {
            pulled.end_looks = false;
            drop(pulled);
            let (ticket, pull) = self.pull_blind(None);
            return Help::Batch(ticket, pull);
        }
        pulled.end_looks = !goes;
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

    /// Works on a first batch, if there is one, and on what nobody else would take; then leaves.
    fn help_on(&mut self, mut ticket: Option<Ticket>, mut pull: Duration) {
        let stage = self.stage;
        loop {
            if let Some(ticket) = ticket.take() {
                let outcome: Outcome<W::Out> = self.work(ticket, pull);
                stage.desk.put(ticket, outcome);
            }
            let mut pulled = stage.pocket.look();
            if pulled.len() > 0 && (pulled.is_open() || stage.desk.others() == 0) {
                ticket = Some(self.take(&mut pulled));
                pull = Duration::ZERO;
                continue;
            }
            if pulled.is_open() {
                pulled.leave();
            }
            let call = stage.desk.step_out(None);
            drop(pulled);
            if call {
                self.call();
            }
            return;
        }
    }
}

/// What the serial end finds to do.
enum Help {
    /// A batch, which took so long to pull; or none, after it has pulled.
    Batch(Option<Ticket>, Duration),
    /// Nothing yet: look again.
    Again,
    /// Something is finished.
    Results,
    /// Nothing.
    None,
}
