//! Tuples of indexed iterators.

use crate::iter::bridged::bridged;
use crate::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator,
    IntoParallelRefMutIterator, ParallelIterator,
};

/// Tuples of items, one of each iterator of a tuple.
///
/// A tuple of up to 12 things that can become [indexed](IndexedParallelIterator) parallel iterators
/// can become one itself. So can a reference to a tuple, if references to its things can. It is as
/// long as the shortest of them.
///
/// ```
/// use drumline::prelude::*;
///
/// let (a, b, mut sums) = ([1, 2, 3], [10, 20, 30], [0; 3]);
/// (&a, &b, &mut sums)
///     .into_par_iter()
///     .for_each(|(a, b, sum)| *sum = a + b);
/// assert_eq!(sums, [11, 22, 33]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct MultiZip<T> {
    tuple: T,
}

/// `((a, b), c)` for `a b c`: the pattern of what is zipped one after the other.
macro_rules! nested {
    ($all:tt;) => { $all };
    ($done:tt; $next:ident $($rest:ident)*) => { nested!(($done, $next); $($rest)*) };
}

macro_rules! multizip {
    ($($type:ident $name:ident),+) => {
        impl<$($type),+> IntoParallelIterator for ($($type,)+)
        where
            $($type: IntoParallelIterator<Iter: IndexedParallelIterator>,)+
        {
            type Item = ($($type::Item,)+);
            type Iter = MultiZip<($($type::Iter,)+)>;

            fn into_par_iter(self) -> Self::Iter {
                let ($($name,)+) = self;
                MultiZip { tuple: ($($name.into_par_iter(),)+) }
            }
        }

        impl<'data, $($type),+> IntoParallelIterator for &'data ($($type,)+)
        where
            $($type: IntoParallelRefIterator<'data, Iter: IndexedParallelIterator>,)+
        {
            type Item = ($($type::Item,)+);
            type Iter = MultiZip<($($type::Iter,)+)>;

            fn into_par_iter(self) -> Self::Iter {
                let ($($name,)+) = self;
                MultiZip { tuple: ($($name.par_iter(),)+) }
            }
        }

        impl<'data, $($type),+> IntoParallelIterator for &'data mut ($($type,)+)
        where
            $($type: IntoParallelRefMutIterator<'data, Iter: IndexedParallelIterator>,)+
        {
            type Item = ($($type::Item,)+);
            type Iter = MultiZip<($($type::Iter,)+)>;

            fn into_par_iter(self) -> Self::Iter {
                let ($($name,)+) = self;
                MultiZip { tuple: ($($name.par_iter_mut(),)+) }
            }
        }

        bridged! {
            [$($type),+] MultiZip<($($type,)+)> where { $($type: IndexedParallelIterator,)+ }
            yields ($($type::Item,)+);
            len |zip| {
                let ($($name,)+) = &zip.tuple;
                usize::MAX$(.min($name.len()))+
            };
            producer |zip, callback| {
                let ($($name,)+) = zip.tuple;
                multizip!(@zip $($name)+)
                    .map(|multizip!(@nested $($name)+)| ($($name,)+))
                    .with_producer(callback)
            };
        }
    };
    (@zip $first:ident $($rest:ident)*) => { $first$(.zip($rest))* };
    (@nested $first:ident $($rest:ident)*) => { nested!($first; $($rest)*) };
}

multizip!(A a);
multizip!(A a, B b);
multizip!(A a, B b, C c);
multizip!(A a, B b, C c, D d);
multizip!(A a, B b, C c, D d, E e);
multizip!(A a, B b, C c, D d, E e, F f);
multizip!(A a, B b, C c, D d, E e, F f, G g);
multizip!(A a, B b, C c, D d, E e, F f, G g, H h);
multizip!(A a, B b, C c, D d, E e, F f, G g, H h, I i);
multizip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j);
multizip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k);
multizip!(A a, B b, C c, D d, E e, F f, G g, H h, I i, J j, K k, L l);
