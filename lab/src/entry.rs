//! The entries of the [registry](crate::registry): workloads, runtimes, and pairs of them.

use anyhow::Result;

use crate::effort::Effort;
use crate::families::Family;
use crate::machine::version_of;
use crate::peers::Peer;
use crate::runtime::RuntimeCard;
use crate::session::Session;
use crate::workload::{WorkloadCard, group};

/// A workload in the list.
#[derive(Debug)]
pub struct WorkloadEntry {
    /// Its card.
    pub card: WorkloadCard,
    /// What kind of work it is.
    pub family: &'static Family,
    /// Whether a run that stands still will do so for ever.
    pub can_deadlock: bool,
    /// The sizes of the default run, if they are not those of the card.
    pub(crate) brief: Option<&'static [u64]>,
    /// The numbers of jobs, if they are not those of the family.
    pub(crate) jobs: Option<&'static [usize]>,
    /// The numbers of jobs of the default run, if they differ from those of other runs.
    pub(crate) brief_jobs: Option<&'static [usize]>,
    /// Whether it is run with one job in any case.
    pub(crate) one_job_too: bool,
    /// How many samples a process takes whatever the effort, if they belong together.
    pub(crate) samples: Option<usize>,
    /// What a size is called in tables.
    pub(crate) label: fn(u64) -> String,
    /// Why a size within the limits makes no sense, if it makes none.
    pub(crate) refuses: fn(u64) -> Option<&'static str>,
}

impl WorkloadEntry {
    /// A workload about which there is nothing special. Families change what their workloads say.
    pub(crate) const fn new(family: &'static Family, card: WorkloadCard) -> Self {
        Self {
            card,
            family,
            can_deadlock: false,
            brief: None,
            jobs: None,
            brief_jobs: None,
            one_job_too: false,
            samples: None,
            label: group,
            refuses: |_| None,
        }
    }

    /// The sizes of the default run.
    pub fn brief_sizes(&self) -> &'static [u64] {
        self.brief.unwrap_or(self.card.sizes)
    }

    /// The numbers of jobs that are run when none is asked for; `brief` is the default run.
    pub fn jobs(&self, cores: usize, brief: bool) -> Vec<usize> {
        let mut jobs = self
            .brief_jobs
            .filter(|_| brief)
            .or(self.jobs)
            .map_or_else(|| (self.family.jobs)(cores), <[usize]>::to_vec);
        if self.one_job_too && !jobs.contains(&1) {
            jobs.insert(0, 1);
        }
        jobs
    }

    /// The trouble to go to, where `usual` is what was asked for.
    pub fn effort(&self, usual: Effort) -> Effort {
        let effort = (self.family.effort)(usual);
        match self.samples {
            Some(samples) => Effort {
                samples_min: samples,
                samples_max: samples,
                ..effort
            },
            None => effort,
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
    /// What kind of work it can run.
    pub family: &'static Family,
    /// Whether it is a row of the default run.
    pub by_default: bool,
    /// The program that measures, if it is not the lab's own.
    pub program: Option<ProgramRow>,
    /// The peer in another language, if it is one.
    pub peer: Option<&'static Peer>,
}

/// A row of a workload that a program of its own measures.
#[derive(Debug)]
pub struct ProgramRow {
    /// The workload, and no other.
    pub workload: &'static str,
    /// The program and its arguments, with places for size and jobs.
    pub command: &'static [String],
}

impl ProgramRow {
    /// The program and its arguments for this size and these jobs.
    pub fn words(&self, size: u64, jobs: usize) -> Vec<String> {
        let words = self.command.iter();
        let fill = |word: &String| {
            let word = word.replace("{size}", &size.to_string());
            word.replace("{jobs}", &jobs.to_string())
        };
        words.map(fill).collect()
    }
}

impl RuntimeEntry {
    /// A runtime that is a row of the default run.
    pub(crate) const fn new(family: &'static Family, card: RuntimeCard) -> Self {
        Self {
            card,
            family,
            by_default: true,
            program: None,
            peer: None,
        }
    }

    /// The version of its package, or of its language; `None` for code of the lab itself, and for a
    /// language that is not installed.
    pub fn version(&self) -> Option<String> {
        match self.peer {
            Some(peer) => peer.version().ok().map(str::to_owned),
            None => self.card.package.and_then(version_of),
        }
    }
}

/// Measures a workload of this size on this many jobs.
type Measure = fn(size: u64, jobs: usize, session: &mut Session) -> Result<()>;

/// A workload compiled for a runtime.
pub(crate) struct Pair {
    pub(crate) workload: &'static str,
    pub(crate) runtime: &'static str,
    pub(crate) measure: Measure,
    /// Whether the runtime is able to run the workload. If not, there is no such row.
    pub(crate) able: fn() -> bool,
}

impl Pair {
    /// A workload that its runtime is able to run.
    pub(crate) const fn new(
        workload: WorkloadCard,
        runtime: RuntimeCard,
        measure: Measure,
    ) -> Self {
        Self {
            workload: workload.name,
            runtime: runtime.name,
            measure,
            able: || true,
        }
    }

    /// The same, unless the runtime is not able to run the workload.
    pub(crate) const fn only_if(self, able: fn() -> bool) -> Self {
        Self { able, ..self }
    }
}
