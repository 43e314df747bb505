//! `coarse-sleep`: two closures that sleep, joined where a runtime may fail to see them.

use std::fmt::Write as _;
use std::hint::black_box;
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::nap::{Peak, sleep_precisely};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

const NAP: Duration = Duration::from_millis(100);
const DEEP: u64 = 10;
const PENDING: u64 = 20_000;

/// One arrangement; see the analysis.
#[derive(Debug)]
pub struct CoarseSleep {
    arrangement: u64,
    peak: Peak,
}

impl ForkJoinWorkload for CoarseSleep {
    const CARD: WorkloadCard = WorkloadCard {
        name: "coarse-sleep",
        about: "join(sleep 100 ms, sleep 100 ms); the size chooses where: 0 plain, 1 ten joins \
                deep left, 2 deep right, 3 under 20,000 pending joins; +10: the pool slept 1 s",
        analysis: "With two jobs the right answer is 100 ms, with one job 200 ms. A pool that \
                   puts another thread in the place of one that sleeps takes less: two sleep at \
                   once then, and it is held against no peer. A sleeping closure never calls the \
                   runtime, so whatever is not visible when it begins stays hidden.",
        item: "join",
        size_counts: "arrangement",
        sizes: &[0, 1, 2, 3, 10, 11, 12, 13],
        smoke_sizes: &[0, 3],
        limits: (0, 13),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        // Before the runtime makes its threads.
        sleep_precisely();
        Ok(Self {
            arrangement: size,
            peak: Peak::default(),
        })
    }

    fn expected(&self) -> u64 {
        2 + match self.arrangement % 10 {
            0 => 0,
            3 => PENDING,
            _ => DEEP,
        }
    }

    fn items(&self) -> u64 {
        1
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        match self.arrangement % 10 {
            0 => self.naps::<P>(context),
            1 => self.left::<P>(black_box(DEEP), context),
            2 => self.right::<P>(black_box(DEEP), context),
            _ => self.left::<P>(black_box(PENDING), context),
        }
    }

    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        let rest = Duration::from_secs(self.arrangement / 10);
        let check = |_: &mut (), answer| {
            if answer == expected {
                Ok(())
            } else {
                Err(format!("wrong answer: {answer}, expected {expected}"))
            }
        };
        if self.arrangement >= 10 {
            // The whole pool sleeps, so the call comes from outside.
            session.sample_prepared(
                1,
                &mut (),
                |()| sleep(rest),
                |()| pool.enter(|context| self.run::<P>(context)),
                check,
            );
        } else {
            pool.enter(|mut context| {
                session.sample_prepared(
                    1,
                    &mut (),
                    |()| (),
                    |()| self.run::<P>(P::lend(&mut context)),
                    check,
                );
            });
        }
        session.items_peak(self.peak.most() as u64);
    }

    fn refuses(size: u64) -> Option<&'static str> {
        (size % 10 > 3).then_some("the arrangements are 0, 1, 2, 3, 10, 11, 12 and 13")
    }

    fn size_label(size: u64) -> String {
        let mut label = String::from(match size % 10 {
            0 => "plain",
            1 => "deep left",
            2 => "deep right",
            _ => "under 20,000",
        });
        if size >= 10 {
            write!(label, ", after 1 s").expect("a string takes everything");
        }
        label
    }
}

impl CoarseSleep {
    fn naps<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        let nap = |_: P::Context<'_>| {
            self.peak.during(|| sleep(NAP));
            1
        };
        let (a, b) = P::join(context, nap, nap);
        a + b
    }

    /// The naps at the end of a chain of left halves; every right half is trivial.
    fn left<P: Pool>(&self, depth: u64, context: P::Context<'_>) -> u64 {
        if depth == 0 {
            return self.naps::<P>(context);
        }
        let (a, b) = P::join(
            context,
            |context| self.left::<P>(depth - 1, context),
            |_| black_box(1),
        );
        a + b
    }

    /// The naps at the end of a chain of right halves; every left half is trivial.
    fn right<P: Pool>(&self, depth: u64, context: P::Context<'_>) -> u64 {
        if depth == 0 {
            return self.naps::<P>(context);
        }
        let (a, b) = P::join(
            context,
            |_| black_box(1),
            |context| self.right::<P>(depth - 1, context),
        );
        a + b
    }
}
