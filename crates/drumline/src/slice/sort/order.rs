//! By what the items are ordered.

use std::cmp::Ordering;

/// An order of items, and the sequential sorts for it.
pub(crate) trait Order<T>: Sync {
    /// Whether `a` must come before `b`.
    fn is_less(&self, a: &T, b: &T) -> bool;

    /// Sorts, and keeps equal items in order.
    fn sort(&self, items: &mut [T]);

    /// Sorts.
    fn sort_unstable(&self, items: &mut [T]);
}

/// The order that the items have by themselves.
pub(crate) struct Natural;

impl<T: Ord> Order<T> for Natural {
    #[inline(always)]
    fn is_less(&self, a: &T, b: &T) -> bool {
        a.lt(b)
    }

    #[inline]
    fn sort(&self, items: &mut [T]) {
        items.sort();
    }

    #[inline]
    fn sort_unstable(&self, items: &mut [T]) {
        items.sort_unstable();
    }
}

/// As a function compares them.
pub(crate) struct By<F>(pub(crate) F);

impl<T, F> Order<T> for By<F>
where
    F: Fn(&T, &T) -> Ordering + Sync,
{
    #[inline(always)]
    fn is_less(&self, a: &T, b: &T) -> bool {
        (self.0)(a, b) == Ordering::Less
    }

    #[inline]
    fn sort(&self, items: &mut [T]) {
        items.sort_by(&self.0);
    }

    #[inline]
    fn sort_unstable(&self, items: &mut [T]) {
        items.sort_unstable_by(&self.0);
    }
}

/// By what a function makes of each.
pub(crate) struct ByKey<F>(pub(crate) F);

impl<T, K, F> Order<T> for ByKey<F>
where
    K: Ord,
    F: Fn(&T) -> K + Sync,
{
    #[inline(always)]
    fn is_less(&self, a: &T, b: &T) -> bool {
        (self.0)(a).lt(&(self.0)(b))
    }

    #[inline]
    fn sort(&self, items: &mut [T]) {
        items.sort_by_key(&self.0);
    }

    #[inline]
    fn sort_unstable(&self, items: &mut [T]) {
        items.sort_unstable_by_key(&self.0);
    }
}
