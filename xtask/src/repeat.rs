//! `cargo xtask repeat N [FILTER]`: finds a test that fails once in a hundred runs, before it fails
//! elsewhere.

use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::invocation::Invocation;
use crate::tally::Tally;
use crate::workspace;

/// What `repeat` can be told.
#[derive(Args)]
pub struct Options {
    /// How many times.
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Run only the tests with this in their name.
    filter: Option<String>,
    /// Build and run with optimisation.
    #[arg(long)]
    release: bool,
}

/// Runs the tests again and again, and keeps what the failing rounds said.
pub fn run(options: &Options) -> Result<()> {
    let mut line = Invocation::line("cargo test --workspace --no-fail-fast");
    if options.release {
        line = line.and(["--release"]);
    }
    line.clone().and(["--no-run"]).run()?;
    let line = line.and(options.filter.clone());

    let mut failed = 0;
    for round in 1..=options.rounds {
        let output = line
            .command()
            .output()
            .with_context(|| format!("starting {line}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut tally = Tally::default();
        text.lines().for_each(|line| tally.note(line));
        println!("round {round} of {}: {tally}", options.rounds);
        if tally == Tally::default() {
            bail!("no test ran:\n  {line}");
        }
        if !output.status.success() {
            failed += 1;
            let log = workspace::root()
                .join(workspace::target_dir("repeat"))
                .join(format!("round-{round}.log"));
            if let Some(dir) = log.parent() {
                fs::create_dir_all(dir)?;
            }
            fs::write(&log, [output.stdout, output.stderr].concat())?;
            println!("  failed; all it said is in {}", log.display());
        }
    }
    if failed > 0 {
        bail!(
            "{failed} of {} rounds failed; to repeat one:\n  {line}",
            options.rounds
        );
    }
    println!("no round of {} failed", options.rounds);
    Ok(())
}
