//! Threads that poll, inside of `blocking` or by yields: other threads have their places, and what
//! they poll for happens.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use common::{Event, ends, pool, without_guests};
use drumline::channel::mpsc as messages;
use drumline::{Pool, Yield, blocking, spawn};

/// A thread that has the only place, and whose last blockings were short, polls for what a task
/// does that it has spawned.
fn poll_for_a_task(poll: fn(&AtomicBool)) {
    for pool in [pool(1), without_guests(1)] {
        ends(move || {
            pool.install(|| {
                for _ in 0..3 {
                    blocking(|| ());
                }
                let done = Arc::new(AtomicBool::new(false));
                let sets = Arc::clone(&done);
                drop(spawn(move || sets.store(true, Ordering::Release)));
                poll(&done);
            });
        });
    }
}

fn is_set(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Acquire)
}

#[test]
fn in_one_region_that_uses_the_processor() {
    poll_for_a_task(|done| {
        blocking(|| {
            while !is_set(done) {
                thread::yield_now();
            }
        });
    });
}

#[test]
fn by_yields_inside_of_a_region() {
    poll_for_a_task(|done| {
        blocking(|| {
            while !is_set(done) {
                drumline::yield_local();
            }
        });
    });
}

#[test]
fn in_one_region_after_another() {
    poll_for_a_task(|done| {
        while !is_set(done) {
            blocking(thread::yield_now);
        }
    });
}

#[test]
fn by_timeouts_of_a_channel() {
    poll_for_a_task(|done| {
        let (_sender, mut receiver) = messages::unbounded::<()>();
        while !is_set(done) {
            assert!(receiver.recv_timeout(Duration::from_micros(200)).is_err());
        }
    });
}

/// What blocks in a pool keeps its seat, and no thread looks at all seats at once.
#[test]
fn a_yield_finds_the_job_of_any_seat() {
    let pool = Pool::builder().jobs(1).build().unwrap();
    let open = Arc::new(Event::new());
    let (blocks, blocked) = mpsc::channel();
    for _ in 0..300 {
        let (open, blocks) = (Arc::clone(&open), blocks.clone());
        drop(pool.spawn(move || {
            blocking(|| {
                blocks.send(()).unwrap();
                open.wait();
            });
        }));
    }
    blocked.iter().take(300).for_each(drop);
    let done = Arc::new(AtomicBool::new(false));
    let (spawns, spawned) = mpsc::channel();
    let is_done = Arc::clone(&done);
    let busy = pool.spawn(move || {
        let sets = Arc::clone(&is_done);
        drop(spawn(move || sets.store(true, Ordering::Release)));
        spawns.send(()).unwrap();
        common::spin_until(&is_done);
    });
    spawned.recv().unwrap();
    let mut yields = (0..1000).map(|_| pool.install(drumline::yield_now));
    // A yield that gives its place away may have a spare thread find the job.
    let found = yields.any(|ran| ran == Some(Yield::Executed) || is_set(&done));
    assert!(found, "its job is never seen");
    busy.join().unwrap();
    open.set();
}
