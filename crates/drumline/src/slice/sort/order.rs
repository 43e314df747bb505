//! By what the items are ordered.

use std::any::TypeId;
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::mem;

/// An order of items, and the sequential sorts for it.
pub(crate) trait SortOrder<T>: Sync {
    /// Whether `a` must come before `b`.
    fn is_less(&self, a: &T, b: &T) -> bool;

    /// Whether items that are equal are known to be the same, so that their order cannot be seen.
    #[inline(always)]
    fn is_identity(&self) -> bool {
        false
    }

    /// Sorts, and keeps equal items in order.
    fn sort(&self, items: &mut [T]);

    /// Sorts.
    fn sort_unstable(&self, items: &mut [T]);
}

/// The order that the items have by themselves.
pub(crate) struct Natural;

impl<T: Ord> SortOrder<T> for Natural {
    #[inline(always)]
    fn is_less(&self, a: &T, b: &T) -> bool {
        a.lt(b)
    }

    #[inline(always)]
    fn is_identity(&self) -> bool {
        is_integer::<T>()
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

impl<T, F> SortOrder<T> for By<F>
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

impl<T, K, F> SortOrder<T> for ByKey<F>
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

/// Whether `T` is a primitive integer.
#[inline(always)]
fn is_integer<T>() -> bool {
    macro_rules! is_one_of {
        ($($integer:ty)*) => {{
            let id = type_id::<T>();
            false $(|| id == TypeId::of::<$integer>())*
        }};
    }
    is_one_of!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize)
}

/// The id that `T` has with every lifetime in it taken for `'static`; so it is that of an integer
/// if and only if `T` is this integer.
#[inline(always)]
fn type_id<T>() -> TypeId {
    trait Identify {
        fn identify(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T> Identify for PhantomData<T> {
        #[inline(always)]
        fn identify(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let phantom = PhantomData::<T>;
    let phantom: &dyn Identify = &phantom;
    // SAFETY: the two types differ in a lifetime only, and so in nothing that exists when the
    // program runs. The one method that this gives access to returns a number that is made from a
    // type, and does nothing with the lifetimes in it. (The crates `typeid` and `castaway` do the
    // same.)
    let phantom = unsafe { mem::transmute::<&dyn Identify, &(dyn Identify + 'static)>(phantom) };
    phantom.identify()
}
