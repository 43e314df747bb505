//! Pools: how they are made, also by halves, and how their number of jobs changes.

mod common;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;

use common::{Event, eventually, fib, meet, pool, quiet_panic};
use drumline::{Jobs, Pool, Warning, join};

#[test]
fn no_jobs_is_an_error_that_says_so() {
    let error = Pool::builder().jobs(0).build().unwrap_err();
    let expected = Jobs::try_from(0_usize).unwrap_err();
    assert_eq!(error.to_string(), expected.to_string());
    assert!(error.to_string().contains('0'), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    let error = Pool::builder().jobs(Jobs::MAX + 1).build().unwrap_err();
    assert!(
        error.to_string().contains(&Jobs::MAX.to_string()),
        "{error}"
    );
    // A later call puts it right.
    assert_eq!(Pool::builder().jobs(0).jobs(3).build().unwrap().jobs(), 3);
}

#[test]
fn a_static_pool() {
    static POOL: LazyLock<Pool> = LazyLock::new(|| pool(2));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(POOL.install(|| fib(15)), 610));
        }
    });
}

#[test]
fn scoped_pools_borrow() {
    let text = String::from("borrowed");
    let seen = Mutex::new(Vec::new());
    let length = Pool::builder()
        .jobs(3)
        .build_scoped(
            |thread| {
                seen.lock().unwrap().push((thread.index(), text.len()));
                thread.run();
            },
            |pool| {
                pool.install(meet);
                pool.install(|| text.len())
            },
        )
        .unwrap();
    assert_eq!(length, 8);
    // All threads have ended, so all have begun.
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [(0, 8), (1, 8), (2, 8)]);
}

#[test]
fn scoped_pools_end_their_threads_when_the_body_panics() {
    let running = AtomicUsize::new(0);
    let payload = catch_unwind(AssertUnwindSafe(|| {
        Pool::builder().jobs(2).build_scoped(
            |thread| {
                running.fetch_add(1, Ordering::Relaxed);
                thread.run();
                running.fetch_sub(1, Ordering::Relaxed);
            },
            |pool| -> () {
                pool.install(meet);
                quiet_panic(7_u32)
            },
        )
    }));
    assert_eq!(*payload.unwrap_err().downcast::<u32>().unwrap(), 7);
    assert_eq!(running.into_inner(), 0);
}

#[test]
fn threads_that_cannot_be_made_leave_a_smaller_pool() {
    for created in [0, 1, 3] {
        let warnings = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&warnings);
        let mut left = created;
        let pool = Pool::builder()
            .jobs(4)
            .warning_handler(move |warning| {
                assert!(matches!(warning, Warning::ThreadNotCreated { .. }));
                told.lock().unwrap().push(warning.to_string());
            })
            .spawn_handler(move |thread| {
                if left == 0 {
                    return Err(io::Error::from(io::ErrorKind::OutOfMemory));
                }
                left -= 1;
                thread::Builder::new().spawn(|| thread.run()).map(drop)
            })
            .build()
            .unwrap();
        let warnings = std::mem::take(&mut *warnings.lock().unwrap());
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        let told = format!("goes on with {created} of the 4");
        assert!(warnings[0].contains(&told), "{warnings:?}");
        assert_eq!(pool.install(|| fib(12)), 144);
        assert_eq!(pool.join(|| 1, || 2), (1, 2));
        if created >= 2 {
            pool.install(meet);
        }
        pool.shutdown().unwrap();
    }
}

#[test]
fn a_warning_handler_that_panics_is_no_problem() {
    let pool = Pool::builder()
        .jobs(2)
        .warning_handler(|_| quiet_panic("warned"))
        .spawn_handler(|_| Err(io::Error::other("no threads today")))
        .build()
        .unwrap();
    assert_eq!(pool.install(|| fib(10)), 55);
}

#[test]
fn the_spawner_sees_what_was_asked_for() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let pool = Pool::builder()
        .jobs(2)
        .stack_size(3 << 20)
        .thread_name(|index| format!("worker {index}"))
        .spawn_handler(move |thread| {
            let name = thread.name().map(str::to_owned);
            let asked = (thread.index(), name, thread.stack_size());
            seen.lock().unwrap().push(asked);
            thread::Builder::new().spawn(|| thread.run()).map(drop)
        })
        .build()
        .unwrap();
    pool.shutdown().unwrap();
    let name = |index| Some(format!("worker {index}"));
    let expected = [(0, name(0), 3 << 20), (1, name(1), 3 << 20)];
    assert_eq!(*asked.lock().unwrap(), expected);
}

#[test]
fn jobs_go_up_and_down_while_work_runs() {
    let pool = pool(1);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(pool.install(|| fib(14)), 377);
                }
            });
        }
        for jobs in (1..=8).chain((1..8).rev()).cycle().take(300) {
            pool.set_jobs(jobs).unwrap();
            assert_eq!(pool.jobs(), jobs);
            if jobs >= 4 {
                // Two guests above, this one, and a place for a helper.
                pool.install(meet);
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(pool.set_jobs(0).is_err());
    assert_eq!(pool.jobs(), 1);
    pool.shutdown().unwrap();
}

#[test]
fn raising_the_jobs_helps_a_call_that_runs_already() {
    let pool = pool(1);
    pool.install(|| {
        let ran = Event::new();
        join(
            || {
                pool.set_jobs(2).unwrap();
                ran.wait();
            },
            || ran.set(),
        );
    });
}

#[test]
fn lowering_the_jobs_leaves_the_guest_alone() {
    let pool = pool(4);
    pool.install(meet);
    pool.set_jobs(1).unwrap();
    // Wait until no worker is active any more: then with one job nothing migrates.
    eventually("only the guest runs", || {
        pool.install(|| !drumline::join_context(|_| fib(8), |b| b.migrated()).1)
    });
    assert_eq!(pool.install(|| fib(15)), 610);
}
