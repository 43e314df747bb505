//! Which threads run the actors of a round, and how their number changes.
//!
//! There are shared threads for all rounds, and in some rounds more of them, which end with the
//! actors of the round. Any thread may change their number at any time.

use std::sync::atomic::{AtomicUsize, Ordering};

use drumline::actor::{Scheduler, SharedScheduler};
use stress::Random;

use crate::occurred::{Event, Place};

/// At most this many shared threads.
const MOST_THREADS: u64 = 4;

/// Changes that are under way.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// The schedulers of one round.
pub struct Schedulers {
    /// That of the system.
    system: (Place, Scheduler),
    shared: Vec<SharedScheduler>,
}

impl Schedulers {
    /// Some, with these threads for all rounds.
    pub fn new(common: &SharedScheduler, random: &mut Random) -> Self {
        let mut shared = vec![common.clone()];
        if random.below(4) == 0 {
            let threads = 1 + random.below(MOST_THREADS) as usize;
            shared.push(SharedScheduler::new(threads).expect("threads"));
        }
        let place = match random.below(8) {
            0 => Place::ForkJoinLifo,
            1 => Place::ForkJoinFifo,
            2 | 3 => Place::Shared,
            4 => Place::Pinned,
            _ => Place::Managed,
        };
        let system = (place, scheduler(place, &shared, random));
        Schedulers { system, shared }
    }

    /// That of the system.
    pub fn of_system(&self) -> (Place, Scheduler) {
        self.system.clone()
    }

    /// That of an actor, most often that of the system, which is `None`.
    pub fn of_actor(&self, random: &mut Random) -> (Place, Option<Scheduler>) {
        let place = match random.below(24) {
            0 => Place::ForkJoinLifo,
            1 => Place::ForkJoinFifo,
            2 | 3 => Place::Shared,
            4 | 5 => Place::Pinned,
            6 => Place::Managed,
            _ => return (self.system.0, None),
        };
        (place, Some(scheduler(place, &self.shared, random)))
    }

    /// Changes the number of threads of one of the shared schedulers.
    pub fn resize(&self, random: &mut Random) {
        let shared = one_of(&self.shared, random);
        let threads = 1 + random.below(MOST_THREADS) as usize;
        let before = shared.threads();
        // Relaxed: a hint for the report.
        let is_beside = CHANGES.fetch_add(1, Ordering::Relaxed) > 0;
        shared.set_threads(threads).expect("threads");
        CHANGES.fetch_sub(1, Ordering::Relaxed);
        match threads.cmp(&before) {
            std::cmp::Ordering::Less => Event::Shrunk,
            std::cmp::Ordering::Equal => Event::Unchanged,
            std::cmp::Ordering::Greater => Event::Grown,
        }
        .note();
        if is_beside {
            Event::ChangedAtOnce.note();
        }
    }
}

fn scheduler(place: Place, shared: &[SharedScheduler], random: &mut Random) -> Scheduler {
    match place {
        Place::Managed | Place::Function => Scheduler::Managed,
        Place::ForkJoinLifo => Scheduler::ForkJoinLifo,
        Place::ForkJoinFifo => Scheduler::ForkJoinFifo,
        Place::Shared => Scheduler::Shared(one_of(shared, random).clone()),
        Place::Pinned => Scheduler::Pinned,
    }
}

fn one_of<'a>(shared: &'a [SharedScheduler], random: &mut Random) -> &'a SharedScheduler {
    &shared[random.below(shared.len() as u64) as usize]
}
