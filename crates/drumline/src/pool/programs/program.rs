//! What is run: a tree of joins, scopes and tasks, and what it must come to.

use shuttle::rand::{Rng, thread_rng};

use super::tally::Tally;
use crate::future::JoinError;
use crate::pool::Pool;
use crate::unwind::{self, Payload};
use crate::{Scope, ScopeFifo};

/// The sum of a program's values, or the panics of which it may pass one on.
pub(super) type Expected = Result<u64, Vec<u64>>;

/// Of what programs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    /// Joins and nothing else.
    Joins,
    /// Joins, scopes and tasks.
    All,
    /// These, and jobs that yield to any other job of the pool.
    Yields,
    /// All, halves that block until the other half has sent something, and
    /// locks that are held across all that.
    Blocks,
}

/// A program.
#[derive(Clone, Debug)]
pub(super) enum Program {
    Value(u64),
    Panic(u64),
    /// Gives way to other threads this many times, then goes on.
    Slow(usize, Box<Program>),
    /// Runs something else of the pool, if there is anything, then goes on.
    Yield(Box<Program>),
    Join(Box<Program>, Box<Program>),
    /// A join. Its first half blocks until its second half has sent its value.
    Exchange(Box<Program>, Box<Program>),
    /// Run with a lock held: what is further down takes lower ones only.
    Locked(Lock, Box<Program>),
    TaskGroup(Box<TaskGroup>),
    Task(Box<Task>),
}

/// Which lock, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lock {
    number: usize,
    exclusive: bool,
}

impl Program {
    pub(super) fn random(grammar: Grammar, depth: usize) -> Self {
        let mut rng = thread_rng();
        let any = if depth == 0 {
            8
        } else {
            match grammar {
                Grammar::Joins => 24,
                Grammar::All => 46,
                Grammar::Yields => 50,
                Grammar::Blocks => 60,
            }
        };
        let part = |depth| Box::new(Program::random(grammar, depth));
        match rng.gen_range(0..any) {
            0 => Program::Panic(rng.gen_range(0..100)),
            1..=7 => Program::Value(rng.gen_range(0..100)),
            8..=11 => Program::Slow(rng.gen_range(1..20), part(depth - 1)),
            12..=23 => Program::Join(part(depth - 1), part(depth - 1)),
            24..=34 => {
                Program::TaskGroup(Box::new(TaskGroup::random(grammar, depth - 1, depth - 1)))
            }
            35..=45 => Program::Task(Box::new(Task::random(grammar, depth - 1))),
            _ if grammar == Grammar::Yields => Program::Yield(part(depth - 1)),
            46..=52 => Program::Exchange(part(depth - 1), part(depth - 1)),
            _ => {
                let lock = Lock {
                    number: depth,
                    exclusive: rng.r#gen(),
                };
                Program::Locked(lock, part(depth - 1))
            }
        }
    }

    /// What it comes to without a pool.
    pub(super) fn expected(&self) -> Expected {
        match self {
            Program::Value(value) => Ok(*value),
            Program::Panic(code) => Err(vec![*code]),
            Program::Slow(_, then) | Program::Yield(then) | Program::Locked(_, then) => {
                then.expected()
            }
            Program::Join(left, right) | Program::Exchange(left, right) => {
                Ok(left.expected()? + right.expected()?)
            }
            Program::TaskGroup(group) => group.expected(),
            Program::Task(task) => task.expected(),
        }
    }

    /// Runs it, in a pool.
    pub(super) fn run(&self, tally: &Tally) -> u64 {
        match self {
            Program::Value(value) => *value,
            // Without the hook: shuttle's reports a failure.
            Program::Panic(code) => unwind::resume(Box::new(*code)),
            Program::Slow(times, then) => {
                for _ in 0..*times {
                    shuttle::thread::yield_now();
                }
                then.run(tally)
            }
            Program::Yield(then) => {
                crate::yield_now();
                then.run(tally)
            }
            Program::Join(left, right) => {
                // The second half may be left out when the first panics.
                let (a, b) = (tally.job(), tally.job_if(left.expected().is_ok()));
                let (l, r) = crate::join(move || left.run(a.begin()), move || right.run(b.begin()));
                l + r
            }
            Program::Exchange(left, right) => {
                let (sender, receiver) = shuttle::sync::mpsc::channel();
                let (a, b) = (tally.job(), tally.job_if(left.expected().is_ok()));
                let (l, sent) = crate::join(
                    move || {
                        let tally = a.begin();
                        // Nothing comes where the second half panics.
                        let sent = crate::blocking(|| receiver.recv()).unwrap_or(0);
                        (left.run(tally), sent)
                    },
                    move || {
                        let value = right.run(b.begin());
                        // The first half may have panicked.
                        let _ = sender.send(value);
                        value
                    },
                );
                assert_eq!(l.1, sent);
                l.0 + sent
            }
            Program::Locked(lock, then) => {
                let locked = &tally.locks()[lock.number];
                if lock.exclusive {
                    let mut held =
                        crate::blocking(|| locked.write()).unwrap_or_else(|e| e.into_inner());
                    *held += 1;
                    let before = *held;
                    let value = then.run(tally);
                    assert_eq!(*held, before, "no other thread holds it");
                    value
                } else {
                    let held = crate::blocking(|| locked.read()).unwrap_or_else(|e| e.into_inner());
                    let before = *held;
                    let value = then.run(tally);
                    assert_eq!(*held, before, "no thread writes");
                    value
                }
            }
            Program::TaskGroup(group) => group.run(tally),
            Program::Task(task) => task.run(tally),
        }
    }
}

/// A scope with its jobs, each of which may spawn more.
#[derive(Clone, Debug)]
pub(super) struct TaskGroup {
    fifo: bool,
    in_place: bool,
    jobs: Vec<Job>,
    body: Program,
}

#[derive(Clone, Debug)]
struct Job {
    further: Vec<Program>,
    own: Program,
}

/// What came of a job; jobs borrow the place for it.
struct Sums {
    own: u64,
    further: Vec<u64>,
}

/// What both kinds of scope can do.
trait Spawns<'scope>: Sized {
    fn start(&self, job: impl FnOnce(&Self) + Send + 'scope);

    /// As a future, if this kind of scope can do that.
    fn start_future(&self, job: impl FnOnce() + Send + 'scope) {
        self.start(|_| job());
    }
}

impl<'scope> Spawns<'scope> for Scope<'scope> {
    fn start(&self, job: impl FnOnce(&Self) + Send + 'scope) {
        self.spawn(job);
    }

    fn start_future(&self, job: impl FnOnce() + Send + 'scope) {
        let future = self.spawn_future(async {
            crate::task::yield_now().await;
            job();
        });
        drop(future);
    }
}

impl<'scope> Spawns<'scope> for ScopeFifo<'scope> {
    fn start(&self, job: impl FnOnce(&Self) + Send + 'scope) {
        self.spawn_fifo(job);
    }
}

impl TaskGroup {
    /// One with jobs of depth `jobs` and a body of depth `body`.
    pub(super) fn random(grammar: Grammar, jobs: usize, body: usize) -> Self {
        let mut rng = thread_rng();
        TaskGroup {
            fifo: rng.r#gen(),
            in_place: rng.r#gen(),
            jobs: (0..rng.gen_range(0..4))
                .map(|_| Job {
                    further: (0..rng.gen_range(0usize..4).saturating_sub(1))
                        .map(|_| Program::random(grammar, jobs.saturating_sub(1)))
                        .collect(),
                    own: Program::random(grammar, jobs),
                })
                .collect(),
            body: Program::random(grammar, body),
        }
    }

    pub(super) fn expected(&self) -> Expected {
        let of_jobs = self
            .jobs
            .iter()
            .flat_map(|job| job.further.iter().chain([&job.own]));
        let mut sum = 0;
        let mut panics = Vec::new();
        for part in of_jobs.chain([&self.body]) {
            match part.expected() {
                Ok(value) => sum += value,
                Err(codes) => panics.extend(codes),
            }
        }
        if panics.is_empty() {
            Ok(sum)
        } else {
            Err(panics)
        }
    }

    fn sums(&self) -> Vec<Sums> {
        let none_yet = |job: &Job| Sums {
            own: 0,
            further: vec![0; job.further.len()],
        };
        self.jobs.iter().map(none_yet).collect()
    }

    fn run(&self, tally: &Tally) -> u64 {
        let mut sums = self.sums();
        let places = &mut sums[..];
        let of_body = match (self.fifo, self.in_place) {
            (false, false) => crate::scope(|s| self.body(s, places, tally)),
            (true, false) => crate::scope_fifo(|s| self.body(s, places, tally)),
            (false, true) => crate::in_place_scope(|s| self.body(s, places, tally)),
            (true, true) => crate::in_place_scope_fifo(|s| self.body(s, places, tally)),
        };
        of_body + total(&sums)
    }

    /// Runs it from a thread outside of `pool`.
    pub(super) fn run_outside(&self, pool: &Pool, tally: &Tally) -> u64 {
        let mut sums = self.sums();
        let places = &mut sums[..];
        let of_body = match (self.fifo, self.in_place) {
            (false, false) => pool.scope(|s| self.body(s, places, tally)),
            (true, false) => pool.scope_fifo(|s| self.body(s, places, tally)),
            (false, true) => pool.in_place_scope(|s| self.body(s, places, tally)),
            (true, true) => pool.in_place_scope_fifo(|s| self.body(s, places, tally)),
        };
        of_body + total(&sums)
    }

    fn body<'scope, S: Spawns<'scope>>(
        &'scope self,
        scope: &S,
        sums: &'scope mut [Sums],
        tally: &Tally,
    ) -> u64 {
        // A body that panics cancels the futures of its scope.
        let has_futures = self.body.expected().is_ok();
        for (job, Sums { own, further }) in self.jobs.iter().zip(sums) {
            let this = tally.job();
            scope.start(move |scope| {
                let tally = this.begin();
                for (program, sum) in job.further.iter().zip(further) {
                    let this = tally.job();
                    let mut run = move || *sum = program.run(this.begin());
                    if has_futures && thread_rng().gen_bool(0.5) {
                        scope.start_future(run);
                    } else {
                        scope.start(move |_| run());
                    }
                }
                *own = job.own.run(tally);
            });
        }
        self.body.run(tally)
    }
}

fn total(sums: &[Sums]) -> u64 {
    let of_job = |sums: &Sums| sums.own + sums.further.iter().sum::<u64>();
    sums.iter().map(of_job).sum()
}

/// A spawned task, and what its maker does meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Task {
    fifo: bool,
    spawned: Program,
    meanwhile: Program,
    end: End,
}

/// What becomes of a task's handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It is joined.
    Join,
    /// It is asked a few times whether the task has ended, and joined.
    AskAndJoin,
    /// It is dropped at once.
    Detach,
    /// It is dropped later, perhaps by a panic.
    DetachLate,
}

impl Task {
    fn random(grammar: Grammar, depth: usize) -> Self {
        let mut rng = thread_rng();
        Task {
            fifo: rng.r#gen(),
            spawned: Program::random(grammar, depth),
            meanwhile: Program::random(grammar, depth),
            end: [End::Join, End::AskAndJoin, End::Detach, End::DetachLate][rng.gen_range(0..4)],
        }
    }

    fn is_joined(&self) -> bool {
        matches!(self.end, End::Join | End::AskAndJoin)
    }

    fn expected(&self) -> Expected {
        let mut sum = self.meanwhile.expected()?;
        if self.is_joined() {
            sum += self.spawned.expected()?;
        }
        Ok(sum)
    }

    fn run(&self, tally: &Tally) -> u64 {
        let of_task = if self.is_joined() {
            tally.clone()
        } else {
            tally.detached(&self.spawned)
        };
        let closure = closure(self.spawned.clone(), &of_task);
        let is_detached = matches!(self.end, End::Detach | End::DetachLate);
        let handle = if is_detached && thread_rng().gen_bool(0.5) {
            // A task that joined it could wait for ever in a pool without spares.
            crate::spawn_future(async move { closure() })
        } else if self.fifo {
            crate::spawn_fifo(closure)
        } else {
            crate::spawn(closure)
        };
        match self.end {
            End::Join | End::AskAndJoin => {
                let meanwhile = unwind::catch(|| self.meanwhile.run(tally));
                if self.end == End::AskAndJoin {
                    for _ in 0..thread_rng().gen_range(0..20) {
                        if handle.is_finished() {
                            break;
                        }
                        shuttle::thread::yield_now();
                    }
                }
                let spawned = handle.join().map(|(value, _)| value);
                let spawned = spawned.map_err(JoinError::into_panic);
                or_panic(meanwhile) + or_panic(spawned)
            }
            End::Detach => {
                drop(handle);
                self.meanwhile.run(tally)
            }
            End::DetachLate => {
                let value = self.meanwhile.run(tally);
                drop(handle);
                value
            }
        }
    }
}

/// What a task runs; its value is counted, too.
pub(super) fn closure(
    program: Program,
    tally: &Tally,
) -> impl FnOnce() -> (u64, super::tally::Job) + Send + use<> {
    let this = tally.job();
    move || (program.run(this.begin()), this)
}

fn or_panic(outcome: Result<u64, Payload>) -> u64 {
    outcome.unwrap_or_else(|payload| unwind::resume(payload))
}

/// Compares what came out with what is expected.
pub(super) fn check(outcome: Result<u64, Payload>, expected: &Expected) {
    match (outcome, expected) {
        (Ok(value), Ok(sum)) => assert_eq!(value, *sum),
        (Err(payload), Err(codes)) => {
            let code = payload.downcast::<u64>().expect("one of ours");
            assert!(codes.contains(&code), "{code} is none of {codes:?}");
        }
        (outcome, expected) => panic!("{:?} instead of {expected:?}", outcome.is_ok()),
    }
}
