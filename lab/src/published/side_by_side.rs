//! A published table with this machine's figures below it, in the same columns.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::evidence::Evidence;
use super::experiment::{Cell, Experiment, Row};
use super::quantity::value;
use crate::machine::{Machine, cores_available};
use crate::record::Record;
use crate::runtime::Role;
use crate::table::{Grid, GridRow, RowKind};

/// What stands where there is no figure.
const NOTHING: &str = "–";

/// More jobs than this many times the processors are not measured.
pub const JOBS_PER_PROCESSOR: usize = 2;

/// A table, and what a plot shows of it.
#[derive(Debug)]
pub struct SideBySide<'a> {
    /// What was published.
    pub experiment: &'a Experiment,
    /// The table.
    pub grid: Grid,
    /// Each row as numbers.
    pub series: Vec<Series>,
    /// Whether figures are missing that could be measured.
    pub is_incomplete: bool,
}

/// A row as numbers, one for each column.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name.
    pub label: String,
    /// Whether it was published, and not measured here.
    pub is_published: bool,
    /// Red, green and blue.
    pub colour: (u8, u8, u8),
    /// The numbers.
    pub values: Vec<Option<f64>>,
}

/// The colours of published rows.
const COLOURS: [(u8, u8, u8); 3] = [(87, 96, 106), (140, 149, 159), (175, 184, 193)];

/// What came of the cells of this machine.
#[derive(Default)]
struct Findings {
    /// Files, with the machine that each is from.
    runs: BTreeSet<String>,
    machines: BTreeMap<String, Machine>,
    sizes: BTreeSet<String>,
    troubles: BTreeSet<String>,
    warnings: BTreeSet<String>,
    missing: Vec<String>,
    /// Whether cells are left out that ask for too many jobs.
    has_too_many_jobs: bool,
}

/// Puts what was published beside what the records say.
///
/// # Errors
/// The experiment names what the lab does not have.
pub fn side_by_side<'a>(
    experiment: &'a Experiment,
    evidence: &Evidence,
    here: &Machine,
) -> Result<SideBySide<'a>> {
    let names = ["", "where"].into_iter();
    let columns = experiment
        .columns
        .iter()
        .map(|column| column.label.as_str());
    let header = names.chain(columns).map(str::to_owned).collect();
    let mut rows = Vec::new();
    let mut series = Vec::new();
    for (place, row) in experiment.published.iter().enumerate() {
        let names = [row.label.clone(), "published".to_owned()];
        rows.push(GridRow {
            cells: names
                .into_iter()
                .chain(row.figures.iter().cloned())
                .collect(),
            kind: RowKind::Plain,
        });
        series.push(Series {
            label: format!("{}, published", row.label),
            is_published: true,
            colour: COLOURS[place % COLOURS.len()],
            values: row.figures.iter().map(|text| value(text)).collect(),
        });
    }
    let mut findings = Findings::default();
    for row in experiment.rows()? {
        let figures = findings.row(experiment, &row, evidence);
        let texts = row.cells.iter().zip(&figures).map(|(cell, figure)| {
            figure.map_or_else(|| NOTHING.to_owned(), |number| cell.quantity.text(number))
        });
        let names = [row.label.clone(), "here".to_owned()];
        // The last column is of the row's own runtime; the first may be that of plain code.
        let card = row.cells.last().map(|cell| cell.runtime.card);
        let is_ours = card.is_some_and(|card| card.role == Role::Ours);
        rows.push(GridRow {
            cells: names.into_iter().chain(texts).collect(),
            kind: if is_ours {
                RowKind::Ours
            } else {
                RowKind::Plain
            },
        });
        series.push(Series {
            label: row.label,
            is_published: false,
            colour: card.map_or((0, 0, 0), |card| card.colour),
            values: figures,
        });
    }
    let is_incomplete = !findings.missing.is_empty();
    Ok(SideBySide {
        experiment,
        grid: Grid {
            title: experiment.title.clone(),
            header,
            rows,
            notes: findings.notes(experiment, here),
            names: 2,
        },
        series,
        is_incomplete,
    })
}

impl Findings {
    /// The figures of a row.
    fn row(&mut self, experiment: &Experiment, row: &Row, evidence: &Evidence) -> Vec<Option<f64>> {
        let mut missing = Vec::new();
        let mut figures = Vec::new();
        for (cell, column) in row.cells.iter().zip(&experiment.columns) {
            let size = evidence.size(cell);
            let figure = self.figure(&row.label, cell, size, evidence);
            if figure.is_none() && exceeds(cell, cores_available()) {
                self.has_too_many_jobs = true;
            } else if figure.is_none() {
                missing.push(column.label.as_str());
            } else if size != cell.size {
                let [here, published] =
                    [size, cell.size].map(|size| cell.workload.size_label(size));
                let card = &cell.workload.card;
                self.sizes.insert(format!(
                    "{} has the size {here} here, and not {published} ({})",
                    card.name, card.size_counts
                ));
            }
            figures.push(figure);
        }
        if missing.len() == row.cells.len() {
            self.missing.push(row.label.clone());
        } else if !missing.is_empty() {
            let columns = missing.join(", ");
            self.missing.push(format!("{} ({columns})", row.label));
        }
        figures
    }

    fn figure(&mut self, label: &str, cell: &Cell, size: u64, evidence: &Evidence) -> Option<f64> {
        let found = evidence.find(cell, size, cell.runtime)?;
        let against = cell.against.map(|other| evidence.find(cell, size, other));
        let against = against.flatten();
        for found in [Some(found), against].into_iter().flatten() {
            if let Some(trouble) = found.record.trouble() {
                self.troubles.insert(format!("{label}: {trouble}"));
            }
        }
        let is_good = |record: &&Record| record.ok == Some(true);
        let record = Some(found.record).filter(is_good)?;
        let other = against.map(|found| found.record).filter(is_good);
        let figure = cell.quantity.of(record, other)?;
        for found in [Some(found), against].into_iter().flatten() {
            self.runs.insert(found.run.to_owned());
            let machine = &found.record.machine;
            self.machines.insert(machine.describe(), machine.clone());
            self.warnings.extend(found.record.build.warning());
        }
        Some(figure)
    }

    fn notes(self, experiment: &Experiment, here: &Machine) -> Vec<String> {
        let all = |texts: BTreeSet<String>| Vec::from_iter(texts).join("; ");
        let others = self.machines.iter().filter(|(_, of)| !of.is_like(here));
        let others: BTreeSet<String> = others.map(|(name, _)| name.clone()).collect();
        let mut notes = vec![format!(
            "published: {}, on {}; {}",
            experiment.source, experiment.machine, experiment.unit
        )];
        if !self.runs.is_empty() {
            let machines = self.machines.into_keys().collect();
            notes.push(format!("here: {}", all(machines)));
            notes.push(format!("from {}", all(self.runs)));
        }
        if !others.is_empty() {
            notes.push(format!(
                "not of this machine, which is {}: figures of {}",
                here.describe(),
                all(others)
            ));
        }
        notes.extend(self.sizes);
        if self.has_too_many_jobs {
            let cores = cores_available().unwrap_or(1);
            notes.push(format!(
                "this machine has {cores} processors, so more than {} jobs are not measured",
                cores * JOBS_PER_PROCESSOR
            ));
        }
        if !self.missing.is_empty() {
            notes.push(format!("not measured here: {}", self.missing.join("; ")));
        }
        notes.extend(self.troubles);
        notes.extend(self.warnings);
        notes.extend(experiment.notes.iter().cloned());
        notes
    }
}

/// Whether a cell asks for more jobs than are measured on that number of processors.
pub fn exceeds(cell: &Cell, cores: Option<usize>) -> bool {
    let most = cores.unwrap_or(1).saturating_mul(JOBS_PER_PROCESSOR);
    cell.jobs.is_some_and(|jobs| jobs > most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up;
    use crate::published::experiment::named;

    fn experiment(name: &str) -> Experiment {
        named(&[name.to_owned()]).unwrap().remove(0)
    }

    /// A record of tree-sum with 1,000 nodes, of which each takes `ns` nanoseconds.
    fn record(runtime: &str, jobs: usize, ns: f64) -> Record {
        let mut record = made_up::record("tree-sum", runtime, jobs, &[1000.0 * ns]);
        record.size = 1000;
        (record.items, record.wall_ns_mean) = (Some(1000), record.wall_ns_median);
        record
    }

    /// The machine of records that are made up.
    fn here() -> Machine {
        record("seq", 1, 1.0).machine
    }

    fn cells<'a>(grid: &'a Grid, label: &str, place: &str) -> &'a [String] {
        let mut rows = grid.rows.iter();
        let row = rows.find(|row| row.cells[0] == label && row.cells[1] == place);
        &row.unwrap().cells[2..]
    }

    #[test]
    fn without_records_all_published_rows_are_there() {
        for experiment in crate::published::experiment::all().unwrap() {
            let table =
                side_by_side(&experiment, &Evidence::default(), &Machine::default()).unwrap();
            let rows = &table.grid.rows;
            for (row, published) in rows.iter().zip(&experiment.published) {
                assert_eq!(row.cells[2..], published.figures, "{}", experiment.name);
            }
            let here = &rows[experiment.published.len()..];
            assert!(!here.is_empty() && table.is_incomplete);
            assert!(
                here.iter()
                    .all(|row| row.cells[2..].iter().all(|cell| cell == NOTHING))
            );
            let notes = table.grid.notes.join("\n");
            assert!(notes.contains("WORKLOADS.md") && notes.contains("not measured here"));
            assert!(!notes.contains("from "), "{notes}");
        }
    }

    #[test]
    fn figures_of_this_machine_stand_in_the_same_columns() {
        let experiment = experiment("tree-sum-1000");
        let mut evidence = Evidence::default();
        let mut records = vec![record("seq", 1, 1.234), record("drumline", 1, 2.0)];
        records.push(record("drumline", 2, 1.0));
        evidence.add("a/records.jsonl".to_owned(), records);
        let table = side_by_side(&experiment, &evidence, &here()).unwrap();
        let published = cells(&table.grid, "Rayon", "published");
        assert_eq!(published[..3], ["1.56", "23.5", "16.8"]);
        let here = cells(&table.grid, "drumline", "here");
        assert_eq!(here[..3], ["1.23", "2.00", "1.00"]);
        assert!(here[6] == NOTHING || cores_available() >= Some(16));
        assert_eq!(cells(&table.grid, "rayon", "here")[..2], ["1.23", NOTHING]);
        let notes = table.grid.notes.join("\n");
        assert!(notes.contains("from a/records.jsonl"), "{notes}");
        assert!(notes.contains("rayon (1, 2"), "{notes}");
        assert!(!notes.contains("not of this machine"), "{notes}");
        let drumline = table
            .series
            .iter()
            .find(|series| series.label == "drumline")
            .unwrap();
        assert_eq!(drumline.values[..3], [Some(1.234), Some(2.0), Some(1.0)]);
        assert!(!drumline.is_published);
        assert!(table.series[0].is_published);
    }

    #[test]
    fn figures_of_another_machine_are_called_so() {
        let experiment = experiment("tree-sum-1000");
        let mut other = record("drumline", 1, 2.0);
        other.machine.cpu_model = Some("abacus".to_owned());
        let mut evidence = Evidence::default();
        evidence.add("there".to_owned(), vec![other]);
        let table = side_by_side(&experiment, &evidence, &here()).unwrap();
        let notes = table.grid.notes.join("\n");
        let note = "not of this machine, which is unknown processor";
        assert!(notes.contains(note), "{notes}");
        assert!(notes.contains("figures of abacus"), "{notes}");
    }

    #[test]
    fn another_size_and_what_went_wrong_are_told() {
        let experiment = experiment("tree-sum-100M");
        let mut evidence = Evidence::default();
        let mut declined = record("forte", 1, 1.0);
        (declined.ok, declined.declined) = (None, Some("it is tired".to_owned()));
        evidence.add("run".to_owned(), vec![record("drumline", 1, 2.0), declined]);
        let table = side_by_side(&experiment, &evidence, &here()).unwrap();
        let notes = table.grid.notes.join("\n");
        let size = "tree-sum has the size 1,000 here, and not 100,000,000";
        assert!(notes.contains(size), "{notes}");
        assert!(notes.contains("forte: it is tired"), "{notes}");
    }

    #[test]
    fn more_jobs_than_make_sense_are_not_asked_for() {
        let experiment = experiment("tree-sum-1000");
        let rows = experiment.rows().unwrap();
        let on = |cores| {
            let cells = rows[1].cells.iter();
            cells.filter(|cell| exceeds(cell, cores)).count()
        };
        assert_eq!((on(Some(2)), on(Some(16)), on(None)), (3, 0, 4));
    }

    #[test]
    fn what_is_saved_needs_both() {
        let experiment = experiment("futures-over-pipes");
        let of = |runtime: &str, wall: f64| {
            let mut record = made_up::record("pbfs", runtime, 2, &[wall]);
            record.size = 20;
            record.machine.cores_available = Some(2);
            record
        };
        let mut evidence = Evidence::default();
        evidence.add("one".to_owned(), vec![of("drumline-threads", 3e9)]);
        let label = "pbfs: drumline-threads, of crossbeam";
        let table = side_by_side(&experiment, &evidence, &here()).unwrap();
        assert_eq!(cells(&table.grid, label, "here"), [NOTHING]);
        evidence.add("two".to_owned(), vec![of("crossbeam", 4e9)]);
        let table = side_by_side(&experiment, &evidence, &here()).unwrap();
        assert_eq!(cells(&table.grid, label, "here"), ["25.0 %"]);
        assert!(table.grid.notes.iter().any(|note| note == "from one; two"));
    }
}
