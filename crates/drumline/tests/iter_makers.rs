//! Sources that are functions, trees and sequential iterators.

mod sources;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, mpsc};
use std::{iter as std_iter, thread};

use drumline::Pool;
use drumline::iter::{
    empty, from_par_fn, once, repeat, repeat_n, split, walk_tree, walk_tree_postfix,
    walk_tree_prefix,
};
use drumline::prelude::*;

use sources::{check_splits, in_pools, ordered, sorted};

const LENGTHS: [usize; 6] = [0, 1, 2, 3, 100, 10_000];

#[test]
fn small_ones() {
    in_pools(|| {
        assert_eq!(ordered(empty::<String>()), [""; 0]);
        assert_eq!(ordered(once(String::from("one"))), ["one"]);
        for len in LENGTHS {
            assert_eq!(ordered(repeat_n("x", len)), vec!["x"; len]);
            assert_eq!(ordered(repeat("x").take(len)), vec!["x"; len]);
            let squares = from_par_fn(len, |index| index * index);
            assert_eq!(
                ordered(squares),
                Vec::from_iter((0..len).map(|index| index * index))
            );
        }
    });
    check_splits(&[], empty::<u32>);
    check_splits(&[42], || once(42));
    check_splits(&[1; 5], || repeat_n(1, 5));
    check_splits(&[0, 1, 4, 9, 16], || from_par_fn(5, |index| index * index));
}

#[test]
fn the_last_repetition_is_the_element() {
    struct Counted<'c>(&'c AtomicUsize);

    impl Clone for Counted<'_> {
        fn clone(&self) -> Self {
            self.0.fetch_add(1, Ordering::Relaxed);
            Counted(self.0)
        }
    }

    in_pools(|| {
        for len in [1, 2, 1_000] {
            let clones = AtomicUsize::new(0);
            assert_eq!(
                repeat_n(Counted(&clones), len).map(|_| 1).sum::<usize>(),
                len
            );
            assert_eq!(clones.into_inner(), len - 1);
        }
    });
}

#[test]
fn for_ever_ends_with_a_panic() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let count = AtomicUsize::new(0);
    let endless =
        || repeat(1).for_each(|one| assert!(count.fetch_add(one, Ordering::Relaxed) < 5_000));
    assert!(catch_unwind(AssertUnwindSafe(|| pool.install(endless))).is_err());
    assert_eq!(count.into_inner(), 5_001);
}

/// Splits a range in the middle, or at one of its ends.
type Splitter =
    fn(std::ops::Range<usize>) -> (std::ops::Range<usize>, Option<std::ops::Range<usize>>);

const SPLITTERS: [Splitter; 3] = [
    |part| {
        let middle = part.start.midpoint(part.end);
        if part.len() < 2 {
            (part, None)
        } else {
            (part.start..middle, Some(middle..part.end))
        }
    },
    |part| {
        let middle = part.start + 1;
        if part.len() < 2 {
            (part, None)
        } else {
            (part.start..middle, Some(middle..part.end))
        }
    },
    |part| {
        if part.len() < 2 {
            (part, None)
        } else {
            (part.start..part.end - 1, Some(part.end - 1..part.end))
        }
    },
];

#[test]
fn parts() {
    in_pools(|| {
        for splitter in SPLITTERS {
            for len in LENGTHS {
                let parts = ordered(split(0..len, splitter));
                assert!(parts.iter().cloned().flatten().eq(0..len));
            }
        }
    });
}

/// As many items as jobs, each of which waits for all others.
fn meets(jobs: usize, op: impl FnOnce(&(dyn Fn() + Sync)) + Send) {
    let pool = Pool::builder().jobs(jobs).build().unwrap();
    let barrier = Barrier::new(jobs);
    pool.install(|| {
        op(&|| {
            barrier.wait();
        });
    });
}

#[test]
fn all_parts_at_once() {
    for splitter in SPLITTERS {
        for jobs in [2, 3, 4] {
            meets(jobs, |meet| split(0..jobs, splitter).for_each(|_| meet()));
        }
    }
}

#[test]
fn parts_that_take_long_are_split_to_the_last() {
    let pool = Pool::builder().jobs(2).build().unwrap();
    for splitter in SPLITTERS {
        let parts = split(0..100, splitter).map(|part| {
            thread::sleep(std::time::Duration::from_micros(50));
            part.len()
        });
        assert_eq!(pool.install(|| ordered(parts)), [1; 100]);
    }
}

#[test]
fn all_nodes_at_once() {
    for jobs in [2, 3, 4] {
        // All children of one node, a chain of nodes with one leaf each, and one with the leaf
        // first.
        meets(jobs, |meet| {
            let nodes = walk_tree(0, |&node| if node == 0 { 1..jobs } else { 0..0 });
            nodes.for_each(|_| meet());
        });
        meets(jobs, |meet| {
            let nodes = walk_tree_prefix(0, |&node| (node + 1 < jobs).then_some(node + 1));
            nodes.for_each(|_| meet());
        });
        meets(jobs, |meet| {
            let nodes = walk_tree_postfix(0, |&node| (node + 1 < jobs).then_some(node + 1));
            nodes.for_each(|_| meet());
        });
    }
}

/// The nodes of a tree, in both orders.
fn walk(
    node: u64,
    children: &dyn Fn(&u64) -> Vec<u64>,
    before: &mut Vec<u64>,
    after: &mut Vec<u64>,
) {
    before.push(node);
    for child in children(&node) {
        walk(child, children, before, after);
    }
    after.push(node);
}

#[test]
fn trees() {
    // One node, a chain, a balanced tree, a wide one, and one that leans.
    let trees: [fn(&u64) -> Vec<u64>; 5] = [
        |_| vec![],
        |&node| Vec::from_iter((node < 300).then_some(node + 1)),
        |&node| {
            if node < 5_000 {
                vec![2 * node, 2 * node + 1]
            } else {
                vec![]
            }
        },
        |&node| {
            if node == 1 {
                Vec::from_iter(2..3_000)
            } else {
                vec![]
            }
        },
        |&node| {
            if node < 500 {
                vec![1_000 + node, node + 1, 2_000 + node]
            } else {
                vec![]
            }
        },
    ];
    in_pools(|| {
        for children in trees {
            let (mut before, mut after) = (Vec::new(), Vec::new());
            walk(1, &children, &mut before, &mut after);
            assert_eq!(ordered(walk_tree_prefix(1, children)), before);
            assert_eq!(ordered(walk_tree_postfix(1, children)), after);
            before.sort_unstable();
            assert_eq!(sorted(walk_tree(1, children)), before);
        }
    });
}

#[test]
fn a_tree_may_be_a_long_chain() {
    in_pools(|| {
        let chain = |&node: &u64| (node < 200_000).then_some(node + 1);
        assert_eq!(walk_tree_prefix(1, chain).sum::<u64>(), 20_000_100_000);
        assert_eq!(walk_tree_postfix(1, chain).sum::<u64>(), 20_000_100_000);
    });
}

#[test]
fn bridges() {
    in_pools(|| {
        for len in LENGTHS {
            assert_eq!(sorted((0..len).par_bridge()), Vec::from_iter(0..len));
        }
        let (sender, receiver) = mpsc::sync_channel(3);
        thread::scope(|scope| {
            scope.spawn(move || (0..1_000).for_each(|number| sender.send(number).unwrap()));
            let received = receiver.into_iter().par_bridge();
            assert_eq!(sorted(received), Vec::from_iter(0..1_000));
        });
    });
}

#[test]
fn all_shares_of_a_bridge_at_once() {
    for jobs in [2, 3, 4] {
        meets(jobs, |meet| (0..jobs).par_bridge().for_each(|_| meet()));
    }
}

#[test]
fn an_iterator_is_not_asked_after_its_end() {
    in_pools(|| {
        let mut left = 100;
        let anew = std_iter::from_fn(move || {
            assert!(left >= 0, "asked after the end");
            left -= 1;
            (left >= 0).then_some(left)
        });
        assert_eq!(sorted(anew.par_bridge()), Vec::from_iter(0..100));
    });
}

#[test]
fn an_iterator_that_panics() {
    in_pools(|| {
        let items = Mutex::new(Vec::new());
        let given = (0..1_000).inspect(|&number| assert!(number < 500, "no more"));
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            given
                .par_bridge()
                .for_each(|number| items.lock().unwrap().push(number));
        }));
        let payload = outcome.unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"no more"));
        let mut items = items.into_inner().unwrap();
        items.sort_unstable();
        assert_eq!(items, Vec::from_iter(0..500));
    });
}

#[test]
fn a_panic_ends_an_endless_iterator() {
    in_pools(|| {
        let outcome = catch_unwind(|| {
            (0u64..)
                .par_bridge()
                .for_each(|number| assert!(number != 1_000));
        });
        assert!(outcome.is_err());
    });
}

#[test]
fn an_iterator_that_forks() {
    in_pools(|| {
        let forking = (0..2_000).map(|number| drumline::join(|| number, || number.to_string()));
        let expected = Vec::from_iter((0..2_000).map(|number| (number, number.to_string())));
        assert_eq!(sorted(forking.par_bridge()), expected);
    });
}

#[test]
fn an_iterator_that_loops() {
    in_pools(|| {
        let looping = (0..200).map(|number: u64| {
            let inner = (0..100).map(move |other| drumline::join(|| number, || other));
            inner.par_bridge().map(|(a, b)| a * b).sum::<u64>()
        });
        assert_eq!(looping.par_bridge().sum::<u64>(), 19_900 * 4_950);
    });
}

/// Calls its function when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A loop in the drop of some value, while its thread unwinds: there a panic poisons no lock.
#[test]
fn what_panics_during_another_panic_is_not_asked_again() {
    let pool = Pool::builder().jobs(2).build().unwrap();
    let (asked, asked_late) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for _ in 0..200 {
        asked.store(0, Ordering::SeqCst);
        let mut has_panicked = false;
        let mut numbers = std_iter::from_fn(|| {
            asked_late.fetch_add(usize::from(has_panicked), Ordering::SeqCst);
            if asked.fetch_add(1, Ordering::SeqCst) > 10 && thread::panicking() {
                has_panicked = true;
                resume_unwind(Box::new("on purpose"));
            }
            (!has_panicked).then_some(())
        });
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _late = OnDrop(|| {
                let looped = catch_unwind(AssertUnwindSafe(|| {
                    pool.install(|| (&mut numbers).par_bridge().for_each(drop));
                }));
                assert!(looped.is_err());
            });
            resume_unwind(Box::new("first"));
        }));
        assert!(outcome.is_err());
    }
    assert_eq!(asked_late.into_inner(), 0);
}
