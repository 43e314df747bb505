//! Records of earlier runs: those that are kept in the repository, and those in target/lab.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::console;
use crate::journal;
use crate::machine::{Machine, RECORDS, target_directory, workspace};
use crate::reader;
use crate::record::Record;

/// More runs of target/lab than this are not read; the newest are.
const RUNS_MAX: usize = 50;

/// Runs, the newest first.
#[derive(Debug, Default)]
pub struct Archive {
    runs: Vec<Run>,
}

/// The records of one run.
#[derive(Debug)]
pub struct Run {
    /// The file that they are in.
    pub name: String,
    /// The records, without single samples.
    pub records: Vec<Record>,
}

impl Archive {
    /// These files, or directories of runs, in this order.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn of(paths: &[PathBuf]) -> Result<Self> {
        let mut archive = Self::default();
        for path in paths {
            let file = reader::file_of(path).with_context(|| {
                let name = path.display();
                if journal::is_in(path) {
                    return format!("--record {name}: {}", journal::unfinished(path));
                }
                format!(
                    "--record {name}: there are no records; name a run's directory or its \
                     records.jsonl"
                )
            })?;
            let run = Run::read(&file)?;
            if run.records.iter().any(|record| record.partial) && journal::is_in(path) {
                let name = path.display();
                console::note(&format!(
                    "--record {name}: the run was interrupted, so it lacks figures; to go on: cargo \
                     lab --resume {name}"
                ));
            }
            archive.runs.push(run);
        }
        Ok(archive)
    }

    /// All records that are kept in the repository. One that cannot be read is left out, with a
    /// warning.
    pub fn kept() -> Self {
        Self::readable(kept())
    }

    /// The same, and the newest runs of target/lab; of this machine only, and without smoke runs,
    /// whose figures mean little. That others are left out is told.
    pub fn newest_of(machine: &Machine) -> Self {
        let runs = entries(&target_directory().join("lab"));
        let runs = runs.map(|run| run.join("records.jsonl"));
        let mut runs: Vec<PathBuf> = runs.filter(|file| file.is_file()).collect();
        // Their directories are named by the time.
        runs.sort();
        let oldest = runs.len().saturating_sub(RUNS_MAX);
        let mut archive = Self::readable(runs.drain(oldest..).chain(kept()));
        archive.leave_smoke_out();
        let others = archive.keep(machine);
        if let Some(name) = others.first() {
            console::note(&format!(
                "left out: {} of other machines; to see one, take --record {name}",
                count(others.len(), "run")
            ));
        }
        archive
    }

    fn leave_smoke_out(&mut self) {
        for run in &mut self.runs {
            run.records.retain(|record| !record.effort.is_smoke());
        }
        self.runs.retain(|run| !run.records.is_empty());
    }

    /// Forgets what was measured on other machines, and returns the names of runs of which nothing
    /// is left.
    fn keep(&mut self, machine: &Machine) -> Vec<String> {
        for run in &mut self.runs {
            run.records.retain(|record| record.machine.is_like(machine));
        }
        let others = self.runs.extract_if(.., |run| run.records.is_empty());
        others.map(|run| run.name).collect()
    }

    fn readable(files: impl Iterator<Item = PathBuf>) -> Self {
        let mut archive = Self::default();
        for file in files {
            match Run::read(&file) {
                Ok(run) => archive.runs.push(run),
                Err(error) => console::note(&format!("warning: left out: {error:#}")),
            }
        }
        let date = |run: &Run| run.date().to_owned();
        archive.runs.sort_by_key(|run| std::cmp::Reverse(date(run)));
        archive
    }

    /// Adds a run as the newest.
    pub fn add(&mut self, name: String, records: Vec<Record>) {
        self.runs.insert(0, Run { name, records });
    }

    /// The runs, the newest first.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

impl Run {
    /// Single samples are not needed, and would fill the memory.
    fn read(file: &Path) -> Result<Self> {
        let mut records = reader::read(file)?;
        for record in &mut records {
            record.wall_ns_samples = Vec::new();
            record.wall_ns_sample_rounds = Vec::new();
        }
        Ok(Self {
            name: file.display().to_string(),
            records,
        })
    }

    /// When it began; empty if that is unknown.
    pub fn date(&self) -> &str {
        self.records.first().map_or("", |record| &record.date)
    }
}

/// `1 run`, `2 runs`.
pub fn count(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
}

/// The files of kept records.
fn kept() -> impl Iterator<Item = PathBuf> {
    let files = entries(&workspace().join(RECORDS));
    files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
}

/// What is in a directory; nothing if it cannot be read.
fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn what_is_no_record_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let error = Archive::of(&[directory.path().to_owned()]).unwrap_err();
        assert!(
            format!("{error:#}").contains("there are no records"),
            "{error:#}"
        );
        fs::write(directory.path().join("journal.jsonl"), "").unwrap();
        let error = Archive::of(&[directory.path().to_owned()]).unwrap_err();
        let name = directory.path().display();
        let error = format!("{error:#}");
        assert!(
            error.contains("was ended before it wrote its records")
                && error.ends_with(&format!("cargo lab --resume {name}")),
            "{error}"
        );
        let file = directory.path().join("records.jsonl");
        fs::write(&file, "nonsense\n").unwrap();
        let error = Archive::of(&[directory.path().to_owned()]).unwrap_err();
        assert!(format!("{error:#}").contains("not a record"), "{error:#}");
        assert!(Archive::readable([file].into_iter()).runs().is_empty());
    }

    #[test]
    fn runs_of_other_machines_are_forgotten() {
        let of = |model: &str| {
            let mut record = Record::default();
            record.machine.cpu_model = Some(model.to_owned());
            record
        };
        let mut archive = Archive::default();
        archive.add("other".to_owned(), vec![of("abacus")]);
        archive.add("both".to_owned(), vec![of("abacus"), of("slide rule")]);
        let mut here = of("slide rule").machine;
        here.kernel = Some("a newer one".to_owned());
        assert_eq!(archive.keep(&here), ["other"]);
        assert_eq!(archive.runs().len(), 1);
        assert_eq!(archive.runs()[0].records.len(), 1);
    }

    #[test]
    fn smoke_runs_are_left_out() {
        let of = |effort: Effort| Record {
            effort: effort.into(),
            ..Record::default()
        };
        let mut archive = Archive::default();
        archive.add(
            "both".to_owned(),
            vec![of(Effort::quick()), of(Effort::smoke())],
        );
        archive.add("once".to_owned(), vec![of(Effort::once())]);
        archive.add("smoke".to_owned(), vec![of(Effort::smoke())]);
        archive.leave_smoke_out();
        let left = archive.runs().iter();
        let left: Vec<_> = left.map(|run| (&*run.name, run.records.len())).collect();
        assert_eq!(left, [("once", 1), ("both", 1)]);
    }

    #[test]
    fn the_newest_run_comes_first() {
        let directory = tempfile::tempdir().unwrap();
        let put = |name: &str, day: u32| {
            let file = directory.path().join(name);
            let line = format!(
                "{{\"workload\":\"fib\",\"runtime\":\"seq\",\"wall_ns_samples\":[1.0],\
                 \"date\":\"2026-01-0{day}T00:00:00Z\"}}\n"
            );
            fs::write(&file, line).unwrap();
            file
        };
        let files = [put("a", 2), put("b", 3), put("c", 1)];
        let archive = Archive::readable(files.into_iter());
        let dates = archive.runs().iter().map(|run| &run.date()[..10]);
        let dates: Vec<&str> = dates.collect();
        assert_eq!(dates, ["2026-01-03", "2026-01-02", "2026-01-01"]);
        assert!(archive.runs()[0].records[0].wall_ns_samples.is_empty());
    }
}
