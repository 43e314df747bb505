//! The published experiments: what was published of each, and what stands beside it here.
//!
//! They are data, in `lab/published.json`. Figures are texts, as they were published: a figure that
//! was written with a unit keeps it, and none is converted.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::quantity::Quantity;
use crate::entry::{RuntimeEntry, WorkloadEntry};
use crate::near;
use crate::registry;

/// The file, which is part of the program.
const FILE: &str = include_str!("../../published.json");

/// The form of the file that this program understands.
const VERSION: u32 = 1;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    experiments: Vec<Experiment>,
}

/// One published table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Where the published figures are taken from.
    pub source: String,
    /// The machine on which they were measured.
    pub machine: String,
    /// What the figures count, if their columns do not say so.
    pub unit: String,
    /// The workload that measures the same here, unless a row has another one.
    workload: String,
    /// Its size as published.
    size: u64,
    /// A size that takes little time and memory.
    quick_size: u64,
    /// Whether there is a plot over the columns.
    #[serde(default)]
    pub plot: bool,
    /// The columns, the same for published and measured rows.
    pub columns: Vec<Column>,
    /// What was published.
    pub published: Vec<PublishedRow>,
    /// What is measured here.
    here: Vec<MeasuredRow>,
    /// What has to be known to compare the two.
    pub notes: Vec<String>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name.
    pub label: String,
    /// What its figures are.
    pub quantity: Quantity,
    /// The runtime that it shows, in place of that of the row.
    runtime: Option<String>,
    /// On how many jobs; as many as processors if neither column nor row says.
    jobs: Option<usize>,
}

/// A published row.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedRow {
    /// What it is of.
    pub label: String,
    /// A figure for each column, as published.
    pub figures: Vec<String>,
}

/// A row that is measured here.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredRow {
    label: Option<String>,
    runtime: Option<String>,
    /// One for each column.
    #[serde(default)]
    runtimes: Vec<String>,
    /// The runtime by which figures are divided.
    against: Option<String>,
    workload: Option<String>,
    size: Option<u64>,
    quick_size: Option<u64>,
    jobs: Option<usize>,
}

/// A row of measured figures: its name, and what stands in each column.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// One for each column.
    pub cells: Vec<Cell>,
}

/// What is looked for in records, or measured.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The workload.
    pub workload: &'static WorkloadEntry,
    /// Its size as published.
    pub size: u64,
    /// A size that takes little time and memory.
    pub quick_size: u64,
    /// The runtime.
    pub runtime: &'static RuntimeEntry,
    /// Another one, if the figure needs two.
    pub against: Option<&'static RuntimeEntry>,
    /// On how many jobs; `None` means as many as processors.
    pub jobs: Option<usize>,
    /// What is told of it.
    pub quantity: Quantity,
}

/// All experiments, in the order of the file.
///
/// # Errors
/// The file has another form, or names what the lab does not have.
pub fn all() -> Result<Vec<Experiment>> {
    read(FILE).context("the published figures (lab/published.json) cannot be used")
}

fn read(text: &str) -> Result<Vec<Experiment>> {
    let document: Document = serde_json::from_str(text)?;
    ensure!(
        document.version == VERSION,
        "its form has the number {}, and this program knows {VERSION}",
        document.version
    );
    for experiment in &document.experiments {
        let columns = experiment.columns.len();
        for row in &experiment.published {
            ensure!(
                row.figures.len() == columns,
                "{}, {}: there are {} figures and {columns} columns",
                experiment.name,
                row.label,
                row.figures.len()
            );
        }
        experiment.rows()?;
    }
    Ok(document.experiments)
}

/// The experiments with these names, or all if there are none.
///
/// # Errors
/// There is no experiment of a name.
pub fn named(names: &[String]) -> Result<Vec<Experiment>> {
    let mut chosen = all()?;
    for name in names {
        let known: Vec<&str> = chosen.iter().map(|known| known.name.as_str()).collect();
        ensure!(
            known.contains(&name.as_str()),
            "--table {name}: there is no such table{}; there are {}",
            near::hint(name, known.iter().copied()),
            known.join(", ")
        );
    }
    if !names.is_empty() {
        chosen.retain(|experiment| names.contains(&experiment.name));
    }
    Ok(chosen)
}

impl Experiment {
    /// What is measured here, row by row.
    ///
    /// # Errors
    /// A row names what the lab does not have.
    pub fn rows(&self) -> Result<Vec<Row>> {
        let rows = self.here.iter().map(|row| {
            let cells = self.columns.iter().enumerate();
            let cells = cells.map(|(place, column)| self.cell(row, place, column));
            let cells = cells.collect::<Result<Vec<Cell>>>()?;
            let label = row.label.clone().or_else(|| row.runtime.clone());
            Ok(Row {
                label: label.with_context(|| format!("{}: a row has no name", self.name))?,
                cells,
            })
        });
        rows.collect()
    }

    fn cell(&self, row: &MeasuredRow, place: usize, column: &Column) -> Result<Cell> {
        let workload = row.workload.as_ref().unwrap_or(&self.workload);
        let workload = registry::workload(workload)?;
        let mut able = workload.runtimes();
        able.extend(workload.peers());
        let find = |name: &String| {
            let found = able.iter().find(|entry| entry.card.name == name);
            found.copied().with_context(|| {
                let workload = workload.card.name;
                format!("{}: {name} does not run {workload}", self.name)
            })
        };
        let names = [
            &column.runtime,
            &row.runtimes.get(place).cloned(),
            &row.runtime,
        ];
        let name = names.into_iter().flatten().next();
        let name = name.with_context(|| format!("{}: a row has no runtime", self.name))?;
        let runtime = find(name)?;
        let jobs = row.jobs.or(column.jobs);
        Ok(Cell {
            workload,
            size: row.size.unwrap_or(self.size),
            quick_size: row.quick_size.unwrap_or(self.quick_size),
            runtime,
            against: row.against.as_ref().map(find).transpose()?,
            jobs: if runtime.card.parallel { jobs } else { Some(1) },
            quantity: column.quantity,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::quantity::value;

    /// A row: its name and its figures.
    type Published = (&'static str, &'static [&'static str]);

    /// What was published, table by table, as `WORKLOADS.md` has it.
    const PUBLISHED: [(&str, &[Published]); 9] = [
        (
            "tree-sum-100M",
            &[
                (
                    "Spice (Zig)",
                    &["3.63", "3.93", "2.01", "1.08", "0.60", "0.36", "0.38"],
                ),
                (
                    "Rayon",
                    &["7.48", "22.99", "11.76", "5.90", "3.00", "1.64", "1.65"],
                ),
            ],
        ),
        (
            "tree-sum-1000",
            &[
                (
                    "Spice (Zig)",
                    &["1.99", "2.29", "2.30", "2.30", "2.29", "2.29", "2.29"],
                ),
                (
                    "Rayon",
                    &["1.56", "23.5", "16.8", "14.9", "18.7", "24.2", "105.4"],
                ),
            ],
        ),
        (
            "biased-queues-batch-1",
            &[
                ("crossbeam channel", &["19,556", "315,292", "861"]),
                ("rayon", &["18,259", "23,359", "1,240"]),
                ("biased", &["17,865", "2,148", "65"]),
            ],
        ),
        (
            "biased-queues-batch-20",
            &[
                ("crossbeam channel", &["17,959", "10,741", "102"]),
                ("rayon", &["17,472", "2,498", "116"]),
            ],
        ),
        (
            "msgsend",
            &[
                ("Rust port_set", &["881,578"]),
                ("Scala", &["378,740"]),
                ("Rust port/chan", &["227,020"]),
                ("Rust shared_chan", &["173,436"]),
                ("Erlang, bare", &["78,670"]),
                ("Erlang, OTP", &["76,405"]),
            ],
        ),
        (
            "ring",
            &[
                ("a global lock", &["257,656"]),
                ("a lock per channel", &["532,253"]),
                ("single-sender pipes", &["4,393,010"]),
            ],
        ),
        (
            "futures-over-pipes",
            &[("parallel BFS", &["17.6 %"]), ("k-nucleotide", &["38.7 %"])],
        ),
        (
            "actor-schedulers",
            &[
                ("ManagedForkJoin", &["45.4", "25.5"]),
                ("ForkJoin", &["65.3", "45.9"]),
                ("ResizableThreadPool", &["98.1", "53.4"]),
            ],
        ),
        (
            "renderer",
            &[
                ("20 jobs on 20 threads", &["23.9 s", "6.81 M", "113 MiB"]),
                ("4 jobs", &["49.6 s", "3.16 M", "82 MiB"]),
                ("1 job", &["85.2 s", "1.83 M", "53 MiB"]),
                (
                    "20 cooperative jobs on 4 threads",
                    &["49.1 s", "3.19 M", "113 MiB"],
                ),
                (
                    "20 cooperative jobs on 1 thread",
                    &["151 s", "1.03 M", "13.9 GiB"],
                ),
            ],
        ),
    ];

    #[test]
    fn every_published_figure_has_its_row_and_no_other_has() {
        let experiments = all().unwrap();
        assert_eq!(experiments.len(), PUBLISHED.len());
        for (name, rows) in PUBLISHED {
            let experiment = experiments.iter().find(|known| known.name == name).unwrap();
            assert_eq!(experiment.published.len(), rows.len(), "{name}");
            for (label, figures) in rows {
                let mut found = experiment.published.iter();
                let row = found.find(|row| row.label == *label).expect(label);
                assert_eq!(row.figures, *figures, "{name}, {label}");
                assert!(row.figures.iter().all(|text| value(text).is_some()));
            }
        }
    }

    #[test]
    fn every_row_is_one_that_the_lab_can_measure() {
        for experiment in all().unwrap() {
            let rows = experiment.rows().unwrap();
            assert!(!rows.is_empty(), "{}", experiment.name);
            for cell in rows.iter().flat_map(|row| &row.cells) {
                let (low, high) = cell.workload.card.limits;
                for size in [cell.size, cell.quick_size] {
                    assert!((low..=high).contains(&size), "{}: {size}", experiment.name);
                    assert_eq!(cell.workload.refuses(size), None, "{}", experiment.name);
                }
            }
            let saves = |column: &Column| column.quantity == Quantity::Saved;
            let needs_two = experiment.columns.iter().any(saves);
            let mut cells = rows.iter().flat_map(|row| &row.cells);
            assert!(cells.all(|cell| cell.against.is_some() == needs_two));
        }
    }

    #[test]
    fn a_file_that_makes_no_sense_is_an_error() {
        let whole: serde_json::Value = serde_json::from_str(FILE).unwrap();
        let refused = |change: fn(&mut serde_json::Value)| {
            let mut file = whole.clone();
            change(&mut file);
            format!("{:#}", read(&file.to_string()).unwrap_err())
        };
        let figures = "/experiments/0/published/0/figures";
        assert!(read(FILE).is_ok() && whole.pointer(figures).is_some());
        for (error, why) in [
            (refused(|file| file["version"] = 2.into()), "number 2"),
            (
                refused(|file| {
                    let row = &mut file["experiments"][0]["published"][0];
                    row["figures"] = vec!["1"].into();
                }),
                "1 figures and 7 columns",
            ),
            (
                refused(|file| file["experiments"][0]["workload"] = "tree-sun".into()),
                "tree-sun",
            ),
            (
                refused(|file| file["experiments"][0]["here"][0]["runtime"] = "tokio".into()),
                "tokio does not run tree-sum",
            ),
            (
                refused(|file| file["experiments"][0]["sise"] = 1.into()),
                "sise",
            ),
        ] {
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn tables_are_chosen_by_name() {
        let chosen = named(&["ring".to_owned(), "msgsend".to_owned()]).unwrap();
        let names: Vec<_> = chosen.iter().map(|chosen| chosen.name.as_str()).collect();
        assert_eq!(names, ["msgsend", "ring"]);
        let error = format!("{:#}", named(&["rings".to_owned()]).unwrap_err());
        assert!(
            error.contains("--table rings: there is no such table, but there is `ring`; there are")
                && error.contains("msgsend"),
            "{error}"
        );
    }
}
