//! A simulated thread: whether it runs, and how it sleeps.

use std::cell::Cell;

use super::clock::{ThreadId, Time};
use super::queue::Queue;
use super::world::World;

/// One thread's state; what it does is its future.
#[derive(Debug, Default)]
pub struct Thread {
    is_parked: Cell<bool>,
    /// It has been called, and is on its way.
    is_waking: Cell<bool>,
    /// A call that came before the sleep.
    token: Cell<bool>,
    /// When it first began an item of the program.
    pub first: Cell<Option<Time>>,
    /// The length of the chain of calls that woke it.
    pub chain: Cell<u64>,
    /// The tickets that it has put out.
    pub queue: Queue,
}

impl World {
    /// Sleeps until another thread calls, or for `time`. Returns whether a thread called.
    pub async fn park(&self, me: ThreadId, time: Option<Time>) -> bool {
        let thread = &self.threads[me];
        if thread.token.take() {
            return true;
        }
        thread.is_parked.set(true);
        self.running.set(self.running.get() - 1);
        if let Some(time) = time {
            let late = self.about(self.times.nap_latency);
            self.clock.resume(me, time + late);
        }
        self.clock.wait().await;
        thread.is_parked.set(false);
        self.running.set(self.running.get() + 1);
        thread.is_waking.take()
    }

    /// Calls a thread out of its sleep, or out of its next one.
    pub async fn unpark(&self, called: ThreadId) {
        let thread = &self.threads[called];
        if !thread.is_parked.get() {
            thread.token.set(true);
        } else if !thread.is_waking.replace(true) {
            // Its nap does not end by itself any more.
            self.clock.forget(called);
            self.clock.resume(called, self.times.wake_latency);
            self.clock.pass(self.times.wake_cost).await;
        }
    }

    /// Calls an idle worker.
    pub async fn call(&self, me: ThreadId, called: Option<ThreadId>) {
        if let Some(called) = called {
            let chain = self.threads[me].chain.get() + 1;
            self.counts.raise("depth", chain);
            self.counts.up("calls");
            self.threads[called].chain.set(chain);
            self.unpark(called).await;
        }
    }

    /// An item of the program: it computes, or sleeps.
    pub async fn work(&self, me: ThreadId, time: Time, sleeps: bool) {
        let first = &self.threads[me].first;
        first.set(first.get().or(Some(self.clock.now())));
        if sleeps {
            self.running.set(self.running.get() - 1);
            let late = self.about(self.times.sleep_latency);
            self.clock.pass(time + late).await;
            self.running.set(self.running.get() + 1);
            return;
        }
        let mut left = time;
        while left > 0 {
            let barriers = self.barriers_ended.get();
            self.clock.pass(left).await;
            left = (self.barriers_ended.get() - barriers) * self.times.interruption;
        }
    }
}
