//! A consumer at work by itself: runs; see [`held_source`](super::held_source).

use super::consumer::StageConsumer;
use super::held_source::{PullRun, ResultsTo};
use super::source::{Polled, Source};
use super::stage::{BatchOutcome, Stage};
use super::stage_state::WakeNeeded;
use super::work::{At, Work};
use crate::sync::lock;
use crate::unwind::{self, Payload};

/// Results of items that were handled alone are handed over in one batch up to this many, if the
/// serial end is slow.
const MERGED: usize = 64;

/// What the owner of a run keeps from one item to the next.
pub(super) struct Solo<W: Work<T>, T> {
    at: At,
    own: Option<W::State>,
    /// What came of the item at hand.
    outs: BatchOutcome<W::Out>,
    /// The number of the first item.
    first: u64,
}

/// What came of an item of the serial end's run.
pub(super) enum Ran<T> {
    One(T),
    /// Several.
    Batch(Vec<T>),
    /// The run is over: nothing came of its last items.
    Over,
}

/// What comes next in a run.
enum NextItem<T> {
    /// This item, with its place in the run.
    Item(u64, T),
    /// Another consumer has taken the run away.
    Taken,
    /// The owner has ended the run.
    Ended,
}

/// What came of a pull.
pub(super) enum Drawn<T> {
    Item(T),
    /// Nothing now.
    Empty,
    /// Nothing any more; perhaps the source has panicked.
    Over(Option<Payload>),
}

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// Pulls one item, with the lock of the source. The other result: the stage is unwatched.
    #[inline]
    pub(super) fn draw_one(&self, source: &mut S) -> (Drawn<S::Item>, bool) {
        self.source.begin_pull();
        let polled = unwind::catch(|| source.try_recv());
        let is_unwatched = self.source.end_pull();
        let drawn = match polled {
            Ok(Polled::Item(item)) => Drawn::Item(item),
            Ok(Polled::Empty) => Drawn::Empty,
            Ok(Polled::Ended) => Drawn::Over(None),
            Err(payload) => Drawn::Over(Some(payload)),
        };
        (drawn, is_unwatched)
    }

    /// Begins a run, with the token.
    fn begin_solo(&self, results: ResultsTo) -> Solo<W, S::Item> {
        let solo = Solo {
            at: At::new(),
            own: lock(&self.states).pop(),
            outs: Vec::new(),
            first: self.stage_state.items(),
        };
        self.source.lock().run = Some(PullRun { results, items: 0 });
        solo
    }

    /// Pulls the next item of a run, or ends the run. `call` brings a consumer.
    #[inline]
    fn next_alone(&self, first: u64, call: &dyn Fn()) -> NextItem<S::Item> {
        let Some(mut guard) = self.source.with_run() else {
            return NextItem::Taken;
        };
        let held = &mut *guard;
        let Some(run) = &mut held.run else {
            return NextItem::Taken;
        };
        let mut drawn = Drawn::Empty;
        if !self.stage_state.is_run_unwanted() && !self.is_cancelled() {
            let is_unwatched;
            (drawn, is_unwatched) = self.draw_one(&mut held.source);
            if let Drawn::Item(item) = drawn {
                let index = run.items;
                run.items += 1;
                drop(guard);
                if is_unwatched && self.stage_state.wants_watch() {
                    call();
                }
                return NextItem::Item(index, item);
            }
        }
        let run = *run;
        held.run = None;
        drop(guard);
        let has_ended = matches!(drawn, Drawn::Over(_));
        self.source_said(has_ended);
        if self.stage_state.end_run(&run, has_ended, false) {
            call();
        }
        if let Drawn::Over(Some(payload)) = drawn {
            self.panicked_for_good(first + run.items, payload);
        }
        NextItem::Ended
    }

    /// The serial end wants to begin a run. `None`: others are at work, or something is finished.
    fn begin_run(&self) -> Option<Solo<W, S::Item>> {
        let steps_in = self.stage_state.step_in_alone(true);
        steps_in.then(|| self.begin_solo(ResultsTo::Out))
    }

    /// The serial end handles the next items, until something comes of one. `call` brings a
    /// consumer.
    #[inline]
    pub(super) fn run_on(
        &self,
        place: &mut Option<Solo<W, S::Item>>,
        call: &dyn Fn(),
    ) -> Ran<W::Out> {
        while let Some(solo) = place {
            let (index, item) = match self.next_alone(solo.first, call) {
                NextItem::Item(index, item) => (index, item),
                over => {
                    if self.leave_run(place, matches!(over, NextItem::Taken)) {
                        call();
                    }
                    break;
                }
            };
            let (own, outs) = (&mut solo.own, &mut solo.outs);
            self.handle(&solo.at, solo.first + index, item, own, outs);
            self.settings.finished(1);
            match outs.len() {
                0 => {}
                1 => return outs.pop().map_or(Ran::Over, Ran::One),
                _ => return Ran::Batch(std::mem::take(outs)),
            }
        }
        Ran::Over
    }

    /// The serial end, after its run, goes back to what other consumers have for it. `was_taken`:
    /// the run was taken away.
    pub(super) fn leave_run(
        &self,
        place: &mut Option<Solo<W, S::Item>>,
        was_taken: bool,
    ) -> WakeNeeded {
        let solo = place.take();
        lock(&self.states).extend(solo.and_then(|solo| solo.own));
        self.stage_state.leave_run(was_taken)
    }

    /// Takes a run away, if there is one and its owner does not pull.
    pub(super) fn take_run_away(&self) {
        if self.stage_state.is_run()
            && let Some(run) = self.source.take_run()
        {
            self.stage_state.end_run(&run, false, true);
        }
    }
}

impl<'s, S, W> StageConsumer<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    /// The serial end begins a run, where no consumer is at work and items are short.
    pub(super) fn begin_run(&self) -> Option<Solo<W, S::Item>> {
        let stage = self.stage;
        let is_short = stage.most == 1 || self.hand.batch_size.items() > 1;
        is_short.then(|| stage.begin_run()).flatten()
    }

    /// Handles up to `most` items, as the one with the token: each, and what comes of it, before
    /// the next pull.
    pub(super) fn run_alone(&mut self, most: usize) {
        let stage = self.stage;
        let begun = self.since.take().unwrap_or_else(crate::sync::Instant::now);
        if stage.stage_state.begin_alone() {
            self.call();
        }
        let results = if stage.is_end {
            ResultsTo::Nowhere
        } else {
            ResultsTo::StageState
        };
        let mut solo = stage.begin_solo(results);
        let mut items = 0;
        let mut has_ended = false;
        while items < most {
            let (index, item) = match stage.next_alone(solo.first, &|| self.call()) {
                NextItem::Item(index, item) => (index, item),
                NextItem::Taken => break,
                NextItem::Ended => {
                    has_ended = true;
                    break;
                }
            };
            let (own, outs) = (&mut solo.own, &mut solo.outs);
            let goes_on = stage.handle(&solo.at, solo.first + index, item, own, outs);
            items += 1;
            stage.settings.finished(1);
            let is_free = stage.is_end
                || stage
                    .stage_state
                    .put_alone(most.max(MERGED), outs, Vec::append);
            if !goes_on || !is_free {
                break;
            }
        }
        lock(&stage.states).extend(solo.own);
        if !has_ended {
            match stage.source.take_run() {
                Some(run) => {
                    stage.stage_state.end_run(&run, false, false);
                }
                None => stage.stage_state.owner_is_back(),
            }
        }
        if items == most && self.is_overloaded(usize::MAX) && stage.stage_state.call() {
            self.call();
        }
        let now = crate::sync::Instant::now();
        self.since = Some(now);
        // It may have waited in between: so it says little if it took long.
        let took = (now - begun).min(self.hand.batch_size.takes(items) * 4);
        self.hand
            .batch_size
            .took(items, std::time::Duration::ZERO, took, false, 1);
    }
}
