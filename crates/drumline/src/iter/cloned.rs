//! `cloned` and `copied`.

use super::each::{Each, each_adapter};
use super::stage::Plan;

each_adapter! {
    /// Clones of the items of another iterator; see [`cloned`](super::ParallelIterator::cloned).
    Cloned<I> {}
    where ['a T] { I: crate::iter::ParallelIterator<Item = &'a T>, T: Clone + Send + 'a, }
    yields T;
    plan Cloning;
}

/// Clones; plan and stage in one.
#[derive(Clone, Debug)]
struct Cloning;

impl Plan for Cloning {
    type Stage = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T: Clone> Each<&T> for Cloning {
    type Item = T;

    #[inline]
    fn apply(&mut self, item: &T) -> T {
        item.clone()
    }
}

each_adapter! {
    /// Copies of the items of another iterator; see [`copied`](super::ParallelIterator::copied).
    Copied<I> {}
    where ['a T] { I: crate::iter::ParallelIterator<Item = &'a T>, T: Copy + Send + 'a, }
    yields T;
    plan Copying;
}

/// Copies; plan and stage in one.
#[derive(Clone, Debug)]
struct Copying;

impl Plan for Copying {
    type Stage = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T: Copy> Each<&T> for Copying {
    type Item = T;

    #[inline]
    fn apply(&mut self, item: &T) -> T {
        *item
    }
}
