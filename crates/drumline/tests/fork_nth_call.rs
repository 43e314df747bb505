//! Joins, scopes, tasks and broadcasts: the n-th call of every function that a program supplies
//! panics, for all n.
//!
//! In each case the panic surfaces: where the call was made, in the handle of a task, or in the
//! pool's panic handler. Everything is dropped once, nothing hangs, and the pool is good for more.

mod common;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{ends, eventually, quiet_panic};
use drumline::{BroadcastContext, Pool};

/// The functions of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    /// The body of a scope, a side of a join, what is installed.
    Body,
    /// A closure that was spawned.
    Job,
    /// The closure of a broadcast.
    Broadcast,
    /// The drop of what a closure captured.
    CaptureDrop,
    /// The drop of a result.
    ResultDrop,
    /// The drop of a panic's payload; each job panics with one.
    PayloadDrop,
}

const SITES: [Site; 6] = [
    Site::Body,
    Site::Job,
    Site::Broadcast,
    Site::CaptureDrop,
    Site::ResultDrop,
    Site::PayloadDrop,
];

/// The most calls of a site that are tried.
const CALLS: usize = 16;

type Fuse = common::fuse::Fuse<Site>;
type Thing = common::fuse::Thing<Site>;

/// What the closures of the programs do.
trait Calls {
    /// A call of `site`.
    fn call(&self, site: Site);

    /// What a job captures.
    fn captured(&self) -> Thing;

    /// The result of a call of `site`.
    fn result(&self, site: Site) -> Thing;
}

impl Calls for Fuse {
    fn call(&self, site: Site) {
        self.at(site);
        if self.site() == Site::PayloadDrop && site == Site::Job {
            quiet_panic(self.thing(Site::PayloadDrop));
        }
    }

    fn captured(&self) -> Thing {
        self.thing(Site::CaptureDrop)
    }

    fn result(&self, site: Site) -> Thing {
        self.call(site);
        self.thing(Site::ResultDrop)
    }
}

/// Drops what a job has captured, before it makes its result: where the drop of a local value
/// panics later, the compiler leaks the value that is returned (rust-lang/rust#47949).
fn of(captured: Thing) -> Fuse {
    captured.fuse().clone()
}

/// What a program does in a pool.
type Program = fn(&Pool, &Fuse, &Surfaced);

/// The panics that have surfaced.
#[derive(Default)]
struct Surfaced(AtomicUsize);

impl Surfaced {
    /// A panic has arrived with this payload. The drop of the payload may panic as well.
    fn note(&self, payload: Box<dyn Any + Send>) {
        // Relaxed, here and below: as in a fuse.
        self.0.fetch_add(1, Ordering::Relaxed);
        let payload = AssertUnwindSafe(payload);
        if let Err(next) = catch_unwind(move || drop(payload)) {
            self.note(next);
        }
    }

    /// Runs a part of a program that may panic.
    fn watch<R>(&self, part: impl FnOnce() -> R) {
        let outcome = catch_unwind(AssertUnwindSafe(|| drop(part())));
        if let Err(payload) = outcome {
            self.note(payload);
        }
    }

    fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// A scope with jobs that spawn others: `$call` is the way to open it.
macro_rules! scope_program {
    ($name:ident, $call:ident, $spawn:ident) => {
        fn $name(pool: &Pool, fuse: &Fuse, surfaced: &Surfaced) {
            surfaced.watch(|| {
                pool.$call(|scope| {
                    for _ in 0..3 {
                        let captured = fuse.captured();
                        scope.$spawn(move |scope| {
                            let fuse = of(captured);
                            fuse.call(Site::Job);
                            let inner = fuse.captured();
                            scope.$spawn(move |_| inner.fuse().call(Site::Job));
                        });
                    }
                    let captured = fuse.captured();
                    scope.spawn_broadcast(move |_, _| captured.fuse().call(Site::Broadcast));
                    fuse.result(Site::Body)
                })
            });
        }
    };
}

scope_program!(scope, scope, spawn);
scope_program!(scope_fifo, scope_fifo, spawn_fifo);
scope_program!(in_place_scope, in_place_scope, spawn);
scope_program!(in_place_scope_fifo, in_place_scope_fifo, spawn_fifo);

/// A tree of joins.
fn joins(pool: &Pool, fuse: &Fuse, surfaced: &Surfaced) {
    fn tree(depth: usize, fuse: &Fuse) -> Thing {
        if depth == 0 {
            return fuse.result(Site::Body);
        }
        let (left, right) = (fuse.captured(), fuse.captured());
        let (left, right) = drumline::join(
            move || tree(depth - 1, &of(left)),
            move || tree(depth - 1, &of(right)),
        );
        drop(left);
        right
    }
    surfaced.watch(|| pool.install(|| tree(3, fuse)));
}

/// Calls into the pool from calls into the pool, which announce that they block.
fn calls(pool: &Pool, fuse: &Fuse, surfaced: &Surfaced) {
    surfaced.watch(|| {
        pool.install(|| {
            let captured = fuse.captured();
            let inner = pool.install(move || {
                let fuse = of(captured);
                drumline::blocking(|| fuse.result(Site::Body))
            });
            fuse.call(Site::Body);
            inner
        })
    });
}

/// Tasks that are joined.
fn tasks(pool: &Pool, fuse: &Fuse, surfaced: &Surfaced) {
    let spawn = |number: usize| {
        let captured = fuse.captured();
        let task = move || of(captured).result(Site::Job);
        if number.is_multiple_of(2) {
            pool.spawn(task)
        } else {
            pool.spawn_fifo(task)
        }
    };
    let handles: Vec<_> = (0..4).map(spawn).collect();
    for handle in handles {
        match handle.join() {
            Ok(result) => surfaced.watch(|| result),
            Err(error) => surfaced.note(error.into_panic()),
        }
    }
}

/// Tasks with dropped handles: the pool drops their results.
fn detached(pool: &Pool, fuse: &Fuse, _: &Surfaced) {
    for _ in 0..3 {
        let captured = fuse.captured();
        drop(pool.spawn(move || {
            let fuse = of(captured);
            let inner = fuse.captured();
            drop(drumline::spawn(move || of(inner).result(Site::Job)));
            fuse.result(Site::Job)
        }));
    }
    let captured = fuse.captured();
    pool.spawn_broadcast(move |_| captured.fuse().call(Site::Broadcast));
}

/// A broadcast with results.
fn broadcast(pool: &Pool, fuse: &Fuse, surfaced: &Surfaced) {
    let op = |_: BroadcastContext<'_>| fuse.result(Site::Broadcast);
    surfaced.watch(|| pool.broadcast(op));
}

const PROGRAMS: [(&str, Program); 9] = [
    ("scope", scope),
    ("scope_fifo", scope_fifo),
    ("in_place_scope", in_place_scope),
    ("in_place_scope_fifo", in_place_scope_fifo),
    ("joins", joins),
    ("calls", calls),
    ("tasks", tasks),
    ("detached", detached),
    ("broadcast", broadcast),
];

/// Runs one program until its n-th call of a site is beyond the last one. Returns how many calls
/// panicked.
fn sweep(jobs: usize, guests: bool, (name, program): (&str, Program), site: Site) -> usize {
    for call in 1..=CALLS {
        let case = format!("{name}, {site:?} {call}, {jobs} jobs, guests {guests}");
        let fuse = Fuse::new(site, call);
        let surfaced = Arc::new(Surfaced::default());
        let reports = Arc::clone(&surfaced);
        let pool = Pool::builder()
            .jobs(jobs)
            .guests(guests)
            .panic_handler(move |payload| reports.note(payload))
            .build()
            .unwrap();
        program(&pool, &fuse, &surfaced);
        eventually(&case, || fuse.alive() == 0);
        let (left, right) = pool.join(|| 1, || 2);
        assert_eq!(left + right, 3, "{case}");
        assert_eq!(pool.broadcast(|_| ()).len(), jobs, "{case}");
        pool.shutdown()
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        if !fuse.has_blown() {
            assert_eq!(
                surfaced.any(),
                site == Site::PayloadDrop && has_jobs(name),
                "{case}"
            );
            return call - 1;
        }
        assert!(surfaced.any(), "{case}: the panic is lost");
        assert_eq!(fuse.alive(), 0, "{case}");
    }
    CALLS
}

fn has_jobs(name: &str) -> bool {
    !matches!(name, "joins" | "calls" | "broadcast")
}

fn all_programs(jobs: usize, guests: bool) {
    let mut calls = Vec::new();
    for site in SITES {
        for program in PROGRAMS {
            calls.push((program.0, site, sweep(jobs, guests, program, site)));
        }
    }
    // The sweep reaches each site: a program that never came there would prove nothing.
    for site in SITES {
        let reached = calls
            .iter()
            .filter(|(_, of, calls)| *of == site && *calls > 0);
        assert!(
            reached.count() > 0,
            "no program reaches {site:?}: {calls:?}"
        );
    }
}

#[test]
fn with_one_job() {
    ends(|| all_programs(1, true));
}

#[test]
fn with_one_job_without_guests() {
    ends(|| all_programs(1, false));
}

#[test]
fn with_three_jobs() {
    ends(|| all_programs(3, true));
}

#[test]
fn with_three_jobs_without_guests() {
    ends(|| all_programs(3, false));
}
