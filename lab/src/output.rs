//! The directory that a run leaves behind.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::canvas::Layout;
use crate::chart::Chart;
use crate::export::{csv, json_lines};
use crate::record::Record;
use crate::report::{self, Section};
use crate::{canvas, cell, table};

/// What every run writes; its charts have the names of workloads.
const FILES: [&str; 3] = ["records.jsonl", "records.csv", "report.html"];

/// Removes what an earlier run has written, where there is such a thing.
pub fn remove(directory: &Path) -> io::Result<()> {
    for name in FILES {
        match fs::remove_file(directory.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Writes the records, the charts and the report, and returns the path of the latter.
pub fn write(directory: &Path, records: &[Record]) -> Result<PathBuf> {
    // It may be gone since the run began.
    fs::create_dir_all(directory)
        .with_context(|| format!("{} cannot be made", directory.display()))?;
    let [lines, columns, page] = FILES;
    let put = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, bytes)
            .with_context(|| format!("{} cannot be written", path.display()))
            .map(|()| path)
    };
    put(lines, json_lines(records).as_bytes())?;
    put(columns, &csv(records)?)?;
    let judged = cell::judged(records);
    let mut sections = Vec::new();
    for (card, grid) in table::grids(records) {
        let of_workload: Vec<&Record> =
            records.iter().filter(|r| r.workload == card.name).collect();
        let chart = Chart::of(card, &of_workload, &judged);
        let file = format!("{}.svg", card.name);
        put(&file, chart.draw(Layout::Wide)?.as_bytes())?;
        let chart = canvas::both(|layout| chart.draw(layout))?;
        sections.push(Section { card, grid, chart });
    }
    put(page, report::page(&sections, records).as_bytes())
}
