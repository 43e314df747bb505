//! `cargo xtask guide`: builds the guide in `docs`, after a check of all pages of the repository.
//!
//! | file | noun |
//! |---|---|
//! | `markdown` | a page: its links, its anchors, and whether it has code |
//! | `links` | links that lead nowhere |
//! | `chapters` | pages of the guide that its summary or its tests leave out |
//!
//! The check needs no program. The book needs `mdbook`, which CI does not have.

mod chapters;
mod links;
mod markdown;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;

use crate::invocation::Invocation;
use crate::workspace;

/// Where the pages of the guide are.
const PAGES: &str = "docs/src";

/// What `guide` can be told.
#[derive(Args)]
pub struct Options {
    /// Only checks the links and the chapters of the pages.
    #[arg(long)]
    check: bool,
}

/// Checks the pages, and makes the book of them.
pub fn run(options: &Options) -> Result<()> {
    let root = workspace::root();
    println!("{}", check(&root)?);
    if options.check {
        return Ok(());
    }
    if !Invocation::line("mdbook --version").succeeds() {
        bail!(
            "the book is made by `mdbook`, which is not installed; `cargo install mdbook --locked` \
             gets it, and without it the pages can be read as they are, from {PAGES}/SUMMARY.md on"
        );
    }
    Invocation::line("mdbook build docs").run()?;
    println!("the book begins at docs/book/index.html");
    Ok(())
}

/// The paths of all pages below `root`, from there, in order.
pub fn pages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut pages: Vec<PathBuf> = links::pages(root)?.into_keys().collect();
    pages.sort();
    Ok(pages)
}

/// Checks the pages below `root`. Says what it has seen.
fn check(root: &Path) -> Result<String> {
    let pages = links::pages(root)?;
    let mut faults = Vec::new();
    let links = links::check(root, &pages, &mut faults)?;
    let chapters = chapters::check(root, &mut faults)?;
    if !faults.is_empty() {
        bail!("the pages have faults:\n  {}", faults.join("\n  "));
    }
    Ok(format!(
        "{links} links in {} pages, {chapters} chapters: each link leads somewhere",
        pages.len()
    ))
}
