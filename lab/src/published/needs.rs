//! What has to be measured for the tables, because no record has it.

use clap::ValueEnum;

use super::evidence::Evidence;
use super::experiment::{Cell, Row};
use super::side_by_side::exceeds;
use crate::configuration::Configuration;
use crate::effort::Effort;
use crate::entry::RuntimeEntry;
use crate::machine::{Machine, cores_available};
use crate::plan::Rounds;
use crate::process_request::Terms;
use crate::schedule::Schedule;

/// Which sizes are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sizes {
    /// Small ones, which take some minutes all together.
    Quick,
    /// Those that were published; where a process may take up to ten minutes.
    Published,
}

impl Sizes {
    fn of(self, cell: &Cell) -> u64 {
        match self {
            Self::Quick => cell.quick_size,
            Self::Published => cell.size,
        }
    }

    fn effort(self) -> Effort {
        match self {
            Self::Quick => Effort::quick(),
            Self::Published => Effort::usual(),
        }
    }
}

/// Everything that the rows need and the records of this machine do not have. Peers in other
/// languages are left out where they are not installed.
pub fn schedule(
    rows: &[Row],
    evidence: &Evidence,
    here: &Machine,
    sizes: Sizes,
    rounds: usize,
) -> Schedule {
    let mut groups: Vec<Vec<Configuration>> = Vec::new();
    let cores = cores_available();
    for cell in rows.iter().flat_map(|row| &row.cells) {
        if exceeds(cell, cores) {
            continue;
        }
        let size = sizes.of(cell);
        for runtime in [Some(cell.runtime), cell.against].into_iter().flatten() {
            let is_known = evidence.find(cell, size, runtime).is_some_and(|found| {
                let record = found.record;
                // One of a run that was interrupted may lack rounds.
                let is_whole = !record.partial || record.rounds >= rounds;
                record.ok == Some(true) && record.machine.is_like(here) && is_whole
            });
            let is_installed = || runtime.peer.is_none_or(|peer| peer.version().is_ok());
            if is_known || !is_installed() {
                continue;
            }
            let configuration = configuration(cell, size, runtime, sizes, cores.unwrap_or(1));
            let is_its = |group: &&mut Vec<Configuration>| {
                let first = &group[0];
                first.workload.card.name == cell.workload.card.name && first.size == size
            };
            match groups.iter_mut().find(is_its) {
                Some(group) if group.iter().any(|known| is_like(known, &configuration)) => {}
                Some(group) => group.push(configuration),
                None => groups.push(vec![configuration]),
            }
        }
    }
    Schedule {
        groups,
        rounds: Rounds::Exactly(rounds),
    }
}

fn configuration(
    cell: &Cell,
    size: u64,
    runtime: &'static RuntimeEntry,
    sizes: Sizes,
    cores: usize,
) -> Configuration {
    let workload = cell.workload;
    let family = workload.family;
    let effort = workload.effort(sizes.effort());
    let is_full = sizes == Sizes::Published;
    let jobs = if runtime.card.parallel {
        cell.jobs.unwrap_or(cores)
    } else {
        1
    };
    Configuration {
        workload,
        runtime,
        jobs,
        size,
        effort,
        terms: Terms {
            limit: (family.limit)(false, is_full, effort.samples_max),
            can_deadlock: workload.can_deadlock,
            deep_stack: family.nests,
        },
    }
}

/// Whether two configurations of a group are the same.
fn is_like(one: &Configuration, other: &Configuration) -> bool {
    (one.runtime.card.name, one.jobs) == (other.runtime.card.name, other.jobs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::published::experiment::named;

    fn rows(name: &str) -> Vec<Row> {
        named(&[name.to_owned()]).unwrap()[0].rows().unwrap()
    }

    fn names(group: &[Configuration]) -> Vec<(&'static str, usize)> {
        let pairs = group.iter().map(|one| (one.runtime.card.name, one.jobs));
        pairs.collect()
    }

    #[test]
    fn each_configuration_is_measured_once() {
        let schedule = schedule(
            &rows("tree-sum-100M"),
            &Evidence::default(),
            &Machine::default(),
            Sizes::Quick,
            2,
        );
        assert_eq!(schedule.rounds, Rounds::Exactly(2));
        let [group] = &schedule.groups[..] else {
            panic!("{:?}", schedule.groups);
        };
        assert!(group.iter().all(|one| one.size == 1_000_000));
        let names = names(group);
        assert_eq!(names.iter().filter(|(name, _)| *name == "seq").count(), 1);
        assert!(names.contains(&("drumline", 1)) && names.contains(&("rayon", 2)));
    }

    #[test]
    fn what_a_record_has_is_not_measured_again() {
        let rows = rows("tree-sum-1000");
        let mut record = made_up::record("tree-sum", "drumline", 1, &[1.0]);
        record.size = 1000;
        let mut failed = made_up::record("tree-sum", "rayon", 1, &[1.0]);
        (failed.size, failed.ok) = (1000, Some(false));
        let here = record.machine.clone();
        let mut evidence = Evidence::default();
        evidence.add("run".to_owned(), vec![record, failed]);
        let missing = |here: &Machine| {
            let schedule = schedule(&rows, &evidence, here, Sizes::Published, 1);
            names(&schedule.groups[0])
        };
        let names = missing(&here);
        assert!(!names.contains(&("drumline", 1)), "{names:?}");
        assert!(names.contains(&("rayon", 1)), "{names:?}");
        // What another machine has measured says nothing of this one.
        let mut other = here;
        other.cpu_model = Some("abacus".to_owned());
        let names = missing(&other);
        assert!(names.contains(&("drumline", 1)), "{names:?}");
    }

    #[test]
    fn what_is_held_against_another_needs_both() {
        let evidence = Evidence::default();
        let here = Machine::default();
        let rows = rows("futures-over-pipes");
        let schedule = schedule(&rows, &evidence, &here, Sizes::Quick, 1);
        let groups = schedule.groups.iter();
        let groups: Vec<_> = groups
            .map(|group| (group[0].workload.card.name, group[0].size, group.len()))
            .collect();
        assert_eq!(groups, [("pbfs", 16, 2), ("k-nucleotide", 1_000_000, 2)]);
    }
}
