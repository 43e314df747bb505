//! Everything that the threads of one simulation share.

use std::cell::{Cell, RefCell};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::assumptions::Assumptions;
use super::clock::{Clock, Lock, ThreadFuture, ThreadId, Time};
use super::counts::Counts;
use super::deque::Deque;
use super::idle::IdleSet;
use super::program::{ItemsDone, Program};
use super::rayon::RayonPool;
use super::thief::StealBackoff;
use super::threads::Thread;

/// When the caller comes: all workers sleep by then.
pub const CALL: Time = 1_000;

/// The assumptions, as times of the clock.
#[derive(Debug)]
pub struct Times {
    pub wake_latency: Time,
    pub wake_cost: Time,
    pub nap_latency: Time,
    pub sleep_latency: Time,
    pub barrier: Time,
    pub barrier_per_thread: Time,
    pub interruption: Time,
    pub idle_lock: Time,
    pub hand_over: Time,
    pub survey: Time,
    pub mark: Time,
    pub probe: Time,
    pub thief_lock: Time,
    pub place_lock: Time,
    pub answer: Time,
    pub attend: Time,
    pub owner_spin: Time,
    pub look: Time,
    pub fork: Time,
    /// Whether threads have to wait for processors.
    pub is_overfull: bool,
}

impl Times {
    fn new(assumptions: &Assumptions) -> Self {
        Times {
            wake_latency: assumptions.time("wake-latency"),
            wake_cost: assumptions.time("wake-cost"),
            nap_latency: assumptions.time("nap-latency"),
            sleep_latency: assumptions.time("sleep-latency"),
            barrier: assumptions.time("barrier"),
            barrier_per_thread: assumptions.time("barrier-per-thread"),
            interruption: assumptions.time("interruption"),
            idle_lock: assumptions.time("idle-lock"),
            hand_over: assumptions.time("hand-over"),
            survey: assumptions.time("survey-per-seat"),
            mark: assumptions.time("mark-per-seat"),
            probe: assumptions.time("probe-per-seat"),
            thief_lock: assumptions.time("thief-lock"),
            place_lock: assumptions.time("place-lock"),
            answer: assumptions.time("answer"),
            attend: assumptions.time("attend"),
            owner_spin: assumptions.time("owner-spin"),
            // Zero would be a thread that looks for ever and lets no time pass.
            look: assumptions.time("look").max(1),
            fork: assumptions.time("fork"),
            is_overfull: assumptions.time("oversubscribed") > 0,
        }
    }
}

/// One simulated pool with the program that it runs. The workers are the threads from 0 on, and the
/// last one is the caller, as a guest.
#[derive(Debug)]
pub struct World {
    pub clock: Clock,
    pub times: Times,
    pub counts: Counts,
    pub threads: Vec<Thread>,
    pub deques: Vec<Deque>,
    pub idle_set: IdleSet,
    /// The kernel's lock around the barrier.
    pub kernel: Lock,
    /// How many barriers have begun, and how many have ended.
    pub barriers_begun: Cell<u64>,
    pub barriers_ended: Cell<u64>,
    /// What the pool takes the barrier to cost: 2 microseconds at first, as in the library.
    pub barrier_cost: Cell<Time>,
    /// How many threads run.
    pub running: Cell<usize>,
    /// How each thread treats each victim.
    pub backoffs: Vec<RefCell<Vec<StealBackoff>>>,
    /// The pool of rayon, if the program runs in that.
    pub rayon: RayonPool,
    pub program: Program,
    pub progress: ItemsDone,
    random: RefCell<SmallRng>,
}

impl World {
    fn new(jobs: usize, program: Program, assumptions: &Assumptions, seed: u64) -> Self {
        let threads = jobs + 1;
        World {
            clock: Clock::new(threads),
            times: Times::new(assumptions),
            counts: Counts::default(),
            threads: (0..threads).map(|_| Thread::default()).collect(),
            deques: (0..threads).map(|_| Deque::default()).collect(),
            idle_set: IdleSet::new(jobs),
            kernel: Lock::default(),
            barriers_begun: Cell::new(0),
            barriers_ended: Cell::new(0),
            barrier_cost: Cell::new(2_000),
            running: Cell::new(threads),
            backoffs: (0..threads)
                .map(|_| RefCell::new(vec![StealBackoff::default(); threads]))
                .collect(),
            rayon: RayonPool::new(jobs),
            progress: ItemsDone::new(&program),
            program,
            random: RefCell::new(SmallRng::seed_from_u64(seed)),
        }
    }

    /// A random number below `end`.
    pub fn random(&self, end: usize) -> usize {
        self.random.borrow_mut().gen_range(0..end)
    }

    /// A time that is `mean` on average: anything up to twice as long. Threads that sleep equally
    /// long would otherwise wake in step for ever, which no real ones do.
    pub fn about(&self, mean: Time) -> Time {
        self.random.borrow_mut().gen_range(0..=2 * mean)
    }

    /// The seat of the caller.
    pub fn guest(&self) -> ThreadId {
        self.threads.len() - 1
    }

    /// Whether anything is visible anywhere.
    pub fn has_work(&self) -> bool {
        self.deques.iter().any(|deque| deque.visible() > 0)
            || self.threads.iter().any(|thread| thread.queue.len() > 0)
    }

    /// Whether the bitmap of seats in use has this one: its thread may push, or has left a ticket.
    pub fn is_in_use(&self, thread: ThreadId) -> bool {
        self.idle_set.is_active(thread) || self.threads[thread].queue.len() > 0
    }

    /// The seats in use.
    pub fn in_use(&self) -> impl Iterator<Item = ThreadId> {
        (0..self.threads.len()).filter(|&thread| self.is_in_use(thread))
    }
}

/// Which pool runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    Drumline,
    Rayon,
}

/// Runs `program` in a pool with this many sleeping workers, until they sleep again.
pub fn run(
    pool: Pool,
    jobs: usize,
    program: Program,
    assumptions: &Assumptions,
    seed: u64,
) -> World {
    let world = World::new(jobs, program, assumptions, seed);
    let worker = |me| -> ThreadFuture<'_> {
        match pool {
            Pool::Drumline => Box::pin(world.live(me)),
            Pool::Rayon => Box::pin(world.rayon_live(me)),
        }
    };
    let guest: ThreadFuture<'_> = match pool {
        Pool::Drumline => Box::pin(world.visit()),
        Pool::Rayon => Box::pin(world.rayon_visit()),
    };
    world
        .clock
        .run((0..jobs).map(worker).chain([guest]).collect());
    world
}
