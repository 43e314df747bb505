//! How deep stacks get: programs that overflow them where waiting threads take any work (told in
//! issues of rayon's, written anew from what they tell), and chains of tasks longer than any
//! stack. All run on the stacks that come by default, and on small ones.

mod common;

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{MIB, each, ends, fib, pool, with_stack, without_guests};
use drumline::{JoinHandle, Pool, WaitPolicy, join};

/// Far more than there are frames on a default stack.
const CHAIN: usize = 100_000;

thread_local! {
    /// Where the stack of this thread was when it began.
    static START: Cell<usize> = const { Cell::new(0) };
}

fn here() -> usize {
    let local = 0_u8;
    (&raw const local).addr()
}

/// A pool with threads that note where their stacks begin.
fn noting(jobs: usize, guests: bool) -> Pool {
    let pool = Pool::builder().jobs(jobs).guests(guests);
    pool.start_handler(|_| START.set(here())).build().unwrap()
}

/// How much stack was used at the most.
#[derive(Default)]
struct Depth(AtomicUsize);

impl Depth {
    fn note(&self) {
        self.0.fetch_max(START.get() - here(), Ordering::Relaxed);
    }
}

/// Checks that the program goes at most four times as deep with helpers as it does with one job,
/// where its forks are plain calls. It is given a number of jobs, and whether there are guests.
#[track_caller]
fn as_deep_as_alone(program: impl Fn(usize, bool, &Depth) + Sync) {
    for guests in [true, false] {
        let [alone, helped @ ..] = [1, 2, 4, 16].map(|jobs| {
            let depth = Depth::default();
            with_stack(2 * MIB, || {
                START.set(here());
                program(jobs, guests, &depth);
            });
            depth.0.into_inner()
        });
        eprintln!("{alone} bytes alone, with helpers {helped:?}, guests {guests}");
        for helped in helped {
            assert!(
                helped <= 4 * alone,
                "{helped} bytes, alone {alone}, guests {guests}"
            );
        }
    }
}

/// Issue 751: each item of a loop in one pool opens a scope in another, with a loop in it.
#[test]
fn a_scope_in_another_pool_for_each_item() {
    as_deep_as_alone(|jobs, guests, depth| {
        let (outer, inner) = (noting(jobs, guests), noting(jobs, guests));
        outer.install(|| {
            each(0..1_000, &|_| {
                inner.scope(|_| {
                    each(0..50, &|_| depth.note());
                });
            });
        });
    });
}

fn loops_in_jobs(pool: &Pool, depth: &Depth) {
    pool.scope(|scope| {
        for length in 0..1_000 {
            scope.spawn(move |_| each(0..length, &|_| depth.note()));
        }
    });
}

/// Issue 854: many jobs of a scope, with a loop in each.
#[test]
fn a_loop_in_each_of_many_jobs() {
    as_deep_as_alone(|jobs, guests, depth| loops_in_jobs(&noting(jobs, guests), depth));
}

/// The same where waiting threads do take any work: no deeper than there is room.
#[test]
fn with_steal_a_loop_in_each_of_many_jobs() {
    for jobs in [1, 2, 4, 16] {
        ends(move || {
            let pool = Pool::builder().jobs(jobs).stack_size(MIB / 2);
            let pool = pool.wait_policy(WaitPolicy::Steal).guests(true);
            let pool = pool.start_handler(|_| START.set(here())).build().unwrap();
            let depth = Depth::default();
            with_stack(MIB / 2, || {
                START.set(here());
                loops_in_jobs(&pool, &depth);
            });
            eprintln!("{} bytes, jobs {jobs}", depth.0.into_inner());
        });
    }
}

/// Issue 1194: a large frame in each item of a loop.
#[test]
fn a_large_frame_in_each_item() {
    for jobs in [1, 2, 4, 16] {
        ends(move || {
            let sum = AtomicUsize::new(0);
            pool(jobs).install(|| {
                each(0..1_000, &|i| {
                    let frame = std::hint::black_box([i as u8; 200_000]);
                    join(|| fib(3), || fib(3));
                    sum.fetch_add(frame[i].into(), Ordering::Relaxed);
                });
            });
            let expected = (0..1_000_usize).map(|i| i % 256).sum::<usize>();
            assert_eq!(sum.into_inner(), expected);
        });
    }
}

/// Issue 1064: many tasks, each of which yields before it ends.
#[test]
fn many_tasks_that_yield() {
    fn tasks(count: usize, step: fn() -> Option<drumline::Yield>) -> usize {
        let tasks: Vec<_> = (0..count)
            .map(|_| drumline::spawn(move || usize::from(step().is_some())))
            .collect();
        tasks.into_iter().map(|task| task.join().unwrap()).sum()
    }
    for make in [pool as fn(usize) -> Pool, without_guests] {
        for jobs in [1, 2, 4] {
            for step in [drumline::yield_local, drumline::yield_now] {
                let count = 20_000;
                assert_eq!(
                    ends(move || make(jobs).install(|| tasks(count, step))),
                    count
                );
            }
        }
    }
}

/// Spawns a chain of tasks, each of which waits for the one before it, and returns the last.
fn chain(
    spawn: impl Fn(Box<dyn FnOnce() -> usize + Send>) -> JoinHandle<usize>,
) -> JoinHandle<usize> {
    let mut last = spawn(Box::new(|| 1));
    for _ in 1..CHAIN {
        last = spawn(Box::new(move || last.join().unwrap() + 1));
    }
    last
}

/// The workers begin at the old end, the moment that it is there.
#[test]
fn a_chain_from_the_old_end() {
    for jobs in [1, 2, 4, 16] {
        let length = ends(move || {
            let pool = pool(jobs);
            chain(|task| pool.spawn(task)).join().unwrap()
        });
        assert_eq!(length, CHAIN, "jobs {jobs}");
    }
}

/// With one job, a guest has the only place until it waits: it goes down from the new end as far as
/// there is room, and then the worker comes to meet it.
#[test]
fn a_chain_from_the_new_end() {
    // If the room that is left is unknown, jobs are counted, and the smallest stacks are too small.
    let measured = cfg!(all(target_os = "linux", target_env = "gnu", not(miri)));
    let least = if measured { MIB / 16 } else { MIB / 2 };
    let stacks = [MIB / 16, MIB / 8, MIB / 2, 2 * MIB, 8 * MIB, 32 * MIB];
    for stack in stacks.into_iter().filter(|&stack| stack >= least) {
        let pool = pool(1);
        let length = with_stack(stack, || {
            pool.install(|| chain(drumline::spawn).join().unwrap())
        });
        assert_eq!(length, CHAIN, "stack of {stack}");
    }
}
