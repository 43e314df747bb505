//! `join-after-gap`: a join of two short closures after a while without any.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// A size is the gap times this, plus the length of a half, both in microseconds.
const GAP: u64 = 10_000;

/// One gap and one length.
#[derive(Debug)]
pub struct JoinAfterGap(u64);

impl ForkJoinWorkload for JoinAfterGap {
    const CARD: WorkloadCard = WorkloadCard {
        name: "join-after-gap",
        about: "join of two closures that compute for some microseconds, after the thread has \
                computed alone for a while; the size is 10,000 x gap + length of a closure, in us",
        analysis: "Only the join is timed. The other threads have run out of work in the gap. A \
                   runtime that wakes one for each join pays microseconds for that; where the \
                   halves are shorter, the join alone is faster. Where they are long, it takes \
                   half the time if another thread comes at once. Look at the processor time and \
                   the context switches, too.",
        item: "join",
        size_counts: "gap and length",
        sizes: &[
            200_001, 1_000_001, 1_000_020, 3_000_050, 10_000_005, 10_000_200, 50_000_005,
        ],
        smoke_sizes: &[200_001],
        limits: (0, 10_000_000_000),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        Ok(Self(size))
    }

    fn expected(&self) -> u64 {
        2
    }

    fn items(&self) -> u64 {
        1
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        let length = Duration::from_micros(self.0 % GAP);
        let half = |_: P::Context<'_>| {
            compute(length);
            1
        };
        let (a, b) = P::join(context, half, half);
        a + b
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let gap = Duration::from_micros(self.0 / GAP);
        let check = |_: &mut (), answer| {
            if answer == 2 {
                Ok(())
            } else {
                Err(format!("wrong answer: {answer}, expected 2"))
            }
        };
        pool.enter(|mut context| {
            session.sample_prepared(
                1,
                &mut (),
                |()| compute(gap),
                |()| self.run::<P>(P::lend(&mut context)),
                check,
            );
        });
    }

    fn size_label(size: u64) -> String {
        format!("{} + 2 × {} µs", group(size / GAP), group(size % GAP))
    }
}

/// Keeps the processor busy, without any call into a runtime.
fn compute(length: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < length {
        spin_loop();
    }
}
