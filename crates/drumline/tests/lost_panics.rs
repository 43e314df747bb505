//! Panics that no thread waits for: which handler hears of them, and that none hears twice.

mod common;

use std::panic::resume_unwind;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;

use common::{FOREVER, eventually};
use drumline::{Event, Pool, Warning};

/// What a program says that runs in a process of its own, and ends well.
#[track_caller]
fn said_by(program: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", program, "--ignored", "--nocapture"]);
    command.env("RUST_BACKTRACE", "0");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Detached tasks that end in the three ways, and one that is detached when it has ended.
fn lose_some(pool: &Pool) -> usize {
    drop(pool.spawn(|| panic!("boom")));
    drop(pool.spawn(|| resume_unwind(Box::new("quiet"))));
    pool.spawn_broadcast(|_| panic!("shared"));
    let late = pool.spawn(|| panic!("late"));
    eventually("it has ended", || late.is_finished());
    drop(late);
    // Three tasks, and one share for each of two workers.
    3 + 2
}

#[test]
fn where_the_hook_prints_nothing_else_does() {
    let said = said_by("program_without_handlers");
    for (message, times) in [("boom", 1), ("late", 1), ("shared", 2), ("drumline:", 0)] {
        assert_eq!(said.matches(message).count(), times, "{message}: {said}");
    }
}

#[test]
#[ignore = "a program of `where_the_hook_prints_nothing_else_does`"]
fn program_without_handlers() {
    let pool = common::without_guests(2);
    let lost = lose_some(&pool);
    eventually("all are counted", || pool.lost_panics() == lost);
    pool.shutdown().unwrap();
}

#[test]
fn where_the_hook_is_quiet_a_warning_handler_hears_of_each_once() {
    let said = said_by("program_with_a_quiet_hook");
    for (message, times) in [("boom", 1), ("quiet", 1), ("late", 1), ("shared", 2)] {
        assert_eq!(said.matches(message).count(), times, "{message}: {said}");
    }
    assert_eq!(said.matches("no panic handler").count(), 5, "{said}");
}

#[test]
#[ignore = "a program of `where_the_hook_is_quiet_a_warning_handler_hears_of_each_once`"]
fn program_with_a_quiet_hook() {
    std::panic::set_hook(Box::new(|_| ()));
    let builder = Pool::builder().jobs(2).guests(false);
    let pool = builder.warning_handler(|warning| eprintln!("{warning}"));
    let pool = pool.build().unwrap();
    lose_some(&pool);
    pool.shutdown().unwrap();
}

#[test]
fn an_event_for_each_with_its_number() {
    let (tell, told) = mpsc::channel();
    let pool = Pool::builder()
        .jobs(1)
        .event_handler(move |event| {
            if let Event::PanicLost { message, lost, .. } = event {
                tell.send((message.clone(), *lost)).unwrap();
            }
        })
        .build()
        .unwrap();
    drop(pool.spawn(|| resume_unwind(Box::new("first"))));
    let next = || told.recv_timeout(FOREVER).unwrap();
    assert_eq!(next(), (Some("first".to_owned()), 1));
    drop(pool.spawn(|| resume_unwind(Box::new(7))));
    assert_eq!(next(), (None, 2));
    pool.shutdown().unwrap();
    assert!(told.recv().is_err(), "and no more");
}

/// The panic handler is told instead, unless it panics.
#[test]
fn with_a_panic_handler_there_is_no_warning() {
    let (tell, told) = mpsc::channel();
    let (warn, warned) = mpsc::channel();
    let pool = Pool::builder()
        .jobs(1)
        .panic_handler(move |payload| {
            let message = common::message(&*payload).to_owned();
            let fails = message == "too much";
            tell.send(message).unwrap();
            if fails {
                common::quiet_panic("the handler");
            }
        })
        .warning_handler(move |warning| {
            if let Warning::PanicLost { message, .. } = warning {
                warn.send(message.clone()).unwrap();
            }
        })
        .build()
        .unwrap();
    for message in ["one", "too much", "two"] {
        drop(pool.spawn(move || resume_unwind(Box::new(message))));
        assert_eq!(told.recv_timeout(FOREVER).unwrap(), message);
    }
    pool.shutdown().unwrap();
    let warned: Vec<_> = warned.iter().collect();
    assert_eq!(warned, [Some("the handler".to_owned())]);
}

/// A panic goes to the thread that waits for it and to no handler, on whatever thread it was.
#[test]
fn panics_that_are_waited_for_are_not_lost() {
    let (warn, warned) = mpsc::channel();
    let pool = Pool::builder()
        .jobs(3)
        .warning_handler(move |warning| warn.send(warning.to_string()).unwrap())
        .build()
        .unwrap();
    let quiet = || -> () { common::quiet_panic("waited for") };
    for _ in 0..100 {
        assert!(pool.spawn(quiet).join().is_err());
        let both = || pool.install(|| drumline::join(thread::yield_now, quiet));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(both)).is_err());
    }
    assert_eq!(pool.lost_panics(), 0);
    pool.shutdown().unwrap();
    assert_eq!(warned.iter().count(), 0);
}

/// Handlers that panic while they are told of a panic: it ends there.
#[test]
fn handlers_that_panic_are_counted() {
    let pool = Pool::builder()
        .jobs(1)
        .guests(false)
        .warning_handler(|_| common::quiet_panic("warned"))
        .event_handler(|event| {
            if matches!(event, Event::PanicLost { .. }) {
                common::quiet_panic("told");
            }
        })
        .build()
        .unwrap();
    drop(pool.spawn(|| common::quiet_panic("detached")));
    eventually("they are counted", || pool.lost_panics() >= 2);
    assert_eq!(pool.install(|| 6 * 7), 42);
    pool.shutdown().unwrap();
}

/// The panic of a future that has no handle any more is reported where it happened, before that
/// thread goes on.
#[test]
fn a_detached_future_is_reported_by_its_own_thread() {
    let (tell, told) = mpsc::channel();
    let handler = tell.clone();
    let builder = Pool::builder().jobs(2).guests(false);
    let builder = builder.panic_handler(move |_| handler.send(thread::current().id()).unwrap());
    let pool = builder.build().unwrap();
    for _ in 0..100 {
        let detached = Arc::new(AtomicBool::new(false));
        let (is_detached, tell) = (Arc::clone(&detached), tell.clone());
        drop(pool.spawn_future(async move {
            while !is_detached.load(Ordering::Acquire) {
                drumline::task::yield_now().await;
            }
            tell.send(thread::current().id()).unwrap();
            resume_unwind(Box::new("detached"));
        }));
        detached.store(true, Ordering::Release);
        let [ran, reported] = [(); 2].map(|()| told.recv_timeout(FOREVER).unwrap());
        assert_eq!(ran, reported);
    }
    pool.shutdown().unwrap();
}

/// Panics in its drop.
struct Fails;

impl Drop for Fails {
    fn drop(&mut self) {
        common::quiet_panic("dropped");
    }
}

/// The thread that drops a handle may hold a lock which the panic handler takes.
#[test]
fn a_value_that_panics_as_its_handle_is_dropped_is_reported_by_a_worker() {
    let (tell, told) = mpsc::channel();
    let builder = Pool::builder().jobs(1).guests(false);
    let builder = builder.panic_handler(move |_| tell.send(thread::current().id()).unwrap());
    let pool = builder.build().unwrap();
    let closure = pool.spawn(|| Fails);
    let future = pool.spawn_future(async { Fails });
    eventually("they have ended", || {
        closure.is_finished() && future.is_finished()
    });
    drop(closure);
    drop(future);
    for _ in 0..2 {
        let reported = told.recv_timeout(FOREVER).unwrap();
        assert_ne!(reported, thread::current().id());
    }
    pool.shutdown().unwrap();
}
