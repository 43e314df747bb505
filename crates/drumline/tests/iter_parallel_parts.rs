//! What every parallel iterator can do, against what a sequential one does. The second half.

mod plain;

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use drumline::Pool;
use drumline::prelude::*;

use plain::*;

#[test]
fn an_unhelped_loop_is_one_part() {
    let inits = AtomicUsize::new(0);
    let init = || inits.fetch_add(1, Ordering::Relaxed);
    let inits = || inits.swap(0, Ordering::Relaxed);
    let numbers: Vec<u64> = (0..10_000).collect();
    let few = &numbers[..100];
    alone(|| {
        numbers.par_iter().for_each_init(init, |_, _| ());
        assert_eq!(inits(), 1);
        assert_eq!(
            numbers.par_iter().map_init(init, |_, n| n).sum::<u64>(),
            49_995_000
        );
        assert_eq!(inits(), 1);
        let result = numbers.par_iter().try_for_each_init(init, |_, _| Some(()));
        assert_eq!((result, inits()), (Some(()), 1));
        assert_eq!(numbers.par_iter().fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 1);
        assert_eq!(numbers.par_iter().fold_with(1, |a, n| a + n).count(), 1);
        assert_eq!(numbers.par_iter().try_fold(init, |a, _| Some(a)).count(), 1);
        assert_eq!(inits(), 1);
        let try_fold = numbers.par_iter().try_fold_with(1, |a, n| Some(a + n));
        assert_eq!(try_fold.count(), 1);

        // Also across the inner loops, and from the first of a chain to the second.
        let flat = few.par_iter().flat_map(|_| few);
        assert_eq!(flat.clone().fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 1);
        assert_eq!(flat.clone().map_init(init, |_, n| n).count(), 10_000);
        assert_eq!(inits(), 1);
        let deep = few
            .par_iter()
            .flat_map(|_| few.par_iter().flat_map(|_| few));
        assert_eq!(deep.fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 1);
        let chain = few.par_iter().chain(few);
        assert_eq!(chain.clone().fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 1);
        assert_eq!(
            chain
                .filter(|_| true)
                .chain(flat)
                .fold(init, |a, _| a)
                .count(),
            1
        );
        assert_eq!(inits(), 1);
        assert_eq!(
            few.par_iter().intersperse(&1).fold(init, |a, _| a).count(),
            1
        );
        let some = few.par_iter().filter(|n| **n > 3).intersperse(&1);
        assert_eq!(some.fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 2);
        let kept = few.par_iter().take_any(5).skip_any(1).panic_fuse();
        assert_eq!(kept.fold(init, |a, _| a).count(), 1);
        assert_eq!(inits(), 1);
    });
}

#[test]
fn values_are_cloned_for_splits_and_not_for_runs() {
    static CLONES: AtomicUsize = AtomicUsize::new(0);
    struct Counting;
    impl Clone for Counting {
        fn clone(&self) -> Self {
            CLONES.fetch_add(1, Ordering::Relaxed);
            Counting
        }
    }
    let numbers: Vec<u64> = (0..1_000_000).collect();
    alone(|| numbers.par_iter().for_each_with(Counting, |_, _| ()));
    let clones = CLONES.swap(0, Ordering::Relaxed);
    assert!(clones <= 64, "{clones} clones");
    alone(|| numbers[..1].par_iter().for_each_with(Counting, |_, _| ()));
    assert_eq!(CLONES.load(Ordering::Relaxed), 0);
}

#[test]
fn inner_loops_are_helped_with() {
    // Each half waits for the other.
    let pool = Pool::builder().jobs(2).build().unwrap();
    let barrier = std::sync::Barrier::new(2);
    let flat = || [0].par_iter().flat_map(|_| &[1, 2][..]);
    let sum: i32 = pool.install(|| {
        flat()
            .map(|n| {
                barrier.wait();
                n
            })
            .sum()
    });
    assert_eq!(sum, 3);
    let (a, b) = ([1], [2]);
    let chain = || a.par_iter().chain(&b[..]);
    let wait = |n| {
        barrier.wait();
        n
    };
    assert_eq!(pool.install(|| list(chain().map(wait))), [&1, &2]);
    assert_eq!(
        pool.install(|| list(flat().map(wait).intersperse(&5))),
        [&1, &5, &2]
    );
}

#[test]
fn parts_that_are_helped_with_stay_in_order() {
    let numbers: Vec<u64> = (0..60).collect();
    let nap = |n: &u64| {
        thread::sleep(Duration::from_micros(20 * (n % 3)));
        *n
    };
    let pool = Pool::builder().jobs(4).build().unwrap();
    pool.install(|| {
        let flat = numbers
            .par_iter()
            .flat_map(|n| &numbers[..(n % 7) as usize])
            .map(nap);
        let expected = numbers.iter().flat_map(|n| 0..n % 7).collect::<Vec<_>>();
        assert_eq!(list(flat), expected);
        let chain = numbers.par_iter().chain(&numbers[..7]).map(nap);
        let expected: Vec<u64> = (0..60).chain(0..7).collect();
        assert_eq!(list(chain.clone()), expected);
        let odd = |n: &u64| n % 2 == 1;
        assert_eq!(chain.clone().find_first(odd), Some(1));
        assert_eq!(chain.clone().find_last(odd), Some(5));
        assert_eq!(chain.clone().find_last(|n| *n == 59), Some(59));
        let odd = list(chain.filter(odd).intersperse(100));
        let mut expected: Vec<u64> = (0..60).chain(0..7).filter(|n| n % 2 == 1).collect();
        expected = expected.iter().flat_map(|n| [*n, 100]).collect();
        expected.pop();
        assert_eq!(odd, expected);
    });
}

#[test]
fn a_panic_drops_each_item_once() {
    static LIVE: AtomicUsize = AtomicUsize::new(0);
    struct Counted;
    impl Counted {
        fn new() -> Self {
            LIVE.fetch_add(1, Ordering::Relaxed);
            Counted
        }
    }
    impl Clone for Counted {
        fn clone(&self) -> Self {
            Counted::new()
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn panics(op: impl FnOnce() + Send) {
        let result = panic::catch_unwind(AssertUnwindSafe(op));
        assert!(result.is_err());
        assert_eq!(LIVE.load(Ordering::Relaxed), 0);
    }

    let numbers: Vec<u64> = (0..1_000).collect();
    let make = |n: &u64| {
        assert_ne!(*n, 999);
        Counted::new()
    };
    for jobs in [1, 4] {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        let made = || numbers.par_iter().map(make);
        panics(|| pool.install(|| drop(list(made()))));
        panics(|| pool.install(|| drop(list(made().intersperse(Counted::new())))));
        panics(|| pool.install(|| drop(list(made().filter(|_| true).intersperse(Counted::new())))));
        panics(|| pool.install(|| drop(made().reduce_with(|a, _| a))));
        panics(|| pool.install(|| drop(made().find_last(|_| true))));
        panics(|| pool.install(|| drop(list(made().chain(numbers.par_iter().map(make))))));
        panics(|| {
            pool.install(|| {
                drop(list(numbers.par_iter().flat_map(|n| {
                    let few = &numbers[..(n % 5) as usize];
                    few.par_iter().map(move |_| make(n))
                })))
            })
        });
        panics(|| pool.install(|| drop(list(made().map_with(Counted::new(), |_, n| n)))));
        panics(|| pool.install(|| drop(made().map(Some).try_reduce_with(|a, _| Some(a)))));
        panics(|| {
            pool.install(|| {
                drop(list(made().fold(Vec::new, |mut all, n| {
                    all.push(n);
                    all
                })))
            })
        });
    }
}

#[test]
fn a_fuse_stops_the_others() {
    // One thread panics at once, the other would have to go through everything else. With spares,
    // further threads would, while items sleep and the panic is written to standard error.
    let pool = Pool::builder().jobs(2).spares(false).build().unwrap();
    let numbers = [0; 2_000];
    let calls = AtomicUsize::new(0);
    let run = || {
        pool.install(|| {
            numbers.par_iter().panic_fuse().for_each(|_| {
                if calls.fetch_add(1, Ordering::Relaxed) == 0 {
                    panic!("the first one");
                }
                thread::sleep(Duration::from_millis(1));
            });
        });
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
    assert!(calls.into_inner() < 1_500);
}

#[test]
fn a_fuse_in_a_destructor_is_whole() {
    struct Sums<'t>(&'t AtomicUsize);
    impl Drop for Sums<'_> {
        fn drop(&mut self) {
            let numbers = [1; 1_000];
            let sum: usize = numbers.par_iter().panic_fuse().sum();
            self.0.store(sum, Ordering::Relaxed);
        }
    }
    let sum = AtomicUsize::new(0);
    let run = || {
        let _sums = Sums(&sum);
        panic!("and the destructor runs");
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(sum.into_inner(), 1_000);
}

#[test]
fn adapters_are_shown_without_their_closures() {
    let numbers = [1, 2, 3];
    let shown = format!(
        "{:?}",
        numbers
            .par_iter()
            .map_init(|| 0, |_, n| n)
            .try_fold(|| 0, |a, _| Some(a))
    );
    assert!(
        shown.starts_with("TryFold { base: MapInit { base: Iter"),
        "{shown}"
    );
    let shown = format!(
        "{:?}",
        numbers
            .par_iter()
            .chain(&numbers[..])
            .intersperse(&4)
            .take_any(1)
    );
    assert!(
        shown.contains("Chain") && shown.contains("element: 4"),
        "{shown}"
    );
}
