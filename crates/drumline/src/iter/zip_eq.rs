//! `zip_eq`.

use super::bridged::bridged;
use super::{IndexedParallelIterator, Zip};

/// Pairs of the items of two iterators that are equally long; see
/// [`zip_eq`](super::IndexedParallelIterator::zip_eq).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct ZipEq<A, B> {
    zip: Zip<A, B>,
}

impl<A, B> ZipEq<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        let zip = Zip::new(a, b);
        ZipEq { zip }
    }
}

bridged! {
    [A, B] ZipEq<A, B> where { A: IndexedParallelIterator, B: IndexedParallelIterator, }
    yields (A::Item, B::Item);
    len |pairs| pairs.zip.len();
    producer |pairs, callback| pairs.zip.with_producer(callback);
}
