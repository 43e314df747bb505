//! The queue on real threads, and where indices wrap around.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;

unsafe fn nothing(_data: *const ()) {}

fn job(number: usize) -> JobRef {
    JobRef {
        data: ptr::without_provenance(2 * number + 2),
        run: nothing,
    }
}

fn number(job: JobRef) -> usize {
    job.data.addr() / 2 - 1
}

#[test]
fn jobs_leave_in_their_order() {
    let queue = Injector::new();
    for round in 0..5 {
        let count = SLOTS * round + round;
        (0..count).for_each(|number| queue.push(job(number)));
        assert_eq!(queue.len(), count);
        let taken: Vec<_> = std::iter::from_fn(|| queue.take()).map(number).collect();
        assert!(taken.into_iter().eq(0..count));
        assert!(!queue.has(1));
    }
}

/// At every place of a block.
#[test]
fn the_newest_job_is_withdrawn() {
    let queue = Injector::new();
    for before in 0..SLOTS * 2 {
        queue.push(job(before));
        queue.push(job(1_000));
        assert!(!queue.withdraw(job(2_000).data), "another job");
        let withdrawn = queue.withdraw(job(1_000).data);
        if !withdrawn {
            // The last slot of a block.
            assert_eq!((before + 2) % SLOTS, 0);
        }
        queue.push(job(3_000));
        assert_eq!(queue.take().map(number), Some(before));
        while let Some(job) = queue.take() {
            assert!(number(job) == 3_000 || !withdrawn && number(job) == 1_000);
        }
        // The places of the next round differ by one from those of this one.
        let place = |queue: &Injector| queue.tail.index.load(Ordering::Relaxed) % LAP;
        while place(&queue) != (before + 1) % SLOTS {
            queue.push(job(0));
            queue.take();
        }
    }
    assert!(!queue.withdraw(job(0).data), "empty");
}

/// Indices go round, as they do after days with numbers of 32 bits.
#[test]
fn indices_wrap_around() {
    let start = 0_usize.wrapping_sub(LAP);
    assert_eq!(jobs_between(start, 0), SLOTS);
    assert_eq!(jobs_between(start, 5), SLOTS + 5);
    assert_eq!(jobs_between(0, start), 0);
    let queue = Injector::new();
    for index in [&queue.tail.index, &queue.head.index, &queue.head.seen] {
        index.store(start, Ordering::Relaxed);
    }
    (0..SLOTS * 3).for_each(|number| queue.push(job(number)));
    assert_eq!(queue.len(), SLOTS * 3);
    let taken: Vec<_> = std::iter::from_fn(|| queue.take()).map(number).collect();
    assert!(taken.into_iter().eq(0..SLOTS * 3));
}

/// Threads push, take and withdraw at once. No job is lost or doubled, and those that one
/// thread pushed leave in their order.
fn push_take_and_withdraw(pushers: usize, each: usize) {
    let queue = Injector::new();
    let is_over = AtomicBool::new(false);
    let (taken, withdrawn) = thread::scope(|scope| {
        let pushing: Vec<_> = (0..pushers)
            .map(|pusher| {
                let queue = &queue;
                scope.spawn(move || {
                    let names = pusher * each..(pusher + 1) * each;
                    let names = names.inspect(|&name| queue.push(job(name)));
                    let may_withdraw = |&name: &usize| name % 3 == 0;
                    let withdraw = |&name: &usize| queue.withdraw(job(name).data);
                    names.filter(may_withdraw).filter(withdraw).collect()
                })
            })
            .collect();
        let taking: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut taken: Vec<usize> = Vec::new();
                    loop {
                        let last = is_over.load(Ordering::Acquire);
                        match queue.take() {
                            Some(job) => taken.push(number(job)),
                            None if last => return taken,
                            None => thread::yield_now(),
                        }
                    }
                })
            })
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Vec<usize>>| thread.join().unwrap();
        let withdrawn: Vec<_> = pushing.into_iter().flat_map(join).collect();
        is_over.store(true, Ordering::Release);
        let taken: Vec<Vec<usize>> = taking.into_iter().map(join).collect();
        (taken, withdrawn)
    });
    for taken in &taken {
        for pusher in 0..pushers {
            let own = taken.iter().filter(|&&name| name / each == pusher);
            assert!(own.is_sorted());
        }
    }
    let all: Vec<_> = taken.into_iter().flatten().chain(withdrawn).collect();
    assert_eq!(all.len(), pushers * each);
    assert_eq!(
        all.into_iter().collect::<HashSet<_>>().len(),
        pushers * each
    );
}

#[test]
fn miri_many_threads() {
    let each = if cfg!(miri) { 100 } else { 50_000 };
    push_take_and_withdraw(3, each);
}

/// Over several blocks, in the order in which they came, in the reverse order, and by two threads
/// in turns. Nothing stays in the queue.
#[test]
fn all_are_withdrawn() {
    for order in 0..3 {
        let count = if order == 1 { SLOTS * 3 / 2 } else { SLOTS * 3 };
        let queue = Injector::new();
        // The blocks do not begin where the jobs do.
        for _ in 0..order * 10 {
            queue.push(job(0));
            queue.take();
        }
        if order == 2 {
            for number in (0..count).step_by(2) {
                queue.push(job(number));
                queue.push(job(number + 1));
                assert!(queue.withdraw(job(number).data), "{number}");
                assert!(queue.withdraw(job(number + 1).data), "{number} + 1");
            }
        } else {
            (0..count).for_each(|number| queue.push(job(number)));
            for number in 0..count {
                let number = if order == 1 {
                    count - 1 - number
                } else {
                    number
                };
                assert!(queue.withdraw(job(number).data), "{number}");
            }
        }
        assert_eq!(queue.len(), 0, "{order}");
    }
}
