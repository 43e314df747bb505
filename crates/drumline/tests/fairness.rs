//! No task waits for ever because a pool always has something nearer to do.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use common::ping_pong::PingPong;
use drumline::channel::spsc;
use drumline::{Pool, blocking};

/// A thread queues a task and then blocks. The thread that has its place is never idle: two tasks
/// there wake each other. It comes to the task all the same.
#[test]
fn what_a_thread_has_queued_that_blocks_is_run() {
    let pool = Arc::new(Pool::builder().jobs(1).build().unwrap());
    for _ in 0..20 {
        let is_over = Arc::new(AtomicBool::new(false));
        let (run, has_run) = mpsc::channel();
        let blocks = {
            let (inner, is_over) = (Arc::clone(&pool), Arc::clone(&is_over));
            pool.spawn(move || {
                // The oldest is taken first, so these two before the last one.
                let tasks = PingPong::start(&inner, &is_over);
                drop(inner.spawn(move || run.send(()).unwrap()));
                blocking(|| has_run.recv()).unwrap();
                tasks
            })
        };
        let tasks = blocks.join().unwrap();
        is_over.store(true, Ordering::Relaxed);
        tasks.join();
    }
}

/// Runs it in a pool that is never idle: in it, pairs of tasks wake each other.
fn beside_tasks_that_wake_each_other(jobs: usize, work: impl FnOnce() + Send + 'static) {
    let pool = Pool::builder().jobs(jobs).build().unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let pairs: Vec<_> = (0..2 * jobs)
        .map(|_| PingPong::start(&pool, &is_over))
        .collect();
    pool.spawn(work).join().unwrap();
    is_over.store(true, Ordering::Relaxed);
    pairs.into_iter().for_each(PingPong::join);
}

/// The first half of a join waits for the second one.
#[test]
fn the_other_half_of_a_thread_that_blocks_is_run() {
    half_of_a_thread_that_blocks();
}

fn half_of_a_thread_that_blocks() {
    for jobs in [1, 1, 1, 2, 2, 2] {
        beside_tasks_that_wake_each_other(jobs, || {
            let (tell, hear) = mpsc::channel();
            let waits = move || blocking(move || hear.recv()).unwrap();
            drumline::join(waits, move || tell.send(()).unwrap());
        });
    }
}

/// The same where no other thread of the process is ever idle: none asks for the barrier.
#[test]
fn the_other_half_is_run_before_there_is_a_barrier() {
    common::program("program_that_is_never_idle");
}

#[test]
#[ignore = "a program of `the_other_half_is_run_before_there_is_a_barrier`"]
fn program_that_is_never_idle() {
    half_of_a_thread_that_blocks();
}

/// A thread wakes a task, which lies in its hand-off slot, and waits for it without a word.
#[test]
fn what_a_thread_has_woken_that_blocks_is_run() {
    for _ in 0..10 {
        beside_tasks_that_wake_each_other(2, || {
            let (mut wake, mut woken) = spsc::unbounded();
            let (tell, hear) = mpsc::channel();
            drop(drumline::spawn_future(async move {
                tell.send(()).unwrap();
                woken.recv_async().await.unwrap();
                tell.send(()).unwrap();
            }));
            hear.recv().unwrap();
            wake.send(()).unwrap();
            hear.recv().unwrap();
        });
    }
}
