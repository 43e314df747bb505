//! What a run leaves behind: text on standard output, and a directory.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::canvas::Layout;
use crate::chart::Chart;
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

/// One JSON object per line.
pub fn json_lines<T: Serialize>(records: &[T]) -> String {
    let mut text = String::new();
    for record in records {
        text += &serde_json::to_string(record).expect("a record is plain data");
        text.push('\n');
    }
    text
}

/// Writes one JSON object per line to a file, or to standard output for `-`.
pub fn write_json<T: Serialize>(to: &str, records: &[T]) -> Result<()> {
    write_text(to, &json_lines(records))
}

/// Writes records as text to a file, or to standard output for `-`.
pub fn write_text(to: &str, text: &str) -> Result<()> {
    if to == "-" {
        ensure_stdout()?;
        return write_stdout(text).context(
            "the records cannot be written to standard output, or not all of them; name a file",
        );
    }
    fs::write(to, text).with_context(|| format!("the records cannot be written to {to}"))
}

/// Writes text to standard output. A reader that has gone, such as `head`, has had enough, which is
/// no error: what else there is to be done goes on.
pub fn print(text: &str) -> Result<()> {
    match write_stdout(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output cannot be written to; send it to another place"),
    }
}

fn write_stdout(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Looks whether there is a standard output for records.
///
/// # Errors
/// It is closed.
pub fn ensure_stdout() -> Result<()> {
    ensure!(
        !is_closed(),
        "standard output is closed, and the records would be lost; name a file"
    );
    Ok(())
}

/// Whether standard output was closed when the program began. Rust has opened `/dev/null` then, for
/// reading, too; a shell's `> /dev/null` is for writing only.
#[cfg(unix)]
fn is_closed() -> bool {
    use std::os::unix::fs::MetadataExt as _;

    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    use nix::sys::stat::fstat;

    let output = io::stdout();
    let is_null = match (fstat(&output), fs::metadata("/dev/null")) {
        (Ok(output), Ok(null)) => output.st_rdev == null.rdev() && output.st_rdev != 0,
        _ => false,
    };
    let flags = fcntl(&output, FcntlArg::F_GETFL).map(OFlag::from_bits_truncate);
    is_null && flags.is_ok_and(|flags| flags & OFlag::O_ACCMODE == OFlag::O_RDWR)
}

/// Whether standard output was closed: unknown on this system.
#[cfg(not(unix))]
fn is_closed() -> bool {
    false
}

/// Writes a line to standard error. Without a reader there is no other place for it.
pub fn note(text: &str) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// The records as a table with one column per field; nested fields are joined by a dot, lists by
/// spaces, and an unknown value is an empty field.
pub fn csv<T: Serialize>(records: &[T]) -> Result<Vec<u8>> {
    let mut header: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for record in records {
        let mut fields = Vec::new();
        let value = serde_json::to_value(record)?;
        let object = value.as_object().expect("a record is an object");
        flatten("", object, &mut fields);
        // A nested value that is unknown has one field, and otherwise several.
        for (index, (name, _)) in fields.iter().enumerate() {
            if !header.contains(name) {
                header.insert(index.min(header.len()), name.clone());
            }
        }
        rows.push(fields.into_iter().collect::<HashMap<_, _>>());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header)?;
    for row in &rows {
        let field = |name: &String| row.get(name).map_or("", String::as_str);
        writer.write_record(header.iter().map(field))?;
    }
    writer.into_inner().context("the table cannot be finished")
}

fn flatten(prefix: &str, object: &Map<String, Value>, fields: &mut Vec<(String, String)>) {
    for (name, value) in object {
        let name = format!("{prefix}{name}");
        match value {
            Value::Object(inner) => flatten(&format!("{name}."), inner, fields),
            value => fields.push((name, plain(value))),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        value => value.to_string(),
    }
}
