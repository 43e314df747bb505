//! A row of the comparison: something that can run a workload.

use anyhow::Result;

use crate::pool::Pool;
use crate::session::Session;
use crate::workload::Workload;

/// What part a runtime plays in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// No parallelism, or parallelism that knows the work in advance: a bound, not a rival.
    Bound,
    /// The runtime that this repository is about.
    Ours,
    /// A runtime that people would use instead.
    Peer,
}

/// Everything the lab knows about a runtime before it runs.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeCard {
    /// The name on the command line.
    pub name: &'static str,
    /// One line for `cargo lab list`.
    pub about: &'static str,
    /// The package whose version a record names; `None` for code of the lab itself.
    pub package: Option<&'static str>,
    /// Its part in the comparison.
    pub role: Role,
    /// Its place in tables and charts; rows are sorted by it.
    pub rank: u8,
    /// How work is divided, in the runtime's own terms.
    pub scheduler: &'static str,
    /// Whether it is run with every number of jobs; if not, with one. Who ignores the number but
    /// has as many threads as it likes is run with all, to stand next to the others.
    pub parallel: bool,
    /// The colour of its bars, as red, green, blue.
    pub colour: (u8, u8, u8),
}

/// Something that can run every workload, or say why it cannot.
pub trait Runtime {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes the runtime and lets `workload` run on it under `session`.
    fn drive<W: Workload>(workload: &W, jobs: usize, session: &mut Session) -> Result<()>;
}

impl<P: Pool> Runtime for P {
    const CARD: RuntimeCard = <P as Pool>::CARD;

    fn drive<W: Workload>(workload: &W, jobs: usize, session: &mut Session) -> Result<()> {
        if let (true, Some(reason)) = (W::CARD.outside, P::outside_calls_fail(jobs)) {
            session.decline(reason);
            return Ok(());
        }
        let pool = P::start(jobs)?;
        workload.drive(&pool, session);
        Ok(())
    }
}
