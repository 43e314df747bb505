//! `cargo xtask arrows`: does the source keep to the architecture?

mod back;
mod banners;
mod circles;
mod consumer;
mod mention;
mod resolve;
mod rules;
mod size;
mod statics;
#[cfg(test)]
mod tests;
mod tree;
mod verdict;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use self::rules::{CONSUMERS, LINES_FAIL, LINES_WARN, ONE_ITEM, SIZED};
use self::size::Length;
use self::tree::Files;
use self::verdict::Violation;
use self::words::Retired;

/// Where the library's sources are, relative to the root of the workspace.
const LIBRARY: &str = "crates/drumline/src";

/// Where those of the lab are.
const LAB: &str = "lab/src";

/// Where the glossary is.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// What the check found.
#[derive(Debug, Default)]
struct Report {
    /// Each of these fails the check.
    violations: Vec<Violation>,
    /// These do not.
    warnings: Vec<String>,
    /// Uses of `unsafe`, file by file, without the files that have none.
    unsafe_counts: Vec<(PathBuf, usize)>,
}

/// Runs the check on the workspace at `root`, prints what it found, and fails on a violation.
pub fn run(root: &Path) -> Result<()> {
    let report = examine(root)?;
    println!("`unsafe` in the library, by file:");
    let mut total = 0;
    for (file, count) in &report.unsafe_counts {
        println!("  {count:4}  {}", file.display());
        total += count;
    }
    println!("  {total:4}  in all");
    for warning in &report.warnings {
        println!("warning: {warning}");
    }
    for violation in &report.violations {
        println!("error: {violation}");
    }
    match report.violations.len() {
        0 => println!("arrows: the source keeps to the architecture"),
        1 => bail!("one violation of the architecture"),
        n => bail!("{n} violations of the architecture"),
    }
    Ok(())
}

fn examine(root: &Path) -> Result<Report> {
    let mut report = Report::default();
    let library = read(root, Path::new(LIBRARY))?;
    let files: Files = library
        .iter()
        .map(|(file, text)| (inside(file, LIBRARY), text.clone()))
        .collect();
    let lab: Files = read(root, Path::new(LAB))?
        .into_iter()
        .map(|(file, text)| (inside(&file, LAB), text))
        .collect();
    for (root, found) in [
        (LIBRARY, verdict::judge(&files)?),
        (LIBRARY, circles::judge(&files, back::LIBRARY)?),
        (LAB, circles::judge(&lab, back::LAB)?),
    ] {
        report.violations.extend(found.into_iter().map(|violation| {
            let file = Path::new(root).join(&violation.file);
            Violation { file, ..violation }
        }));
    }
    for (file, text) in &library {
        let count = size::unsafe_count(text);
        if count > 0 {
            report.unsafe_counts.push((file.clone(), count));
        }
    }

    let hidden = consumer::hidden_names(&files[Path::new("lib.rs")])?;
    for tree in CONSUMERS {
        for (file, text) in read(root, Path::new(tree))? {
            let found = consumer::judge_file(&file, &text, &hidden)?;
            report.violations.extend(found);
        }
    }

    report.violations.extend(words::judge_types(&library));

    let architecture = fs::read_to_string(root.join(ARCHITECTURE))
        .with_context(|| format!("reading {ARCHITECTURE}"))?;
    let retired = Retired::read(&architecture)?;

    for tree in SIZED {
        for (file, text) in read(root, Path::new(tree))? {
            report
                .violations
                .extend(retired.judge(&file, &text, file.starts_with(LIBRARY)));
            report.violations.extend(banners::judge(&file, &text));
            if ONE_ITEM.iter().any(|one| file == Path::new(one)) {
                continue;
            }
            let lines = text.lines().count();
            match size::length(lines) {
                Length::Fine => {}
                Length::Long => report.warnings.push(format!(
                    "{}: {lines} lines; split it before it reaches {LINES_FAIL}",
                    file.display()
                )),
                Length::TooLong => report.violations.push(Violation {
                    file,
                    line: 0,
                    rule: "short-files",
                    message: format!(
                        "{lines} lines, where {LINES_FAIL} is the most and {LINES_WARN} is plenty: \
                         one noun per file"
                    ),
                }),
            }
        }
    }
    Ok(report)
}

/// The path of a file below `src`.
fn inside(file: &Path, src: &str) -> PathBuf {
    file.strip_prefix(src).unwrap_or(file).to_owned()
}

/// Reads all Rust files below `root/dir`, by their path relative to `root`. A folder that does not
/// exist has none.
fn read(root: &Path, dir: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        let full = root.join(&dir);
        if !full.is_dir() {
            continue;
        }
        let entries = fs::read_dir(&full).with_context(|| format!("reading {}", full.display()))?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let path = dir.join(&name);
            if entry.file_type()?.is_dir() {
                if name != "target" {
                    todo.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path())
                    .with_context(|| format!("reading {}", path.display()))?;
                files.insert(path, text);
            }
        }
    }
    Ok(files)
}
