//! Ranges give the items that they give to a sequential loop.

mod sources;

use drumline::prelude::*;

use sources::{Cut, check_splits, in_pools, ordered, sorted};

macro_rules! check_ranges {
    ($($type:ty)*) => {
        $({
            let (min, max) = (<$type>::MIN, <$type>::MAX);
            for (start, end) in [(0, 0), (0, 1), (1, 0), (3, 5), (0, 100), (max, min), (max, max), (max - 1, max), (max - 90, max), (min, min), (min, min + 100)] {
                assert_eq!(ordered((start..end).into_par_iter()), Vec::from_iter(start..end));
                assert_eq!(ordered((start..=end).into_par_iter()), Vec::from_iter(start..=end));
                assert_eq!((start..end).into_par_iter().opt_len(), Some((start..end).count()));
                assert_eq!((start..=end).into_par_iter().opt_len(), Some((start..=end).count()));
            }
        })*
    };
}

#[test]
fn ranges_of_every_type() {
    in_pools(|| {
        check_ranges! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }
    });
}

#[test]
fn whole_types() {
    in_pools(|| {
        assert_eq!(
            (0..=u8::MAX).into_par_iter().map(u64::from).sum::<u64>(),
            32_640
        );
        assert_eq!(
            (i8::MIN..=i8::MAX)
                .into_par_iter()
                .map(i64::from)
                .sum::<i64>(),
            -128
        );
        assert_eq!(
            (0..=u16::MAX).into_par_iter().map(u64::from).sum::<u64>(),
            2_147_450_880
        );
        assert_eq!((i16::MIN..i16::MAX).into_par_iter().len(), 65_535);
        assert_eq!((i16::MIN..=i16::MAX).into_par_iter().len(), 65_536);
    });
}

#[test]
fn ranges_of_many() {
    in_pools(|| {
        assert_eq!((0..10_000u64).into_par_iter().sum::<u64>(), 49_995_000);
        assert_eq!((0..=10_000u32).into_par_iter().sum::<u32>(), 50_005_000);
        assert_eq!((-10_000..=10_000i128).into_par_iter().sum::<i128>(), 0);
        assert_eq!(
            sorted((0..10_000usize).into_par_iter()),
            Vec::from_iter(0..10_000)
        );
    });
}

#[test]
fn ranges_too_long_to_count() {
    let limit = usize::MAX as u128;
    assert_eq!((0..limit).into_par_iter().opt_len(), Some(usize::MAX));
    assert_eq!((0..limit + 1).into_par_iter().opt_len(), None);
    assert_eq!((0..=limit - 1).into_par_iter().opt_len(), Some(usize::MAX));
    assert_eq!((0..=limit).into_par_iter().opt_len(), None);
    assert_eq!((0..u128::MAX).into_par_iter().opt_len(), None);
    assert_eq!((i128::MIN..=i128::MAX).into_par_iter().opt_len(), None);
    assert_eq!((0..=u64::MAX).into_par_iter().opt_len(), None);
    assert_eq!(
        (i64::MIN..i64::MAX).into_par_iter().opt_len(),
        Some(usize::MAX)
    );
}

/// Without end for one thread. Two take what is behind the other's part in turn, and find the last
/// item as soon as that has been halved often enough.
#[test]
fn the_last_item_of_too_many() {
    let pool = drumline::Pool::builder().jobs(2).build().unwrap();
    let end = 10u128.pow(24);
    for _ in 0..10 {
        let last = pool.install(|| (0..end).into_par_iter().find_last(|_| true));
        assert_eq!(last, Some(end - 1));
        let last = pool.install(|| {
            let items = (0..=end).into_par_iter().map(|number| number * 2);
            items.filter(|number| number % 2 == 0).find_last(|_| true)
        });
        assert_eq!(last, Some(2 * end));
    }
}

#[test]
fn ranges_split_anywhere() {
    check_splits(&Vec::from_iter(0..10u32), || (0..10u32).into_par_iter());
    check_splits(&Vec::from_iter(-5..5i8), || (-5..5i8).into_par_iter());
    check_splits(&Vec::from_iter(3..=12u16), || (3..=12u16).into_par_iter());
    check_splits(&Vec::from_iter(250..=u8::MAX), || {
        (250..=u8::MAX).into_par_iter()
    });
    check_splits(&Vec::from_iter(u8::MAX..=u8::MAX), || {
        (u8::MAX..=u8::MAX).into_par_iter()
    });
    check_splits(&Vec::from_iter('a'..'k'), || ('a'..'k').into_par_iter());
    check_splits(&Vec::from_iter('a'..='k'), || ('a'..='k').into_par_iter());
    // The second half is further away than the largest number of the type.
    let far = (-100..100i8).into_par_iter();
    let items = far.with_producer(Cut([0, 10, 150], false));
    assert_eq!(items, Vec::from_iter(-100..100));
}

#[test]
fn ranges_of_characters() {
    in_pools(|| {
        for (start, end) in [
            ('a', 'a'),
            ('b', 'a'),
            ('a', 'z'),
            ('\0', '\u{2710}'),
            ('\u{d7f0}', '\u{d7ff}'),
            ('\u{d7f0}', '\u{e000}'),
            ('\u{d7f0}', '\u{e010}'),
            ('\u{e000}', '\u{e010}'),
            ('\u{10fff0}', '\u{10ffff}'),
        ] {
            assert_eq!(
                ordered((start..end).into_par_iter()),
                Vec::from_iter(start..end)
            );
            assert_eq!(
                ordered((start..=end).into_par_iter()),
                Vec::from_iter(start..=end)
            );
        }
    });
}

#[test]
fn the_type_of_a_range_comes_from_its_use() {
    fn is_even(number: i64) -> bool {
        number % 2 == 0
    }
    let even = (1..100).into_par_iter().filter(|&number| is_even(number));
    assert_eq!(even.sum::<i64>(), 2450);
    let even = (1..=100).into_par_iter().filter(|&number| is_even(number));
    assert_eq!(even.sum::<i64>(), 2550);
}
