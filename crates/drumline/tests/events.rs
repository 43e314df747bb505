//! What a pool tells about its threads, and what it counts.

mod common;

use std::io;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use common::{FOREVER, eventually, fib, meet, message, quiet_panic};
use drumline::{Event, Pool, PoolBuilder, Stats, blocking, worker_index};

/// The events so far.
#[derive(Clone, Default)]
struct Log(Arc<(Mutex<Vec<Event>>, Condvar)>);

impl Log {
    /// A description of a pool that sends its events here.
    fn builder(&self, jobs: usize) -> PoolBuilder {
        let log = self.clone();
        Pool::builder()
            .jobs(jobs)
            .event_handler(move |event| log.push(event))
    }

    fn push(&self, event: &Event) {
        self.0.0.lock().unwrap().push(event.clone());
        self.0.1.notify_all();
    }

    fn events(&self) -> Vec<Event> {
        self.0.0.lock().unwrap().clone()
    }

    fn count(&self, which: fn(&Event) -> bool) -> usize {
        self.events().iter().filter(|event| which(event)).count()
    }

    /// Waits until there are `count` events of this kind.
    #[track_caller]
    fn wait_for(&self, count: usize, which: fn(&Event) -> bool) {
        let enough =
            |events: &Vec<Event>| events.iter().filter(|event| which(event)).count() >= count;
        let events = self.0.0.lock().unwrap();
        let (events, _) = self
            .0
            .1
            .wait_timeout_while(events, FOREVER, |events| !enough(events))
            .unwrap();
        assert!(enough(&events), "waited in vain for an event: {events:?}");
    }

    /// What happened to this thread, in words.
    fn story(&self, thread: usize) -> Vec<&'static str> {
        let events = self.events();
        let told = events.iter().filter_map(|event| match event {
            Event::ThreadStarted { index, .. } if *index == thread => Some("started"),
            Event::ThreadStopped { index, .. } if *index == thread => Some("stopped"),
            Event::Slept { index, .. } if *index == thread => Some("slept"),
            Event::Woke { index, .. } if *index == thread => Some("woke"),
            Event::Blocked { index, .. } if *index == thread => Some("blocked"),
            Event::Unblocked { index, .. } if *index == thread => Some("unblocked"),
            Event::Stole { thief, .. } if *thief == thread => Some("stole"),
            _ => None,
        });
        told.collect()
    }
}

fn slept(event: &Event) -> bool {
    matches!(event, Event::Slept { .. })
}

fn stole(event: &Event) -> bool {
    matches!(event, Event::Stole { .. })
}

#[test]
fn the_life_of_one_thread() {
    lives_alone();
}

/// The same in a process that has just begun: the barrier of the system is not registered yet.
#[test]
fn the_life_of_the_first_thread() {
    common::program("program_of_one_thread");
}

#[test]
#[ignore = "a program of the test above"]
fn program_of_one_thread() {
    lives_alone();
}

fn lives_alone() {
    let log = Log::default();
    let pool = log.builder(1).guests(false).spares(false).build().unwrap();
    log.wait_for(1, slept);
    assert_eq!(pool.spawn(|| 7).join().unwrap(), 7);
    log.wait_for(2, slept);
    let stats = pool.stats();
    assert_eq!((stats.jobs, stats.threads, stats.blocked), (1, 1, 0));
    assert_eq!((stats.queue_depth, stats.steals, stats.beats), (0, 0, 0));
    assert_eq!((stats.parks, stats.wakes), (2, 1));
    assert_eq!((stats.blocks, stats.spares), (0, 0));
    pool.shutdown().unwrap();
    let story = ["started", "slept", "woke", "slept", "woke", "stopped"];
    assert_eq!(log.story(0), story);
    assert_eq!(log.events().len(), story.len());
}

#[test]
fn every_thread_starts_first_and_stops_last() {
    let log = Log::default();
    // A thread that waits for its processor may look like one that blocks. It gets no spare here.
    let pool = log.builder(4).spares(false).build().unwrap();
    for _ in 0..20 {
        pool.install(meet);
    }
    assert_eq!(pool.install(|| fib(16)), 987);
    pool.set_jobs(5).unwrap();
    assert_eq!(pool.stats().threads, 5);
    pool.shutdown().unwrap();
    // A guest took a number, too, before the fifth thread came.
    let events = log.events();
    let started = events.iter().filter_map(|event| match event {
        Event::ThreadStarted { index, .. } => Some(*index),
        _ => None,
    });
    let started: Vec<usize> = started.collect();
    assert_eq!(started.len(), 5);
    for index in started {
        let story = log.story(index);
        assert_eq!(story.first(), Some(&"started"), "{story:?}");
        assert_eq!(story.last(), Some(&"stopped"), "{story:?}");
        let inner = &story[1..story.len() - 1];
        assert!(!inner.contains(&"started") && !inner.contains(&"stopped"));
        let sleeps = inner
            .iter()
            .filter(|&&what| what == "slept" || what == "woke");
        for (turn, &what) in sleeps.enumerate() {
            assert_eq!(what, ["slept", "woke"][turn % 2], "{story:?}");
        }
    }
}

#[test]
fn a_half_that_runs_elsewhere_was_stolen() {
    let log = Log::default();
    let pool = log.builder(2).build().unwrap();
    let rounds: usize = 10;
    for round in 1..=rounds {
        let ran = common::Event::new();
        let (victim, thief) = pool.join(
            || {
                ran.wait();
                worker_index().unwrap()
            },
            || {
                ran.set();
                worker_index().unwrap()
            },
        );
        // A thread that has joined knows of it.
        assert_eq!(pool.stats().steals, round as u64);
        let told = log.events();
        let last = told.iter().rev().find(|event| stole(event)).unwrap();
        let Event::Stole {
            thief: told_thief,
            victim: told_victim,
            ..
        } = last
        else {
            unreachable!()
        };
        assert_eq!((*told_thief, *told_victim), (thief, victim));
    }
    assert_eq!(log.count(stole), rounds);
    assert_eq!(pool.stats().queue_depth, 0);
}

#[test]
fn a_task_that_another_thread_takes_was_stolen() {
    let log = Log::default();
    let pool = log.builder(2).guests(false).build().unwrap();
    let (owner, runner) = pool.install(|| {
        let ran = Arc::new(common::Event::new());
        let runs = Arc::clone(&ran);
        let task = drumline::spawn(move || {
            runs.set();
            worker_index().unwrap()
        });
        ran.wait();
        (worker_index().unwrap(), task.join().unwrap())
    });
    assert_ne!(owner, runner);
    assert_eq!(pool.stats().steals, 1);
    assert_eq!(log.count(stole), 1);
}

#[test]
fn forks_that_nobody_helps_tell_nothing() {
    let log = Log::default();
    // With threads of its own it has no monitor, which would wake up for this.
    let pool = log
        .builder(1)
        .guests(true)
        .spawn_handler(|thread| std::thread::Builder::new().spawn(|| thread.run()).map(drop))
        .build()
        .unwrap();
    log.wait_for(1, slept);
    let before = pool.stats();
    assert_eq!(pool.install(|| fib(20)), 6765);
    let mut after = pool.stats();
    assert_eq!(
        after.idle_set_locks,
        before.idle_set_locks + 2,
        "in and out"
    );
    after.idle_set_locks = before.idle_set_locks;
    assert_eq!(before, after);
    assert_eq!(log.events().len(), 2, "started, slept");
}

#[test]
fn what_lies_pending_is_the_queue_depth() {
    // A half counts if a thread could take it, which is certain once this process has its barrier.
    // No thread of this pool rests for good, after it has worked, before that is there.
    let other = common::pool(2);
    other.install(meet);
    common::wait_until_parked(&other);
    // The one place is this thread's, so no other thread takes anything. If this thread waited in
    // the kernel for a moment, one would have its place, if there were spares.
    let pool = common::without_spares(1, true);
    pool.install(|| {
        let tasks: Vec<_> = (0..3).map(|_| drumline::spawn(|| ())).collect();
        assert_eq!(pool.stats().queue_depth, 3);
        pool.join(|| assert_eq!(pool.stats().queue_depth, 4), || ());
        // What is taken back from the new end leaves nothing behind.
        for task in tasks.into_iter().rev() {
            task.join().unwrap();
        }
        assert_eq!(pool.stats().queue_depth, 0);
    });
}

#[test]
fn a_searcher_that_leaves_work_behind_calls_the_next() {
    let log = Log::default();
    let pool = log.builder(3).guests(false).spares(false).build().unwrap();
    log.wait_for(3, slept);
    // All three meet, so a worker must have called the second and third.
    let (here, all) = (AtomicUsize::new(0), common::Event::new());
    pool.scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|_| {
                if here.fetch_add(1, Ordering::Relaxed) == 2 {
                    all.set();
                }
                all.wait();
            });
        }
    });
    let stats = pool.stats();
    assert!(stats.wakes >= 3, "{stats}");
    assert!(stats.parks >= stats.wakes, "{stats}");
    assert!(stats.beats <= stats.wakes, "{stats}");
}

#[test]
fn blocking_is_told_and_counted() {
    let log = Log::default();
    let pool = log.builder(1).guests(false).build().unwrap();
    let inside = pool.install(|| {
        // The inner one is part of the outer one.
        let inside = blocking(|| blocking(|| pool.stats()));
        assert_eq!(pool.stats().blocked, 0);
        inside
    });
    assert_eq!((inside.blocked, inside.blocks), (1, 1));
    assert_eq!(pool.stats().blocks, 1);
    // A thread that is in no pool blocks no worker.
    blocking(|| ());
    assert_eq!(pool.stats().blocks, 1);
    pool.shutdown().unwrap();
    let events = log.events();
    let told = events.iter().filter_map(|event| match event {
        Event::Blocked { index, .. } => Some((*index, "blocked")),
        Event::Unblocked { index, .. } => Some((*index, "unblocked")),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let [(before, "blocked"), (after, "unblocked")] = told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(before, after);
}

#[test]
fn a_poll_that_takes_long_is_told() {
    let log = Log::default();
    let pool = log.builder(1).guests(false).build().unwrap();
    let long = Duration::from_millis(20);
    let task = pool.spawn_future(async move {
        thread::sleep(long);
        worker_index().unwrap()
    });
    let thread = task.join().unwrap();
    log.wait_for(1, |event| matches!(event, Event::LongPoll { .. }));
    assert!(log.events().iter().any(|event| match event {
        Event::LongPoll { index, lasted, .. } => *index == thread && *lasted >= long,
        _ => false,
    }));
    assert_eq!(pool.stats().polls, 1);
}

#[test]
fn a_handler_that_panics_is_no_problem() {
    let panics = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&panics);
    let calls = Arc::new(AtomicUsize::new(0));
    let called = Arc::clone(&calls);
    let pool = Pool::builder()
        .jobs(2)
        .event_handler(move |_| {
            called.fetch_add(1, Ordering::Relaxed);
            quiet_panic("told")
        })
        .panic_handler(move |payload| heard.lock().unwrap().push(message(&*payload).to_owned()))
        .build()
        .unwrap();
    for _ in 0..20 {
        pool.install(meet);
    }
    assert_eq!(pool.install(|| blocking(|| fib(10))), 55);
    pool.shutdown().unwrap();
    let panics = panics.lock().unwrap();
    assert!(panics.iter().all(|text| text == "told"));
    assert_eq!(panics.len(), calls.load(Ordering::Relaxed));
    assert!(panics.len() >= 24, "20 steals, 2 starts, 2 ends at least");
}

#[test]
fn a_handler_may_call_pools_and_is_not_told_of_itself() {
    let other = Arc::new(common::pool(2));
    let pool_for_handler: Arc<Mutex<Option<Arc<Pool>>>> = Arc::default();
    let (own, calls) = (Arc::clone(&pool_for_handler), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&calls);
    let pool = Pool::builder()
        .jobs(2)
        .event_handler(move |event| {
            thread_local!(static INSIDE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
            assert!(!INSIDE.replace(true), "a handler inside of itself");
            assert_eq!(worker_index(), None, "{event}: in no pool meanwhile");
            assert_eq!(other.install(|| fib(6)), 8);
            let own = own.lock().unwrap().clone();
            if let Some(own) = own {
                // Blocks, too, and that is not told.
                own.install(|| blocking(|| drop(drumline::spawn(|| ()))));
            }
            counted.fetch_add(1, Ordering::Relaxed);
            INSIDE.set(false);
        })
        .build()
        .unwrap();
    let pool = Arc::new(pool);
    *pool_for_handler.lock().unwrap() = Some(Arc::clone(&pool));
    for _ in 0..20 {
        pool.install(meet);
        // Still in the pool afterwards.
        pool.install(|| {
            blocking(|| ());
            assert!(pool.worker_index().is_some());
        });
    }
    *pool_for_handler.lock().unwrap() = None;
    eventually("the handlers are done with the pool", || {
        Arc::strong_count(&pool) == 1
    });
    assert_eq!(pool.lost_panics(), 0);
    assert!(calls.load(Ordering::Relaxed) >= 60);
    Arc::into_inner(pool).unwrap().shutdown().unwrap();
}

#[test]
fn warnings_are_events() {
    let log = Log::default();
    let pool = log
        .builder(2)
        .spawn_handler(|_| Err(io::Error::other("no threads today")));
    let pool = pool.build().unwrap();
    let events = log.events();
    let [
        Event::ThreadNotCreated {
            have: 0,
            wanted: 2,
            error,
            ..
        },
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(error.to_string(), "no threads today");
    assert!(
        events[0]
            .to_string()
            .contains("goes on with 0 of the 2 for its jobs")
    );
    let stats = pool.stats();
    assert_eq!((stats.jobs, stats.threads), (2, 0));
}

#[test]
fn a_limit_below_the_jobs_is_an_error() {
    for (max, jobs) in [(3, 4), (0, 1), (0, 4)] {
        let error = Pool::builder()
            .jobs(jobs)
            .max_threads(max)
            .build()
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("max_threads = {max} is less than jobs = {jobs}; raise it or leave it out")
        );
    }
    let pool = Pool::builder().jobs(2).max_threads(2).build().unwrap();
    assert_eq!(pool.install(|| fib(12)), 144);
    // In the other order, too.
    let error = Pool::builder().max_threads(1).jobs(2).build().unwrap_err();
    assert!(error.to_string().contains("jobs = 2"), "{error}");
}

#[test]
fn stats_in_words() {
    let stats: Stats = common::pool(2).stats();
    let words = stats.to_string();
    assert!(words.starts_with("now: jobs 2, threads 2, blocked 0, queued 0; so far: steals 0"));
    assert!(format!("{stats:?}").contains("queue_depth: 0"));
}

/// Runs one of the programs below in a process of its own.
fn output_of(program: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", program, "--ignored", "--nocapture"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output
}

#[test]
fn ordinary_events_are_not_printed() {
    let output = output_of("program_without_a_handler");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
#[ignore = "a program of the test above"]
fn program_without_a_handler() {
    let pool = common::pool(2);
    for _ in 0..10 {
        pool.install(meet);
    }
    pool.install(|| blocking(|| ()));
    pool.shutdown().unwrap();
}

#[test]
fn warnings_are_printed_where_nobody_hears_them() {
    let output = output_of("program_without_threads");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.starts_with("drumline: a worker thread could not be created"),
        "{text}"
    );
}

#[test]
#[ignore = "a program of the test above"]
fn program_without_threads() {
    let refuse = |builder: PoolBuilder| {
        let builder = builder.spawn_handler(|_| Err(io::Error::other("no threads today")));
        drop(builder.jobs(1).build().unwrap());
    };
    refuse(Pool::builder());
    // These have a handler that hears.
    refuse(Pool::builder().warning_handler(|_| ()));
    refuse(Pool::builder().event_handler(|_| ()));
    refuse(Pool::builder().event_handler(|_| quiet_panic("told")));
    thread::yield_now();
}
