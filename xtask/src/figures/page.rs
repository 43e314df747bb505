//! A page of the documentation: text, and tables of figures between markers.

use anyhow::{Context, Result, bail};

use super::Outcome;
use super::record::Records;
use super::table::Table;

/// Begins a line before a table; then come its kind and its workloads.
const BEGIN: &str = "<!-- figures: ";

/// Ends that line.
const BEGIN_CLOSES: &str = " -->";

/// The line after a table.
const END: &str = "<!-- end of figures -->";

/// Longer lines of prose are broken.
const COLUMNS: usize = 100;

/// A page, cut at its markers.
#[derive(Debug)]
pub struct Page<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Debug)]
enum Part<'a> {
    /// Lines that stay, markers included.
    Text(&'a str),
    /// Lines between two markers.
    Figures { table: Table, now: Vec<&'a str> },
}

impl<'a> Page<'a> {
    /// Cuts a page.
    ///
    /// # Errors
    /// A marker has no end, or an end no beginning, or it names no kind of table.
    pub fn parse(text: &'a str) -> Result<Self> {
        let mut parts = Vec::new();
        let mut open: Option<(Table, Vec<&str>)> = None;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let bare = line.trim_end();
            let place = || format!("line {}", index + 1);
            let names = bare
                .strip_prefix(BEGIN)
                .and_then(|rest| rest.strip_suffix(BEGIN_CLOSES));
            if let Some(names) = names {
                if open.is_some() {
                    bail!("{}: the table before this one has no end", place());
                }
                parts.push(Part::Text(line));
                open = Some((Table::of(names).with_context(place)?, Vec::new()));
            } else if bare == END {
                let Some((table, now)) = open.take() else {
                    bail!("{}: no table ends here", place());
                };
                parts.push(Part::Figures { table, now });
                parts.push(Part::Text(line));
            } else {
                match &mut open {
                    Some((_, now)) => now.push(line),
                    None => parts.push(Part::Text(line)),
                }
            }
        }
        if open.is_some() {
            bail!("the last table has no end: {END}");
        }
        Ok(Self { parts })
    }

    /// The page with its tables made of the records, the newest first. `name` is its path.
    pub fn written(
        &self,
        name: &str,
        records: &[Records],
        outcome: &mut Outcome,
    ) -> Result<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(line) => text += line,
                Part::Figures { table, now } => {
                    let able = records.iter().find(|records| table.is_held_by(records));
                    if let Some(records) = able {
                        outcome.tables += 1;
                        let source = wrapped(&table.source(records, name));
                        text += &format!("\n{}\n{source}\n", table.text(records)?);
                    } else {
                        outcome.left.push(format!("{name}: {}", table.describe()));
                        text += &now.concat();
                    }
                }
            }
        }
        Ok(text)
    }
}

/// Breaks a paragraph.
fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > COLUMNS {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text + "\n"
}
