//! How a thief chooses and treats its victims: `pool::workers::thief`.

use std::cmp::Reverse;
use std::rc::Rc;

use super::clock::{ThreadId, Time};
use super::deque::{Claim, Effort, Entry, State, Steal};
use super::program::Job;
use super::shared::SharedLoop;
use super::world::World;

/// A stolen job shorter than this was not worth it.
const SHORT: Time = 4_000;
/// The same for a job from a queue.
const SHORT_QUEUED: Time = 1_000;
/// For this long a victim is left alone at most.
const LONGEST_BACKOFF: Time = 1_000_000;
/// That time is doubled this often.
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
            self.back_off(cost, now);
        }
    }

    /// Learns from a ticket.
    fn learn_queued(&mut self, took: Time, now: Time) {
        if took >= SHORT_QUEUED {
            *self = Self::default();
        } else {
            self.back_off(SHORT, now);
        }
    }

    fn back_off(&mut self, cost: Time, now: Time) {
        self.until = now + (cost << self.failures).min(LONGEST_BACKOFF);
        self.failures = (self.failures + 1).min(MAX_FAILURES);
    }
}

/// Something to run.
#[derive(Debug)]
pub enum Loot {
    /// An entry of the deque of this thread.
    Half(Rc<Entry>, Claim, ThreadId),
    /// A ticket of this thread's own.
    Own(Rc<SharedLoop>),
    /// A ticket of this thread.
    Queued(Rc<SharedLoop>, ThreadId),
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
        let see = |victim: ThreadId| {
            let deque = &self.deques[victim];
            let queued = self.threads[victim].queue.len();
            if victim == me || self.limit(me, victim) > 0 {
                deque.visible() + queued
            } else if queued > self.idle_set.places() {
                deque.exposed() + queued
            } else {
                deque.exposed()
            }
        };
        let mut looks = 0;
        let seen = self.in_use().inspect(|_| looks += 1).map(see).sum();
        self.clock.pass(self.times.survey * looks).await;
        seen
    }

    /// Nothing is to be seen: asks one of the others for what it pushes next, or waits for the
    /// answer for a moment. `asked` is the one that was asked.
    pub async fn request_any(&self, me: ThreadId, asked: &mut Option<ThreadId>) {
        if let Some(victim) = *asked {
            if !self.is_answered(victim).await && !self.deques[victim].is_asked() {
                *asked = None;
                let now = self.clock.now();
                self.backoffs[me].borrow_mut()[victim].back_off(SHORT, now);
            }
            return;
        }
        let seats = self.deques.len();
        let start = self.random(seats);
        let mut others = (0..seats).map(|offset| (start + offset) % seats);
        *asked = others.find(|&victim| {
            victim != me
                && self.idle_set.is_active(victim)
                && self.limit(me, victim) > 0
                && !self.deques[victim].is_asked()
        });
        if let Some(victim) = *asked {
            self.clock.pass(self.times.mark).await;
            self.request_next(victim);
        }
    }

    /// How long the next victim that is left alone will be so.
    pub fn backing_off(&self, me: ThreadId) -> Option<Time> {
        let now = self.clock.now();
        let backoffs = self.backoffs[me].borrow();
        let ends = backoffs.iter().map(|backoffs| backoffs.until);
        ends.filter(|&until| until > now).min().map(|end| end - now)
    }

    /// Takes a ticket of its own, or one job from another thread.
    pub async fn find(&self, me: ThreadId) -> Option<Loot> {
        if let Some(ticket) = self.threads[me].queue.pop() {
            return Some(Loot::Own(ticket));
        }
        let seats = self.deques.len();
        let start = self.random(seats);
        let mut offsets = 0..seats;
        loop {
            let mut victims = Vec::new();
            let mut looks = 0;
            for offset in &mut offsets {
                let victim = (start + offset) % seats;
                if victim == me || !self.is_in_use(victim) {
                    continue;
                }
                looks += 1;
                if !self.may_take(me, victim) {
                    continue;
                }
                victims.push(victim);
                if self.deques[victim].visible() == 0 {
                    // One ticket is as good as another.
                    break;
                }
            }
            self.clock.pass(self.times.probe * looks).await;
            if victims.is_empty() {
                return None;
            }
            // First those that no thief has asked.
            victims.sort_by_key(|&victim| {
                let deque = &self.deques[victim];
                (deque.is_asked(), Reverse(deque.visible()))
            });
            for victim in victims {
                let loot = self.steal_from(me, victim).await;
                if loot.is_some() {
                    return loot;
                }
            }
        }
    }

    /// Whether `victim` has something that this thread may take.
    fn may_take(&self, me: ThreadId, victim: ThreadId) -> bool {
        let (deque, queue) = (&self.deques[victim], &self.threads[victim].queue);
        if self.limit(me, victim) > 0 {
            return deque.visible() + queue.len() > 0;
        }
        deque.exposed() > 0 || queue.len() > self.idle_set.places()
    }

    async fn steal_from(&self, me: ThreadId, victim: ThreadId) -> Option<Loot> {
        let limit = self.limit(me, victim);
        let effort = if limit > 0 {
            Effort::Force(limit)
        } else {
            Effort::Look
        };
        match self.steal(me, victim, effort, None).await {
            Steal::Taken(entry, claim) => return Some(Loot::Half(entry, claim, victim)),
            Steal::Missed => self.learn(me, victim, Claim::Forced, 0),
            Steal::Busy | Steal::Empty => {}
        }
        let queue = &self.threads[victim].queue;
        // A short queue is of use to its owner.
        let would_disturb = queue.len() <= self.idle_set.places();
        if limit == 0 && would_disturb {
            return None;
        }
        let ticket = queue.take()?;
        self.counts.up("steals");
        self.counts.up("queued");
        Some(Loot::Queued(ticket, victim))
    }

    /// Whether there is more where this comes from, for more than one thread.
    pub fn is_one_of_many(&self, loot: &Loot) -> bool {
        match loot {
            Loot::Half(_, _, victim) | Loot::Queued(_, victim) => {
                self.deques[*victim].visible() + self.threads[*victim].queue.len() > 1
            }
            Loot::Own(_) => false,
        }
    }

    /// Runs what was taken, and what lies exposed beside it. Returns whether it was worth while.
    pub async fn run_loot(&self, me: ThreadId, loot: Loot) -> bool {
        let start = self.clock.now();
        let (entry, claim, victim) = match loot {
            Loot::Half(entry, claim, victim) => (entry, claim, victim),
            Loot::Own(shared) => {
                self.redeem(me, &shared).await;
                return true;
            }
            Loot::Queued(shared, victim) => {
                self.redeem(me, &shared).await;
                let now = self.clock.now();
                let took = now - start;
                self.backoffs[me].borrow_mut()[victim].learn_queued(took, now);
                return took >= SHORT;
            }
        };
        let mut ran = u64::from(self.run_stolen(me, &entry).await);
        while !self.idle_set.is_overfull()
            && let Steal::Taken(next, _) = self.steal(me, victim, Effort::Look, None).await
        {
            ran += u64::from(self.run_stolen(me, &next).await);
        }
        let took = match ran {
            0 => 0,
            ran => (self.clock.now() - start) / ran,
        };
        self.learn(me, victim, claim, took);
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
        let shared = match entry.job {
            Job::Part(items) => Some(SharedLoop::found(entry.owner, items)),
            Job::Node(items) => {
                self.node(me, items).await;
                None
            }
        };
        entry.joint.replace(shared.clone());
        entry.state.set(State::Done);
        if entry.is_awaited.get() {
            self.unpark(entry.owner).await;
        }
        if let Some(shared) = shared {
            self.take_part(me, &shared).await;
        }
        deque.restore_floor(floor);
        true
    }
}
