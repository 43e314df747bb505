//! `cargo xtask figures`: the tables of figures in the documentation, made of a record of the lab.
//!
//! ```text
//! lab/records/*.jsonl ─► record ─► table ─┐
//! *.md, the lines between two markers ────┴─► page ─► written, or compared
//! ```
//! A table stands between `<!-- figures: KIND WORKLOAD… -->` and `<!-- end of figures -->`, each on
//! a line of its own. It is made of the newest record that holds all of its workloads. Where none
//! does, the lines stay as they are. The chart of the readme is made of the newest record that
//! holds all of it.

mod chart;
mod page;
mod record;
mod table;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{guide, workspace};
use page::Page;
use record::Records;

/// What `figures` can be told.
#[derive(Args)]
pub struct Options {
    /// Changes nothing, and fails if a page differs from what the record gives.
    #[arg(long)]
    check: bool,
    /// Takes the figures from this record instead of the newest one in lab/records.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
}

/// What became of the pages.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Pages with tables that differ from what the records give.
    pub differing: Vec<String>,
    /// Tables that none of the records holds, with their pages.
    pub left: Vec<String>,
    /// How many tables there are that a record holds.
    pub tables: usize,
}

/// Rewrites the pages, or compares them.
pub fn run(options: &Options) -> Result<()> {
    let root = workspace::root();
    let (records, holder) = match &options.record {
        Some(file) => {
            let records = Records::read(&root, &std::path::absolute(file)?)?;
            let holder = records.file.clone();
            (vec![records], Some(holder))
        }
        None => (kept(&root)?, None),
    };
    if records.is_empty() {
        let none = "there is no record in lab/records; `cargo lab record` makes one";
        ensure!(options.check, none);
        println!("nothing to compare: {none}");
        return Ok(());
    }
    let outcome = all_pages(&root, &records, options.check)?;
    if let Some(file) = &holder {
        outcome.fits(file)?;
    }
    for left in &outcome.left {
        let why = match &holder {
            Some(file) => format!("{file} does not hold"),
            None => "no record holds".to_owned(),
        };
        println!("left as it is: {left}, which {why}");
    }
    for page in &outcome.differing {
        println!(
            "{page}: {}",
            if options.check {
                "differs"
            } else {
                "rewritten"
            }
        );
    }
    println!("{} tables are those of a record", outcome.tables);
    if options.check {
        outcome.judge()?;
    }
    Ok(())
}

/// For `check`: compares the pages with the records of the repository. Says what it found; `None`
/// if there is no record.
pub fn check() -> Result<Option<String>> {
    let root = workspace::root();
    let records = kept(&root)?;
    if records.is_empty() {
        return Ok(None);
    }
    let outcome = all_pages(&root, &records, true)?;
    outcome.judge()?;
    let Outcome { tables, left, .. } = outcome;
    let left = left.len();
    Ok(Some(format!(
        "{tables} tables, {left} that no record holds"
    )))
}

impl Outcome {
    /// Whether the named record holds a table at all.
    fn fits(&self, file: &str) -> Result<()> {
        ensure!(
            self.tables > 0,
            "{file} holds none of the tables: {}; name a record of these workloads, or leave \
             --record out to take the newest one in lab/records",
            self.left.join("; ")
        );
        Ok(())
    }

    fn judge(&self) -> Result<()> {
        ensure!(
            self.differing.is_empty(),
            "figures differ from the record in {}; `cargo xtask figures` rewrites them",
            self.differing.join(", ")
        );
        Ok(())
    }
}

/// The records of the repository, the newest first.
fn kept(root: &Path) -> Result<Vec<Records>> {
    let directory = root.join("lab/records");
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut records = Vec::new();
    for entry in fs::read_dir(&directory)? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            records.push(Records::read(root, &file)?);
        }
    }
    records.sort_by(|a, b| (b.date(), &b.file).cmp(&(a.date(), &a.file)));
    Ok(records)
}

/// All pages. Git is not asked: it may not be there, or refuse a checkout of another user.
fn all_pages(root: &Path, records: &[Records], only_look: bool) -> Result<Outcome> {
    let pages = guide::pages(root)?;
    let pages = pages.iter().filter_map(|page| page.to_str());
    let mut outcome = some_pages(root, pages, records, only_look)?;
    the_chart(root, records, only_look, &mut outcome)?;
    Ok(outcome)
}

fn the_chart(
    root: &Path,
    records: &[Records],
    only_look: bool,
    outcome: &mut Outcome,
) -> Result<()> {
    let Some(svg) = chart::svg(records)? else {
        outcome.left.push(format!("{}: the chart", chart::FILE));
        return Ok(());
    };
    outcome.tables += 1;
    let file = root.join(chart::FILE);
    if fs::read_to_string(&file).is_ok_and(|now| now == svg) {
        return Ok(());
    }
    outcome.differing.push(chart::FILE.to_owned());
    if !only_look {
        fs::write(&file, svg).with_context(|| format!("writing {}", chart::FILE))?;
    }
    Ok(())
}

fn some_pages<'a>(
    root: &Path,
    pages: impl Iterator<Item = &'a str>,
    records: &[Records],
    only_look: bool,
) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for name in pages {
        let file = root.join(name);
        let text = fs::read_to_string(&file).with_context(|| format!("reading {name}"))?;
        let page = Page::parse(&text).with_context(|| name.to_owned())?;
        let written = page
            .written(name, records, &mut outcome)
            .with_context(|| name.to_owned())?;
        if written != text {
            outcome.differing.push(name.to_owned());
            if !only_look {
                fs::write(&file, written).with_context(|| format!("writing {name}"))?;
            }
        }
    }
    Ok(outcome)
}
