//! What parallel iterators begin with gives the items that its sequential counterpart gives.

use std::fmt::Debug;
use std::sync::Mutex;

use drumline::Pool;
use drumline::iter::plumbing::{Producer, ProducerCallback};
use drumline::prelude::*;

/// The items, sorted.
fn sorted<I>(iter: I) -> Vec<I::Item>
where
    I: ParallelIterator<Item: Ord>,
{
    let items = Mutex::new(Vec::new());
    iter.for_each(|item| items.lock().unwrap().push(item));
    let mut items = items.into_inner().unwrap();
    items.sort();
    items
}

/// The items, in order.
fn ordered<I>(iter: I) -> Vec<I::Item>
where
    I: ParallelIterator,
{
    let join = |mut left: Vec<_>, right: Vec<_>| {
        left.extend(right);
        left
    };
    iter.map(|item| vec![item]).reduce(Vec::new, join)
}

/// Pools of several sizes.
fn in_pools(check: impl Fn() + Sync) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&check);
    }
}

/// Splits the producer of what `make` makes in every way into four, and goes through the parts in both
/// directions.
fn check_splits<I>(expected: &[I::Item], make: impl Fn() -> I)
where
    I: IndexedParallelIterator<Item: PartialEq + Debug>,
{
    let len = expected.len();
    assert_eq!((make().len(), make().opt_len()), (len, Some(len)));
    for c in 0..=len {
        for b in 0..=c {
            for a in 0..=b {
                let forwards = make().with_producer(Cut([a, b, c], false));
                assert_eq!(forwards, expected);
                let mut backwards = make().with_producer(Cut([a, b, c], true));
                backwards.reverse();
                assert_eq!(backwards, expected);
            }
        }
    }
}

struct Cut([usize; 3], bool);

impl<T> ProducerCallback<T> for Cut {
    type Output = Vec<T>;

    fn callback<P: Producer<Item = T>>(self, producer: P) -> Vec<T> {
        let [a, b, c] = self.0;
        let (rest, fourth) = producer.split_at(c);
        let (first, rest) = rest.split_at(a);
        let (second, third) = rest.split_at(b - a);
        let parts = [first, second, third, fourth].map(Producer::into_iter);
        for (part, len) in parts.iter().zip([a, b - a, c - b]) {
            assert_eq!((part.len(), part.size_hint()), (len, (len, Some(len))));
        }
        let parts = parts.into_iter();
        if self.1 {
            parts.rev().flat_map(|part| part.rev()).collect()
        } else {
            parts.flatten().collect()
        }
    }
}

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
