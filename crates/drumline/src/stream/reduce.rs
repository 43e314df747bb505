//! Ends that make one value of all items.

use super::feed::Feed;
use super::fold_init::FoldInit;
use super::report::Report;
use super::stream::Stream;
use super::tried::{Tried, TryReduce};
use super::work::Work;
use crate::control::Attempt;

impl<F, W> Stream<F, W>
where
    F: Feed,
    W: Work<F::Item>,
{
    /// Makes one item of all; `identity` gives an item that changes nothing, and is what there is
    /// if there are no others.
    ///
    /// Which items meet is chance, so the order and the grouping must not matter.
    ///
    /// ```
    /// let sum = drumline::stream::iter(1..=10).map(|n| n * n).reduce(|| 0, |a, b| a + b);
    /// assert_eq!(sum, 385);
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
    pub fn reduce<ID, OP>(self, identity: ID, op: OP) -> W::Out
    where
        ID: Fn() -> W::Out + Send + Sync,
        OP: Fn(W::Out, W::Out) -> W::Out + Send + Sync,
    {
        self.reduce_with(op).unwrap_or_else(identity)
    }

    /// Makes one item of all; `None` if there are none.
    ///
    /// Which items meet is chance, so the order and the grouping must not matter.
    ///
    /// ```
    /// let longest = drumline::stream::iter(["ada", "barbara", "grace"])
    ///     .reduce_with(|a, b| if a.len() > b.len() { a } else { b });
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
    pub fn reduce_with<OP>(self, op: OP) -> Option<W::Out>
    where
        OP: Fn(W::Out, W::Out) -> W::Out + Send + Sync,
    {
        let add = |all: &mut Option<W::Out>, item| {
            *all = Some(match all.take() {
                Some(before) => op(before, item),
                None => item,
            });
        };
        self.fold_init(
            || None,
            add,
            |all, more| {
                if let Some(more) = more {
                    add(all, more);
                }
            },
        )
    }

    /// As [`reduce`](Self::reduce), with items and a function that may fail: the first failure
    /// stops the stream. Items are `Option`, `Result`, `ControlFlow`, or a `Poll` of one of the
    /// first two.
    ///
    /// ```
    /// let sum = |texts: [&'static str; 3]| {
    ///     let numbers = drumline::stream::iter(texts).map(|text| text.parse::<u8>().ok());
    ///     numbers.try_reduce(|| 0, |a, b| a.checked_add(b))
    /// };
    /// assert_eq!(sum(["1", "2", "3"]), Some(6));
    /// assert_eq!(sum(["1", "two", "3"]), None);
    /// assert_eq!(sum(["100", "100", "100"]), None); // too much for a byte
    /// ```
    ///
    /// Where several items have failed, it is the first of them in the order of the source. What
    /// had been taken from the source by then goes through the functions before this one all the
    /// same, and is dropped here.
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    ///
    /// # Blocking
    ///
    /// As [`try_for_each`](Self::try_for_each).
    pub fn try_reduce<T, ID, OP>(self, identity: ID, op: OP) -> W::Out
    where
        W::Out: Attempt<Output = T>,
        T: Send,
        ID: Fn() -> T + Send + Sync,
        OP: Fn(T, T) -> W::Out + Send + Sync,
    {
        self.try_reduce_with(op)
            .unwrap_or_else(|| W::Out::success(identity()))
    }

    /// As [`try_reduce`](Self::try_reduce); `None` if there are no items.
    ///
    /// ```
    /// let numbers = drumline::stream::iter(["1", "2"]).map(|text| text.parse::<u8>());
    /// let product = numbers.try_reduce_with(|a, b| Ok(a * b));
    /// assert_eq!(product, Some(Ok(2)));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`reduce`](Self::reduce).
    ///
    /// # Blocking
    ///
    /// As [`try_for_each`](Self::try_for_each).
    pub fn try_reduce_with<T, OP>(self, op: OP) -> Option<W::Out>
    where
        W::Out: Attempt<Output = T>,
        T: Send,
        OP: Fn(T, T) -> W::Out + Send + Sync,
    {
        self.settings.set_may_stop();
        let op = &op;
        let (states, _) = self.chain(|base| TryReduce { base, op }).run();
        let mut all = Tried::new();
        for (base, tried) in states {
            // Safe in a place before the drop of the state, which may panic.
            all.add(tried, op);
            drop(base);
        }
        let (_, outcome) = all.into_outcome()?;
        Some(outcome)
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
    /// As [`for_each`](Self::for_each), and if there are more than `usize::MAX`.
    ///
    /// # Blocking
    ///
    /// As [`for_each`](Self::for_each).
    pub fn count(self) -> usize {
        let count: u64 = self.fold_init(|| 0, |count, _| *count += 1, |count, more| *count += more);
        usize::try_from(count).expect("fewer items than a `usize` can count")
    }

    /// Gathers the items in place: each consumer in a value of its own, and `merge` brings the
    /// values together.
    ///
    /// Which items meet in which value is chance, so the order must not matter. What has been
    /// gathered is not lost with an item that panics, as it is with [`fold`](Self::fold).
    ///
    /// ```
    /// use drumline::stream;
    /// use std::collections::HashMap;
    ///
    /// let counts = stream::iter("a rose is a rose is a rose".split(' ')).fold_init(
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
    pub fn fold_init<A: Send>(
        self,
        init: impl Fn() -> A + Send + Sync,
        op: impl Fn(&mut A, W::Out) + Send + Sync,
        merge: impl Fn(&mut A, A),
    ) -> A {
        let (folded, _) = self.fold_init_report(init, op, merge);
        folded
    }

    /// As [`fold_init`](Self::fold_init), and says what the stream did.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let (sum, report) = stream::iter(0..10)
    ///     .on_panic(OnPanic::Continue)
    ///     .fold_init_report(
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
    pub fn fold_init_report<A: Send>(
        self,
        init: impl Fn() -> A + Send + Sync,
        op: impl Fn(&mut A, W::Out) + Send + Sync,
        merge: impl Fn(&mut A, A),
    ) -> (A, Report) {
        let (states, report) = self
            .chain(|base| FoldInit {
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
}
