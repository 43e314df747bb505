//! `for_each`.

use super::reduction::{Join, Reduction};

/// Calls a function with each item.
#[derive(Debug)]
pub(crate) struct CallWith<'f, F>(pub(crate) &'f F);

impl<F: Sync> Join<()> for CallWith<'_, F> {
    #[inline]
    fn join(&self, _left: (), _right: ()) {}
}

impl<T, F> Reduction<T> for CallWith<'_, F>
where
    F: Fn(T) + Sync,
{
    type Value = ();

    #[inline]
    fn begin(&self) {}

    #[inline]
    fn take(&self, _value: (), item: T) {
        (self.0)(item);
    }

    #[inline]
    fn take_all<I>(&self, _value: (), items: I)
    where
        I: Iterator<Item = T>,
    {
        items.for_each(self.0);
    }
}
