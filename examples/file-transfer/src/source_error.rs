//! Why the server cannot go on.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why the server cannot go on.
#[derive(Debug)]
pub struct SourceError {
    /// The file.
    pub path: PathBuf,
    /// What is the matter with it.
    pub problem: SourceProblem,
}

/// What is the matter with a source.
#[derive(Debug)]
#[non_exhaustive]
pub enum SourceProblem {
    /// The file cannot be opened.
    Open(io::Error),
    /// It is a directory, or anything else that has no beginning to go on from.
    NoFile,
    /// The file cannot be read.
    Read {
        /// The offset up to which it was read.
        offset: u64,
        /// What the system says.
        error: io::Error,
    },
    /// The client wants to go on behind the end of the file.
    WrongOffset {
        /// Where the client wants to go on.
        offset: u64,
        /// The length of the file.
        len: u64,
    },
    /// What the client has is not the beginning of the file.
    Differs {
        /// Where the client wants to go on.
        offset: u64,
    },
}

impl SourceError {
    /// A problem with this file.
    pub(crate) fn new(path: &Path, problem: SourceProblem) -> Self {
        SourceError {
            path: path.to_owned(),
            problem,
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            SourceProblem::Open(_) => write!(f, "cannot open {path}"),
            SourceProblem::NoFile => write!(f, "{path} is not a file"),
            SourceProblem::Read { offset, .. } => write!(f, "cannot read {path} at {offset}"),
            SourceProblem::WrongOffset { offset, len } => {
                write!(
                    f,
                    "{path} ends at {len}, and cannot be sent from {offset} on"
                )
            }
            SourceProblem::Differs { offset } => write!(
                f,
                "{path} does not begin with the {offset} bytes that were received; it is another \
                 file, or has changed"
            ),
        }
    }
}

impl Error for SourceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.problem {
            SourceProblem::Open(error) | SourceProblem::Read { error, .. } => Some(error),
            _ => None,
        }
    }
}
