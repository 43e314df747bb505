//! `Either`: the library's own type, or with the feature `either` that of the crate. Both do the
//! same.

#[cfg(not(feature = "either"))]
use drumline::iter::Either;
use drumline::prelude::*;
#[cfg(feature = "either")]
use either::Either;

/// The numbers below `end`, or the even ones.
fn numbers(end: usize, all: bool) -> impl ParallelIterator<Item = usize> {
    let range = (0..end).into_par_iter();
    if all {
        Either::Left(range)
    } else {
        Either::Right(range.filter(|n| n % 2 == 0))
    }
}

/// Indexed on both sides.
fn ordered(end: usize, backwards: bool) -> impl IndexedParallelIterator<Item = usize> {
    let range = (0..end).into_par_iter();
    if backwards {
        Either::Left(range.rev())
    } else {
        Either::Right(range)
    }
}

#[test]
fn it_is_a_parallel_iterator() {
    assert_eq!(numbers(100, true).sum::<usize>(), 4_950);
    assert_eq!(numbers(100, false).sum::<usize>(), 2_450);
    assert_eq!(numbers(100, true).opt_len(), Some(100));
    assert_eq!(numbers(100, false).opt_len(), None);
}

#[test]
fn it_is_indexed_where_both_sides_are() {
    assert_eq!(ordered(3, false).len(), 3);
    assert_eq!(ordered(3, true).collect::<Vec<_>>(), [2, 1, 0]);
    let pairs: Vec<_> = ordered(3, true).zip(ordered(3, false)).rev().collect();
    assert_eq!(pairs, [(0, 2), (1, 1), (2, 0)]);
}

#[test]
fn it_says_where_an_item_goes() {
    let side = |n: usize| match n % 3 {
        0 => Either::Left(n),
        _ => Either::Right(n.to_string()),
    };
    let (left, right): (Vec<usize>, Vec<String>) = (0..7).into_par_iter().partition_map(side);
    assert_eq!(left, [0, 3, 6]);
    assert_eq!(right, ["1", "2", "4", "5"]);
    let sides: (Vec<usize>, Vec<String>) = (0..7).into_par_iter().map(side).collect();
    assert_eq!(sides, (left, right));
}

#[test]
fn it_extends_what_is_in_it() {
    let mut list: Either<Vec<usize>, std::collections::BTreeSet<usize>> = Either::Left(vec![7]);
    list.par_extend(0..3);
    assert_eq!(list.as_ref().left(), Some(&vec![7, 0, 1, 2]));
    list = Either::Right([7].into());
    list.par_extend(0..3);
    assert_eq!(list.right(), Some([0, 1, 2, 7].into()));
}

#[test]
fn it_has_two_sides() {
    let (mut left, right): (Either<u8, &str>, Either<u8, &str>) =
        (Either::Left(1), Either::Right("one"));
    assert!(left.is_left() && right.is_right());
    if let Some(value) = left.as_mut().left() {
        *value += 1;
    }
    assert_eq!(left.either(u32::from, |text| text.len() as u32), 2);
    assert_eq!(right.flip().left(), Some("one"));
    assert_eq!(left.map_left(|n| n + 1), Either::Left(3));
    let length = right.map_right(str::len).map_left(usize::from);
    assert_eq!(length.into_inner(), 3);
}

/// The path is that of the crate's type: a function for the one takes the other.
#[cfg(feature = "either")]
#[test]
fn it_is_the_type_of_the_crate() {
    let side: drumline::iter::Either<u8, u8> = either::Either::Left(1);
    assert_eq!(either::for_both!(side, n => n), 1);
}
