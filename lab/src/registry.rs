//! The list of all families, of their workloads and runtimes, and of all pairs of them.
//!
//! The list itself is generated from the names of folders and files; see `build.rs`. Three
//! functions of each [family](crate::families) make the entries.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow};

use crate::definition::family::FAMILY;
use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
use crate::families::Family;
use crate::near;
use crate::peers::{self, Peer};
use crate::session::Session;

mod generated {
    use crate::entry::{Pair, RuntimeEntry, WorkloadEntry};
    use crate::families::{self, Family};

    include!(concat!(env!("OUT_DIR"), "/registry.rs"));
}

/// What a file has defined, if one was read.
static DEFINED: OnceLock<Defined> = OnceLock::new();

/// Entries that are not compiled in.
struct Defined {
    workloads: Vec<WorkloadEntry>,
    rows: Vec<RuntimeEntry>,
}

impl WorkloadEntry {
    /// The runtimes that are able to run it, by rank, without peers in other languages.
    pub fn runtimes(&self) -> Vec<&'static RuntimeEntry> {
        let mut all = all_runtimes();
        all.retain(|entry| match &entry.program {
            Some(program) => program.workload == self.card.name,
            None => entry.family == self.family && self.pair(entry.card.name).is_some(),
        });
        all
    }

    /// The peers in other languages that have it, by rank, also those that are not installed.
    pub fn peers(&self) -> Vec<&'static RuntimeEntry> {
        let rows = peers::entries().iter();
        let rows = rows.filter(|entry| {
            let mut names = entry.peer.into_iter().flat_map(Peer::workloads);
            entry.family == self.family && names.any(|name| name == self.card.name)
        });
        rows.collect()
    }

    /// It and the runtime of this name, if that one is able to run it.
    fn pair(&self, runtime: &str) -> Option<&'static Pair> {
        let mut pairs = generated::PAIRS.iter();
        pairs.find(|pair| {
            pair.workload == self.card.name && pair.runtime == runtime && (pair.able)()
        })
    }
}

/// A name that is not in the list.
#[derive(Debug, thiserror::Error)]
#[error("there is no {kind} `{name}`{hint}; the {kind}s are: {known}")]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    /// Which one was meant, if one is like it.
    hint: String,
    known: String,
}

impl UnknownName {
    fn new(kind: &'static str, name: &str, known: &[&'static str]) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            hint: near::hint(name, known.iter().copied()),
            known: known.join(", "),
        }
    }
}

/// All families, in the order in which they are listed.
pub fn families() -> Vec<&'static Family> {
    let mut all = generated::FAMILIES.to_vec();
    all.extend(DEFINED.get().map(|_| &FAMILY));
    all.sort_by_key(|family| family.rank);
    all
}

/// All workloads: those of the default run in their order, then the others by name.
pub fn all_workloads() -> Vec<&'static WorkloadEntry> {
    let mut all: Vec<_> = generated::WORKLOADS.iter().collect();
    all.extend(DEFINED.get().iter().flat_map(|defined| &defined.workloads));
    all.sort_by_key(|entry| (entry.card.default_rank.unwrap_or(u8::MAX), entry.card.name));
    all
}

/// All runtimes, by family and rank, without peers in other languages. A runtime of two families is
/// there twice, with the same name and the same part in the comparison.
pub fn all_runtimes() -> Vec<&'static RuntimeEntry> {
    let mut all: Vec<_> = generated::RUNTIMES.iter().collect();
    all.extend(DEFINED.get().iter().flat_map(|defined| &defined.rows));
    all.sort_by_key(|entry| (entry.family.rank, entry.card.rank, entry.card.name));
    all
}

/// Adds workloads that are not compiled in, with their rows.
///
/// # Errors
/// Some were added before: there is one definition in a process.
pub fn define(workloads: Vec<WorkloadEntry>, rows: Vec<RuntimeEntry>) -> Result<()> {
    let defined = DEFINED.set(Defined { workloads, rows });
    defined.map_err(|_| anyhow!("another file has defined workloads already"))
}

/// The workload of this name.
pub fn workload(name: &str) -> Result<&'static WorkloadEntry, UnknownName> {
    let all = all_workloads();
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|entry| entry.card.name).collect();
            UnknownName::new("workload", name, &names)
        })
}

/// A runtime of this name, or a peer in another language.
pub fn runtime(name: &str) -> Result<&'static RuntimeEntry, UnknownName> {
    let mut all = all_runtimes();
    all.extend(peers::entries());
    all.iter()
        .copied()
        .find(|entry| entry.card.name == name)
        .ok_or_else(|| {
            let names: BTreeSet<_> = all.iter().map(|entry| entry.card.name).collect();
            UnknownName::new("runtime", name, &Vec::from_iter(names))
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
    let entry = self::workload(workload)?;
    self::runtime(runtime)?;
    let pair = entry
        .pair(runtime)
        .with_context(|| format!("{runtime} does not run {workload}"))?;
    (pair.measure)(size, jobs, session)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_within_a_family() {
        for family in families() {
            let runtimes = all_runtimes();
            let names = runtimes.iter().filter(|entry| entry.family == family);
            let names: Vec<_> = names.map(|entry| entry.card.name).collect();
            assert_eq!(BTreeSet::from_iter(&names).len(), names.len(), "{names:?}");
        }
        let names: Vec<_> = all_workloads().iter().map(|e| e.card.name).collect();
        assert_eq!(BTreeSet::from_iter(&names).len(), names.len(), "{names:?}");
    }

    /// Tables and charts find a runtime by its name.
    #[test]
    fn a_runtime_of_two_families_looks_the_same_in_both() {
        for entry in all_runtimes() {
            let found = runtime(entry.card.name).unwrap().card;
            assert_eq!(found.role, entry.card.role, "{}", found.name);
            assert_eq!(found.colour, entry.card.colour, "{}", found.name);
            assert_eq!(found.package, entry.card.package, "{}", found.name);
        }
    }

    #[test]
    fn all_sizes_are_within_the_limits() {
        for entry in all_workloads() {
            let card = entry.card;
            let sizes = card.sizes.iter().chain(card.smoke_sizes);
            for size in sizes.chain(entry.brief_sizes()) {
                assert!((card.limits.0..=card.limits.1).contains(size), "{card:?}");
                assert_eq!(entry.refuses(*size), None, "{card:?}");
            }
        }
    }

    #[test]
    fn a_workload_is_not_run_by_another_family() {
        let mut session = Session::new(crate::effort::Effort::once());
        let error = run("fib", "thread-per-job", 1, 1, &mut session).unwrap_err();
        assert!(error.to_string().contains("does not run fib"), "{error}");
    }
}
