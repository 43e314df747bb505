//! What one side of a comparison may be: records, a revision, or the files as they are.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::journal;
use crate::machine::{git, workspace};
use crate::reader;
use crate::record::Record;
use crate::workshop::Source;

/// How the files of the working tree are named on the command line.
pub const WORKTREE: &str = "WORKTREE";

/// One side.
#[derive(Debug)]
pub enum Side {
    /// Records of an earlier run.
    Records {
        /// The file.
        file: PathBuf,
        /// What is in it.
        records: Vec<Record>,
    },
    /// Something that is built and measured.
    Source(Source),
}

impl Side {
    /// What an argument of the command line means: a file or a directory with records if there is
    /// one, and otherwise a revision.
    pub fn of(argument: &str) -> Result<Self> {
        if argument == WORKTREE {
            return Ok(Self::Source(Source::Worktree { root: workspace() }));
        }
        if let Some(file) = reader::file_of(Path::new(argument)) {
            let records = reader::read(&file)?;
            return Ok(Self::Records { file, records });
        }
        // A word that begins with a dash would be an option of git's.
        let spelled = format!("{argument}^{{commit}}");
        let commit = (!argument.starts_with('-'))
            .then(|| git(&["rev-parse", "--verify", "--quiet", &spelled]))
            .flatten();
        match commit {
            Some(commit) => Ok(Self::Source(Source::Revision {
                name: argument.to_owned(),
                commit,
            })),
            None if journal::is_in(Path::new(argument)) => {
                bail!(journal::unfinished(Path::new(argument)))
            }
            None => bail!(
                "{argument}: neither a file with records, nor a directory with records.jsonl, \
                 nor a revision of this repository, nor {WORKTREE}"
            ),
        }
    }
}

/// What a file of records is called in a report.
pub fn describe(file: &Path, records: &[Record]) -> String {
    let mut text = file.display().to_string();
    if let Some(first) = records.first() {
        if let Some(revision) = &first.build.git_revision {
            let dirty = if first.build.git_dirty == Some(true) {
                ", with changes"
            } else {
                ""
            };
            text += &format!(", of {}{dirty}", &revision[..revision.len().min(12)]);
        }
        text += &format!(", {}", first.date);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_have_names() {
        let commit = "0123456789abcdef".to_owned();
        let revision = |name: &str| Source::Revision {
            name: name.to_owned(),
            commit: commit.clone(),
        };
        assert_eq!(revision("main").describe(), "revision main (0123456789ab)");
        assert_eq!(revision("01234").describe(), "revision 0123456789ab");
    }

    #[test]
    fn a_run_without_records_has_to_go_on_first() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("journal.jsonl"), "").unwrap();
        let error = Side::of(directory.path().to_str().unwrap()).unwrap_err();
        assert!(error.to_string().contains("lab --resume"), "{error}");
    }

    #[test]
    fn what_is_nothing_is_refused() {
        for nonsense in ["no such thing", "--all"] {
            let error = Side::of(nonsense).unwrap_err().to_string();
            assert!(error.contains("nor a revision"), "{error}");
        }
        assert!(matches!(
            Side::of(WORKTREE),
            Ok(Side::Source(Source::Worktree { .. }))
        ));
    }
}
