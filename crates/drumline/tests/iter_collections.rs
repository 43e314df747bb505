//! The collections of the standard library as sources of parallel iterators.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::Pool;
use drumline::iter::Either;
use drumline::iter::plumbing::{Producer, ProducerCallback};
use drumline::prelude::*;

const LENS: [usize; 5] = [0, 1, 2, 100, 3_000];

/// In pools with one, two and four jobs.
fn in_pools(test: impl Fn() + Sync + Send) {
    for jobs in [1, 2, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(&test);
        pool.shutdown().unwrap();
    }
}

/// The items of a parallel iterator, in its order.
fn listed<I: IntoParallelIterator>(iter: I) -> Vec<I::Item> {
    let list = iter.into_par_iter().filter(|_| true).collect_vec_list();
    list.into_iter().flatten().collect()
}

/// The items of a parallel iterator that knows how many they are.
fn counted<I>(iter: I) -> Vec<I::Item>
where
    I: IntoParallelIterator<Iter: IndexedParallelIterator>,
{
    let iter = iter.into_par_iter();
    let len = iter.len();
    assert_eq!(iter.opt_len(), Some(len));
    let mut vec = Vec::new();
    iter.collect_into_vec(&mut vec);
    assert_eq!(vec.len(), len);
    vec
}

#[test]
fn by_value() {
    in_pools(|| {
        for len in LENS {
            let strings: Vec<String> = (0..len).map(|n| n.to_string()).collect();
            let boxed = strings.clone().into_boxed_slice();
            let deque: VecDeque<String> = strings.iter().cloned().collect();
            let list: LinkedList<String> = strings.iter().cloned().collect();
            let heap: BinaryHeap<String> = strings.iter().cloned().collect();
            let in_heap = heap.clone().into_vec();
            let tree: BTreeSet<String> = strings.iter().cloned().collect();
            let hashes: HashSet<String> = strings.iter().cloned().collect();
            let pairs = || strings.iter().cloned().zip(0..);
            let tree_map: BTreeMap<String, usize> = pairs().collect();
            let hash_map: HashMap<String, usize> = pairs().collect();

            assert_eq!(counted(strings.clone()), strings);
            assert_eq!(counted(boxed), strings);
            assert_eq!(counted(deque), strings);
            assert_eq!(listed(strings.clone()), strings);
            assert_eq!(listed(list), strings);
            assert_eq!(counted(heap), in_heap);
            assert!(listed(tree.clone()).iter().eq(&tree));
            assert!(listed(tree_map.clone()).into_iter().eq(tree_map));
            assert_eq!(
                listed(hashes.clone()).into_iter().collect::<HashSet<_>>(),
                hashes
            );
            assert_eq!(
                listed(hash_map.clone())
                    .into_iter()
                    .collect::<HashMap<_, _>>(),
                hash_map
            );
        }
    });
}

#[test]
fn by_reference() {
    in_pools(|| {
        for len in LENS {
            let mut numbers: Vec<usize> = (0..len).collect();
            let mut boxed = numbers.clone().into_boxed_slice();
            // In two parts, wherever there is room for that.
            let mut deque: VecDeque<usize> = numbers[len / 3..].iter().copied().collect();
            numbers[..len / 3]
                .iter()
                .rev()
                .for_each(|n| deque.push_front(*n));
            let mut list: LinkedList<usize> = numbers.iter().copied().collect();
            let heap: BinaryHeap<usize> = numbers.iter().copied().collect();
            let tree: BTreeSet<usize> = numbers.iter().copied().collect();
            let hashes: HashSet<usize> = numbers.iter().copied().collect();
            let mut tree_map: BTreeMap<usize, usize> = numbers.iter().map(|n| (*n, *n)).collect();
            let mut hash_map: HashMap<usize, usize> = numbers.iter().map(|n| (*n, *n)).collect();

            assert!(counted(&numbers).into_iter().eq(&numbers));
            assert!(counted(&boxed).into_iter().eq(&numbers));
            assert!(counted(&deque).into_iter().eq(&numbers));
            assert!(listed(&deque).into_iter().eq(&numbers));
            assert!(listed(&list).into_iter().eq(&numbers));
            assert!(counted(&heap).into_iter().eq(heap.as_slice()));
            assert!(listed(&tree).into_iter().eq(&tree));
            assert!(listed(&hashes).into_iter().eq(&hashes));
            assert!(listed(&tree_map).into_iter().eq(&tree_map));
            assert!(listed(&hash_map).into_iter().eq(&hash_map));

            numbers.par_iter_mut().for_each(|n| *n += 1);
            boxed.par_iter_mut().for_each(|n| *n += 1);
            deque.par_iter_mut().for_each(|n| *n += 1);
            list.par_iter_mut().for_each(|n| *n += 1);
            tree_map.par_iter_mut().for_each(|(_, n)| *n += 1);
            hash_map.par_iter_mut().for_each(|(_, n)| *n += 1);
            assert!(numbers.iter().copied().eq(1..=len));
            assert_eq!(*boxed, *numbers);
            assert_eq!(deque, numbers);
            assert!(list.iter().eq(&numbers));
            assert!(tree_map.iter().all(|(key, n)| key + 1 == *n));
            assert!(hash_map.iter().all(|(key, n)| key + 1 == *n));
        }
    });
}

#[test]
fn arrays_options_and_results() {
    in_pools(|| {
        let mut array: [String; 100] = std::array::from_fn(|n| n.to_string());
        assert!(counted(&array).into_iter().eq(&array));
        array.par_iter_mut().for_each(|text| text.push('!'));
        assert_eq!(array[7], "7!");
        assert_eq!(counted(array.clone()), array);
        assert_eq!(counted([(); 0]), []);

        let mut some = Some(String::from("one"));
        some.par_iter_mut().for_each(|text| text.push('!'));
        assert_eq!(counted(&some), ["one!"]);
        assert_eq!(counted(some), ["one!"]);
        assert_eq!(counted(None::<u8>), []);
        assert_eq!(counted(&None::<u8>), [&0; 0]);

        let mut good = Ok::<_, ()>(String::from("one"));
        good.par_iter_mut().for_each(|text| text.push('!'));
        assert_eq!(counted(&good), ["one!"]);
        assert_eq!(counted(good), ["one!"]);
        assert_eq!(counted(Err::<u8, _>("none")), []);
    });
}

#[test]
fn either_of_two() {
    in_pools(|| {
        let numbers: Vec<u32> = (0..100).collect();
        for is_left in [false, true] {
            let iter = || match is_left {
                true => Either::Left(numbers.par_iter()),
                false => Either::Right(numbers.par_iter().map(|n| n)),
            };
            assert!(counted(iter()).into_iter().eq(&numbers));
            assert!(listed(iter()).into_iter().eq(&numbers));
        }
        let mut either: Either<Vec<u32>, LinkedList<u32>> = Either::Right(LinkedList::new());
        either.par_extend(numbers.clone());
        assert!(either.right().is_some_and(|list| list.iter().eq(&numbers)));
    });
}

#[test]
fn drained() {
    in_pools(|| {
        for len in LENS {
            for range in [
                0..len,
                0..len / 2,
                len / 3..len / 2,
                len / 2..len,
                len..len,
                0..0,
            ] {
                let strings: Vec<String> = (0..len).map(|n| n.to_string()).collect();
                let mut kept = strings.clone();
                let drained: Vec<String> = kept.drain(range.clone()).collect();

                let mut vec = strings.clone();
                assert_eq!(counted(vec.par_drain(range.clone())), drained);
                assert_eq!(vec, kept);
                let mut vec = strings.clone();
                drop(vec.par_drain(range.clone()));
                assert_eq!(vec, kept);

                let mut deque: VecDeque<String> = strings[len / 2..].iter().cloned().collect();
                let front = strings[..len / 2].iter().rev();
                front.for_each(|text| deque.push_front(text.clone()));
                let mut other = deque.clone();
                assert_eq!(counted(deque.par_drain(range.clone())), drained);
                assert_eq!(deque, kept);
                drop(other.par_drain(range));
                assert_eq!(other, kept);
            }

            let numbers: Vec<usize> = (0..len).collect();
            let mut set: HashSet<usize> = numbers.iter().copied().collect();
            let mut map: HashMap<usize, usize> = numbers.iter().map(|n| (*n, *n)).collect();
            let mut heap: BinaryHeap<usize> = numbers.iter().copied().collect();
            let mut other = heap.clone();
            let mut all = [
                listed(set.par_drain()),
                listed(map.par_drain().map(|(key, _)| key)),
                counted(heap.par_drain()),
            ];
            all.iter_mut().for_each(|vec| vec.sort_unstable());
            assert!(all.iter().all(|vec| *vec == numbers));
            drop(other.par_drain());
            assert!(set.is_empty() && map.is_empty() && heap.is_empty() && other.is_empty());
        }
    });
}

#[test]
fn drained_strings() {
    in_pools(|| {
        let mut text = "aäb€c𝄞".repeat(500);
        let whole = text.clone();
        let len = text.len();
        assert_eq!(
            text.par_drain(1..len - 4).collect::<String>(),
            whole[1..len - 4]
        );
        assert_eq!(text, "a𝄞");
        drop(text.par_drain(..1));
        assert_eq!(text, "𝄞");
        assert!(catch_unwind(AssertUnwindSafe(|| drop(text.par_drain(1..)))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| drop(text.par_drain(..9)))).is_err());
        assert_eq!(text, "𝄞");
        assert_eq!(text.par_drain(..).collect::<Vec<_>>(), ['𝄞']);
        assert_eq!(text.par_drain(..).collect::<Vec<_>>(), []);
    });
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "to see them refused")]
fn ranges_out_of_bounds() {
    let mut vec = vec![1, 2, 3];
    assert!(catch_unwind(AssertUnwindSafe(|| drop(vec.par_drain(..4)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(vec.par_drain(2..1)))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(vec.par_drain(..=usize::MAX)))).is_err());
    drop(vec.par_drain(..=1));
    assert_eq!(vec, [3]);
}

/// Counts itself, as long as it is there.
#[derive(Debug)]
struct Counted<'a>(&'a AtomicUsize, usize);

impl<'a> Counted<'a> {
    fn new(alive: &'a AtomicUsize, number: usize) -> Self {
        alive.fetch_add(1, Ordering::Relaxed);
        Counted(alive, number)
    }
}

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        Counted::new(self.0, self.1)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let before = self.0.fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "more are dropped than have been made");
    }
}

#[test]
fn what_nobody_takes_is_dropped() {
    in_pools(|| {
        let alive = AtomicUsize::new(0);
        let items = |len| {
            (0..len)
                .map(|n| Counted::new(&alive, n))
                .collect::<Vec<_>>()
        };
        for at in 0..60 {
            let panics = |item: Counted<'_>| assert!(item.1 != at, "here");
            let mut vec = items(60);
            let caught = catch_unwind(AssertUnwindSafe(|| {
                vec.par_drain(..).for_each(panics);
            }));
            assert!(caught.is_err() && vec.is_empty());
            let array: [Counted<'_>; 60] = items(60).try_into().unwrap();
            let copy = array.clone().into_par_iter();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                array.into_par_iter().for_each(panics);
            }));
            assert!(caught.is_err());
            assert_eq!(alive.load(Ordering::Relaxed), 60);
            drop(copy);
            let mut deque = VecDeque::from(items(60));
            let caught = catch_unwind(AssertUnwindSafe(|| {
                deque.par_drain(at / 2..at + 1).for_each(panics);
            }));
            assert!(caught.is_err());
            assert_eq!(alive.load(Ordering::Relaxed), 60 - (at + 1 - at / 2));
            assert!(deque.iter().all(|item| !(at / 2..at + 1).contains(&item.1)));
            drop(deque);
            assert_eq!(alive.load(Ordering::Relaxed), 0);
        }
        let early: Result<Vec<()>, usize> = (items(1_000).into_par_iter())
            .map(|item| Err(item.1))
            .collect();
        assert!(early.is_err());
        assert_eq!(alive.load(Ordering::Relaxed), 0);
    });
}

/// Splits a producer at each place, and goes through both halves from both ends.
struct Halves(usize);

impl<T: PartialEq + std::fmt::Debug> ProducerCallback<T> for Halves {
    type Output = Vec<T>;

    fn callback<P>(self, producer: P) -> Vec<T>
    where
        P: Producer<Item = T>,
    {
        let (left, right) = producer.split_at(self.0);
        let mut items: Vec<T> = left.into_iter().collect();
        assert_eq!(items.len(), self.0);
        let mut right = right.into_iter();
        let mut end: Vec<T> = right.next_back().into_iter().collect();
        let rest = right.len();
        items.extend(right);
        assert_eq!(items.len(), self.0 + rest);
        items.append(&mut end);
        items
    }
}

#[test]
fn producers_split_anywhere() {
    let numbers: Vec<usize> = (0..12).collect();
    let mut deque: VecDeque<usize> = numbers[5..].iter().copied().collect();
    numbers[..5].iter().rev().for_each(|n| deque.push_front(*n));
    for at in 0..=12 {
        let halves = || Halves(at);
        assert!(
            numbers
                .par_iter()
                .with_producer(halves())
                .into_iter()
                .eq(&numbers)
        );
        assert_eq!(
            numbers.clone().into_par_iter().with_producer(halves()),
            numbers
        );
        assert!(
            deque
                .par_iter()
                .with_producer(halves())
                .into_iter()
                .eq(&numbers)
        );
        assert!(
            deque
                .par_iter_mut()
                .with_producer(halves())
                .into_iter()
                .eq(&numbers)
        );
        assert_eq!(deque.clone().par_drain(..).with_producer(halves()), numbers);
        let array: [usize; 12] = numbers.clone().try_into().unwrap();
        assert_eq!(array.into_par_iter().with_producer(halves()), numbers);
    }
    for at in 0..=1 {
        assert_eq!(Some(5).into_par_iter().with_producer(Halves(at)), [5]);
    }
}

#[test]
fn they_can_be_shown_and_cloned() {
    let vec = vec![1, 2];
    let shown = format!("{:?}", vec.clone().into_par_iter().clone());
    assert_eq!(shown, "IntoIter { vec: [1, 2] }");
    let _ = format!("{:?}", VecDeque::from(vec.clone()).par_iter().clone());
    let _ = format!("{:?}", BTreeSet::from([1]).par_iter().clone());
    let _ = format!("{:?}", HashMap::from([(1, 2)]).par_iter().clone());
    let _ = format!("{:?}", [1, 2].into_par_iter().clone());
    let _ = format!("{:?}", Some(1).par_iter().clone());
    let _ = format!("{:?}", vec.clone().par_drain(..));
    let _ = format!("{:?}", String::from("a").par_drain(..));
}
