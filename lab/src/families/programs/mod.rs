//! Programs that were published with the first typed pipes, whole: a search of a graph, and counts
//! in a text.
//!
//! Each runtime writes both programs as its users would: with loops, or with tasks or threads and
//! channels between them. What is computed is the same code for all ([`graph`], [`kmers`]).

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::effort::Effort;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::{Family, one_job_and_all};
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::WorkloadCard;

use self::graph::Search;
use self::kmers::KmerCounter;

pub mod breadth_first;
pub mod graph;
pub mod kmers;
pub mod kronecker;
pub mod order;

include!(concat!(env!("OUT_DIR"), "/families/programs.rs"));

/// The family.
pub static FAMILY: Family = Family {
    name: "programs",
    title: "published programs",
    rank: 46,
    nests: false,
    computes: true,
    jobs: one_job_and_all,
    // One operation takes up to seconds.
    effort: |usual| Effort {
        samples_min: 1,
        ..usual
    },
    // A search of the largest usual graph, and the check of its tree, take up to a few seconds.
    limit: |_smoke, full, samples| {
        let each = if full { 30 } else { 5 };
        Duration::from_secs(60 + each * samples as u64)
    },
};

/// A program, with a checked answer.
pub trait Program: Sized + Sync {
    /// Name, sizes and text.
    const CARD: WorkloadCard;

    /// How many samples a process takes whatever the effort, if they belong together.
    const SAMPLES: Option<usize> = None;

    /// Makes the input, the same for every runtime.
    fn build(size: u64) -> Result<Self>;

    /// Runs the program as often as the session wants to.
    fn drive<R: ProgramRuntime>(&self, runtime: &R, session: &mut Session);

    /// What a size is called in tables.
    fn size_label(size: u64) -> String;
}

/// A way of writing the programs.
pub trait ProgramRuntime: Sized + Sync {
    /// Name, package and place of this runtime.
    const CARD: RuntimeCard;

    /// Makes what lives longer than one run, such as a pool.
    fn start(jobs: usize) -> Result<Self>;

    /// Runs a whole search. A runtime with a pool goes there once, and not for each level.
    fn search(&self, search: impl FnOnce() -> usize + Send) -> usize {
        search()
    }

    /// A whole search from `root`, which has begun: level by level, unless there is a better way.
    /// Returns how many vertices it has found.
    fn whole(&self, search: &Arc<Search>, root: u32) -> usize {
        self.search(|| {
            let mut frontier = vec![root];
            let mut found = 0;
            while !frontier.is_empty() {
                found += frontier.len();
                frontier = self.level(search, frontier);
            }
            found
        })
    }

    /// Goes on from each vertex of `frontier`, in parallel. Returns the vertices that were found,
    /// in any order.
    fn level(&self, search: &Arc<Search>, frontier: Vec<u32>) -> Vec<u32>;

    /// Has each counter count all pieces, in order. Returns the counters, in any order.
    fn count(&self, pieces: &[Arc<[u8]>], counters: Vec<KmerCounter>) -> Vec<KmerCounter>;
}

/// How many vertices a task or a thread is handed at once, where a program says that itself.
pub const VERTICES: usize = 256;

/// How many pieces of a text a channel holds.
pub const PIECES: usize = 16;

// What the registry is made of.

pub(crate) const fn workload<W: Program>() -> WorkloadEntry {
    WorkloadEntry {
        samples: W::SAMPLES,
        label: W::size_label,
        ..WorkloadEntry::new(&FAMILY, W::CARD)
    }
}

pub(crate) const fn runtime<R: ProgramRuntime>() -> RuntimeEntry {
    RuntimeEntry::new(&FAMILY, R::CARD)
}

pub(crate) const fn pair<W: Program, R: ProgramRuntime>() -> Pair {
    Pair::new(W::CARD, R::CARD, measure::<W, R>)
}

fn measure<W: Program, R: ProgramRuntime>(
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    session.begin();
    let program = W::build(size)?;
    let runtime = R::start(jobs)?;
    program.drive(&runtime, session);
    // The process ends now. Ending a runtime waits for its threads, and if that goes wrong it is
    // not what was measured.
    std::mem::forget(runtime);
    Ok(())
}
