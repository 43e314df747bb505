//! Computing that asynchronous code hands over, to await its answer.
//!
//! The asynchronous side is a runtime of tokio on one thread, the same for all. A runtime here is
//! whatever computes beside it, and the way of getting the answer back.

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::{Family, usual_limit};
use crate::session::Session;
use crate::workload::WorkloadCard;

pub mod arrivals;
pub mod open_loop;
pub mod request;
mod runtime_trait;

pub use runtime_trait::OffloadRuntime;

include!(concat!(env!("OUT_DIR"), "/families/offload.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "offload",
    title: "computing for asynchronous code",
    rank: 24,
    nests: false,
    computes: false,
    // The load is defined for all cores.
    jobs: |cores| vec![cores],
    // Requests arrive for seconds, so one sample of a process says enough.
    effort: |_usual| Effort::once(),
    limit: usual_limit,
};

/// Requests that arrive, whatever becomes of those before.
pub trait OffloadWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// How many per cent arrive of the requests that the machine is able to compute.
    const LOAD_PERCENT: u32;
}

// What the registry is made of.

pub(crate) const fn workload<W: OffloadWorkload>() -> WorkloadEntry {
    WorkloadEntry::new(&FAMILY, W::CARD)
}

pub(crate) const fn runtime<R: OffloadRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: OffloadWorkload, R: OffloadRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
}

fn measure<W: OffloadWorkload, R: OffloadRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    open_loop::drive::<R>(size, W::LOAD_PERCENT, jobs, session)
}
