//! One barrier of the system for all threads that wait for one.
//!
//! # What it owns
//!
//! The kernel runs expedited barriers under one lock, for all processes. Threads that queue there
//! wait for each other's barriers, and each of these interrupts every thread of the process. One
//! barrier would do for all of them: it orders the stores of any thread that came before it began.
//! (liburcu's grace periods are shared in this way.)
//!
//! * `begun`: the number of the barrier that began last.
//! * `ended`: the number of the latest barrier that has ended.
//! * `runner`: which thread is at it, as a hint: zero, or the generation of its process.
//!
//! # Steps
//!
//! 1. A thread that needs a barrier passes a fence of its own (F1), and then reads `begun` (R). Any
//!    barrier with a higher number will do.
//! 2. If no thread is at it, the thread becomes the runner. It counts `begun` up (B), passes a
//!    fence (F2), makes the system call, and raises `ended` to its number (E).
//! 3. Otherwise it waits until `ended` is above what it has read, or until it can be the runner.
//!    The barrier that runs when it comes began too early, the next one will do: it waits for two
//!    at most.
//! 4. A thread that has waited for much longer than a barrier takes goes on as a runner does,
//!    beside the other one. Numbers stay in order: each barrier begins after its number is given
//!    out.
//!
//! # The race feared, and why it cannot happen
//!
//! A thread goes on after a barrier that began before the thread's store was visible. Its barrier
//! has a higher number than R has read, so B comes after R in the order of `begun`. By the fences
//! F1 and F2 the store is visible to the runner before it makes the system call.
//!
//! The other way round: what the barrier has made visible to the runner is visible to the waiter,
//! because E releases and the waiter acquires `ended`.
//!
//! # What cannot be stuck
//!
//! `runner` is a hint. A runner that lost its processor, or never returns, costs the others a
//! wait of bounded length. In a forked child the runner may be a thread of the parent; its
//! generation says so, and the first thread of the child that comes takes its turn.
//!
//! A barrier that failed raises `ended`, too, after it was declared lost. Each caller must ask
//! whether the barrier is lost after it has been served.

use super::atomic::{AtomicUsize, Ordering, fence};
use super::relax;

/// See the module. Numbers wrap around, and are compared by their difference.
#[derive(Debug)]
pub(crate) struct BarrierSequence {
    begun: AtomicUsize,
    ended: AtomicUsize,
    runner: AtomicUsize,
}

/// No thread is at it.
const NONE: usize = 0;

impl BarrierSequence {
    #[cfg(not(any(drumline_loom, drumline_shuttle)))]
    #[allow(dead_code, reason = "not every build has an asymmetric barrier")]
    pub(crate) const fn new() -> Self {
        BarrierSequence {
            begun: AtomicUsize::new(0),
            ended: AtomicUsize::new(0),
            runner: AtomicUsize::new(NONE),
        }
    }

    /// Returns after a `barrier` that began after this call did, by this thread or by another one.
    /// What such a barrier returned, the caller must ask elsewhere.
    ///
    /// `process` is not zero, and differs in a forked child. `is_late` is asked again and again
    /// while the thread waits: whether it waits for too long.
    #[allow(dead_code, reason = "not every build has an asymmetric barrier")]
    pub(crate) fn run(&self, process: usize, is_late: impl Fn() -> bool, barrier: impl Fn()) {
        // F1: what this thread has stored comes before what it reads here.
        fence(Ordering::SeqCst);
        // Relaxed: the fences order it.
        let seen = self.begun.load(Ordering::Relaxed);
        let enough = if planted!(EarlierBarrierServes) {
            seen
        } else {
            seen.wrapping_add(1)
        };
        loop {
            // Acquire pairs with the Release in `run_one`: what the barrier made visible.
            let ended = self.ended.load(Ordering::Acquire);
            if is_at_least(ended, enough) {
                return;
            }
            // Relaxed: a hint.
            let runner = self.runner.load(Ordering::Relaxed);
            if runner != process {
                // Acquire pairs with the Release below: what the last runner has raised is seen.
                // Relaxed on failure: another thread has the turn, and this one waits.
                let turn = self.runner.compare_exchange(
                    runner,
                    process,
                    Ordering::Acquire,
                    Ordering::Relaxed,
                );
                if turn.is_ok() {
                    // Acquire, as above.
                    if !is_at_least(self.ended.load(Ordering::Acquire), enough) {
                        self.run_one(barrier);
                    }
                    self.runner.store(NONE, Ordering::Release);
                    return;
                }
            }
            if is_late() {
                return self.run_one(barrier);
            }
            relax();
        }
    }

    #[allow(dead_code, reason = "not every build has an asymmetric barrier")]
    fn run_one(&self, barrier: impl Fn()) {
        // B. Relaxed: the fences order it.
        let number = self.begun.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        // F2: the stores of each thread that has read a lower number are visible to the barrier.
        fence(Ordering::SeqCst);
        barrier();
        // E. Release pairs with the Acquire in `run`; a higher number is of a later barrier, and
        // goes on with what this one releases, because this is a read-modify-write.
        // Relaxed, the load: `ended` never falls, so an old value only makes the exchange fail.
        let _ = self
            .ended
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |ended| {
                (!is_at_least(ended, number)).then_some(number)
            });
    }
}

/// Whether `number` is not lower than `least`, where both wrap around.
fn is_at_least(number: usize, least: usize) -> bool {
    number.wrapping_sub(least) as isize >= 0
}

#[cfg(all(test, drumline_loom))]
#[allow(
    clippy::arc_with_non_send_sync,
    reason = "loom's threads are coroutines of one"
)]
mod models {
    use std::sync::Arc;

    use loom::thread;

    use super::*;
    use crate::sync::exploration::bounded;
    use crate::sync::plant::{Plant, must_catch};

    struct Model {
        sequence: BarrierSequence,
        /// What each thread has stored.
        stored: [AtomicUsize; 3],
        /// What of it barriers have made visible to the owners.
        visible: [AtomicUsize; 3],
    }

    impl Model {
        fn new(runner: usize) -> Self {
            let zeros = || [0; 3].map(AtomicUsize::new);
            Model {
                sequence: BarrierSequence {
                    begun: AtomicUsize::new(0),
                    ended: AtomicUsize::new(0),
                    runner: AtomicUsize::new(runner),
                },
                stored: zeros(),
                visible: zeros(),
            }
        }

        /// A thread stores, and relies on a barrier after that.
        fn claim(&self, me: usize, is_late: bool) {
            self.stored[me].store(1, Ordering::Relaxed);
            self.sequence.run(1, || is_late, || self.barrier());
            let visible = self.visible[me].load(Ordering::Relaxed);
            assert_eq!(visible, 1, "the barrier began before the store");
        }

        /// The system's barrier: what it finds when it begins is visible to all when it ends.
        fn barrier(&self) {
            let found = [0, 1, 2].map(|index| self.stored[index].load(Ordering::Relaxed));
            for (visible, found) in self.visible.iter().zip(found) {
                if found == 1 {
                    visible.store(1, Ordering::Relaxed);
                }
            }
        }
    }

    fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
        let mut builder = bounded(preemptions);
        builder.max_branches = 10_000;
        builder.check(model);
    }

    /// Some threads need a barrier at once. In a forked child, a thread of the parent is at it.
    fn together(threads: usize, is_late: bool, runner: usize) {
        let model = Arc::new(Model::new(runner));
        let others: Vec<_> = (1..threads)
            .map(|name| {
                let model = model.clone();
                thread::spawn(move || model.claim(name, is_late))
            })
            .collect();
        model.claim(0, is_late);
        for other in others {
            other.join().unwrap();
        }
    }

    #[test]
    fn loom_barrier_begins_after_each_store() {
        explore(3, || together(2, false, NONE));
    }

    #[test]
    fn loom_barrier_of_a_late_thread() {
        explore(2, || together(3, true, NONE));
    }

    #[test]
    fn loom_barrier_of_a_forked_child() {
        explore(3, || together(2, false, 7));
    }

    #[test]
    fn loom_plants_barrier_begins_after_each_store() {
        must_catch(Plant::EarlierBarrierServes, || {
            explore(3, || together(2, false, NONE));
        });
    }
}
