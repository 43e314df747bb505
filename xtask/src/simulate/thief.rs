//! How a thief chooses and treats its victims: `pool::thief`.

use std::rc::Rc;

use super::clock::{ThreadId, Time};
use super::deque::{Claim, Entry, State, Steal};
use super::world::World;

/// A stolen job shorter than this was not worth it.
const SHORT: Time = 4_000;
/// For this long a victim is left alone at most.
const LONGEST_BACKOFF: Time = 1_000_000;
/// So often that time is doubled.
const MAX_FAILURES: u32 = 8;

/// How a thread treats one victim.
#[derive(Clone, Copy, Debug, Default)]
pub struct StealBackoff {
    until: Time,
    failures: u32,
}

impl StealBackoff {
    /// How many entries to claim by force; 0 for a victim that is left alone.
    pub fn limit(&self, now: Time) -> usize {
        if self.until <= now {
            1 << (3 * self.failures)
        } else {
            0
        }
    }

    /// Learns from stolen jobs that took this long each.
    pub fn learn(&mut self, claim: Claim, took: Time, barrier: Time, now: Time) {
        let cost = match claim {
            Claim::Forced => SHORT.max(barrier * 2),
            Claim::None | Claim::Asked => SHORT,
        };
        if took >= cost {
            *self = Self::default();
        } else if claim != Claim::None {
            self.until = now + (cost << self.failures).min(LONGEST_BACKOFF);
            self.failures = (self.failures + 1).min(MAX_FAILURES);
        }
    }
}

/// Something to run, and where it comes from.
#[derive(Debug)]
pub struct Loot {
    pub entry: Rc<Entry>,
    pub claim: Claim,
    pub victim: ThreadId,
}

impl World {
    fn limit(&self, me: ThreadId, victim: ThreadId) -> usize {
        self.backoffs[me].borrow()[victim].limit(self.clock.now())
    }

    /// Thief `me` learns how it is with `victim`.
    fn learn(&self, me: ThreadId, victim: ThreadId, claim: Claim, took: Time) {
        let (barrier, now) = (self.barrier_cost.get(), self.clock.now());
        self.backoffs[me].borrow_mut()[victim].learn(claim, took, barrier, now);
    }

    /// About how many jobs `me` could take without being rude.
    pub async fn survey(&self, me: ThreadId) -> usize {
        let seats = self.deques.len();
        let see = |victim: ThreadId| {
            let deque = &self.deques[victim];
            if victim == me || self.limit(me, victim) > 0 {
                deque.visible()
            } else {
                deque.exposed()
            }
        };
        let seen = (0..seats).map(see).sum();
        self.clock.pass(self.times.survey * seats as Time).await;
        seen
    }

    /// How long the next victim that is left alone will be so.
    pub fn backing_off(&self, me: ThreadId) -> Option<Time> {
        let now = self.clock.now();
        let backoffs = self.backoffs[me].borrow();
        let ends = backoffs.iter().map(|backoffs| backoffs.until);
        ends.filter(|&until| until > now).min().map(|end| end - now)
    }

    /// Takes one job from another thread.
    pub async fn find(&self, me: ThreadId) -> Option<Loot> {
        let seats = self.deques.len();
        let start = self.random(seats);
        // Looks at deques with nothing to take are paid together.
        let mut looks = 0;
        for offset in 0..seats {
            let victim = (start + offset) % seats;
            if victim == me {
                continue;
            }
            looks += 1;
            let limit = self.limit(me, victim);
            let deque = &self.deques[victim];
            if deque.exposed() == 0 && (limit == 0 || deque.visible() == 0) {
                continue;
            }
            self.clock.pass(self.times.probe * looks).await;
            looks = 0;
            match self.steal(me, victim, limit, None).await {
                Steal::Taken(entry, claim) => {
                    return Some(Loot {
                        entry,
                        claim,
                        victim,
                    });
                }
                Steal::Missed => self.learn(me, victim, Claim::Forced, 0),
                Steal::Busy | Steal::Empty => {}
            }
        }
        self.clock.pass(self.times.probe * looks).await;
        None
    }

    /// Runs what was taken, and what lies exposed beside it. Returns whether it was worth while.
    pub async fn run_loot(&self, me: ThreadId, loot: Loot) -> bool {
        let start = self.clock.now();
        let mut ran = u64::from(self.run_stolen(me, &loot.entry).await);
        while !self.idle_set.is_overfull()
            && let Steal::Taken(next, _) = self.steal(me, loot.victim, 0, None).await
        {
            ran += u64::from(self.run_stolen(me, &next).await);
        }
        let took = match ran {
            0 => 0,
            ran => (self.clock.now() - start) / ran,
        };
        self.learn(me, loot.victim, loot.claim, took);
        took >= SHORT
    }

    /// Runs an entry, unless its owner took it back. Returns whether it ran.
    pub async fn run_stolen(&self, me: ThreadId, entry: &Entry) -> bool {
        if entry.state.get() != State::Taken(me) {
            self.counts.up("returned");
            return false;
        }
        let deque = &self.deques[me];
        let floor = deque.raise_floor();
        entry.state.set(State::Started(me));
        self.counts.up("steals");
        self.run_job(me, entry.job).await;
        entry.state.set(State::Done);
        if entry.is_awaited.get() {
            self.unpark(entry.owner).await;
        }
        deque.restore_floor(floor);
        true
    }
}
