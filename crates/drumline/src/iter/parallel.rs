//! What every parallel iterator can do.
//!
//! A trait has one body, so all of its methods are in one file. Most lines are their examples; what
//! a method does is in the file of its adapter or end.

use super::convert::ParallelExtend;
use crate::iter::either::Either;
use crate::iter::ends::collect;
use std::cmp::Ordering;
use std::collections::LinkedList;
use std::iter::{Product, Sum};
use std::marker::PhantomData;

use super::convert::{FromParallelIterator, IntoParallelIterator};
use crate::control::{Attempt, CancellationToken, Progress};
use crate::iter::adapters::cancel::CancelOn;
use crate::iter::adapters::chain::Chain;
use crate::iter::adapters::cloned::{Cloned, Copied};
use crate::iter::adapters::filter::{Filter, FilterMap};
use crate::iter::adapters::flat_map::{FlatMap, Flatten};
use crate::iter::adapters::flat_map_iter::{FlatMapIter, FlattenIter};
use crate::iter::adapters::fold::{Fold, FoldWith};
use crate::iter::adapters::inspect::{Inspect, Update};
use crate::iter::adapters::intersperse::Intersperse;
use crate::iter::adapters::map::{Map, MapInit, MapWith};
use crate::iter::adapters::panic_fuse::PanicFuse;
use crate::iter::adapters::progress::WithProgress;
use crate::iter::adapters::take_any::{SkipAny, TakeAny};
use crate::iter::adapters::take_any_while::{SkipAnyWhile, TakeAnyWhile, WhileSome};
use crate::iter::adapters::try_fold::{TryFold, TryFoldWith};
use crate::iter::adapters::with_jobs::WithJobs;
use crate::iter::adapters::worker_state::MapWorker;
use crate::iter::ends::for_each::CallWith;
use crate::iter::ends::ordered_search::{self, First, Last};
use crate::iter::ends::reduce::{ReduceBy, ReduceWith};
use crate::iter::ends::reduction::run_reduction;
use crate::iter::ends::search;
use crate::iter::ends::sum::{CountOf, ProductOf, SumOf};
use crate::iter::ends::try_reduce::{TryReduceBy, TryReduceWith};
use crate::iter::plumbing::UnindexedConsumer;

/// An iterator over items that several threads can work on at once.
///
/// The methods have the names and the meaning that they have in [`Iterator`], where it has them,
/// and those that they have in rayon otherwise.
///
/// ```
/// use drumline::prelude::*;
///
/// let longest = ["bass", "snare", "tom"].par_iter().max_by_key(|name| name.len());
/// assert_eq!(longest, Some(&"snare"));
/// ```
///
/// # Parts
///
/// Some methods give a value to each part of the items that one thread goes through without a
/// break: `fold`, `map_init`, `map_with` and their like. How many parts there are depends on which
/// threads have time. There is one if no thread helps, and each thread that comes to help makes
/// another, or a few.
///
/// # Panics
///
/// If a closure panics, the call that started the loop panics, after all other threads have ended
/// what they were at. That may be all other items, see [`panic_fuse`](Self::panic_fuse). Each item
/// is dropped once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parallel iterator",
    label = "not a parallel iterator",
    note = "a collection becomes one by `par_iter()`, `par_iter_mut()` or `into_par_iter()`",
    note = "a sequential iterator becomes one by `par_bridge()`, if it and its items are `Send`"
)]
pub trait ParallelIterator: Sized + Send {
    /// What it gives.
    type Item: Send;

    /// Drives `consumer` with the items: what all other methods come to. See
    /// [`plumbing`](crate::iter::plumbing).
    ///
    /// ```
    /// use drumline::iter::plumbing::{Folder, UnindexedConsumer};
    /// use drumline::prelude::*;
    ///
    /// /// Gives one item.
    /// struct Single<T>(T);
    ///
    /// impl<T: Send> ParallelIterator for Single<T> {
    ///     type Item = T;
    ///     fn drive_unindexed<C: UnindexedConsumer<T>>(self, consumer: C) -> C::Result {
    ///         consumer.into_folder().consume(self.0).complete()
    ///     }
    /// }
    ///
    /// assert_eq!(Single("word").map(str::len).sum::<usize>(), 4);
    /// ```
    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Self::Item>;

    /// How many items there are, where that is known before they are made and `drive_unindexed`
    /// goes by it.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = [3, 1, 4];
    /// assert_eq!(numbers.par_iter().opt_len(), Some(3));
    /// assert_eq!(numbers.par_iter().filter(|number| **number > 2).opt_len(), None);
    /// ```
    fn opt_len(&self) -> Option<usize> {
        None
    }

    /// Calls `op` with each item.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut tens = [0, 1, 2, 3];
    /// tens.par_iter_mut().for_each(|ten| *ten *= 10);
    /// assert_eq!(tens, [0, 10, 20, 30]);
    /// ```
    fn for_each<OP>(self, op: OP)
    where
        OP: Fn(Self::Item) + Sync + Send,
    {
        run_reduction(self, &CallWith(&op));
    }

    /// Calls `op` with each item and a value that its thread has for itself: `init`, or a clone of
    /// it.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// [1, 2, 3].par_iter().for_each_with(sender, |sender, number| {
    ///     sender.send(number * 2).expect("there is a receiver");
    /// });
    /// assert_eq!(receiver.iter().sum::<i32>(), 12);
    /// ```
    fn for_each_with<OP, T>(self, init: T, op: OP)
    where
        OP: Fn(&mut T, Self::Item) + Sync + Send,
        T: Send + Clone,
    {
        self.map_with(init, op).for_each(|()| ());
    }

    /// Calls `op` with each item and a value that `init` has made for the [part](Self#parts) that
    /// the item is in.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::sync::Mutex;
    ///
    /// let lines = Mutex::new(Vec::new());
    /// [7, 8, 9].par_iter().for_each_init(String::new, |buffer, number| {
    ///     buffer.clear();
    ///     buffer.push_str(&number.to_string());
    ///     lines.lock().unwrap().push(buffer.len());
    /// });
    /// assert_eq!(lines.into_inner().unwrap(), [1, 1, 1]);
    /// ```
    fn for_each_init<OP, INIT, T>(self, init: INIT, op: OP)
    where
        OP: Fn(&mut T, Self::Item) + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
    {
        self.map_init(init, op).for_each(|()| ());
    }

    /// Calls `op` with each item, until one call fails; then with few more, and returns that
    /// failure. Of several failures, any may be returned.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["3", "5", "seven"];
    /// let result = words.par_iter().try_for_each(|word| word.parse::<u32>().map(drop));
    /// assert!(result.is_err());
    /// ```
    fn try_for_each<OP, R>(self, op: OP) -> R
    where
        OP: Fn(Self::Item) -> R + Sync + Send,
        R: Attempt<Output = ()> + Send,
    {
        self.map(op).try_reduce(|| (), |(), ()| R::success(()))
    }

    /// [`try_for_each`](Self::try_for_each) with a value that each thread has for itself, as in
    /// [`for_each_with`](Self::for_each_with).
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::sync::mpsc;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// drop(receiver);
    /// let result = [1, 2].par_iter().try_for_each_with(sender, |sender, item| sender.send(item));
    /// assert!(result.is_err());
    /// ```
    fn try_for_each_with<OP, T, R>(self, init: T, op: OP) -> R
    where
        OP: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Attempt<Output = ()> + Send,
    {
        let results = self.map_with(init, op);
        results.try_reduce(|| (), |(), ()| R::success(()))
    }

    /// [`try_for_each`](Self::try_for_each) with a value made for each [part](Self#parts), as in
    /// [`for_each_init`](Self::for_each_init).
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::fmt::Write;
    ///
    /// let result = [1, 2].par_iter().try_for_each_init(String::new, |buffer, number| {
    ///     buffer.clear();
    ///     write!(buffer, "{number}")
    /// });
    /// assert_eq!(result, Ok(()));
    /// ```
    fn try_for_each_init<OP, INIT, T, R>(self, init: INIT, op: OP) -> R
    where
        OP: Fn(&mut T, Self::Item) -> R + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
        R: Attempt<Output = ()> + Send,
    {
        let results = self.map_init(init, op);
        results.try_reduce(|| (), |(), ()| R::success(()))
    }

    /// Counts the items, which are made for that.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let even = [1, 2, 4, 7].par_iter().filter(|number| **number % 2 == 0);
    /// assert_eq!(even.count(), 2);
    /// ```
    fn count(self) -> usize {
        run_reduction(self, &CountOf)
    }

    /// Maps each item by `op`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let lengths = ["a", "bcd"].par_iter().map(|word| word.len());
    /// assert_eq!(lengths.max(), Some(3));
    /// ```
    fn map<F, R>(self, op: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Map::new(self, op)
    }

    /// Maps each item by `op`, which is lent a value besides that its thread has for itself:
    /// `init`, or a clone of it.
    ///
    /// It is cloned where the items are split in two [parts](Self#parts), or might be.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum: usize = ["one", "three"]
    ///     .par_iter()
    ///     .map_with(String::new(), |buffer, word| {
    ///         buffer.clear();
    ///         buffer.extend(word.chars().rev());
    ///         buffer.find('e').unwrap_or(9)
    ///     })
    ///     .sum();
    /// assert_eq!(sum, 0);
    /// ```
    fn map_with<F, T, R>(self, init: T, op: F) -> MapWith<Self, T, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        T: Send + Clone,
        R: Send,
    {
        MapWith::new(self, init, op)
    }

    /// Maps each item by `op`, which is lent a value besides that `init` has made for the
    /// [part](Self#parts) that the item is in.
    ///
    /// The value never leaves its thread.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::cell::Cell;
    ///
    /// let largest = [4, 6, 2]
    ///     .par_iter()
    ///     .map_init(|| Cell::new(0), |largest, number| {
    ///         largest.set(largest.get().max(*number));
    ///         largest.get()
    ///     })
    ///     .max();
    /// assert_eq!(largest, Some(6));
    /// ```
    fn map_init<F, INIT, T, R>(self, init: INIT, op: F) -> MapInit<Self, INIT, F>
    where
        F: Fn(&mut T, Self::Item) -> R + Sync + Send,
        INIT: Fn() -> T + Sync + Send,
        R: Send,
    {
        MapInit::new(self, init, op)
    }

    /// Clones each item, of an iterator over references.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = [String::from("b"), String::from("a")];
    /// assert_eq!(words.par_iter().cloned().min(), Some(String::from("a")));
    /// ```
    fn cloned<'a, T>(self) -> Cloned<Self>
    where
        T: 'a + Clone + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Cloned::new(self)
    }

    /// Copies each item, of an iterator over references.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([2, 3].par_iter().copied().reduce(|| 1, |a, b| a * b), 6);
    /// ```
    fn copied<'a, T>(self) -> Copied<Self>
    where
        T: 'a + Copy + Send,
        Self: ParallelIterator<Item = &'a T>,
    {
        Copied::new(self)
    }

    /// Shows each item to `op` on its way.
    ///
    /// ```
    /// use drumline::prelude::*;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// let seen = AtomicUsize::new(0);
    /// let even = [1, 2, 3]
    ///     .par_iter()
    ///     .inspect(|_| {
    ///         seen.fetch_add(1, Ordering::Relaxed);
    ///     })
    ///     .filter(|number| *number % 2 == 0);
    /// assert_eq!((even.count(), seen.into_inner()), (1, 3));
    /// ```
    fn inspect<OP>(self, op: OP) -> Inspect<Self, OP>
    where
        OP: Fn(&Self::Item) + Sync + Send,
    {
        Inspect::new(self, op)
    }

    /// Changes each item by `op` on its way.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum: i32 = [1, 2].par_iter().copied().update(|number| *number += 10).sum();
    /// assert_eq!(sum, 23);
    /// ```
    fn update<F>(self, op: F) -> Update<Self, F>
    where
        F: Fn(&mut Self::Item) + Sync + Send,
    {
        Update::new(self, op)
    }

    /// Leaves out the items that do not satisfy `predicate`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let small = [5, 50, 7].par_iter().filter(|number| **number < 10);
    /// assert_eq!(small.sum::<i32>(), 12);
    /// ```
    fn filter<P>(self, predicate: P) -> Filter<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        Filter::new(self, predicate)
    }

    /// Maps each item by `op` and leaves out those of which it makes `None`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = ["5", "five", "6"].par_iter().filter_map(|word| word.parse::<i32>().ok());
    /// assert_eq!(numbers.sum::<i32>(), 11);
    /// ```
    fn filter_map<P, R>(self, op: P) -> FilterMap<Self, P>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        FilterMap::new(self, op)
    }

    /// Makes a parallel iterator of each item, and gives the items of all of those, in order.
    ///
    /// Others may help with the items of each inner iterator, and with the inner iterators as well.
    /// Where none does they cost little more than sequential loops, so that it does not matter
    /// which are longer, the inner ones or the outer one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let rows = [vec![1, 2, 3], vec![], vec![4]];
    /// assert_eq!(rows.par_iter().flat_map(|row| &row[..]).count(), 4);
    /// ```
    fn flat_map<F, PI>(self, op: F) -> FlatMap<Self, F>
    where
        F: Fn(Self::Item) -> PI + Sync + Send,
        PI: IntoParallelIterator,
    {
        FlatMap::new(self, op)
    }

    /// Makes a sequential iterator of each item, and gives the items of all of those, in order.
    ///
    /// An inner iterator is gone through by one thread; see [`flat_map`](Self::flat_map).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let letters = ["ab", "c"].par_iter().flat_map_iter(|word| word.chars());
    /// assert_eq!(letters.max(), Some('c'));
    /// ```
    fn flat_map_iter<F, SI>(self, op: F) -> FlatMapIter<Self, F>
    where
        F: Fn(Self::Item) -> SI + Sync + Send,
        SI: IntoIterator<Item: Send>,
    {
        FlatMapIter::new(self, op)
    }

    /// Gives the items of the items, which can become parallel iterators; see
    /// [`flat_map`](Self::flat_map).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let rows: [&[i32]; 2] = [&[1, 2], &[3]];
    /// assert_eq!(rows.par_iter().copied().flatten().sum::<i32>(), 6);
    /// ```
    fn flatten(self) -> Flatten<Self>
    where
        Self::Item: IntoParallelIterator,
    {
        Flatten::new(self)
    }

    /// Gives the items of the items, which can become sequential iterators; see
    /// [`flat_map_iter`](Self::flat_map_iter).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let rows = [Some(1), None, Some(3)];
    /// assert_eq!(rows.par_iter().flatten_iter().sum::<i32>(), 4);
    /// ```
    fn flatten_iter(self) -> FlattenIter<Self>
    where
        Self::Item: IntoIterator<Item: Send>,
    {
        FlattenIter::new(self)
    }

    /// Joins all items by `op`. The function `identity` makes the identity of `op`.
    ///
    /// Neighbours are joined, in any order. So the result is well defined if `op` is associative
    /// and `identity` makes what its name says. `identity` is called as many times as need be.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let points = [(3, 4), (0, 9), (5, 1)];
    /// let corner = points
    ///     .par_iter()
    ///     .copied()
    ///     .reduce(|| (0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    /// assert_eq!(corner, (5, 9));
    /// ```
    fn reduce<OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
        ID: Fn() -> Self::Item + Sync + Send,
    {
        let by = ReduceBy {
            identity: &identity,
            op: &op,
        };
        run_reduction(self, &by)
    }

    /// Joins all items by `op`; `None` if there are none.
    ///
    /// As in [`reduce`](Self::reduce), `op` should be associative.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["to", "get", "her"];
    /// let longest = words.par_iter().reduce_with(|a, b| if b.len() > a.len() { b } else { a });
    /// assert_eq!(longest, Some(&"get"));
    /// ```
    fn reduce_with<OP>(self, op: OP) -> Option<Self::Item>
    where
        OP: Fn(Self::Item, Self::Item) -> Self::Item + Sync + Send,
    {
        run_reduction(self, &ReduceWith(&op))
    }

    /// Joins what all items hold by `op`, until an item or a call of `op` is a failure; then that
    /// is the result.
    ///
    /// Of several failures, any may be returned.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum = |numbers: &[u8]| {
    ///     let numbers = numbers.par_iter().map(|number| Some(*number));
    ///     numbers.try_reduce(|| 0, u8::checked_add)
    /// };
    /// assert_eq!(sum(&[100, 100]), Some(200));
    /// assert_eq!(sum(&[100, 100, 100]), None);
    /// ```
    fn try_reduce<T, OP, ID>(self, identity: ID, op: OP) -> Self::Item
    where
        OP: Fn(T, T) -> Self::Item + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        Self::Item: Attempt<Output = T>,
    {
        run_reduction(self, &TryReduceBy::new(&identity, &op))
    }

    /// As [`try_reduce`](Self::try_reduce); `None` if there are no items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = ["4", "7"].par_iter().map(|word| word.parse::<i32>());
    /// assert_eq!(numbers.try_reduce_with(|a, b| Ok(a.max(b))), Some(Ok(7)));
    /// ```
    fn try_reduce_with<T, OP>(self, op: OP) -> Option<Self::Item>
    where
        OP: Fn(T, T) -> Self::Item + Sync + Send,
        Self::Item: Attempt<Output = T>,
    {
        run_reduction(self, &TryReduceWith::new(&op))
    }

    /// Folds the items of each [part](Self#parts) into a value, and gives those values.
    ///
    /// Where a sequential `fold` ends with one value, here come as many as there are parts, which
    /// is any number: use it together with what makes one of them, as `reduce` or `sum`. It is the
    /// way to build something of many items at a time that could also be built of one at a time, at
    /// more cost.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let text = ['f', 'o', 'l', 'd']
    ///     .par_iter()
    ///     .fold(String::new, |mut text, letter| {
    ///         text.push(*letter);
    ///         text
    ///     })
    ///     .reduce(String::new, |left, right| left + &right);
    /// assert_eq!(text, "fold");
    /// ```
    fn fold<T, ID, F>(self, identity: ID, op: F) -> Fold<Self, ID, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        T: Send,
    {
        Fold::new(self, identity, op)
    }

    /// As [`fold`](Self::fold), beginning with clones of `init`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let lengths = ["a", "bc", "def"].par_iter().fold_with(0, |sum, word| sum + word.len());
    /// assert_eq!(lengths.sum::<usize>(), 6);
    /// ```
    fn fold_with<F, T>(self, init: T, op: F) -> FoldWith<Self, T, F>
    where
        F: Fn(T, Self::Item) -> T + Sync + Send,
        T: Send + Clone,
    {
        FoldWith::new(self, init, op)
    }

    /// Folds the items of each [part](Self#parts) by what may fail, which ends that part; other
    /// parts go on.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let bytes = [200u8, 30, 40];
    /// let sum = bytes
    ///     .par_iter()
    ///     .try_fold(|| 0u8, |sum, byte| sum.checked_add(*byte))
    ///     .try_reduce(|| 0, u8::checked_add);
    /// assert_eq!(sum, None);
    /// ```
    fn try_fold<T, R, ID, F>(self, identity: ID, op: F) -> TryFold<Self, R, ID, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        ID: Fn() -> T + Sync + Send,
        R: Attempt<Output = T> + Send,
    {
        TryFold::new(self, identity, op, PhantomData)
    }

    /// As [`try_fold`](Self::try_fold), beginning with clones of `init`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum = ["1", "x"]
    ///     .par_iter()
    ///     .try_fold_with(0, |sum, word| word.parse::<i32>().map(|number| sum + number))
    ///     .try_reduce(|| 0, |a, b| Ok(a + b));
    /// assert!(sum.is_err());
    /// ```
    fn try_fold_with<F, T, R>(self, init: T, op: F) -> TryFoldWith<Self, R, F>
    where
        F: Fn(T, Self::Item) -> R + Sync + Send,
        R: Attempt<Output = T> + Send,
        T: Clone + Send,
    {
        TryFoldWith::new(self, init, op)
    }

    /// Adds all items up, in any order, which matters where addition rounds.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([4, 5, 6].par_iter().sum::<u32>(), 15);
    /// ```
    fn sum<S>(self) -> S
    where
        S: Send + Sum<Self::Item> + Sum<S>,
    {
        run_reduction(self, &SumOf::new())
    }

    /// Multiplies all items, in any order, which matters where multiplication rounds.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([4, 5, 6].par_iter().product::<u32>(), 120);
    /// ```
    fn product<P>(self) -> P
    where
        P: Send + Product<Self::Item> + Product<P>,
    {
        run_reduction(self, &ProductOf::new())
    }

    /// The smallest item, of several the first one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([8, 3, 5].par_iter().min(), Some(&3));
    /// ```
    fn min(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::min)
    }

    /// The smallest item as `compare` sees it, of several the first one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let lowest = [0.5, -1.5, 1.0].par_iter().min_by(|a, b| f64::total_cmp(a, b));
    /// assert_eq!(lowest, Some(&-1.5));
    /// ```
    fn min_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Sync + Send + Fn(&Self::Item, &Self::Item) -> Ordering,
    {
        self.reduce_with(|a, b| match compare(&a, &b) {
            Ordering::Greater => b,
            Ordering::Less | Ordering::Equal => a,
        })
    }

    /// The item with the smallest key, of several the first one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let nearest = [-7i32, 4, 11].par_iter().min_by_key(|number| number.abs());
    /// assert_eq!(nearest, Some(&4));
    /// ```
    fn min_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Sync + Send + Fn(&Self::Item) -> K,
    {
        let keyed = self.map(|item| (key(&item), item));
        let smallest = keyed.min_by(|a, b| a.0.cmp(&b.0))?;
        Some(smallest.1)
    }

    /// The largest item, of several the last one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([8, 3, 5].par_iter().max(), Some(&8));
    /// ```
    fn max(self) -> Option<Self::Item>
    where
        Self::Item: Ord,
    {
        self.reduce_with(Ord::max)
    }

    /// The largest item as `compare` sees it, of several the last one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let highest = [0.5, -1.5, 1.0].par_iter().max_by(|a, b| f64::total_cmp(a, b));
    /// assert_eq!(highest, Some(&1.0));
    /// ```
    fn max_by<F>(self, compare: F) -> Option<Self::Item>
    where
        F: Sync + Send + Fn(&Self::Item, &Self::Item) -> Ordering,
    {
        self.reduce_with(|a, b| match compare(&a, &b) {
            Ordering::Greater => a,
            Ordering::Less | Ordering::Equal => b,
        })
    }

    /// The item with the largest key, of several the last one; `None` if there are none.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let farthest = [-7i32, 4, 1].par_iter().max_by_key(|number| number.abs());
    /// assert_eq!(farthest, Some(&-7));
    /// ```
    fn max_by_key<K, F>(self, key: F) -> Option<Self::Item>
    where
        K: Ord + Send,
        F: Sync + Send + Fn(&Self::Item) -> K,
    {
        let keyed = self.map(|item| (key(&item), item));
        let largest = keyed.max_by(|a, b| a.0.cmp(&b.0))?;
        Some(largest.1)
    }

    /// Gives its items and then those of `next`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (a, b) = ([1, 2], [3]);
    /// let both = a.par_iter().chain(&b[..]);
    /// assert_eq!(both.find_last(|_| true), Some(&3));
    /// ```
    fn chain<C>(self, next: C) -> Chain<Self, C::Iter>
    where
        C: IntoParallelIterator<Item = Self::Item>,
    {
        Chain::new(self, next.into_par_iter())
    }

    /// Searches for an item that satisfies `predicate`; of several, any may be found. When one is
    /// found, no more than a few others are looked at.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [3, 8, 9, 12].par_iter().find_any(|number| **number % 4 == 0);
    /// assert!(found == Some(&8) || found == Some(&12));
    /// ```
    fn find_any<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_any(|item| predicate(&item).then_some(item))
    }

    /// Searches for the first item that satisfies `predicate`. When one is found, only those before
    /// it are looked at, apart from a few.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [3, 8, 9, 12].par_iter().find_first(|number| **number % 4 == 0);
    /// assert_eq!(found, Some(&8));
    /// ```
    fn find_first<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_first(|item| predicate(&item).then_some(item))
    }

    /// Searches for the last item that satisfies `predicate`. A thread goes through its items from
    /// the first on all the same, but stops when one is found in what comes after them.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let found = [3, 8, 9, 12].par_iter().find_last(|number| **number % 4 == 0);
    /// assert_eq!(found, Some(&12));
    /// ```
    fn find_last<P>(self, predicate: P) -> Option<Self::Item>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        self.find_map_last(|item| predicate(&item).then_some(item))
    }

    /// Searches for an item of which `op` makes something, and returns that; as
    /// [`find_any`](Self::find_any).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let number = ["one", "2", "three"].par_iter().find_map_any(|word| word.parse::<i32>().ok());
    /// assert_eq!(number, Some(2));
    /// ```
    fn find_map_any<P, R>(self, op: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        search::any(self, op)
    }

    /// Searches for the first item of which `op` makes something, and returns that; as
    /// [`find_first`](Self::find_first).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let number = ["one", "2", "3"].par_iter().find_map_first(|word| word.parse::<i32>().ok());
    /// assert_eq!(number, Some(2));
    /// ```
    fn find_map_first<P, R>(self, op: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        ordered_search::search(self, &op, First)
    }

    /// Searches for the last item of which `op` makes something, and returns that; as
    /// [`find_last`](Self::find_last).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let number = ["one", "2", "3"].par_iter().find_map_last(|word| word.parse::<i32>().ok());
    /// assert_eq!(number, Some(3));
    /// ```
    fn find_map_last<P, R>(self, op: P) -> Option<R>
    where
        P: Fn(Self::Item) -> Option<R> + Sync + Send,
        R: Send,
    {
        ordered_search::search(self, &op, Last)
    }

    /// Whether any item satisfies `predicate`. When one does, no more than a few others are looked
    /// at.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!([1, 2, 3].par_iter().any(|number| *number == 2));
    /// ```
    fn any<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        let found = self.find_map_any(|item| predicate(item).then_some(()));
        found.is_some()
    }

    /// Whether all items satisfy `predicate`. When one does not, no more than a few others are
    /// looked at.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert!(![1, 2, 3].par_iter().all(|number| *number == 2));
    /// ```
    fn all<P>(self, predicate: P) -> bool
    where
        P: Fn(Self::Item) -> bool + Sync + Send,
    {
        !self.any(|item| !predicate(item))
    }

    /// Gives what the items hold, until there is one that holds nothing.
    ///
    /// Then no more items are looked at, apart from a few, wherever they are.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["1", "2", "three", "4"];
    /// let numbers = words.par_iter().map(|word| word.parse::<i32>().ok());
    /// assert!(numbers.while_some().count() < 4);
    /// ```
    fn while_some<T>(self) -> WhileSome<Self>
    where
        Self: ParallelIterator<Item = Option<T>>,
        T: Send,
    {
        WhileSome::new(self)
    }

    /// Stops soon if something panics: a closure before or after it, on any thread.
    ///
    /// Otherwise the other threads go on until they are through with what they have.
    ///
    /// ```should_panic
    /// use drumline::prelude::*;
    ///
    /// let mut millis = [0; 100];
    /// millis[50] = -1;
    /// millis.par_iter().panic_fuse().for_each(|milli| assert!(*milli >= 0));
    /// ```
    fn panic_fuse(self) -> PanicFuse<Self> {
        PanicFuse::new(self)
    }

    /// Makes a collection of all items, in their order where it has one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let squares: Vec<u32> = (1..=4u32).into_par_iter().map(|number| number * number).collect();
    /// assert_eq!(squares, [1, 4, 9, 16]);
    /// ```
    fn collect<C>(self) -> C
    where
        C: FromParallelIterator<Self::Item>,
    {
        C::from_par_iter(self)
    }

    /// Puts clones of `element` between the items.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let line = ["a", "b"].par_iter().intersperse(&", ");
    /// let line = line.fold(String::new, |line, part| line + part);
    /// assert_eq!(line.reduce(String::new, |left, right| left + &right), "a, b");
    /// ```
    fn intersperse(self, element: Self::Item) -> Intersperse<Self>
    where
        Self::Item: Clone,
    {
        Intersperse::new(self, element)
    }

    /// Takes `count` items, no matter which, or all if there are fewer. They stay in order.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let positive = [4, -2, 7, 9].par_iter().filter(|number| **number > 0);
    /// assert_eq!(positive.take_any(2).count(), 2);
    /// ```
    fn take_any(self, count: usize) -> TakeAny<Self> {
        TakeAny::new(self, count)
    }

    /// Leaves `count` items out, no matter which, or all if there are fewer. The others stay in
    /// order.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!([4, -2, 7, 9].par_iter().skip_any(3).count(), 1);
    /// ```
    fn skip_any(self, count: usize) -> SkipAny<Self> {
        SkipAny::new(self, count)
    }

    /// Takes items until any of them does not satisfy `predicate`; then no thread takes more.
    ///
    /// So some that come after that one may be taken, and some that come before it may be left out.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let few = [1, 2, 30, 4].par_iter().take_any_while(|number| **number < 10);
    /// assert!(few.count() < 4);
    /// ```
    fn take_any_while<P>(self, predicate: P) -> TakeAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        TakeAnyWhile::new(self, predicate)
    }

    /// Leaves items out until any of them does not satisfy `predicate`; from then on each thread
    /// takes all.
    ///
    /// So some that come after that one may be left out, and some that come before it may be taken.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let rest = [1, 2, 30, 4].par_iter().skip_any_while(|number| **number < 10);
    /// assert!(rest.count() >= 1);
    /// ```
    fn skip_any_while<P>(self, predicate: P) -> SkipAnyWhile<Self, P>
    where
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        SkipAnyWhile::new(self, predicate)
    }

    /// Puts the halves of pairs into two collections.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let (roots, squares): (Vec<u32>, Vec<u32>) =
    ///     [1, 2, 3].into_par_iter().map(|root| (root, root * root)).unzip();
    /// assert_eq!(roots, [1, 2, 3]);
    /// assert_eq!(squares, [1, 4, 9]);
    /// ```
    fn unzip<A, B, FromA, FromB>(self) -> (FromA, FromB)
    where
        Self: ParallelIterator<Item = (A, B)>,
        FromA: Default + Send + ParallelExtend<A>,
        FromB: Default + Send + ParallelExtend<B>,
        A: Send,
        B: Send,
    {
        collect::deal(self, &collect::Pairs)
    }

    /// Puts the items that satisfy `predicate` into one collection, and the others into another.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["fife", "snare", "bass", "tenor"];
    /// let (short, long): (Vec<&str>, Vec<&str>) =
    ///     words.into_par_iter().partition(|word| word.len() < 5);
    /// assert_eq!(short, ["fife", "bass"]);
    /// assert_eq!(long, ["snare", "tenor"]);
    /// ```
    fn partition<A, B, P>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<Self::Item>,
        B: Default + Send + ParallelExtend<Self::Item>,
        P: Fn(&Self::Item) -> bool + Sync + Send,
    {
        collect::deal(self, &collect::ByPredicate(&predicate))
    }

    /// Maps each item by `predicate`, and puts it into the collection of the side that it is on
    /// then.
    ///
    /// ```
    /// use drumline::iter::Either;
    /// use drumline::prelude::*;
    ///
    /// let (numbers, words): (Vec<u32>, Vec<&str>) =
    ///     ["7", "seven", "8"].into_par_iter().partition_map(|word| match word.parse::<u32>() {
    ///         Ok(number) => Either::Left(number),
    ///         Err(_) => Either::Right(word),
    ///     });
    /// assert_eq!(numbers, [7, 8]);
    /// assert_eq!(words, ["seven"]);
    /// ```
    fn partition_map<A, B, P, L, R>(self, predicate: P) -> (A, B)
    where
        A: Default + Send + ParallelExtend<L>,
        B: Default + Send + ParallelExtend<R>,
        P: Fn(Self::Item) -> Either<L, R> + Sync + Send,
        L: Send,
        R: Send,
    {
        collect::deal(self, &collect::ByEither(&predicate))
    }

    /// Collects the items into vectors, in their order: as many as it comes to, none of them empty.
    /// What collections are made of that want to know how many items there are.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = vec!["roll", "", "flam", "", ""];
    /// let vecs = words.into_par_iter().filter(|word| !word.is_empty()).collect_vec_list();
    /// assert_eq!(vecs.iter().map(Vec::len).sum::<usize>(), 2);
    /// assert!(vecs.into_iter().flatten().eq(["roll", "flam"]));
    /// ```
    fn collect_vec_list(self) -> LinkedList<Vec<Self::Item>> {
        collect::pieces(self).into_list()
    }

    /// Maps each item by `op`, which has a state that `init` makes once for each *thread that takes
    /// part*, however often the loop is split. For states that are dear: a buffer, a connection, a
    /// generator of random numbers.
    ///
    /// The state must be [`Send`]: where two threads take part one after the other, the second may
    /// get that of the first. States live until the loop ends, also while no thread uses them. So a
    /// state must not be something that another thread waits for, such as a lock that is held:
    /// [`map_init`](Self::map_init) is for that.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = ["never", "odd", "or", "even"];
    /// let lengths: usize = words
    ///     .par_iter()
    ///     .map_worker(String::new, |buffer, word| {
    ///         buffer.clear();
    ///         buffer.push_str(word);
    ///         buffer.len()
    ///     })
    ///     .sum();
    /// assert_eq!(lengths, 14);
    /// ```
    fn map_worker<INIT, S, F, R>(self, init: INIT, op: F) -> MapWorker<Self, INIT, F>
    where
        INIT: Fn() -> S + Sync + Send,
        S: Send,
        F: Fn(&mut S, Self::Item) -> R + Sync + Send,
        R: Send,
    {
        MapWorker::new(self, init, op)
    }

    /// Calls `op` with each item and a state that is made once for each thread that takes part; see
    /// [`map_worker`](Self::map_worker).
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let mut digits = [1, 2, 3];
    /// digits.par_iter_mut().for_each_worker(|| 10, |base, digit| *digit += *base);
    /// assert_eq!(digits, [11, 12, 13]);
    /// ```
    fn for_each_worker<INIT, S, F>(self, init: INIT, op: F)
    where
        INIT: Fn() -> S + Sync + Send,
        S: Send,
        F: Fn(&mut S, Self::Item) + Sync + Send,
    {
        self.map_worker(init, op).for_each(|()| ());
    }

    /// Goes on until `token` is cancelled. Items that are in work then are finished, no other is
    /// begun, and the operation at the end of the chain returns what it has; ask the
    /// [token](CancellationToken::is_cancelled) whether that is all.
    ///
    /// ```
    /// use drumline::CancellationToken;
    /// use drumline::prelude::*;
    ///
    /// let token = CancellationToken::new();
    /// token.cancel();
    /// let seen: u32 = [1, 2, 3].par_iter().cancel_on(&token).map(|_| 1).sum();
    /// assert_eq!(seen, 0);
    /// ```
    fn cancel_on(self, token: &CancellationToken) -> CancelOn<Self> {
        CancelOn::new(self, token.clone())
    }

    /// Counts in `progress` the items with which the rest of the chain is done. To be written first
    /// in the chain, so that all the work comes after it.
    ///
    /// ```
    /// use drumline::Progress;
    /// use drumline::prelude::*;
    ///
    /// let progress = Progress::new();
    /// [1, 2, 3].par_iter().progress(&progress).for_each(|_| ());
    /// assert_eq!(progress.finished(), 3);
    /// ```
    fn progress(self, progress: &Progress) -> WithProgress<Self> {
        WithProgress::new(self, progress.clone())
    }

    /// Lets at most `jobs` threads take part in this loop, the calling one among them. What is in
    /// the pool besides goes on as it did. To be written last, right before the operation that ends
    /// the chain.
    ///
    /// The limit is for all that precedes it in the chain, and for what follows it up to the end.
    /// It holds for every loop that an adapter runs on the way:
    /// [`skip`](crate::iter::IndexedParallelIterator::skip) goes through what it skips,
    /// [`chain`](Self::chain) through one iterator after the other, and
    /// [`by_uniform_blocks`](crate::iter::IndexedParallelIterator::by_uniform_blocks) through each
    /// block.
    /// Of several limits in a chain the smallest holds. If two iterators are joined later (by
    /// `chain`, `zip` and so on), a limit on only one of them may or may not hold for the other.
    ///
    /// The limit is not for loops inside of this one: neither for those that closures begin, nor
    /// for those that [`flat_map`](Self::flat_map) and [`flatten`](Self::flatten) make of each
    /// item. Any thread of the pool may help with them; with [`flat_map_iter`](Self::flat_map_iter)
    /// there are none. Nor is it for loops that begin after this one.
    ///
    /// With `jobs(1)` all closures run on one thread. With more, the threads may change: at
    /// most `jobs` run at any time.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sum: u32 = [1, 2, 3].par_iter().jobs(1).sum(); // on this thread alone
    /// assert_eq!(sum, 6);
    /// ```
    ///
    /// # Panics
    ///
    /// If `jobs` is 0: no thread would do the work.
    fn jobs(self, jobs: usize) -> WithJobs<Self> {
        assert!(
            jobs > 0,
            "`jobs(0)`: a loop needs one thread at least, the one that calls it"
        );
        WithJobs::new(self, jobs)
    }
}
