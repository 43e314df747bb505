//! Loops that no thread helps do without an allocation.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Barrier;

use common::without_spares;
use drumline::prelude::*;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, and how often each thread has asked it.
struct Counting;

// SAFETY: all is left to the system's allocator; the count is a plain cell that allocates nothing
// itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's obligation.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligation.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How often the calling thread allocates in `op`.
fn allocations(op: impl FnOnce()) -> usize {
    let before = COUNT.get();
    op();
    COUNT.get() - before
}

/// All that is known to be a loop, and puts nothing into a collection.
fn loops(numbers: &[u64]) {
    let len = numbers.len() as u64;
    assert_eq!(numbers.par_iter().sum::<u64>(), len * (len - 1) / 2);
    let even = numbers.par_iter().map(|n| n * 3).filter(|n| n % 2 == 0);
    assert_eq!(even.count() as u64, len.div_ceil(2));
    let pairs = numbers.par_iter().zip(numbers).enumerate();
    assert!(pairs.all(|(place, (a, b))| a == b && *a == place as u64));
    let most = numbers.par_chunks(7).map(<[u64]>::len).max();
    assert_eq!(most, Some(numbers.len().min(7)));
    let rows = (0..len.min(40)).into_par_iter();
    let inner = |row: u64| (0..row).into_par_iter().sum::<u64>();
    rows.map(inner).for_each(|sum| assert!(sum < 1_000));
    assert_eq!(numbers.par_iter().find_first(|n| **n > 2), Some(&3));
}

#[test]
fn loops_that_no_thread_helps_allocate_nothing() {
    for jobs in [1, 2] {
        // A thread that takes the place of one that waits is made by the one that waits: that is no
        // loop's beginning.
        let pool = without_spares(jobs, true);
        let (begun, over) = (Barrier::new(jobs), Barrier::new(jobs));
        pool.install(|| {
            drumline::scope(|scope| {
                // All other threads are busy.
                for _ in 1..jobs {
                    scope.spawn(|_| {
                        begun.wait();
                        over.wait();
                    });
                }
                begun.wait();
                for len in [5, 100, 20_000] {
                    let numbers: Vec<u64> = (0..len).collect();
                    loops(&numbers);
                    let counts: [usize; 20] =
                        std::array::from_fn(|_| allocations(|| loops(&numbers)));
                    assert_eq!(counts, [0; 20], "{len} numbers, {jobs} jobs");
                    let list = || drop(numbers.par_iter().map(|n| n + 1).collect::<Vec<_>>());
                    assert!(allocations(list) > 0, "the count sees a collection");
                }
                over.wait();
            });
        });
    }
}
