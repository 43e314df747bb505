//! A copy of a client: with rayon, with the facade, or moved by hand.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::BUILD;
use super::client::Client;
use super::facade;
use super::patch::Patch;
use super::results::Results;
use crate::{bounded, workspace};

/// What the client is built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runtime {
    /// Rayon itself.
    Rayon,
    /// The facade in its place.
    Drumline,
    /// Drumline itself, by the patch of the guide.
    ByHand,
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Runtime::Rayon => "rayon",
            Runtime::Drumline => "drumline",
            Runtime::ByHand => "by-hand",
        })
    }
}

/// A copy.
#[derive(Debug)]
pub struct Variant {
    client: Client,
    runtime: Runtime,
    directory: PathBuf,
}

impl Variant {
    /// Copies a client, and says in its manifest what it is built with. What was built of an
    /// earlier copy stays.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or if the client is to be moved by hand and the guide
    /// has no patch that fits.
    pub fn copy(client: &Client, source: &Path, runtime: Runtime) -> Result<Self> {
        let target = workspace::root().join(workspace::target_dir(BUILD));
        let directory = target
            .join(runtime.to_string())
            .join(format!("{}-{}", client.name, client.version));
        // The patch may be another one than that of an earlier copy.
        if !directory.exists() || runtime == Runtime::ByHand {
            copy(source, &directory).with_context(|| format!("copying {client}"))?;
        }
        if runtime == Runtime::ByHand {
            let patch = Patch::of(client)?;
            let (old, new) = patch.counts();
            println!("the patch of the guide: {old} lines go, {new} come");
            patch.apply(source, &directory)?;
        } else {
            fs::copy(source.join("Cargo.toml"), directory.join("Cargo.toml"))?;
        }
        let manifest = fs::read_to_string(directory.join("Cargo.toml"))?;
        let mut added = String::from("\n# Added by `cargo xtask clients`.\n");
        if !manifest.contains("\n[workspace]") {
            added += "[workspace]\n";
        }
        if runtime == Runtime::Drumline {
            added += "[patch.crates-io]\n";
            for package in facade::PACKAGES {
                let path = facade::directory().join(package);
                added += &format!("{package} = {{ path = {path:?} }}\n");
            }
        }
        fs::write(directory.join("Cargo.toml"), manifest + &added)?;
        Ok(Variant {
            client: *client,
            runtime,
            directory,
        })
    }

    /// Why it is not what it should be, if it is not: all are resolved to one version of rayon,
    /// only the one with rayon has its core, and only the others have Drumline.
    pub fn is_wrong(&self, limit: Duration) -> Result<Option<String>> {
        for package in facade::PACKAGES {
            let version = facade::version(package)?;
            let update = self.cargo(&["update", package, "--precise", &version], limit)?;
            // Some name only one of them, and what was moved by hand none.
            if !update.is_success() && !update.text.contains("did not match any packages") {
                let why = update.last_words();
                return Ok(Some(format!("{package} {version} will not do: {why}")));
            }
        }
        let facade = facade::directory().display().to_string();
        let core = self.users_of("rayon-core", limit)?;
        let has_core = core.is_some_and(|users| !users.contains(&facade));
        let has_drumline = self.users_of("drumline", limit)?.is_some();
        Ok(match (self.runtime, has_core, has_drumline) {
            (Runtime::Rayon, true, false) => None,
            (Runtime::Drumline | Runtime::ByHand, false, true) => None,
            (Runtime::Rayon, ..) => Some("it does not use rayon".to_owned()),
            (_, true, _) => Some("rayon is in its tree still".to_owned()),
            (Runtime::Drumline, false, false) => Some("the facade is not in its tree".to_owned()),
            (Runtime::ByHand, false, false) => Some("drumline is not in its tree".to_owned()),
        })
    }

    /// What uses a package, in words; `None` if nothing does.
    fn users_of(&self, package: &str, limit: Duration) -> Result<Option<String>> {
        let mut arguments = vec!["tree", "--quiet", "--invert", package];
        arguments.extend(["--target", "all", "--edges", "normal,build,dev"]);
        // It fails if there is no such package, and prints nothing if another system has it.
        let tree = self.cargo_with_features(&arguments, limit)?;
        let is_used = tree.is_success() && tree.text.contains(package);
        Ok((is_used && !tree.text.contains("nothing to print")).then_some(tree.text))
    }

    /// Runs its tests; `Err` says why there are none.
    pub fn test(&self, limit: Duration) -> Result<Result<Results, String>> {
        let arguments = ["test", "--no-fail-fast", "--tests"];
        let build = self.cargo_with_features(&[&arguments[..], &["--no-run"]].concat(), limit)?;
        if !build.is_success() {
            let first = build.text.lines().find(|line| line.starts_with("error"));
            let why = first.unwrap_or("it takes too long");
            return Ok(Err(format!(
                "its tests are not built with {}: {why}",
                self.runtime
            )));
        }
        let run = self.cargo_with_features(&arguments, limit)?;
        let results = Results::of(&run.text);
        if results.is_empty() {
            return Ok(Err("it was published without tests".to_owned()));
        }
        println!("{}: {results}", self.runtime);
        if self.runtime == Runtime::Rayon {
            // What rayon was not heard of, Drumline would not be held to.
            if run.status.is_none() {
                let seconds = limit.as_secs();
                return Ok(Err(format!(
                    "its tests take more than {seconds} s with rayon"
                )));
            }
            if results.passed().next().is_none() {
                return Ok(Err("no test of it passes with rayon".to_owned()));
            }
        }
        Ok(Ok(results))
    }

    /// Builds one of its programs, optimised, and says where it is.
    pub fn build(&self, binary: &str, limit: Duration) -> Result<PathBuf> {
        let arguments = ["build", "--release", "--bin", binary];
        let build = self.cargo_with_features(&arguments, limit)?;
        ensure!(
            build.is_success(),
            "{binary} is not built with {}: {}",
            self.runtime,
            build.last_words()
        );
        let file = format!("{binary}{}", std::env::consts::EXE_SUFFIX);
        Ok(self.target().join("release").join(file))
    }

    fn target(&self) -> PathBuf {
        self.directory.join("target")
    }

    fn cargo_with_features(&self, arguments: &[&str], limit: Duration) -> Result<Ended> {
        let features = self.client.features.join(",");
        let mut all = arguments.to_vec();
        if !features.is_empty() {
            all.extend(["--features", &features]);
        }
        self.cargo(&all, limit)
    }

    fn cargo(&self, arguments: &[&str], limit: Duration) -> Result<Ended> {
        println!("$ cargo {}  ({})", arguments.join(" "), self.runtime);
        let log = self.directory.with_extension("log");
        let file = File::create(&log).with_context(|| format!("writing {}", log.display()))?;
        let mut command = Command::new("cargo");
        command
            .args(arguments)
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", self.target())
            // Lints of other people's code are not the question.
            .env("RUSTFLAGS", "--cap-lints warn")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            // Both: which program runs stands on the one, and its tests on the other.
            .stdout(file.try_clone()?)
            .stderr(file);
        let status = bounded::run(&mut command, limit)?;
        let bytes = fs::read(&log).with_context(|| format!("reading {}", log.display()))?;
        Ok(Ended {
            status,
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

/// What came of a command.
struct Ended {
    /// How it ended; `None` if it took too long.
    status: Option<ExitStatus>,
    /// What it wrote, on both streams.
    text: String,
}

impl Ended {
    /// Whether it ended by itself, and well.
    fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The last lines that it wrote that are not empty.
    fn last_words(&self) -> String {
        let lines = self.text.lines().filter(|line| !line.trim().is_empty());
        let lines: Vec<&str> = lines.collect();
        lines[lines.len().saturating_sub(3)..].join(" / ")
    }
}

/// What is not copied: what cargo has put there, and what would choose another compiler.
const LEFT_OUT: [&str; 5] = [
    ".cargo",
    ".cargo-ok",
    "Cargo.toml.orig",
    "rust-toolchain",
    "rust-toolchain.toml",
];

/// Copies a directory.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let (from, to) = (entry.path(), to.join(&name));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
