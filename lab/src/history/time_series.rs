//! How the figures of one workload went from run to run, for one size and one number of jobs.

use std::collections::BTreeSet;

use crate::archive::{Archive, Run};
use crate::comparison::quantity_text;
use crate::entry::WorkloadEntry;
use crate::record::Record;
use crate::runtime::Role;
use crate::statistics::{Interval, median};
use crate::table::{Grid, GridRow, RowKind};
use crate::workload::{Shows, group};

/// Which figures are wanted; what is empty or `None` excludes nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Runtimes.
    pub runtimes: Vec<String>,
    /// The size.
    pub size: Option<u64>,
    /// The number of jobs.
    pub jobs: Option<usize>,
}

/// The figures of one size and number of jobs, from the oldest run to the newest.
#[derive(Debug)]
pub struct TimeSeries {
    /// The workload, its size and its jobs, in words.
    pub title: String,
    /// What the figures are.
    pub shows: Shows,
    /// The runtimes, with their colours.
    pub runtimes: Vec<(String, (u8, u8, u8))>,
    /// The runs that have one of them.
    pub entries: Vec<Entry>,
    /// The machines of the runs, numbered from one.
    pub machines: Vec<String>,
}

/// What one run says.
#[derive(Debug, PartialEq)]
pub struct Entry {
    /// The day.
    pub day: String,
    /// What was measured, as git calls it.
    pub revision: String,
    /// The number of the machine, from one.
    pub machine: usize,
    /// A figure for each runtime.
    pub figures: Vec<Option<Figure>>,
}

/// The median of some processes, and where the true one may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The median.
    pub value: f64,
    /// The interval of 95 %, or all processes where they are few.
    pub interval: Option<Interval>,
}

impl Figure {
    fn of(record: &Record, shows: Shows) -> Option<Self> {
        let value = median(&record.measures(shows))?;
        let interval = record.spread(shows).map(|spread| Interval {
            low: spread.low * value,
            high: spread.high * value,
        });
        Some(Self { value, interval })
    }
}

/// All series of a workload, by size and jobs.
pub fn all(archive: &Archive, workload: &WorkloadEntry, filter: &Filter) -> Vec<TimeSeries> {
    let is_wanted = |record: &&Record| {
        record.workload == workload.card.name
            && record.ok == Some(true)
            && filter.size.is_none_or(|size| size == record.size)
            && filter.jobs.is_none_or(|jobs| jobs == record.jobs)
            && (filter.runtimes.is_empty() || filter.runtimes.contains(&record.runtime))
    };
    let records = archive.runs().iter().flat_map(|run| &run.records);
    let places = records
        .filter(is_wanted)
        .map(|record| (record.size, record.jobs));
    let places: BTreeSet<(u64, usize)> = places.collect();
    let all_series = places.into_iter().map(|(size, jobs)| {
        let is_here =
            |record: &&Record| is_wanted(record) && (record.size, record.jobs) == (size, jobs);
        series(archive, workload, (size, jobs), is_here)
    });
    all_series.collect()
}

fn series(
    archive: &Archive,
    workload: &WorkloadEntry,
    (size, jobs): (u64, usize),
    is_here: impl Fn(&&Record) -> bool,
) -> TimeSeries {
    let shows = workload.card.shows;
    let of = |run: &Run| -> Vec<Record> {
        let records = run.records.iter().filter(|record| is_here(record));
        records.cloned().collect()
    };
    let mut able = workload.runtimes();
    able.extend(workload.peers());
    let mut series = TimeSeries {
        title: format!(
            "{} {}, {}",
            workload.card.name,
            workload.size_label(size),
            match jobs {
                1 => "1 job".to_owned(),
                jobs => format!("{} jobs", group(jobs as u64)),
            }
        ),
        shows,
        runtimes: Vec::new(),
        entries: Vec::new(),
        machines: Vec::new(),
    };
    let runs: Vec<Vec<Record>> = archive.runs().iter().rev().map(of).collect();
    for runtime in able {
        let name = runtime.card.name;
        if runs.iter().flatten().any(|record| record.runtime == name) {
            series.runtimes.push((name.to_owned(), runtime.card.colour));
        }
    }
    for records in &runs {
        let Some(first) = records.first() else {
            continue;
        };
        let figures = series.runtimes.iter().map(|(name, _)| {
            let record = records.iter().find(|record| record.runtime == *name)?;
            Figure::of(record, shows)
        });
        let figures = figures.collect();
        series.entries.push(Entry {
            day: first.date.get(..10).unwrap_or("?").to_owned(),
            revision: revision(first),
            machine: number_of(&mut series.machines, first.machine.describe()),
            figures,
        });
    }
    series
}

/// The place of a text among others, from one; it is added if it is new.
fn number_of(known: &mut Vec<String>, text: String) -> usize {
    let place = known.iter().position(|one| *one == text);
    place.map_or_else(
        || {
            known.push(text);
            known.len()
        },
        |place| place + 1,
    )
}

fn revision(record: &Record) -> String {
    let build = &record.build;
    let revision = build.git_revision.as_deref().unwrap_or("?");
    let short = revision.get(..7).unwrap_or(revision);
    match build.git_dirty {
        Some(true) => format!("{short}-dirty"),
        _ => short.to_owned(),
    }
}

impl TimeSeries {
    /// The table: a row for each run.
    pub fn grid(&self) -> Grid {
        let names = ["day", "revision", "machine"].into_iter();
        let runtimes = self.runtimes.iter().map(|(name, _)| name.as_str());
        let rows = self.entries.iter().map(|entry| {
            let names = [
                entry.day.clone(),
                entry.revision.clone(),
                entry.machine.to_string(),
            ];
            let figures = entry.figures.iter().map(|figure| {
                figure.map_or_else(|| "–".to_owned(), |figure| figure.text(self.shows))
            });
            GridRow {
                cells: names.into_iter().chain(figures).collect(),
                kind: RowKind::Plain,
            }
        });
        let machines = self.machines.iter().enumerate();
        let mut notes: Vec<String> = machines
            .map(|(place, machine)| format!("machine {}: {machine}", place + 1))
            .collect();
        if self.machines.len() > 1 {
            notes.push("figures of two machines say nothing about the code".to_owned());
        }
        Grid {
            title: self.title.clone(),
            header: names.chain(runtimes).map(str::to_owned).collect(),
            rows: rows.collect(),
            notes,
            names: 3,
        }
    }

    /// Whether a runtime is ours.
    pub fn is_ours(name: &str) -> bool {
        let found = crate::registry::runtime(name);
        found.is_ok_and(|entry| entry.card.role == Role::Ours)
    }
}

impl Figure {
    fn text(&self, shows: Shows) -> String {
        let text = quantity_text(shows, self.value);
        match self.interval {
            Some(Interval { low, high }) if high > low => {
                let percent = (high - low) / 2.0 / self.value * 100.0;
                format!("{text} ±{percent:.1}%")
            }
            _ => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::registry::workload;

    /// A run of `fib` on two jobs, on this day.
    fn run(day: u32, runtimes: &[(&str, f64)]) -> Vec<Record> {
        let record = |(runtime, wall): &(&str, f64)| {
            let mut record = made_up::record("fib", runtime, 2, &[*wall; 10]);
            record.date = format!("2026-01-{day:02}T10:00:00Z");
            record.build.git_revision = Some(format!("{day:02}23456789"));
            record
        };
        runtimes.iter().map(record).collect()
    }

    fn archive() -> Archive {
        let mut archive = Archive::default();
        archive.add(
            "one".to_owned(),
            run(1, &[("drumline", 2e6), ("rayon", 3e6)]),
        );
        archive.add("two".to_owned(), run(2, &[("drumline", 1e6)]));
        archive
    }

    #[test]
    fn figures_go_from_the_oldest_run_to_the_newest() {
        let fib = workload("fib").unwrap();
        let all_series = all(&archive(), fib, &Filter::default());
        let [series] = &all_series[..] else {
            panic!("{all_series:?}");
        };
        assert_eq!(series.title, "fib 35, 2 jobs");
        let grid = series.grid();
        let header = ["day", "revision", "machine", "drumline", "rayon"];
        assert_eq!(grid.header, header);
        let rows: Vec<_> = grid.rows.iter().map(|row| row.cells.join(" ")).collect();
        let expected = [
            "2026-01-01 0123456 1 2.00 ms 3.00 ms",
            "2026-01-02 0223456 1 1.00 ms –",
        ];
        assert_eq!(rows, expected);
        assert_eq!(grid.notes.len(), 1);
    }

    #[test]
    fn only_what_is_asked_for_is_there() {
        let fib = workload("fib").unwrap();
        let of = |filter: Filter| all(&archive(), fib, &filter);
        let rayon = of(Filter {
            runtimes: vec!["rayon".to_owned()],
            ..Filter::default()
        });
        assert_eq!((rayon[0].runtimes.len(), rayon[0].entries.len()), (1, 1));
        for nothing in [
            Filter {
                size: Some(36),
                ..Filter::default()
            },
            Filter {
                jobs: Some(3),
                ..Filter::default()
            },
        ] {
            assert!(of(nothing).is_empty());
        }
    }

    #[test]
    fn another_machine_is_told_of() {
        let fib = workload("fib").unwrap();
        let mut archive = archive();
        let mut other = run(3, &[("drumline", 9e6)]);
        other[0].machine.cpu_model = Some("abacus".to_owned());
        other[0].build.git_dirty = Some(true);
        archive.add("three".to_owned(), other);
        let series = all(&archive, fib, &Filter::default()).remove(0);
        let last = series.entries.last().unwrap();
        assert_eq!((last.machine, last.revision.as_str()), (2, "0323456-dirty"));
        let notes = series.grid().notes.join("\n");
        assert!(notes.contains("machine 2: abacus"), "{notes}");
        assert!(notes.contains("say nothing about the code"), "{notes}");
    }
}
