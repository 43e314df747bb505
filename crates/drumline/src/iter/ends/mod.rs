//! What runs a parallel iterator: reductions, searches, and collections of its items.

pub(in crate::iter) mod collect;
pub(in crate::iter) mod fixed;
pub(in crate::iter) mod for_each;
pub(in crate::iter) mod ordered_search;
pub(in crate::iter) mod reduce;
pub(in crate::iter) mod reduction;
pub(in crate::iter) mod search;
pub(in crate::iter) mod sum;
pub(in crate::iter) mod try_reduce;
