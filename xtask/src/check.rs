//! `cargo xtask check`: what CI does, step by step.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};

use crate::install::{self, Installer};
use crate::invocation::Invocation;
use crate::tally::Tally;
use crate::{
    arrows, children, clients, examples, figures, process_per_test, rayon_suite, stress, test_run,
    user_lock, workspace,
};

/// The target that the library is checked for besides this machine's own.
const OTHER_TARGET: &str = "x86_64-pc-windows-gnu";

/// The target directories of builds that differ from the ordinary one.
const OLDEST_BUILD: &str = "oldest";
const LOOM_BUILD: &str = "loom";
const SHUTTLE_BUILD: &str = "shuttle";
const MIRI_BUILD: &str = "miri";
const FENCE_BUILD: &str = "fence";
const CHIPMILL_BUILD: &str = "chipmill";

/// The renderer, which is a workspace of its own: what it uses needs a C++ compiler.
const CHIPMILL: &str = "apps/chipmill";

/// With fewer bytes than this on the disk a build may have failed for want of room.
const LITTLE_SPACE: u64 = 2_000_000_000;

/// No line of tests takes longer, its build included. The slowest takes 20 minutes on a slow
/// machine, and all steps together are to take 90: a test that waits for ever is to be named before
/// that.
const LIMIT: Duration = Duration::from_secs(45 * 60);

/// The limit of a line of tests. Models that are told to go further take as long as they take.
fn limit() -> Duration {
    let goes_further = |variable| std::env::var_os(variable).is_some();
    if goes_further("DRUMLINE_LOOM_DEEPER") || goes_further("DRUMLINE_SHUTTLE_LONGER") {
        Duration::from_secs(7 * 24 * 3600)
    } else {
        LIMIT
    }
}

/// What `check` can be told.
#[derive(Args)]
pub struct Options {
    /// Run only these steps.
    #[arg(long, value_enum, value_name = "STEP")]
    only: Vec<Step>,
    /// Fetch missing toolchains and targets (always done where `CI=true`).
    #[arg(long)]
    install: bool,
    /// Remove what a step has built for itself when it has passed: a disk of 10 GB is enough then.
    #[arg(long)]
    clean: bool,
}

/// The steps, in the order in which they run: what fails fast comes first, and the test suite
/// comes last, so that its result is what stands at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    Format,
    Arrows,
    Figures,
    Clippy,
    Docs,
    Examples,
    Lock,
    Oldest,
    Windows,
    Loom,
    Shuttle,
    Miri,
    Fences,
    Features,
    Soak,
    Lab,
    RayonSuite,
    Clients,
    Chipmill,
    Tests,
}

/// How a step ended, if not in failure.
enum Outcome {
    Passed,
    Counted(Tally),
    Told(String),
    Skipped(String),
}

/// A step that has run.
struct Done {
    step: Step,
    outcome: Outcome,
    took: Duration,
    /// The processors that its processes kept busy, on an average.
    busy: Option<f64>,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, took) = (self.step.name(), self.took.as_secs_f64());
        let busy = self
            .busy
            .map_or_else(String::new, |busy| format!("{busy:.1}"));
        write!(f, "{name:11} {took:7.1} s  {busy:>4}  ")?;
        match &self.outcome {
            Outcome::Passed => write!(f, "ok"),
            Outcome::Counted(tally) => write!(f, "ok, {tally}"),
            Outcome::Told(told) => write!(f, "ok, {told}"),
            Outcome::Skipped(why) => write!(f, "skipped: {why}"),
        }
    }
}

/// Runs the steps, and stops at the first that fails.
pub fn run(options: &Options) -> Result<()> {
    let installer = Installer::new(options.install);
    let begin = Instant::now();
    let mut done = Vec::new();
    for &step in Step::value_variants() {
        if !options.only.is_empty() && !options.only.contains(&step) {
            continue;
        }
        let start = Instant::now();
        // A log that was cut off tells what took the time, and a step that hangs from a slow one.
        let minutes = (start - begin).as_secs() / 60;
        heading(&format!("{}, after {minutes} min", step.title()));
        let before = children::used();
        let outcome = step.run(installer).with_context(|| failure(step))?;
        let took = start.elapsed();
        let busy = before.zip(children::used()).map(|(before, after)| {
            let used = after.processor_time.saturating_sub(before.processor_time);
            used.as_secs_f64() / took.as_secs_f64()
        });
        let ended = Done {
            step,
            outcome,
            took,
            busy,
        };
        println!("{ended}");
        done.push(ended);
        if options.clean {
            step.remove_build()?;
        }
    }
    summarise(&done);
    Ok(())
}

/// The context of a step's error. A linker that finds the disk full ends with a bus error, and
/// names no cause.
fn failure(step: Step) -> String {
    let name = step.name();
    match workspace::free_space() {
        Ok(free) if free < LITTLE_SPACE => format!(
            "step `{name}`, with {} MB free on the disk of the builds; `--clean` removes each \
             step's own build, CARGO_TARGET_DIR names another disk",
            free / 1_000_000
        ),
        _ => format!("step `{name}`"),
    }
}

/// The lines of all steps, and the count of the tests at the end.
fn summarise(done: &[Done]) {
    heading("summary: the time of each step, and the processors that were busy");
    for done in done {
        println!("{done}");
    }
    if let Some(Done {
        step: Step::Tests,
        outcome: Outcome::Counted(tally),
        ..
    }) = done.last()
    {
        println!("{tally}");
    }
}

fn heading(title: &str) {
    println!("\n=== {title} ===");
    // What the step's own processes print must not overtake the heading.
    let _ = std::io::stdout().flush();
}

impl Step {
    fn title(self) -> &'static str {
        match self {
            Step::Format => "format",
            Step::Arrows => "arrows of the architecture",
            Step::Figures => "figures of the documentation",
            Step::Clippy => "clippy",
            Step::Docs => "documentation",
            Step::Examples => "examples of public items",
            Step::Lock => "the package, and a user's lock file",
            Step::Oldest => "oldest supported toolchain",
            Step::Windows => "check for Windows",
            Step::Loom => "loom models",
            Step::Shuttle => "random programs under shuttle",
            Step::Miri => "Miri",
            Step::Fences => "tests of the build with fences and the optional features",
            Step::Features => "with and without the optional features",
            Step::Soak => "a minute of random systems of actors",
            Step::Lab => "a short run of the lab",
            Step::RayonSuite => "rayon's own tests",
            Step::Clients => "published packages that use rayon",
            Step::Chipmill => "the renderer of register logs",
            Step::Tests => "tests",
        }
    }

    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The target directory that no other step uses.
    fn own_build(self) -> Option<&'static str> {
        match self {
            Step::Examples => Some(examples::BUILD),
            Step::Lock => Some(user_lock::BUILD),
            Step::Oldest => Some(OLDEST_BUILD),
            Step::Windows => Some(OTHER_TARGET),
            Step::Loom => Some(LOOM_BUILD),
            Step::Shuttle => Some(SHUTTLE_BUILD),
            Step::Miri => Some(MIRI_BUILD),
            Step::Fences => Some(FENCE_BUILD),
            Step::Soak => Some(stress::BUILD),
            Step::RayonSuite => Some(rayon_suite::BUILD),
            Step::Clients => Some(clients::BUILD),
            Step::Chipmill => Some(CHIPMILL_BUILD),
            Step::Format
            | Step::Arrows
            | Step::Figures
            | Step::Clippy
            | Step::Docs
            | Step::Features
            | Step::Lab
            | Step::Tests => None,
        }
    }

    fn remove_build(self) -> Result<()> {
        let Some(name) = self.own_build() else {
            return Ok(());
        };
        let build = workspace::root().join(workspace::target_dir(name));
        match std::fs::remove_dir_all(&build) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("removing {}", build.display()))
            }
            _ => Ok(()),
        }
    }

    fn run(self, installer: Installer) -> Result<Outcome> {
        match self {
            Step::Format => plain("cargo fmt --all --check"),
            Step::Arrows => arrows::run(&workspace::root()).map(|()| Outcome::Passed),
            Step::Figures => Ok(match figures::check()? {
                Some(told) => Outcome::Told(told),
                None => Outcome::Skipped("no record in lab/records".to_owned()),
            }),
            Step::Clippy => plain("cargo clippy --workspace --all-targets -- -D warnings"),
            Step::Docs => docs(),
            Step::Examples => examples::run().map(Outcome::Told),
            Step::Lock => user_lock::run().map(Outcome::Told),
            Step::Oldest => oldest(installer),
            Step::Windows => {
                if installer.target(OTHER_TARGET)? {
                    plain(&format!("cargo check -p drumline --target {OTHER_TARGET}"))
                } else {
                    Ok(Outcome::Skipped(format!(
                        "target {OTHER_TARGET} not installed"
                    )))
                }
            }
            Step::Loom => loom(),
            Step::Shuttle => shuttle(),
            Step::Miri => miri(),
            Step::Fences => fences(),
            Step::Features => features(),
            Step::Soak => stress::run_actors().map(Outcome::Told),
            Step::Lab => lab(),
            Step::RayonSuite => {
                rayon_suite::run(&rayon_suite::Options::default()).map(Outcome::Told)
            }
            Step::Clients => clients::run(&clients::Options::small()).map(Outcome::Told),
            Step::Chipmill => chipmill(),
            Step::Tests => tests(),
        }
    }
}

fn plain(line: &str) -> Result<Outcome> {
    show(&Invocation::line(line))
}

fn show(invocation: &Invocation) -> Result<Outcome> {
    println!("$ {invocation}");
    invocation.run().map(|()| Outcome::Passed)
}

/// The documentation of all packages, that of the library as its users have it (in the workspace
/// the facade turns an optional feature on), and that with all features, as docs.rs has it.
fn docs() -> Result<Outcome> {
    for line in [
        "cargo doc --workspace --no-deps",
        "cargo doc -p drumline --no-deps",
        "cargo doc -p drumline --no-deps --all-features",
    ] {
        show(&Invocation::line(line).with("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(Outcome::Passed)
}

fn oldest(installer: Installer) -> Result<Outcome> {
    let toolchain = workspace::oldest_toolchain()?;
    if !installer.toolchain(&toolchain) {
        return Ok(Outcome::Skipped(format!(
            "toolchain {toolchain} not installed"
        )));
    }
    let target = workspace::target_dir(OLDEST_BUILD).display().to_string();
    show(
        &Invocation::new(["cargo".to_owned(), format!("+{toolchain}")]).and([
            "check",
            "-p",
            "drumline",
            "--target-dir",
            &target,
        ]),
    )
}

fn loom() -> Result<Outcome> {
    each_alone(&loom_line(), "loom_")
}

/// All loom models.
pub fn loom_line() -> Invocation {
    let target = workspace::target_dir(LOOM_BUILD).display().to_string();
    Invocation::line("cargo test -p drumline --lib --release")
        .and(["--target-dir", &target, "loom_"])
        .with("RUSTFLAGS", "--cfg drumline_loom")
}

fn shuttle() -> Result<Outcome> {
    each_alone(&shuttle_line(), "shuttle_")
}

/// All programs under shuttle.
pub fn shuttle_line() -> Invocation {
    let target = workspace::target_dir(SHUTTLE_BUILD).display().to_string();
    Invocation::line("cargo test -p drumline --lib --release")
        .and(["--target-dir", &target, "shuttle_"])
        .with("RUSTFLAGS", "--cfg drumline_shuttle")
}

fn miri() -> Result<Outcome> {
    if !install::has_miri() {
        return Ok(Outcome::Skipped("component missing".to_owned()));
    }
    if workspace::functions_named("miri_")? == 0 {
        return Ok(Outcome::Skipped("no test is named miri_… yet".to_owned()));
    }
    let line = miri_line(4);
    println!("$ {line}");
    let (tally, result) = test_run::run(&line, limit());
    result?;
    counted(tally, &line, "miri_")
}

/// All cases for Miri, with this number of seeds: each is one order of the threads.
pub fn miri_line(seeds: u32) -> Invocation {
    let target = workspace::target_dir(MIRI_BUILD).display().to_string();
    Invocation::line("cargo +nightly miri test -p drumline --lib")
        .and(["--target-dir", &target, "miri_"])
        .with("MIRIFLAGS", format!("-Zmiri-many-seeds=0..{seeds}"))
}

/// Runs tests with a name that starts with `prefix`, each in a process of its own.
fn each_alone(line: &Invocation, prefix: &str) -> Result<Outcome> {
    let tally = process_per_test::run(line, limit())?;
    complete(tally, workspace::functions_named(prefix)?, prefix)?;
    counted(tally, line, prefix)
}

/// Demands that each of the tests that are written was run, or is ignored: one that has lost its
/// `#[test]`, or whose module is compiled for no system, leaves no other trace.
fn complete(tally: Tally, written: usize, prefix: &str) -> Result<()> {
    let known = tally.passed + tally.failed + tally.ignored;
    if !cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        // A test of memory for models is compiled there only.
        return Ok(());
    }
    ensure!(
        known == written as u64,
        "{written} tests named {prefix}… are written, and the program has {known}; does one lack \
         its `#[test]`?"
    );
    Ok(())
}

/// What the tests with a name that starts with `prefix` have come to. None at all is fine as long
/// as none is written; a proof that is written but not run is a failure.
fn counted(tally: Tally, line: &Invocation, prefix: &str) -> Result<Outcome> {
    match (tally.passed, workspace::functions_named(prefix)?) {
        (0, 0) => Ok(Outcome::Skipped(format!("no test is named {prefix}… yet"))),
        (0, written) => {
            bail!("{written} tests named {prefix}… are written, and none ran:\n  {line}")
        }
        _ => Ok(Outcome::Counted(tally)),
    }
}

/// The build for systems where nothing is special: owners use fences of their own, and the word of
/// a thread is the standard library's. It has all optional features, which do not depend on either:
/// a build for each of the two would take minutes more.
fn fences() -> Result<Outcome> {
    let target = workspace::target_dir(FENCE_BUILD).display().to_string();
    let line = Invocation::line("cargo test -p drumline --lib --tests --all-features")
        .and(["--no-fail-fast", "--target-dir", &target])
        .with("RUSTFLAGS", "--cfg drumline_fence --cfg drumline_portable");
    tallied(&line)
}

/// Lints and examples of what the optional features of the library add, whose tests are in
/// [`fences`]; and tests of what the library has in their place without them, since in the
/// workspace the facade and the lab turn some of them on.
fn features() -> Result<Outcome> {
    // As a test, the library has its unit tests. The other test programs do not know of features.
    let programs = "--test tracing --test actor_spans --test either --test environment \
                    --test stream_ends --test stream_from_async --test stream_into_async";
    plain(&format!(
        "cargo clippy -p drumline --all-features --profile test --lib {programs} -- -D warnings"
    ))?;
    // The examples that need the feature `futures`.
    for line in [
        "cargo test -p drumline --all-features --doc async",
        "cargo test -p drumline --doc either",
    ] {
        if let Outcome::Counted(tally) = tallied(&Invocation::line(line))? {
            ensure!(
                tally.passed > 0,
                "no example is chosen by the name any more:\n  {line}"
            );
        }
    }
    tallied(&Invocation::line(
        "cargo test -p drumline --no-fail-fast --test either --test iter_collect \
         --test iter_collections --test stream_unforeseen",
    ))
}

/// The default run, the plain code that everything is divided by, and peers in other languages.
/// Where one of these is not installed, its row says so; with `LAB_PEERS_DEMANDED` it fails.
fn lab() -> Result<Outcome> {
    plain("cargo lab --smoke")?;
    // How near to a tenth a loop of nanoseconds comes is up to the processor, and to where the
    // linker puts it. What is twice as slow has lost something.
    plain("cargo lab baseline --allow 100")?;
    plain("cargo lab run tree-sum msgsend --smoke --runtime go,erlang,onetbb")
}

/// The two commands of the renderer, as its README has them, with formatting and lints before them;
/// and what the lab takes in from it.
fn chipmill() -> Result<Outcome> {
    if !Invocation::line("c++ --version").succeeds() {
        return Ok(Outcome::Skipped(
            "no C++ compiler found; install g++ or clang++ as `c++`".to_owned(),
        ));
    }
    let target = workspace::root().join(workspace::target_dir(CHIPMILL_BUILD));
    let inside = |line: &str| {
        Invocation::line(line)
            .inside(CHIPMILL)
            .with("CARGO_TARGET_DIR", target.display().to_string())
    };
    show(&inside("cargo fmt --check"))?;
    show(&inside("cargo clippy --all-targets -- -D warnings"))?;
    // The sound device, where the headers of ALSA are.
    if Invocation::line("pkg-config --exists alsa").succeeds() {
        show(&inside(
            "cargo clippy --features cpal --all-targets -- -D warnings",
        ))?;
        show(&inside("cargo test --features cpal --lib device"))?;
    }
    show(&inside("cargo doc --no-deps").with("RUSTDOCFLAGS", "-D warnings"))?;
    let out = target.join("album").display().to_string();
    show(&inside("cargo album --songs 3 --out").and([out]))?;
    let program = target.join(format!("release/chipmill{}", std::env::consts::EXE_SUFFIX));
    let rows = "--size 1 --rounds 1 --jobs 2 --runtime drumline,processes";
    show(
        &Invocation::line(&format!("cargo lab run render {rows}"))
            .with("LAB_CHIPMILL", program.display().to_string()),
    )?;
    tallied(&inside("cargo test --no-fail-fast"))
}

fn tests() -> Result<Outcome> {
    tallied(&Invocation::line("cargo test --workspace --no-fail-fast"))
}

/// Runs tests, and counts them also when some fail.
fn tallied(line: &Invocation) -> Result<Outcome> {
    println!("$ {line}");
    let (tally, result) = test_run::run(line, limit());
    if result.is_err() {
        println!("{tally}");
    }
    result.map(|()| Outcome::Counted(tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_model_that_is_written_has_to_run() {
        let tally = Tally {
            passed: 3,
            failed: 0,
            ignored: 1,
        };
        assert!(complete(tally, 4, "loom_").is_ok());
        let error = complete(tally, 5, "loom_").unwrap_err().to_string();
        assert!(
            error.contains("5 tests named loom_… are written"),
            "{error}"
        );
    }
}
