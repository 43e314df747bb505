//! A stage of a stream, and what a consumer does in it.

use std::time::Duration;

use super::crew::{Crew, Shift};
use super::desk::{Desk, Empty, Pulled, Ticket, Turn};
use super::finished::Finished;
use super::load::Load;
use super::pace::Pace;
use super::report::{OnPanic, Panicked, Report};
use super::settings::Settings;
use super::source::{Drained, Source, Stopper};
use super::work::{At, Work};
use crate::control::Listener;
use crate::sync::{Arc, Instant, Mutex, lock};
use crate::unwind::{self, Payload};
use crate::wait;

/// What comes of the items of a batch.
pub(super) type Outcome<T> = Vec<T>;

/// A source, and what is done with what comes from it.
pub(super) struct Stage<S: Source, W: Work<S::Item>> {
    /// Locked by whoever has the desk's token, so never fought over.
    source: Mutex<S>,
    stopper: Option<Stopper>,
    work: W,
    pub(super) desk: Desk<Outcome<W::Out>>,
    /// What consumers have for themselves who are not here.
    shelf: Mutex<Vec<Hand<S::Item, W::State>>>,
    settings: Settings<S::Item>,
    pub(super) most: usize,
    /// Nobody wants what comes of the items.
    is_end: bool,
    panics: Mutex<Panics>,
    /// Ends the wait for the source when the program cancels.
    _listener: Option<Listener>,
}

/// What has panicked.
#[derive(Default)]
struct Panics {
    /// The one that stopped the stream.
    fatal: Option<(u64, Payload)>,
    others: Vec<Panicked>,
}

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// `finished`: where finished batches go.
    pub(super) fn new(
        source: S,
        work: W,
        settings: Settings<S::Item>,
        most: usize,
        finished: Finished<Outcome<W::Out>>,
    ) -> Arc<Self> {
        let is_end = matches!(finished, Finished::Unwanted);
        let stopper = source.stopper();
        let listener = settings.cancel.as_ref().zip(stopper.clone());
        Arc::new(Stage {
            _listener: listener.map(|(token, stopper)| token.listen(move || stopper.stop())),
            stopper,
            source: Mutex::new(source),
            work,
            desk: Desk::new(most, settings.limit(most), finished),
            shelf: Mutex::new(Vec::new()),
            settings,
            most,
            is_end,
            panics: Mutex::default(),
        })
    }

    /// Takes nothing more from the source.
    pub(super) fn stop(&self) {
        self.desk.stop();
        if let Some(stopper) = &self.stopper {
            stopper.stop();
        }
    }

    /// The panic that stopped the stream, if one did.
    pub(super) fn take_fatal(&self) -> Option<Payload> {
        let (_, payload) = lock(&self.panics).fatal.take()?;
        Some(payload)
    }

    /// What was done, when all is done.
    pub(super) fn report(&self) -> Report {
        let mut panics = std::mem::take(&mut lock(&self.panics).others);
        panics.sort_by_key(Panicked::index);
        Report {
            items: self.desk.items(),
            panics,
        }
    }

    /// The states of all consumers, when all have left.
    pub(super) fn take_states(&self) -> Vec<W::State> {
        let hands = std::mem::take(&mut *lock(&self.shelf));
        hands.into_iter().filter_map(|hand| hand.state).collect()
    }

    fn is_cancelled(&self) -> bool {
        self.settings.is_cancelled()
    }

    /// Notes the panic of an item.
    fn panicked(&self, index: u64, payload: Payload) {
        match self.settings.on_panic {
            OnPanic::Stop => self.panicked_for_good(index, payload),
            OnPanic::GoOn => lock(&self.panics)
                .others
                .push(Panicked::new(index, payload)),
        }
    }

    /// Notes a panic that ends the stream.
    fn panicked_for_good(&self, index: u64, payload: Payload) {
        let surplus = match &mut lock(&self.panics).fatal {
            Some((first, _)) if *first <= index => Some(payload),
            place => place.replace((index, payload)).map(|(_, payload)| payload),
        };
        self.stop();
        // The drop of a payload is code of the program: not under the lock.
        unwind::discard(surplus);
    }
}

/// What a consumer has for itself: its pace, a vector for batches, its state. The next one to come goes on with it.
struct Hand<T, S> {
    pace: Pace,
    batch: Vec<T>,
    state: Option<S>,
}

/// One consumer, for the length of a stay.
pub(super) struct Consumer<'a, 's, S: Source, W: Work<S::Item>> {
    stage: &'a Arc<Stage<S, W>>,
    crew: &'a (dyn Crew<'s> + Sync),
    hand: Hand<S::Item, W::State>,
    at: At,
    /// When the last batch was done.
    since: Option<Instant>,
    /// It is the serial end.
    is_end: bool,
}

/// How a visit to the source ended.
enum Visit {
    /// With a batch, which took so long.
    Batch(Ticket, Duration),
    /// Without one; `turn` again.
    Nothing,
    /// The desk said to leave.
    Left,
}

impl<'a, 's, S, W> Consumer<'a, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
    S::Item: 's,
    W::Out: 's,
    W::State: 's,
{
    /// A consumer that has arrived, or the serial end, which has stepped in.
    pub(super) fn new(
        stage: &'a Arc<Stage<S, W>>,
        crew: &'a (dyn Crew<'s> + Sync),
        is_end: bool,
    ) -> Self {
        let hand = lock(&stage.shelf).pop();
        Consumer {
            stage,
            crew,
            hand: hand.unwrap_or_else(|| Hand {
                pace: stage.settings.pace(stage.most),
                batch: Vec::new(),
                state: None,
            }),
            at: At::new(),
            since: None,
            is_end,
        }
    }

    /// Works until the desk says to leave.
    fn stay(&mut self) {
        let mut turn = self.stage.desk.turn(self.stage.is_cancelled());
        loop {
            let Turn::Pull(room) = turn else {
                return;
            };
            turn = match self.pull(room) {
                Visit::Batch(ticket, pull) => {
                    let outcome = self.work(ticket, pull);
                    let stopped = self.stage.is_cancelled();
                    self.stage.desk.hand_in(ticket, outcome, stopped)
                }
                Visit::Nothing => self.stage.desk.turn(self.stage.is_cancelled()),
                Visit::Left => return,
            };
        }
    }

    /// Works on one batch, and leaves. The desk has let it step in. `false`: there was nothing to do, and others
    /// are there to wait for more.
    pub(super) fn one_batch(&mut self) -> bool {
        let desk = &self.stage.desk;
        self.since = None;
        let Turn::Pull(room) = desk.turn(self.stage.is_cancelled()) else {
            return false;
        };
        let done = match self.pull(room) {
            Visit::Batch(ticket, pull) => Some((ticket, self.work(ticket, pull))),
            Visit::Nothing => None,
            Visit::Left => return false,
        };
        if desk.step_out(done) {
            self.call();
        }
        true
    }

    fn call(&self) {
        let stage = Arc::clone(self.stage);
        self.crew.call(stage);
    }

    /// Takes a batch from the source, as the one with the token.
    fn pull(&mut self, room: Load) -> Visit {
        let stage = self.stage;
        let begun = self.since.take().unwrap_or_else(Instant::now);
        let mut source = lock(&stage.source);
        let most = self.hand.pace.batch().min(room.items);
        let mut weight = 0;
        let mut drained = self.draw(&mut source, most, room.weight, &mut weight);
        let mut slept = false;
        if matches!(drained, Ok(Drained::Empty | Drained::More)) && self.hand.batch.is_empty() {
            let (empty, call) = stage.desk.empty(self.is_end);
            if call {
                self.call();
            }
            match empty {
                Empty::Leave => return Visit::Left,
                Empty::Watch => {}
            }
            slept = true;
            drained = unwind::catch(|| wait::blocking(|| source.recv())).and_then(|item| {
                let Some(item) = item else {
                    return Ok(Drained::Ended);
                };
                self.hand.batch.push(item);
                unwind::catch(|| weight = stage.settings.weight(&self.hand.batch[0]))?;
                self.draw(&mut source, most - 1, room.weight, &mut weight)
            });
        }
        let more = matches!(drained, Ok(Drained::More)) && source.len_hint() != Some(0);
        drop(source);
        let items = self.hand.batch.len();
        let (ticket, call) = stage.desk.pulled(Pulled {
            load: Load {
                items,
                batches: usize::from(items > 0),
                weight,
            },
            overloaded: more && !slept,
            lengthy: items > 0 && self.hand.pace.is_lengthy(items),
            ended: !matches!(drained, Ok(Drained::More | Drained::Empty)),
        });
        if let Err(payload) = drained {
            stage.panicked_for_good(ticket.first + items as u64, payload);
        }
        if call {
            self.call();
        }
        if items == 0 {
            return Visit::Nothing;
        }
        let now = Instant::now();
        self.since = Some(now);
        // Sleep does not count: it says nothing of what the items take.
        let pull = if slept { Duration::ZERO } else { now - begun };
        Visit::Batch(ticket, pull)
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
    fn work(&mut self, ticket: Ticket, pull: Duration) -> Outcome<W::Out> {
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
        while rest.len() > 0 {
            let kept = self.hand.state.take();
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
            let outcome = unwind::catch(|| {
                for item in rest.by_ref() {
                    at.go_to(index);
                    index += 1;
                    stage
                        .work
                        .work(&mut state, at, item, &mut |out| outs.push(out));
                }
            });
            self.hand.state = match outcome {
                Ok(()) => Some(state),
                Err(payload) => {
                    stage.panicked(index - 1, payload);
                    stage.work.salvage(state)
                }
            };
        }
        drop(rest);
        stage.settings.finished(items);
        if at.take_stop() {
            stage.stop();
        }
        if let Some(since) = self.since {
            let now = Instant::now();
            self.hand.pace.took(items, pull, now - since);
            self.since = Some(now);
        }
        outs
    }
}

impl<S: Source, W: Work<S::Item>> Drop for Consumer<'_, '_, S, W> {
    fn drop(&mut self) {
        let hand = Hand {
            pace: self.hand.pace.clone(),
            batch: std::mem::take(&mut self.hand.batch),
            state: self.hand.state.take(),
        };
        lock(&self.stage.shelf).push(hand);
    }
}

impl<'s, S, W> Shift<'s> for Stage<S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
    S::Item: 's,
    W::Out: 's,
    W::State: 's,
{
    fn consume(self: Arc<Self>, crew: &(dyn Crew<'s> + Sync)) {
        loop {
            if self.desk.arrive() {
                Consumer::new(&self, crew, false).stay();
                if self.desk.has_ended() {
                    crew.dismiss();
                }
            }
            if !crew.rest() {
                return;
            }
        }
    }
}
