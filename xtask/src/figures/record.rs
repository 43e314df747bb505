//! A record of the lab, as far as tables need it.
//!
//! The lab's own types would bring the lab with them, and all runtimes that it compares. A line is
//! a JSON object; what is missing in it is unknown.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// What a line has from the one before it if it lacks it.
const REPEATED: [&str; 2] = ["machine", "build"];

/// The configurations of one file.
#[derive(Debug)]
pub struct Records {
    /// Its path from the root of the workspace.
    pub file: String,
    lines: Vec<Value>,
}

impl Records {
    /// Reads a file.
    pub fn read(root: &Path, file: &Path) -> Result<Self> {
        let shown = file
            .strip_prefix(root)
            .unwrap_or(file)
            .display()
            .to_string();
        let text = fs::read_to_string(file).with_context(|| format!("reading {shown}"))?;
        Self::parse(&shown, &text)
    }

    /// Reads what is in a file.
    pub fn parse(file: &str, text: &str) -> Result<Self> {
        let mut lines: Vec<Value> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let place = || format!("{file}, line {}: not a record", index + 1);
            let mut value: Value = serde_json::from_str(line).with_context(place)?;
            let fields = value.as_object_mut().with_context(place)?;
            for name in REPEATED {
                let known = lines.last().and_then(|last| last.get(name));
                if let (None, Some(known)) = (fields.get(name), known) {
                    fields.insert(name.to_owned(), known.clone());
                }
            }
            lines.push(value);
        }
        ensure!(!lines.is_empty(), "{file} holds no record");
        Ok(Self {
            file: file.to_owned(),
            lines,
        })
    }

    /// When it was begun.
    pub fn date(&self) -> &str {
        text(&self.lines[0], "date").unwrap_or_default()
    }

    /// A field of the machine or the build, as text.
    pub fn of_all(&self, part: &str, name: &str) -> Option<&Value> {
        let value = self.lines[0].get(part)?.get(name)?;
        (!value.is_null()).then_some(value)
    }

    /// The sizes of a workload with their names, in the order of the record.
    pub fn sizes(&self, workload: &str) -> Vec<(u64, String)> {
        let mut sizes: Vec<(u64, String)> = Vec::new();
        for line in self.of_workload(workload) {
            let Some(size) = line.get("size").and_then(Value::as_u64) else {
                continue;
            };
            let label = text(line, "size_label").map_or_else(|| size.to_string(), str::to_owned);
            if sizes.iter().all(|(known, _)| *known != size) {
                sizes.push((size, label));
            }
        }
        sizes
    }

    /// The numbers of jobs with which a runtime ran a workload.
    pub fn jobs(&self, workload: &str, runtime: &str) -> Vec<u64> {
        self.jobs_where(workload, runtime, |_| true)
    }

    /// The numbers of jobs with which a runtime ran a workload of this size.
    pub fn jobs_of_size(&self, workload: &str, size: u64, runtime: &str) -> Vec<u64> {
        let has_size = |line: &Value| line.get("size").and_then(Value::as_u64) == Some(size);
        self.jobs_where(workload, runtime, has_size)
    }

    /// The numbers of jobs in those lines of a runtime that fit, the smallest first.
    fn jobs_where(&self, workload: &str, runtime: &str, fits: impl Fn(&Value) -> bool) -> Vec<u64> {
        let lines = self.of_workload(workload);
        let lines = lines.filter(|line| text(line, "runtime") == Some(runtime) && fits(line));
        let mut jobs: Vec<u64> = lines
            .filter_map(|line| line.get("jobs").and_then(Value::as_u64))
            .collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// One configuration.
    pub fn find(&self, workload: &str, size: u64, runtime: &str, jobs: u64) -> Option<Row<'_>> {
        let number = |line: &Value, name| line.get(name).and_then(Value::as_u64);
        self.of_workload(workload)
            .find(|line| {
                text(line, "runtime") == Some(runtime)
                    && number(line, "size") == Some(size)
                    && number(line, "jobs") == Some(jobs)
            })
            .map(Row)
    }

    /// The smallest and the largest number of processes of a configuration of these workloads.
    pub fn processes(&self, workloads: &[String]) -> Option<(usize, usize)> {
        let lines = workloads.iter().flat_map(|name| self.of_workload(name));
        let counts = lines.filter_map(|line| Some(line.get("by_round")?.as_array()?.len()));
        let counts: Vec<usize> = counts.filter(|count| *count > 0).collect();
        Some((*counts.iter().min()?, *counts.iter().max()?))
    }

    fn of_workload(&self, workload: &str) -> impl Iterator<Item = &Value> {
        let lines = self.lines.iter();
        lines.filter(move |line| text(line, "workload") == Some(workload))
    }
}

fn text<'a>(line: &'a Value, name: &str) -> Option<&'a str> {
    line.get(name).and_then(Value::as_str)
}

/// A configuration in a record.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a>(&'a Value);

impl Row<'_> {
    /// A number, if it is known.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(Value::as_f64)
    }

    /// Time of an operation.
    pub fn wall(&self) -> Option<f64> {
        self.number("wall_ns_median")
    }

    /// Where the true time of an operation lies, with 95 %.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let interval = self.0.get("wall_ns_interval")?;
        let end = |name| interval.get(name).and_then(Value::as_f64);
        Some((end("low")?, end("high")?))
    }

    /// How far the time may be from the true one, relative to it.
    pub fn uncertainty(&self) -> Option<f64> {
        let (low, high) = self.interval()?;
        Some((high - low) / 2.0 / self.wall()?)
    }

    /// Context switches of an operation.
    pub fn switches(&self) -> Option<f64> {
        let voluntary = self.number("ctx_voluntary_per_operation")?;
        Some(voluntary + self.number("ctx_involuntary_per_operation")?)
    }

    /// Moves of threads from core to core, of an operation.
    pub fn migrations(&self) -> Option<f64> {
        Some(self.number("migrations")? / self.number("operations")?)
    }

    /// What stands where a figure should be.
    pub fn instead(&self) -> &'static str {
        let is = |name| self.0.get(name).is_some_and(|value| !value.is_null());
        if self.0.get("deadlock") == Some(&Value::Bool(true)) {
            "deadlock"
        } else if is("error") {
            "failed"
        } else {
            "n/a"
        }
    }
}
