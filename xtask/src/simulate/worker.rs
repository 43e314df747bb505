//! The life of a worker, and how it watches: `pool::workers::worker` and `wait::patience`.

use super::clock::{ThreadId, Time};
use super::idle::{ParkStep, Role, Take};
use super::thief::Loot;
use super::world::{CALL, World};

/// Spins for this long while what it waits for may come at any moment.
const LONG_SPIN: Time = 60_000;
/// The same where nothing goes on.
const SHORT_SPIN: Time = 4_000;

/// What there is to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    Eager,
    Idle,
}

/// One spell of watching.
#[derive(Debug)]
pub struct Patience {
    since: Time,
    has_rested: bool,
    is_about_to_end: bool,
}

impl Patience {
    pub fn new(world: &World) -> Self {
        Patience {
            since: world.clock.now(),
            has_rested: false,
            is_about_to_end: false,
        }
    }

    /// Whether it has lasted for `time`.
    pub fn has_lasted(&self, world: &World, time: Time) -> bool {
        self.has_rested || world.clock.now() - self.since >= time
    }

    /// Whether the next turn is the last one.
    pub fn is_about_to_end(&self) -> bool {
        self.is_about_to_end
    }

    /// Passes a little time. `false`: there was enough of it.
    pub async fn wait(&mut self, world: &World, kind: WaitKind) -> bool {
        // Its end is announced a turn before.
        if self.is_about_to_end {
            return false;
        }
        let spin = match kind {
            WaitKind::Eager if !world.times.is_overfull => LONG_SPIN,
            WaitKind::Eager | WaitKind::Idle => SHORT_SPIN,
        };
        if self.has_lasted(world, spin) {
            self.is_about_to_end = true;
        } else {
            world.clock.pass(world.times.look).await;
        }
        true
    }

    /// Naps for `time` at once.
    async fn rest(&mut self, world: &World, me: ThreadId, time: Time) {
        world.nap(me, time).await;
        self.has_rested = true;
    }
}

/// A ticket that took less was not worth a wake-up, nor was a half that took less, or less than
/// this many times what a wake-up costs: `pool::idle::wake_backoff`.
const SHORT_QUEUED: Time = 1_000;
const SHORT: Time = 4_000;
const WORTH: Time = 4;
/// No wake-up counts as dearer.
const MAX_COST: Time = 15_000;
const FIRST_STAY: Time = 25_000;
/// Doublings of the stay; the second is for tickets.
const MAX_FAILURES: u32 = 12;
const MAX_FAILURES_QUEUED: u32 = 6;
const LONGEST_NAP: Time = 800_000;

/// What a worker remembers of its wake-ups.
#[derive(Debug, Default)]
struct WakeBackoff {
    is_woken: bool,
    failures: u32,
    begun: Option<Time>,
    /// It has taken a ticket since.
    is_queued: bool,
    /// How long it stays away before it leaves its mark.
    left: Time,
    nap: Time,
}

impl WakeBackoff {
    fn begin_work(&mut self, now: Time) {
        if self.is_woken || self.failures > 0 {
            self.begun = Some(now);
        }
    }

    fn has_worked(&mut self, now: Time, wake_cost: Time, is_half: bool) {
        let Some(begun) = self.begun else {
            return;
        };
        let worth = if is_half {
            SHORT.max(wake_cost.min(MAX_COST) * WORTH)
        } else {
            SHORT_QUEUED
        };
        if now - begun >= worth {
            *self = WakeBackoff::default();
        }
        self.is_queued |= !is_half;
    }

    fn has_nothing(&mut self) {
        self.begun = None;
        let most = if std::mem::take(&mut self.is_queued) {
            MAX_FAILURES_QUEUED
        } else {
            MAX_FAILURES
        };
        if std::mem::take(&mut self.is_woken) {
            self.failures = (self.failures + 1).min(most);
        }
    }

    fn begin_stay(&mut self) {
        self.nap = FIRST_STAY;
        self.left = match self.failures.checked_sub(1) {
            Some(doublings) => FIRST_STAY << doublings,
            None => 0,
        };
    }

    fn next_nap(&mut self) -> Option<Time> {
        let nap = self.nap.min(self.left);
        self.left -= nap;
        self.nap = (self.nap * 2).min(LONGEST_NAP);
        (nap > 0).then_some(nap)
    }
}

impl World {
    async fn nap(&self, me: ThreadId, time: Time) {
        self.counts.up("naps");
        if !self.park(me, Some(time)).await && self.has_work() {
            self.counts.up("late");
        }
    }

    /// A worker, which sleeps at first.
    pub async fn live(&self, me: ThreadId) {
        let mut role = Role::Sleep;
        let mut wake_backoff = WakeBackoff::default();
        loop {
            role = match role {
                Role::Sleep => {
                    if self.clock.now() > 0 {
                        self.counts.up("parks");
                    }
                    self.park(me, None).await;
                    wake_backoff.is_woken = true;
                    self.woken(me).await
                }
                Role::Work => {
                    self.work_off(me, false, &mut wake_backoff).await;
                    self.become_idle(me).await
                }
                Role::Watch => match self.watch(me, &mut wake_backoff).await {
                    Ok(mark) => {
                        self.work_off(me, mark, &mut wake_backoff).await;
                        self.become_idle(me).await
                    }
                    Err(role) => role,
                },
            }
        }
    }

    /// Watches as the searcher, until there is work (and whether the marks are due), or another
    /// role.
    async fn watch(&self, me: ThreadId, wake_backoff: &mut WakeBackoff) -> Result<bool, Role> {
        let mut patience = Patience::new(self);
        let mut asked = None;
        wake_backoff.begin_stay();
        loop {
            let seen = self.survey(me).await;
            if seen > 0
                && let Take::Active { call, mark } = self.take(me, seen > 1).await
            {
                self.call(me, call).await;
                return Ok(mark);
            }
            let is_quiet = self.idle_set.is_quiet();
            if seen == 0
                && !is_quiet
                && self.idle_set.is_searcher(me)
                && let Some(backing_off) = self.backing_off(me)
            {
                patience.rest(self, me, backing_off).await;
                continue;
            }
            if seen == 0 && !is_quiet && self.idle_set.is_searcher(me) {
                self.request_any(me, &mut asked).await;
            }
            let kind = if is_quiet {
                WaitKind::Idle
            } else {
                WaitKind::Eager
            };
            if self.idle_set.is_searcher(me) && patience.wait(self, kind).await {
                continue;
            }
            wake_backoff.has_nothing();
            if !is_quiet && let Some(pause) = wake_backoff.next_nap() {
                patience.rest(self, me, pause).await;
                continue;
            }
            match self.prepare_park(me).await {
                ParkStep::Sleep => return Err(Role::Sleep),
                ParkStep::Watch => {}
                ParkStep::Mark => {
                    if !self.mark_and_scan().await || self.return_from_park(me).await == Role::Sleep
                    {
                        return Err(Role::Sleep);
                    }
                }
            }
            patience = Patience::new(self);
        }
    }

    /// Works until nothing is left to take.
    async fn work_off(&self, me: ThreadId, mark: bool, wake_backoff: &mut WakeBackoff) {
        let mut owes_marks = mark;
        let mut is_fresh = true;
        wake_backoff.begin_work(self.clock.now());
        while let Some(loot) = self.find(me).await {
            if std::mem::take(&mut is_fresh) && self.is_one_of_many(&loot) {
                self.call_helpers(me, 1).await;
            }
            if std::mem::take(&mut owes_marks) && self.mark_and_scan().await {
                self.summon(me).await;
            }
            let is_half = matches!(loot, Loot::Half(..));
            self.run_loot(me, loot).await;
            wake_backoff.has_worked(self.clock.now(), self.times.wake_cost, is_half);
            if self.idle_set.is_overfull() {
                break;
            }
        }
        wake_backoff.has_nothing();
    }

    /// A call from outside: the guest's stay.
    pub async fn visit(&self) {
        let me = self.guest();
        // All workers sleep by then.
        self.clock.pass(CALL).await;
        for round in 0..self.program.rounds {
            if round > 0 {
                self.clock.pass(self.program.gap).await;
            }
            self.enter(me).await;
            let start = self.clock.now();
            self.run_program(me).await;
            self.progress.round_took(self.clock.now() - start);
            self.leave(me).await;
        }
    }
}
