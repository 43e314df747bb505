//! What parallel iterators begin with, besides collections: functions, trees, sequential iterators,
//! one item or none. The types of the language and of the standard library are in
//! `source` and [`slice`](mod@crate::slice), which are built on this module.

pub(in crate::iter) mod empty;
pub(crate) mod fields;
pub(in crate::iter) mod from_par_fn;
pub(in crate::iter) mod multizip;
pub(in crate::iter) mod once;
pub(in crate::iter) mod par_bridge;
pub(in crate::iter) mod repeat;
pub(in crate::iter) mod splitter;
pub(in crate::iter) mod walk_tree;
