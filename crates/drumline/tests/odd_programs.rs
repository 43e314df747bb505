//! Odd programs. A process is forked in the middle of a call, or exits there. An iterator yields
//! while it is asked. A closure panics when it is dropped.
#![cfg(target_os = "linux")]

mod common;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use drumline::prelude::*;
use drumline::{Pool, WorkerLocal, join};

// Relaxed throughout: these are counts and a flag, and publish nothing else.

unsafe extern "C" {
    fn fork() -> i32;
    fn _exit(code: i32) -> !;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
}

/// `Pool`, "Forking": "calls that are already inside go on alone, and panic where they would have
/// to wait for a thread of the parent".
#[test]
fn a_call_that_is_inside_goes_on_in_a_forked_child() {
    const ROUNDS: usize = 500;
    // A child says nothing: a lock of the standard library may be held by a thread of the parent.
    let (parent, speak) = (std::process::id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if std::process::id() == parent {
            speak(info);
        }
    }));
    let pool = Pool::builder().jobs(4).build().unwrap();
    let stop = AtomicBool::new(false);
    let hung = thread::scope(|scope| {
        for _ in 0..2 {
            // Others are at work in the pool, so that thieves come and go.
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    pool.join(|| thread::sleep(Duration::from_micros(20)), || ());
                }
            });
        }
        let mut hung = 0;
        for _ in 0..ROUNDS {
            let child = Cell::new(0);
            let mut pid = 0;
            pool.install(|| {
                let halves = || {
                    join(
                        || {
                            // SAFETY: the child calls nothing but the pool it is in, and `_exit`.
                            pid = unsafe { fork() };
                        },
                        || (),
                    )
                };
                // In the child it panics where a thread of the parent has begun the other half.
                let joined = catch_unwind(AssertUnwindSafe(halves));
                if pid == 0 {
                    // SAFETY: ends the child.
                    unsafe { _exit(0) }
                }
                joined.unwrap();
            });
            child.set(pid);
            let start = Instant::now();
            let mut status = 0;
            // SAFETY: a child of this process that only this loop waits for; `status` is a local,
            // and 1 is WNOHANG.
            while unsafe { waitpid(child.get(), &raw mut status, 1) } == 0 {
                if start.elapsed() > common::FOREVER {
                    hung += 1;
                    // SAFETY: takes integers; the child has not been waited for, so the number is
                    // still its own.
                    unsafe { kill(child.get(), 9) };
                    // SAFETY: as above, and `status` is a local.
                    unsafe { waitpid(child.get(), &raw mut status, 0) };
                    break;
                }
                thread::sleep(Duration::from_micros(100));
            }
            if hung > 0 {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        hung
    });
    assert_eq!(hung, 0, "children that never went on");
}

/// Panics where it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !thread::panicking() {
            resume_unwind(Box::new("dropped"));
        }
    }
}

/// `spawn_broadcast`: panics "In a forked child" only; what a share's drop panics with goes to the
/// panic handler.
#[test]
fn what_a_spawned_broadcast_drops_does_not_panic_in_the_caller() {
    let reported = std::sync::Arc::new(AtomicUsize::new(0));
    let counts = std::sync::Arc::clone(&reported);
    let pool = Pool::builder()
        .jobs(3)
        .panic_handler(move |_| {
            counts.fetch_add(1, Ordering::Relaxed);
        })
        .build()
        .unwrap();
    let mut in_the_caller = 0;
    for _ in 0..3_000 {
        // The workers are awake.
        pool.scope(|scope| (0..4).for_each(|_| scope.spawn(|_| ())));
        let bomb = Bomb;
        let call = || pool.spawn_broadcast(move |_| assert_eq!(size_of_val(&bomb), 0));
        in_the_caller += usize::from(catch_unwind(AssertUnwindSafe(call)).is_err());
    }
    pool.shutdown().unwrap();
    let reported = reported.load(Ordering::Relaxed);
    assert_eq!(in_the_caller, 0, "and {reported} were reported");
}

static VALUES: WorkerLocal<Cell<usize>> = WorkerLocal::new(|| Cell::new(0));
static GIVEN_BACK: AtomicBool = AtomicBool::new(false);
static OTHER: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // What `scoped_tls::scoped_thread_local!(static LENT: Cell<usize>)` has.
    static LENT: Cell<*const Cell<usize>> = const { Cell::new(std::ptr::null()) };
    static AT_EXIT: AtExit = const { AtExit };
}

struct AtExit;

impl Drop for AtExit {
    fn drop(&mut self) {
        let lent = LENT.with(Cell::get);
        if lent.is_null() {
            return;
        }
        // SAFETY: as in `scoped_tls`: the frame that lent it is still there.
        let mine = unsafe { &*lent };
        GIVEN_BACK.store(true, Ordering::SeqCst);
        let start = Instant::now();
        while OTHER.load(Ordering::SeqCst) == 0 {
            if start.elapsed() > common::FOREVER {
                eprintln!("the other thread has no value");
                // SAFETY: ends the process.
                unsafe { _exit(102) }
            }
            thread::yield_now();
        }
        if OTHER.load(Ordering::SeqCst) == std::ptr::from_ref(mine).addr() {
            eprintln!("two threads have the same value: {}", mine.get());
            // SAFETY: ends the process.
            unsafe { _exit(101) }
        }
    }
}

/// `worker_local`: "A thread that is inside of `WorkerLocal::with` holds an index, and no other
/// thread holds the same one meanwhile."
#[test]
fn a_value_is_one_threads_also_at_exit() {
    let mut program = std::process::Command::new(std::env::current_exe().unwrap());
    program.args([
        "--exact",
        "program_that_exits_inside",
        "--ignored",
        "--nocapture",
    ]);
    let output = program.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("running 1 test"),
        "no such program: {output:?}"
    );
}

#[test]
#[ignore = "a program of `a_value_is_one_threads_also_at_exit`"]
fn program_that_exits_inside() {
    thread::spawn(|| {
        while !GIVEN_BACK.load(Ordering::SeqCst) {
            thread::yield_now();
        }
        VALUES.with(|value| {
            value.set(99);
            OTHER.store(std::ptr::from_ref(value).addr(), Ordering::SeqCst);
            // The end of the process ends it.
            loop {
                thread::park();
            }
        });
    });
    AT_EXIT.with(|_| ());
    VALUES.with(|value| {
        LENT.with(|lent| lent.set(value));
        std::process::exit(0) // runs the destructors of this thread's state, on Linux
    });
}

/// `par_bridge`: "If the iterator uses parallelism itself, and comes to run part of this very loop
/// while it is asked for an item, that part ends early, and others go on with it."
#[test]
fn an_iterator_that_yields_does_not_stop_its_bridge() {
    let rounds = std::sync::Arc::new(AtomicUsize::new(0));
    let counted = std::sync::Arc::clone(&rounds);
    let loops = thread::spawn(move || {
        let pool = Pool::builder().jobs(4).build().unwrap();
        for _ in 0..300 {
            let items = (0..60).inspect(|_| {
                drumline::yield_now();
            });
            let work = |_: i32| thread::sleep(Duration::from_micros(20));
            pool.install(|| items.par_bridge().for_each(work));
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    let start = Instant::now();
    while !loops.is_finished() {
        let done = rounds.load(Ordering::Relaxed);
        assert!(
            start.elapsed() < common::FOREVER,
            "it hangs in round {done}"
        );
        thread::sleep(Duration::from_millis(10));
    }
}
