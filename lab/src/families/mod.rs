//! Families: the kinds of work, each with its own workloads and its own runtimes.
//!
//! A family is one folder and one line below. The folder holds:
//!
//! - `mod.rs`, with two traits, one for workloads and one for runtimes; with `FAMILY`, which is a
//!   [`Family`]; and with three functions that make entries of the [`registry`](crate::registry):
//!   `workload` from the type of a workload, `runtime` from the type of a runtime, and `pair` from
//!   both;
//! - `workloads/`, with one file per workload;
//! - `runtimes/`, with one file per runtime, or per way of using one, or for several as rows of a
//!   macro;
//! - what its workloads and runtimes share, and no other family needs.
//!
//! The build script declares a module for each file of `workloads/` and `runtimes/`, and `mod.rs`
//! includes these declarations. So a new workload or runtime is one new file or row and nothing
//! else. Every workload is compiled for every runtime of its family.

use std::time::Duration;

use crate::effort::Effort;

pub mod actors;
pub mod albums;
pub mod async_tasks;
pub mod fork_join;
pub mod loops;
pub mod messages;
pub mod offload;
pub mod programs;
pub mod streams;
pub mod tasks;
pub mod virtual_cores;

/// What the lab knows about a kind of work. Two families are equal if their names are.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name of its folder.
    pub name: &'static str,
    /// What lists and tables call it.
    pub title: &'static str,
    /// Its place in lists and tables, which are sorted by it.
    pub rank: u8,
    /// Whether threads need a stack deeper than usual. Threads that only wait, of which there may
    /// be hundreds, do not need one.
    pub nests: bool,
    /// Whether a process on one job computes from begin to end. If not, it may use less than one
    /// processor even on an idle machine.
    pub computes: bool,
    /// The numbers of jobs that are run when none is asked for, on this many cores.
    pub jobs: fn(cores: usize) -> Vec<usize>,
    /// The trouble to go to, where `usual` is what was asked for.
    pub effort: fn(usual: Effort) -> Effort,
    /// How long a process may take that takes this many samples.
    pub limit: fn(smoke: bool, full: bool, samples: usize) -> Duration,
}

impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Family {}

/// For [`Family::jobs`]: one job, and as many as cores.
pub fn one_job_and_all(cores: usize) -> Vec<usize> {
    if cores > 1 {
        vec![1, cores]
    } else {
        vec![cores]
    }
}

/// For [`Family::limit`], unless the family has limits of its own.
pub fn usual_limit(_smoke: bool, full: bool, _samples: usize) -> Duration {
    Duration::from_secs(if full { 600 } else { 60 })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use crate::entry::WorkloadEntry;
    use crate::registry::{all_runtimes, all_workloads, families};

    /// A new family needs its folder and one line. A folder without its line does not compile,
    /// because the registry, which lists the folders, names it.
    #[test]
    fn every_folder_is_a_family_with_workloads_and_runtimes() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/families");
        let folders: BTreeSet<String> = fs::read_dir(source)
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_type().unwrap().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        let families = families();
        let names = families.iter().map(|family| family.name.to_owned());
        assert_eq!(names.collect::<BTreeSet<_>>(), folders);
        for family in &families {
            let workloads = all_workloads();
            let mut workloads = workloads.iter().filter(|entry| entry.family == *family);
            let runtimes = all_runtimes();
            let mut runtimes = runtimes.iter().filter(|entry| entry.family == *family);
            assert!(runtimes.next().is_some(), "{} has no runtime", family.name);
            assert!(
                workloads.next().is_some(),
                "{} has no workload",
                family.name
            );
        }
        let ranks: BTreeSet<u8> = families.iter().map(|family| family.rank).collect();
        assert_eq!(ranks.len(), families.len(), "each has a place of its own");
    }

    #[test]
    fn every_workload_has_a_runtime_and_every_runtime_a_workload() {
        let workloads = all_workloads();
        for entry in &workloads {
            assert!(!entry.runtimes().is_empty(), "{}", entry.card.name);
        }
        for runtime in all_runtimes() {
            let runs = |workload: &&WorkloadEntry| {
                let able = workload.runtimes();
                able.iter().any(|entry| std::ptr::eq(*entry, runtime))
            };
            assert!(workloads.iter().any(runs), "{}", runtime.card.name);
        }
    }
}
