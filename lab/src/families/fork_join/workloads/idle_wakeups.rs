//! `idle-wakeups`: many small pieces of work with rests in between.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::tree::{self, Tree};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many rounds of rest and work.
#[derive(Debug)]
pub struct IdleWakeups {
    rounds: u64,
    tree: Tree,
}

impl ForkJoinWorkload for IdleWakeups {
    const CARD: WorkloadCard = WorkloadCard {
        name: "idle-wakeups",
        about: "rounds of (sleep 2 ms, one tree-sum of 1,000) called from outside the pool",
        analysis: "Each round has one context switch of the measuring thread, its sleep. Whatever \
                   is above that, and above the processor time of `seq`, is the pool waking up \
                   and going back to sleep.",
        item: "round",
        size_counts: "rounds",
        sizes: &[1_000],
        smoke_sizes: &[20],
        limits: (1, 100_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rest,
    };

    type Answer = i64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self {
            rounds: size,
            tree: Tree::build(1_000)?,
        })
    }

    fn expected(&self) -> i64 {
        self.tree.expected_sum()
    }

    fn items(&self) -> u64 {
        self.rounds
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> i64 {
        tree::sum::<P>(&self.tree.root, context)
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        session.sample_prepared(
            self.rounds,
            &mut (),
            |()| (),
            |()| {
                let mut wrong = 0u64;
                for _ in 0..self.rounds {
                    sleep(Duration::from_millis(2));
                    let answer = pool.enter(|context| self.run::<P>(context));
                    wrong += u64::from(answer != expected);
                }
                wrong
            },
            |(), wrong| match wrong {
                0 => Ok(()),
                _ => Err(format!("{wrong} wrong answers")),
            },
        );
    }
}
