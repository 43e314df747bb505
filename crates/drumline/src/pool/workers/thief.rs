//! Looking for work in other seats, and leaving victims alone for a while (back-off).
//!
//! A steal that needs the asymmetric barrier costs the thief two to fifteen
//! microseconds and the running victim about half of that: the barrier is an
//! interrupt. Where the jobs of a victim turn out to be shorter than that,
//! helping is a disturbance: the thief leaves that victim alone for a while that
//! doubles each time, and when it comes back it claims eight times as many
//! entries with one barrier. So a long row of tiny jobs is walked through in a
//! logarithmic number of barriers, until something long turns up, and a stream
//! of single tiny jobs is left to its owner almost completely.
//!
//! A thief that sees nothing while others are at work asks one of them in advance for what it
//! pushes next ([`Thief::request_next`]): half of the next loop comes to the thief within a
//! microsecond, and without a barrier. If that half was over before the thief could take it, the
//! thief leaves this victim alone, too.
//!
//! Of one victim the oldest comes first, as in a deque that held everything: the jobs of its queue
//! if there were some when what it runs now began, else the halves of its loops and joins
//! ([`Seat::has_older_jobs`]). Halves that are younger than queued jobs are small, as a rule: where
//! each job has a small loop, thieves that took the halves first took 1,000 of them in a walk of
//! 10,000 directories, and with each memory that its allocator had to send back under a lock.
//!
//! A run of an actor lasts for long if it has many messages. On another processor than their sender
//! each of them costs more than here. So a thief asks how many there were ([`super::run_length`]),
//! and leaves the victim alone if each was short, however long its queue is.
//!
//! What lies in the hand-off slot of a victim is as a rule about to be run there. So a thief that
//! sees it for the first time leaves it alone, longer each time, and takes it if the same task
//! still lies there when it comes back ([`crate::pool::queues::hand_off`]).

use std::cmp::Reverse;
use std::time::Duration;

use super::overdue::Stale;
use super::run_length;
use super::steal_backoff::{SHORT, StealBackoff};
use crate::job::{Header, JobRef};
use crate::pool::deque::{Deque, Effort, Steal};
use crate::pool::shared::registry::Registry;
use crate::pool::shared::seat::Seat;
use crate::sync::{Instant, XorShift, thread};

pub(crate) use crate::pool::deque::Stolen;

/// How long a thief waits for the answer to a request in advance before it looks elsewhere, in
/// calls of `relax`: about half a microsecond.
const ANSWER: u32 = 24;
/// At most this many seats are looked at in one go; the next look goes on from there. A pool has
/// more than that where many threads block, and next to nothing is to be had from those.
const SEATS_AT_ONCE: usize = 256;
/// What a thief remembers of a victim's hand-off slot.
#[derive(Clone, Copy, Debug, Default)]
struct SeenHandOff {
    turn: usize,
    /// Leaves the slot alone after each new turn.
    backoff: StealBackoff,
}

impl SeenHandOff {
    /// Whether the same task lies there for longer than a steal takes.
    fn is_ripe(&mut self, turn: usize, now: Instant) -> bool {
        if !self.backoff.may_interrupt(now) {
            return false;
        }
        let is_seen = self.backoff.until.is_some() && self.turn == turn;
        if !is_seen {
            self.turn = turn;
            self.backoff.back_off(SHORT);
        }
        is_seen
    }
}

/// Whether a thief that takes a job from the victim's queue could disturb the occupant. It could if
/// there is an occupant, and the queue has no more jobs than the pool has places. A longer queue is
/// of no use to the occupant.
fn would_disturb(registry: &Registry, victim: &Seat) -> bool {
    victim.block_state().is_occupied() && victim.queue().len() <= registry.jobs()
}

/// Something to run.
#[derive(Debug)]
pub(crate) enum StolenWork<'a> {
    /// Half of a join, from this seat.
    Half(Stolen, &'a Seat),
    /// A spawned job.
    Job(JobRef),
    /// A spawned job, from the queue of this seat.
    Queued(JobRef, &'a Seat),
}

impl StolenWork<'_> {
    pub(crate) fn is_half(&self) -> bool {
        matches!(self, StolenWork::Half(..))
    }

    /// Whether there is more where it comes from, for more than one thread.
    pub(crate) fn is_one_of_many(&self, registry: &Registry) -> bool {
        match self {
            StolenWork::Half(_, victim) | StolenWork::Queued(_, victim) => victim.visible() > 1,
            StolenWork::Job(_) => registry.injector().has(2),
        }
    }
}

/// What a worker remembers between its raids.
#[derive(Debug)]
pub(crate) struct Thief {
    me: usize,
    backoffs: Vec<StealBackoff>,
    hand_offs: Vec<SeenHandOff>,
    random: XorShift,
    /// Where the next look begins in a pool with more seats than are looked at in one go.
    cursor: usize,
    /// The victim that was asked for what it pushes next.
    asked: Option<usize>,
    /// Empty between two steals: which victims have something, whether their owners are asked
    /// already, and how many halves they have.
    victims: Vec<(bool, usize, usize)>,
    /// Empty between two steals: jobs that were taken from a queue together with one that is to run
    /// first.
    further: Vec<JobRef>,
}

/// How much a thief takes from a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haul {
    /// One job.
    One,
    /// One job to be run first; further ones go to the thief's own queue, where they may be taken
    /// again. So a long queue of short jobs is not emptied lock by lock.
    Share,
}

impl Thief {
    pub(crate) fn new(me: usize) -> Self {
        Thief::after(me, 0)
    }

    /// One whose thread has looked for work so often before, and found none: it looks elsewhere.
    pub(crate) fn after(me: usize, looks: usize) -> Self {
        Thief {
            me,
            backoffs: Vec::new(),
            hand_offs: Vec::new(),
            random: XorShift::new(me.wrapping_add(looks << 16)),
            cursor: looks.wrapping_mul(SEATS_AT_ONCE),
            asked: None,
            victims: Vec::new(),
            further: Vec::new(),
        }
    }

    fn backoff(&mut self, victim: usize) -> &mut StealBackoff {
        if victim >= self.backoffs.len() {
            self.backoffs.resize(victim + 1, StealBackoff::default());
        }
        &mut self.backoffs[victim]
    }

    /// Whether a task has lain in the victim's hand-off slot for long enough to be taken.
    fn is_ripe(&mut self, victim: &Seat, now: Instant) -> bool {
        let Some(turn) = victim.hand_off().turn() else {
            return false;
        };
        let index = victim.index();
        if index == self.me {
            return false;
        }
        if index >= self.hand_offs.len() {
            self.hand_offs.resize(index + 1, SeenHandOff::default());
        }
        let seen = &mut self.hand_offs[index];
        let is_ripe = seen.is_ripe(turn, now);
        if is_ripe && victim.hand_off().is_claimed() {
            seen.backoff.back_off(SHORT);
            return false;
        }
        is_ripe
    }

    /// How many jobs this thread could take now from victims that it does not leave alone: none,
    /// one, or more than one. It looks no further than that.
    pub(crate) fn survey(&mut self, registry: &Registry) -> usize {
        let mut seen = registry.injector().few() + registry.long_lived().len();
        if seen > 1 {
            return seen;
        }
        let now = Instant::now();
        let start = if registry.seats_len() > SEATS_AT_ONCE {
            self.cursor
        } else {
            0
        };
        for seat in registry.seats_in_use(start).take(SEATS_AT_ONCE) {
            // Not even a look at a victim that is left alone: a look pulls the
            // cache line away that its owner writes at every push.
            if seat.index() == self.me || self.may_interrupt(seat.index(), now) {
                seen += seat.visible();
            } else {
                seen += seat.exposed();
                if self.may_take_queued(registry, seat, now) {
                    seen += seat.queue().len();
                }
            }
            seen += usize::from(self.is_ripe(seat, now));
            if seen == 0 {
                // A raid begins with the first seat that has something.
                self.cursor = seat.index() + 1;
            }
            if seen > 1 {
                break;
            }
        }
        seen
    }

    /// Whether something waits, other than what was left alone at the time `then`.
    pub(crate) fn has_missed(&self, registry: &Registry, then: Instant) -> bool {
        let waits = |seat: &Seat| seat.visible() > 0 && self.may_interrupt(seat.index(), then);
        registry.has_shared_work() || registry.seats_in_use(0).any(waits)
    }

    /// Where a look at the seats in use begins.
    fn start(&mut self, registry: &Registry) -> usize {
        let count = registry.seats_len();
        if count > SEATS_AT_ONCE {
            self.cursor % count
        } else {
            // From a random one on, so that thieves spread.
            self.random.below(count.max(1))
        }
    }

    /// Whether that victim may be interrupted by a barrier.
    fn may_interrupt(&self, victim: usize, now: Instant) -> bool {
        let backoff = self.backoffs.get(victim);
        backoff.is_none_or(|backoff| backoff.may_interrupt(now))
    }

    /// Whether a job may be taken from the queue of that victim.
    fn may_take_queued(&self, registry: &Registry, victim: &Seat, now: Instant) -> bool {
        let backoff = self.backoffs.get(victim.index());
        backoff.is_none_or(|backoff| {
            backoff.may_interrupt(now) || !backoff.is_strict && !would_disturb(registry, victim)
        })
    }

    /// Nothing is to be seen: asks one of the others for what it pushes next, or waits for the
    /// answer for a moment.
    pub(crate) fn request_next(&mut self, registry: &Registry) {
        if let Some(asked) = self.asked {
            let deque = registry.seat(asked).first_deque();
            if !deque.answered(ANSWER) && !deque.is_asked() {
                // What it had exposed was over before this thread saw it.
                self.asked = None;
                self.backoff(asked).back_off(SHORT);
            }
            return;
        }
        let start = self.start(registry);
        let now = Instant::now();
        for victim in registry.seats_in_use(start).take(SEATS_AT_ONCE) {
            let index = victim.index();
            let is_active = victim.handshake().may_push();
            if index == self.me || !is_active || !self.may_interrupt(index, now) {
                continue;
            }
            let deque = victim.first_deque();
            if !deque.is_asked() {
                deque.request_next();
                self.asked = Some(index);
                return;
            }
        }
    }

    /// A search begins: what became of an earlier request is not known.
    pub(crate) fn begin(&mut self) {
        self.asked = None;
    }

    /// How long the next victim that is left alone will be so, if there is any.
    pub(crate) fn backing_off(&self) -> Option<Duration> {
        let now = Instant::now();
        let slots = self.hand_offs.iter().map(|seen| &seen.backoff);
        let ends = self
            .backoffs
            .iter()
            .chain(slots)
            .filter_map(|backoff| backoff.until);
        ends.filter(|&until| until > now)
            .map(|until| until - now)
            .min()
    }

    /// Takes from another seat something to run.
    pub(crate) fn steal<'a>(
        &mut self,
        registry: &'a Registry,
        haul: Haul,
    ) -> Option<StolenWork<'a>> {
        let start = self.start(registry);
        let now = Instant::now();
        let mut next = start;
        let seats = registry.seats_in_use(start).take(SEATS_AT_ONCE);
        let mut seats = seats.inspect(|seat| next = seat.index() + 1);
        let mut victims = std::mem::take(&mut self.victims);
        let mut stolen = None;
        while stolen.is_none() {
            for victim in &mut seats {
                if victim.index() == self.me {
                    continue;
                }
                let Some(halves) = self.takeable(registry, victim, now) else {
                    continue;
                };
                victims.push((victim.first_deque().is_asked(), halves, victim.index()));
                if halves == 0 {
                    // One queued job is as good as another.
                    break;
                }
            }
            if victims.is_empty() {
                break;
            }
            // The oldest half of many is large, as a rule: each is half as large as the one before.
            // To take one of those makes fewer steals, and fewer waits. But first come victims that
            // no other thief has asked: where many thieves want the same half, all but one wait for
            // nothing. (A tree of 256 joins on 64 jobs: 130 steals from the first victim with
            // anything, and 72 so.)
            victims.sort_by_key(|&(is_asked, halves, _)| (is_asked, Reverse(halves)));
            let mut seats = victims.drain(..).map(|(.., victim)| registry.seat(victim));
            stolen = seats.find_map(|victim| self.steal_from(registry, victim, haul, now));
        }
        self.victims = victims;
        if stolen.is_none() {
            // The next look is at the seats behind these.
            self.cursor = next;
        }
        stolen
    }

    /// About how many halves this thread may take from that seat, if it may take anything there.
    fn takeable(&mut self, registry: &Registry, victim: &Seat, now: Instant) -> Option<usize> {
        let may_interrupt = self.may_interrupt(victim.index(), now);
        let halves = if may_interrupt {
            victim.halves()
        } else {
            victim.exposed()
        };
        let has_job = || victim.queue().len() > 0 && self.may_take_queued(registry, victim, now);
        let has_some = halves > 0 || has_job();
        (has_some || self.is_ripe(victim, now)).then_some(halves)
    }

    fn take_queued(&mut self, registry: &Registry, victim: &Seat, haul: Haul) -> Option<JobRef> {
        if haul == Haul::One {
            return victim.queue().take();
        }
        let own = registry.seat(self.me);
        let further = &mut self.further;
        own.queue()
            .take_share_of(victim.queue(), registry.jobs(), further, || own.published())
    }

    /// Takes what has been at rest with another thread for long, whatever that thread does: of its
    /// queue the oldest job, and a share of the others.
    pub(crate) fn take_stale<'a>(
        &mut self,
        registry: &Registry,
        victim: &'a Seat,
        stale: Stale,
    ) -> Option<StolenWork<'a>> {
        let job = match stale {
            Stale::Queued => self.take_queued(registry, victim, Haul::Share)?,
            Stale::HandedOff => {
                let job = victim.steal_hand_off()?;
                // SAFETY: a job in the slot is alive until it has been run.
                unsafe { Header::job_ref(job) }
            }
            Stale::Half => {
                let steal = |deque: &Deque| match deque.steal(self.me, Effort::Force(1), None) {
                    Steal::Taken(stolen) => Some(StolenWork::Half(stolen, victim)),
                    Steal::Empty | Steal::Missed | Steal::Busy => None,
                };
                return victim.deques().find_map(steal);
            }
        };
        registry.seat(self.me).has_stolen(victim);
        Some(StolenWork::Queued(job, victim))
    }

    fn steal_from<'a>(
        &mut self,
        registry: &'a Registry,
        victim: &'a Seat,
        haul: Haul,
        now: Instant,
    ) -> Option<StolenWork<'a>> {
        let backoff = self.backoffs.get(victim.index());
        let backoff = backoff.copied().unwrap_or_default();
        let may_interrupt = backoff.may_interrupt(now);
        let effort = if may_interrupt {
            Effort::Force(backoff.batch())
        } else {
            Effort::Look
        };
        let has_older_jobs = victim.has_older_jobs();
        if has_older_jobs && let Some(job) = self.steal_queued(registry, victim, haul, now) {
            return Some(job);
        }
        for deque in victim.deques() {
            match deque.steal(self.me, effort, None) {
                Steal::Taken(stolen) => return Some(StolenWork::Half(stolen, victim)),
                Steal::Missed => self.backoff(victim.index()).regret(),
                // The thread that is at it may need this processor to go on.
                Steal::Busy => {
                    registry.seat(self.me).counters().busy.up();
                    thread::yield_now();
                }
                Steal::Empty => {}
            }
        }
        if !has_older_jobs && let Some(job) = self.steal_queued(registry, victim, haul, now) {
            return Some(job);
        }
        if self.is_ripe(victim, now) {
            let seen = &mut self.hand_offs[victim.index()];
            let Some(job) = victim.steal_hand_off() else {
                // Its owner or another thief is at it, or the barrier is lost.
                seen.backoff.back_off(SHORT);
                return None;
            };
            *seen = SeenHandOff::default();
            registry.seat(self.me).has_stolen(victim);
            // SAFETY: a job in the slot is alive until it has been run.
            let job = unsafe { Header::job_ref(job) };
            return Some(StolenWork::Queued(job, victim));
        }
        None
    }

    /// The oldest job of the victim's queue, if it may be taken.
    fn steal_queued<'a>(
        &mut self,
        registry: &Registry,
        victim: &'a Seat,
        haul: Haul,
        now: Instant,
    ) -> Option<StolenWork<'a>> {
        if !self.may_take_queued(registry, victim, now) {
            return None;
        }
        let job = self.take_queued(registry, victim, haul)?;
        registry.seat(self.me).has_stolen(victim);
        Some(StolenWork::Queued(job, victim))
    }

    /// Runs what was taken, and what lies exposed beside it, and learns from it.
    pub(crate) fn run(&mut self, seat: &Seat, loot: StolenWork<'_>) {
        let registry = seat.registry();
        // In a forked child the rest is for the threads of the parent.
        self.run_while(seat, loot, || {
            !registry.is_forked() && !registry.idle_set().is_overfull()
        });
    }

    /// Runs what was taken, and learns from it.
    pub(crate) fn run_one(&mut self, seat: &Seat, loot: StolenWork<'_>) {
        self.run_while(seat, loot, || false);
    }

    fn run_while(&mut self, seat: &Seat, loot: StolenWork<'_>, go_on: impl Fn() -> bool) {
        match loot {
            StolenWork::Half(stolen, victim) => {
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
                self.backoff(victim.index()).learn(claim, took);
            }
            StolenWork::Job(job) => {
                // SAFETY: the job has left its queue, so only the thread that took it runs it.
                unsafe { seat.run(job) };
            }
            StolenWork::Queued(job, victim) => {
                let start = Instant::now();
                run_length::begin();
                // SAFETY: as above.
                unsafe { seat.run(job) };
                let messages = run_length::further_messages();
                let backoff = self.backoff(victim.index());
                backoff.learn_queued(start.elapsed(), messages);
            }
        }
    }

    /// Takes an entry that is exposed already.
    fn take_exposed(&self, victim: &Seat) -> Option<Stolen> {
        victim
            .deques()
            .find_map(|deque| match deque.steal(self.me, Effort::Look, None) {
                Steal::Taken(stolen) => Some(stolen),
                Steal::Empty | Steal::Missed | Steal::Busy => None,
            })
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests;
