//! `step_by`.

use std::iter;

use super::wrapping::{Wrap, Wrapping};
use crate::iter::IndexedParallelIterator;
use crate::iter::bridged::bridged;
use crate::iter::item_op::adapter;
use crate::iter::plumbing::Producer;

adapter! {
    /// Every so manieth item of another iterator; see
    /// [`step_by`](crate::iter::IndexedParallelIterator::step_by).
    StepBy<I> { step: usize }
}

bridged! {
    [I] StepBy<I> where { I: IndexedParallelIterator, }
    yields I::Item;
    len |steps| steps.base.len().div_ceil(steps.step);
    producer |steps, callback| {
        let wrap = Stepping { step: steps.step, len: steps.base.len() };
        steps.base.with_producer(Wrapping { callback, wrap })
    };
}

/// Takes every `step`th item of a producer of `len` items.
struct Stepping {
    step: usize,
    len: usize,
}

impl<T> Wrap<T> for Stepping {
    type Item = T;
    type Producer<P>
        = StepByProducer<P>
    where
        P: Producer<Item = T>;

    fn wrap<P>(self, base: P) -> StepByProducer<P>
    where
        P: Producer<Item = T>,
    {
        StepByProducer {
            base,
            step: self.step,
            len: self.len,
        }
    }
}

/// Gives every `step`th of the `len` items of `base`, beginning with the first.
struct StepByProducer<P> {
    base: P,
    step: usize,
    len: usize,
}

impl<P: Producer> Producer for StepByProducer<P> {
    type Item = P::Item;
    type IntoIter = iter::StepBy<P::IntoIter>;
    const HAS_STATE: bool = P::HAS_STATE;
    const ENDS_EARLY: bool = P::ENDS_EARLY;

    fn into_iter(self) -> Self::IntoIter {
        self.base.into_iter().step_by(self.step)
    }

    fn min_len(&self) -> usize {
        self.base.min_len().div_ceil(self.step)
    }

    fn max_len(&self) -> usize {
        self.base.max_len() / self.step
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        // The last step may go beyond the end.
        let at = index.saturating_mul(self.step).min(self.len);
        let (before, after) = self.base.split_at(at);
        let step = self.step;
        let left = StepByProducer {
            base: before,
            step,
            len: at,
        };
        let right = StepByProducer {
            base: after,
            step,
            len: self.len - at,
        };
        (left, right)
    }
}
