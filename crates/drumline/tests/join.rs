//! `join`: results, contexts, random trees.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::{Event, MIB, Random, fib, pool, pools_with_helpers, with_stack, without_guests};
use drumline::{Pool, join, join_context};

#[test]
fn results_come_back_in_their_places() {
    assert_eq!(join(|| 1, || "two"), (1, "two"));
    assert_eq!(
        pool(2).join(|| String::from("a"), || vec![2]),
        ("a".into(), vec![2])
    );
    assert_eq!(join(|| (), || ()), ((), ()));
}

#[test]
fn nesting_gives_the_answer_of_plain_recursion() {
    for jobs in [1, 2, 3, 8, 64] {
        assert_eq!(pool(jobs).install(|| fib(18)), 2584, "jobs {jobs}");
        assert_eq!(
            without_guests(jobs).install(|| fib(18)),
            2584,
            "jobs {jobs}"
        );
    }
    assert_eq!(fib(20), 6765);
}

#[test]
fn closures_borrow_and_move() {
    let mut left = vec![1, 2, 3];
    let mut right = vec![4, 5];
    let moved = String::from("moved");
    let (sum, text) = join(
        || {
            left.push(9);
            left.iter().sum::<i32>()
        },
        || {
            right.clear();
            moved + "!"
        },
    );
    assert_eq!((sum, text.as_str()), (15, "moved!"));
    assert_eq!((left.len(), right.len()), (4, 0));
}

#[test]
fn types_without_a_size_and_without_a_value() {
    struct Nothing;
    #[repr(align(64))]
    #[derive(Clone, Copy)]
    struct Aligned(u8);
    let (Nothing, ()) = join(|| Nothing, || ());
    for _ in 0..1_000 {
        let (a, b) = join(|| Aligned(1), || Aligned(2));
        assert_eq!((a.0, b.0), (1, 2));
        assert!((&raw const a).is_aligned() && (&raw const b).is_aligned());
    }
}

fn pattern(seed: u8) -> [u8; MIB] {
    std::array::from_fn(|at| (at as u8).wrapping_mul(31) ^ seed)
}

#[test]
fn closures_and_results_of_a_mebibyte() {
    // By value, on a stack that plain recursion would need as well.
    for jobs in [1, 2, 8] {
        let pool = Pool::builder()
            .jobs(jobs)
            .stack_size(256 * MIB)
            .guests(true);
        let pool = pool.build().unwrap();
        with_stack(256 * MIB, || {
            let (a, b) = (pattern(1), pattern(2));
            let (a, b) = pool.join(move || a, move || b);
            assert!(a == pattern(1) && b == pattern(2));
        });
    }
}

#[test]
fn large_results_of_halves_that_ran_elsewhere() {
    let pool = Pool::builder().jobs(2).stack_size(256 * MIB).guests(true);
    let pool = pool.build().unwrap();
    with_stack(256 * MIB, || {
        let taken = Event::new();
        let input = pattern(7);
        let ((), output) = pool.join(
            || taken.wait(),
            || {
                let output = input;
                taken.set();
                output
            },
        );
        assert!(output == pattern(7));
    });
}

#[test]
fn boxed_results_of_a_mebibyte() {
    let (a, b) = join(|| vec![1_u8; MIB].into_boxed_slice(), || vec![2_u8; MIB]);
    assert!(a.iter().all(|&x| x == 1) && b.iter().all(|&x| x == 2));
    assert_eq!((a.len(), b.len()), (MIB, MIB));
}

#[test]
fn halves_know_whether_they_migrated() {
    fn tree(depth: u32, migrated: &AtomicUsize) {
        if depth == 0 {
            return;
        }
        let me = thread::current().id();
        join_context(
            |context| {
                assert!(!context.migrated());
                assert_eq!(thread::current().id(), me);
                tree(depth - 1, migrated);
            },
            |context| {
                assert_eq!(context.migrated(), thread::current().id() != me);
                migrated.fetch_add(context.migrated().into(), Ordering::Relaxed);
                tree(depth - 1, migrated);
            },
        );
    }
    for (_, pool) in pools_with_helpers() {
        pool.install(|| tree(10, &AtomicUsize::new(0)));
    }
}

#[test]
fn a_half_that_must_migrate_does() {
    for (_, pool) in pools_with_helpers() {
        let taken = Event::new();
        let (a, b) = pool.install(|| {
            join_context(
                |context| {
                    taken.wait();
                    context.migrated()
                },
                |context| {
                    taken.set();
                    context.migrated()
                },
            )
        });
        assert_eq!((a, b), (false, true));
    }
}

#[test]
fn alone_nothing_migrates() {
    // With one job, a guest has the only place.
    let pool = pool(1);
    for _ in 0..1_000 {
        let (a, b) = pool.install(|| join_context(|a| a.migrated(), |b| b.migrated()));
        assert_eq!((a, b), (false, false));
    }
}

#[test]
fn random_trees_run_every_leaf_once() {
    fn node(seed: u64, leaves: &[AtomicUsize]) {
        match leaves {
            [] => {}
            [leaf] => {
                leaf.fetch_add(1, Ordering::Relaxed);
            }
            _ => {
                let mut random = Random::new(seed);
                let at = random.below(leaves.len() as u64 + 1) as usize;
                let at = at.clamp(1, leaves.len() - 1);
                let (a, b) = leaves.split_at(at);
                let seeds = (random.number(), random.number());
                join(|| node(seeds.0, a), || node(seeds.1, b));
            }
        }
    }
    let leaves: Vec<AtomicUsize> = (0..2_000).map(|_| AtomicUsize::new(0)).collect();
    for (name, pool) in pools_with_helpers() {
        for seed in 0..20 {
            pool.install(|| node(seed, &leaves));
            for leaf in &leaves {
                assert_eq!(leaf.swap(0, Ordering::Relaxed), 1, "{name}, seed {seed}");
            }
        }
    }
}
