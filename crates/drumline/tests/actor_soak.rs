//! A soak of actors: crashes, restarts and resizing, round after round, and nothing is left.
//!
//! `DRUMLINE_SOAK_ROUNDS` says how many rounds there are; `cargo xtask soak actors` has many.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{Random, eventually};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorGroup, ActorRef, ActorSystem, Context, Directive, Exit, Handler, Overflow, Router,
    Scheduler, SharedScheduler, SpawnOptions, Strategy, Supervisor, SupervisorOptions,
};

/// Counts the bytes that the process holds.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// Relaxed throughout: these are counts, and publish nothing else. They are read when all threads
// that change them have ended, or again and again.

// SAFETY: the allocator of the system does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's obligation.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's obligation.
        unsafe { System.dealloc(memory, layout) };
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What may be left of a round for good: a lock that was used for the first time, or a longer list.
const SLACK: usize = 64 << 10;

/// No test waits for this long.
const LONG: Duration = Duration::from_secs(3_600);

/// Counts how many there are.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Counted(Arc::clone(count))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What an actor is told to do.
#[derive(Clone, Copy)]
enum Deed {
    Nothing,
    Fail,
    Stop,
    SendLater(Duration),
    SendAgain(Duration),
    /// To tell another member of the group something.
    PassOn,
    Monitor,
    Link,
}

struct Task(
    Deed,
    #[expect(dead_code, reason = "dropped with the message")] Counted,
);

/// What all actors of a round share.
#[derive(Clone)]
struct Shared {
    group: ActorGroup<Task>,
    count: Arc<AtomicUsize>,
}

struct Worker {
    shared: Shared,
    router: Router<Task>,
    /// Another actor, which this one may watch.
    other: Option<ActorRef<Worker>>,
    _counted: Counted,
}

impl Worker {
    fn new(shared: &Shared, other: Option<ActorRef<Worker>>) -> Self {
        Worker {
            router: Router::round_robin(&shared.group),
            other,
            _counted: Counted::new(&shared.count),
            shared: shared.clone(),
        }
    }

    fn task(&self, deed: Deed) -> Task {
        Task(deed, Counted::new(&self.shared.count))
    }
}

impl Actor for Worker {
    fn started(&mut self, context: &mut Context<Self>) {
        self.shared.group.join(&context.actor_ref());
        context.send_after(Duration::from_micros(500), self.task(Deed::PassOn));
    }
}

impl Handler<Task> for Worker {
    type Reply = ();

    fn handle(&mut self, task: Task, context: &mut Context<Self>) {
        match task.0 {
            Deed::Nothing => {}
            // Without the hook, which would print.
            Deed::Fail => std::panic::resume_unwind(Box::new("on purpose")),
            Deed::Stop => context.stop(),
            Deed::SendLater(delay) => {
                context.send_after(delay, self.task(Deed::Nothing));
            }
            Deed::SendAgain(period) => {
                let count = Arc::clone(&self.shared.count);
                context.send_every(period, move || Task(Deed::Nothing, Counted::new(&count)));
            }
            Deed::PassOn => {
                let _ = self.router.try_tell(self.task(Deed::Nothing));
            }
            Deed::Monitor => {
                if let Some(other) = &self.other {
                    context.monitor(other);
                }
            }
            Deed::Link => {
                if let Some(other) = &self.other {
                    context.link(other);
                }
            }
        }
    }
}

impl Handler<Exit> for Worker {
    type Reply = ();

    fn handle(&mut self, _: Exit, _: &mut Context<Self>) {}
}

fn deed(random: &mut Random) -> Deed {
    match random.below(12) {
        0 | 1 => Deed::Fail,
        2 => Deed::Stop,
        3 => Deed::SendLater(Duration::from_micros(random.below(2_000))),
        4 => Deed::SendLater(LONG),
        5 => Deed::SendAgain(Duration::from_micros(100 + random.below(2_000))),
        6 | 7 => Deed::PassOn,
        8 => Deed::Monitor,
        9 => Deed::Link,
        _ => Deed::Nothing,
    }
}

fn supervision(random: &mut Random) -> SupervisorOptions {
    let strategies = [
        Strategy::OneForOne,
        Strategy::OneForAll,
        Strategy::RestForOne,
    ];
    let options = SupervisorOptions::new()
        .strategy(strategies[random.below(3) as usize])
        .max_restarts([3, 100, usize::MAX][random.below(3) as usize], LONG)
        .restart_timeout(Duration::from_millis(1));
    let options = match random.below(3) {
        0 => options.backoff(Duration::from_micros(100), Duration::from_millis(1)),
        _ => options,
    };
    match random.below(4) {
        0 => options.on_failure(|failure| match failure.actor().len() % 3 {
            0 => Directive::Stop,
            1 => Directive::Escalate,
            _ => Directive::Restart,
        }),
        _ => options,
    }
}

fn options(random: &mut Random, scheduler: &SharedScheduler) -> SpawnOptions {
    let options = SpawnOptions::new().name("worker".repeat(1 + random.below(3) as usize));
    let options = match random.below(8) {
        0 => options.scheduler(Scheduler::ForkJoinLifo),
        1 => options.scheduler(Scheduler::ForkJoinFifo),
        2 => options.scheduler(Scheduler::Shared(scheduler.clone())),
        3 => options.scheduler(Scheduler::Pinned),
        _ => options,
    };
    match random.below(4) {
        0 => options.bounded(4, Overflow::DropOldest),
        1 => options.bounded(8, Overflow::Fail),
        _ => options,
    }
}

/// Actors of all kinds work, fail and end, while their threads become more and fewer.
fn round(random: &mut Random) {
    let pool = Pool::builder()
        .jobs(1 + random.below(3) as usize)
        .panic_handler(|_| {})
        .build()
        .unwrap();
    let scheduler = SharedScheduler::new(1).unwrap();
    let system = ActorSystem::new(&pool);
    let count = Arc::new(AtomicUsize::new(0));
    let shared = Shared {
        group: ActorGroup::new(),
        count: Arc::clone(&count),
    };
    let root = system.supervisor(supervision(random));
    let mut supervisors: Vec<Supervisor> = vec![root];
    for _ in 0..2 {
        let above = random.below(supervisors.len() as u64) as usize;
        let below = supervisors[above].supervisor(supervision(random));
        supervisors.push(below);
    }
    let mut actors: Vec<ActorRef<Worker>> = Vec::new();
    for number in 0..40 {
        let other = (number > 0).then(|| actors[random.below(number) as usize].clone());
        let options = options(random, &scheduler);
        let actor = match random.below(supervisors.len() as u64 + 1) as usize {
            0 => system.spawn_with(Worker::new(&shared, other), options),
            above => {
                let shared = shared.clone();
                let make = move || Worker::new(&shared, other.clone());
                supervisors[above - 1].spawn_with(make, options)
            }
        };
        if random.below(4) == 0 {
            let _ = system.register(format!("name {}", random.below(10)), &actor);
        }
        actors.push(actor);
    }
    thread::scope(|scope| {
        for _ in 0..2 {
            let mut random = Random::new(random.number());
            let (actors, count, system) = (&actors, &count, &system);
            scope.spawn(move || {
                for _ in 0..400 {
                    let task = Task(deed(&mut random), Counted::new(count));
                    let actor = &actors[random.below(actors.len() as u64) as usize];
                    let _ = actor.try_tell(task);
                    match random.below(100) {
                        0 => drop(system.tree(Duration::from_micros(100))),
                        1 => actor.stop_now(),
                        2 => drop(system.find::<Worker>("name 3")),
                        3 => drop(actor.ended()),
                        _ => {}
                    }
                }
            });
        }
        for _ in 0..20 {
            pool.set_jobs(1 + random.below(4) as usize).unwrap();
            scheduler.set_threads(1 + random.below(3) as usize).unwrap();
            thread::yield_now();
        }
    });
    if random.below(2) == 0 {
        supervisors[random.below(3) as usize].stop();
    }
    drop(actors);
    let report = system.shutdown(Instant::now() + LONG);
    assert!(report.is_complete(), "{:?}", report.abandoned());
    assert_eq!(system.actors(), 0);
    assert!(shared.group.is_empty() && system.names().is_empty());
    drop((supervisors, system, shared, scheduler));
    pool.shutdown().unwrap();
    // Another thread may be about to drop what it needs no more.
    eventually("all states and messages are dropped", || {
        count.load(Ordering::Relaxed) == 0
    });
}

#[test]
fn nothing_is_left_of_actors_that_crash_and_restart() {
    let rounds = std::env::var("DRUMLINE_SOAK_ROUNDS");
    let rounds = rounds.map_or(30, |rounds| rounds.parse::<usize>().expect("a number"));
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = Random::new(seed);
    // What is made once: the heap of deadlines, tables, the caches of this thread.
    for _ in 0..5 {
        round(&mut random);
    }
    let before = HELD.load(Ordering::Relaxed);
    for _ in 0..rounds {
        round(&mut random);
    }
    eventually("the memory is given back", || {
        HELD.load(Ordering::Relaxed) < before + SLACK
    });
}
