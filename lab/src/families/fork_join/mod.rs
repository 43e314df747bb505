//! Fork/join: closures that are joined in a tree.

use std::fmt::Debug;

use anyhow::Result;

use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::fork_join::pool::Pool;
use crate::families::{Family, one_job_and_all, usual_limit};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod pool;
pub mod tree;

include!(concat!(env!("OUT_DIR"), "/families/fork_join.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "fork_join",
    title: "fork/join",
    rank: 10,
    nests: true,
    computes: true,
    jobs: one_job_and_all,
    effort: |usual| usual,
    limit: usual_limit,
};

/// Something to compute.
pub trait ForkJoinWorkload: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// The answer, compared after every operation.
    type Answer: PartialEq + Debug + Send + Sync;

    /// Makes the data, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// The answer that is right.
    fn expected(&self) -> Self::Answer;

    /// The number of items in one operation.
    fn items(&self) -> u64;

    /// One operation, inside the pool.
    fn run<P: Pool>(&self, context: P::Context<'_>) -> Self::Answer;

    /// Whether the work can be divided in advance with [`part`](Self::part).
    fn divides() -> bool {
        false
    }

    /// The share of thread `index` of `parts`, computed without any runtime.
    fn part(&self, _index: usize, _parts: usize) -> Self::Answer {
        unreachable!("this workload does not divide")
    }

    /// Puts two shares together.
    fn merge(_a: Self::Answer, _b: Self::Answer) -> Self::Answer {
        unreachable!("this workload does not divide")
    }

    /// How a pool is used: by default all operations run inside one call into the pool.
    fn drive<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        let items = self.items();
        pool.enter(|mut context| {
            session.sample(&expected, items, || self.run::<P>(P::lend(&mut context)));
        });
    }

    /// For [`drive`](Self::drive): one call into the pool per operation.
    fn drive_outside<P: Pool>(&self, pool: &P, session: &mut Session) {
        let expected = self.expected();
        session.sample(&expected, self.items(), || {
            pool.enter(|context| self.run::<P>(context))
        });
    }

    /// Why a size within the limits makes no sense, if it makes none.
    fn refuses(_size: u64) -> Option<&'static str> {
        None
    }

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// Something that can run every workload, or say why it cannot.
pub trait ForkJoinRuntime {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes the runtime and lets `workload` run on it under `session`.
    fn drive<W: ForkJoinWorkload>(workload: &W, jobs: usize, session: &mut Session) -> Result<()>;
}

impl<P: Pool> ForkJoinRuntime for P {
    const CARD: RuntimeCard = <P as Pool>::CARD;

    fn drive<W: ForkJoinWorkload>(workload: &W, jobs: usize, session: &mut Session) -> Result<()> {
        if let (true, Some(reason)) = (W::CARD.outside, P::outside_calls_fail(jobs)) {
            session.decline(reason);
            return Ok(());
        }
        let pool = P::start(jobs)?;
        workload.drive(&pool, session);
        Ok(())
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: ForkJoinWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        brief: W::BRIEF,
        label: W::size_label,
        refuses: W::refuses,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: ForkJoinRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: ForkJoinWorkload, R: ForkJoinRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
}

fn measure<W: ForkJoinWorkload, R: ForkJoinRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let workload = W::build(size)?;
    R::drive(&workload, jobs, session)?;
    // The process ends now; taking a large tree apart would only take time.
    std::mem::forget(workload);
    Ok(())
}
