//! `cloned` and `copied`.

use crate::iter::item_op::Plan;
use crate::iter::map_op::{MapOp, map_op_adapter};

map_op_adapter! {
    /// Clones of the items of another iterator; see
    /// [`cloned`](crate::iter::ParallelIterator::cloned).
    Cloned<I> {}
    where ['a T] { I: crate::iter::ParallelIterator<Item = &'a T>, T: Clone + Send + 'a, }
    yields T;
    plan Cloning;
}

/// Clones; plan and item operation in one.
#[derive(Clone, Debug)]
struct Cloning;

impl Plan for Cloning {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T: Clone> MapOp<&T> for Cloning {
    type Item = T;

    #[inline]
    fn apply(&mut self, item: &T) -> T {
        item.clone()
    }
}

map_op_adapter! {
    /// Copies of the items of another iterator; see
    /// [`copied`](crate::iter::ParallelIterator::copied).
    Copied<I> {}
    where ['a T] { I: crate::iter::ParallelIterator<Item = &'a T>, T: Copy + Send + 'a, }
    yields T;
    plan Copying;
}

/// Copies; plan and item operation in one.
#[derive(Clone, Debug)]
struct Copying;

impl Plan for Copying {
    type ItemOp = Self;

    fn begin(self) -> Self {
        self
    }
}

impl<T: Copy> MapOp<&T> for Copying {
    type Item = T;

    #[inline]
    fn apply(&mut self, item: &T) -> T {
        *item
    }
}
