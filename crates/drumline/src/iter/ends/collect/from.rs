//! What `collect` can make, besides strings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::rc::Rc;
use std::sync::Arc;

use super::pieces::pieces;
use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend, ParallelIterator};

/// Makes an empty collection and extends it.
pub(super) fn extended<C, I>(iter: I) -> C
where
    I: IntoParallelIterator,
    C: ParallelExtend<I::Item> + Default,
{
    let mut collection = C::default();
    collection.par_extend(iter);
    collection
}

/// The items in their order. Where their number is known, they are written in place.
impl<T: Send> FromParallelIterator<T> for Vec<T> {
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>,
    {
        pieces(iter.into_par_iter()).into_vec()
    }
}

/// Declares collections that can be made of a vector.
macro_rules! from_vec {
    ($($(#[$meta:meta])* impl<T: $bound:ident> for $collection:ty;)*) => {
        $(
            $(#[$meta])*
            impl<T: Send + $bound> FromParallelIterator<T> for $collection {
                fn from_par_iter<I>(iter: I) -> Self
                where
                    I: IntoParallelIterator<Item = T>,
                {
                    Vec::from_par_iter(iter).into()
                }
            }
        )*
    };
}

from_vec! {
    /// The items in their order.
    impl<T: Send> for Box<[T]>;
    /// The items in their order.
    impl<T: Send> for Rc<[T]>;
    /// The items in their order.
    impl<T: Send> for Arc<[T]>;
    /// The items in their order.
    impl<T: Send> for VecDeque<T>;
    /// The items, the greatest first.
    impl<T: Ord> for BinaryHeap<T>;
}

/// The items in their order.
impl<T: Send> FromParallelIterator<T> for LinkedList<T> {
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>,
    {
        extended(iter)
    }
}

/// Of pairs with the same key, the last stays.
impl<K, V, S> FromParallelIterator<(K, V)> for HashMap<K, V, S>
where
    K: Eq + Hash + Send,
    V: Send,
    S: BuildHasher + Default + Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = (K, V)>,
    {
        extended(iter)
    }
}

/// Of equal items, the first stays.
impl<T, S> FromParallelIterator<T> for HashSet<T, S>
where
    T: Eq + Hash + Send,
    S: BuildHasher + Default + Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>,
    {
        extended(iter)
    }
}

/// Of pairs with the same key, the last stays.
impl<K, V> FromParallelIterator<(K, V)> for BTreeMap<K, V>
where
    K: Ord + Send,
    V: Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = (K, V)>,
    {
        // Sorted first, and built from that: faster than one insertion after another.
        Vec::from_par_iter(iter).into_iter().collect()
    }
}

/// Of equal items, the first stays.
impl<T> FromParallelIterator<T> for BTreeSet<T>
where
    T: Ord + Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>,
    {
        // The standard library keeps the last one of those that it is given at once.
        Vec::from_par_iter(iter).into_iter().rev().collect()
    }
}

/// An owned one.
impl<C, T> FromParallelIterator<T> for Cow<'_, C>
where
    C: ToOwned<Owned: FromParallelIterator<T>> + ?Sized,
    T: Send,
{
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = T>,
    {
        Cow::Owned(C::Owned::from_par_iter(iter))
    }
}

/// Nothing, of nothings: for side effects, and for `Result<(), E>`.
impl FromParallelIterator<()> for () {
    fn from_par_iter<I>(iter: I) -> Self
    where
        I: IntoParallelIterator<Item = ()>,
    {
        iter.into_par_iter().for_each(|()| ());
    }
}
