//! Work divided in advance: one thread per share, no scheduler at all. An upper bound for what a
//! runtime can reach on work of a known shape.
//!
//! Helpers are made before the measurement and wait for the next round, spinning for a moment and
//! then parked. A share is a type of the workload, so nothing is borrowed across threads that a
//! scope does not hold.
//!
//! States of a helper's `turn`: `WAIT` → `GO` (by the caller) → `WAIT` (by the helper, its answer
//! stored) … → `QUIT` (by the caller).

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, Thread};

use anyhow::Result;

use crate::families::fork_join::{ForkJoinRuntime, ForkJoinWorkload};
use crate::runtime::{Role, RuntimeCard};
use crate::session::Session;

const WAIT: u32 = 0;
const GO: u32 = 1;
const QUIT: u32 = 2;

/// How often a waiting thread looks before it parks: about ten microseconds.
const LOOKS: u32 = 5_000;

/// Work divided in advance.
#[derive(Debug)]
pub struct StaticDivision;

/// Where the caller and one helper meet. A cache line pair of its own.
#[repr(align(128))]
struct Handover<A> {
    turn: AtomicU32,
    answer: Mutex<Option<A>>,
}

impl<A> Handover<A> {
    fn new() -> Self {
        Self {
            turn: AtomicU32::new(WAIT),
            answer: Mutex::new(None),
        }
    }

    /// Waits until `turn` is not `value`, and returns what it is then.
    fn wait_while(&self, value: u32) -> u32 {
        loop {
            for _ in 0..LOOKS {
                // Pairs with the Release stores in `help` and `pass`: the answer is visible, and
                // so is everything that the caller did before this round.
                let turn = self.turn.load(Ordering::Acquire);
                if turn != value {
                    return turn;
                }
                std::hint::spin_loop();
            }
            // `pass` unparks after its store, so a token is there if the store came in between.
            thread::park();
        }
    }

    /// Sets `turn` and wakes the other side if it sleeps.
    fn pass(&self, turn: u32, other: &Thread) {
        // Pairs with the Acquire load in `wait_while`.
        self.turn.store(turn, Ordering::Release);
        other.unpark();
    }
}

impl ForkJoinRuntime for StaticDivision {
    const CARD: RuntimeCard = RuntimeCard {
        name: "static",
        about: "one thread per share, divided in advance: the upper bound",
        package: None,
        role: Role::Bound,
        rank: 1,
        scheduler: "none, shares fixed in advance",
        parallel: true,
        colour: (176, 181, 189),
    };

    fn drive<W: ForkJoinWorkload>(workload: &W, jobs: usize, session: &mut Session) -> Result<()> {
        if !W::divides() {
            session.decline("this work has no division in advance");
            return Ok(());
        }
        let expected = workload.expected();
        let handovers: Vec<Handover<W::Answer>> = (1..jobs).map(|_| Handover::new()).collect();
        let caller = thread::current();
        thread::scope(|scope| {
            let helpers: Vec<Thread> = handovers
                .iter()
                .enumerate()
                .map(|(index, handover)| {
                    let caller = caller.clone();
                    let helper =
                        scope.spawn(move || help(workload, index + 1, jobs, handover, &caller));
                    helper.thread().clone()
                })
                .collect();

            session.sample(&expected, workload.items(), || {
                for (handover, helper) in handovers.iter().zip(&helpers) {
                    handover.pass(GO, helper);
                }
                let mut answer = workload.part(0, jobs);
                for handover in &handovers {
                    handover.wait_while(GO);
                    let share = handover.answer.lock().expect("no helper panics").take();
                    answer = W::merge(answer, share.expect("the helper has answered"));
                }
                answer
            });

            for (handover, helper) in handovers.iter().zip(&helpers) {
                handover.pass(QUIT, helper);
            }
        });
        Ok(())
    }
}

fn help<W: ForkJoinWorkload>(
    workload: &W,
    index: usize,
    parts: usize,
    handover: &Handover<W::Answer>,
    caller: &Thread,
) {
    while handover.wait_while(WAIT) == GO {
        let answer = workload.part(index, parts);
        *handover.answer.lock().expect("the caller does not panic") = Some(answer);
        handover.pass(WAIT, caller);
    }
}
