//! Parts of a slice between separators.

use std::fmt;

use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::sources::fields::{Gap, Rule, bridge_fields};

/// Declares a parallel iterator over the parts of a slice.
macro_rules! split_iter {
    (
        $(#[$meta:meta])*
        $name:ident($slice:ty), $bound:ident, $rule:ident($($arguments:ident),*)
    ) => {
        $(#[$meta])*
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<'data, T, P> {
            slice: $slice,
            predicate: P,
        }

        impl<'data, T, P> $name<'data, T, P> {
            pub(super) fn new(slice: $slice, predicate: P) -> Self {
                $name { slice, predicate }
            }
        }

        impl<T: fmt::Debug, P> fmt::Debug for $name<'_, T, P> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("slice", &self.slice).finish_non_exhaustive()
            }
        }

        impl<'data, T, P> ParallelIterator for $name<'data, T, P>
        where
            T: $bound,
            P: Fn($(split_iter!(@ref $arguments)),*) -> bool + Sync + Send,
        {
            type Item = $slice;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: UnindexedConsumer<Self::Item>,
            {
                bridge_fields(self.slice, &$rule(self.predicate), consumer)
            }
        }
    };
    (@ref $argument:ident) => { &$argument };
}
pub(super) use split_iter;

/// Makes a parallel iterator over the parts of a shared slice `Clone`.
macro_rules! clone_split_iter {
    ($($name:ident)*) => {
        $(impl<T, P: Clone> Clone for $name<'_, T, P> {
            fn clone(&self) -> Self {
                $name::new(self.slice, self.predicate.clone())
            }
        })*
    };
}
pub(super) use clone_split_iter;

split_iter! {
    /// Parts of a shared slice, between separators; see
    /// [`par_split`](super::ParallelSlice::par_split).
    Split(&'data [T]), Sync, Between(T)
}

split_iter! {
    /// Parts of a shared slice, each with the separator that ends it; see
    /// [`par_split_inclusive`](super::ParallelSlice::par_split_inclusive).
    SplitInclusive(&'data [T]), Sync, Behind(T)
}

split_iter! {
    /// Parts of a mutable slice, between separators; see
    /// [`par_split_mut`](super::ParallelSliceMut::par_split_mut).
    SplitMut(&'data mut [T]), Send, Between(T)
}

split_iter! {
    /// Parts of a mutable slice, each with the separator that ends it; see
    /// [`par_split_inclusive_mut`](super::ParallelSliceMut::par_split_inclusive_mut).
    SplitInclusiveMut(&'data mut [T]), Send, Behind(T)
}

clone_split_iter! { Split SplitInclusive }

/// Fields end where a separator is, and begin behind it.
struct Between<P>(P);

/// Fields end behind a separator.
struct Behind<P>(P);

/// Where the first separator is, when looking at `from..to`.
fn first<T>(slice: &[T], from: usize, to: usize, is: impl Fn(&T) -> bool) -> Option<usize> {
    let found = slice[from..to].iter().position(is)?;
    Some(from + found)
}

/// Where the last separator is, when looking at `..to`.
fn last<T>(slice: &[T], to: usize, is: impl Fn(&T) -> bool) -> Option<usize> {
    slice[..to].iter().rposition(is)
}

/// A separator in the gap.
fn between(separator: usize) -> Gap {
    Gap {
        end: separator,
        start: separator + 1,
    }
}

/// A separator before the gap.
fn behind(separator: usize) -> Gap {
    Gap {
        end: separator + 1,
        start: separator + 1,
    }
}

macro_rules! rules {
    ($($slice:ty: $bound:ident, $rule:ident, $gap:ident, $split:ident, $empty:literal;)*) => {
        $(impl<'data, T, P> Rule<$slice> for $rule<P>
        where
            T: $bound,
            P: Fn(&T) -> bool + Sync,
        {
            const EMPTY: bool = $empty;

            fn first(&self, view: &[T], from: usize, to: usize) -> Option<Gap> {
                first(view, from, to, &self.0).map($gap)
            }

            fn last(&self, view: &[T], to: usize) -> Option<Gap> {
                last(view, to, &self.0).map($gap)
            }

            fn fold<F>(&self, slice: $slice, folder: F) -> F
            where
                F: Folder<$slice>,
            {
                folder.consume_iter(slice.$split(&self.0))
            }
        })*
    };
}

rules! {
    &'data [T]: Sync, Between, between, split, true;
    &'data mut [T]: Send, Between, between, split_mut, true;
    &'data [T]: Sync, Behind, behind, split_inclusive, false;
    &'data mut [T]: Send, Behind, behind, split_inclusive_mut, false;
}
