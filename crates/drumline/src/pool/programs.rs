//! Random programs on whole pools, under shuttle: nested joins that return,
//! panic or give way, on pools of one to three jobs, called from one or two
//! threads. Every call must give what the same program gives without a pool,
//! every closure must be dropped once, and no schedule may end in a deadlock.
//!
//! Shuttle treats every access as sequentially consistent: orderings are the
//! business of the loom models.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::rand::{Rng, thread_rng};

use super::handle::Pool;
use crate::sync::plant::{Plant, must_catch};
use crate::unwind;
use crate::wait::Gate;

/// A program.
#[derive(Clone, Debug)]
enum Program {
    Value(u64),
    Panic(u64),
    /// Gives way so many times, then goes on.
    Slow(usize, Box<Program>),
    Join(Box<Program>, Box<Program>),
}

impl Program {
    fn random(depth: usize) -> Self {
        let mut rng = thread_rng();
        match rng.gen_range(0..if depth == 0 { 8 } else { 24 }) {
            0 => Program::Panic(rng.gen_range(0..100)),
            1..=7 => Program::Value(rng.gen_range(0..100)),
            8..=11 => Program::Slow(
                rng.gen_range(1..20),
                Box::new(Program::random(depth.saturating_sub(1))),
            ),
            _ => Program::Join(
                Box::new(Program::random(depth - 1)),
                Box::new(Program::random(depth - 1)),
            ),
        }
    }

    /// What it comes to: the sum of its values, or its leftmost panic.
    fn expected(&self) -> Result<u64, u64> {
        match self {
            Program::Value(value) => Ok(*value),
            Program::Panic(code) => Err(*code),
            Program::Slow(_, then) => then.expected(),
            Program::Join(left, right) => Ok(left.expected()? + right.expected()?),
        }
    }

    fn run(&self, alive: &Arc<AtomicUsize>) -> u64 {
        match self {
            Program::Value(value) => *value,
            // Without the hook: shuttle's reports a failure.
            Program::Panic(code) => unwind::resume(Box::new(*code)),
            Program::Slow(times, then) => {
                for _ in 0..*times {
                    shuttle::thread::yield_now();
                }
                then.run(alive)
            }
            Program::Join(left, right) => {
                let (a, b) = (Counted::new(alive), Counted::new(alive));
                let (l, r) =
                    crate::join(move || left.run(a.within()), move || right.run(b.within()));
                l + r
            }
        }
    }
}

/// Something that closures own, counted while it is alive.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Counted(Arc::clone(alive))
    }

    fn within(&self) -> &Arc<AtomicUsize> {
        &self.0
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Runs a random program on `pool` and checks what comes out.
fn call(pool: &Pool) {
    let program = Program::random(4);
    let alive = Arc::new(AtomicUsize::new(0));
    let outcome = unwind::catch(|| pool.install(|| program.run(&alive)));
    let outcome = outcome.map_err(|payload| *payload.downcast::<u64>().expect("one of ours"));
    assert_eq!(outcome, program.expected());
    assert_eq!(alive.load(Ordering::SeqCst), 0, "closures were leaked");
}

/// A join whose first half lasts until the second has been run, by a thread
/// that is idle, perhaps asleep: it has to be found or announced. Then the
/// second half goes on for so long that the first goes to sleep.
fn call_in_parallel(pool: &Pool) {
    let gate = Gate::new();
    pool.join(
        || gate.wait(),
        || {
            gate.open();
            give_way(200);
        },
    );
}

/// Gives way up to `most` times.
fn give_way(most: usize) {
    for _ in 0..thread_rng().gen_range(0..most) {
        shuttle::thread::yield_now();
    }
}

/// Some calls, all of which must end.
fn calls(pool: &Pool, parallel: bool) {
    for _ in 0..2 {
        call(pool);
        if parallel {
            call_in_parallel(pool);
        }
        give_way(100);
    }
}

/// A pool, some calls from each of `callers` threads, and its end.
fn programs(jobs: usize, callers: usize, guests: bool, refused: bool) {
    // With a place that no caller takes, second halves never wait for long.
    let parallel = jobs > callers;
    let mut pool = Pool::builder().jobs(jobs).guests(guests);
    if refused {
        pool = pool.refuse_barrier();
    }
    let pool = Arc::new(pool.build().expect("nothing can fail here"));
    let others: Vec<_> = (1..callers)
        .map(|_| {
            let pool = Arc::clone(&pool);
            shuttle::thread::spawn(move || calls(&pool, parallel))
        })
        .collect();
    calls(&pool, parallel);
    for other in others {
        other.join().expect("the other caller is content");
    }
    let pool = Arc::into_inner(pool).expect("the others are gone");
    assert!(pool.shutdown().is_ok(), "this thread is not in the pool");
}

/// Any of the settings of [`programs`].
fn any() {
    let mut rng = thread_rng();
    let (jobs, callers) = (rng.gen_range(1..4), rng.gen_range(1..3));
    programs(jobs, callers, rng.r#gen(), rng.r#gen());
}

#[test]
fn shuttle_random_schedules() {
    shuttle::check_random(any, iterations(2_000));
}

#[test]
fn shuttle_few_preemptions() {
    shuttle::check_pct(any, iterations(1_000), 3);
}

/// Bugs that end in a deadlock; those that end in a job run twice would take
/// the test program down with them.
#[test]
fn shuttle_plants() {
    for plant in [
        Plant::FinishWakesNobody,
        Plant::WatchUnnoticed,
        Plant::AdmitUnmarked,
        Plant::DozeUnmarked,
        Plant::EndForgotten,
    ] {
        must_catch(plant, || shuttle::check_random(any, 5_000));
    }
}

/// `DRUMLINE_SHUTTLE_LONGER` times as many.
fn iterations(some: usize) -> usize {
    let longer = std::env::var("DRUMLINE_SHUTTLE_LONGER");
    some * longer.map_or(1, |n| n.parse().expect("a factor"))
}
