//! Looking for work in other seats, and the manners that go with it.
//!
//! A steal that needs the asymmetric barrier costs the thief two to fifteen
//! microseconds and the running victim about half of that: the barrier is an
//! interrupt. Where the jobs of a victim turn out to be shorter than that,
//! helping is a disturbance: the thief leaves that victim alone for a while that
//! doubles each time, and when it comes back it claims eight times as many
//! entries with one barrier. So a long row of tiny jobs is walked through in a
//! logarithmic number of barriers, until something long turns up, and a stream
//! of single tiny jobs is left to its owner almost completely.

use std::time::Duration;

use super::deque::{Claim, Steal};
use super::registry::Registry;
use super::seat::Seat;
use crate::job::JobRef;
use crate::sync::{Instant, barrier, relax};

pub(crate) use super::deque::Stolen;

/// A stolen job shorter than this was not worth it, however cheap it was to get:
/// a thief that naps and comes back costs its neighbours a context switch, too.
/// It is also the first calm.
const SHORT: Duration = Duration::from_micros(4);
/// The same for a job from a queue, which costs a lock and nobody's nap: but
/// both threads pull at the lines of that queue.
const SHORT_QUEUED: Duration = Duration::from_micros(1);
/// The longest calm.
const LAST_CALM: Duration = Duration::from_millis(1);
/// Doublings of the calm.
const MAX_STREAK: u32 = 8;

/// How a thief treats one victim.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manners {
    until: Option<Instant>,
    streak: u32,
}

impl Manners {
    /// Whether the victim may be interrupted by a barrier.
    pub(crate) fn may_interrupt(&self, now: Instant) -> bool {
        self.until.is_none_or(|until| until <= now)
    }

    /// How many entries to claim with one barrier.
    pub(crate) fn batch(&self) -> usize {
        1 << (3 * self.streak)
    }

    /// The victim was interrupted, and nothing came of it.
    pub(crate) fn regret(&mut self) {
        self.learn(Claim::Forced, Duration::ZERO);
    }

    /// Learns from a job that was taken from the victim's queue.
    fn learn_queued(&mut self, took: Duration) {
        if took >= SHORT_QUEUED {
            *self = Self::default();
        } else {
            self.calm_down(SHORT);
        }
    }

    /// Leaves the victim alone, longer each time.
    fn calm_down(&mut self, cost: Duration) {
        let calm = cost * (1 << self.streak);
        self.until = Some(Instant::now() + calm.min(LAST_CALM));
        self.streak = (self.streak + 1).min(MAX_STREAK);
    }

    /// Learns from stolen jobs that took this long each.
    pub(crate) fn learn(&mut self, claim: Claim, took: Duration) {
        let cost = match claim {
            Claim::None | Claim::Asked => SHORT,
            Claim::Forced => SHORT.max(barrier::cost() * 2),
        };
        if took >= cost {
            *self = Self::default();
        } else if claim != Claim::None {
            self.calm_down(cost);
        }
    }
}

/// Whether taking a job from the victim's queue could disturb its occupant:
/// where there is one, and the queue is not so long that it is no use to it.
fn would_disturb(registry: &Registry, victim: &Seat) -> bool {
    victim.conduct().is_occupied() && victim.queue().len() <= registry.jobs()
}

/// Something to run.
#[derive(Debug)]
pub(crate) enum Loot<'a> {
    /// Half of a join, from this seat.
    Half(Stolen, &'a Seat),
    /// A spawned job.
    Job(JobRef),
    /// A spawned job, from the queue of this seat.
    Queued(JobRef, &'a Seat),
}

/// What a worker remembers between its raids.
#[derive(Debug)]
pub(crate) struct Thief {
    me: usize,
    manners: Vec<Manners>,
    random: u32,
}

impl Thief {
    pub(crate) fn new(me: usize) -> Self {
        Thief {
            me,
            manners: Vec::new(),
            random: (me as u32).wrapping_mul(0x9E37_79B9) | 1,
        }
    }

    fn manners(&mut self, victim: usize) -> &mut Manners {
        if victim >= self.manners.len() {
            self.manners.resize(victim + 1, Manners::default());
        }
        &mut self.manners[victim]
    }

    /// About how many jobs this thread could take now without being rude.
    pub(crate) fn survey(&mut self, registry: &Registry) -> usize {
        let now = Instant::now();
        let mut seen = registry.injector().len() + registry.long_lived().len();
        for seat in registry.seats() {
            // Not even a look at a victim that is left alone: a look pulls the
            // cache line away that its owner writes at every push.
            if seat.index() == self.me || self.manners(seat.index()).may_interrupt(now) {
                seen += seat.visible();
            } else {
                seen += seat.exposed();
                if !would_disturb(registry, seat) {
                    seen += seat.queue().len();
                }
            }
        }
        seen
    }

    /// How long the next victim that is left alone will be so, if there is any.
    pub(crate) fn calm(&self) -> Option<Duration> {
        let now = Instant::now();
        let ends = self.manners.iter().filter_map(|manners| manners.until);
        ends.filter(|&until| until > now)
            .map(|until| until - now)
            .min()
    }

    /// Takes one job from somebody else.
    pub(crate) fn steal<'a>(&mut self, registry: &'a Registry) -> Option<Loot<'a>> {
        let count = registry.seats_len();
        // xorshift32 (Marsaglia 2003): where to begin, so that thieves spread.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let start = self.random as usize % count.max(1);
        let now = Instant::now();
        for offset in 0..count {
            let victim = registry.seat((start + offset) % count);
            if victim.index() == self.me {
                continue;
            }
            let manners = *self.manners(victim.index());
            let may_interrupt = manners.may_interrupt(now);
            let limit = if may_interrupt { manners.batch() } else { 0 };
            for deque in victim.deques() {
                match deque.steal(self.me, limit, None) {
                    Steal::Taken(stolen) => return Some(Loot::Half(stolen, victim)),
                    Steal::Missed => self.manners(victim.index()).regret(),
                    // Whoever is at it may need this processor to go on.
                    Steal::Busy => {
                        registry.seat(self.me).counters().busy.up();
                        relax();
                    }
                    Steal::Empty => {}
                }
            }
            if (may_interrupt || !would_disturb(registry, victim))
                && let Some(job) = victim.queue().take()
            {
                registry.seat(self.me).has_stolen(victim);
                return Some(Loot::Queued(job, victim));
            }
        }
        None
    }

    /// Runs what was taken, and what lies exposed beside it, and learns from it.
    /// Returns whether it was worth while.
    pub(crate) fn run(&mut self, seat: &Seat, loot: Loot<'_>) -> bool {
        self.run_while(seat, loot, || !seat.registry().line().is_crowded())
    }

    /// Runs what was taken, and learns from it.
    pub(crate) fn run_one(&mut self, seat: &Seat, loot: Loot<'_>) {
        self.run_while(seat, loot, || false);
    }

    fn run_while(&mut self, seat: &Seat, loot: Loot<'_>, go_on: impl Fn() -> bool) -> bool {
        match loot {
            Loot::Half(stolen, victim) => {
                let claim = stolen.claim;
                let start = Instant::now();
                // A half that its owner took back was as short as can be.
                let mut ran = u32::from(seat.run_stolen(stolen, victim));
                // What lies exposed costs no barrier: a long row of tiny jobs
                // is walked through here.
                while go_on()
                    && let Some(next) = self.take_exposed(victim)
                {
                    ran += u32::from(seat.run_stolen(next, victim));
                }
                let took = match ran {
                    0 => Duration::ZERO,
                    ran => start.elapsed() / ran,
                };
                self.manners(victim.index()).learn(claim, took);
                took >= SHORT
            }
            Loot::Job(job) => {
                // SAFETY: a job that left its queue is run by whoever took it.
                unsafe { seat.run(job) };
                true
            }
            Loot::Queued(job, victim) => {
                let start = Instant::now();
                // SAFETY: as above.
                unsafe { seat.run(job) };
                let took = start.elapsed();
                self.manners(victim.index()).learn_queued(took);
                took >= SHORT
            }
        }
    }

    /// Takes an entry that is exposed already.
    fn take_exposed(&self, victim: &Seat) -> Option<Stolen> {
        victim
            .deques()
            .find_map(|deque| match deque.steal(self.me, 0, None) {
                Steal::Taken(stolen) => Some(stolen),
                Steal::Empty | Steal::Missed | Steal::Busy => None,
            })
    }
}
