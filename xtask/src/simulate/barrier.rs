//! The heavy barrier: a system call that the kernel runs under one lock, and that interrupts every
//! thread of the process that runs.

use super::clock::Time;
use super::world::World;

/// `MAX_COST` in `sync::barrier`: one outlier must not count for more.
const MAX_COST: Time = 40_000;

impl World {
    /// Runs it, and learns what it costs, as `sync::barrier` does.
    pub async fn heavy(&self) {
        let start = self.clock.now();
        let enough = self.barriers_begun.get() + 1;
        // At most two barriers: the one that runs now began too early, the next one will do.
        self.kernel.acquire(&self.clock).await;
        if self.barriers_ended.get() < enough {
            self.counts.up("barriers");
            let number = self.barriers_begun.get() + 1;
            self.barriers_begun.set(number);
            let running = self.running.get() as Time;
            let cost = self.times.barrier + self.times.barrier_per_thread * running;
            self.clock.pass(cost).await;
            self.barriers_ended.set(number);
        }
        self.kernel.release(&self.clock, self.times.hand_over);
        let took = (self.clock.now() - start).min(MAX_COST);
        let average = self.barrier_cost.get();
        self.barrier_cost.set(average - average / 8 + took / 8);
    }
}
