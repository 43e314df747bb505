//! The serial end at work by itself: its runs; see [`held`](super::held).

use super::desk::Call;
use super::source::{Polled, Source};
use super::stage::{Consumer, Outcome, Stage};
use super::work::{At, Work};
use crate::sync::lock;
use crate::unwind;

/// A run of the serial end: what it keeps from one item to the next.
pub(super) struct Run<W: Work<T>, T> {
    at: At,
    own: Option<W::State>,
    /// What came of the item at hand.
    outs: Outcome<W::Out>,
    /// The number of the first item, and how many there were.
    first: u64,
    items: u64,
}

/// What came of an item of a run.
pub(super) enum Ran<T> {
    One(T),
    /// Several.
    Batch(Vec<T>),
    /// The run is over: nothing came of its last items.
    Over,
}

impl<S: Source, W: Work<S::Item>> Stage<S, W> {
    /// The serial end wants to begin a run. `false`: others are at work, or something is finished.
    fn begin_run(&self) -> bool {
        if !self.desk.step_in_alone(true) {
            return false;
        }
        let own = lock(&self.states).pop();
        self.source.lock().run = Some(Run {
            at: At::new(),
            own,
            outs: Vec::new(),
            first: self.desk.items(),
            items: 0,
        });
        true
    }

    /// The serial end handles the next items, until something comes of one. `true`: a consumer is to be called.
    #[inline]
    pub(super) fn run_on(&self) -> (Ran<W::Out>, Call) {
        let Some(mut guard) = self.source.with_run() else {
            return (Ran::Over, false);
        };
        let held = &mut *guard;
        let mut drained = Ok(true);
        while let Some(run) = &mut held.run {
            if self.desk.is_run_unwanted() || self.is_cancelled() {
                break;
            }
            let item = match unwind::catch(|| held.source.try_recv()) {
                Ok(Polled::Item(item)) => item,
                Ok(Polled::Empty) => break,
                Ok(Polled::Ended) => {
                    drained = Ok(false);
                    break;
                }
                Err(payload) => {
                    drained = Err(payload);
                    break;
                }
            };
            let index = run.first + run.items;
            run.items += 1;
            self.aside.count();
            self.handle(&run.at, index, item, &mut run.own, &mut run.outs);
            self.settings.finished(1);
            let ran = match run.outs.len() {
                0 => continue,
                1 => run.outs.pop().map_or(Ran::Over, Ran::One),
                _ => Ran::Batch(std::mem::take(&mut run.outs)),
            };
            // What is done with it may take long.
            let call = self.desk.is_run_unwanted()
                && held
                    .run
                    .take()
                    .is_some_and(|run| self.end_run(run, false, true));
            return (ran, call);
        }
        let Some(run) = held.run.take() else {
            return (Ran::Over, false);
        };
        drop(guard);
        let next = run.first + run.items;
        let call = self.end_run(run, !matches!(drained, Ok(true)), true);
        if let Err(payload) = drained {
            self.panicked_for_good(next, payload);
        }
        (Ran::Over, call)
    }

    /// Ends a run, as the one that has taken it out of its place.
    fn end_run(&self, run: Run<W, S::Item>, ended: bool, calls: bool) -> Call {
        // First: who finds the token free finds the state.
        lock(&self.states).extend(run.own);
        let call = self.desk.end_run(run.items, ended, calls);
        self.aside.rouse();
        call
    }

    /// Takes the run of the serial end away, if there is one and it is not at work on an item.
    pub(super) fn take_run_away(&self) {
        if self.desk.is_run()
            && let Some(run) = self.source.take_run()
        {
            self.end_run(run, false, false);
        }
    }
}

impl<'s, S, W> Consumer<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
    S::Item: 's,
    W::Out: 's,
    W::State: 's,
{
    /// The serial end begins a run, where no consumer is at work and items are short.
    pub(super) fn begin_run(&self) -> bool {
        let stage = self.stage;
        let is_short = stage.most == 1 || self.hand.pace.batch() > 1;
        is_short && stage.begin_run()
    }
}
