//! Folds: what consumers have gathered goes on as the items of a next stage.

use std::fmt;

use super::feed::{Feed, Use};
use super::source::Iter;
use super::stream::Stream;
use super::tried::TryFoldEach;
use super::work::{At, Work};
use crate::control::{Attempt, CancellationToken};
use crate::sync::{Arc, Mutex, lock};

impl<F, W> Stream<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    /// Gathers the items: each consumer in a value of its own, which begins with `identity`. The
    /// values of all consumers that had items go on as a stream, when the source has ended.
    ///
    /// Which items meet in which value is chance, so the order must not matter. `jobs`, `batch` and
    /// the like hold for what was called before; what is called after this is for the values,
    /// except that a [token](Self::cancel_on) stops both.
    ///
    /// ```
    /// use drumline::stream;
    /// use std::collections::HashSet;
    ///
    /// let words = stream::iter("a rose is a rose".split(' '))
    ///     .fold(HashSet::new, |mut words, word| {
    ///         words.insert(word);
    ///         words
    ///     })
    ///     .reduce(HashSet::new, |mut all, more| {
    ///         all.extend(more);
    ///         all
    ///     });
    /// assert_eq!(words, HashSet::from(["a", "rose", "is"]));
    /// ```
    ///
    /// # Panics
    ///
    /// Nothing here does; the end of the stream panics where a function does. If it is to
    /// [go on](super::OnPanic::Continue), what the consumer has gathered is lost with the item:
    /// [`fold_init`](Self::fold_init) keeps it.
    ///
    /// # Blocking
    ///
    /// Not here: the end of the stream waits for this stage.
    pub fn fold<T, ID, OP>(self, identity: ID, op: OP) -> Stream<Fold<F, W, ID, OP>>
    where
        ID: Fn() -> T + Send + Sync,
        OP: Fn(T, W::Out) -> T + Send + Sync,
        T: Send,
    {
        let (consumers, mut settings) = (self.consumers.clone(), self.settings.for_next_stage());
        let fold = Fold {
            later: Arc::clone(settings.of_fold.insert(Arc::default())),
            stream: self,
            identity,
            op,
        };
        Stream::begin(fold, consumers, settings)
    }

    /// As [`fold`](Self::fold), with a function that may fail: it returns an `Option`, a `Result`,
    /// a `ControlFlow`, or a `Poll` of one of the first two, and so does what goes on. The first
    /// failure stops the stage.
    ///
    /// What goes on begins with the failures, in the order of the source. So
    /// [`try_reduce`](Self::try_reduce) has the first of them. Items behind a failure that were
    /// taken from the source by then go through the functions before this one, and are dropped
    /// here: the value is gone.
    ///
    /// ```
    /// let add = |sum: u32, text: &str| text.parse::<u32>().map(|number| sum + number);
    /// let total = |texts| {
    ///     let sums = drumline::stream::iter(texts).try_fold(|| 0, add);
    ///     sums.try_reduce(|| 0, |a, b| Ok(a + b))
    /// };
    /// assert_eq!(total(["1", "2", "3"]), Ok(6));
    /// assert_eq!(total(["1", "two", "3"]), "two".parse::<u32>());
    /// ```
    ///
    /// # Panics
    ///
    /// As [`fold`](Self::fold).
    ///
    /// # Blocking
    ///
    /// As [`fold`](Self::fold).
    pub fn try_fold<T, R, ID, OP>(self, identity: ID, op: OP) -> Stream<TryFold<F, W, ID, OP>>
    where
        ID: Fn() -> T + Send + Sync,
        OP: Fn(T, W::Out) -> R + Send + Sync,
        R: Attempt<Output = T> + Send,
        T: Send,
    {
        self.settings.set_may_stop();
        let (consumers, mut settings) = (self.consumers.clone(), self.settings.for_next_stage());
        let fold = TryFold {
            later: Arc::clone(settings.of_fold.insert(Arc::default())),
            stream: self,
            identity,
            op,
        };
        Stream::begin(fold, consumers, settings)
    }
}

/// What consumers have gathered; made by [`fold`](Stream::fold).
pub struct Fold<F: Feed, W, ID, OP> {
    stream: Stream<F, W>,
    /// Tokens of the stages after it.
    later: Arc<Mutex<Vec<CancellationToken>>>,
    identity: ID,
    op: OP,
}

impl<F, W, ID, OP, T> Feed for Fold<F, W, ID, OP>
where
    F: Feed,
    W: Work<F::Item>,
    ID: Fn() -> T + Send + Sync,
    OP: Fn(T, W::Out) -> T + Send + Sync,
    T: Send,
{
    type Item = T;

    fn feed<U: Use<T>>(self, on: U) -> U::Out {
        let (identity, op) = (&self.identity, &self.op);
        let stream = cancelled_by(self.stream, &self.later);
        let folded = stream.chain(|base| FoldEach { base, identity, op });
        let (states, _) = folded.run_stage();
        let mut values = Vec::with_capacity(states.len());
        for (base, value) in states {
            // Safe in a place before the drop of the state, which may panic.
            values.extend(value);
            drop(base);
        }
        on.apply(Iter::new(values.into_iter()))
    }
}

/// What consumers have gathered with a function that may fail; made by
/// [`try_fold`](Stream::try_fold).
pub struct TryFold<F: Feed, W, ID, OP> {
    stream: Stream<F, W>,
    /// Tokens of the stages after it.
    later: Arc<Mutex<Vec<CancellationToken>>>,
    identity: ID,
    op: OP,
}

impl<F, W, ID, OP, T, R> Feed for TryFold<F, W, ID, OP>
where
    F: Feed,
    W: Work<F::Item>,
    ID: Fn() -> T + Send + Sync,
    OP: Fn(T, W::Out) -> R + Send + Sync,
    R: Attempt<Output = T> + Send,
    T: Send,
{
    type Item = R;

    fn feed<U: Use<R>>(self, on: U) -> U::Out {
        let (identity, op) = (&self.identity, &self.op);
        let stream = cancelled_by(self.stream, &self.later);
        let folded = stream.chain(|base| TryFoldEach { base, identity, op });
        let (states, _) = folded.run_stage();
        let mut outcomes: Vec<(Option<u64>, R)> = Vec::with_capacity(states.len());
        for (base, tried) in states {
            // Safe in a place before the drop of the state, which may panic.
            outcomes.extend(tried.into_outcome());
            drop(base);
        }
        outcomes.sort_by_key(|(failed, _)| failed.unwrap_or(u64::MAX));
        on.apply(Iter::new(outcomes.into_iter().map(|(_, outcome)| outcome)))
    }
}

/// The stream, which tokens of later stages cancel as well.
fn cancelled_by<F: Feed, W>(
    stream: Stream<F, W>,
    later: &Mutex<Vec<CancellationToken>>,
) -> Stream<F, W> {
    let tokens = std::mem::take(&mut *lock(later));
    tokens.iter().fold(stream, Stream::cancel_on)
}

macro_rules! debug_of_the_stream {
    ($($Fold:ident)*) => {$(
        impl<F: Feed, W, ID, OP> fmt::Debug for $Fold<F, W, ID, OP> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($Fold))
                    .field("stream", &self.stream)
                    .finish_non_exhaustive()
            }
        }
    )*};
}

debug_of_the_stream! { Fold TryFold }

/// Gathers the items of each consumer.
struct FoldEach<'a, W, ID, OP> {
    base: W,
    identity: &'a ID,
    op: &'a OP,
}

impl<I, W, ID, OP, T> Work<I> for FoldEach<'_, W, ID, OP>
where
    W: Work<I>,
    ID: Fn() -> T + Send + Sync,
    OP: Fn(T, W::Out) -> T + Send + Sync,
    T: Send,
{
    type Out = ();
    type State = (Option<W::State>, Option<T>);

    fn begin(&self) -> Self::State {
        (None, None)
    }

    fn salvage(&self, (base, value): Self::State) -> Option<Self::State> {
        let base = base.and_then(|base| self.base.salvage(base));
        Some((base, value))
    }

    #[inline]
    fn work(&self, state: &mut Self::State, at: &At, item: I, _out: &mut impl FnMut(())) {
        let (base, value) = state;
        let base = base.get_or_insert_with(|| self.base.begin());
        self.base.work(base, at, item, &mut |item| {
            let gathered = value.take().unwrap_or_else(self.identity);
            *value = Some((self.op)(gathered, item));
        });
    }
}
