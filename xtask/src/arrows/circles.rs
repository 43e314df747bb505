//! Circles across files: files of one crate that name each other in a ring.
//!
//! A file points to another if it names an item that the other defines, however many re-exports
//! lie between. A `mod` declaration, and a re-export that nothing in the crate goes through, are no
//! arrows. Test code is exempt, as everywhere. The circles are the strongly connected components
//! of more than one file (Tarjan, 1972).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::back::{ANY, Back};
use super::resolve::Names;
use super::tree::{Files, Tree};
use super::verdict::Violation;

/// What a file takes from another: names, by the file that defines them.
type Arrows = BTreeMap<PathBuf, BTreeMap<PathBuf, BTreeSet<String>>>;

/// Each circle that is left without the arrows `back`, and each of these that closes none.
pub fn judge(files: &Files, back: &[Back]) -> Result<Vec<Violation>> {
    let all = arrows(&Tree::grow(files)?);
    let mut kept = all.clone();
    for back in back {
        if let Some(targets) = kept.get_mut(Path::new(back.from)) {
            targets.retain(|to, _| !back.names(to));
        }
    }
    let mut found = Vec::new();
    for circle in circles(&kept) {
        let mut message = String::from("files that name each other in a circle:");
        for from in &circle {
            for (to, names) in kept[from].iter().filter(|(to, _)| circle.contains(to)) {
                let names = names.iter().map(String::as_str).collect::<Vec<_>>();
                let (from, to) = (from.display(), to.display());
                write!(message, "\n    {from} -> {to}: {}", names.join(", "))?;
            }
        }
        found.push(violation(&circle[0], message));
    }
    for back in back {
        let from = Path::new(back.from);
        for to in back.to {
            let is_it = |target: &PathBuf| *to == ANY || target == Path::new(to);
            let mut targets = all.get(from).into_iter().flat_map(BTreeMap::keys);
            let is_needed = targets.any(|target| is_it(target) && leads(&kept, target, from));
            if !is_needed {
                let message = format!(
                    "the arrow back to {to} ({}) closes no circle: take it out of the list in \
                     xtask/src/arrows/back.rs",
                    back.why
                );
                found.push(violation(from, message));
            }
        }
    }
    Ok(found)
}

fn violation(file: &Path, message: String) -> Violation {
    Violation {
        file: file.to_owned(),
        line: 0,
        rule: "circles",
        message,
    }
}

/// Whether arrows lead from one file to another.
fn leads(arrows: &Arrows, from: &Path, to: &Path) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut todo = vec![from];
    while let Some(file) = todo.pop() {
        for next in arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    false
}

/// The arrows between the files of a crate.
fn arrows(tree: &Tree) -> Arrows {
    let names = Names::read(tree);
    let mut arrows = Arrows::new();
    for (index, module) in tree.modules.iter().enumerate() {
        let own = arrows.entry(module.file.clone()).or_default();
        for mention in names.mentions(index) {
            if mention.is_passed_on() {
                continue;
            }
            for path in names.spelled(&module.path, mention) {
                for (home, name) in names.definitions(&path) {
                    let file = &tree.modules[home].file;
                    if *file != module.file {
                        own.entry(file.clone()).or_default().insert(name);
                    }
                }
            }
        }
    }
    arrows
}

/// The circles among the arrows, each with its files in order.
fn circles(arrows: &Arrows) -> Vec<Vec<PathBuf>> {
    let mut search = Search {
        arrows,
        seen: BTreeMap::new(),
        open: Vec::new(),
        found: Vec::new(),
    };
    for file in arrows.keys() {
        if !search.seen.contains_key(file.as_path()) {
            search.visit(file);
        }
    }
    let mut found = search.found;
    found.sort();
    found
}

/// Tarjan's search.
struct Search<'a> {
    arrows: &'a Arrows,
    /// When a file was met, and the earliest file of the stack that it leads back to.
    seen: BTreeMap<&'a Path, (usize, usize)>,
    /// The files that may still be a part of a circle.
    open: Vec<&'a Path>,
    found: Vec<Vec<PathBuf>>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, file: &'a Path) -> usize {
        let met = self.seen.len();
        self.seen.insert(file, (met, met));
        self.open.push(file);
        let mut low = met;
        for next in self.arrows.get(file).into_iter().flat_map(BTreeMap::keys) {
            match self.seen.get(next.as_path()) {
                None => low = low.min(self.visit(next)),
                Some(&(when, _)) if self.open.contains(&next.as_path()) => low = low.min(when),
                Some(_) => {}
            }
        }
        self.seen.insert(file, (met, low));
        if low == met {
            let start = self.open.iter().position(|open| *open == file);
            let members = self.open.split_off(start.expect("it is on the stack"));
            if members.len() > 1 {
                let mut members: Vec<_> = members.into_iter().map(Path::to_owned).collect();
                members.sort();
                self.found.push(members);
            }
        }
        low
    }
}
