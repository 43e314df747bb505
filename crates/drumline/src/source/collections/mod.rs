//! Parallel iterators over the collections of the standard library.
//!
//! What lies in memory as slices is gone through as it is. Of the others a vector is made first, of
//! the items or of references to them.

pub mod binary_heap;
pub mod btree_map;
pub mod btree_set;
pub mod hash_map;
pub mod hash_set;
pub mod linked_list;
pub mod vec_deque;

use std::mem;

/// Declares a parallel iterator over a collection, by way of a vector of its items. First come the
/// parameters of the iterator, then those that only the collection has.
macro_rules! by_vec {
    (
        $(#[$meta:meta])*
        $iter:ident<$($param:tt),*> => $item:ty;
        [$($generics:tt)*] [$($further:ident)?] $collection:ty
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $iter<$($param),*> {
            inner: $crate::vec::IntoIter<$item>,
        }

        impl<$($generics)*, $($further)?> $crate::iter::IntoParallelIterator for $collection {
            type Iter = $iter<$($param),*>;
            type Item = $item;

            fn into_par_iter(self) -> Self::Iter {
                let items: Vec<_> = self.into_iter().collect();
                $iter {
                    inner: items.into_par_iter(),
                }
            }
        }

        $crate::source::delegate::delegate! { $iter<$($param),*> => $item, impl<$($generics)*> }
    };
}
use by_vec;

/// The items of a collection as a vector, of which the collection is made again when this is
/// dropped.
struct AsVec<'data, T, C>
where
    C: From<Vec<T>>,
{
    collection: &'data mut C,
    vec: Vec<T>,
}

impl<'data, T, C> AsVec<'data, T, C>
where
    C: Default + From<Vec<T>> + Into<Vec<T>>,
{
    fn new(collection: &'data mut C) -> Self {
        AsVec {
            vec: mem::take(collection).into(),
            collection,
        }
    }
}

impl<T, C> Drop for AsVec<'_, T, C>
where
    C: From<Vec<T>>,
{
    fn drop(&mut self) {
        *self.collection = C::from(mem::take(&mut self.vec));
    }
}
