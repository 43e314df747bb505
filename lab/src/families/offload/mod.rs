//! Computing that asynchronous code hands over, to await its answer.
//!
//! The asynchronous side is a runtime of tokio on one thread, the same for all. A runtime here is
//! whatever computes beside it, and the way of getting the answer back.

use std::future::Future;

use ::tokio::runtime::Builder;
use anyhow::Result;

use crate::families::{Family, usual_limit};
use crate::registry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::runtime::RuntimeCard;
use crate::session::{Effort, Session};
use crate::workload::WorkloadCard;

pub mod arrivals;
pub mod open_loop;
pub mod request;

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

/// A runtime that computes for asynchronous code.
pub trait OffloadRuntime: Sized + Sync + 'static {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes whatever computes, on at most `jobs` threads.
    fn start(jobs: usize) -> Result<Self>;

    /// What the runtime needs of the asynchronous side: by default nothing.
    fn configure(_builder: &mut Builder, _jobs: usize) {}

    /// Hands a request over and awaits its answer. Called in a task of the asynchronous side.
    fn offload(
        &'static self,
        request: impl FnOnce() -> u64 + Send + 'static,
    ) -> impl Future<Output = Result<u64>> + Send;
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
