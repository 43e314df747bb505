//! A patch of the guide: what moves a client from rayon to Drumline, by hand.
//!
//! The page [`PAGE`] has a section for each client that is moved, with a patch in a block of the
//! language `diff`. What readers see is what is applied. A patch is a unified diff without context
//! lines, made with `diff -U0`. The version of a client is pinned, so the lines that a hunk takes
//! out have to stand exactly where it says.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::client::Client;
use crate::workspace;

/// The page with the patches, relative to the root of the workspace.
pub const PAGE: &str = "docs/src/moved.md";

/// What a patch says instead of the folder with this workspace.
const FOLDER: &str = "FOLDER";

/// The changes to one client.
#[derive(Debug, PartialEq, Eq)]
pub struct Patch {
    files: Vec<FileChange>,
}

/// The changes to one file.
#[derive(Debug, PartialEq, Eq)]
struct FileChange {
    /// Relative to the root of the client.
    path: String,
    hunks: Vec<Hunk>,
}

/// Lines that take the place of other lines.
#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    /// The number of the first line that goes, from 1 on; of the line before the new ones, if none
    /// goes.
    line: usize,
    old: Vec<String>,
    new: Vec<String>,
}

impl Patch {
    /// The patch of a client, with this workspace as the folder that it names.
    ///
    /// # Errors
    ///
    /// If the page cannot be read, has no patch of the client, or one that cannot be parsed.
    pub fn of(client: &Client) -> Result<Self> {
        let page = read_page()?;
        let Some(text) = blocks(&page).find(|(title, _)| *title == client.to_string()) else {
            bail!("{PAGE} has no section `## {client}` with a block of the language `diff`");
        };
        let folder = workspace::root().display().to_string().replace('\\', "/");
        Self::parse(&text.1.replace(FOLDER, &folder))
            .with_context(|| format!("the patch of {client} in {PAGE}"))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut files: Vec<FileChange> = Vec::new();
        for line in text.lines() {
            if line.starts_with("--- a/") {
                continue;
            }
            if let Some(path) = line.strip_prefix("+++ b/") {
                files.push(FileChange {
                    path: path.to_owned(),
                    hunks: Vec::new(),
                });
                continue;
            }
            let Some(file) = files.last_mut() else {
                bail!("`{line}` stands before the first line that begins with `+++ b/`");
            };
            if let Some(range) = line.strip_prefix("@@ -") {
                let number = range.split([',', ' ']).next().unwrap_or(range);
                file.hunks.push(Hunk {
                    line: number
                        .parse()
                        .with_context(|| format!("`{line}` has no line number"))?,
                    old: Vec::new(),
                    new: Vec::new(),
                });
                continue;
            }
            let hunk = file.hunks.last_mut();
            let hunk = hunk.with_context(|| format!("`{line}` stands before the first `@@`"))?;
            match line.split_at_checked(1) {
                Some(("-", old)) => hunk.old.push(old.to_owned()),
                Some(("+", new)) => hunk.new.push(new.to_owned()),
                _ => bail!("`{line}` begins with none of `-`, `+` and `@@`: use `diff -U0`"),
            }
        }
        ensure!(!files.is_empty(), "it changes no file");
        Ok(Patch { files })
    }

    /// How many lines go, and how many come.
    pub fn counts(&self) -> (usize, usize) {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.fold((0, 0), |(old, new), hunk| {
            (old + hunk.old.len(), new + hunk.new.len())
        })
    }

    /// Writes the changed files of `from` to `to`.
    ///
    /// # Errors
    ///
    /// If a file is not there, or has other lines than the patch takes out.
    pub fn apply(&self, from: &Path, to: &Path) -> Result<()> {
        for file in &self.files {
            let text = fs::read_to_string(from.join(&file.path))
                .with_context(|| format!("reading {}", from.join(&file.path).display()))?;
            let text = file
                .apply(&text)
                .with_context(|| format!("the patch does not fit {}", file.path))?;
            fs::write(to.join(&file.path), text)
                .with_context(|| format!("writing {}", to.join(&file.path).display()))?;
        }
        Ok(())
    }
}

impl FileChange {
    fn apply(&self, text: &str) -> Result<String> {
        let mut rest = text.split_inclusive('\n').zip(1..).peekable();
        let mut result = String::new();
        for hunk in &self.hunks {
            // New lines alone come behind the line that the hunk names.
            let first = hunk.line + usize::from(hunk.old.is_empty());
            while let Some((line, _)) = rest.next_if(|(_, number)| *number < first) {
                result += line;
            }
            for old in &hunk.old {
                let (line, number) = rest
                    .next()
                    .with_context(|| format!("it ends before the line `{old}`"))?;
                let line = line.trim_end_matches(['\r', '\n']);
                ensure!(line == old, "line {number} is `{line}` and not `{old}`");
            }
            for new in &hunk.new {
                result += new;
                result.push('\n');
            }
        }
        result.extend(rest.map(|(line, _)| line));
        Ok(result)
    }
}

fn read_page() -> Result<String> {
    fs::read_to_string(workspace::root().join(PAGE)).with_context(|| format!("reading {PAGE}"))
}

/// The blocks of the language `diff`, each with the title of its section.
fn blocks(page: &str) -> impl Iterator<Item = (&str, &str)> {
    page.split("\n## ").skip(1).filter_map(|section| {
        let (title, rest) = section.split_once('\n')?;
        let (_, rest) = rest.split_once("\n```diff\n")?;
        let (block, _) = rest.split_once("\n```")?;
        Some((title, block))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_FILES: &str = "\
        --- a/one\n+++ b/one\n@@ -2 +2,2 @@\n-b\n+B\n+B\n@@ -4,0 +6 @@\n+e\n\
        --- a/src/two\n+++ b/src/two\n@@ -1 +0,0 @@\n-x";

    fn refusal(text: &str) -> String {
        format!("{:#}", Patch::parse(text).unwrap_err())
    }

    #[test]
    fn lines_are_replaced_added_and_removed() {
        let patch = Patch::parse(TWO_FILES).unwrap();
        assert_eq!(patch.counts(), (2, 3));
        let [one, two] = &patch.files[..] else {
            panic!("{patch:?}")
        };
        assert_eq!((&*one.path, &*two.path), ("one", "src/two"));
        assert_eq!(one.apply("a\nb\nc\nd\n").unwrap(), "a\nB\nB\nc\nd\ne\n");
        assert_eq!(two.apply("x\ny").unwrap(), "y");
    }

    #[test]
    fn lines_of_another_version_are_refused() {
        let patch = Patch::parse(TWO_FILES).unwrap();
        let refusal = |text| patch.files[0].apply(text).unwrap_err().to_string();
        assert_eq!(refusal("a\nx\nb\n"), "line 2 is `x` and not `b`");
        assert_eq!(refusal("a\n"), "it ends before the line `b`");
    }

    #[test]
    fn what_is_no_patch_is_refused() {
        assert_eq!(refusal(""), "it changes no file");
        assert_eq!(
            refusal("-b"),
            "`-b` stands before the first line that begins with `+++ b/`"
        );
        assert_eq!(refusal("+++ b/x\n+b"), "`+b` stands before the first `@@`");
        assert!(refusal("+++ b/x\n@@ -y @@").starts_with("`@@ -y @@` has no line number"));
        let context = refusal("+++ b/x\n@@ -1,2 +1 @@\n b\n-c");
        assert_eq!(
            context,
            "` b` begins with none of `-`, `+` and `@@`: use `diff -U0`"
        );
    }

    #[test]
    fn a_block_belongs_to_the_section_before_it() {
        let page = "# A\n\n## x 1.0\n\n```rust\n1\n```\n\n## y 2.0\n\ny\n\n```diff\n-a\n+b\n```\n\n\
                    ## z 3.0\n\n```diff\n-c\n```\n";
        let blocks: Vec<_> = blocks(page).collect();
        assert_eq!(blocks, [("y 2.0", "-a\n+b"), ("z 3.0", "-c")]);
    }

    #[test]
    fn the_guide_counts_the_lines_of_its_patches() {
        let page = read_page().unwrap();
        let moved: Vec<_> = Client::ALL
            .iter()
            .filter(|client| client.is_moved)
            .collect();
        assert_eq!(blocks(&page).count(), moved.len());
        for client in moved {
            let (old, new) = Patch::of(client).unwrap().counts();
            let row = format!("| `{}` | {old} | {new} |", client.name);
            assert!(page.contains(&row), "{PAGE} has no row {row}");
        }
    }
}
