//! Peers in other languages: a small program for each, which takes part in the workloads of the
//! lab.
//!
//! ```text
//! installed? ─► toolchain ─► cache: compiled before? ─► compile ─► command ─► definition::run
//! ```
//! The sources are in `lab/peers`, and are compiled into the lab as text. Whether a language is
//! installed is looked up only when a run or a list asks for it. A program is compiled before the
//! first round, once for each version of its sources and of its tools. It answers as programs of
//! own workloads do; see [`definition`](crate::definition).
//!
//! A language that is not installed has no row in a run of all peers. A run that names it has a row
//! that says how to get it. Where `LAB_PEERS_DEMANDED` names it, that row has failed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{LazyLock, OnceLock};
use std::thread;

use clap::Args;

use crate::families::{Family, actors, fork_join, loops, messages};
use crate::registry::RuntimeEntry;
use crate::runtime::{Role, RuntimeCard};
use crate::session::Effort;

mod cache;
mod erlang;
mod go;
mod java;
#[cfg(all(test, unix))]
mod made_up;
mod onetbb;
mod spice;
mod tool;
mod toolchain;

use toolchain::{Toolchain, Variables};

/// No run asks for samples over a longer time. Languages without numbers of 64 bits can count it.
const WINDOW_MS_MAX: u64 = 3_600_000;

/// What `cargo lab list` says of a peer that there is no program for.
pub const WITHOUT_PROGRAM: &str = "  pekko                       Java with Pekko: actors
                              not there: the lab has no program for it, which would need packages
                              of Maven Central; `run --define` measures one of your own
";

/// A variable of the environment with the names of peers, separated by commas. One of them that is
/// not installed fails, and is not left out.
const DEMANDED: &str = "LAB_PEERS_DEMANDED";

/// The checkout of Spice that the command line names.
static SPICE: OnceLock<OsString> = OnceLock::new();

/// Where that is which a peer needs and no system has installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Places {
    /// A checkout of Spice, for the peer `spice`; `list` says how to get it, and the zig of its
    /// time.
    #[arg(long, value_name = "DIR", env = spice::CHECKOUT, hide_env_values = true)]
    spice: Option<OsString>,
}

impl Places {
    /// What they are if the command line says nothing.
    pub fn of_environment() -> Self {
        Self {
            spice: std::env::var_os(spice::CHECKOUT),
        }
    }

    /// From now on, peers are looked for in these places. It counts once in a process, and before
    /// a peer is asked for.
    pub fn apply(&self) {
        if let Some(directory) = &self.spice {
            SPICE.get_or_init(|| directory.clone());
        }
    }
}

/// What says where tools are: the environment, and what the command line says in its place.
fn variable(name: &str) -> Option<OsString> {
    let named = SPICE.get().filter(|_| name == spice::CHECKOUT);
    named.cloned().or_else(|| std::env::var_os(name))
}

/// Why a peer has no figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFigure {
    /// It cannot take part; how that can be changed.
    Declined(String),
    /// It should have taken part, and something went wrong.
    Failed(String),
}

/// What a process of a peer is to measure.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Name of the workload.
    pub workload: &'static str,
    /// Size, in the workload's own terms.
    pub size: u64,
    /// Number of jobs.
    pub jobs: usize,
    /// Trouble to go to.
    pub effort: Effort,
    /// Whether operations are repeated until a sample is long enough.
    pub repeats: bool,
}

/// A peer in another language.
#[derive(Debug)]
pub struct Peer {
    /// Name and place of its rows.
    pub card: RuntimeCard,
    /// The workloads that it runs, by family.
    workloads: &'static [(&'static Family, &'static [&'static str])],
    /// Looks for what compiles and starts it. The error says how to get it.
    find: fn(Variables) -> Result<Box<dyn Toolchain>, String>,
    /// What was found.
    found: OnceLock<Result<Box<dyn Toolchain>, String>>,
    /// Where it was compiled.
    compiled: OnceLock<Result<PathBuf, String>>,
}

/// All of them, in the order of their rows.
static PEERS: [Peer; 5] = [
    Peer::new(
        card(
            ("go", 200),
            "Go: goroutines and channels",
            "work stealing, a queue per processor",
            (0, 150, 190),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
        ],
        go::find,
    ),
    Peer::new(
        card(
            ("erlang", 201),
            "Erlang: processes and their mailboxes",
            "a queue per scheduler, preemption by reductions",
            (150, 40, 90),
        ),
        &[
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
            (&actors::FAMILY, &["actor-ring", "actor-pingpong"]),
        ],
        erlang::find,
    ),
    Peer::new(
        card(
            ("onetbb", 202),
            "C++ with oneTBB: `parallel_invoke`, `parallel_reduce`",
            "work stealing, a deque per thread",
            (80, 90, 200),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (&loops::FAMILY, &["slice-sum", "mandelbrot"]),
        ],
        onetbb::find,
    ),
    Peer::new(
        card(
            ("java", 203),
            "Java: `ForkJoinPool`; virtual threads and blocking queues, from 21 on",
            "work stealing, a deque per thread",
            (176, 114, 25),
        ),
        &[
            (&fork_join::FAMILY, &["tree-sum"]),
            (
                &messages::FAMILY,
                &["msgsend", "ping-pong", "token-ring", "threadring"],
            ),
        ],
        java::find,
    ),
    Peer::new(
        card(
            ("spice", 204),
            "Zig with Spice: `fork`, `join`",
            "heartbeat, one shared job per worker",
            (235, 150, 30),
        ),
        &[(&fork_join::FAMILY, &["tree-sum"])],
        spice::find,
    ),
];

/// The card of a peer.
const fn card(
    (name, rank): (&'static str, u8),
    about: &'static str,
    scheduler: &'static str,
    colour: (u8, u8, u8),
) -> RuntimeCard {
    RuntimeCard {
        name,
        about,
        package: None,
        role: Role::Peer,
        rank,
        scheduler,
        parallel: true,
        colour,
    }
}

/// All peers, in the order of their rows.
pub fn all() -> &'static [Peer] {
    &PEERS
}

/// Asks the tools of these peers for their versions, all at once. So a run or a list waits once for
/// all those that do not answer.
pub fn ask(peers: impl Iterator<Item = &'static Peer>) {
    thread::scope(|scope| {
        for peer in peers {
            let ask = || peer.version().is_ok();
            // Where no thread can be started, it is asked later.
            let _ = thread::Builder::new().spawn_scoped(scope, ask);
        }
    });
}

/// Their rows: one for each family that a peer takes part in.
pub fn entries() -> &'static [RuntimeEntry] {
    static ENTRIES: LazyLock<Vec<RuntimeEntry>> = LazyLock::new(|| {
        let rows = PEERS.iter().flat_map(|peer| {
            let families = peer.workloads.iter();
            families.map(move |(family, _)| RuntimeEntry {
                by_default: false,
                peer: Some(peer),
                ..RuntimeEntry::new(family, peer.card)
            })
        });
        rows.collect()
    });
    &ENTRIES
}

impl Peer {
    const fn new(
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
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry;

    #[test]
    fn peers_run_workloads_of_their_families() {
        for peer in all() {
            for (family, names) in peer.workloads {
                for name in *names {
                    let workload = registry::workload(name).unwrap();
                    assert_eq!(workload.family, *family, "{name}");
                    let mut rows = workload.peers().into_iter();
                    assert!(rows.any(|row| row.card.name == peer.card.name), "{name}");
                }
            }
        }
    }

    #[test]
    fn names_and_ranks_are_those_of_no_other_runtime() {
        let mut names = BTreeSet::new();
        let mut ranks = BTreeSet::new();
        for peer in all() {
            assert!(names.insert(peer.card.name) && ranks.insert(peer.card.rank));
            let runtimes = registry::all_runtimes();
            assert!(runtimes.iter().all(|it| it.card.name != peer.card.name));
            let found = registry::runtime(peer.card.name).unwrap();
            assert_eq!(found.card.colour, peer.card.colour);
        }
    }

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
