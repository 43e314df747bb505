//! The `Either` of the crate `either` works as with rayon.

use either::Either;
use rayon::prelude::*;

fn lines(text: &str, reversed: bool) -> impl ParallelIterator<Item = String> {
    let lines = text.par_lines();
    if reversed {
        Either::Left(lines.map(|line| line.chars().rev().collect()))
    } else {
        Either::Right(lines.map(str::to_owned))
    }
}

#[test]
fn it_is_a_parallel_iterator() {
    assert_eq!(lines("ab\ncd", true).collect::<Vec<_>>(), ["ba", "dc"]);
    assert_eq!(lines("ab\ncd", false).collect::<Vec<_>>(), ["ab", "cd"]);
}

#[test]
fn it_partitions() {
    let (odd, even): (Vec<u32>, Vec<u32>) = (0..5u32).into_par_iter().partition_map(|n| {
        if n % 2 == 1 {
            Either::Left(n)
        } else {
            Either::Right(n)
        }
    });
    assert_eq!((odd, even), (vec![1, 3], vec![0, 2, 4]));
}
