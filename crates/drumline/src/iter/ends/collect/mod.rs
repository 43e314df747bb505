//! What a parallel iterator is collected into.
//!
//! Where it is known how many items there are, they are written [in place](place): every part of
//! the loop writes into its part of the vector. Where it is not, every part makes a
//! [piece](mod@pieces), and a loop that no thread helps with makes one, which is the result.

mod append;
mod extend;
mod fallible;
mod from;
mod in_place;
mod pieces;
mod strings;
mod unzip;

use crate::iter::{IndexedParallelIterator, ParallelIterator};

pub(in crate::iter) use pieces::pieces;
pub(in crate::iter) use unzip::{ByEither, ByPredicate, Pairs, deal};

/// Makes `target` the items of `iter`.
pub(in crate::iter) fn collect_into_vec<I>(iter: I, target: &mut Vec<I::Item>)
where
    I: IndexedParallelIterator,
{
    target.clear();
    let len = iter.len();
    in_place::fill(target, len, |room| iter.drive(room));
}

/// Makes the two vectors the two sides of the items of `iter`.
pub(in crate::iter) fn unzip_into_vecs<I, A, B>(iter: I, left: &mut Vec<A>, right: &mut Vec<B>)
where
    I: IndexedParallelIterator<Item = (A, B)>,
    A: Send,
    B: Send,
{
    left.clear();
    right.clear();
    let len = iter.len();
    in_place::fill(left, len, |left_room| {
        let mut left_filled = None;
        in_place::fill(right, len, |right_room| {
            let dealer = unzip::Dealer::new(&Pairs, left_room, right_room);
            let (left, right) = iter.drive(dealer);
            left_filled = Some(left);
            right
        });
        left_filled.expect("the right side is filled with the left one")
    });
}

/// The items of `iter`, of which there are `len`, in a vector.
fn vec_of_len<I>(iter: I, len: usize) -> Vec<I::Item>
where
    I: ParallelIterator,
{
    let mut vec = Vec::with_capacity(len);
    in_place::fill(&mut vec, len, |room| iter.drive_unindexed(room));
    vec
}
