//! Joins nested as deep as plain recursion would go, and deeper than a deque holds.

mod common;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{MIB, fib, meet, pool, with_stack};
use drumline::iter::walk_tree_prefix;
use drumline::prelude::*;
use drumline::{Pool, join};

/// More than a deque holds (16,383 entries), several times over.
const DEEP: usize = 100_000;
/// Enough for `DEEP` frames of a debug build.
const DEEP_STACK: usize = 2 << 30;

fn left(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    let (a, b) = join(|| left(depth - 1), || 1);
    a + b
}

fn right(depth: usize) -> usize {
    if depth == 0 {
        return 1;
    }
    let (a, b) = join(|| 1, || right(depth - 1));
    a + b
}

#[test]
fn a_hundred_thousand_joins_deep() {
    for jobs in [1, 2, 8] {
        let pool = Pool::builder()
            .jobs(jobs)
            .stack_size(DEEP_STACK)
            .guests(true);
        let pool = pool.build().unwrap();
        with_stack(DEEP_STACK, || {
            assert_eq!(pool.install(|| left(DEEP)), DEEP + 1, "jobs {jobs}");
            assert_eq!(pool.install(|| right(DEEP)), DEEP + 1, "jobs {jobs}");
            // Once more, with the further deques in place.
            assert_eq!(pool.install(|| left(DEEP)), DEEP + 1, "jobs {jobs}");
        });
    }
}

#[test]
fn further_deques_are_stolen_from() {
    // At every depth around the capacities (16,383, then twice that) a meeting.
    fn meeting_every(depth: usize, meetings: &AtomicUsize) {
        if depth == 0 {
            return;
        }
        if depth.is_multiple_of(1_009) {
            meet();
            meetings.fetch_add(1, Ordering::Relaxed);
        }
        join(|| meeting_every(depth - 1, meetings), || ());
    }
    let pool = Pool::builder().jobs(2).stack_size(DEEP_STACK).guests(true);
    let pool = pool.build().unwrap();
    let meetings = AtomicUsize::new(0);
    with_stack(DEEP_STACK, || {
        pool.install(|| meeting_every(60_000, &meetings));
    });
    assert_eq!(meetings.into_inner(), 60_000 / 1_009);
}

#[test]
fn deep_trees_with_work_at_every_depth() {
    // Bushes hang on a deep trunk: pushes and pops cross the boundary between deques.
    fn trunk(depth: usize) -> u64 {
        if depth == 0 {
            return 0;
        }
        let bush = if depth.is_multiple_of(500) { 10 } else { 1 };
        let (a, b) = join(|| trunk(depth - 1), || fib(bush));
        a + b
    }
    let expected = (1..=40_000)
        .map(|depth| if depth % 500 == 0 { 55 } else { 1 })
        .sum();
    for jobs in [2, 4] {
        let pool = Pool::builder()
            .jobs(jobs)
            .stack_size(DEEP_STACK)
            .guests(true);
        let pool = pool.build().unwrap();
        let sum: u64 = with_stack(DEEP_STACK, || pool.install(|| trunk(40_000)));
        assert_eq!(sum, expected, "jobs {jobs}");
    }
}

#[test]
fn a_level_of_joins_needs_about_as_much_stack_as_a_level_of_calls() {
    thread_local!(static LOWEST: Cell<usize> = const { Cell::new(0) });
    fn here() {
        let local = 0_u8;
        LOWEST.set((&raw const local).addr());
    }
    fn nested(depth: usize) {
        if depth == 0 {
            here();
        } else {
            join(|| nested(depth - 1), || ());
        }
    }
    const LEVELS: usize = 1_000;
    let pool = pool(1);
    let used = with_stack(64 * MIB, || {
        pool.install(|| {
            let local = 0_u8;
            let start = (&raw const local).addr();
            nested(LEVELS);
            start - LOWEST.get()
        })
    });
    let bound = if cfg!(debug_assertions) { 4_096 } else { 512 };
    eprintln!("{} bytes per level", used / LEVELS);
    assert!(used / LEVELS <= bound, "{} bytes per level", used / LEVELS);
}

/// A comb: a path from the root, with one leaf at each of its nodes. A sequential walk needs no
/// more stack than its deepest call.
#[test]
fn a_comb_shaped_tree_needs_little_stack() {
    /// Where the items ran: the lowest and the highest address on the stack of this thread.
    struct Extent(Cell<(usize, usize)>, Arc<AtomicUsize>);
    impl Drop for Extent {
        fn drop(&mut self) {
            let (low, high) = self.0.get();
            // Relaxed: read after the threads have ended.
            self.1.fetch_max(high - low, Ordering::Relaxed);
        }
    }
    thread_local!(static EXTENT: RefCell<Option<Extent>> = const { RefCell::new(None) });

    const NODES: u64 = 20_000;
    let deepest = Arc::new(AtomicUsize::new(0));
    let pool = Pool::builder().jobs(8).guests(false).build().unwrap();
    let children = |&node: &u64| {
        let inner = node.is_multiple_of(2) && node + 2 < NODES;
        let pair = inner.then_some([node + 2, node + 1]);
        pair.into_iter().flatten()
    };
    let tree = walk_tree_prefix(0, children);
    let seen = pool.install(|| {
        tree.map(|node| {
            let here = (&raw const node).addr();
            EXTENT.with_borrow_mut(|extent| {
                let new = || Extent(Cell::new((here, here)), Arc::clone(&deepest));
                let extent = &extent.get_or_insert_with(new).0;
                let (low, high) = extent.get();
                extent.set((low.min(here), high.max(here)));
            });
            fib((node.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60) as u32);
            1
        })
        .sum::<u64>()
    });
    assert_eq!(seen, NODES - 1);
    pool.shutdown().unwrap();
    let deepest = deepest.load(Ordering::Relaxed);
    assert!(deepest > 0 && deepest < MIB / 8, "{deepest} bytes");
}
