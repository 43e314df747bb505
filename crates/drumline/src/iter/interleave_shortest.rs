//! `interleave_shortest`.

use super::bridged::bridged;
use super::{IndexedParallelIterator, Interleave, Take};

/// The items of two iterators in turns, until it is the turn of one that has no more; see
/// [`interleave_shortest`](super::IndexedParallelIterator::interleave_shortest).
#[derive(Clone, Debug)]
#[must_use = "parallel iterators do nothing unless they are driven"]
pub struct InterleaveShortest<I, J> {
    turns: Interleave<Take<I>, Take<J>>,
}

impl<I, J> InterleaveShortest<I, J>
where
    I: IndexedParallelIterator,
    J: IndexedParallelIterator<Item = I::Item>,
{
    pub(crate) fn new(i: I, j: J) -> Self {
        // The first may have one more turn than the second has, but not the other way round.
        let turns = i.len().min(j.len().saturating_add(1));
        let (i, j) = (i.take(turns), j.take(turns));
        InterleaveShortest {
            turns: Interleave::new(i, j),
        }
    }
}

bridged! {
    [I, J] InterleaveShortest<I, J> where {
        I: IndexedParallelIterator,
        J: IndexedParallelIterator<Item = I::Item>,
    }
    yields I::Item;
    len |both| both.turns.len();
    producer |both, callback| both.turns.with_producer(callback);
}
