//! Programs to which the system refuses threads: what they hear of it, where they cannot hear it,
//! and that no warning costs more than itself.
#![cfg(target_os = "linux")]

mod common;

use std::fs::OpenOptions;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::child::in_a_child;
use common::{Event, fib};
use drumline::{Pool, PoolBuilder, blocking};

// Relaxed throughout: a count, which publishes nothing else.

/// More than is left of the address space after [`take_away_memory`].
const STACK: usize = 4 << 30;

/// One of the programs below, as a process of its own.
fn program(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--ignored", "--nocapture"]);
    command
}

/// From now on this process has no room for another stack of [`STACK`] bytes.
fn take_away_memory() {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
    let limit = libc::rlimit {
        rlim_cur: pages * 4096 + (STACK as u64) / 2,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: reads the structure, and changes a number of this process.
    let changed = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(changed, 0);
}

/// Two jobs, and no third thread to be had.
fn pool_of_two(builder: PoolBuilder) -> Pool {
    let pool = builder.jobs(2).guests(true).stack_size(STACK);
    // Both have their stacks now. The pool has done nothing yet, so it has not had a spare either:
    // the stack of one that has ended stays until it is joined, and would be room for the next.
    let pool = pool.build().unwrap();
    take_away_memory();
    pool
}

/// Blocks, though not for long, while other halves lie in the deque: the push and the wait want a
/// thread, and get along without.
fn want_threads(pool: &Pool) {
    let (sum, _) = pool.join(
        || drumline::join(|| blocking(|| fib(4)), || fib(5)).1,
        || drumline::join(|| fib(6), || blocking(std::thread::yield_now)),
    );
    assert_eq!(sum, 5);
}

#[test]
fn a_warning_that_cannot_be_written_is_lost_and_nothing_else() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut child = program("program_that_warns");
    let status = child.stderr(full).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{status}");

    let mut child = program("program_that_warns");
    let child = child.stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = child.spawn().unwrap();
    drop(child.stderr.take());
    let status = child.wait().unwrap();
    assert!(status.success(), "{status}");
}

#[test]
fn a_warning_goes_to_standard_error() {
    let output = program("program_that_warns").output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("drumline: a thread for the place of a blocked one could not be created"),
        "{text}"
    );
    assert!(text.contains("goes on with its 2 threads"), "{text}");
}

/// Blocks both threads of the pool, and runs `meanwhile` when a task waits for a thread that the
/// system has refused.
fn while_a_thread_is_refused(pool: &Pool, meanwhile: impl FnOnce()) {
    let go = Arc::new(Event::new());
    let blocked: Vec<_> = (0..2)
        .map(|_| {
            let go = Arc::clone(&go);
            pool.spawn(move || blocking(|| go.wait()))
        })
        .collect();
    common::eventually("both are blocked", || pool.stats().blocked == 2);
    let task = pool.spawn(|| 7);
    common::eventually("a thread is refused", || pool.stats().refusals > 0);
    meanwhile();
    go.set();
    for task in blocked {
        task.join().unwrap();
    }
    assert_eq!(task.join().unwrap(), 7);
}

#[test]
#[ignore = "a program of `a_warning_goes_to_standard_error`"]
fn program_that_warns() {
    let pool = pool_of_two(Pool::builder());
    while_a_thread_is_refused(&pool, || {
        for _ in 0..50 {
            want_threads(&pool);
        }
    });
    assert_eq!(pool.broadcast(|_| ()).len(), 2, "all workers are well");
    pool.shutdown().unwrap();
}

#[test]
fn a_child_asks_for_no_thread_of_its_parent() {
    let output = program("program_that_forks").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 passed"), "no such program: {output:?}");
}

/// A thread that ends asks again for the pools that were refused one. In the child that must not be
/// done for a pool of the parent: the thread would run the task that the parent runs.
#[test]
#[ignore = "a program of `a_child_asks_for_no_thread_of_its_parent`"]
fn program_that_forks() {
    let names = Arc::new(AtomicUsize::new(0));
    let pool = pool_of_two(Pool::builder().warning_handler(|_| ()).thread_name({
        let names = Arc::clone(&names);
        move |index| format!("{index}, named {}", names.fetch_add(1, Ordering::Relaxed))
    }));
    while_a_thread_is_refused(&pool, || {
        in_a_child(|| {
            let before = names.load(Ordering::Relaxed);
            let own = Pool::builder().jobs(1).build().unwrap();
            let sum = own.install(|| fib(10));
            // Its thread has asked again when this returns.
            own.shutdown().is_ok() && sum == 55 && names.load(Ordering::Relaxed) == before
        });
    });
    pool.shutdown().unwrap();
}

#[test]
fn many_refusals_are_one_warning() {
    let output = program("program_with_many_tasks").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("1 passed"), "no such program: {output:?}");
}

#[test]
#[ignore = "a program of `many_refusals_are_one_warning`"]
fn program_with_many_tasks() {
    const TASKS: usize = 10_000;
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let pool = pool_of_two(
        Pool::builder()
            .warning_handler(move |warning| heard.lock().unwrap().push(warning.to_string())),
    );
    let go = Arc::new(Event::new());
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..2 {
        let go = Arc::clone(&go);
        drop(pool.spawn(move || blocking(|| go.wait())));
    }
    common::eventually("both are blocked", || pool.stats().blocked == 2);
    for _ in 0..TASKS {
        let done = Arc::clone(&done);
        drop(pool.spawn(move || done.fetch_add(1, Ordering::Relaxed)));
    }
    let refusals = pool.stats().refusals;
    assert!(refusals > 0);
    println!("{TASKS} tasks, {refusals} refusals");
    go.set();
    common::eventually("every task runs", || done.load(Ordering::Relaxed) == TASKS);
    pool.shutdown().unwrap();
    let warnings = warnings.lock().unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("refused so far: 1)"), "{warnings:?}");
}
