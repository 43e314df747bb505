//! `chain`.

use std::iter;

use crate::iter::engine::loop_limit::{self, LoopLimit};
use crate::iter::plumbing::{
    Consumer, Folder, Nested, Producer, ProducerCallback, Reducer, UnindexedConsumer,
};
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use crate::join::{self, SplitOutcome};

/// The items of one iterator, then those of another; see [`chain`](ParallelIterator::chain).
#[must_use = "parallel iterators do nothing unless they are driven"]
#[derive(Clone, Debug)]
pub struct Chain<A, B> {
    a: A,
    b: B,
}

impl<A, B> Chain<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        Chain { a, b }
    }
}

impl<A, B> ParallelIterator for Chain<A, B>
where
    A: ParallelIterator,
    B: ParallelIterator<Item = A::Item>,
{
    type Item = A::Item;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<A::Item>,
    {
        let Chain { a, b } = self;
        loop_limit::within(move || {
            // Consumers that must know their number need not be able to do without it.
            let (first, second, reducer) = match a.opt_len() {
                Some(len) => consumer.split_at(len),
                None => {
                    let reducer = consumer.to_reducer();
                    (consumer.split_off_left(), consumer, reducer)
                }
            };
            in_turn(
                move || {
                    let (first, reducer) = match a.opt_len() {
                        Some(_) => with_reducer(first),
                        None => {
                            let reducer = first.to_reducer();
                            (first, reducer)
                        }
                    };
                    first.nest_unindexed(reducer, None, None, a)
                },
                (second, b),
                reducer,
                |second, b| b.drive_unindexed(second),
                |second, reducer, open, b| second.nest_unindexed(reducer, Some(open), None, b),
            )
        })
    }

    fn opt_len(&self) -> Option<usize> {
        self.a.opt_len()?.checked_add(self.b.opt_len()?)
    }
}

impl<A, B> IndexedParallelIterator for Chain<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    fn len(&self) -> usize {
        let len = self.a.len().checked_add(self.b.len());
        len.expect("a chain has at most `usize::MAX` items")
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<A::Item>,
    {
        let Chain { a, b } = self;
        loop_limit::within(move || {
            let (first, second, reducer) = consumer.split_at(a.len());
            in_turn(
                move || {
                    let (first, reducer) = with_reducer(first);
                    first.nest(reducer, None, None, a)
                },
                (second, b),
                reducer,
                |second, b| b.drive(second),
                |second, reducer, open, b| second.nest(reducer, Some(open), None, b),
            )
        })
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<A::Item>,
    {
        /// Has `b` still to be turned into a producer.
        struct First<CB, B> {
            callback: CB,
            len: usize,
            b: B,
        }

        impl<T, CB, B> ProducerCallback<T> for First<CB, B>
        where
            B: IndexedParallelIterator<Item = T>,
            CB: ProducerCallback<T>,
        {
            type Output = CB::Output;

            fn callback<P>(self, a: P) -> CB::Output
            where
                P: Producer<Item = T>,
            {
                let First { callback, len, b } = self;
                b.with_producer(Second { callback, len, a })
            }
        }

        /// Has both.
        struct Second<CB, P> {
            callback: CB,
            len: usize,
            a: P,
        }

        impl<T, CB, P> ProducerCallback<T> for Second<CB, P>
        where
            P: Producer<Item = T>,
            CB: ProducerCallback<T>,
        {
            type Output = CB::Output;

            fn callback<Q>(self, b: Q) -> CB::Output
            where
                Q: Producer<Item = T>,
            {
                let Second { callback, len, a } = self;
                callback.callback(ChainProducer { len, a, b })
            }
        }

        let Chain { a, b } = self;
        let len = a.len();
        a.with_producer(First { callback, len, b })
    }
}

/// A consumer and what joins the results of its parts: to be had for an empty part where there is
/// no other way.
fn with_reducer<T, C: Consumer<T>>(consumer: C) -> (C, C::Reducer) {
    let (_, consumer, reducer) = consumer.split_at(0);
    (consumer, reducer)
}

/// Goes through one iterator while the other, `second`, is on offer. Goes through that one next,
/// unless another thread took it: with the same folder, if no thread helped with the first. With a
/// limit it is not on offer, and each of the two has the limit.
fn in_turn<T, C, B>(
    first: impl FnOnce() -> Nested<C::Folder, C::Result>,
    second: (C, B),
    reducer: C::Reducer,
    drive: impl Fn(C, B) -> C::Result + Copy + Send,
    go_on: impl FnOnce(C, C::Reducer, C::Folder, B) -> Nested<C::Folder, C::Result>,
) -> C::Result
where
    C: Consumer<T>,
    B: Send,
{
    // What joins the results is a closure, and has no limit.
    let hidden = LoopLimit::hide();
    let (first, second) = if hidden.before().is_some() {
        let announced = hidden.again();
        let first = first();
        drop(announced);
        (first, SplitOutcome::NotTaken(second))
    } else {
        join::publish_split(
            second,
            first,
            |first, _| first(),
            move |(consumer, b)| drive(consumer, b),
            |first| Nested::Closed(first.close()),
        )
    };
    match (first, second) {
        (first, SplitOutcome::Taken(second)) => reducer.reduce(first.close(), second),
        (Nested::Open(open), SplitOutcome::NotTaken((consumer, b))) => {
            let announced = hidden.again();
            let nested = go_on(consumer, reducer, open, b);
            drop(announced);
            nested.complete()
        }
        (Nested::Closed(first), SplitOutcome::NotTaken((consumer, b))) => {
            let announced = hidden.again();
            let second = drive(consumer, b);
            drop(announced);
            reducer.reduce(first, second)
        }
    }
}

/// Gives the items of `a`, of which there are `len`, and then those of `b`.
struct ChainProducer<A, B> {
    len: usize,
    a: A,
    b: B,
}

impl<A, B> Producer for ChainProducer<A, B>
where
    A: Producer,
    B: Producer<Item = A::Item>,
{
    type Item = A::Item;
    type IntoIter = ChainIter<A::IntoIter, B::IntoIter>;
    const HAS_STATE: bool = A::HAS_STATE || B::HAS_STATE;
    const ENDS_EARLY: bool = A::ENDS_EARLY || B::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        ChainIter(self.a.into_iter().chain(self.b.into_iter()))
    }

    fn min_len(&self) -> usize {
        self.a.min_len().max(self.b.min_len())
    }

    fn max_len(&self) -> usize {
        self.a.max_len().min(self.b.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let ChainProducer { len, a, b } = self;
        // All of `a` on one side leaves nothing of it on the other.
        let in_a = index.min(len);
        let (a, rest_of_a) = a.split_at(in_a);
        let (b, rest_of_b) = b.split_at(index - in_a);
        let left = ChainProducer { len: in_a, a, b };
        let right = ChainProducer {
            len: len - in_a,
            a: rest_of_a,
            b: rest_of_b,
        };
        (left, right)
    }

    fn fold_with<F>(self, mut folder: F) -> F
    where
        F: Folder<A::Item>,
    {
        folder = self.a.fold_with(folder);
        if folder.full() {
            return folder;
        }
        self.b.fold_with(folder)
    }
}

/// The sequential iterator of a [`ChainProducer`]: both know how many items they have.
struct ChainIter<A, B>(iter::Chain<A, B>);

impl<A, B> Iterator for ChainIter<A, B>
where
    A: Iterator,
    B: Iterator<Item = A::Item>,
{
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        self.0.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline]
    fn fold<V, F>(self, init: V, fold: F) -> V
    where
        F: FnMut(V, A::Item) -> V,
    {
        self.0.fold(init, fold)
    }
}

impl<A, B> DoubleEndedIterator for ChainIter<A, B>
where
    A: DoubleEndedIterator,
    B: DoubleEndedIterator<Item = A::Item>,
{
    #[inline]
    fn next_back(&mut self) -> Option<A::Item> {
        self.0.next_back()
    }
}

impl<A, B> ExactSizeIterator for ChainIter<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
}
