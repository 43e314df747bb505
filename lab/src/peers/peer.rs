//! A peer in another language.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::cache;
use super::places::variable;
use super::task::Task;
use super::toolchain::{Toolchain, Variables};
use crate::families::Family;
use crate::runtime::RuntimeCard;

/// No run asks for samples over a longer time. Languages without numbers of 64 bits can count it.
const WINDOW_MS_MAX: u64 = 3_600_000;

/// A variable of the environment with the names of peers, separated by commas. One of them that is
/// not installed fails, and is not left out.
const DEMANDED: &str = "LAB_PEERS_DEMANDED";

/// Why a peer has no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    /// It cannot take part; how that can be changed.
    Declined(String),
    /// It should have taken part, and something went wrong.
    Failed(String),
}

/// A peer in another language.
#[derive(Debug)]
pub struct Peer {
    /// Name and place of its rows.
    pub card: RuntimeCard,
    /// The workloads that it runs, by family.
    pub(super) workloads: &'static [(&'static Family, &'static [&'static str])],
    /// Looks for what compiles and starts it. The error says how to get it.
    find: fn(Variables) -> Result<Box<dyn Toolchain>, String>,
    /// What was found.
    found: OnceLock<Result<Box<dyn Toolchain>, String>>,
    /// Where it was compiled.
    compiled: OnceLock<Result<PathBuf, String>>,
}

impl Peer {
    pub(super) const fn new(
        card: RuntimeCard,
        workloads: &'static [(&'static Family, &'static [&'static str])],
        find: fn(Variables) -> Result<Box<dyn Toolchain>, String>,
    ) -> Self {
        Self {
            card,
            workloads,
            find,
            found: OnceLock::new(),
            compiled: OnceLock::new(),
        }
    }

    /// The names of the workloads that it runs.
    pub fn workloads(&self) -> impl Iterator<Item = &'static str> {
        let families = self.workloads.iter();
        families.flat_map(|(_, names)| names.iter().copied())
    }

    /// The version of its language, if it is installed.
    ///
    /// # Errors
    ///
    /// It is not installed; the error says how to get it.
    pub fn version(&self) -> Result<&str, &str> {
        self.toolchain().map(Toolchain::version)
    }

    /// What `cargo lab list` says of it.
    pub fn lines(&self) -> String {
        let version = self.version();
        let name = format!("{} {}", self.card.name, version.unwrap_or_default());
        let names = Vec::from_iter(self.workloads()).join(", ");
        let mut lines = format!("  {name:27} {}\n  {:27} {names}\n", self.card.about, "");
        if let Err(how) = version {
            lines += &format!("  {:27} {how}\n", "");
        }
        lines
    }

    /// Compiles it, unless that was done before.
    ///
    /// # Errors
    ///
    /// It is not installed, or its compiler refuses it.
    pub fn compile(&self) -> Result<(), NoFigure> {
        self.directory().map(|_| ())
    }

    /// The program and its arguments for a task. The first call compiles it.
    ///
    /// # Errors
    ///
    /// It cannot run the workload here, or it cannot be compiled.
    pub fn words(&self, task: &Task) -> Result<Vec<String>, NoFigure> {
        let toolchain = self.installed()?;
        if let Some(reason) = toolchain.lacks(task.workload) {
            return Err(NoFigure::Declined(reason));
        }
        let directory = self.directory()?;
        let words = toolchain.command(directory, task);
        let mut words: Vec<String> = words
            .into_iter()
            .map(OsString::into_string)
            .collect::<Result<_, _>>()
            .map_err(|word| {
                let word = word.display();
                NoFigure::Failed(format!("{word} is no Unicode; move it to another place"))
            })?;
        words.extend(arguments(task, toolchain.warm_up_ms(task)));
        Ok(words)
    }

    fn toolchain(&self) -> Result<&dyn Toolchain, &str> {
        let found = self.found.get_or_init(|| (self.find)(&variable));
        match found {
            Ok(toolchain) => Ok(toolchain.as_ref()),
            Err(how) => Err(how),
        }
    }

    fn installed(&self) -> Result<&dyn Toolchain, NoFigure> {
        self.toolchain().map_err(|how| {
            let demanded = std::env::var(DEMANDED).unwrap_or_default();
            if demanded.split(',').any(|name| name == self.card.name) {
                NoFigure::Failed(format!("{DEMANDED} demands it, and {how}"))
            } else {
                NoFigure::Declined(how.to_owned())
            }
        })
    }

    fn directory(&self) -> Result<&PathBuf, NoFigure> {
        let toolchain = self.installed()?;
        let compiled = self.compiled.get_or_init(|| {
            cache::compiled(&cache::place(), self.card.name, toolchain)
                .map_err(|error| format!("{error:#}"))
        });
        compiled
            .as_ref()
            .map_err(|error| NoFigure::Failed(error.clone()))
    }
}

/// What every peer is told, in the order of `lab/peers/README.md`.
fn arguments(task: &Task, warm_up_ms: u64) -> [String; 8] {
    let effort = &task.effort;
    let sample_ns = if task.repeats { effort.sample_ns } else { 0 };
    [
        task.workload.to_owned(),
        task.size.to_string(),
        task.jobs.to_string(),
        warm_up_ms.to_string(),
        effort.window_ms.min(WINDOW_MS_MAX).to_string(),
        effort.samples_min.to_string(),
        effort.samples_max.to_string(),
        sample_ns.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn arguments_are_numbers_that_every_language_can_count() {
        let task = Task {
            workload: "tree-sum",
            size: 1000,
            jobs: 2,
            effort: Effort::full(),
            repeats: true,
        };
        let words = |task: &Task| arguments(task, task.effort.warm_up_ms).join(" ");
        assert_eq!(words(&task), "tree-sum 1000 2 3000 3600000 50 50 2000000");
        let once = Task {
            repeats: false,
            ..task
        };
        assert_eq!(words(&once), "tree-sum 1000 2 3000 3600000 50 50 0");
    }
}
