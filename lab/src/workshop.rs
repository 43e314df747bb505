//! Builds the lab of a revision, or of the files as they are, with several layouts.
//!
//! ```text
//! target/lab-builds/
//!   busy       which process builds here; one at a time
//!   target/    cargo's, of all builds, so that dependencies are compiled once; stays
//!   source/    a revision's files, a work tree of git; removed once it is built
//!   A/, B/     the programs of each side, one per layout; removed at the end; `aligned/` and
//!              `default/` for `lab layouts`
//! ```
//! A *layout* is where the linker places the functions. The first one is the linker's own order.
//! For the others LLD shuffles all code sections, each function being one, and standard library and
//! peers with it; only the last link is made again. A linker that cannot shuffle gives two layouts:
//! for the second, everything is compiled with one more word in `-Cmetadata`. It changes the hash
//! in each symbol's name, and so the order in which functions come.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::console::note;
use crate::launch::{Launcher, collect};
use crate::machine::{ALIGNMENT, git, target_directory, workspace};
use crate::{interrupt, process_group};

/// The layouts of each side, where the linker can shuffle.
const LAYOUTS: usize = 10;

/// Something that can be built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The files as they are.
    Worktree {
        /// Where they are.
        root: PathBuf,
    },
    /// What git has.
    Revision {
        /// As it was asked for.
        name: String,
        /// The commit.
        commit: String,
    },
}

impl Source {
    /// What it is called in a report.
    pub fn describe(&self) -> String {
        match self {
            Self::Worktree { .. } => "the working tree".to_owned(),
            Self::Revision { name, commit } => {
                let short = &commit[..commit.len().min(12)];
                if commit.starts_with(name.as_str()) {
                    format!("revision {short}")
                } else {
                    format!("revision {name} ({short})")
                }
            }
        }
    }
}

/// What everything is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flags {
    /// Loops begin at cache lines, for every runtime, as `cargo lab` has them; see
    /// `.cargo/config.toml`.
    Aligned,
    /// What users get without flags of their own.
    Default,
}

impl Flags {
    /// What they are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Default => "default",
        }
    }

    /// As the compiler takes them.
    pub fn words(self) -> Vec<String> {
        match self {
            Self::Aligned => ALIGNMENT.map(str::to_owned).to_vec(),
            Self::Default => Vec::new(),
        }
    }
}

/// What the directories for programs are called.
const SIDES: [&str; 4] = ["A", "B", "aligned", "default"];

/// What was built of one side.
#[derive(Debug)]
pub struct Built {
    /// What it is called.
    pub name: String,
    /// The commit, if it is one.
    pub commit: Option<String>,
    /// The programs, one per layout.
    pub programs: Vec<PathBuf>,
    /// What the layouts are.
    pub layouts: &'static str,
    /// What everything was compiled with.
    pub flags: Flags,
    /// By how many percent its processes are slowed down on purpose.
    pub slowdown_percent: Option<u32>,
}

/// The place where revisions are built.
#[derive(Debug)]
pub struct Workshop {
    directory: PathBuf,
}

impl Workshop {
    /// Opens it, and clears away what a run left that was ended.
    pub fn open() -> Result<Self> {
        let directory = target_directory().join("lab-builds");
        fs::create_dir_all(&directory).with_context(|| {
            let name = directory.display();
            format!("{name} cannot be made; CARGO_TARGET_DIR names another place")
        })?;
        // Cargo runs elsewhere.
        let directory = directory.canonicalize()?;
        take(&directory.join("busy"))?;
        let workshop = Self { directory };
        workshop.clear();
        Ok(workshop)
    }

    /// Builds a source with no more layouts than these. `side` is the name of a directory for its
    /// programs.
    pub fn build(
        &self,
        source: &Source,
        side: &str,
        layouts: usize,
        flags: Flags,
    ) -> Result<Built> {
        note(&format!("building {}…", source.describe()));
        let (root, commit) = match source {
            Source::Worktree { root } => (root.canonicalize()?, None),
            Source::Revision { commit, .. } => (self.check_out(commit)?, Some(commit.clone())),
        };
        ensure!(
            root.join("lab/Cargo.toml").is_file(),
            "{} has no lab that could be built",
            source.describe()
        );
        let places = self.directory.join(side);
        fs::create_dir_all(&places)?;
        self.forget_members()?;
        let build = Build {
            cargo: std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            root: &root,
            target: &self.directory.join("target"),
            flags,
        };
        let built = build.programs(&places, layouts.min(LAYOUTS));
        if commit.is_some() {
            self.remove_source();
        }
        let (programs, layouts) =
            built.with_context(|| format!("{} cannot be built", source.describe()))?;
        Ok(Built {
            name: source.describe(),
            commit,
            programs,
            layouts,
            flags,
            slowdown_percent: None,
        })
    }

    /// Writes the files of a commit to a directory.
    fn check_out(&self, commit: &str) -> Result<PathBuf> {
        let source = self.directory.join("source");
        let status = Command::new("git")
            .current_dir(workspace())
            .args(["worktree", "add", "--quiet", "--force", "--detach"])
            .arg(&source)
            .arg(commit)
            .status()
            .context("git cannot be started")?;
        ensure!(status.success(), "git cannot check out {commit}");
        Ok(source)
    }

    /// Has cargo compile the packages of the workspace anew. It knows a package of a path by its
    /// place in the workspace and by the times of its files, and two revisions have the same
    /// places.
    fn forget_members(&self) -> Result<()> {
        let prints = self.directory.join("target/release/.fingerprint");
        let entries = match fs::read_dir(&prints) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with("drumline") {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }

    fn remove_source(&self) {
        let source = self.directory.join("source");
        if source.exists() {
            // What git does not know is removed below all the same.
            let path = source.display().to_string();
            let _ = git(&["worktree", "remove", "--force", &path]);
            let _ = fs::remove_dir_all(&source);
            let _ = git(&["worktree", "prune"]);
        }
    }

    /// Removes everything but what cargo can use again.
    fn clear(&self) {
        self.remove_source();
        for side in SIDES {
            // It may not be there.
            let _ = fs::remove_dir_all(self.directory.join(side));
        }
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.clear();
        let _ = fs::remove_file(self.directory.join("busy"));
    }
}

/// Takes the place for this process.
fn take(busy: &Path) -> Result<()> {
    let own = std::process::id().to_string();
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    match options.open(busy) {
        Ok(mut file) => Ok(io::Write::write_all(&mut file, own.as_bytes())?),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let other = fs::read_to_string(busy).unwrap_or_default();
            // A process that was killed left it.
            let is_gone = cfg!(target_os = "linux") && !Path::new("/proc").join(&other).exists();
            ensure!(
                is_gone,
                "process {other} builds revisions already; if it does not, remove {}",
                busy.display()
            );
            Ok(fs::write(busy, own)?)
        }
        Err(error) => Err(error).with_context(|| format!("{} cannot be written", busy.display())),
    }
}

/// How one source is built.
struct Build<'a> {
    cargo: OsString,
    root: &'a Path,
    target: &'a Path,
    flags: Flags,
}

impl Build<'_> {
    /// Builds one program for each layout, puts them into `places`, and says what the
    /// layouts are.
    fn programs(&self, places: &Path, layouts: usize) -> Result<(Vec<PathBuf>, &'static str)> {
        let mut programs = Vec::new();
        let mut keep = |program: PathBuf| -> Result<()> {
            let place = places.join(format!("lab-{}", programs.len()));
            fs::copy(&program, &place)
                .with_context(|| format!("{} cannot be copied", program.display()))?;
            programs.push(place);
            Ok(())
        };
        keep(self.program(None, &[], Stdio::inherit())?)?;
        for seed in 1..layouts {
            let shuffle = format!("-Clink-arg=-Wl,--shuffle-sections=.text*={seed}");
            let small = "-Clink-arg=-Wl,--strip-debug";
            match self.program(None, &[&shuffle, small], Stdio::null()) {
                Ok(program) => keep(program)?,
                Err(_) if seed == 1 && interrupt::pending().is_none() => {
                    note("the linker cannot shuffle functions; compiling everything once more…");
                    let other = "-Cmetadata=another-layout";
                    keep(self.program(Some(other), &[], Stdio::inherit())?)?;
                    return Ok((programs, "two orders of functions, by -Cmetadata"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((programs, "functions shuffled by the linker"))
    }

    /// Builds the lab, perhaps with one more flag for all packages and with further ones for the
    /// last link, and returns cargo's file.
    fn program(&self, more: Option<&str>, last: &[&str], errors: Stdio) -> Result<PathBuf> {
        let mut flags = self.flags.words();
        flags.extend(more.map(str::to_owned));
        let mut command = Command::new(&self.cargo);
        for variable in FLAG_VARIABLES {
            command.env_remove(variable);
        }
        command
            // Outside: a revision in a directory of the repository would have the configurations of
            // both.
            .current_dir(workspace_above()?)
            .args(["rustc", "--quiet", "--release"])
            .args(["--package", "drumline-lab", "--bin", "drumline-lab"])
            .arg("--manifest-path")
            .arg(self.root.join("Cargo.toml"))
            .arg("--message-format=json-render-diagnostics")
            .arg("--config")
            .arg(format!("build.rustflags={flags:?}"))
            .arg("--target-dir")
            .arg(self.target)
            .arg("--")
            .args(last)
            .stdin(Stdio::null())
            .stderr(errors);
        let text = run_cargo(&mut command)?;
        let program = text.lines().filter_map(executable).next_back();
        program.context("cargo does not say which program it has built")
    }
}

/// Runs cargo to its end and returns what it wrote to standard output. A signal that asks for an
/// end ends cargo, and the compilers that it has started.
fn run_cargo(command: &mut Command) -> Result<String> {
    command.stdout(Stdio::piped());
    process_group::lead(command);
    let mut cargo = command.spawn().context("cargo cannot be started")?;
    let text = collect(cargo.stdout.take());
    loop {
        if interrupt::pending().is_some() {
            // How it ends now says nothing.
            let _ = process_group::end(&mut cargo);
            bail!("interrupted");
        }
        // While a compiler still writes, cargo is not waited for: its number then remains that of
        // its group.
        if text.is_finished()
            && let Some(status) = cargo.try_wait()?
        {
            ensure!(status.success(), "cargo failed: {status}");
            return Ok(text.join().unwrap_or_default());
        }
        thread::sleep(LOOK);
    }
}

/// How often a build is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// The directory that holds the repository.
fn workspace_above() -> Result<PathBuf> {
    let repository = workspace().canonicalize()?;
    let above = repository.parent().unwrap_or(&repository);
    Ok(above.to_owned())
}

/// Variables that would replace the flags of a build, or its place.
const FLAG_VARIABLES: [&str; 5] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
];

/// The program that a message of cargo's names.
fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let path = message.get("executable")?.as_str()?;
    Some(PathBuf::from(path))
}

/// Whether a source's lab follows the orders of this one: every lab can add up Fibonacci numbers.
pub fn probe(built: &Built, launcher: &mut Launcher) -> Result<()> {
    use crate::effort::Effort;
    use crate::process_request::{ProcessRequest, Terms};
    let order = ProcessRequest {
        workload: "fib".to_owned(),
        runtime: "seq".to_owned(),
        jobs: 1,
        size: 1,
        effort: Effort::smoke(),
        gated: false,
        slowdown_percent: None,
        program: None,
    };
    let terms = Terms {
        limit: Duration::from_secs(60),
        can_deadlock: false,
        deep_stack: false,
    };
    for program in &built.programs {
        launcher.program.clone_from(program);
        if let Err(error) = launcher.run(&order, &terms).found {
            bail!(
                "the lab of {} does not follow the orders of this one, so it cannot be measured \
                 (a lab follows those of its own time): {error}",
                built.name
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
