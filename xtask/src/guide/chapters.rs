//! Pages of the guide that are in no list: that of the chapters, or that of the tests.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::PAGES;
use super::markdown::Markdown;

/// The list of the chapters.
const SUMMARY: &str = "SUMMARY.md";

/// The list of the pages with code that is tested.
const TESTED: &str = "docs/lib.rs";

/// Checks the pages of the guide. Returns how many chapters there are.
pub fn check(root: &Path, faults: &mut Vec<String>) -> Result<usize> {
    let read = |name: &str| {
        let text = fs::read_to_string(root.join(name));
        text.with_context(|| format!("reading {name}"))
    };
    let summary = Markdown::parse(&read(&format!("{PAGES}/{SUMMARY}"))?);
    let tested = read(TESTED)?;
    let mut count = 0;
    let entries = fs::read_dir(root.join(PAGES)).with_context(|| format!("reading {PAGES}"))?;
    for entry in entries {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if !name.ends_with(".md") || name == SUMMARY {
            continue;
        }
        count += 1;
        if summary.links.iter().all(|link| link.address != *name) {
            faults.push(format!("{PAGES}/{name}: {SUMMARY} does not name it"));
        }
        let page = Markdown::parse(&read(&format!("{PAGES}/{name}"))?);
        if page.has_rust && !tested.contains(&format!("include_str!(\"src/{name}\")")) {
            faults.push(format!("{PAGES}/{name}: {TESTED} does not test its code"));
        }
    }
    Ok(count)
}
