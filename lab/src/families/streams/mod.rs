//! Streams: items that come one after the other and are handled by many threads.
//!
//! As with loops, the trait of runtimes has one method per kind of stream, in which each library's
//! own calls stand as its users would write them. A runtime names those that it has, and is not a
//! row of the others: a channel has no parallel map, and one thread is no pipeline.

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::streams::bounded::Received;
use crate::families::streams::mapping::{Mapping, Tally};
use crate::families::streams::pipeline::Pipeline;
use crate::families::{Family, usual_limit};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

pub mod bounded;
pub mod mapping;
pub mod pipeline;

include!(concat!(env!("OUT_DIR"), "/families/streams.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "streams",
    title: "streams",
    rank: 40,
    nests: false,
    computes: false,
    // Most streams are defined with as many jobs as cores.
    jobs: |cores| vec![cores],
    // Most streams take seconds, so a warm-up would take as long as what it is for.
    effort: |usual| Effort {
        warm_up_ms: 0,
        samples_min: 1,
        ..usual
    },
    limit: usual_limit,
};

/// A kind of stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// [`StreamRuntime::pipe`] with a producer that is always busy.
    Pipe,
    /// [`StreamRuntime::pipe`] with a producer that sleeps between two items.
    Trickle,
    /// [`StreamRuntime::map`].
    Map,
    /// [`StreamRuntime::bounded`].
    Bounded,
}

/// A stream, with a checked answer.
pub trait StreamWorkload: Sized {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// What a runtime must be able to do. A runtime that is not able has no row.
    const KIND: StreamKind;

    /// The sizes of the default run, where those of the card would take it too long.
    const BRIEF: Option<&'static [u64]> = None;

    /// Whether it is run with one job, too, when nothing else was asked for.
    const ONE_JOB_TOO: bool = false;

    /// Starts runtimes, as many as it takes, and runs the stream as often as the session wants to.
    fn drive<R: StreamRuntime>(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

    /// What a size is called in tables.
    fn size_label(size: u64) -> String {
        group(size)
    }
}

/// A runtime that runs streams.
pub trait StreamRuntime: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// What it does.
    const KINDS: &'static [StreamKind];

    /// Whether it is a row of the default run, which has little time.
    const BY_DEFAULT: bool = true;

    /// Makes what lives longer than one stream, such as a pool of its own.
    fn start(jobs: usize) -> Result<Self>;

    /// Makes all items in one thread at a time, in order, and handles each on one of `jobs`
    /// threads. `batch` items are handed over together, if the runtime leaves that to its users.
    fn pipe<P: Pipeline>(&self, _pipeline: &P, _batch: usize) {
        unreachable!("this runtime lacks it")
    }

    /// Maps numbers in parallel and takes the results in order at one serial end, if the runtime
    /// can.
    fn map<M: Mapping>(&self, _mapping: &M) -> Tally {
        unreachable!("this runtime lacks it")
    }

    /// Takes this many items that several threads send through one bounded channel.
    fn bounded(&self, _items: u64) -> Received {
        unreachable!("this runtime lacks it")
    }
}

// What the registry is made of.

pub(crate) const fn workload<W: StreamWorkload>() -> WorkloadEntry {
    WorkloadEntry {
        brief: W::BRIEF,
        one_job_too: W::ONE_JOB_TOO,
        label: W::size_label,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: StreamRuntime>() -> RuntimeEntry {
    RuntimeEntry {
        by_default: R::BY_DEFAULT,
        ..RuntimeEntry::new(&FAMILY, R::CARD)
    }
}

pub(crate) const fn pair<W: StreamWorkload, R: StreamRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>).only_if(|| R::KINDS.contains(&W::KIND))
}

fn measure<W: StreamWorkload, R: StreamRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    W::drive::<R>(size, jobs, session)
}
