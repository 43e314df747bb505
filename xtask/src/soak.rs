//! `cargo xtask soak`: what takes too long for CI, in one command for a night.
//!
//! CI runs each checker for as long as it takes to see that nothing is broken. Here they run for
//! longer, with other schedules and seeds. A part that fails does not stop the others.

use anyhow::{Result, bail};
use clap::Args;

use crate::check;
use crate::invocation::Invocation;

/// What `soak` can be told.
#[derive(Args)]
pub struct Options {
    /// How many times as long as a short soak: more schedules, seeds, rounds and seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    factor: u32,
    /// Run only the parts with this in their name.
    filter: Option<String>,
}

/// A checker that runs for long.
struct Part {
    name: &'static str,
    line: Invocation,
}

/// Runs the parts, one after the other, and says at the end which ones failed.
pub fn run(options: &Options) -> Result<()> {
    let filter = options.filter.as_deref();
    let is_wanted = |part: &Part| filter.is_none_or(|filter| part.name.contains(filter));
    let parts: Vec<Part> = parts(options.factor)
        .into_iter()
        .filter(is_wanted)
        .collect();
    if parts.is_empty() {
        bail!("no part of the soak has that in its name");
    }
    let mut failed = Vec::new();
    for part in &parts {
        println!("\n=== {} ===\n$ {}", part.name, part.line);
        if let Err(error) = part.line.run() {
            eprintln!("{}: {error:#}", part.name);
            failed.push(part);
        }
    }
    println!("\n=== summary of the soak ===");
    for part in &parts {
        let has_failed = failed.iter().any(|failed| failed.name == part.name);
        let outcome = if has_failed { "FAILED" } else { "ok" };
        println!("{:<10} {outcome:<8} {}", part.name, part.line);
    }
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("{} of {} parts failed", failed.len(), parts.len())
    }
}

fn parts(factor: u32) -> Vec<Part> {
    let xtask =
        |words: String| Invocation::line("cargo run --quiet -p xtask --").and(words.split(' '));
    vec![
        Part {
            name: "shuttle",
            line: check::shuttle_line().with("DRUMLINE_SHUTTLE_LONGER", factor.to_string()),
        },
        Part {
            name: "miri",
            line: check::miri_line(8 * factor),
        },
        Part {
            name: "loom",
            line: check::loom_line().with("DRUMLINE_LOOM_DEEPER", "1"),
        },
        Part {
            name: "one-core",
            line: xtask("one-core".to_owned()),
        },
        Part {
            name: "repeat",
            line: xtask(format!("repeat {factor}")),
        },
        Part {
            name: "actors",
            line: Invocation::line("cargo test --release -p drumline --test actor_soak")
                .with("DRUMLINE_SOAK_ROUNDS", (1_000 * factor).to_string()),
        },
        Part {
            name: "stress",
            line: xtask(format!("stress --planted --seconds {}", 6 * factor)),
        },
        Part {
            name: "thread-sanitizer",
            line: xtask(format!(
                "stress --sanitizer thread --seconds {}",
                3 * factor
            )),
        },
        Part {
            name: "address-sanitizer",
            line: xtask(format!(
                "stress --sanitizer address --seconds {}",
                3 * factor
            )),
        },
    ]
}
