//! What every parallel iterator can do, against what a sequential one does.

mod plain;

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use drumline::Pool;
use drumline::iter::plumbing::UnindexedConsumer;
use drumline::iter::{empty, repeat_n};
use drumline::prelude::*;

use plain::*;

#[test]
fn one_item_of_each() {
    everywhere(|numbers| {
        let iter = numbers.iter();
        same_indexed(
            numbers.par_iter().map(|n| n + 1),
            iter.clone().map(|n| n + 1),
        );
        same_indexed(numbers.par_iter().cloned(), iter.clone().cloned());
        same_indexed(numbers.par_iter().copied(), iter.clone().copied());
        same_indexed(numbers.par_iter().panic_fuse(), iter.clone());
        let with = numbers.par_iter().map_with(5, |five, n| *five + n);
        same_indexed(with, iter.clone().map(|n| n + 5));
        let init = numbers
            .par_iter()
            .map_init(|| Cell::new(1), |one, n| one.get() + n);
        same_indexed(init, iter.clone().map(|n| n + 1));
        let update = numbers.par_iter().copied().update(|n| *n *= 2);
        same_indexed(update, iter.clone().map(|n| n * 2));
        let seen = Mutex::new(HashSet::new());
        let inspect = numbers.par_iter().inspect(|n| {
            seen.lock().unwrap().insert(**n);
        });
        same_indexed(inspect, iter);
        assert_eq!(seen.into_inner().unwrap().len(), numbers.len());
    });
}

#[test]
fn some_items() {
    everywhere(|numbers| {
        let iter = numbers.iter();
        let odd = numbers.par_iter().filter(|n| **n % 2 == 1);
        same(odd, iter.clone().filter(|n| **n % 2 == 1));
        let half = |n: &u64| n.is_multiple_of(2).then_some(n / 2);
        same(numbers.par_iter().filter_map(half), iter.filter_map(half));
    });
}

#[test]
fn several_items_of_each() {
    everywhere(|numbers| {
        let few = &numbers[..numbers.len().min(200)];
        let rows: Vec<Vec<u64>> = few.iter().map(|n| (0..n % 5).collect()).collect();
        let flat: Vec<&u64> = rows.iter().flatten().collect();
        same(rows.par_iter().flat_map(|row| &row[..]), flat.clone());
        same(rows.par_iter().flat_map_iter(|row| row), flat.clone());
        same(rows.par_iter().flatten_iter(), flat.clone());
        let slices = rows.par_iter().map(|row| &row[..]);
        same(slices.flatten(), flat);

        // Long inner loops, few of them; and three levels.
        let long = few[..few.len().min(3)]
            .par_iter()
            .flat_map(|n| numbers.par_iter().filter(move |m| *m != n));
        let items = few
            .iter()
            .take(3)
            .flat_map(|n| numbers.iter().filter(move |m| *m != n));
        same(long, items);
        let deep = rows.par_iter().flat_map(|row| {
            row.par_iter()
                .flat_map(|n| &few[..few.len().min(*n as usize)])
        });
        let items = rows
            .iter()
            .flatten()
            .flat_map(|n| few.iter().take(*n as usize));
        same(deep, items);
    });
}

#[test]
fn flat_iterators_find_the_last_of_many() {
    everywhere(|numbers| {
        let pairs = || {
            numbers
                .par_iter()
                .flat_map(|_| &numbers[..numbers.len().min(20)])
        };
        let count = numbers.len() * numbers.len().min(20);
        assert_eq!(pairs().count(), count);
        let of_seq = |n: &&u64| **n % 3 == 1;
        let first = numbers.iter().take(20).find(of_seq);
        let last = numbers.iter().take(20).rfind(of_seq);
        assert_eq!(pairs().find_first(of_seq), first);
        assert_eq!(pairs().find_last(of_seq), last);
    });
}

#[test]
fn an_iterator_may_contain_its_like() {
    struct Tree<'t> {
        value: u32,
        children: &'t [Tree<'t>],
    }

    struct Values<'t>(&'t Tree<'t>);
    impl ParallelIterator for Values<'_> {
        type Item = u32;
        fn drive_unindexed<C: UnindexedConsumer<u32>>(self, consumer: C) -> C::Result {
            let value = [self.0.value];
            let own = value.par_iter().copied();
            // Not `chain`, and what is mapped is not flat: its type would contain itself.
            if self.0.children.is_empty() {
                return own.drive_unindexed(consumer);
            }
            self.0
                .children
                .par_iter()
                .flat_map(Values)
                .drive_unindexed(consumer)
        }
    }

    let leaf = |value| Tree {
        value,
        children: &[],
    };
    let (low, high) = ([leaf(1), leaf(2)], [leaf(3), leaf(4), leaf(5)]);
    let inner = [
        Tree {
            value: 0,
            children: &low,
        },
        leaf(9),
        Tree {
            value: 0,
            children: &high,
        },
    ];
    let root = Tree {
        value: 0,
        children: &inner,
    };
    for jobs in [1, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        assert_eq!(pool.install(|| list(Values(&root))), [1, 2, 9, 3, 4, 5]);
    }
}

#[test]
fn chains() {
    everywhere(|numbers| {
        let half = &numbers[numbers.len() / 3..];
        let iter = numbers.iter();
        let chain = numbers.par_iter().chain(half);
        same_indexed(chain, iter.clone().chain(half));
        let chain = half.par_iter().chain(numbers).chain(half);
        same_indexed(chain, half.iter().chain(numbers).chain(half));
        let odd = |n: &&u64| **n % 2 == 1;
        let chain = numbers.par_iter().filter(odd).chain(half);
        assert_eq!(chain.opt_len(), None);
        same(chain, iter.clone().filter(odd).chain(half));
        let chain = half.par_iter().chain(numbers.par_iter().filter(odd));
        assert_eq!(chain.opt_len(), None);
        same(chain, half.iter().chain(iter.filter(odd)));
    });
}

#[test]
fn elements_between() {
    fn between<T: Clone>(items: impl IntoIterator<Item = T>, element: T) -> Vec<T> {
        let mut list = Vec::new();
        for item in items {
            if !list.is_empty() {
                list.push(element.clone());
            }
            list.push(item);
        }
        list
    }

    everywhere(|numbers| {
        let all = numbers.par_iter().intersperse(&77);
        same_indexed(all, between(numbers, &77));
        for rare in [2, 100, 5000] {
            let rare = move |n: &&u64| **n % rare == 1;
            let some = numbers.par_iter().filter(rare).intersperse(&77);
            same(some, between(numbers.iter().filter(rare), &77));
        }
        let twice = numbers.par_iter().intersperse(&7).intersperse(&8);
        same_indexed(twice, between(between(numbers, &7), &8));
        let chain = numbers.par_iter().chain(numbers).intersperse(&7);
        same_indexed(chain, between(numbers.iter().chain(numbers), &7));
    });
}

#[test]
fn terminal_operations() {
    everywhere(|numbers| {
        let iter = numbers.iter();
        let par = || numbers.par_iter();
        assert_eq!(par().sum::<u64>(), iter.clone().sum());
        let small = |n: &u64| n % 3 + 1;
        let product: f64 = par().map(|n| small(n) as f64).product();
        let expected: f64 = iter.clone().map(|n| small(n) as f64).product();
        assert!(product == expected || (product / expected - 1.0).abs() < 1e-9);
        assert_eq!(par().count(), numbers.len());
        assert_eq!(par().min(), iter.clone().min());
        assert_eq!(par().max(), iter.clone().max());
        assert_eq!(par().reduce_with(|a, b| a.max(b)), iter.clone().max());
        assert_eq!(
            par().copied().reduce(|| 0, u64::max),
            iter.clone().copied().fold(0, u64::max)
        );
        // Of equal ones, the place says which it is.
        let address = |n: Option<&u64>| n.map(|n| n as *const u64);
        let key = |n: &&u64| **n % 7;
        let by = |a: &&u64, b: &&u64| (**a % 7).cmp(&(**b % 7));
        assert_eq!(
            address(par().min_by_key(key)),
            address(iter.clone().min_by_key(key))
        );
        assert_eq!(
            address(par().max_by_key(key)),
            address(iter.clone().max_by_key(key))
        );
        assert_eq!(address(par().min_by(by)), address(iter.clone().min_by(by)));
        assert_eq!(address(par().max_by(by)), address(iter.clone().max_by(by)));
    });
}

#[test]
fn for_each_in_all_its_forms() {
    everywhere(|numbers| {
        let expected: u64 = numbers.iter().sum();
        let sum = AtomicUsize::new(0);
        let add = |n: &u64| {
            sum.fetch_add(*n as usize, Ordering::Relaxed);
        };
        let check = || assert_eq!(sum.swap(0, Ordering::Relaxed) as u64, expected);
        numbers.par_iter().for_each(add);
        check();
        numbers.par_iter().for_each_with((), |(), n| add(n));
        check();
        numbers
            .par_iter()
            .for_each_init(|| Cell::new(()), |_, n| add(n));
        check();
        let result: Result<(), ()> = numbers.par_iter().try_for_each(|n| {
            add(n);
            Ok(())
        });
        assert_eq!(result, Ok(()));
        check();
        let result = numbers.par_iter().try_for_each_with((), |(), n| {
            add(n);
            Some(())
        });
        assert_eq!(result, Some(()));
        check();
        let result = numbers.par_iter().try_for_each_init(
            || (),
            |(), n| {
                add(n);
                ControlFlow::<u8>::Continue(())
            },
        );
        assert_eq!(result, ControlFlow::Continue(()));
        check();

        let fails = |n: &u64| if *n == 7919 { Err("found") } else { Ok(()) };
        let expected = numbers.iter().try_for_each(fails);
        assert_eq!(numbers.par_iter().try_for_each(fails), expected);
        let with = numbers.par_iter().try_for_each_with((), |(), n| fails(n));
        assert_eq!(with, expected);
        let init = numbers
            .par_iter()
            .try_for_each_init(|| (), |(), n| fails(n));
        assert_eq!(init, expected);
    });
}

#[test]
fn searches() {
    everywhere(|numbers| {
        let iter = numbers.iter();
        for divisor in [1, 2, 50, 5000, 100_000] {
            let fits = move |n: &&u64| **n % divisor == divisor.min(3) - 1;
            let twice = move |n: &u64| fits(&n).then_some(n * 2);
            let any = numbers.par_iter().find_any(fits);
            assert_eq!(any.is_some(), iter.clone().any(|n| fits(&n)));
            assert!(any.is_none_or(|n| fits(&n)));
            assert_eq!(
                numbers.par_iter().find_map_any(twice).is_some(),
                any.is_some()
            );
            let par = || numbers.par_iter();
            assert_eq!(par().find_first(fits), iter.clone().find(fits));
            assert_eq!(par().find_last(fits), iter.clone().rfind(fits));
            assert_eq!(par().find_map_first(twice), iter.clone().find_map(twice));
            assert_eq!(
                par().find_map_last(twice),
                iter.clone().rev().find_map(twice)
            );
            assert_eq!(par().any(|n| fits(&n)), iter.clone().any(|n| fits(&n)));
            assert_eq!(par().all(|n| fits(&n)), iter.clone().all(|n| fits(&n)));
        }
    });
}

#[test]
fn nobody_looks_on_when_it_is_found() {
    let numbers: Vec<u64> = (0..100_000).collect();
    let looked = AtomicUsize::new(0);
    let look = |n: &&u64| {
        looked.fetch_add(1, Ordering::Relaxed);
        **n == 100
    };
    let looked = || looked.swap(0, Ordering::Relaxed);
    alone(|| {
        assert_eq!(numbers.par_iter().find_first(look), Some(&100));
        assert_eq!(looked(), 101);
        assert_eq!(numbers.par_iter().find_any(look), Some(&100));
        assert_eq!(looked(), 101);
        assert!(numbers.par_iter().any(|n| look(&n)));
        assert_eq!(looked(), 101);
        assert!(!numbers.par_iter().all(|n| !look(&n)));
        assert_eq!(looked(), 101);
        let fail = |n: &u64| if look(&n) { None } else { Some(()) };
        assert_eq!(numbers.par_iter().try_for_each(fail), None);
        assert_eq!(looked(), 101);
        let some = numbers.par_iter().map(|n| (!look(&n)).then_some(n));
        assert_eq!(some.while_some().count(), 100);
        assert_eq!(looked(), 101);
        let some = numbers
            .par_iter()
            .inspect(|n| assert!(!look(n)))
            .take_any(3);
        assert_eq!(list(some), [&0, &1, &2]);
        assert_eq!(looked(), 3);
        let some = numbers.par_iter().take_any_while(|n| !look(n));
        assert_eq!(some.count(), 100);
        assert_eq!(looked(), 101);
        let failed = numbers
            .par_iter()
            .try_fold(|| (), |(), n| (!look(&n)).then_some(()));
        assert_eq!(list(failed), [None]);
        assert_eq!(looked(), 101);
        let flat = numbers.par_iter().flat_map(|_| &numbers[..]);
        assert_eq!(flat.find_first(look), Some(&100));
        assert_eq!(looked(), 101);
        let chain = numbers.par_iter().chain(&numbers[..]);
        assert_eq!(chain.find_any(look), Some(&100));
        assert_eq!(looked(), 101);
    });
}

#[test]
fn folds() {
    everywhere(|numbers| {
        let sum: u64 = numbers.iter().sum();
        assert_eq!(
            numbers.par_iter().fold(|| 0, |a, n| a + n).sum::<u64>(),
            sum
        );
        assert_eq!(
            numbers.par_iter().fold_with(0, |a, n| a + n).sum::<u64>(),
            sum
        );
        let add = |a: u64, n: &u64| a.checked_add(*n);
        let total = numbers
            .par_iter()
            .try_fold(|| 0, add)
            .try_reduce(|| 0, u64::checked_add);
        assert_eq!(total, Some(sum));
        let total = numbers
            .par_iter()
            .try_fold_with(0, add)
            .try_reduce(|| 0, u64::checked_add);
        assert_eq!(total, Some(sum));

        let limit = |a: u64, n: &u64| if *n == 7919 { Err(*n) } else { Ok(a + n) };
        let expected = numbers.iter().try_fold(0, limit);
        let join = |a: u64, b: u64| Ok(a + b);
        let total = numbers
            .par_iter()
            .try_fold(|| 0, limit)
            .try_reduce(|| 0, join);
        assert_eq!(total, expected);
        let total = numbers
            .par_iter()
            .try_fold_with(0, limit)
            .try_reduce_with(join);
        assert_eq!(total.unwrap_or(Ok(0)), expected);

        let ok = numbers.par_iter().map(|n| Ok::<u64, ()>(*n));
        assert_eq!(ok.try_reduce(|| 0, |a, b| Ok(a + b)), Ok(sum));
        let with = numbers
            .par_iter()
            .map(|n| Some(*n))
            .try_reduce_with(u64::checked_add);
        assert_eq!(with, (!numbers.is_empty()).then_some(Some(sum)));
        let none = numbers.par_iter().map(|n| (*n != 7919).then_some(*n));
        let none = none.try_reduce_with(u64::checked_add);
        assert_eq!(none == Some(None), numbers.contains(&7919));
    });
}

#[test]
fn what_can_fail() {
    let words = ["1", "2", "3"];
    let ready = |n: &&str| Poll::Ready(n.parse::<i32>());
    let add = |a: Poll<i32>, b: Poll<i32>| match (a, b) {
        (Poll::Ready(a), Poll::Ready(b)) => Poll::Ready(Ok(a + b)),
        _ => Poll::Pending,
    };
    let sum = words
        .par_iter()
        .map(ready)
        .try_reduce(|| Poll::Ready(0), add);
    assert_eq!(sum, Poll::Ready(Ok(6)));
    let words = ["1", "x", "3"];
    let sum = words
        .par_iter()
        .map(ready)
        .try_reduce(|| Poll::Ready(0), add);
    assert!(matches!(sum, Poll::Ready(Err(_))));
    let flow = words.par_iter().map(|word| match word.parse::<i32>() {
        Ok(number) => ControlFlow::Continue(number),
        Err(_) => ControlFlow::Break(*word),
    });
    let sum = flow.try_reduce(|| 0, |a, b| ControlFlow::Continue(a + b));
    assert_eq!(sum, ControlFlow::Break("x"));
    let streams = [Poll::Pending, Poll::Ready(None), Poll::Ready(Some(Err(3)))];
    let all: Poll<Option<Result<(), i32>>> = streams
        .par_iter()
        .copied()
        .try_reduce(|| Poll::Pending, |a, _| a.map(|o| o.map(Ok)));
    assert_eq!(all, Poll::Ready(Some(Err(3))));
}

#[test]
fn items_no_matter_which() {
    everywhere(|numbers| {
        let len = numbers.len();
        for count in [0, 1, 50, 9_999, 20_000] {
            let taken = list(numbers.par_iter().take_any(count));
            assert_eq!(taken.len(), count.min(len));
            in_order(numbers, &taken);
            let left = list(numbers.par_iter().skip_any(count));
            assert_eq!(left.len(), len.saturating_sub(count));
            in_order(numbers, &left);
        }
        let taken = list(numbers.par_iter().take_any_while(|_| true));
        assert_eq!(taken.len(), len);
        assert_eq!(list(numbers.par_iter().skip_any_while(|_| true)).len(), 0);
        assert_eq!(list(numbers.par_iter().take_any_while(|_| false)).len(), 0);
        let left = list(numbers.par_iter().skip_any_while(|_| false));
        assert_eq!(left.len(), len);
        let taken = list(numbers.par_iter().take_any_while(|n| **n != 7919));
        assert!(!taken.contains(&&7919));
        in_order(numbers, &taken);
        let left = list(numbers.par_iter().skip_any_while(|n| **n != 7919));
        assert_eq!(left.contains(&&7919), numbers.contains(&7919));
        in_order(numbers, &left);
        let some = list(numbers.par_iter().map(Some).while_some());
        assert_eq!(some.len(), len);
        let some = list(
            numbers
                .par_iter()
                .map(|n| (*n != 7919).then_some(n))
                .while_some(),
        );
        assert_eq!(some.len() < len, numbers.contains(&7919));
        in_order(numbers, &some);
    });

    fn in_order(numbers: &[u64], some: &[&u64]) {
        let mut all = numbers.iter();
        assert!(some.iter().all(|n| all.any(|m| std::ptr::eq(*n, m))));
    }
}

#[test]
fn there_may_be_more_to_intersperse_than_can_be_counted() {
    let numbers = (0..usize::MAX).into_par_iter().intersperse(0);
    assert_eq!(numbers.opt_len(), None);
    assert_eq!(numbers.find_any(|&number| number == 5), Some(5));
    // As many as can be counted.
    let most = repeat_n((), 1 << (usize::BITS - 1)).chain(empty());
    assert_eq!(most.intersperse(()).find_any(|()| true), Some(()));
}
