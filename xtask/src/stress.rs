//! `cargo xtask stress`: the binaries of the package `stress`, which try the fence-free paths on
//! real hardware, where no model checker can look.
//!
//! The contract of a stress binary: it takes `--seconds N`, works for about that long, and exits
//! with zero if nothing went wrong. It says the seed of its random numbers, and takes `--seed` to
//! begin with them again. One that must fail when the bug of `cfg(drumline_plant)` is built in says
//! so with a line `//! Planted: fails`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::install::{self, Installer};
use crate::invocation::Invocation;
use crate::workspace;

/// The target directory of the plain build.
pub const BUILD: &str = "stress";

/// How long the step of `check` runs.
const STEP_SECONDS: u64 = 60;

/// The line in a binary's source that says it must fail with the planted bug.
const PLANTED: &str = "//! Planted: fails";

/// How to get what a sanitizer needs.
const NIGHTLY: &str = "rustup toolchain install nightly --profile minimal --component rust-src";

/// What `stress` can be told.
#[derive(Args)]
pub struct Options {
    /// How long each binary runs.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Also build with the planted bug, and require a failure within the same time.
    #[arg(long)]
    planted: bool,
    /// Build with a sanitizer, on the nightly toolchain.
    #[arg(long, value_enum, conflicts_with = "planted")]
    sanitizer: Option<Sanitizer>,
    /// Run only the binaries with this in their name.
    filter: Option<String>,
}

/// The sanitizers that are of use here.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sanitizer {
    Thread,
    Address,
}

/// A binary of the package.
#[derive(Debug, PartialEq, Eq)]
struct Binary {
    name: String,
    planted: bool,
}

/// How a run of a binary ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Clean,
    Failed,
    Stuck,
}

/// The step of `check`: random systems of actors, for a minute.
pub fn run_actors() -> Result<String> {
    run(&Options {
        seconds: STEP_SECONDS,
        planted: false,
        sanitizer: None,
        filter: Some("actors".to_owned()),
    })?;
    Ok(format!("clean for {STEP_SECONDS} s"))
}

/// Builds and runs the stress binaries.
pub fn run(options: &Options) -> Result<()> {
    let package = workspace::root().join("stress");
    if !package.join("Cargo.toml").is_file() {
        println!("skipped: the workspace has no package `stress` yet");
        return Ok(());
    }
    let wanted = |binary: &Binary| {
        let filter = options.filter.as_deref();
        filter.is_none_or(|filter| binary.name.contains(filter))
    };
    let binaries: Vec<Binary> = binaries(&package)?.into_iter().filter(wanted).collect();
    if binaries.is_empty() {
        bail!("no stress binary to run");
    }

    let build = match options.sanitizer {
        None => Build::plain(),
        Some(sanitizer) => Build::sanitized(sanitizer)?,
    };
    build.make(&binaries)?;
    let mut wrong = Vec::new();
    for binary in &binaries {
        match build.run(binary, options.seconds)? {
            End::Clean => println!("{}: clean{}", binary.name, build.under),
            End::Failed => wrong.push(format!("{} failed", binary.name)),
            End::Stuck => wrong.push(format!("{} got stuck", binary.name)),
        }
    }

    if options.planted {
        let planted: Vec<&Binary> = binaries.iter().filter(|binary| binary.planted).collect();
        if planted.is_empty() {
            bail!("no stress binary has the line `{PLANTED}`, so the planted bug proves nothing");
        }
        let build = Build::planted();
        build.make(&binaries)?;
        for binary in planted {
            match build.run(binary, options.seconds)? {
                End::Failed => println!("{}: finds the planted bug", binary.name),
                End::Clean => wrong.push(format!("{} misses the planted bug", binary.name)),
                End::Stuck => wrong.push(format!("{} got stuck on the planted bug", binary.name)),
            }
        }
    }
    if !wrong.is_empty() {
        bail!("{}", wrong.join("; "));
    }
    Ok(())
}

/// A way to build the package.
struct Build {
    line: Invocation,
    /// Where the binaries are then.
    dir: PathBuf,
    /// What looks on, for the report.
    under: &'static str,
}

impl Build {
    fn new(name: &str) -> Self {
        let dir = workspace::target_dir(name);
        let line = Invocation::line("cargo build --release -p stress")
            .and(["--target-dir".to_owned(), dir.display().to_string()]);
        Build {
            line,
            dir: dir.join("release"),
            under: "",
        }
    }

    fn plain() -> Self {
        Self::new(BUILD)
    }

    fn planted() -> Self {
        let mut build = Self::new("plant");
        build.line = build.line.with("RUSTFLAGS", "--cfg drumline_plant");
        build
    }

    fn sanitized(sanitizer: Sanitizer) -> Result<Self> {
        let (name, under) = match sanitizer {
            Sanitizer::Thread => ("thread", " under ThreadSanitizer"),
            Sanitizer::Address => ("address", " under AddressSanitizer"),
        };
        if !Installer::new(false).toolchain("nightly") {
            bail!(
                "a sanitizer needs the nightly toolchain, with the sources of the standard \
                 library: `{NIGHTLY}`"
            );
        }
        let host = install::host()?;
        let dir = workspace::target_dir(&format!("sanitizer-{name}"));
        // What a sanitizer remembers is no leak: a program that measures memory has to know.
        let mut flags = format!("-Zsanitizer={name} --cfg drumline_sanitizer");
        let mut line = Invocation::line("cargo +nightly build --release -p stress")
            .and(["--target".to_owned(), host.clone()])
            .and(["--target-dir".to_owned(), dir.display().to_string()]);
        if install::has_rust_src() {
            line = line.and(["-Zbuild-std"]);
        } else {
            println!(
                "note: the standard library is not instrumented; `{NIGHTLY}` brings its sources"
            );
            flags += " -Cunsafe-allow-abi-mismatch=sanitizer";
        }
        Ok(Build {
            line: line.with("RUSTFLAGS", flags),
            dir: dir.join(host).join("release"),
            under,
        })
    }

    /// Builds these binaries.
    fn make(&self, binaries: &[Binary]) -> Result<()> {
        let names = binaries.iter().map(|binary| binary.name.as_str());
        let line = self.line.clone();
        line.and(names.flat_map(|name| ["--bin", name])).run()
    }

    fn run(&self, binary: &Binary, seconds: u64) -> Result<End> {
        let program = self.dir.join(&binary.name);
        let line = Invocation::new([program.display().to_string()])
            .and(["--seconds".to_owned(), seconds.to_string()]);
        println!("$ {line}");
        let child = line
            .command()
            .spawn()
            .with_context(|| format!("starting {line}"))?;
        wait(child, Duration::from_secs(2 * seconds + 120))
    }
}

/// Waits for a process, but no longer than `patience`.
fn wait(mut child: Child, patience: Duration) -> Result<End> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() {
                End::Clean
            } else {
                End::Failed
            });
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(End::Stuck);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The binaries of a package: `src/bin/name.rs` and `src/bin/name/main.rs`.
fn binaries(package: &Path) -> Result<Vec<Binary>> {
    let dir = package.join("src/bin");
    let mut found = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("reading {}", dir.display()))? {
        let path = entry?.path();
        let source = if path.is_dir() {
            path.join("main.rs")
        } else {
            path.clone()
        };
        let is_rust = source
            .extension()
            .is_some_and(|extension| extension == "rs");
        if let Some(name) = path.file_stem().filter(|_| is_rust && source.is_file()) {
            let text = fs::read_to_string(&source)?;
            found.push(Binary {
                name: name.to_string_lossy().into_owned(),
                planted: text.lines().any(|line| line.trim() == PLANTED),
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(line: &str, patience: Duration) -> End {
        let mut command = Invocation::line(line).command();
        command.stderr(std::process::Stdio::null());
        command.stdout(std::process::Stdio::null());
        wait(command.spawn().unwrap(), patience).unwrap()
    }

    #[test]
    fn ends_are_told_apart() {
        let long = Duration::from_secs(60);
        assert_eq!(end("cargo --version", long), End::Clean);
        assert_eq!(end("cargo no-such-command", long), End::Failed);
        #[cfg(unix)]
        assert_eq!(end("sleep 60", Duration::from_millis(50)), End::Stuck);
    }

    #[test]
    fn binaries_are_found_with_their_marks() {
        let package = std::env::temp_dir().join(format!("drumline-stress-{}", std::process::id()));
        let bin = package.join("src/bin");
        fs::create_dir_all(bin.join("two")).unwrap();
        fs::write(
            bin.join("one.rs"),
            "//! One.\n//! Planted: fails\nfn main() {}",
        )
        .unwrap();
        fs::write(bin.join("two/main.rs"), "//! Two.\nfn main() {}").unwrap();
        fs::write(bin.join("notes.md"), "").unwrap();
        let found = binaries(&package).unwrap();
        fs::remove_dir_all(&package).unwrap();
        let seen: Vec<_> = found.iter().map(|b| (b.name.as_str(), b.planted)).collect();
        assert_eq!(seen, [("one", true), ("two", false)]);
    }
}
