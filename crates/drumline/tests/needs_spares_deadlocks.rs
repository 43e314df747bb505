//! Programs of rayon's issues in which threads block that the pool counts on: they end because a
//! thread that blocks is replaced.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use common::{Event, each, ends, pool, spin_until, without_guests};
use drumline::{JoinHandle, Pool, blocking};

const JOBS: [usize; 4] = [1, 2, 4, 16];

/// Rounds where each costs a wake-up or two.
const ROUNDS: usize = 1_000;
/// Rounds where the pool has to find out by itself that a thread blocks.
const UNANNOUNCED: usize = 30;

const KINDS: [fn(usize) -> Pool; 2] = [pool, without_guests];

/// Issue 449: there and back, with one thread in each pool.
#[test]
fn there_and_back_with_one_thread_each() {
    ends(|| {
        let (a, b) = (without_guests(1), without_guests(1));
        for _ in 0..ROUNDS {
            assert!(a.install(|| b.install(|| a.install(|| a.worker_index().is_some()))));
        }
    });
}

/// The same six calls deep.
#[test]
fn back_and_forth_with_one_thread_each() {
    fn calls(here: &Pool, there: &Pool, depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        1 + here.install(|| calls(there, here, depth - 1))
    }
    ends(|| {
        let (a, b) = (without_guests(1), without_guests(1));
        for _ in 0..ROUNDS / 4 {
            assert_eq!(calls(&a, &b, 6), 7);
        }
    });
}

/// Issues 446 and 449: loops in two pools that call each other, from both sides at once. Every
/// thread of both can be waiting for the other pool.
#[test]
fn loops_in_two_pools_without_guests() {
    fn both_ways(here: &Pool, there: &Pool) {
        let items = AtomicUsize::new(0);
        here.install(|| {
            each(0..2, &|_| {
                there.install(|| {
                    each(0..2, &|_| {
                        here.install(|| {
                            items.fetch_add(1, Ordering::Relaxed);
                        });
                    });
                });
            });
        });
        assert_eq!(items.into_inner(), 4);
    }
    for jobs in JOBS {
        ends(move || {
            let (a, b) = (without_guests(jobs), without_guests(jobs));
            thread::scope(|threads| {
                threads.spawn(|| (0..ROUNDS / 4).for_each(|_| both_ways(&a, &b)));
                threads.spawn(|| (0..ROUNDS / 4).for_each(|_| both_ways(&b, &a)));
            });
        });
    }
}

/// Issue 904: as many tasks as there are threads, and more, wait for a task behind them.
fn tasks_that_wait_for_a_later_one(pool: &Pool, wait: fn(&Event)) {
    let answer = Arc::new(Event::new());
    let waiting: Vec<_> = (0..pool.jobs() + 2)
        .map(|_| {
            let answer = Arc::clone(&answer);
            pool.spawn_fifo(move || wait(&answer))
        })
        .collect();
    let last = pool.spawn_fifo(move || answer.set());
    // By a channel, and not by their handles: nothing is to be taken back.
    let (send, ended) = mpsc::channel();
    thread::scope(|threads| {
        threads.spawn(move || {
            for task in waiting {
                while !task.is_finished() {
                    thread::yield_now();
                }
            }
            send.send(()).unwrap();
        });
        ended.recv().unwrap();
    });
    last.join().unwrap();
}

#[test]
fn tasks_wait_for_a_later_one() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                for _ in 0..ROUNDS / 5 {
                    tasks_that_wait_for_a_later_one(&pool, |event| blocking(|| event.wait()));
                }
            });
        }
    }
}

#[test]
fn tasks_wait_for_a_later_one_unannounced() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                for _ in 0..UNANNOUNCED {
                    tasks_that_wait_for_a_later_one(&pool, Event::wait);
                }
            });
        }
    }
}

/// Issue 835: the body of a scope is in the pool, and receives what its jobs send.
fn scope_that_receives(pool: &Pool, receive: fn(&mpsc::Receiver<usize>) -> usize) {
    let (send, values) = mpsc::sync_channel(0);
    let sum = pool.scope(move |scope| {
        for send in [send.clone(), send] {
            scope.spawn(move |_| send.send(1).unwrap());
        }
        receive(&values)
    });
    assert_eq!(sum, 2);
}

#[test]
fn a_scope_receives_from_its_jobs() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                for _ in 0..ROUNDS {
                    scope_that_receives(&pool, |values| blocking(|| values.iter().sum()));
                }
            });
        }
    }
}

#[test]
fn a_scope_receives_from_its_jobs_unannounced() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                for _ in 0..UNANNOUNCED {
                    scope_that_receives(&pool, |values| values.iter().sum());
                }
            });
        }
    }
}

/// Issue 1269: stages that are connected by channels with little room, and more of them than jobs.
fn pipeline(pool: &Pool, announced: bool) {
    fn may_block<R>(announced: bool, f: impl FnOnce() -> R) -> R {
        if announced { blocking(f) } else { f() }
    }
    const STAGES: usize = 6;
    const ITEMS: usize = 20;
    let sum = AtomicUsize::new(0);
    pool.scope(|scope| {
        let (first, mut before) = mpsc::sync_channel(1);
        for _ in 0..STAGES {
            let (send, receive) = mpsc::sync_channel(1);
            let input = std::mem::replace(&mut before, receive);
            scope.spawn(move |_| {
                while let Ok(item) = may_block(announced, || input.recv()) {
                    may_block(announced, || send.send(item + 1)).unwrap();
                }
            });
        }
        let sum = &sum;
        scope.spawn(move |_| {
            while let Ok(item) = may_block(announced, || before.recv()) {
                sum.fetch_add(item, Ordering::Relaxed);
            }
        });
        scope.spawn(move |_| {
            for _ in 0..ITEMS {
                may_block(announced, || first.send(0)).unwrap();
            }
        });
    });
    assert_eq!(sum.into_inner(), STAGES * ITEMS);
}

#[test]
fn a_pipeline_with_more_stages_than_jobs() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                (0..ROUNDS / 20).for_each(|_| pipeline(&pool, true));
            });
        }
    }
}

#[test]
fn a_pipeline_with_more_stages_than_jobs_unannounced() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                (0..UNANNOUNCED / 5).for_each(|_| pipeline(&pool, false));
            });
        }
    }
}

/// Issue 592 with a twist: the thread that holds the mutex waits for a task that only another
/// thread can run, while all others want the mutex.
#[test]
fn a_mutex_across_a_task_elsewhere() {
    for make in KINDS {
        for jobs in JOBS {
            ends(move || {
                let pool = make(jobs);
                for _ in 0..UNANNOUNCED {
                    let lock = Arc::new(Mutex::new(0));
                    let tasks: Vec<_> = (0..pool.jobs() + 2)
                        .map(|_| {
                            let lock = Arc::clone(&lock);
                            pool.spawn(move || {
                                let mut held = lock.lock().unwrap();
                                let done = Arc::new(Event::new());
                                let tells = Arc::clone(&done);
                                drop(drumline::spawn(move || tells.set()));
                                blocking(|| done.wait());
                                *held += 1;
                            })
                        })
                        .collect();
                    let count = tasks.len();
                    tasks.into_iter().for_each(|task| task.join().unwrap());
                    assert_eq!(*lock.lock().unwrap(), count);
                }
            });
        }
    }
}

/// As many jobs spin as there are processors, until a queued one has run. Another job waits for the
/// first of them, so its place is free. The others make tiny joins: the pool has something to do
/// all the time.
#[test]
fn jobs_that_spin_until_a_queued_one_has_run() {
    ends(|| {
        let processors = std::thread::available_parallelism().unwrap().get().max(2);
        let pool = without_guests(processors + 1);
        let begin = |job: Box<dyn FnOnce() + Send>| {
            let begun = Arc::new(Event::new());
            let begins = Arc::clone(&begun);
            let task = pool.spawn(move || {
                begins.set();
                job();
            });
            begun.wait();
            task
        };
        let is_set = Arc::new(AtomicBool::new(false));
        let spins = Arc::clone(&is_set);
        let first = begin(Box::new(move || spin_until(&spins)));
        let mut others: Vec<JoinHandle<()>> = (1..processors)
            .map(|_| {
                let is_set = Arc::clone(&is_set);
                begin(Box::new(move || {
                    while !is_set.load(Ordering::Acquire) {
                        drumline::join(|| (), || ());
                    }
                }))
            })
            .collect();
        others.push(begin(Box::new(move || first.join().unwrap())));
        let last = pool.spawn(move || is_set.store(true, Ordering::Release));
        last.join().unwrap();
        for other in others {
            other.join().unwrap();
        }
    });
}
