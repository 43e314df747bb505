//! Records in which the figures of this machine are looked for.
//!
//! A table may need several runs, so all records are one heap, the newest on top: each cell has the
//! newest record that measured it. The page names every file that it took something from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::experiment::Cell;
use crate::machine::{RECORDS, target_directory, workspace};
use crate::output;
use crate::reader;
use crate::record::Record;
use crate::registry::RuntimeEntry;

/// More runs of target/lab than this are not read; the newest are.
const RUNS_MAX: usize = 50;

/// Records of runs, the newest first.
#[derive(Debug, Default)]
pub struct Evidence {
    runs: Vec<Run>,
}

/// The records of one run.
#[derive(Debug)]
struct Run {
    name: String,
    records: Vec<Record>,
}

/// A record, and the name of its run.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The record.
    pub record: &'a Record,
    /// The file that it is in.
    pub run: &'a str,
}

impl Evidence {
    /// The records of these files, or of these directories of runs. The first one that has a figure
    /// is believed.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn of(paths: &[PathBuf]) -> Result<Self> {
        let mut evidence = Self::default();
        for path in paths {
            let file = reader::file_of(path).with_context(|| {
                format!(
                    "--record {}: there are no records; name a run's directory or its records.jsonl",
                    path.display()
                )
            })?;
            evidence.runs.push(Run::read(&file)?);
        }
        Ok(evidence)
    }

    /// All records that are kept in the repository, and the newest runs of target/lab. One that
    /// cannot be read is left out, with a warning.
    pub fn newest() -> Self {
        let kept = entries(&workspace().join(RECORDS));
        let kept = kept.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
        let runs = entries(&target_directory().join("lab"));
        let mut runs: Vec<PathBuf> = runs.filter_map(|run| reader::file_of(&run)).collect();
        runs.retain(|file| file.file_name().is_some_and(|name| name == "records.jsonl"));
        // Their directories are named by the time.
        runs.sort();
        let oldest = runs.len().saturating_sub(RUNS_MAX);
        let mut evidence = Self::default();
        for file in runs.drain(oldest..).chain(kept) {
            match Run::read(&file) {
                Ok(run) => evidence.runs.push(run),
                Err(error) => output::note(&format!("warning: left out: {error:#}")),
            }
        }
        let date = |run: &Run| run.records.first().map(|record| record.date.clone());
        evidence
            .runs
            .sort_by_key(|run| std::cmp::Reverse(date(run)));
        evidence
    }

    /// Adds what was measured just now, which is the newest.
    pub fn add(&mut self, name: String, records: Vec<Record>) {
        self.runs.insert(0, Run { name, records });
    }

    /// The newest record of a cell at this size; of this runtime, which is that of the cell or the
    /// one that it is held against. Without a figure in any, one that says why there is none.
    pub fn find(&self, cell: &Cell, size: u64, runtime: &RuntimeEntry) -> Option<Found<'_>> {
        let is_it = |record: &Record| {
            let jobs = cell.jobs.filter(|_| runtime.card.parallel);
            let jobs = match runtime.card.parallel {
                true => jobs.or(record.machine.cores_available),
                false => Some(1),
            };
            record.workload == cell.workload.card.name
                && record.size == size
                && record.runtime == runtime.card.name
                && jobs == Some(record.jobs)
        };
        let found = self.runs.iter().flat_map(|run| {
            let records = run.records.iter().filter(|record| is_it(record));
            records.map(|record| Found {
                record,
                run: &run.name,
            })
        });
        let mut without = None;
        for found in found {
            if found.record.ok == Some(true) {
                return Some(found);
            }
            without = without.or(Some(found));
        }
        without
    }

    /// The size of a workload that is shown: the published one, if a record has it; else the one
    /// with the most records, and the larger of two.
    pub fn size(&self, cell: &Cell) -> u64 {
        let mut sizes: BTreeMap<u64, usize> = BTreeMap::new();
        for record in self.runs.iter().flat_map(|run| &run.records) {
            if record.workload == cell.workload.card.name && record.ok == Some(true) {
                *sizes.entry(record.size).or_default() += 1;
            }
        }
        if sizes.contains_key(&cell.size) {
            return cell.size;
        }
        let most = sizes
            .into_iter()
            .max_by_key(|(size, records)| (*records, *size));
        most.map_or(cell.size, |(size, _)| size)
    }
}

impl Run {
    /// Single samples are not needed, and would fill the memory.
    fn read(file: &Path) -> Result<Self> {
        let mut records = reader::read(file)?;
        for record in &mut records {
            record.wall_ns_samples = Vec::new();
            record.by_round.shrink_to_fit();
        }
        Ok(Self {
            name: file.display().to_string(),
            records,
        })
    }
}

/// What is in a directory; nothing if it cannot be read.
fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::published::experiment::named;

    /// The first cell of the table of tree-sum with 100,000,000 nodes on two jobs.
    fn cell() -> Cell {
        let experiment = named(&["tree-sum-100M".to_owned()]).unwrap().remove(0);
        experiment.rows().unwrap()[1].cells[2]
    }

    fn record(size: u64, wall: f64) -> Record {
        let mut record = made_up::record("tree-sum", "drumline", 2, &[wall]);
        record.size = size;
        record
    }

    #[test]
    fn the_newest_figure_is_found() {
        let cell = cell();
        let mut evidence = Evidence::default();
        assert!(evidence.find(&cell, cell.size, cell.runtime).is_none());
        evidence.add("old".to_owned(), vec![record(cell.size, 1.0)]);
        let mut failed = record(cell.size, 2.0);
        (failed.ok, failed.error) = (Some(false), Some("it broke".to_owned()));
        evidence.add("new".to_owned(), vec![failed.clone()]);
        let found = evidence.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!((found.run, found.record.ok), ("old", Some(true)));
        assert!(evidence.find(&cell, 7, cell.runtime).is_none());

        let mut broken = Evidence::default();
        broken.add("new".to_owned(), vec![failed]);
        let found = broken.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!(found.record.trouble(), Some("it broke"));
    }

    #[test]
    fn as_many_jobs_as_processors_are_those_of_the_machine_that_measured() {
        let mut cell = cell();
        cell.jobs = None;
        let mut evidence = Evidence::default();
        let mut other = record(cell.size, 1.0);
        other.machine.cores_available = Some(8);
        evidence.add("eight".to_owned(), vec![other]);
        assert!(evidence.find(&cell, cell.size, cell.runtime).is_none());
        let mut two = record(cell.size, 1.0);
        two.machine.cores_available = Some(2);
        evidence.add("two".to_owned(), vec![two]);
        let found = evidence.find(&cell, cell.size, cell.runtime).unwrap();
        assert_eq!(found.run, "two");
    }

    #[test]
    fn the_published_size_is_shown_if_there_is_one() {
        let cell = cell();
        let mut evidence = Evidence::default();
        assert_eq!(evidence.size(&cell), cell.size);
        evidence.add(
            "some".to_owned(),
            vec![record(5, 1.0), record(9, 1.0), record(9, 1.0)],
        );
        assert_eq!(evidence.size(&cell), 9);
        evidence.add("one".to_owned(), vec![record(cell.size, 1.0)]);
        assert_eq!(evidence.size(&cell), cell.size);
    }

    #[test]
    fn what_is_no_record_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let error = Evidence::of(&[directory.path().to_owned()]).unwrap_err();
        assert!(
            format!("{error:#}").contains("there are no records"),
            "{error:#}"
        );
        let file = directory.path().join("records.jsonl");
        fs::write(&file, "nonsense\n").unwrap();
        let error = Evidence::of(&[directory.path().to_owned()]).unwrap_err();
        assert!(format!("{error:#}").contains("not a record"), "{error:#}");
    }
}
