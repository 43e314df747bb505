//! What each part of a loop begins with: a clone of a value, or what a function makes.

use crate::iter::item_op::Plan;

/// Begins with a clone; the last part with the value itself.
#[derive(Clone, Debug)]
pub(crate) struct CloneOf<T>(pub(crate) T);

impl<T: Clone + Send> Plan for CloneOf<T> {
    type ItemOp = T;
    const HAS_STATE: bool = true;

    #[inline]
    fn begin(self) -> T {
        self.0
    }
}

/// Begins with what a function makes.
#[derive(Debug)]
pub(crate) struct MadeBy<'f, F>(pub(crate) &'f F);

impl<F> Clone for MadeBy<'_, F> {
    fn clone(&self) -> Self {
        MadeBy(self.0)
    }
}

impl<T, F> Plan for MadeBy<'_, F>
where
    F: Fn() -> T + Sync,
{
    type ItemOp = T;
    const HAS_STATE: bool = true;

    #[inline]
    fn begin(self) -> T {
        (self.0)()
    }
}

/// What there is at the start, and a function that works with it; first as a plan, then as an item
/// operation.
#[derive(Debug)]
pub(crate) struct With<'f, S, F> {
    pub(crate) start: S,
    pub(crate) op: &'f F,
}

impl<'f, S, F> With<'f, S, F> {
    #[inline]
    pub(crate) fn new(start: S, op: &'f F) -> Self {
        With { start, op }
    }
}

impl<S: Clone, F> Clone for With<'_, S, F> {
    fn clone(&self) -> Self {
        With::new(self.start.clone(), self.op)
    }
}

impl<'f, S, F> Plan for With<'f, S, F>
where
    S: Plan,
    F: Sync,
{
    type ItemOp = With<'f, S::ItemOp, F>;
    const HAS_STATE: bool = S::HAS_STATE;

    #[inline]
    fn begin(self) -> Self::ItemOp {
        With::new(self.start.begin(), self.op)
    }
}
