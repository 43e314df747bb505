//! The threads of a pool: names, stacks, hooks, the current thread as one of them.

mod common;

use std::sync::{Arc, Mutex};
use std::thread;

use common::{MIB, eventually, fib, meet, message, pool, quiet_panic, without_guests};
use drumline::Pool;

#[test]
fn hooks_run_on_each_thread_in_order_and_before_shutdown_returns() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let note = |what: &'static str| {
        let log = Arc::clone(&log);
        move |index: usize| {
            let thread = thread::current().id();
            log.lock().unwrap().push((what, index, thread));
        }
    };
    // A spare would run the hooks as well.
    let pool = Pool::builder()
        .jobs(3)
        .spares(false)
        .pin(note("pin"))
        .start_handler(note("start"))
        .exit_handler(note("exit"))
        .build()
        .unwrap();
    assert_eq!(pool.install(|| fib(12)), 144);
    pool.shutdown().unwrap();
    let log = log.lock().unwrap();
    assert_eq!(log.len(), 9);
    for index in 0..3 {
        let own: Vec<_> = log.iter().filter(|entry| entry.1 == index).collect();
        let what: Vec<_> = own.iter().map(|entry| entry.0).collect();
        assert_eq!(what, ["pin", "start", "exit"]);
        assert!(
            own.iter().all(|entry| entry.2 == own[0].2),
            "one thread each"
        );
    }
}

#[test]
fn hooks_that_panic_are_reported_and_the_pool_goes_on() {
    let panics = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&panics);
    let pool = Pool::builder()
        .jobs(2)
        .spares(false)
        .start_handler(|_| quiet_panic("start"))
        .exit_handler(|_| quiet_panic("exit"))
        .panic_handler(move |payload| {
            told.lock().unwrap().push(message(&*payload).to_owned());
            quiet_panic("the handler itself")
        })
        .build()
        .unwrap();
    assert_eq!(pool.install(|| fib(12)), 144);
    pool.shutdown().unwrap();
    let mut panics = std::mem::take(&mut *panics.lock().unwrap());
    panics.sort_unstable();
    assert_eq!(panics, ["exit", "exit", "start", "start"]);
}

#[test]
fn panics_that_nobody_hears_are_counted() {
    let pool = Pool::builder().jobs(3).start_handler(|_| quiet_panic(()));
    let pool = pool.build().unwrap();
    eventually("three panics", || pool.lost_panics() == 3);
    assert_eq!(pool.install(|| fib(12)), 144);
}

#[test]
fn threads_have_names_and_stacks() {
    fn deep(level: usize) -> usize {
        let frame = std::hint::black_box([level as u8; 1024]);
        if level == 0 {
            0
        } else {
            deep(level - 1) + usize::from(frame[7] == level as u8)
        }
    }
    let pool = Pool::builder()
        .jobs(2)
        .thread_name(|index| format!("named-{index}"))
        .stack_size(64 * MIB)
        .build()
        .unwrap();
    // Such a pool hands calls over to its own threads.
    let name = pool.install(|| thread::current().name().map(str::to_owned));
    assert!(
        name.as_deref()
            .is_some_and(|name| name.starts_with("named-")),
        "{name:?}"
    );
    // More than an ordinary thread has.
    assert_eq!(pool.install(|| deep(30 * 1024)), 30 * 1024);
}

#[test]
fn who_runs_a_call() {
    let me = thread::current().id();
    assert_eq!(pool(2).install(|| thread::current().id()), me);
    assert_ne!(without_guests(2).install(|| thread::current().id()), me);
    let special = Pool::builder()
        .jobs(1)
        .start_handler(|_| ())
        .build()
        .unwrap();
    assert_ne!(special.install(|| thread::current().id()), me);
    let special = Pool::builder().jobs(1).start_handler(|_| ()).guests(true);
    let special = special.build().unwrap();
    assert_eq!(special.install(|| thread::current().id()), me);
}

#[test]
fn the_current_thread_as_a_member() {
    // On a thread of its own: it is a member for good.
    let pool = thread::spawn(|| {
        let me = thread::current().id();
        let pool = Pool::builder()
            .jobs(2)
            .use_current_thread()
            .build()
            .unwrap();
        assert_eq!(pool.jobs(), 2);
        let index = pool.worker_index();
        assert!(index.is_some());
        assert_eq!(drumline::worker_index(), index);
        assert_eq!(drumline::current_jobs(), 2);
        assert_eq!(pool.install(|| thread::current().id()), me);
        // The one other thread helps.
        for _ in 0..200 {
            meet();
        }
        assert_eq!(fib(15), 610);
        // While this thread waits for another pool, no other thread counts as gone.
        let other = without_guests(1);
        for _ in 0..20 {
            let ran = common::Event::new();
            drumline::join(|| other.install(|| ran.wait()), || ran.set());
        }
        // Once is enough.
        let again = Pool::builder()
            .jobs(1)
            .use_current_thread()
            .build()
            .unwrap_err();
        assert!(again.to_string().contains("in a pool already"), "{again}");
        // It cannot wait for itself.
        pool.shutdown().unwrap_err().into_pool()
    })
    .join()
    .unwrap();
    assert_eq!(pool.install(|| fib(10)), 55);
    pool.shutdown().unwrap();
}

#[test]
fn a_member_is_helped_whoever_else_comes_and_goes() {
    thread::spawn(|| {
        let pool = Pool::builder()
            .jobs(2)
            .use_current_thread()
            .build()
            .unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            let guest = scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    pool.install(|| fib(8));
                }
            });
            for _ in 0..200 {
                fib(8);
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            guest.join().unwrap();
            meet();
        });
        for _ in 0..200 {
            // The guest leaves the one other place free, with nothing to do.
            thread::scope(|scope| {
                scope.spawn(|| pool.install(|| ()));
                fib(4);
            });
            meet();
        }
    })
    .join()
    .unwrap();
}

#[test]
fn the_current_thread_as_the_only_member() {
    thread::spawn(|| {
        let pool = Pool::builder()
            .jobs(1)
            .use_current_thread()
            .build()
            .unwrap();
        assert_eq!(pool.jobs(), 1);
        assert_eq!(fib(15), 610);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(pool.install(|| fib(12)), 144));
        });
    })
    .join()
    .unwrap();
}

/// The member takes part in a broadcast where the pool says so, and only there.
#[test]
fn a_broadcast_to_a_member() {
    for jobs in 1..=3 {
        for takes_part in [false, true] {
            common::ends(move || {
                let pool = Pool::builder().jobs(jobs).use_current_thread();
                let pool = pool.broadcast_to_member(takes_part).build().unwrap();
                let workers = usize::from(!takes_part && jobs > 1);
                let indices = drumline::broadcast(|_| pool.worker_index().unwrap());
                assert_eq!(indices, (workers..jobs).collect::<Vec<_>>());
            });
        }
    }
}

/// The workers sleep, though the member has not run its share.
#[cfg(target_os = "linux")]
#[test]
fn a_share_that_waits_for_a_member_keeps_no_worker_awake() {
    use common::threads;

    common::ends(|| {
        let pool = Pool::builder().jobs(3).use_current_thread();
        let pool = pool.thread_name(|index| format!("shared-{index}"));
        let pool = pool.broadcast_to_member(true).build().unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        pool.spawn_broadcast(move |context| send.send(context.index()).unwrap());
        assert_eq!(receive.iter().take(2).sum::<usize>(), 3);
        let window = std::time::Duration::from_millis(100);
        threads::wait_until_asleep("shared-", 2, window);
        assert_eq!(drumline::yield_local(), Some(drumline::Yield::Executed));
        assert_eq!(receive.recv(), Ok(0));
    });
}

/// The thread that builds a scoped pool is one of its threads, and the only one with one job.
#[test]
fn a_member_of_a_scoped_pool() {
    for jobs in 1..=3 {
        for guests in [true, false] {
            common::ends(move || {
                let pool = Pool::builder().jobs(jobs).guests(guests);
                let pool = pool.use_current_thread();
                let sum = pool.build_scoped(
                    |thread| thread.run(),
                    |pool| {
                        assert_eq!(pool.worker_index(), Some(0));
                        pool.install(|| fib(12))
                    },
                );
                assert_eq!(sum.unwrap(), 144);
                assert_eq!(drumline::join(|| 1, || 2), (1, 2));
            });
        }
    }
}

/// Threads that `set_jobs` adds are named like the others.
#[test]
fn added_threads_have_names() {
    let names = std::sync::Arc::new(std::sync::Mutex::new(std::collections::BTreeSet::new()));
    let seen = std::sync::Arc::clone(&names);
    let pool = drumline::Pool::builder()
        .jobs(1)
        .thread_name(|index| format!("smith-{index}"))
        .start_handler(move |_| {
            let name = std::thread::current().name().map(str::to_owned);
            seen.lock().unwrap().insert(name.unwrap_or_default());
        })
        .build()
        .unwrap();
    pool.set_jobs(3).unwrap();
    pool.shutdown().unwrap();
    let names = names.lock().unwrap();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names.iter().all(|name| name.starts_with("smith-")),
        "{names:?}"
    );
}

/// A naming hook that panics, or gives a name that no thread can have, costs the thread its name
/// and nothing else.
#[test]
fn a_name_that_is_not_to_be_had_is_the_default_name() {
    let warned = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warned);
    // No spare, which would ask for a name, too, in a process that has just begun.
    let pool = Pool::builder()
        .jobs(3)
        .spares(false)
        .thread_name(|index| match index {
            0 => String::from("first"),
            1 => quiet_panic("no second name"),
            _ => String::from("a\0b"),
        })
        .warning_handler(move |warning| heard.lock().unwrap().push(warning.to_string()))
        .build()
        .unwrap();
    let mut names = pool.broadcast(|_| thread::current().name().map(str::to_owned).unwrap());
    names.sort_unstable();
    assert_eq!(names, ["drumline-1", "drumline-2", "first"]);
    assert_eq!(pool.lost_panics(), 1);
    pool.shutdown().unwrap();
    let warned = warned.lock().unwrap();
    assert_eq!(
        warned[..],
        [
            "a detached task or a handler panicked, and the pool has no panic handler to tell: no \
             second name (number 1 of its kind)",
            "the name \"a\\0b\" for thread 2 has a NUL byte and is not used; leave that byte out"
        ]
    );
}
