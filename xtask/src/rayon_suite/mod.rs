//! `cargo xtask rayon-suite`: rayon's own tests, compiled against Drumline.
//!
//! Nothing of rayon is kept in this repository. Its sources are where cargo unpacked them for the
//! lab; the test files are copied from there into a throw-away package under the target directory,
//! where a facade (`crates/rayon-facade`) bears the name `rayon`. Tests that do not compile are cut
//! out of the copies, so that they do not take the others with them.
//!
//! | file | noun |
//! |---|---|
//! | `sources` | where rayon's test files are |
//! | `suite_file` | one of them, and what became of its tests |
//! | `package` | the throw-away package |
//! | `compile`, `message` | compiling it, and what the compiler complains of |
//! | `trial` | running a test program, within a limit of time |
//! | `expected` | the tests that are known not to pass, and why |
//! | `report` | what is printed |

mod compile;
mod expected;
mod message;
mod package;
mod report;
mod sources;
mod suite_file;
mod trial;

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use expected::Expected;
pub use package::BUILD;
use package::Package;
use sources::Sources;

/// What `rayon-suite` can be told.
#[derive(Args)]
pub struct Options {
    /// Only files with this in their name.
    filter: Option<String>,
    /// How long the tests of one file may take.
    #[arg(long, default_value_t = SECONDS, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Show what the compiler said of each test that does not compile.
    #[arg(long)]
    explain: bool,
}

/// How long the tests of one file may take unless told, in seconds.
const SECONDS: u64 = 600;

impl Default for Options {
    fn default() -> Self {
        Options {
            filter: None,
            seconds: SECONDS,
            explain: false,
        }
    }
}

/// Compiles and runs the tests, and compares the result with what is expected. How many pass, in
/// words.
pub fn run(options: &Options) -> Result<String> {
    let sources = Sources::find()?;
    let expected = Expected::read()?;
    let mut files = sources.files()?;
    if let Some(filter) = &options.filter {
        files.retain(|file| file.name().contains(filter.as_str()));
        if files.is_empty() {
            bail!("no test file of rayon has {filter:?} in its name");
        }
    }

    let package = Package::new(&sources);
    let programs = compile::all(&package, &mut files)?;
    let limit = Duration::from_secs(options.seconds);
    for (file, program) in files.iter_mut().zip(&programs) {
        if let Some(program) = program {
            let hanging = expected.hanging(file.name());
            trial::run(&package, file, program, &hanging, limit)?;
        }
    }
    report::print(&files, options.explain);
    let summary = report::summary(&files);
    println!("{summary}");
    let surprises = expected.compare(&files);
    if !surprises.is_empty() {
        bail!(
            "not as {} says:\n  {}",
            expected::LIST,
            surprises.join("\n  ")
        );
    }
    Ok(summary)
}
