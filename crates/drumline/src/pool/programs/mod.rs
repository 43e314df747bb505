//! Random programs on whole pools, under shuttle: nested joins, scopes and
//! tasks. They return, panic, give way, block, or hold locks. Pools have one to
//! three jobs, and are called from one or two threads. The barrier is there, or
//! refused from the start, or from some point on. Every call must give what the
//! same program gives without a pool. Every job must be begun once and dropped
//! once, and no schedule may end in a deadlock.
//!
//! Shuttle treats every access as sequentially consistent: orderings are the
//! business of the loom models.
//!
//! | file | noun |
//! |---|---|
//! | `program` | what is run, and what it must come to |
//! | `tally` | what was begun, and what has been dropped |

mod program;
mod tally;

use std::sync::{Arc, Mutex};

use shuttle::rand::{Rng, thread_rng};

use super::api::handle::Pool;
use super::shared::wait_policy::WaitPolicy;
use crate::future::JoinError;
use crate::iter::walk_tree_prefix;
use crate::prelude::*;
use crate::sync::barrier;
use crate::sync::exploration::{in_random_schedules, iterations, with_few_preemptions};
use crate::sync::plant::{Plant, must_catch};
use crate::unwind;
use crate::wait::{Gate, blocking};
use crate::{JoinHandle, broadcast, join, yield_now};
use program::{Expected, Grammar, Program, TaskGroup, check, closure};
use tally::{Counts, Job, Tally};

/// A pool, and what its callers have in common.
struct House {
    pool: Pool,
    grammar: Grammar,
    /// Whether callers block until another thread runs their second halves. For that there must be
    /// a place that no caller takes, and no thread may yield to a caller that blocks.
    parallel: bool,
    /// Threads that wait take any work.
    steals: bool,
    /// The barrier is refused while calls are inside. Not where they block until
    /// another thread has run what they pushed: under shuttle no system tells that
    /// an owner sleeps.
    breaks: bool,
    /// The tasks that are never joined.
    detached: Arc<Counts>,
    /// Tasks that one caller spawned and any may join.
    left: Mutex<Vec<Left>>,
}

/// A task that waits for a thread to join it.
struct Left {
    handle: JoinHandle<(u64, Job)>,
    expected: Expected,
    tally: Tally,
}

/// What becomes of the handle of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandleUse {
    Detached,
    JoinedOutside,
    JoinedInside,
    /// Any caller joins it, or it is left until the pool has ended.
    Left,
}

impl Left {
    fn join(self) {
        let outcome = self.handle.join().map(|(value, _)| value);
        let outcome = outcome.map_err(JoinError::into_panic);
        check(outcome, &self.expected);
        self.tally.check();
    }
}

impl House {
    fn new(grammar: Grammar, jobs: usize, callers: usize, guests: bool, refused: bool) -> Self {
        let detached = Arc::<Counts>::default();
        let told = Arc::clone(&detached);
        // What two threads have to meet in may be on top of each other then.
        // (And those that hold locks would block themselves.)
        let steals = grammar != Grammar::Blocks && thread_rng().gen_ratio(1, 5);
        let policy = if steals {
            WaitPolicy::Steal
        } else {
            WaitPolicy::Related
        };
        let mut pool = Pool::builder()
            .jobs(jobs)
            .guests(guests)
            // Programs that block need spares.
            .spares(grammar == Grammar::Blocks || thread_rng().r#gen())
            .wait_policy(policy)
            .panic_handler(move |_| told.report());
        if refused {
            pool = pool.refuse_barrier();
        }
        let pool = pool.build().expect("nothing can fail here");
        let parallel =
            grammar == Grammar::Blocks || jobs > callers && grammar != Grammar::Yields && !steals;
        // Late, but before the first call.
        if !refused && thread_rng().gen_ratio(1, 4) {
            barrier::lose();
        }
        House {
            pool,
            grammar,
            parallel,
            steals,
            breaks: !refused && !parallel && thread_rng().gen_ratio(1, 3),
            detached,
            left: Mutex::default(),
        }
    }

    /// The end of the pool, which finishes everything that was spawned.
    fn end(self) {
        let left = self.left.into_inner().unwrap();
        if self.grammar == Grammar::Joins || thread_rng().r#gen() {
            assert!(self.pool.shutdown().is_ok(), "this thread is outside");
            for task in left {
                assert!(task.handle.is_finished(), "a shutdown waits for tasks");
                task.join();
            }
        } else {
            drop(self.pool);
            left.into_iter().for_each(Left::join);
            while !self.detached.is_settled() {
                shuttle::thread::yield_now();
            }
        }
        self.detached.check();
    }

    /// Runs a random program in the pool and checks what comes out.
    fn call(&self) {
        let depth = if self.grammar == Grammar::Joins { 4 } else { 3 };
        let program = Program::random(self.grammar, depth);
        let tally = Tally::new(&self.detached);
        let outcome = unwind::catch(|| self.pool.install(|| program.run(&tally)));
        check(outcome, &program.expected());
        tally.check();
    }

    /// A scope. Its body may run outside.
    fn call_scope(&self) {
        // A body in no pool keeps to itself what it does.
        let group = TaskGroup::random(self.grammar, 2, 0);
        let tally = Tally::new(&self.detached);
        let outcome = unwind::catch(|| group.run_outside(&self.pool, &tally));
        check(outcome, &group.expected());
        tally.check();
    }

    /// A task, spawned outside or inside. It may be joined by any caller, or not at all.
    fn call_task(&self) {
        let mut rng = thread_rng();
        let handle_use = match rng.gen_range(0..4) {
            0 => HandleUse::Detached,
            // Not where the task could yield to this very call, or take it.
            1 if self.grammar != Grammar::Yields && !self.steals => HandleUse::JoinedInside,
            2 => HandleUse::Left,
            _ => HandleUse::JoinedOutside,
        };
        self.start(Program::random(self.grammar, 2), handle_use);
    }

    /// Spawns a task, and does with its handle what `handle_use` says.
    fn start(&self, program: Program, handle_use: HandleUse) {
        let mut rng = thread_rng();
        let expected = program.expected();
        let tally = Tally::new(&self.detached);
        let tally = if handle_use == HandleUse::Detached {
            tally.detached(&program)
        } else {
            tally
        };
        let closure = closure(program, &tally);
        let handle = match rng.gen_range(0..3) {
            0 => self.pool.spawn(closure),
            1 => self.pool.spawn_fifo(closure),
            _ => self.pool.install(|| crate::spawn(closure)),
        };
        let left = Left {
            handle,
            expected,
            tally,
        };
        match handle_use {
            HandleUse::Detached => {
                give_way(20);
                drop(left.handle);
            }
            HandleUse::JoinedOutside => left.join(),
            HandleUse::JoinedInside => self.pool.install(|| left.join()),
            HandleUse::Left => self.left.lock().unwrap().push(left),
        }
    }

    /// Joins what any caller has left, if anything.
    fn join_left(&self) {
        let left = self.left.lock().unwrap().pop();
        if let Some(left) = left {
            for _ in 0..thread_rng().gen_range(0..10) {
                if left.handle.is_finished() {
                    break;
                }
                shuttle::thread::yield_now();
            }
            left.join();
        }
    }

    /// A join. Its first half lasts until another thread runs its second half. That thread is idle,
    /// perhaps asleep, so it has to find the second half, or to be told of it. The second half then
    /// goes on for long enough that the thread of the first goes to sleep.
    fn call_in_parallel(&self) {
        let gate = Gate::new();
        self.pool.join(
            || gate.wait(),
            || {
                gate.open();
                give_way(200);
            },
        );
    }

    /// Some calls, all of which must end.
    fn calls(&self) {
        for _ in 0..2 {
            match (self.grammar, thread_rng().gen_range(0..3)) {
                (Grammar::Joins, _) | (_, 0) => self.call(),
                (_, 1) => self.call_scope(),
                _ => self.call_task(),
            }
            if self.parallel {
                self.call_in_parallel();
            }
            give_way(100);
            self.join_left();
        }
    }
}

/// Gives way up to `most` times.
fn give_way(most: usize) {
    for _ in 0..thread_rng().gen_range(0..most) {
        shuttle::thread::yield_now();
    }
}

/// A pool, some calls from each of `callers` threads, and its end.
fn programs(grammar: Grammar, jobs: usize, callers: usize, guests: bool, refused: bool) {
    let house = Arc::new(House::new(grammar, jobs, callers, guests, refused));
    let system = house.breaks.then(|| {
        shuttle::thread::spawn(|| {
            give_way(300);
            barrier::lose();
        })
    });
    let others: Vec<_> = (1..callers)
        .map(|_| {
            let house = Arc::clone(&house);
            shuttle::thread::spawn(move || house.calls())
        })
        .collect();
    house.calls();
    for other in others.into_iter().chain(system) {
        other.join().expect("the other caller is content");
    }
    Arc::into_inner(house).expect("the others are gone").end();
}

/// Any of the settings of [`programs`].
fn any(grammar: Grammar) {
    let mut rng = thread_rng();
    let (jobs, callers) = (rng.gen_range(1..4), rng.gen_range(1..3));
    programs(grammar, jobs, callers, rng.r#gen(), rng.r#gen());
}

/// Scopes and tasks, with or without yielding.
fn any_of_all() {
    any(if thread_rng().r#gen() {
        Grammar::All
    } else {
        Grammar::Yields
    });
}

/// Programs that block, in a pool with one job, or any.
fn any_that_blocks() {
    if thread_rng().r#gen() {
        programs(Grammar::Blocks, 1, 1, thread_rng().r#gen(), false);
    } else {
        any(Grammar::Blocks);
    }
}

/// The last job of a scope ends while the thread that opened the scope, outside of the pool, is
/// about to sleep.
fn scope_from_outside() {
    let house = House::new(Grammar::All, 1, 1, false, false);
    house.pool.in_place_scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|_| give_way(20));
        }
    });
    house.end();
}

#[test]
fn shuttle_scope_from_outside() {
    in_random_schedules(scope_from_outside, iterations(2_000));
}

/// Both workers run jobs of a scope that wait for another one, which one of them spawns while the
/// caller is about to sleep: the caller runs that.
fn scope_jobs_wait_for_another() {
    let pool = Pool::builder().jobs(2).spares(false).build();
    let pool = pool.expect("nothing can fail here");
    let (begun, ends) = ([Gate::new(), Gate::new()], [Gate::new(), Gate::new()]);
    pool.scope(|scope| {
        scope.spawn(|_| {
            begun[0].open();
            ends[0].wait();
        });
        scope.spawn(|scope| {
            begun[1].open();
            give_way(600);
            scope.spawn(|_| ends.iter().for_each(Gate::open));
            ends[1].wait();
        });
        // The caller would wait in them itself.
        blocking(|| begun.iter().for_each(Gate::wait));
    });
}

#[test]
fn shuttle_scope_jobs_wait_for_another() {
    in_random_schedules(scope_jobs_wait_for_another, iterations(2_000));
}

/// Tasks that panic, of a pool with one job and without guests.
fn tasks(handle_use: HandleUse) {
    let house = House::new(Grammar::All, 1, 1, false, false);
    for _ in 0..4 {
        house.start(Program::Panic(0), handle_use);
        give_way(20);
    }
    house.end();
}

#[test]
fn shuttle_tasks_that_panic() {
    for handle_use in [HandleUse::JoinedOutside, HandleUse::Detached] {
        in_random_schedules(move || tasks(handle_use), iterations(2_000));
    }
}

#[test]
fn shuttle_joins_in_random_schedules() {
    in_random_schedules(|| any(Grammar::Joins), iterations(2_000));
}

#[test]
fn shuttle_joins_with_few_preemptions() {
    with_few_preemptions(|| any(Grammar::Joins), iterations(1_000));
}

#[test]
fn shuttle_all_in_random_schedules() {
    in_random_schedules(any_of_all, iterations(15_000));
}

#[test]
fn shuttle_all_with_few_preemptions() {
    with_few_preemptions(any_of_all, iterations(6_000));
}

#[test]
fn shuttle_blocking_in_random_schedules() {
    in_random_schedules(any_that_blocks, iterations(6_000));
}

#[test]
fn shuttle_blocking_with_few_preemptions() {
    with_few_preemptions(any_that_blocks, iterations(3_000));
}

/// A loop that other threads may take part in, with items that give way; then another one inside of
/// an item, and one that panics.
fn loops(slowness: usize) {
    let house = House::new(Grammar::All, 2, 1, true, false);
    let pool = &house.pool;
    let item = |n: u64| {
        give_way(slowness);
        n
    };
    let inner = |n: u64| (0..n).into_par_iter().map(item).sum::<u64>();
    let sum = pool.install(|| (0..4).into_par_iter().map(inner).sum::<u64>());
    assert_eq!(sum, 4);
    let outcome = unwind::catch(|| {
        pool.install(|| (0..3).into_par_iter().for_each(|n| assert_ne!(item(n), 1)));
    });
    assert!(outcome.is_err(), "a panic is lost");
    house.end();
}

#[test]
fn shuttle_loops_in_random_schedules() {
    in_random_schedules(|| loops(3), iterations(3_000));
}

/// Items that take long enough for the caller to sleep. A model of them catches a plant below.
#[test]
fn shuttle_loops_with_long_items() {
    in_random_schedules(|| loops(5_000), iterations(100));
}

#[test]
fn shuttle_loops_with_few_preemptions() {
    with_few_preemptions(|| loops(3), iterations(1_000));
}

/// A state of which each clone gives way, or calls the pool.
struct State;

impl Clone for State {
    fn clone(&self) -> Self {
        match thread_rng().gen_range(0..6) {
            0 => drop(yield_now()),
            1 => drop(join(|| give_way(3), || give_way(3))),
            2 => drop(broadcast(|_| ())),
            _ => give_way(20),
        }
        State
    }
}

/// Loops that call the program to be split: over numbers, and over a tree. What comes of them must
/// be in order.
fn splits() {
    let house = House::new(Grammar::All, thread_rng().gen_range(2..4), 1, true, false);
    let item = |_: &mut State, n: u64| {
        give_way(40);
        n
    };
    house.pool.install(|| {
        let numbers = (0..6).into_par_iter().map_with(State, item);
        assert_eq!(numbers.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
        let children = |&node: &u64| (2 * node..2 * node + 2).filter(|&child| child < 8);
        let nodes = walk_tree_prefix(1, children).map_with(State, item);
        assert_eq!(nodes.collect::<Vec<_>>(), [1, 2, 4, 5, 3, 6, 7]);
    });
    house.end();
}

#[test]
fn shuttle_splits_in_random_schedules() {
    in_random_schedules(splits, iterations(2_000));
}

#[test]
fn shuttle_splits_with_few_preemptions() {
    with_few_preemptions(splits, iterations(1_000));
}

#[test]
fn shuttle_plants_in_splits() {
    for plant in [Plant::SplitsLocked, Plant::OwnerUnheeded] {
        must_catch(plant, || in_random_schedules(splits, 5_000));
    }
}

#[test]
fn shuttle_plants_in_loops() {
    // The caller sleeps only after it has watched for some time.
    must_catch(Plant::TeamWakesNone, || {
        in_random_schedules(|| loops(5_000), 300);
    });
}

/// Places that no thread takes, or that are lost.
#[test]
fn shuttle_plants_in_blocking() {
    for plant in [
        Plant::SpareNotStarted,
        Plant::NoteUnread,
        Plant::FreedUnmarked,
        Plant::RestForgotten,
        Plant::PlaceLost,
        // What an owner pushes after the barrier was lost is hidden.
        Plant::ExposingForgotten,
    ] {
        must_catch(plant, || in_random_schedules(any_that_blocks, 5_000));
    }
}

/// Bugs that end in a deadlock; those that end in a job run twice would take
/// the test program down with them.
#[test]
fn shuttle_plants_in_joins() {
    for plant in [
        Plant::FinishWakesNobody,
        Plant::WatchUnnoticed,
        Plant::AdmitUnmarked,
        Plant::ParksUnmarked,
        Plant::EndForgotten,
    ] {
        must_catch(plant, || {
            in_random_schedules(|| any(Grammar::Joins), 200_000);
        });
    }
}

/// Bugs that only scopes and tasks can meet. They are deadlocks, too, except for one panic that is
/// not reported.
#[test]
fn shuttle_plants_in_scopes_and_tasks() {
    for plant in [Plant::ScopeWakesNone, Plant::TicketForgotten] {
        must_catch(plant, || in_random_schedules(any_of_all, 5_000));
    }
    must_catch(Plant::NoLookAfterWatch, || {
        in_random_schedules(scope_jobs_wait_for_another, 20_000)
    });
    // Any programs find these as well, but not as surely.
    for (plant, handle_use) in [
        (Plant::TaskWatchTwoSteps, HandleUse::JoinedOutside),
        (Plant::TaskDetachTwoSteps, HandleUse::Detached),
    ] {
        // One schedule in some thousand finds it, and the search ends with that.
        must_catch(plant, || {
            in_random_schedules(move || tasks(handle_use), 100_000)
        });
    }
}
