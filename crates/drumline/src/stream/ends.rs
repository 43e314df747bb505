//! Parallel ends, for streams that do not bring their items together again.

use super::consumers::Consumers;
use super::feed::{Feed, Use};
use super::finished::Finished;
use super::report::{Failed, Report};
use super::settings::Settings;
use super::source::Source;
use super::stage::Stage;
use super::stream::Stream;
use super::work::{At, Work};
use crate::sync::{Mutex, lock};
use crate::unwind;

impl<F, W> Stream<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    /// Does something with each item, several at once, and in no particular order.
    ///
    /// ```
    /// use drumline::stream;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// let sum = AtomicU64::new(0);
    /// let report = stream::iter(1..=100).for_each(|n| { sum.fetch_add(n, Ordering::Relaxed); });
    /// assert_eq!((report.items, sum.into_inner()), (100, 5050));
    /// ```
    ///
    /// # Panics
    ///
    /// Where a function of the stream does, unless it is to [go on](super::OnPanic::Continue).
    ///
    /// # Blocking
    ///
    /// Until the stream has ended and everything is handled. The calling thread is one of the
    /// consumers.
    pub fn for_each(self, op: impl Fn(W::Out) + Send + Sync) -> Report {
        let (_, report) = self.map(op).run();
        report
    }

    /// Does something that can fail with each item; the first error stops the stream.
    ///
    /// ```
    /// use drumline::stream;
    ///
    /// let failed = stream::iter(["1", "2", "three", "4"])
    ///     .try_for_each(|text| text.parse::<u32>().map(drop))
    ///     .unwrap_err();
    /// assert_eq!(failed.index, 2);
    /// ```
    ///
    /// # Errors
    ///
    /// The error of the first item (in the order of the source) that failed. What had been taken
    /// from the source by then was handled all the same; what had not is still there, if the source
    /// is.
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each), or until an error is there and nothing is in flight. A
    /// source that has no [stopper](Source::stopper), [cannot wait for some time
    /// only](Source::recv_timeout), and says nothing more holds it up.
    pub fn try_for_each<E: Send>(
        self,
        op: impl Fn(W::Out) -> Result<(), E> + Send + Sync,
    ) -> Result<Report, Failed<E>> {
        self.settings.set_may_stop();
        let failed = Mutex::new(None);
        let (_, report) = self
            .chain(|base| TryEach {
                base,
                op,
                failed: &failed,
            })
            .run();
        let failed = std::mem::take(&mut *lock(&failed));
        match failed {
            None => Ok(report),
            Some((index, error)) => Err(Failed {
                index,
                error,
                report,
            }),
        }
    }

    /// Runs it to its end.
    pub(super) fn run(self) -> (Vec<W::State>, Report) {
        let notes = self.settings.notes.clone();
        let (states, items) = self.run_stage();
        (states, notes.report(items))
    }

    /// The same, for a stage that others come after.
    pub(super) fn run_stage(self) -> (Vec<W::State>, u64) {
        let Stream {
            feed,
            work,
            consumers,
            settings,
        } = self;
        feed.feed(ToTheEnd {
            work,
            consumers,
            settings,
        })
    }
}

/// Runs a stage with the calling thread as one of the consumers.
struct ToTheEnd<W, T> {
    work: W,
    consumers: Consumers,
    settings: Settings<T>,
}

impl<T: Send, W: Work<T>> Use<T> for ToTheEnd<W, T> {
    /// The states, and how many items there were.
    type Out = (Vec<W::State>, u64);

    fn apply<S: Source<Item = T>>(self, source: S) -> Self::Out {
        let consumers = self.consumers;
        let most = consumers.most();
        let stage = Stage::new(source, self.work, self.settings, most, Finished::Unwanted);
        let called = stage.stage_state.summon();
        debug_assert!(called, "no consumer has been called before");
        consumers.work(stage.clone());
        stage.note_end();
        if let Some(payload) = stage.take_fatal() {
            unwind::discard(stage.take_states());
            unwind::resume(payload);
        }
        let (states, items) = (stage.take_states(), stage.stage_state.items());
        // By hand: a value that is being returned is leaked if the drop of a source panics.
        drop(stage);
        (states, items)
    }
}

/// Handles items until one fails.
struct TryEach<'f, W, OP, E> {
    base: W,
    op: OP,
    failed: &'f Mutex<Option<(u64, E)>>,
}

impl<T, W, OP, E> Work<T> for TryEach<'_, W, OP, E>
where
    W: Work<T>,
    OP: Fn(W::Out) -> Result<(), E> + Send + Sync,
    E: Send,
{
    type Out = ();
    type State = W::State;

    fn begin(&self) -> W::State {
        self.base.begin()
    }

    #[inline]
    fn work(&self, state: &mut W::State, at: &At, item: T, _out: &mut impl FnMut(())) {
        self.base.work(state, at, item, &mut |item| {
            if let Err(error) = (self.op)(item) {
                at.stop();
                let mut failed = lock(self.failed);
                let is_first = failed.as_ref().is_none_or(|(first, _)| at.index() < *first);
                if is_first {
                    let later = failed.replace((at.index(), error));
                    drop(failed);
                    drop(later);
                }
            }
        });
    }
}
