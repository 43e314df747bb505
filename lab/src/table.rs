//! The figures of one workload as a table: for the terminal, and for the report.

use std::collections::{BTreeMap, BTreeSet};

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::cell::{self, Cell};
use crate::columns::{self, Bounds};
use crate::figure::figure;
use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::statistics::{Ratio, median};
use crate::workload::{Shows, WorkloadCard, group};

/// The most numbers of jobs that lie beside each other; if there are more, they lie below each
/// other.
const JOBS_BESIDE: usize = 3;

/// One table.
#[derive(Clone, Debug)]
pub struct Grid {
    /// What it is about.
    pub title: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows, by size and runtime.
    pub rows: Vec<GridRow>,
    /// What has no figure, and why.
    pub notes: Vec<String>,
    /// How many columns name the rows; the others have figures.
    pub names: usize,
}

/// One row.
#[derive(Clone, Debug)]
pub struct GridRow {
    /// One text per column.
    pub cells: Vec<String>,
    /// What kind of row it is.
    pub kind: RowKind,
}

/// What kind of row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// A runtime.
    Plain,
    /// Our runtime.
    Ours,
    /// How ours compares; the last row of a size.
    Ratio,
}

/// The tables of all workloads in these records.
pub fn grids(records: &[Record]) -> Vec<(&'static WorkloadCard, Grid)> {
    let judged = cell::judged(records);
    let mut names: Vec<&str> = Vec::new();
    for record in records {
        if !names.contains(&record.workload.as_str()) {
            names.push(&record.workload);
        }
    }
    names
        .into_iter()
        .filter_map(|name| {
            let card = &registry::workload(name).ok()?.card;
            let records: Vec<&Record> = records.iter().filter(|r| r.workload == name).collect();
            Some((card, grid(card, &records, &judged)))
        })
        .collect()
}

fn grid(card: &WorkloadCard, records: &[&Record], judged: &[(Cell<'_>, Ratio)]) -> Grid {
    let jobs: BTreeSet<usize> = records.iter().map(|record| record.jobs).collect();
    let mut sizes: Vec<u64> = Vec::new();
    for record in records {
        if !sizes.contains(&record.size) {
            sizes.push(record.size);
        }
    }
    let is_tall = jobs.len() > JOBS_BESIDE;
    let mut header = vec![card.size_counts.to_owned()];
    if is_tall {
        header.push("jobs".to_owned());
    }
    header.push("runtime".to_owned());
    let labels = jobs.len();
    let labels = if is_tall { 1 } else { labels };
    for jobs in jobs.iter().take(labels) {
        let label = match jobs {
            _ if is_tall => None,
            1 => Some("1 job".to_owned()),
            jobs => Some(format!("{jobs} jobs")),
        };
        header.extend(columns::names(card, label.as_deref()));
    }

    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for &size in &sizes {
        let of_size: Vec<&Record> = records.iter().copied().filter(|r| r.size == size).collect();
        let first = rows.len();
        if is_tall {
            for &jobs in &jobs {
                let of_jobs = of_size.iter().copied().filter(|r| r.jobs == jobs);
                let block = Block {
                    card,
                    records: of_jobs.collect(),
                    of_size: &of_size,
                    jobs: BTreeSet::from([jobs]),
                };
                let first = rows.len();
                rows.extend(block.rows(judged, &mut notes));
                for row in &mut rows[first..] {
                    row.cells.insert(1, String::new());
                }
                if let Some(row) = rows.get_mut(first) {
                    row.cells[1] = group(jobs as u64);
                }
            }
        } else {
            let block = Block {
                card,
                records: of_size.clone(),
                of_size: &of_size,
                jobs: jobs.clone(),
            };
            rows.extend(block.rows(judged, &mut notes));
        }
        if let (Some(record), Some(row)) = (of_size.first(), rows.get_mut(first)) {
            row.cells[0].clone_from(&record.size_label);
        }
    }

    let mut notes = shorten(notes);
    notes.extend(sizes.iter().filter_map(|size| bounds_note(records, *size)));
    Grid {
        title: format!("{}: {}", card.name, card.about),
        header,
        rows,
        notes,
        names: 2 + usize::from(is_tall),
    }
}

/// The rows of one size, for some numbers of jobs.
struct Block<'a> {
    card: &'a WorkloadCard,
    records: Vec<&'a Record>,
    /// Those of all numbers of jobs.
    of_size: &'a [&'a Record],
    jobs: BTreeSet<usize>,
}

impl Block<'_> {
    /// Puts the reason of each figure that is missing into `notes`.
    fn rows(&self, judged: &[(Cell<'_>, Ratio)], notes: &mut Vec<String>) -> Vec<GridRow> {
        let mut rows = Vec::new();
        let mut runtimes: Vec<&str> = Vec::new();
        for record in &self.records {
            if !runtimes.contains(&record.runtime.as_str()) {
                runtimes.push(&record.runtime);
            }
        }
        for runtime in &runtimes {
            let mut cells = vec![String::new(), (*runtime).to_owned()];
            for &jobs in &self.jobs {
                let record = self.at(runtime, jobs);
                let bounds = Bounds {
                    seq: self.at("seq", 1),
                    floor: self.at("static", jobs),
                    ideal: self.at("ideal", jobs),
                };
                cells.extend(columns::cells(self.card.shows, record, &bounds));
                notes.extend(record.and_then(|record| self.note(record)));
            }
            let kind = match registry::runtime(runtime).map(|entry| entry.card.role) {
                Ok(Role::Ours) => RowKind::Ours,
                _ => RowKind::Plain,
            };
            rows.push(GridRow { cells, kind });
        }
        let size = self.of_size.first().map(|record| record.size);
        let of_size = judged.iter().filter(|(cell, _)| {
            let record = cell.ours;
            record.workload == self.card.name && Some(record.size) == size
        });
        let of_size: Vec<_> = of_size.collect();
        for runtime in &runtimes {
            rows.extend(ratio_row(self.card, &of_size, runtime, &self.jobs));
        }
        rows
    }

    fn at(&self, runtime: &str, jobs: usize) -> Option<&Record> {
        let mut found = self.of_size.iter();
        found
            .find(|record| record.runtime == runtime && record.jobs == jobs)
            .copied()
    }

    /// Why a record has no figure. What never takes part is named once, whatever the number of
    /// jobs.
    fn note(&self, record: &Record) -> Option<String> {
        let trouble = record.trouble()?;
        let Record {
            runtime,
            size_label: label,
            jobs,
            ..
        } = record;
        let mut of_runtime = self.of_size.iter().filter(|r| r.runtime == *runtime);
        Some(if of_runtime.all(|record| record.declined.is_some()) {
            format!("{runtime}, {label}: {trouble}")
        } else {
            format!("{runtime}, {label}, jobs {jobs}: {trouble}")
        })
    }
}

/// What the items of a size take at least, where that can be computed.
fn bounds_note(records: &[&Record], size: u64) -> Option<String> {
    let mut bounds = BTreeMap::new();
    let mut label = "";
    for record in records.iter().filter(|record| record.size == size) {
        label = &record.size_label;
        bounds.extend(record.bound_ns.map(|bound| (record.jobs, bound)));
    }
    let bounds = bounds.iter();
    let texts: Vec<_> = bounds
        .map(|(jobs, ns)| format!("{} ms ({jobs} jobs)", figure(ns / 1e6)))
        .collect();
    (!texts.is_empty()).then(|| format!("{label}, computed ideal: {}", texts.join(", ")))
}

/// What a bar or a line shows of a record: smaller is better.
pub fn measure(card: &WorkloadCard, record: &Record) -> Option<f64> {
    match card.shows {
        Shows::Time | Shows::Curve | Shows::Memory | Shows::Rate | Shows::RateAndThreads => {
            record.item_ns_median
        }
        Shows::Rest => median(&record.measures(card.shows)).or(record.cpu_ns_mean),
        Shows::Waiting
        | Shows::Path
        | Shows::Handing
        | Shows::Cores
        | Shows::Ramp
        | Shows::WholeAndMemory => record.wall_ns_median,
        Shows::Latency => record.latency_median(),
        Shows::Tail => median(&record.measures(card.shows)),
        Shows::Heap | Shows::HeapReturned => record.item_heap_bytes,
    }
}

fn ratio_row(
    card: &WorkloadCard,
    judged: &[&(Cell<'_>, Ratio)],
    ours: &str,
    jobs: &BTreeSet<usize>,
) -> Option<GridRow> {
    let mut cells = vec![String::new(), format!("{ours} ÷ best peer")];
    let mut any = false;
    for &jobs in jobs {
        let found = judged.iter().find(|(cell, _)| {
            let record = cell.ours;
            record.runtime == ours && record.jobs == jobs
        });
        match found {
            Some((cell, ratio)) => {
                any = true;
                let peer = &cell.peer.runtime;
                let claim = cell.claim(ratio);
                let words = format!("{} {peer}: {}", claim.sign(), claim.words());
                cells.extend([ratio.text(), words.trim_start().to_owned()]);
            }
            None => cells.extend([String::new(), String::new()]),
        }
        cells.resize(cells.len() + columns::count(card.shows) - 2, String::new());
    }
    any.then_some(GridRow {
        cells,
        kind: RowKind::Ratio,
    })
}

/// Says once what is true of several rows.
fn shorten(notes: Vec<String>) -> Vec<String> {
    let mut short: Vec<(String, String)> = Vec::new();
    for note in notes {
        let (row, text) = note.split_once(": ").unwrap_or(("", &note));
        match short.iter_mut().find(|(_, known)| known == text) {
            Some((rows, _)) => {
                if !rows.split("; ").any(|known| known == row) {
                    *rows += &format!("; {row}");
                }
            }
            None => short.push((row.to_owned(), text.to_owned())),
        }
    }
    short
        .into_iter()
        .map(|(rows, text)| format!("{rows}: {text}"))
        .collect()
}

impl Grid {
    /// The table as text, with everything under it that belongs to it. On a terminal, no line of it
    /// is wider than that.
    pub fn to_text(&self) -> String {
        let size = terminal_size::terminal_size_of(std::io::stdout());
        self.text_within(size.map(|(width, _)| width.0))
    }

    /// The same for a number of columns, if there is one.
    fn text_within(&self, columns: Option<u16>) -> String {
        let table = self.table();
        let rows = match columns {
            Some(columns) => self.rows_within(table, columns),
            None => table.to_string(),
        };
        let mut text = wrapped(&self.title, columns, "", "");
        text += &format!("{rows}\n");
        for note in &self.notes {
            text += &wrapped(note, columns, "  ", "    ");
        }
        text
    }

    /// The rows in a width: as they are, with words below each other, or cell by cell.
    fn rows_within(&self, mut table: Table, columns: u16) -> String {
        let fits = |text: &str| {
            let mut lines = text.lines();
            lines.all(|line| line.chars().count() <= usize::from(columns))
        };
        let text = table.to_string();
        if fits(&text) {
            return text;
        }
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(columns);
        for (index, column) in table.column_iter_mut().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(index));
            let cells = cells.chain(self.header.get(index));
            let words = cells.flat_map(|cell| cell.split_whitespace());
            let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
            // With a blank on either side.
            let least = u16::try_from(longest + 2).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        let text = table.to_string();
        if fits(&text) {
            return text;
        }
        self.cell_by_cell(columns)
    }

    /// Each cell in a line of its own, after the name of its column.
    fn cell_by_cell(&self, columns: u16) -> String {
        let mut text = String::new();
        for row in &self.rows {
            for (index, cell) in row.cells.iter().enumerate() {
                let name = self.header.get(index).map_or("", String::as_str);
                let line = match (name, cell.as_str()) {
                    (_, "") => continue,
                    ("", cell) => cell.to_owned(),
                    (name, cell) => format!("{name}: {cell}"),
                };
                let indent = if index < self.names { "" } else { "  " };
                text += &wrapped(&line, Some(columns), indent, "    ");
            }
        }
        text.trim_end().to_owned()
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_BORDERS_ONLY);
        table.set_header(&self.header);
        for row in &self.rows {
            table.add_row(&row.cells);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            if index >= self.names {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }
}

/// A text with an indent, in lines that are no wider than this, unless a word is.
fn wrapped(text: &str, columns: Option<u16>, indent: &str, further: &str) -> String {
    let mut wrapped = String::new();
    let most = columns.map_or(usize::MAX, usize::from);
    for whole in text.split('\n') {
        let whole = format!("{indent}{whole}");
        if whole.chars().count() <= most {
            wrapped += &format!("{whole}\n");
            continue;
        }
        let mut line = indent.to_owned();
        for word in whole.split_whitespace() {
            let is_first = line.trim().is_empty();
            if !is_first && line.chars().count() + 1 + word.chars().count() > most {
                wrapped += &format!("{line}\n");
                line = further.to_owned();
            } else if !is_first {
                line.push(' ');
            }
            line += word;
        }
        wrapped += &format!("{line}\n");
    }
    wrapped
}

#[cfg(test)]
mod tests;
