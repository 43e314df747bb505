//! Collecting from parallel iterators, against what sequential ones collect.

use std::borrow::Cow;
use std::cmp;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::ffi::{OsStr, OsString};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::Either;
use drumline::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use drumline::prelude::*;

const LENS: [usize; 7] = [0, 1, 2, 3, 100, 1_000, 10_000];

/// In pools with one, two and four jobs.
fn in_pools(test: impl Fn() + Sync + Send) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&test);
        pool.shutdown().unwrap();
    }
}

fn numbers(len: usize) -> Vec<u64> {
    (0..len as u64).map(|n| n * 7919 % 1009).collect()
}

/// Takes a while now and then, so that other threads come for their part.
fn slowly(number: &u64) -> u64 {
    if number.is_multiple_of(64) {
        std::thread::yield_now();
    }
    number * 2
}

#[test]
fn vectors() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let doubled: Vec<u64> = numbers.iter().map(|n| n * 2).collect();
            let odd: Vec<u64> = numbers.iter().copied().filter(|n| n % 2 == 1).collect();
            let par_odd = || numbers.par_iter().map(|n| *n).filter(|n| n % 2 == 1);

            assert_eq!(numbers.par_iter().map(slowly).collect::<Vec<_>>(), doubled);
            assert_eq!(par_odd().collect::<Vec<_>>(), odd);
            let list = numbers.par_iter().map(slowly).collect_vec_list();
            assert!(list.iter().all(|vec| !vec.is_empty()));
            assert!(list.into_iter().flatten().eq(doubled.iter().copied()));
            let list = par_odd().collect_vec_list();
            assert!(list.iter().all(|vec| !vec.is_empty()));
            assert!(list.into_iter().flatten().eq(odd.iter().copied()));

            let mut target = vec![1, 2, 3];
            numbers.par_iter().map(slowly).collect_into_vec(&mut target);
            assert_eq!(target, doubled);
            target.par_extend(par_odd());
            target.par_extend(&numbers);
            target.par_extend(numbers.par_iter().map(slowly));
            let whole = [&doubled, &odd, &numbers, &doubled];
            assert!(target.iter().eq(whole.into_iter().flatten()));
        }
    });
}

#[test]
fn in_order_whatever_it_is() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let iter = || numbers.par_iter().map(slowly).filter(|n| n % 3 != 0);
            let expected: Vec<u64> = (numbers.iter().map(|n| n * 2))
                .filter(|n| n % 3 != 0)
                .collect();
            let expected = &expected[..];

            assert_eq!(*iter().collect::<Box<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Rc<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Arc<[_]>>(), *expected);
            assert_eq!(*iter().collect::<Cow<'_, [_]>>(), *expected);
            assert_eq!(iter().collect::<VecDeque<_>>(), expected);
            assert!(iter().collect::<LinkedList<_>>().iter().eq(expected));

            let mut deque: VecDeque<u64> = [1, 2].into();
            deque.par_extend(iter());
            deque.par_extend(&[3, 4]);
            assert!(
                deque
                    .iter()
                    .eq([1, 2].iter().chain(expected).chain(&[3, 4]))
            );
            let mut list: LinkedList<u64> = [1, 2].into();
            list.par_extend(iter());
            list.par_extend(&[3, 4]);
            assert!(list.iter().eq([1, 2].iter().chain(expected).chain(&[3, 4])));
        }
    });
}

/// An item that is equal to all others.
#[derive(Clone, Copy, Debug)]
struct Alike(usize);

impl PartialEq for Alike {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Alike {}

impl PartialOrd for Alike {
    fn partial_cmp(&self, other: &Self) -> Option<cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alike {
    fn cmp(&self, _: &Self) -> cmp::Ordering {
        cmp::Ordering::Equal
    }
}

#[test]
fn the_first_of_equal_items_stays_in_a_set() {
    in_pools(|| {
        let items = || (0..1_000).into_par_iter().map(Alike);
        let collected: BTreeSet<Alike> = items().collect();
        let mut extended = BTreeSet::new();
        extended.par_extend(items());
        for set in [collected, extended] {
            assert_eq!(set.len(), 1);
            assert_eq!(set.first().map(|first| first.0), Some(0));
        }
    });
}

#[test]
fn sets_and_maps() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let pairs: Vec<(u64, usize)> = (numbers.iter().map(|n| n % 97).zip(0..)).collect();

            let heap: BinaryHeap<u64> = numbers.par_iter().map(|n| *n).collect();
            let mut sorted = numbers.clone();
            sorted.sort_unstable();
            assert_eq!(heap.into_sorted_vec(), sorted);

            let hash_set: HashSet<u64> = numbers.par_iter().map(|n| *n).collect();
            assert_eq!(hash_set, numbers.iter().copied().collect());
            let tree_set: BTreeSet<u64> = numbers.par_iter().map(|n| *n).collect();
            assert_eq!(tree_set, numbers.iter().copied().collect());
            // The last value of each key, as if one after another had been inserted.
            let hash_map: HashMap<u64, usize> = pairs.clone().into_par_iter().collect();
            assert_eq!(hash_map, pairs.iter().copied().collect());
            let tree_map: BTreeMap<u64, usize> = pairs.clone().into_par_iter().collect();
            assert_eq!(tree_map, pairs.iter().copied().collect());

            let mut hash_map = HashMap::from([(3, 0), (1_000, 1)]);
            hash_map.par_extend(pairs.par_iter().map(|(k, v)| (k, v)));
            hash_map.par_extend([(4, 7)]);
            let mut tree_map = BTreeMap::from([(3, 0), (1_000, 1)]);
            tree_map.par_extend(pairs.par_iter().map(|(k, v)| (k, v)));
            tree_map.par_extend([(4, 7)]);
            let mut expected = HashMap::from([(3, 0), (1_000, 1)]);
            expected.extend(pairs.iter().copied());
            expected.insert(4, 7);
            assert_eq!(hash_map, expected);
            assert_eq!(tree_map, expected.into_iter().collect());

            let mut hash_set = HashSet::from([3, 2_000]);
            hash_set.par_extend(&numbers);
            hash_set.par_extend([4]);
            let mut tree_set = BTreeSet::from([3, 2_000]);
            tree_set.par_extend(&numbers);
            tree_set.par_extend([4]);
            let mut expected = HashSet::from([3, 4, 2_000]);
            expected.extend(&numbers);
            assert_eq!(hash_set, expected);
            assert_eq!(tree_set, expected.into_iter().collect());

            let mut heap = BinaryHeap::from([3, 2_000]);
            heap.par_extend(&numbers);
            heap.par_extend([4]);
            let mut expected = numbers.clone();
            expected.extend([3, 4, 2_000]);
            expected.sort_unstable();
            assert_eq!(heap.into_sorted_vec(), expected);
        }
    });
}

#[test]
fn strings() {
    in_pools(|| {
        let letters: Vec<char> = ('a'..='z').chain('α'..='ω').cycle().take(3_000).collect();
        let expected: String = letters.iter().collect();
        let words: Vec<String> = letters.iter().map(char::to_string).collect();
        let iter = || letters.par_iter();

        assert_eq!(iter().collect::<String>(), expected);
        assert_eq!(iter().map(|c| *c).collect::<String>(), expected);
        assert_eq!(
            words.par_iter().map(String::as_str).collect::<String>(),
            expected
        );
        assert_eq!(words.clone().into_par_iter().collect::<String>(), expected);
        let boxes = words.clone().into_par_iter().map(String::into_boxed_str);
        assert_eq!(boxes.collect::<String>(), expected);
        let cows = words.par_iter().map(|word| Cow::Borrowed(word.as_str()));
        assert_eq!(cows.collect::<String>(), expected);
        assert_eq!(*iter().collect::<Box<str>>(), expected);
        assert_eq!(iter().collect::<Cow<'_, str>>(), expected);

        let mut greeting = String::from("hello, ");
        greeting.par_extend(iter());
        greeting.par_extend(words.clone());
        assert_eq!(greeting, format!("hello, {expected}{expected}"));

        let os: OsString = words.par_iter().map(OsStr::new).collect();
        assert_eq!(os, OsString::from(&expected));
        let mut os = OsString::from("o");
        os.par_extend(words.par_iter().map(OsString::from));
        os.par_extend(words.par_iter().map(|word| Cow::Borrowed(OsStr::new(word))));
        assert_eq!(os, OsString::from(format!("o{expected}{expected}")));
    });
}

#[test]
fn options_and_results() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let halves = |n: &u64| n.is_multiple_of(2).then_some(n / 2);
            let all = |n: &u64| Some(slowly(n));
            assert_eq!(
                numbers.par_iter().map(halves).collect::<Option<Vec<_>>>(),
                numbers.iter().map(halves).collect::<Option<Vec<_>>>(),
            );
            assert_eq!(
                numbers.par_iter().map(all).collect::<Option<Vec<_>>>(),
                numbers.iter().map(all).collect::<Option<Vec<_>>>(),
            );
            let checked = |n: &u64| if *n == 1_008 { Err(*n) } else { Ok(slowly(n)) };
            assert_eq!(
                numbers
                    .par_iter()
                    .map(checked)
                    .collect::<Result<Vec<_>, _>>(),
                numbers.iter().map(checked).collect::<Result<Vec<_>, _>>(),
            );
            let count = AtomicUsize::new(0);
            let counting = |_: &u64| match count.fetch_add(1, Ordering::Relaxed) {
                0 => Err(()),
                _ => Ok(()),
            };
            let nothing: Result<(), ()> = numbers.par_iter().map(counting).collect();
            assert_eq!(nothing.is_err(), len > 0);
        }
    });
}

#[test]
fn an_error_ends_it_early() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let seen = AtomicUsize::new(0);
    let result = pool.install(|| {
        let numbers = numbers(10_000);
        let check = |n: &u64| {
            seen.fetch_add(1, Ordering::Relaxed);
            if *n == 0 { Err("zero") } else { Ok(*n) }
        };
        numbers.par_iter().map(check).collect::<Result<Vec<_>, _>>()
    });
    assert_eq!(result, Err("zero"));
    assert_eq!(seen.into_inner(), 1);
}

#[test]
fn two_at_once() {
    in_pools(|| {
        for len in LENS {
            let numbers = numbers(len);
            let pair = |n: &u64| (slowly(n), n.to_string());
            let (left, right): (Vec<u64>, Vec<String>) = numbers.iter().map(pair).unzip();

            let both: (Vec<u64>, Vec<String>) = numbers.par_iter().map(pair).unzip();
            assert_eq!(both, (left.clone(), right.clone()));
            let both: (Vec<u64>, LinkedList<String>) = numbers.par_iter().map(pair).collect();
            assert!(both.0 == left && both.1.iter().eq(&right));
            let some = numbers.par_iter().filter(|n| **n % 5 == 0).map(pair);
            let both: (Vec<u64>, Vec<String>) = some.collect();
            assert_eq!(
                both,
                numbers.iter().filter(|n| **n % 5 == 0).map(pair).unzip()
            );
            let nested = numbers.par_iter().map(|n| (*n, pair(n)));
            let nested: (Vec<u64>, (Vec<u64>, Vec<String>)) = nested.unzip();
            assert_eq!(nested, (numbers.clone(), (left.clone(), right.clone())));

            let (mut into_left, mut into_right) = (vec![9], vec![String::new()]);
            let pairs = numbers.par_iter().map(pair);
            pairs.unzip_into_vecs(&mut into_left, &mut into_right);
            assert_eq!((&into_left, &into_right), (&left, &right));
            let mut extended = (into_left, into_right);
            extended.par_extend(numbers.par_iter().map(pair));
            assert_eq!((extended.0.len(), extended.1.len()), (2 * len, 2 * len));

            let even = |n: &u64| n.is_multiple_of(2);
            let parts: (Vec<u64>, Vec<u64>) = numbers.par_iter().map(|n| *n).partition(even);
            assert_eq!(parts, numbers.iter().partition(|n| even(n)));
            let side = |n: &u64| match even(n) {
                true => Either::Left(*n),
                false => Either::Right(n.to_string()),
            };
            let odd: Vec<String> = parts.1.iter().map(u64::to_string).collect();
            let sides: (Vec<u64>, Vec<String>) = numbers.par_iter().partition_map(side);
            assert_eq!(sides, (parts.0.clone(), odd.clone()));
            let sides: (Vec<u64>, Vec<String>) = numbers.par_iter().map(side).collect();
            assert_eq!(sides, (parts.0, odd));
        }
    });
}

#[test]
fn an_unhelped_loop_makes_one_vector() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let numbers = numbers(100_000);
    let list = pool.install(|| {
        numbers
            .par_iter()
            .filter(|n| **n % 3 == 0)
            .collect_vec_list()
    });
    assert_eq!(list.len(), 1);
}

/// The items of a range, by halves. The loop does not know their number.
struct Unknown(std::ops::Range<u64>);

impl ParallelIterator for Unknown {
    type Item = u64;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<u64>,
    {
        bridge_unindexed(self, consumer)
    }
}

impl UnindexedProducer for Unknown {
    type Item = u64;

    fn split(self) -> (Self, Option<Self>) {
        let middle = self.0.start.midpoint(self.0.end);
        if middle == self.0.start {
            return (self, None);
        }
        let right = Unknown(middle..self.0.end);
        (Unknown(self.0.start..middle), Some(right))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<u64>,
    {
        folder.consume_iter(self.0)
    }
}

#[test]
fn many_pieces() {
    in_pools(|| {
        let odd = || Unknown(0..5_000).filter(|n| n % 2 == 1);
        let expected: Vec<u64> = (1..5_000).step_by(2).collect();
        assert_eq!(odd().collect::<Vec<_>>(), expected);
        let list = odd().collect_vec_list();
        assert!(!list.is_empty() && list.iter().all(|vec| !vec.is_empty()));
        assert!(list.into_iter().flatten().eq(expected.iter().copied()));
        assert!(odd().collect::<LinkedList<_>>().iter().eq(&expected));
        assert_eq!(odd().collect::<VecDeque<_>>(), expected);
        let text: String = odd().map(|n| n.to_string()).collect();
        assert_eq!(
            text,
            expected.iter().map(u64::to_string).collect::<String>()
        );
        let parts: (Vec<u64>, String) = odd().partition_map(|n| match n % 3 {
            0 => Either::Left(n),
            _ => Either::Right('x'),
        });
        assert_eq!(parts.0.len() + parts.1.len(), 2_500);
        assert!(
            Unknown(0..100)
                .filter(|_| false)
                .collect_vec_list()
                .is_empty()
        );
    });
}
