//! `cargo xtask one-core`: the test suite on a machine with one core.
//!
//! A protocol that only works because two threads really run at once shows here.

use anyhow::{Result, bail};
use clap::Args;

use crate::invocation::Invocation;

/// What `one-core` can be told.
#[derive(Args)]
pub struct Options {
    /// The core to use.
    #[arg(long, default_value_t = 0)]
    core: usize,
    /// Run only the tests with this in their name.
    filter: Option<String>,
}

/// Builds the tests on all cores, then runs them on one.
pub fn run(options: &Options) -> Result<()> {
    if !Invocation::line("taskset --version").succeeds() {
        bail!("`taskset` (of util-linux) is needed to pin a process to a core");
    }
    Invocation::line("cargo test --workspace --no-run").run()?;
    let line = format!(
        "taskset -c {} cargo test --workspace --no-fail-fast",
        options.core
    );
    Invocation::line(&line).and(options.filter.clone()).run()
}
