//! What a language has to offer to be measured here.

use std::ffi::OsString;
use std::fmt::Debug;
use std::path::{Path, PathBuf};

use super::task::Task;

/// The variables of the environment that say where tools are. Tests have their own.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// A file that is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name in the directory where it is compiled.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

impl Source {
    /// A file of `lab/peers`.
    pub fn own(name: &'static str, text: &str) -> Self {
        Self {
            name,
            text: text.to_owned(),
        }
    }

    /// Several of them, each with its name.
    pub fn all(files: &[(&'static str, &str)]) -> Vec<Self> {
        let files = files.iter();
        files.map(|(name, text)| Self::own(name, text)).collect()
    }
}

/// A run of a compiler, in the directory of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The compiler.
    pub program: PathBuf,
    /// Its arguments. They name no directory but those of libraries, so that they are the same
    /// wherever it is compiled.
    pub arguments: Vec<String>,
    /// Variables that are set for it.
    pub variables: Vec<(&'static str, &'static str)>,
    /// The variable that names a directory for what the compiler keeps, if it has none by itself.
    pub keeps: Option<&'static str>,
}

impl Step {
    /// A run with these arguments, separated by blanks.
    pub fn line(program: &Path, line: &str) -> Self {
        Self {
            program: program.to_owned(),
            arguments: line.split_whitespace().map(str::to_owned).collect(),
            variables: Vec::new(),
            keeps: None,
        }
    }
}

/// The tools of a language, as they are installed here.
pub trait Toolchain: Debug + Send + Sync {
    /// The version that a record names.
    fn version(&self) -> &str;

    /// What is compiled.
    fn sources(&self) -> Vec<Source>;

    /// How it is compiled.
    fn steps(&self) -> Vec<Step>;

    /// What is started, before the arguments that all peers have. `directory` is where it was
    /// compiled.
    fn command(&self, directory: &Path, task: &Task) -> Vec<OsString>;

    /// Why this version cannot run a workload, and what it would need, if it cannot.
    fn lacks(&self, _workload: &str) -> Option<String> {
        None
    }

    /// How long it warms up, in milliseconds: at least one operation in any case.
    fn warm_up_ms(&self, task: &Task) -> u64 {
        task.effort.warm_up_ms
    }
}
