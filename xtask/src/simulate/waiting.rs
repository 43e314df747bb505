//! How a thread waits for a half that another one has begun: `pool::waiting`.
//!
//! Modelled: it helps its runner (leapfrogging), spins, and at last follows the runner and
//! gives up its place. Not modelled: other things to wait for than halves, and the room on the
//! stack.

use super::clock::{ThreadId, Time};
use super::deque::{Claim, Effort, Entry, State, Steal};
use super::thief::StealBackoff;
use super::worker::{Patience, WaitKind};
use super::world::World;

/// A waiting thread asks the runner for entries after this time.
const ASK_AFTER: Time = 1_000;
/// How long a sleep without a barrier lasts at most.
const FIRST_SLEEP: Time = 4_000_000;

impl World {
    pub(super) async fn wait_for(&self, me: ThreadId, entry: &Entry) {
        let mut patience = Patience::new(self);
        let mut backoff = StealBackoff::default();
        let mut has_slept = false;
        let is_done = || entry.state.get() == State::Done;
        while !is_done() {
            let force = patience.has_lasted(self, self.barrier_cost.get() * 2);
            if (force || patience.has_lasted(self, ASK_AFTER))
                && self.help(me, entry, &mut backoff, force).await
            {
                patience = Patience::new(self);
                has_slept = false;
                continue;
            }
            if !entry.is_awaited.get() && patience.is_about_to_end() {
                if is_done() {
                    break;
                }
                entry.is_awaited.set(true);
            }
            if !patience.wait(self, WaitKind::Eager).await {
                let time = (!has_slept).then_some(FIRST_SLEEP);
                has_slept = true;
                if self.sleep_until(me, entry, time).await {
                    patience = Patience::new(self);
                }
            }
        }
    }

    /// Runs one job that belongs to the awaited one.
    async fn help(
        &self,
        me: ThreadId,
        entry: &Entry,
        backoff: &mut StealBackoff,
        force: bool,
    ) -> bool {
        let State::Started(runner) = entry.state.get() else {
            return false;
        };
        let effort = match (backoff.limit(self.clock.now()), force) {
            (0, _) => Effort::Look,
            (_, false) => Effort::Ask,
            (limit, true) => Effort::Force(limit),
        };
        let barrier = self.barrier_cost.get();
        match self.steal(me, runner, effort, Some(entry)).await {
            Steal::Taken(stolen, claim) => {
                let start = self.clock.now();
                let ran = self.run_stolen(me, &stolen).await;
                let now = self.clock.now();
                let took = if ran { now - start } else { 0 };
                backoff.learn(claim, took, self.barrier_cost.get(), now);
                true
            }
            Steal::Missed => {
                backoff.learn(Claim::Forced, 0, barrier, self.clock.now());
                false
            }
            Steal::Empty | Steal::Busy => false,
        }
    }

    /// Sleeps until the runner publishes something, or has ended, or for `time`: without a barrier.
    /// Returns whether there was something, or a thread has called.
    async fn sleep_until(&self, me: ThreadId, entry: &Entry, time: Option<Time>) -> bool {
        let runner = match entry.state.get() {
            State::Started(runner) => Some(&self.deques[runner]),
            _ => None,
        };
        if let Some(runner) = runner {
            runner.add_waiter(me);
        }
        if time.is_none() {
            self.heavy().await;
        }
        if runner.is_some_and(|runner| runner.has_related()) || entry.state.get() == State::Done {
            return true;
        }
        self.rest(me).await;
        self.counts.up("parks");
        let is_called = self.park(me, time).await;
        self.come_back().await;
        is_called
    }
}
