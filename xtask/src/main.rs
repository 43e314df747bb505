//! The project's own chores: `cargo xtask <chore>`.

mod arrows;
mod bounded;
mod check;
mod children;
mod clients;
mod compile_time;
mod examples;
mod failures;
mod figures;
mod guide;
mod install;
mod invocation;
mod known_failures;
mod one_core;
mod output;
mod process_per_test;
mod rayon_suite;
mod repeat;
mod simulate;
mod soak;
mod stress;
mod tally;
mod test_line;
mod test_run;
mod user_lock;
mod workspace;

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// The chores of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Chores {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Does locally what CI does, and stops at the first step that fails.
    Check(check::Options),
    /// Checks that the modules of the library keep to the architecture.
    Arrows,
    /// Makes the tables of figures in the documentation from a record of the lab.
    Figures(figures::Options),
    /// Builds the guide in docs with mdbook, after a check of all pages and their links.
    Guide(guide::Options),
    /// Runs the stress binaries, plainly, with planted bugs, or under a sanitizer.
    Stress(stress::Options),
    /// Runs the checkers for longer than CI does: more schedules, seeds and rounds.
    Soak(soak::Options),
    /// Runs the test suite pinned to one core.
    OneCore(one_core::Options),
    /// Runs the tests many times in a row.
    Repeat(repeat::Options),
    /// Compiles rayon's own tests against the library, and runs them.
    RayonSuite(rayon_suite::Options),
    /// Tests published packages that use rayon, with rayon and with the library in its place.
    Clients(clients::Options),
    /// Measures how long a crate with twenty chains takes to be compiled, with Drumline and with
    /// rayon.
    CompileTime(compile_time::Options),
    /// Predicts what the pool does on machines with many cores, or holds such predictions against
    /// it.
    Simulate(simulate::Options),
}

fn main() -> ExitCode {
    match run(Chores::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a reader there is no other place for it.
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> Result<()> {
    match chore {
        Chore::Check(options) => check::run(&options),
        Chore::Arrows => arrows::run(&workspace::root()),
        Chore::Figures(options) => figures::run(&options),
        Chore::Guide(options) => guide::run(&options),
        Chore::Stress(options) => stress::run(&options),
        Chore::Soak(options) => soak::run(&options),
        Chore::OneCore(options) => one_core::run(&options),
        Chore::Repeat(options) => repeat::run(&options),
        Chore::RayonSuite(options) => rayon_suite::run(&options).map(drop),
        Chore::Clients(options) => clients::run(&options).map(drop),
        Chore::CompileTime(options) => compile_time::run(&options),
        Chore::Simulate(options) => simulate::run(&options),
    }
}
