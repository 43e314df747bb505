//! `idle-after-use`: what a pool does when there is nothing to do.

use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::tree::{self, Tree};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many milliseconds of rest after use.
#[derive(Debug)]
pub struct IdleAfterUse {
    rest: Duration,
    tree: Tree,
}

impl ForkJoinWorkload for IdleAfterUse {
    const CARD: WorkloadCard = WorkloadCard {
        name: "idle-after-use",
        about: "processor time and context switches of a pool while it rests after use",
        analysis: "One of the context switches is the sleep of the measuring thread itself. A \
                   ticking thread shows here, and so does the time that workers spin before they \
                   sleep.",
        item: "rest",
        size_counts: "milliseconds",
        sizes: &[2_000],
        smoke_sizes: &[100],
        limits: (1, 60_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rest,
    };

    type Answer = i64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self {
            rest: Duration::from_millis(size),
            tree: Tree::build(1_000)?,
        })
    }

    fn expected(&self) -> i64 {
        self.tree.expected_sum()
    }

    fn items(&self) -> u64 {
        1
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> i64 {
        tree::sum::<P>(&self.tree.root, context)
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        session.sample_prepared(
            1,
            &mut 0,
            |answer| {
                for _ in 0..1_000 {
                    *answer = pool.enter(|context| self.run::<P>(context));
                }
            },
            |_| sleep(self.rest),
            |answer, ()| {
                if *answer == self.expected() {
                    Ok(())
                } else {
                    Err(format!("wrong answer: {answer}"))
                }
            },
        );
    }

    fn size_label(size: u64) -> String {
        format!("{size} ms")
    }
}
