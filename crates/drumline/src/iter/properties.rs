//! Chains of adapters against the sequential iterator: with every decision of the scheduler drawn
//! from a seed, and with real threads.
//!
//! The data, its length (short ones are likely) and two numbers that the chains use come from the
//! seed as well, so that a failure names everything that it takes to see it again.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt::Debug;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Pool;
use crate::iter::engine::plant::{self, LoopPlant};
use crate::iter::{walk_tree_postfix, walk_tree_prefix};
use crate::join::forced;
use crate::prelude::*;

/// How many seeds each chain is tried with.
#[cfg(not(miri))]
const SEEDS: u64 = 150;
#[cfg(miri)]
const SEEDS: u64 = 2;

/// What a chain works on.
#[derive(Debug)]
struct Case {
    seed: u64,
    data: Vec<i64>,
    a: usize,
    b: usize,
}

impl Case {
    fn new(seed: u64) -> Self {
        let mut state = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut next = move |end: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % end
        };
        let len = match seed % 4 {
            0 => next(5),
            1 => next(40),
            _ => next(400),
        };
        Case {
            seed,
            data: (0..len).map(|_| next(100) as i64 - 50).collect(),
            a: next(7) as usize + 1,
            b: next(len + 3) as usize,
        }
    }
}

/// Tries a chain with many cases.
fn check<R>(parallel: impl Fn(&Case) -> R + Sync, sequential: impl Fn(&Case) -> R)
where
    R: PartialEq + Debug + Send,
{
    let pools = [1, 2, 4].map(|jobs| Pool::builder().jobs(jobs).build().unwrap());
    for seed in 0..SEEDS {
        let case = Case::new(seed);
        let expected = sequential(&case);
        let found = forced::with_seed(seed, || parallel(&case));
        assert_eq!(found, expected, "forced: {case:?}");
        let pool = &pools[seed as usize % pools.len()];
        let found = pool.install(|| parallel(&case));
        assert_eq!(found, expected, "{case:?}");
    }
}

/// A test for each chain: in parallel, and as it is written without.
macro_rules! chains {
    ($($name:ident: |$case:ident| $parallel:expr => $sequential:expr;)*) => {
        $(
            #[test]
            fn $name() {
                check(|$case| $parallel, |$case| $sequential);
            }
        )*

        /// The tests above.
        const CHAINS: &[fn()] = &[$($name),*];
    };
}

fn odd(number: &i64) -> bool {
    number % 2 != 0
}

fn twice(number: i64) -> [i64; 2] {
    [number, -number]
}

type List = Vec<i64>;

/// The nodes below one of a heap of `len`.
fn below(node: usize, len: usize) -> impl DoubleEndedIterator<Item = usize> {
    [2 * node + 1, 2 * node + 2]
        .into_iter()
        .filter(move |&child| child < len)
}

/// All nodes of a heap of `len`, each before those below it, or after them.
fn heap(len: usize, is_prefix: bool) -> Vec<usize> {
    fn walk(node: usize, len: usize, is_prefix: bool, to: &mut Vec<usize>) {
        to.extend(is_prefix.then_some(node));
        below(node, len).for_each(|child| walk(child, len, is_prefix, to));
        to.extend((!is_prefix).then_some(node));
    }
    let mut nodes = Vec::new();
    walk(0, len, is_prefix, &mut nodes);
    nodes
}

chains! {
    map_filter: |c| c.data.par_iter().map(|n| n * 3).filter(odd).collect::<List>()
        => c.data.iter().map(|n| n * 3).filter(odd).collect();
    copied_sum: |c| c.data.par_iter().copied().sum::<i64>() => c.data.iter().copied().sum();
    product: |c| c.data.par_iter().map(|n| n % 3 + 2).map(std::num::Wrapping).product::<std::num::Wrapping<i64>>()
        => c.data.iter().map(|n| n % 3 + 2).map(std::num::Wrapping).product();
    count_filtered: |c| c.data.par_iter().filter(|n| odd(n)).count()
        => c.data.iter().filter(|n| odd(n)).count();
    filter_map: |c| c.data.par_iter().filter_map(|n| odd(n).then_some(n * 2)).collect::<List>()
        => c.data.iter().filter_map(|n| odd(n).then_some(n * 2)).collect();
    flat_map: |c| c.data.par_iter().flat_map(|&n| twice(n)).collect::<List>()
        => c.data.iter().flat_map(|&n| twice(n)).collect();
    tree_prefix: |c| walk_tree_prefix(0, |&n| below(n, c.data.len())).map(|n| n + 1).collect::<Vec<_>>()
        => heap(c.data.len(), true).into_iter().map(|n| n + 1).collect();
    tree_postfix: |c| walk_tree_postfix(0, |&n| below(n, c.data.len())).filter(|n| n % 3 > 0).collect::<Vec<_>>()
        => heap(c.data.len(), false).into_iter().filter(|n| n % 3 > 0).collect();
    flat_map_deep: |c| c.data.par_iter().flat_map(|&n| (0..n.max(0)).into_par_iter().flat_map(twice)).collect::<List>()
        => c.data.iter().flat_map(|&n| (0..n.max(0)).flat_map(twice)).collect();
    flat_map_iter: |c| c.data.par_iter().flat_map_iter(|&n| twice(n)).collect::<List>()
        => c.data.iter().flat_map(|&n| twice(n)).collect();
    flatten: |c| c.data.par_iter().map(|&n| (0..n).into_par_iter()).flatten().collect::<List>()
        => c.data.iter().flat_map(|&n| 0..n).collect();
    flatten_iter: |c| c.data.par_iter().map(|&n| 0..n).flatten_iter().count()
        => c.data.iter().flat_map(|&n| 0..n).count();
    chain: |c| c.data.par_iter().chain(&c.data[..c.b.min(c.data.len())]).copied().collect::<List>()
        => c.data.iter().chain(&c.data[..c.b.min(c.data.len())]).copied().collect();
    chain_filtered: |c| c.data.par_iter().filter(|n| odd(n)).chain(c.data.par_iter()).copied().collect::<List>()
        => c.data.iter().filter(|n| odd(n)).chain(c.data.iter()).copied().collect();
    chain_rev_enumerate: |c| c.data.par_iter().chain(&c.data).rev().enumerate().map(|(i, n)| i as i64 * n).collect::<List>()
        => c.data.iter().chain(&c.data).rev().enumerate().map(|(i, n)| i as i64 * n).collect();
    zip: |c| c.data.par_iter().zip(c.data.par_iter().skip(c.b)).map(|(x, y)| x - y).collect::<List>()
        => c.data.iter().zip(c.data.iter().skip(c.b)).map(|(x, y)| x - y).collect();
    zip_map_rev: |c| c.data.par_iter().map(|n| n + 1).rev().zip(0..c.data.len()).map(|(x, i)| x * i as i64).collect::<List>()
        => c.data.iter().map(|n| n + 1).rev().zip(0..c.data.len()).map(|(x, i)| x * i as i64).collect();
    skip_take_step: |c| c.data.par_iter().skip(c.a).take(c.b).step_by(c.a).copied().collect::<List>()
        => c.data.iter().skip(c.a).take(c.b).step_by(c.a).copied().collect();
    chunks_of_iter: |c| c.data.par_iter().copied().chunks(c.a).collect::<Vec<_>>()
        => c.data.chunks(c.a).map(<[_]>::to_vec).collect();
    fold_chunks: |c| c.data.par_iter().fold_chunks(c.a, || 0, |sum, n| sum + n).collect::<List>()
        => c.data.chunks(c.a).map(|chunk| chunk.iter().sum()).collect();
    slice_chunks: |c| c.data.par_chunks(c.a).map(|chunk| chunk.iter().sum::<i64>()).collect::<List>()
        => c.data.chunks(c.a).map(|chunk| chunk.iter().sum()).collect();
    slice_chunks_exact: |c| c.data.par_chunks_exact(c.a).flat_map_iter(|chunk| chunk.iter().rev()).copied().collect::<List>()
        => c.data.chunks_exact(c.a).flat_map(|chunk| chunk.iter().rev()).copied().collect();
    slice_rchunks: |c| c.data.par_rchunks(c.a).enumerate().map(|(i, chunk)| i as i64 + chunk[0]).collect::<List>()
        => c.data.rchunks(c.a).enumerate().map(|(i, chunk)| i as i64 + chunk[0]).collect();
    slice_windows: |c| c.data.par_windows(c.a).map(|window| window.iter().max().copied()).collect::<Vec<_>>()
        => c.data.windows(c.a).map(|window| window.iter().max().copied()).collect();
    slice_split: |c| c.data.par_split(odd).map(<[_]>::len).collect::<Vec<_>>()
        => c.data.split(odd).map(<[_]>::len).collect();
    slice_chunk_by: |c| c.data.par_chunk_by(|x, y| x <= y).map(<[_]>::to_vec).collect::<Vec<_>>()
        => c.data.chunk_by(|x, y| x <= y).map(<[_]>::to_vec).collect();
    interleave: |c| c.data.par_iter().interleave(&c.data[..c.b.min(c.data.len())]).copied().collect::<List>() => {
        let (mut long, mut short) = (c.data.iter(), c.data[..c.b.min(c.data.len())].iter());
        let mut all = Vec::new();
        loop {
            let pair = (long.next(), short.next());
            all.extend(pair.0);
            all.extend(pair.1);
            if pair == (None, None) {
                break all;
            }
        }
    };
    intersperse: |c| c.data.par_iter().copied().intersperse(c.a as i64).collect::<List>() => {
        let mut all = Vec::new();
        for (index, &number) in c.data.iter().enumerate() {
            if index > 0 {
                all.push(c.a as i64);
            }
            all.push(number);
        }
        all
    };
    intersperse_filtered: |c| c.data.par_iter().filter(|n| odd(n)).copied().intersperse(0).collect::<List>() => {
        let odds: List = c.data.iter().copied().filter(odd).collect();
        odds.iter().enumerate().flat_map(|(i, &n)| if i > 0 { vec![0, n] } else { vec![n] }).collect()
    };
    min_max: |c| (c.data.par_iter().copied().min(), c.data.par_iter().copied().max()) => (c.data.iter().copied().min(), c.data.iter().copied().max());
    // The index tells which of several equal ones it is.
    min_max_by_key: |c| {
        let numbers = || c.data.par_iter().copied().enumerate();
        (numbers().min_by_key(|(_, n)| n.abs()), numbers().max_by_key(|(_, n)| n.abs()))
    } => {
        let numbers = || c.data.iter().copied().enumerate();
        (numbers().min_by_key(|(_, n)| n.abs()), numbers().max_by_key(|(_, n)| n.abs()))
    };
    reduce_in_order: |c| c.data.par_iter().map(|n| n.to_string()).reduce(String::new, |x, y| x + &y)
        => c.data.iter().map(|n| n.to_string()).collect::<String>();
    reduce_with: |c| c.data.par_iter().copied().reduce_with(|x, y| x.max(y)) => c.data.iter().copied().reduce(|x, y| x.max(y));
    fold_then_reduce: |c| c.data.par_iter().fold(String::new, |text, n| text + &n.to_string()).reduce(String::new, |x, y| x + &y)
        => c.data.iter().map(|n| n.to_string()).collect::<String>();
    try_fold: |c| c.data.par_iter().try_fold(|| 0, |sum: i64, &n| (n != 13).then(|| sum + n)).try_reduce(|| 0, |x, y| Some(x + y))
        => c.data.iter().try_fold(0, |sum, &n| (n != 13).then(|| sum + n));
    try_for_each: |c| c.data.par_iter().try_for_each(|&n| if n == 13 { Err(n) } else { Ok(()) })
        => c.data.iter().try_for_each(|&n| if n == 13 { Err(n) } else { Ok(()) });
    find: |c| {
        let last = c.data.par_iter().position_last(|n| *n == 7);
        (c.data.par_iter().position_first(|n| *n == 7), last, c.data.par_iter().copied().find_first(odd), c.data.par_iter().copied().find_last(odd))
    } => {
        let last = c.data.iter().rposition(|n| *n == 7);
        (c.data.iter().position(|n| *n == 7), last, c.data.iter().copied().find(odd), c.data.iter().copied().rfind(odd))
    };
    find_map: |c| {
        let some = |(i, n): (usize, &i64)| (n % 5 == 0).then_some(i);
        (c.data.par_iter().enumerate().find_map_first(some), c.data.par_iter().enumerate().find_map_last(some))
    } => {
        let some = |(i, n): (usize, &i64)| (n % 5 == 0).then_some(i);
        (c.data.iter().enumerate().find_map(some), c.data.iter().enumerate().rev().find_map(some))
    };
    find_first_in_flat_map: |c| c.data.par_iter().flat_map(|&n| (0..n).into_par_iter()).find_first(|m| m % 7 == 6)
        => c.data.iter().flat_map(|&n| 0..n).find(|m| m % 7 == 6);
    any_all: |c| (c.data.par_iter().any(|n| *n == 7), c.data.par_iter().all(|n| *n != 9), c.data.par_iter().find_any(|n| **n == 7).copied())
        => (c.data.contains(&7), !c.data.contains(&9), c.data.iter().find(|n| **n == 7).copied());
    compare: |c| (c.data.par_iter().cmp(c.data.par_iter().rev()), c.data.par_iter().eq(c.data.par_iter().rev()), c.data.par_iter().lt(c.data.par_iter().skip(c.a)))
        => (c.data.iter().cmp(c.data.iter().rev()), c.data.iter().eq(c.data.iter().rev()), c.data.iter().lt(c.data.iter().skip(c.a)));
    positions: |c| c.data.par_iter().positions(odd).collect::<Vec<_>>()
        => (0..c.data.len()).filter(|&i| odd(&c.data[i])).collect();
    partition: |c| c.data.par_iter().copied().partition::<List, List, _>(odd) => c.data.iter().copied().partition(odd);
    unzip: |c| c.data.par_iter().map(|&n| (n, n * 2)).unzip::<_, _, List, List>() => c.data.iter().map(|&n| (n, n * 2)).unzip();
    unzip_filtered: |c| c.data.par_iter().filter(|n| odd(n)).map(|&n| (n, -n)).unzip::<_, _, List, BTreeSet<_>>()
        => c.data.iter().filter(|n| odd(n)).map(|&n| (n, -n)).unzip();
    into_sets: |c| (c.data.par_iter().copied().collect::<HashSet<_>>(), c.data.par_iter().copied().collect::<BTreeSet<_>>())
        => (c.data.iter().copied().collect(), c.data.iter().copied().collect());
    // Of equal keys the last one stays.
    into_maps: |c| {
        let pairs = || c.data.par_iter().enumerate().map(|(i, &n)| (n, i));
        (pairs().collect::<HashMap<_, _>>(), pairs().collect::<BTreeMap<_, _>>())
    } => {
        let pairs = || c.data.iter().enumerate().map(|(i, &n)| (n, i));
        (pairs().collect(), pairs().collect())
    };
    into_lists: |c| (c.data.par_iter().copied().collect::<LinkedList<_>>(), c.data.par_iter().copied().filter(odd).collect::<VecDeque<_>>())
        => (c.data.iter().copied().collect(), c.data.iter().copied().filter(odd).collect());
    into_string: |c| c.data.par_iter().map(|n| n.to_string()).collect::<String>() => c.data.iter().map(|n| n.to_string()).collect();
    into_option: |c| c.data.par_iter().map(|&n| (n != 13).then_some(n)).collect::<Option<List>>()
        => c.data.iter().map(|&n| (n != 13).then_some(n)).collect();
    into_result: |c| c.data.par_iter().map(|&n| if n == 13 { Err(n) } else { Ok(n) }).collect::<Result<List, i64>>()
        => c.data.iter().map(|&n| if n == 13 { Err(n) } else { Ok(n) }).collect();
    by_value: |c| c.data.clone().into_par_iter().map(|n| n.to_string()).collect::<Vec<_>>() => c.data.iter().map(i64::to_string).collect();
    drain: |c| {
        let mut data = c.data.clone();
        let from = c.b.min(data.len());
        let drained: List = data.par_drain(from..).map(|n| n + 1).collect();
        (data, drained)
    } => (c.data[..c.b.min(c.data.len())].to_vec(), c.data[c.b.min(c.data.len())..].iter().map(|n| n + 1).collect());
    update_and_inspect: |c| c.data.par_iter().copied().update(|n| *n += 1).inspect(|n| assert!(*n > -50)).collect::<List>()
        => c.data.iter().map(|n| n + 1).collect();
    while_some: |c| c.data.par_iter().map(|&n| Some(n)).while_some().collect::<List>() => c.data.clone();
    hints: |c| c.data.par_iter().with_min_len(c.a).with_max_len(c.a * 2).map(|n| n * 2).collect::<List>() => c.data.iter().map(|n| n * 2).collect();
    blocks: |c| (c.data.par_iter().by_uniform_blocks(c.a).copied().collect::<List>(), c.data.par_iter().by_exponential_blocks().copied().collect::<List>())
        => (c.data.clone(), c.data.clone());
    map_init: |c| c.data.par_iter().map_init(|| 1, |one, n| n + *one).collect::<List>() => c.data.iter().map(|n| n + 1).collect();
    map_worker: |c| c.data.par_iter().map_worker(|| 1, |one, n| n + *one).rev().collect::<List>() => c.data.iter().rev().map(|n| n + 1).collect();
    jobs: |c| c.data.par_iter().map(|n| n + 1).jobs(c.a).collect::<List>() => c.data.iter().map(|n| n + 1).collect();
    multizip: |c| (&c.data, 0..c.b, c.data.par_iter().rev()).into_par_iter().map(|(x, i, y)| x * i as i64 - y).collect::<List>()
        => c.data.iter().zip(0..c.b).zip(c.data.iter().rev()).map(|((x, i), y)| x * i as i64 - y).collect();
    ranges: |c| (0..c.b).into_par_iter().chain(0..=c.a).map(|i| i * i).collect::<Vec<_>>() => (0..c.b).chain(0..=c.a).map(|i| i * i).collect();
    text: |c| {
        let text: String = c.data.iter().map(|n| char::from_u32((n + 60) as u32 * 40).unwrap_or(' ')).collect();
        (text.par_chars().rev_text(), text.par_split_whitespace().count(), text.par_split('\u{960}').map(str::len).collect::<Vec<_>>())
    } => {
        let text: String = c.data.iter().map(|n| char::from_u32((n + 60) as u32 * 40).unwrap_or(' ')).collect();
        (text.chars().collect::<String>(), text.split_whitespace().count(), text.split('\u{960}').map(str::len).collect())
    };
    sorted: |c| {
        let mut data: Vec<(i64, usize)> = c.data.iter().copied().zip(0..).collect();
        data.par_sort_by_key(|(n, _)| n.abs());
        data
    } => {
        let mut data: Vec<(i64, usize)> = c.data.iter().copied().zip(0..).collect();
        data.sort_by_key(|(n, _)| n.abs());
        data
    };
}

/// Collects text.
trait Text {
    fn rev_text(self) -> String;
}

impl<I: ParallelIterator<Item = char>> Text for I {
    fn rev_text(self) -> String {
        self.collect()
    }
}

/// A random sequence of adapters, of which each begins with what the one before has collected.
#[test]
fn one_after_another() {
    /// What is done to a list with a number.
    type Step = fn(List, usize) -> List;
    let steps: [(Step, Step); 8] = [
        (
            |v, a| v.into_par_iter().map(|n| n * a as i64).collect(),
            |v, a| v.into_iter().map(|n| n * a as i64).collect(),
        ),
        (
            |v, a| {
                v.into_par_iter()
                    .filter(|n| n % (a as i64 + 1) != 0)
                    .collect()
            },
            |v, a| v.into_iter().filter(|n| n % (a as i64 + 1) != 0).collect(),
        ),
        (
            |v, _| v.into_par_iter().rev().collect(),
            |v, _| v.into_iter().rev().collect(),
        ),
        (
            |v, a| v.into_par_iter().skip(a).collect(),
            |v, a| v.into_iter().skip(a).collect(),
        ),
        (
            |v, a| v.into_par_iter().step_by(a).collect(),
            |v, a| v.into_iter().step_by(a).collect(),
        ),
        (
            |v, _| v.into_par_iter().flat_map(twice).collect(),
            |v, _| v.into_iter().flat_map(twice).collect(),
        ),
        (
            |v, a| v.par_chunks(a).map(|chunk| chunk.iter().sum()).collect(),
            |v, a| v.chunks(a).map(|chunk| chunk.iter().sum()).collect(),
        ),
        (
            |v, _| {
                v.par_iter()
                    .zip(v.par_iter().rev())
                    .map(|(x, y)| x - y)
                    .collect()
            },
            |v, _| v.iter().zip(v.iter().rev()).map(|(x, y)| x - y).collect(),
        ),
    ];
    let run = |case: &Case, parallel: bool| {
        let mut data = case.data.clone();
        let mut choice = case.seed;
        for _ in 0..6 {
            choice = choice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (together, alone) = steps[(choice >> 40) as usize % steps.len()];
            data = if parallel {
                together(data, case.a)
            } else {
                alone(data, case.a)
            };
        }
        data
    };
    check(|case| run(case, true), |case| run(case, false));
}

/// Loops in loops until the deque is full, and beyond: it is short in unit tests.
#[test]
fn nested_deeper_than_the_deque() {
    fn depth(left: usize) -> usize {
        if left == 0 {
            return 0;
        }
        let depths = [left, 0, 0]
            .into_par_iter()
            .map(|next: usize| depth(next.saturating_sub(1)));
        1 + depths.max().unwrap_or(0)
    }
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        assert_eq!(pool.install(|| depth(100)), 100);
    }
}

/// A state is made where a part begins: that is the loop itself, what a thread takes, and, if the
/// folder had to be closed then, what comes behind that.
#[test]
fn two_states_for_each_offer_that_is_taken_at_most() {
    let mut most = 0;
    for seed in 0..SEEDS {
        let case = Case::new(seed);
        let made = AtomicUsize::new(0);
        // Relaxed: a count, which is read when the loop has ended.
        let init = || made.fetch_add(1, Ordering::Relaxed);
        let taken = forced::with_seed(seed, || {
            case.data.par_iter().map_init(init, |_, &n| n).sum::<i64>();
            forced::taken()
        });
        let made = made.into_inner();
        assert!(
            made <= 2 * taken + 1,
            "{made} states, {taken} taken: {case:?}"
        );
        assert!(made > 0, "an empty loop begins, too");
        most = most.max(taken);
    }
    assert!(most > 10, "the forced scheduler takes offers");
}

/// Tries chains with `plant` switched on, until one fails.
fn must_catch(plant: LoopPlant) {
    let fails = |&chain: &fn()| plant::with(plant, || catch_unwind(chain)).is_err();
    assert!(CHAINS.iter().any(fails), "no chain fails with {plant:?}");
}

#[test]
fn halves_swapped_is_caught() {
    must_catch(LoopPlant::HalvesSwapped);
}

#[test]
fn closed_swapped_is_caught() {
    must_catch(LoopPlant::ClosedSwapped);
}

#[test]
fn stolen_part_lost_is_caught() {
    must_catch(LoopPlant::StolenPartLost);
}

#[test]
fn split_skips_one_is_caught() {
    must_catch(LoopPlant::SplitSkipsOne);
}

#[test]
fn resume_forgotten_is_caught() {
    must_catch(LoopPlant::ResumeForgotten);
}

#[test]
fn slot_to_the_right_is_caught() {
    must_catch(LoopPlant::FolderCellToTheRight);
}

#[test]
fn stray_swapped_is_caught() {
    must_catch(LoopPlant::StraySwapped);
}

#[test]
fn behind_lost_is_caught() {
    must_catch(LoopPlant::BehindLost);
}
