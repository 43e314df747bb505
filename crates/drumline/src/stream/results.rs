//! The serial end of a stage: what comes of it, as an iterator.

use std::fmt;
use std::time::Duration;
use std::vec;

use super::consumer::StageConsumer;
use super::executor::Executor;
use super::load::Load;
use super::solo::{Ran, Solo};
use super::source::{Drained, Polled, Source};
use super::stage::Stage;
use super::stage_state::NextBatch;
use super::work::Work;
use crate::pool::{self, Yield};
use crate::sync::{Arc, Instant};
use crate::unwind;
use crate::wait;

/// What the serial end asks.
#[derive(Debug)]
pub(super) enum Asked<T> {
    One(T),
    Batch(Vec<T>),
    /// Nothing now.
    Empty,
    Over,
}

/// How long the serial end waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    No,
    Until(Instant),
    ForEver,
}

impl Wait {
    fn is_over(self) -> bool {
        match self {
            Wait::No => true,
            Wait::Until(until) => until <= Instant::now(),
            Wait::ForEver => false,
        }
    }

    fn left(self) -> Option<Duration> {
        let until = self.until()?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    fn until(self) -> Option<Instant> {
        match self {
            Wait::Until(until) => Some(until),
            Wait::No | Wait::ForEver => None,
        }
    }
}

/// What hands batches to the serial end.
pub(super) trait Batches<T>: Send {
    /// The next batch; if it waits for ever, never `Empty`.
    fn next_batch(&mut self, wait: Wait) -> Asked<T>;

    /// Gives what comes of a run to `sink`, as long as the run lasts, if there is one.
    fn run_into(&mut self, _sink: &mut dyn FnMut(T)) {}
}

/// A stage with consumers that are jobs or threads of a scope.
pub(super) struct Attended<'a, 's, S: Source, W: Work<S::Item>> {
    pub(super) stage: Arc<Stage<S, W>>,
    pub(super) executor: &'a (dyn Executor<'s> + Sync),
    /// The run of the serial end, unless a consumer has taken it away.
    pub(super) solo: Option<Solo<W, S::Item>>,
}

/// The serial end sleeps, and its thread takes part in a broadcast of its pool: an item may wait
/// for that.
fn sleep_and_take_part(sleep: impl FnOnce()) {
    wait::blocking(sleep);
    pool::run_what_is_sent();
}

impl<'s, S, W> Batches<W::Out> for Attended<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    #[inline]
    fn next_batch(&mut self, wait: Wait) -> Asked<W::Out> {
        if self.solo.is_some()
            && let Some(asked) = self.run_on(wait)
        {
            return asked;
        }
        self.next_of_stage(wait)
    }

    fn run_into(&mut self, sink: &mut dyn FnMut(W::Out)) {
        // The end of the run is the business of `next_batch`.
        while self.solo.is_some() && self.executor.has_caller() {
            match self.run_on_here() {
                Ran::One(item) => sink(item),
                Ran::Batch(batch) => batch.into_iter().for_each(&mut *sink),
                Ran::Over => return,
            }
        }
    }
}

impl<'s, S, W> Attended<'_, 's, S, W>
where
    S: Source + 's,
    W: Work<S::Item> + 's,
{
    fn next_of_stage(&mut self, wait: Wait) -> Asked<W::Out> {
        let stage = &Arc::clone(&self.stage);
        let stage_state = &stage.stage_state;
        let mut sleep = false;
        if stage.is_blind && stage_state.is_run_by_others() && self.executor.takes_caller() {
            let _ = self.help(true);
        }
        loop {
            match stage_state.next(sleep) {
                NextBatch::Batch(batch, call) => {
                    if call {
                        self.call();
                    }
                    if !batch.is_empty() {
                        return Asked::Batch(batch);
                    }
                    // Everything in it was left out.
                    sleep = false;
                    continue;
                }
                NextBatch::Over => {
                    self.executor.dismiss();
                    if let Some(payload) = stage.take_fatal() {
                        unwind::resume(payload);
                    }
                    return Asked::Over;
                }
                NextBatch::Wait if wait.is_over() => return Asked::Empty,
                NextBatch::Wait => {}
            }
            if !sleep {
                // Asked here, each time: it may be another thread (a consumer of the next stage)
                // that wants results.
                if self.executor.takes_caller() {
                    if stage.is_blind {
                        if stage.is_solo() && self.begin_run() {
                            if stage_state.wants_watch() {
                                self.call();
                            }
                            match self.run_on(wait) {
                                Some(asked) => return asked,
                                None => continue,
                            }
                        }
                        if self.help(false) {
                            continue;
                        }
                    } else if let Some(room) = stage_state.step_in(stage.is_cancelled())
                        && self.one_batch(room, wait.until())
                    {
                        continue;
                    }
                } else if stage_state.summon() {
                    self.call();
                    if self.executor.takes_caller() {
                        // There is no consumer to call.
                        continue;
                    }
                }
            }
            if sleep {
                if stage.is_blind && stage_state.wants_watch() {
                    self.call();
                }
                // A result may depend on a call that comes back to the pool of this thread.
                let serves = pool::serves_while_waiting();
                match wait.left() {
                    None if serves => stage_state.serve(),
                    None => sleep_and_take_part(|| stage_state.sleep()),
                    Some(Duration::ZERO) => return Asked::Empty,
                    Some(_) if serves && pool::yield_now() == Some(Yield::Executed) => {}
                    Some(time) => sleep_and_take_part(|| stage_state.sleep_for(time)),
                }
            }
            sleep = !sleep;
        }
    }

    fn begin_run(&mut self) -> bool {
        self.solo = StageConsumer::new(&self.stage, self.executor, true, None).begin_run();
        self.solo.is_some()
    }

    /// Handles the next items of a run. `None`: there is none any more.
    #[inline]
    fn run_on(&mut self, wait: Wait) -> Option<Asked<W::Out>> {
        if wait == Wait::No {
            return None;
        }
        let ran = if self.executor.has_caller() {
            self.run_on_here()
        } else {
            self.run_on_elsewhere()
        };
        match ran {
            Ran::One(item) => Some(Asked::One(item)),
            Ran::Batch(batch) => Some(Asked::Batch(batch)),
            Ran::Over => None,
        }
    }

    #[inline]
    fn run_on_here(&mut self) -> Ran<W::Out> {
        let (stage, executor) = (&self.stage, self.executor);
        stage.run_on(&mut self.solo, &|| stage.call(executor))
    }

    /// The same, by a thread that is not in the pool, or not in it alone.
    fn run_on_elsewhere(&mut self) -> Ran<W::Out> {
        let mut ran = Ran::Over;
        if self.executor.takes_caller() {
            let executor = self.executor;
            executor.with_caller(&mut || ran = self.run_on_here());
        } else {
            self.stage.take_run_away();
            if self.stage.leave_run(&mut self.solo, true) {
                self.call();
            }
        }
        ran
    }

    fn help(&self, has_results: bool) -> bool {
        let mut was_of_use = false;
        let (stage, executor) = (&self.stage, self.executor);
        executor.with_caller(&mut || {
            was_of_use = StageConsumer::new(stage, executor, true, None).help_blind(has_results);
        });
        was_of_use
    }

    fn one_batch(&self, room: Load, until: Option<Instant>) -> bool {
        let mut was_of_use = false;
        let (stage, executor) = (&self.stage, self.executor);
        executor.with_caller(&mut || {
            was_of_use = StageConsumer::new(stage, executor, true, until).one_batch(room);
        });
        was_of_use
    }

    fn call(&self) {
        self.stage.call(self.executor);
    }
}

/// However the serial end ends, nothing more is pulled then, and the consumers may go.
pub(super) struct Close<'a, 's, S: Source, W: Work<S::Item>> {
    pub(super) stage: &'a Stage<S, W>,
    pub(super) executor: &'a (dyn Executor<'s> + Sync),
}

impl<S: Source, W: Work<S::Item>> Drop for Close<'_, '_, S, W> {
    fn drop(&mut self) {
        self.stage.stop();
        self.stage.take_run_away();
        self.executor.dismiss();
    }
}

/// What comes of a stage: an iterator for its serial end.
///
/// It begins when the first item is asked for. The thread that asks takes part in the work while
/// there is nothing for it, unless items take long or the pool takes no
/// [guests](crate::PoolBuilder::guests).
///
/// ```
/// use drumline::stream::{self, Results};
///
/// let squares: Results<'_, u32> = stream::iter(1..=4).map_ordered(|n| n * n).into_iter();
/// assert_eq!(squares.collect::<Vec<_>>(), [1, 4, 9, 16]);
/// ```
pub struct Results<'a, T> {
    batches: Box<dyn Batches<T> + 'a>,
    current: vec::IntoIter<T>,
    is_over: bool,
}

impl<'a, T> Results<'a, T> {
    pub(super) fn new(batches: impl Batches<T> + 'a) -> Self {
        Results {
            batches: Box::new(batches),
            current: Vec::new().into_iter(),
            is_over: false,
        }
    }

    /// Does something with each.
    pub(super) fn each(&mut self, mut op: impl FnMut(T)) {
        while let Polled::Item(item) = self.poll(Wait::ForEver) {
            op(item);
            std::mem::take(&mut self.current).for_each(&mut op);
            self.batches.run_into(&mut op);
        }
    }

    /// The next result. Others may be in `current` then.
    #[inline]
    fn poll(&mut self, wait: Wait) -> Polled<T> {
        loop {
            if let Some(item) = self.current.next() {
                return Polled::Item(item);
            }
            if self.is_over {
                return Polled::Ended;
            }
            // Said first: after a panic, too, it is over.
            self.is_over = true;
            let asked = self.batches.next_batch(wait);
            self.is_over = matches!(asked, Asked::Over);
            match asked {
                Asked::One(item) => return Polled::Item(item),
                Asked::Batch(batch) => self.current = batch.into_iter(),
                Asked::Empty => return Polled::Empty,
                Asked::Over => {}
            }
        }
    }
}

/// Waits for the next result.
///
/// # Panics
///
/// At its end, if a function of the stage has panicked and that [stopped](super::OnPanic::Stop) it.
///
/// # Blocking
///
/// Until there is a result, or there will be none.
impl<T> Iterator for Results<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        match self.poll(Wait::ForEver) {
            Polled::Item(item) => Some(item),
            Polled::Empty | Polled::Ended => None,
        }
    }

    fn fold<B, F>(mut self, init: B, mut f: F) -> B
    where
        F: FnMut(B, T) -> B,
    {
        let mut all = init;
        while let Polled::Item(item) = self.poll(Wait::ForEver) {
            all = f(all, item);
            let batch = std::mem::take(&mut self.current);
            all = batch.fold(all, &mut f);
        }
        all
    }
}

impl<T> std::iter::FusedIterator for Results<'_, T> {}

impl<T: Send> Source for Results<'_, T> {
    type Item = T;

    fn recv(&mut self) -> Option<T> {
        self.next()
    }

    fn recv_timeout(&mut self, time: Duration) -> Polled<T> {
        let until = Instant::now().checked_add(time);
        self.poll(until.map_or(Wait::ForEver, Wait::Until))
    }

    fn try_recv(&mut self) -> Polled<T> {
        self.poll(Wait::No)
    }

    fn recv_batch(&mut self, most: usize, batch: &mut Vec<T>) -> Drained {
        let full = batch.len().saturating_add(most);
        while batch.len() < full {
            match self.poll(Wait::No) {
                Polled::Item(item) => batch.push(item),
                Polled::Empty => return Drained::Empty,
                Polled::Ended => return Drained::Ended,
            }
            batch.extend(self.current.by_ref().take(full - batch.len()));
        }
        Drained::More
    }
}

impl<T> fmt::Debug for Results<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Results").finish_non_exhaustive()
    }
}

/// A stage with consumers that are tasks or threads, for which no thread waits.
pub(super) struct Adrift<S: Source, W: Work<S::Item>, C: Executor<'static>> {
    pub(super) stage: Arc<Stage<S, W>>,
    pub(super) executor: C,
    pub(super) solo: Option<Solo<W, S::Item>>,
}

impl<S, W, C> Batches<W::Out> for Adrift<S, W, C>
where
    S: Source + 'static,
    W: Work<S::Item> + 'static,
    C: Executor<'static> + Send + Sync,
{
    fn next_batch(&mut self, wait: Wait) -> Asked<W::Out> {
        let mut attended = Attended {
            stage: Arc::clone(&self.stage),
            executor: &self.executor,
            solo: self.solo.take(),
        };
        let asked = attended.next_batch(wait);
        self.solo = attended.solo.take();
        asked
    }
}

impl<S: Source, W: Work<S::Item>, C: Executor<'static>> Drop for Adrift<S, W, C> {
    fn drop(&mut self) {
        self.stage.stop();
        self.stage.take_run_away();
        self.executor.dismiss();
    }
}
