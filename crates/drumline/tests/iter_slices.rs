//! Parts of slices are those of their sequential counterparts.

mod sources;

use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::prelude::*;

use sources::{check_splits, in_pools, ordered};

const LENGTHS: [usize; 6] = [0, 1, 2, 3, 100, 10_000];

macro_rules! parts {
    ($($name:ident: $parallel:ident, $parallel_mut:ident as $sequential:ident, $sequential_mut:ident;)*) => {
        $(#[test]
        fn $name() {
            in_pools(|| {
                for len in LENGTHS {
                    let mut items = Vec::from_iter(0..len as u32);
                    let mut others = items.clone();
                    for size in [1, 2, 3, 7, 99, 100, 101, usize::MAX] {
                        let parts = Vec::from_iter(items.$sequential(size));
                        assert_eq!(items.$parallel(size).len(), parts.len());
                        assert_eq!(ordered(items.$parallel(size)), parts);
                        assert_eq!(ordered(items.$parallel(size).clone()), parts);
                        let parts = Vec::from_iter(others.$sequential_mut(size));
                        assert_eq!(items.$parallel_mut(size).len(), parts.len());
                        assert_eq!(ordered(items.$parallel_mut(size)), parts);
                    }
                }
            });
            let mut items = Vec::from_iter(0..10);
            for size in 1..12 {
                let parts = Vec::from_iter(items.$sequential(size));
                check_splits(&parts, || items.$parallel(size));
            }
            for size in 1..12 {
                let mut others = items.clone();
                let parts = Vec::from_iter(others.$sequential_mut(size));
                sources::check_cuts(parts.len(), |cut| {
                    let found = items.$parallel_mut(size).with_producer(cut);
                    assert_eq!(found.len(), parts.len());
                    let found = cut.in_order(found);
                    assert!(found.iter().zip(&parts).all(|(found, part)| found == part));
                });
            }
        })*
    };
}

parts! {
    chunks: par_chunks, par_chunks_mut as chunks, chunks_mut;
    chunks_exact: par_chunks_exact, par_chunks_exact_mut as chunks_exact, chunks_exact_mut;
    rchunks: par_rchunks, par_rchunks_mut as rchunks, rchunks_mut;
    rchunks_exact: par_rchunks_exact, par_rchunks_exact_mut as rchunks_exact, rchunks_exact_mut;
}

#[test]
fn remainders() {
    let mut items = [0, 1, 2, 3, 4];
    assert_eq!(items.par_chunks_exact(2).remainder(), [4]);
    assert_eq!(items.par_rchunks_exact(2).remainder(), [0]);

    let mut parts = items.par_chunks_exact_mut(2);
    assert_eq!(parts.remainder(), [4]);
    assert_eq!(parts.take_remainder(), [4]);
    assert_eq!(parts.take_remainder(), [0; 0]);
    assert_eq!(parts.len(), 2);
    assert_eq!(items.par_chunks_exact_mut(2).into_remainder(), [4]);

    let mut parts = items.par_rchunks_exact_mut(2);
    assert_eq!(parts.remainder(), [0]);
    assert_eq!(parts.take_remainder(), [0]);
    assert_eq!(parts.take_remainder(), [0; 0]);
    assert_eq!(parts.len(), 2);
    assert_eq!(items.par_rchunks_exact_mut(2).into_remainder(), [0]);
}

#[test]
fn windows() {
    in_pools(|| {
        for len in LENGTHS {
            let items = Vec::from_iter(0..len as u32);
            for size in [1, 2, 3, 99, 100, 101, usize::MAX] {
                let parts = Vec::from_iter(items.windows(size));
                assert_eq!(items.par_windows(size).len(), parts.len());
                assert_eq!(ordered(items.par_windows(size)), parts);
            }
            let parts = ordered(items.par_array_windows::<3>());
            assert!(parts.iter().map(|part| &part[..]).eq(items.windows(3)));
        }
    });
    let items = Vec::from_iter(0..10);
    for size in 1..12 {
        let parts = Vec::from_iter(items.windows(size));
        check_splits(&parts, || items.par_windows(size));
    }
    let parts = ordered(items.par_array_windows::<4>());
    check_splits(&parts, || items.par_array_windows::<4>());
}

#[test]
fn sizes_of_nothing_panic() {
    let panics = |op: fn(&[i32])| {
        let outcome = std::panic::catch_unwind(|| op(&[1, 2, 3]));
        assert!(outcome.is_err());
    };
    panics(|items| drop(items.par_chunks(0)));
    panics(|items| drop(items.par_chunks_exact(0)));
    panics(|items| drop(items.par_rchunks(0)));
    panics(|items| drop(items.par_rchunks_exact(0)));
    panics(|items| drop(items.par_windows(0)));
    panics(|items| drop(items.par_array_windows::<0>()));
}

#[test]
fn items_without_size() {
    let units = [(); usize::MAX];
    assert_eq!(units.par_chunks(usize::MAX).len(), 1);
    assert_eq!(units.par_windows(usize::MAX).len(), 1);
    assert_eq!(units.par_windows(1).len(), usize::MAX);
    assert_eq!(ordered(units.par_chunks(usize::MAX - 1)).len(), 2);
    assert_eq!(ordered(units.par_rchunks(usize::MAX - 1)).len(), 2);
}

/// Where the separators are, in different patterns.
fn patterns(len: usize) -> impl Iterator<Item = Vec<u32>> {
    let rules: [fn(usize, usize) -> bool; 8] = [
        |_, _| false,
        |_, _| true,
        |index, _| index == 0,
        |index, len| index + 1 == len,
        |index, len| index == len / 2,
        |index, _| index % 10 < 3,
        |index, _| index % 97 == 96,
        |index, len| index * 7919 % len < len / 3,
    ];
    rules.into_iter().map(move |rule| {
        let number = |index| u32::from(!rule(index, len));
        Vec::from_iter((0..len).map(number))
    })
}

macro_rules! splits {
    ($($name:ident: $parallel:ident, $parallel_mut:ident as $sequential:ident, $sequential_mut:ident;)*) => {
        $(#[test]
        fn $name() {
            in_pools(|| {
                for mut items in LENGTHS.into_iter().flat_map(patterns) {
                    let mut others = items.clone();
                    let parts = Vec::from_iter(items.$sequential(|item| *item == 0));
                    assert_eq!(ordered(items.$parallel(|item| *item == 0)), parts);
                    let parts = Vec::from_iter(others.$sequential_mut(|item| *item == 0));
                    assert_eq!(ordered(items.$parallel_mut(|item| *item == 0)), parts);
                }
            });
        })*
    };
}

splits! {
    split: par_split, par_split_mut as split, split_mut;
    split_inclusive: par_split_inclusive, par_split_inclusive_mut as split_inclusive, split_inclusive_mut;
}

#[test]
fn chunk_by() {
    in_pools(|| {
        for mut items in LENGTHS.into_iter().flat_map(patterns) {
            let mut others = items.clone();
            let calls = AtomicUsize::new(0);
            let together = |a: &u32, b: &u32| {
                calls.fetch_add(1, Ordering::Relaxed);
                a == b
            };
            let parts = Vec::from_iter(others.chunk_by(|a, b| a == b));
            assert_eq!(ordered(items.par_chunk_by(together)), parts);
            assert_eq!(
                calls.swap(0, Ordering::Relaxed),
                items.len().saturating_sub(1)
            );
            let parts = Vec::from_iter(others.chunk_by_mut(|a, b| a == b));
            assert_eq!(ordered(items.par_chunk_by_mut(together)), parts);
            assert_eq!(calls.into_inner(), items.len().saturating_sub(1));
        }
    });
}

#[test]
fn there_may_be_as_many_windows_as_can_be_counted() {
    let items = [(); usize::MAX];
    let windows = items.par_windows(2).take(usize::MAX);
    assert_eq!(windows.find_any(|_| true), Some(&[(); 2][..]));
    let arrays = items.par_array_windows::<2>().take(usize::MAX);
    assert_eq!(arrays.find_any(|_| true), Some(&[(); 2]));
}

#[test]
fn they_can_be_shown() {
    let mut items = [1, 2, 3];
    let shown = format!("{:?}", items.par_split(|item| *item == 2));
    assert!(shown.contains("[1, 2, 3]"), "{shown}");
    let shown = format!("{:?}", items.par_chunk_by_mut(|a, b| a == b));
    assert!(shown.contains("[1, 2, 3]"), "{shown}");
}
