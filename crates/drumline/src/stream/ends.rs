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

    /// Gathers the items: each consumer in a value of its own, and the values of all in one.
    ///
    /// Which items meet in which value is chance, so the order must not matter. `op` changes the
    /// value in place, so that what has been gathered is not lost with an item that panics.
    ///
    /// ```
    /// use drumline::stream;
    /// use std::collections::HashMap;
    ///
    /// let counts = stream::iter("a rose is a rose is a rose".split(' ')).fold(
    ///     HashMap::new,
    ///     |counts, word| *counts.entry(word).or_insert(0) += 1,
    ///     |counts, more| for (word, count) in more { *counts.entry(word).or_insert(0) += count },
    /// );
    /// assert_eq!(counts["rose"], 3);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each).
    pub fn fold<A: Send>(
        self,
        init: impl Fn() -> A + Send + Sync,
        op: impl Fn(&mut A, W::Out) + Send + Sync,
        merge: impl Fn(&mut A, A),
    ) -> A {
        let (folded, _) = self.fold_report(init, op, merge);
        folded
    }

    /// As [`fold`](Self::fold), and says what the stream did.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let (sum, report) = stream::iter(0..10)
    ///     .on_panic(OnPanic::Continue)
    ///     .fold_report(
    ///         || 0,
    ///         |sum, n| if n == 7 { panic!("not seven") } else { *sum += n },
    ///         |sum, more| *sum += more,
    ///     );
    /// assert_eq!((sum, report.panics[0].index()), (38, 7));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each).
    pub fn fold_report<A: Send>(
        self,
        init: impl Fn() -> A + Send + Sync,
        op: impl Fn(&mut A, W::Out) + Send + Sync,
        merge: impl Fn(&mut A, A),
    ) -> (A, Report) {
        let (states, report) = self
            .chain(|base| Fold {
                base,
                init: &init,
                op,
            })
            .run();
        let mut values = Vec::with_capacity(states.len());
        for (base, value) in states {
            // Safe in a place before the drop of the state, which may panic.
            values.push(value);
            drop(base);
        }
        let mut values = values.into_iter();
        let mut all = values.next().unwrap_or_else(&init);
        values.for_each(|value| merge(&mut all, value));
        (all, report)
    }

    /// Makes one item of all; `None` if there are none.
    ///
    /// Which items meet is chance, so the order and the grouping must not matter.
    ///
    /// ```
    /// let longest = drumline::stream::iter(["ada", "barbara", "grace"])
    ///     .reduce(|a, b| if a.len() > b.len() { a } else { b });
    /// assert_eq!(longest, Some("barbara"));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each). If it is to go on after panics, the items that met in `op`
    /// are lost.
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each).
    pub fn reduce(self, op: impl Fn(W::Out, W::Out) -> W::Out + Send + Sync) -> Option<W::Out> {
        let add = |all: &mut Option<W::Out>, item| {
            *all = Some(match all.take() {
                Some(before) => op(before, item),
                None => item,
            });
        };
        self.fold(
            || None,
            add,
            |all, more| {
                if let Some(more) = more {
                    add(all, more);
                }
            },
        )
    }

    /// How many items come through.
    ///
    /// ```
    /// let even = drumline::stream::iter(0..100).filter(|n| n % 2 == 0).count();
    /// assert_eq!(even, 50);
    /// ```
    ///
    /// # Panics
    ///
    /// As [`for_each`](Self::for_each).
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each).
    pub fn count(self) -> u64 {
        self.fold(|| 0, |count, _| *count += 1, |count, more| *count += more)
    }

    /// Runs it to its end.
    fn run(self) -> (Vec<W::State>, Report) {
        let Stream {
            feed,
            work,
            consumers,
            settings,
        } = self;
        let lost = settings.lost.clone();
        let (states, items) = feed.feed(ToTheEnd {
            work,
            consumers,
            settings,
        });
        (states, lost.report(items))
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
        debug_assert!(called, "nobody has been called before");
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

/// Gathers items in a value per consumer.
struct Fold<W, INIT, OP> {
    base: W,
    init: INIT,
    op: OP,
}

impl<T, W, INIT, OP, A> Work<T> for Fold<W, INIT, OP>
where
    W: Work<T>,
    INIT: Fn() -> A + Send + Sync,
    OP: Fn(&mut A, W::Out) + Send + Sync,
    A: Send,
{
    type Out = ();
    type State = (Option<W::State>, A);

    fn begin(&self) -> Self::State {
        (None, (self.init)())
    }

    fn salvage(&self, (base, value): Self::State) -> Option<Self::State> {
        let base = base.and_then(|base| self.base.salvage(base));
        Some((base, value))
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: T, _out: &mut impl FnMut(())) {
        let (base, value) = state;
        let base = base.get_or_insert_with(|| self.base.begin());
        self.base
            .work(base, at, item, &mut |item| (self.op)(value, item));
    }
}
