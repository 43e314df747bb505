//! The list of all workloads and runtimes, and of all pairs of them.
//!
//! The list itself is generated from the names of the files; see `build.rs`.

use anyhow::Result;

use crate::runtime::{Runtime, RuntimeCard};
use crate::session::Session;
use crate::workload::{Workload, WorkloadCard};

mod generated {
    use super::{Pair, RuntimeEntry, WorkloadEntry};

    include!(concat!(env!("OUT_DIR"), "/registry.rs"));
}

pub use generated::{runtimes, workloads};

/// A workload in the list.
#[derive(Debug)]
pub struct WorkloadEntry {
    /// Its card.
    pub card: WorkloadCard,
    label: fn(u64) -> String,
    refuses: fn(u64) -> Option<&'static str>,
}

impl WorkloadEntry {
    const fn of<W: Workload>() -> Self {
        Self {
            card: W::CARD,
            label: W::size_label,
            refuses: W::refuses,
        }
    }

    /// What a size is called in tables.
    pub fn size_label(&self, size: u64) -> String {
        (self.label)(size)
    }

    /// Why a size within the limits makes no sense, if it makes none.
    pub fn refuses(&self, size: u64) -> Option<&'static str> {
        (self.refuses)(size)
    }
}

/// A runtime in the list.
#[derive(Debug)]
pub struct RuntimeEntry {
    /// Its card.
    pub card: RuntimeCard,
}

impl RuntimeEntry {
    const fn of<R: Runtime>() -> Self {
        Self { card: R::CARD }
    }
}

/// A workload compiled for a runtime.
struct Pair {
    workload: &'static str,
    runtime: &'static str,
    measure: fn(u64, usize, &mut Session) -> Result<()>,
}

impl Pair {
    const fn of<W: Workload, R: Runtime>() -> Self {
        Self {
            workload: W::CARD.name,
            runtime: R::CARD.name,
            measure: measure::<W, R>,
        }
    }
}

fn measure<W: Workload, R: Runtime>(size: u64, jobs: usize, session: &mut Session) -> Result<()> {
    session.begin();
    let workload = W::build(size)?;
    R::drive(&workload, jobs, session)?;
    // The process ends now; taking a large tree apart would only take time.
    std::mem::forget(workload);
    Ok(())
}

/// A name that is not in the list.
#[derive(Debug, thiserror::Error)]
#[error("there is no {kind} `{name}`; the {kind}s are: {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: String,
}

/// All workloads: those of the default run in their order, then the others by name.
pub fn all_workloads() -> Vec<&'static WorkloadEntry> {
    let mut all: Vec<_> = generated::WORKLOADS.iter().collect();
    all.sort_by_key(|entry| (entry.card.default_rank.unwrap_or(u8::MAX), entry.card.name));
    all
}

/// All runtimes, by rank.
pub fn all_runtimes() -> Vec<&'static RuntimeEntry> {
    let mut all: Vec<_> = generated::RUNTIMES.iter().collect();
    all.sort_by_key(|entry| (entry.card.rank, entry.card.name));
    all
}

/// The workload of this name.
pub fn workload(name: &str) -> Result<&'static WorkloadEntry, UnknownName> {
    let all = all_workloads();
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| UnknownName {
            kind: "workload",
            name: name.to_owned(),
            known: join(all.iter().map(|entry| entry.card.name)),
        })
}

/// The runtime of this name.
pub fn runtime(name: &str) -> Result<&'static RuntimeEntry, UnknownName> {
    let all = all_runtimes();
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| UnknownName {
            kind: "runtime",
            name: name.to_owned(),
            known: join(all.iter().map(|entry| entry.card.name)),
        })
}

/// Runs one workload on one runtime in this process.
pub fn run(
    workload: &str,
    runtime: &str,
    size: u64,
    jobs: usize,
    session: &mut Session,
) -> Result<()> {
    self::workload(workload)?;
    self::runtime(runtime)?;
    let pair = generated::PAIRS
        .iter()
        .find(|pair| pair.workload == workload && pair.runtime == runtime)
        .expect("every workload is compiled for every runtime");
    (pair.measure)(size, jobs, session)
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
