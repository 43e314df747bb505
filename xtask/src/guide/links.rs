//! Links that lead nowhere: to a file that is not there, or to a heading that a page does not have.
//!
//! Addresses on the network are not asked for.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::PAGES;
use super::markdown::Markdown;

/// Folders without pages of this repository.
const LEFT_OUT: [&str; 2] = ["target", "book"];

/// All pages below `root`, by their paths from there.
pub fn pages(root: &Path) -> Result<HashMap<PathBuf, Markdown>> {
    let mut pages = HashMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder));
        for entry in entries.with_context(|| format!("reading {}", folder.display()))? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path = folder.join(&*name);
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && !LEFT_OUT.contains(&&*name) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = fs::read_to_string(root.join(&path));
                let text = text.with_context(|| format!("reading {}", path.display()))?;
                pages.insert(path, Markdown::parse(&text));
            }
        }
    }
    Ok(pages)
}

/// Checks all links of the pages. Returns how many there are.
pub fn check(
    root: &Path,
    pages: &HashMap<PathBuf, Markdown>,
    faults: &mut Vec<String>,
) -> Result<usize> {
    let mut count = 0;
    let mut sorted: Vec<_> = pages.iter().collect();
    sorted.sort_by_key(|(path, _)| *path);
    for (path, page) in sorted {
        for link in &page.links {
            count += 1;
            if let Some(fault) = fault(root, pages, path, &link.address) {
                faults.push(format!(
                    "{}:{}: {}: {fault}",
                    path.display(),
                    link.line,
                    link.address
                ));
            }
        }
    }
    Ok(count)
}

/// What is wrong with a link of the page at `path`.
fn fault(
    root: &Path,
    pages: &HashMap<PathBuf, Markdown>,
    path: &Path,
    address: &str,
) -> Option<String> {
    if address.contains("://") || address.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = match address.split_once('#') {
        Some((file, anchor)) => (file, Some(anchor)),
        None => (address, None),
    };
    let target = if file.is_empty() {
        path.to_owned()
    } else {
        let folder = path.parent().unwrap_or(Path::new(""));
        let Some(target) = resolve(folder, file) else {
            return Some("leads out of the repository".to_owned());
        };
        target
    };
    if !root.join(&target).exists() {
        return Some(format!("there is no {}", target.display()));
    }
    let is_page = target
        .extension()
        .is_some_and(|extension| extension == "md");
    if is_page && path.starts_with(PAGES) && !target.starts_with(PAGES) {
        return Some(
            "mdBook turns this into a link to a chapter; name the file without a link".to_owned(),
        );
    }
    let anchor = anchor?;
    let Some(page) = pages.get(&target) else {
        return Some(format!("{} is no page with headings", target.display()));
    };
    if page.anchors.iter().any(|known| known == anchor) {
        return None;
    }
    Some(format!(
        "{} has no heading `{anchor}`; it has {}",
        target.display(),
        page.anchors.join(", ")
    ))
}

/// The path from the root to `file`, which is named in `folder`. `None`: it is not below the root.
fn resolve(folder: &Path, file: &str) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    for part in Path::new(file).components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::ParentDir => {
                if !path.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}
