//! Parallel sorts sort as the standard library does, and lose nothing when a comparison panics or
//! makes no sense.

use std::cell::Cell;
use std::cmp::Ordering;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use drumline::Pool;
use drumline::prelude::*;

/// splitmix64 (Steele, Lea, Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

const JOBS: [usize; 3] = [1, 2, 4];

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// Lengths on both sides of everything that depends on the length.
const LARGE: [usize; 9] = [1000, 2048, 2049, 4095, 4096, 5000, 16_384, 20_001, 100_000];

type Pattern = fn(usize, usize, &mut Random) -> u64;

/// What is at an index, by the index and the length.
const PATTERNS: [(&str, Pattern); 10] = [
    ("random", |_, _, random| random.next()),
    ("few", |_, _, random| random.next() % 4),
    ("some", |_, _, random| random.next() % 100),
    ("equal", |_, _, _| 7),
    ("sorted", |index, _, _| index as u64),
    ("reversed", |index, len, _| (len - index) as u64),
    ("organ pipe", |index, len, _| index.min(len - index) as u64),
    ("saw", |index, _, _| (index % 321) as u64),
    ("sorted but for a few", |index, len, random| {
        if index % 1999 == 7 {
            random.below(len) as u64
        } else {
            index as u64
        }
    }),
    ("nearly sorted", |index, _, random| {
        if random.below(50) == 0 {
            random.next() % 1000
        } else {
            index as u64
        }
    }),
];

fn pattern(pattern: Pattern, len: usize, random: &mut Random) -> Vec<u64> {
    (0..len).map(|index| pattern(index, len, random)).collect()
}

fn each_input(lens: impl IntoIterator<Item = usize>, test: impl Fn(&str, &[u64])) {
    let mut random = Random(1);
    for len in lens {
        for (name, make) in PATTERNS {
            let input = pattern(make, len, &mut random);
            test(&format!("{name}, {len} items"), &input);
        }
    }
}

/// All methods agree with those of the standard library.
fn sorts_alike(name: &str, input: &[u64]) {
    let expect = |items: &[u64], expected: &[u64], method: &str| {
        assert!(items == expected, "{method}: {name}");
    };
    let check = |method: &str, sorted: &[u64], sort: &dyn Fn(&mut Vec<u64>)| {
        let mut items = input.to_vec();
        sort(&mut items);
        expect(&items, sorted, method);
    };
    let mut sorted = input.to_vec();
    sorted.sort();
    check("par_sort", &sorted, &|items| items.par_sort());
    check("par_sort_unstable", &sorted, &|items| {
        items.par_sort_unstable();
    });
    sorted.reverse();
    check("par_sort_by", &sorted, &|items| {
        items.par_sort_by(|a, b| b.cmp(a));
    });
    check("par_sort_unstable_by", &sorted, &|items| {
        items.par_sort_unstable_by(|a, b| b.cmp(a));
    });
    check("par_sort_unstable_by_key", &sorted, &|items| {
        items.par_sort_unstable_by_key(|&item| !item);
    });
    // By a part of the item, so that the order of the others shows.
    sorted.clear();
    sorted.extend_from_slice(input);
    sorted.sort_by_key(|item| item % 16);
    check("par_sort_by_key", &sorted, &|items| {
        items.par_sort_by_key(|item| item % 16);
    });
    check("par_sort_by_cached_key", &sorted, &|items| {
        items.par_sort_by_cached_key(|item| {
            (item % 16).to_string().len() * 16 + (*item % 16) as usize
        });
    });
    check("par_sort_by, by the key", &sorted, &|items| {
        items.par_sort_by(|a, b| (a % 16).cmp(&(b % 16)));
    });
}

#[test]
fn short_slices_are_sorted() {
    for jobs in [1, 4] {
        pool(jobs).install(|| each_input(0..200, sorts_alike));
    }
}

#[test]
fn long_slices_are_sorted() {
    for jobs in JOBS {
        pool(jobs).install(|| each_input(LARGE, sorts_alike));
    }
}

#[test]
fn slices_are_sorted_outside_of_pools() {
    each_input([3000, 50_000], sorts_alike);
}

type SortPairs<'a> = &'a (dyn Fn(&mut Vec<(u64, usize)>) + Sync);

#[test]
fn equal_items_stay_in_order() {
    let mut random = Random(2);
    for jobs in JOBS {
        let pool = pool(jobs);
        for len in LARGE {
            for kinds in [1, 2, 10, 1000] {
                let input: Vec<(u64, usize)> = (0..len)
                    .map(|index| (random.next() % kinds, index))
                    .collect();
                let check = |method: &str, sort: SortPairs<'_>| {
                    let mut items = input.clone();
                    pool.install(|| sort(&mut items));
                    // The index decides among equal kinds, so this says it all.
                    assert!(items.is_sorted(), "{method}, {len} items of {kinds} kinds");
                };
                check("by", &|items| items.par_sort_by(|a, b| a.0.cmp(&b.0)));
                check("by_key", &|items| items.par_sort_by_key(|item| item.0));
                check("by_cached_key", &|items| {
                    items.par_sort_by_cached_key(|item| item.0);
                });
            }
        }
    }
}

/// An order that does not look at everything: `par_sort` of it must be stable, too.
#[derive(Clone, Debug)]
struct Card {
    rank: u32,
    owner: usize,
}

impl PartialEq for Card {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Card {}

impl PartialOrd for Card {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Card {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.cmp(&other.rank)
    }
}

#[test]
fn par_sort_is_stable() {
    let mut random = Random(3);
    let mut cards: Vec<Card> = (0..50_000)
        .map(|owner| Card {
            rank: random.next() as u32 % 50,
            owner,
        })
        .collect();
    pool(4).install(|| cards.par_sort());
    assert!(cards.is_sorted_by_key(|card| (card.rank, card.owner)));
}

/// Items of all sizes, with and without a drop.
#[test]
fn items_of_all_kinds_are_sorted() {
    fn check<T: Ord + Clone + Send + Sync>(make: impl Fn(u64) -> T) {
        let mut random = Random(4);
        let input: Vec<T> = (0..30_000).map(|_| make(random.next())).collect();
        let mut expected = input.clone();
        expected.sort();
        pool(4).install(|| {
            let mut items = input.clone();
            items.par_sort();
            assert!(items == expected);
            let mut items = input.clone();
            items.par_sort_unstable();
            assert!(items == expected);
            let mut items = input.clone();
            items.par_sort_by_cached_key(Clone::clone);
            assert!(items == expected);
        });
    }
    check(|_| ());
    check(|number| number as u8);
    check(|number| number as i16);
    check(|number| number as i128);
    check(|number| number % 2 == 0);
    check(|number| (number as u8, number as u16));
    check(|number| [number; 20]);
    check(|number| number.to_string());
    check(|number| Box::new(number % 1000));
    check(|number| (number % 100 == 0).then(|| vec![number]));
    let names = ["ada", "grace", "barbara"];
    check(|number| names[number as usize % 3]);
}

#[test]
fn keys_are_made_once() {
    let count = AtomicUsize::new(0);
    let mut items: Vec<u32> = (0..10_000).rev().collect();
    pool(2).install(|| {
        items.par_sort_by_cached_key(|item| {
            count.fetch_add(1, Relaxed);
            item.to_string()
        });
    });
    assert_eq!(count.load(Relaxed), 10_000);
    assert!(items.is_sorted_by_key(u32::to_string));
}

/// An item that knows how often it was compared, in itself: a copy of it that is too old shows.
struct Witness<'a> {
    rank: u64,
    number: usize,
    compared: Cell<usize>,
    /// How often each item was dropped.
    drops: &'a [AtomicUsize],
    /// The sum of `compared` over all items that live.
    total: &'a AtomicUsize,
}

impl Witness<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        for item in [self, other] {
            item.compared.set(item.compared.get() + 1);
            item.total.fetch_add(1, Relaxed);
        }
        self.rank.cmp(&other.rank)
    }
}

impl Drop for Witness<'_> {
    fn drop(&mut self) {
        self.drops[self.number].fetch_add(1, Relaxed);
        self.total.fetch_sub(self.compared.get(), Relaxed);
    }
}

type Compare<'a> = &'a (dyn Fn(&Witness<'_>, &Witness<'_>) -> Ordering + Sync);
type Sort = fn(&mut [Witness<'_>], Compare<'_>);

const SORTS: [Sort; 2] = [
    |items, compare| items.par_sort_by(compare),
    |items, compare| items.par_sort_unstable_by(compare),
];

/// Sorts items with these ranks; then each must be there once, in its newest version.
fn loses_nothing(ranks: &[u64], sort: Sort, compare: Compare<'_>) {
    let drops: Vec<AtomicUsize> = ranks.iter().map(|_| AtomicUsize::new(0)).collect();
    let total = AtomicUsize::new(0);
    let mut items: Vec<Witness<'_>> = ranks
        .iter()
        .enumerate()
        .map(|(number, &rank)| Witness {
            rank,
            number,
            compared: Cell::new(0),
            drops: &drops,
            total: &total,
        })
        .collect();
    let _ = catch_unwind(AssertUnwindSafe(|| sort(&mut items, compare)));
    let mut numbers: Vec<usize> = items.iter().map(|item| item.number).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..ranks.len()), "lost or doubled");
    drop(items);
    assert!(drops.iter().all(|drops| drops.load(Relaxed) == 1));
    assert_eq!(total.load(Relaxed), 0, "an item is older than it should be");
}

/// How many comparisons a sort makes, and what happens if one of them panics, for some of them.
fn survives_panics(ranks: &[u64], sort: Sort, step: impl Fn(usize) -> usize) {
    let count = AtomicUsize::new(0);
    loses_nothing(ranks, sort, &|a, b| {
        count.fetch_add(1, Relaxed);
        a.compare(b)
    });
    let comparisons = count.load(Relaxed);
    for fatal in (1..=comparisons).rev().step_by(step(comparisons)) {
        let count = AtomicUsize::new(0);
        loses_nothing(ranks, sort, &|a, b| {
            if count.fetch_add(1, Relaxed) + 1 == fatal {
                // Not `panic!`, which would print a message each time.
                std::panic::resume_unwind(Box::new("a comparison"));
            }
            a.compare(b)
        });
    }
}

#[test]
fn every_comparison_of_a_short_sort_may_panic() {
    let mut random = Random(5);
    let pool = pool(2);
    for len in [2, 3, 10, 50, 100] {
        for (_, make) in PATTERNS {
            let ranks = pattern(make, len, &mut random);
            for sort in SORTS {
                pool.install(|| survives_panics(&ranks, sort, |_| 1));
            }
        }
    }
}

#[test]
fn any_comparison_of_a_long_sort_may_panic() {
    let mut random = Random(6);
    for jobs in JOBS {
        let pool = pool(jobs);
        for len in [2100, 4500, 20_000] {
            for (_, make) in PATTERNS {
                let ranks = pattern(make, len, &mut random);
                let parts = 8 + random.below(5);
                for sort in SORTS {
                    pool.install(|| survives_panics(&ranks, sort, |count| count / parts + 1));
                }
            }
        }
    }
}

/// More than one panic at a time: all comparisons from some one on.
#[test]
fn all_comparisons_may_panic() {
    let mut random = Random(7);
    let pool = pool(4);
    for _ in 0..100 {
        let ranks = pattern(PATTERNS[0].1, 10_000, &mut random);
        let fatal = random.below(150_000);
        for sort in SORTS {
            let count = AtomicUsize::new(0);
            pool.install(|| {
                loses_nothing(&ranks, sort, &|a, b| {
                    if count.fetch_add(1, Relaxed) >= fatal {
                        std::panic::resume_unwind(Box::new("a comparison"));
                    }
                    a.compare(b)
                });
            });
        }
    }
}

#[test]
fn comparisons_that_contradict_each_other_lose_nothing() {
    let mut random = Random(8);
    for jobs in JOBS {
        let pool = pool(jobs);
        for len in [50, 2100, 20_000] {
            let ranks = pattern(PATTERNS[0].1, len, &mut random);
            let state = AtomicUsize::new(1);
            let orders: [Compare<'_>; 6] = [
                &|a, b| {
                    a.compare(b);
                    let next = state.fetch_add(0x9E37_79B9_7F4A_7C15, Relaxed);
                    (next >> 40).cmp(&(next >> 16 & 0xFF_FFFF))
                },
                &|a, b| {
                    a.compare(b);
                    Ordering::Less
                },
                &|a, b| {
                    a.compare(b);
                    Ordering::Greater
                },
                &|a, b| {
                    a.compare(b);
                    Ordering::Equal
                },
                // Stone, scissors, paper.
                &|a, b| {
                    a.compare(b);
                    ((a.rank % 3 + 1) % 3).cmp(&(b.rank % 3))
                },
                &|a, b| a.compare(b).reverse().then(Ordering::Less),
            ];
            for order in orders {
                for sort in SORTS {
                    pool.install(|| loses_nothing(&ranks, sort, order));
                }
            }
        }
    }
}

/// Counts those of its kind that live.
struct Counted<'a>(u64, &'a AtomicUsize);

impl<'a> Counted<'a> {
    fn new(value: u64, alive: &'a AtomicUsize) -> Self {
        alive.fetch_add(1, Relaxed);
        Counted(value, alive)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Relaxed);
    }
}

impl PartialEq for Counted<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Counted<'_> {}

impl PartialOrd for Counted<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Counted<'_> {
    /// Panics where 13 is compared.
    fn cmp(&self, other: &Self) -> Ordering {
        if self.0 == 13 || other.0 == 13 {
            std::panic::resume_unwind(Box::new("13"));
        }
        self.0.cmp(&other.0)
    }
}

#[test]
fn cached_keys_are_dropped_once() {
    let keys = AtomicUsize::new(0);
    let items = AtomicUsize::new(0);
    let mut random = Random(9);
    for jobs in JOBS {
        let pool = pool(jobs);
        for len in [100, 5000, 20_000] {
            // Without a panic, with one in the key of an item, and with one where keys are
            // compared.
            for (wrong_item, wrong_key) in [(None, None), (Some(7), None), (None, Some(13))] {
                for _ in 0..5 {
                    let mut values: Vec<u64> = (0..len).map(|_| 20 + random.next() % 500).collect();
                    let place = random.below(values.len());
                    values[place] = wrong_item.or(wrong_key).unwrap_or(20);
                    let mut sorted: Vec<Counted<'_>> = values
                        .iter()
                        .map(|&value| Counted::new(value, &items))
                        .collect();
                    let outcome = catch_unwind(AssertUnwindSafe(|| {
                        pool.install(|| {
                            sorted.par_sort_by_cached_key(|item| {
                                if Some(item.0) == wrong_item {
                                    std::panic::resume_unwind(Box::new("an item"));
                                }
                                Counted::new(item.0, &keys)
                            });
                        });
                    }));
                    assert_eq!(
                        outcome.is_err(),
                        wrong_item.is_some() || wrong_key.is_some()
                    );
                    assert_eq!(keys.load(Relaxed), 0);
                    let mut found: Vec<u64> = sorted.iter().map(|item| item.0).collect();
                    if outcome.is_ok() {
                        assert!(found.is_sorted());
                    }
                    found.sort_unstable();
                    values.sort_unstable();
                    assert!(found == values);
                    drop(sorted);
                    assert_eq!(items.load(Relaxed), 0);
                }
            }
        }
    }
}

/// Sorts inside sorts: the comparison of each pair sorts something itself.
#[test]
fn sorts_nest() {
    let mut random = Random(10);
    let mut rows: Vec<Vec<u64>> = (0..40)
        .map(|_| pattern(PATTERNS[0].1, 3000, &mut random))
        .collect();
    pool(4).install(|| {
        rows.par_sort_by_key(|row| {
            let mut row = row.clone();
            row.par_sort();
            row[1500]
        });
    });
    assert!(rows.is_sorted_by_key(|row| {
        let mut row = row.clone();
        row.sort_unstable();
        row[1500]
    }));
}
