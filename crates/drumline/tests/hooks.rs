//! The program's own code in the middle of the scheduler: hooks that panic, block, call back in.
//!
//! A job in a deque refers to a frame; so a panic of a hook that unwound through that frame would
//! end in freed memory. The sweep lets each hook panic at each of its calls in turn.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::{Event, ends, fib, quiet_panic};
use drumline::prelude::*;
use drumline::{Pool, PoolBuilder, stream};

// Relaxed throughout: these are counts, and publish nothing else. What is asserted of them is read
// after the scope, loop or pool that changed them has ended.

/// The hooks that a pool can be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hook {
    Name,
    Pin,
    Start,
    Exit,
    Panic,
    Warning,
    Event,
}

const HOOKS: [Hook; 7] = [
    Hook::Name,
    Hook::Pin,
    Hook::Start,
    Hook::Exit,
    Hook::Panic,
    Hook::Warning,
    Hook::Event,
];

/// Counts the calls of one hook, and panics in one of them, or in all (0).
#[derive(Clone)]
struct Fuse {
    hook: Hook,
    at: usize,
    calls: Arc<AtomicUsize>,
}

impl Fuse {
    fn new(hook: Hook, at: usize) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        Fuse { hook, at, calls }
    }

    fn call(&self, hook: Hook) {
        if hook == self.hook {
            let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
            if self.at == 0 || self.at == call {
                quiet_panic("a hook");
            }
        }
    }

    /// Whether the call that was to panic has come.
    fn has_blown(&self) -> bool {
        self.calls.load(Ordering::Relaxed) >= self.at.max(1)
    }

    /// All hooks, with this fuse in one of them. The names have a NUL byte now and then, so
    /// that there are warnings.
    fn builder(&self, jobs: usize) -> PoolBuilder {
        let fuse = || self.clone();
        let (name, pin, start, exit) = (fuse(), fuse(), fuse(), fuse());
        let (panic, warning, event) = (fuse(), fuse(), fuse());
        Pool::builder()
            .jobs(jobs)
            .guests(true)
            .thread_name(move |index| {
                name.call(Hook::Name);
                ["one", "t\0wo", "three"][index % 3].to_owned()
            })
            .pin(move |_| pin.call(Hook::Pin))
            .start_handler(move |_| start.call(Hook::Start))
            .exit_handler(move |_| exit.call(Hook::Exit))
            .panic_handler(move |_| panic.call(Hook::Panic))
            .warning_handler(move |_| warning.call(Hook::Warning))
            .event_handler(move |_| event.call(Hook::Event))
    }
}

/// A join, nested, in which each thread blocks in turn: a push must start a spare while its job
/// lies in the deque.
fn joins(pool: &Pool) {
    let (one, two) = (Event::new(), Event::new());
    pool.join(
        || drumline::blocking(|| one.wait()),
        || {
            drumline::join(
                || drumline::blocking(|| two.wait()),
                || {
                    assert_eq!(fib(6), 8);
                    two.set();
                    one.set();
                },
            )
        },
    );
}

fn loops(pool: &Pool) {
    let seen = Event::new();
    let sum: usize = pool.install(|| {
        (0..64_usize)
            .into_par_iter()
            .map(|n| {
                if n == 0 {
                    drumline::blocking(|| seen.wait());
                } else if n == 63 {
                    seen.set();
                }
                n
            })
            .sum()
    });
    assert_eq!(sum, 2_016);
}

fn scopes(pool: &Pool) {
    let (go, done) = (Event::new(), AtomicUsize::new(0));
    pool.scope(|scope| {
        for job in 0..6 {
            let (go, done) = (&go, &done);
            scope.spawn(move |_| {
                if job == 5 {
                    go.set();
                } else {
                    drumline::blocking(|| go.wait());
                }
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 6);
}

fn streams(pool: &Pool) {
    let mut sum = 0;
    stream::iter(0..200_u64)
        .pool(pool)
        .map_ordered(|n| n * 2)
        .for_each(|n| sum += n);
    assert_eq!(sum, 39_800);
}

fn tasks(pool: &Pool) {
    let go = Arc::new(Event::new());
    let tasks: Vec<_> = (0..5)
        .map(|task| {
            let go = Arc::clone(&go);
            pool.spawn(move || {
                if task == 4 {
                    go.set();
                } else {
                    drumline::blocking(|| go.wait());
                }
                task
            })
        })
        .collect();
    let sum: usize = tasks.into_iter().map(|task| task.join().unwrap()).sum();
    assert_eq!(sum, 10);
    drop(pool.spawn(|| quiet_panic("a detached task")));
    let everywhere = pool.broadcast(|context| context.index());
    assert_eq!(everywhere.len(), pool.jobs());
}

/// What is done in a pool, with a name.
type Work = (&'static str, fn(&Pool));

const WORK: [Work; 5] = [
    ("joins", joins),
    ("loops", loops),
    ("scopes", scopes),
    ("streams", streams),
    ("tasks", tasks),
];

/// Returns whether the hook was called often enough to panic.
fn survives(hook: Hook, at: usize, (name, work): Work, jobs: usize) -> bool {
    let fuse = Fuse::new(hook, at);
    let its = fuse.clone();
    ends(move || {
        let pool = its.builder(jobs).build().unwrap();
        work(&pool);
        work(&pool);
        assert_eq!(pool.install(|| fib(8)), 21, "{name}");
        pool.shutdown().unwrap();
    });
    fuse.has_blown()
}

#[test]
fn every_hook_may_panic_at_every_call() {
    for hook in HOOKS {
        for work in WORK {
            survives(hook, 0, work, 2);
            // Events are many: their first calls, and some of the later ones.
            let mut at = 1;
            while survives(hook, at, work, 2) {
                at += 1 + at / 8;
            }
        }
    }
}

#[test]
fn names_run_out() {
    const NAMES: [&str; 2] = ["first", "second"];
    for work in WORK {
        ends(move || {
            let pool = Pool::builder()
                .jobs(2)
                .guests(true)
                .thread_name(|index| match NAMES.get(index) {
                    Some(name) => (*name).to_owned(),
                    None => quiet_panic("index out of bounds"),
                })
                .build()
                .unwrap();
            work.1(&pool);
            pool.shutdown().unwrap();
        });
    }
}

/// Handlers of a thread's start and end are closures like any other.
fn does_everything() {
    assert_eq!(fib(10), 55);
    assert_eq!(
        (0..1_000_u32).into_par_iter().map(|n| n % 3).sum::<u32>(),
        999
    );
    let mut sum = 0;
    stream::iter(0..100_u32)
        .map_ordered(|n| n + 1)
        .for_each(|n| sum += n);
    assert_eq!(sum, 5_050);
    let done = AtomicUsize::new(0);
    drumline::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|_| {
                drumline::blocking(std::thread::yield_now);
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 8);
    assert_eq!(drumline::spawn(|| 7).join().unwrap(), 7);
}

#[test]
fn handlers_of_threads_work_in_their_pool() {
    for jobs in [1, 2, 8, 16] {
        for guests in [false, true] {
            ends(move || {
                let called = Arc::new(AtomicUsize::new(0));
                let handler = || {
                    let called = Arc::clone(&called);
                    move |index: usize| {
                        assert_eq!(drumline::worker_index(), Some(index));
                        does_everything();
                        called.fetch_add(1, Ordering::Relaxed);
                    }
                };
                let pool = Pool::builder()
                    .jobs(jobs)
                    .guests(guests)
                    .pin(handler())
                    .start_handler(handler())
                    .exit_handler(handler())
                    .build()
                    .unwrap();
                assert_eq!(pool.install(|| fib(10)), 55);
                assert_eq!(pool.lost_panics(), 0);
                pool.shutdown().unwrap();
                assert!(called.load(Ordering::Relaxed) >= 3 * jobs);
            });
        }
    }
}

/// A pool that is closed before its threads have arrived is still one that helps them.
#[test]
fn a_handler_may_wait_for_another_thread_of_a_closed_pool() {
    for jobs in [2, 8] {
        for _ in 0..20 {
            ends(move || {
                let pool = Pool::builder().jobs(jobs).start_handler(|index| {
                    // Only one: a thread that comes to help must not need help itself.
                    if index == 0 {
                        common::meet();
                    }
                });
                pool.build().unwrap().shutdown().unwrap();
            });
        }
    }
}

/// Whatever a listening handler calls comes from outside, at every one of its calls.
#[test]
fn handlers_that_listen_may_call_the_global_pool() {
    for work in WORK {
        ends(move || {
            let calls = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&calls);
            let pool = Pool::builder()
                .jobs(2)
                .guests(true)
                .thread_name(|index| {
                    assert_eq!(fib(5), 5);
                    format!("named\0{index}")
                })
                .panic_handler(|_| does_everything())
                .warning_handler(|_| does_everything())
                .event_handler(move |_| {
                    // The first dozen does it all; the rest is to be over soon.
                    if count.fetch_add(1, Ordering::Relaxed) < 12 {
                        does_everything();
                    }
                })
                .build()
                .unwrap();
            work.1(&pool);
            pool.shutdown().unwrap();
            assert!(calls.load(Ordering::Relaxed) > 0);
        });
    }
}

/// A spawner that says one thing and does another: no thread is counted on that will not come.
#[test]
fn spawners_that_do_not_start_threads() {
    type SpawnHandler = fn(drumline::ThreadBuilder) -> std::io::Result<()>;
    let spawners: [SpawnHandler; 5] = [
        |builder| {
            drop(builder);
            Ok(())
        },
        |builder| {
            drop(builder);
            Err(std::io::Error::other("no threads today"))
        },
        |_| quiet_panic("a spawner"),
        |builder| {
            std::thread::spawn(|| builder.run());
            Err(std::io::Error::other("there is one all the same"))
        },
        |builder| {
            std::thread::spawn(|| drop(builder));
            Ok(())
        },
    ];
    for spawner in spawners {
        for guests in [false, true] {
            ends(move || {
                let pool = Pool::builder()
                    .jobs(3)
                    .guests(guests)
                    .spawn_handler(spawner)
                    .warning_handler(|_| ())
                    .build()
                    .unwrap();
                for _ in 0..20 {
                    let everywhere = pool.broadcast(|context| context.threads());
                    assert!(everywhere.len() <= 3);
                }
                assert_eq!(pool.install(|| fib(10)), 55);
                assert_eq!(pool.spawn(|| 7).join().unwrap(), 7);
                pool.shutdown().unwrap();
            });
        }
    }
}

/// What a hook has captured panics when it is dropped, with the pool, wherever that happens.
#[test]
fn hooks_that_panic_when_they_are_dropped() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            quiet_panic("a captured value");
        }
    }
    /// Used by a closure, so that the closure owns it.
    fn hold(_: &Grenade) {}
    ends(|| {
        let (name, pin, start, exit) = (Grenade, Grenade, Grenade, Grenade);
        let (panic, event, warning) = (Grenade, Grenade, Grenade);
        let pool = Pool::builder()
            .jobs(2)
            .thread_name(move |index| {
                hold(&name);
                format!("held-{index}")
            })
            .pin(move |_| hold(&pin))
            .start_handler(move |_| hold(&start))
            .exit_handler(move |_| hold(&exit))
            .panic_handler(move |_| hold(&panic))
            .event_handler(move |_| hold(&event))
            .warning_handler(move |_| hold(&warning))
            .build()
            .unwrap();
        tasks(&pool);
        drop(pool);
    });
}

/// A handler is inside of its pool, so it cannot wait for the pool's end.
#[test]
fn a_handler_cannot_shut_its_pool_down() {
    /// Where the pool is for the handler, and what came of its attempt.
    #[derive(Default)]
    struct Shared {
        pool: Mutex<Option<Pool>>,
        refused: Event,
    }
    for drops in [false, true] {
        ends(move || {
            let shared = Arc::new(Shared::default());
            let its = Arc::clone(&shared);
            let pool = Pool::builder()
                .jobs(2)
                .event_handler(move |_| {
                    let Some(pool) = its.pool.lock().unwrap().take() else {
                        return;
                    };
                    if !drops {
                        let pool = pool.shutdown().unwrap_err().into_pool();
                        drop(pool);
                    }
                    its.refused.set();
                })
                .build()
                .unwrap();
            let go = Arc::new(Event::new());
            let wait = Arc::clone(&go);
            drop(pool.spawn(move || drumline::blocking(|| wait.wait())));
            *shared.pool.lock().unwrap() = Some(pool);
            go.set();
            shared.refused.wait();
        });
    }
}

/// The thread that drops the handle holds the lock of the handler.
#[test]
fn the_drop_of_a_handle_does_not_call_the_panic_handler() {
    ends(|| {
        for kind in [
            "a task",
            "a task from inside",
            "a future",
            "a future of a scope",
        ] {
            let lost = Arc::new(Mutex::new(0));
            let told = Arc::new(Event::new());
            let (counted, tell) = (Arc::clone(&lost), Arc::clone(&told));
            let pool = Pool::builder().jobs(2).panic_handler(move |_| {
                *counted.lock().unwrap() += 1;
                tell.set();
            });
            let pool = pool.build().unwrap();
            let drop_locked = || {
                let held = lost.lock().unwrap();
                let task = if kind == "a future" {
                    pool.spawn_future(async { quiet_panic("a future") })
                } else {
                    pool.spawn(|| quiet_panic("a task"))
                };
                while !task.is_finished() {
                    drumline::yield_now();
                    std::thread::yield_now();
                }
                drop(task);
                drop(held);
            };
            match kind {
                "a task from inside" => pool.install(drop_locked),
                "a future of a scope" => {
                    let handle =
                        pool.scope(|scope| scope.spawn_future(async { quiet_panic(kind) }));
                    let held = lost.lock().unwrap();
                    drop::<drumline::ScopedJoinHandle<'_, ()>>(handle);
                    drop(held);
                }
                _ => drop_locked(),
            }
            told.wait();
            pool.shutdown().unwrap();
            assert_eq!(*lost.lock().unwrap(), 1);
        }
    });
}
