//! How loops run: producers and consumers meet ([`drive`]), go through their items chunk by chunk,
//! and are split when a thread is idle.

pub(in crate::iter) mod chunk_len;
pub(in crate::iter) mod counted;
pub(crate) mod drive;
pub(in crate::iter) mod eager;
pub(in crate::iter) mod estimates;
pub(in crate::iter) mod frame;
pub(in crate::iter) mod helped;
pub(crate) mod items;
pub(in crate::iter) mod lazy;
pub(in crate::iter) mod loop_limit;
pub(in crate::iter) mod part;
pub(crate) mod plant;
pub(in crate::iter) mod shared;
pub(in crate::iter) mod steps;
