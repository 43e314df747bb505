//! `with_min_len` and `with_max_len`.

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::{Folder, Producer};

adapter! {
    /// The items of another iterator, in parts that are not too short; see
    /// [`with_min_len`](crate::iter::IndexedParallelIterator::with_min_len).
    MinLen<I> { min: usize }
}

adapter! {
    /// The items of another iterator, in parts that are not too long; see
    /// [`with_max_len`](crate::iter::IndexedParallelIterator::with_max_len).
    MaxLen<I> { max: usize }
}

bridged! {
    [I] MinLen<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |limited| limited.base.len();
    producer |limited, callback| {
        let wrap = PartLenBounds { min: limited.min, max: usize::MAX };
        limited.base.with_producer(Wrapping { callback, wrap })
    };
}

bridged! {
    [I] MaxLen<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |limited| limited.base.len();
    producer |limited, callback| {
        let wrap = PartLenBounds { min: 1, max: limited.max };
        limited.base.with_producer(Wrapping { callback, wrap })
    };
}

/// How short and how long parts may be.
#[derive(Clone, Copy)]
struct PartLenBounds {
    min: usize,
    max: usize,
}

impl<T> Wrap<T> for PartLenBounds {
    type Item = T;
    type Producer<P>
        = LimitedProducer<P>
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> LimitedProducer<P>
    where
        P: Producer<Item = T>,
    {
        LimitedProducer { base, limits: self }
    }
}

/// A producer with limits on its parts, besides those that they had already.
struct LimitedProducer<P> {
    base: P,
    limits: PartLenBounds,
}

impl<P: Producer> Producer for LimitedProducer<P> {
    type Item = P::Item;
    type IntoIter = P::IntoIter;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        self.base.into_iter()
    }

    fn min_len(&self) -> usize {
        self.limits.min.max(self.base.min_len())
    }

    fn max_len(&self) -> usize {
        self.limits.max.min(self.base.max_len())
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let limits = self.limits;
        let (before, after) = self.base.split_at(index);
        let left = LimitedProducer {
            base: before,
            limits,
        };
        let right = LimitedProducer {
            base: after,
            limits,
        };
        (left, right)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Self::Item>,
    {
        self.base.fold_with(folder)
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use crate::join::forced;
    use crate::prelude::*;

    /// However a loop is split: taken in advance, late, over and over, with chunks that grow.
    #[test]
    fn no_part_is_shorter_or_longer() {
        for seed in 0..3_000 {
            let (len, min) = [(1_000, 10), (5_000, 70), (300, 100), (40, 30), (7, 2)][seed % 5];
            for max in [usize::MAX, 4 * min, min] {
                let lengths: Vec<usize> = forced::with_seed(seed as u64, || {
                    let limited = (0..len).into_par_iter().with_min_len(min).with_max_len(max);
                    limited.fold(|| 0, |count, _| count + 1).collect()
                });
                assert_eq!(lengths.iter().sum::<usize>(), len);
                // Both cannot always hold: the smaller one does.
                let most = max.max(2 * min - 1);
                let is_good = |part: &usize| (min.min(len)..=most).contains(part);
                assert!(
                    lengths.iter().all(is_good),
                    "{seed}: {lengths:?}, {min} to {max}"
                );
            }
        }
    }
}
