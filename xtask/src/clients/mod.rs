//! `cargo xtask clients`: published programs and libraries that use rayon, with rayon and with
//! Drumline.
//!
//! Nothing of them is kept in this repository. Cargo unpacks each from the registry; it is copied
//! twice under the target directory, and in one copy a facade (`crates/rayon-facade`) takes the
//! place of rayon. That the facade is in the one tree, and rayon is not, is checked. The tests that
//! the package was published with run in both copies; a test that passes with rayon has to pass
//! with the facade.
//!
//! With `--by-hand` the other copy has no facade. It is changed by the patch that the guide shows,
//! and depends on the library itself.
//!
//! | file | noun |
//! |---|---|
//! | `client` | what is built, and with which features |
//! | `registry` | where cargo has unpacked it |
//! | `facade` | the package that takes the place of rayon |
//! | `patch` | what moves a client to the library by hand, as the guide shows it |
//! | `variant` | a copy with one of these |
//! | `results` | what became of each test |
//! | `expected` | the tests that are known not to pass, and why |
//! | `timing` | whole programs, in turns |
//! | `inputs` | what they are given to do |

mod client;
mod expected;
mod facade;
mod inputs;
mod patch;
mod registry;
mod results;
mod timing;
mod variant;

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::Args;

use client::Client;
use expected::Expected;
use registry::Registry;
use results::Results;
use variant::{Runtime, Variant};

use crate::workspace;

/// The target directory under which everything is copied and built.
pub const BUILD: &str = "clients";

/// What `clients` can be told.
#[derive(Args)]
pub struct Options {
    /// Only these.
    names: Vec<String>,
    /// Only the small ones.
    #[arg(long)]
    small: bool,
    /// Only those that the guide moves by hand, with its patches in place of the facade.
    #[arg(long, conflicts_with = "time")]
    by_hand: bool,
    /// Measures the programs among them instead, in turns, with rayon and with the library.
    #[arg(long)]
    time: bool,
    /// How many rounds are measured.
    #[arg(long, default_value_t = ROUNDS, requires = "time")]
    #[arg(value_parser = clap::value_parser!(u32).range(2..))]
    rounds: u32,
    /// How long a command may take in one copy, in seconds.
    #[arg(long, default_value_t = SECONDS, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
}

/// How many rounds are measured unless told.
const ROUNDS: u32 = 20;

/// How long a command may take unless told, in seconds.
const SECONDS: u64 = 900;

impl Options {
    /// The small ones, as CI runs them.
    pub fn small() -> Self {
        Options {
            names: Vec::new(),
            small: true,
            by_hand: false,
            time: false,
            rounds: ROUNDS,
            seconds: SECONDS,
        }
    }
}

/// What became of a client.
enum Verdict {
    /// Its tests, with rayon and without, and what was not expected.
    Tested {
        rayon: Results,
        drumline: Results,
        surprises: Vec<String>,
    },
    /// Why it says nothing.
    Skipped(String),
}

/// Tests the clients both ways. How many there are, in words.
pub fn run(options: &Options) -> Result<String> {
    let clients = Client::chosen(&options.names, options.small, options.by_hand)?;
    let expected = Expected::read()?;
    let registry = Registry::unpack(&clients)?;
    facade::write()?;
    let limit = Duration::from_secs(options.seconds);
    if options.time {
        return time(&clients, &registry, options.rounds as usize, limit);
    }
    let moved_to = if options.by_hand {
        Runtime::ByHand
    } else {
        Runtime::Drumline
    };
    let mut lines = Vec::new();
    let mut surprises = Vec::new();
    let mut tested = 0;
    for client in &clients {
        println!("== {client}");
        lines.push(match test(client, moved_to, &registry, &expected, limit)? {
            Verdict::Tested {
                rayon,
                drumline,
                surprises: new,
            } => {
                tested += 1;
                let line = format!(
                    "{client}: rayon: {rayon}; {moved_to}: {drumline}; {} unexpected",
                    new.len()
                );
                surprises.extend(new);
                line
            }
            Verdict::Skipped(why) => format!("{client}: skipped: {why}"),
        });
    }
    println!();
    for line in &lines {
        println!("{line}");
    }
    if !surprises.is_empty() {
        bail!(
            "not as {} says:\n  {}",
            expected::LIST,
            surprises.join("\n  ")
        );
    }
    enough(tested, clients.len(), options.small)?;
    Ok(format!("{tested} of {} clients", clients.len()))
}

/// Whether as many clients said something as have to. The small ones are chosen so that all do.
fn enough(tested: usize, chosen: usize, are_small: bool) -> Result<()> {
    ensure!(tested > 0, "no client could be tested");
    ensure!(
        !are_small || tested == chosen,
        "{tested} of {chosen} clients could be tested; each of the small ones has to be"
    );
    Ok(())
}

/// What a copy says that is not built with what it should be.
///
/// # Errors
/// The copy is one with Drumline. The client does use rayon then, since the copy with rayon was
/// right, so the facade or the patch of the guide no longer does what it is for.
fn wrong(client: &Client, runtime: Runtime, why: String) -> Result<Verdict> {
    ensure!(
        runtime == Runtime::Rayon,
        "{client}, the copy `{runtime}`: {why}"
    );
    Ok(Verdict::Skipped(why))
}

/// Builds the programs of the clients both ways, and measures them.
fn time(clients: &[Client], registry: &Registry, rounds: usize, limit: Duration) -> Result<String> {
    let inputs = workspace::root()
        .join(workspace::target_dir(BUILD))
        .join("inputs");
    std::fs::create_dir_all(&inputs)?;
    let mut lines = Vec::new();
    for program in timing::PROGRAMS {
        let Some(client) = clients.iter().find(|client| client.name == program.client) else {
            continue;
        };
        let source = registry.source_of(client)?;
        let mut both = Vec::new();
        for runtime in [Runtime::Rayon, Runtime::Drumline] {
            let variant = Variant::copy(client, &source, runtime)?;
            if let Some(why) = variant.is_wrong(limit)? {
                bail!("{client}: {why}");
            }
            both.push((runtime, variant.build(program.binary, limit)?));
        }
        let file_of = |wanted| {
            let found = both.iter().find(|(runtime, _)| *runtime == wanted);
            found.map(|(_, file)| file.clone()).unwrap_or_default()
        };
        let timed = timing::measure(program, file_of, &inputs, rounds)?;
        println!("{timed}");
        lines.push(timed.to_string());
    }
    if lines.is_empty() {
        let programs = timing::PROGRAMS.iter().map(|program| program.client);
        let programs: Vec<_> = programs.collect();
        bail!(
            "none of these is a program that is measured; those are: {}",
            programs.join(", ")
        );
    }
    println!("\n{}", lines.join("\n"));
    Ok(format!("{} programs", lines.len()))
}

fn test(
    client: &Client,
    moved_to: Runtime,
    registry: &Registry,
    expected: &Expected,
    limit: Duration,
) -> Result<Verdict> {
    let source = registry.source_of(client)?;
    let mut both = Vec::new();
    for runtime in [Runtime::Rayon, moved_to] {
        let variant = Variant::copy(client, &source, runtime)?;
        if let Some(why) = variant.is_wrong(limit)? {
            return wrong(client, runtime, why);
        }
        match variant.test(limit)? {
            Ok(results) => both.push(results),
            // What does not compile with rayon is no fault of the library.
            Err(why) if runtime == Runtime::Rayon => return Ok(Verdict::Skipped(why)),
            Err(why) => {
                let rayon = both.remove(0);
                return Ok(Verdict::Tested {
                    rayon,
                    drumline: Results::default(),
                    surprises: vec![format!("{client}: {why}")],
                });
            }
        }
    }
    let drumline = both.remove(1);
    let rayon = both.remove(0);
    let surprises = expected.compare(client.name, &rayon, &drumline);
    Ok(Verdict::Tested {
        rayon,
        drumline,
        surprises,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_the_facade_does_not_reach_is_an_error() {
        let names = ["indexmap".to_owned()];
        let client = Client::chosen(&names, false, false).unwrap().remove(0);
        let why = || "rayon is in its tree still".to_owned();
        let skipped = wrong(&client, Runtime::Rayon, why()).unwrap();
        assert!(matches!(skipped, Verdict::Skipped(_)));
        for runtime in [Runtime::Drumline, Runtime::ByHand] {
            let Err(error) = wrong(&client, runtime, why()) else {
                panic!("{runtime} is skipped");
            };
            assert!(error.to_string().contains("in its tree still"), "{error}");
        }
    }

    #[test]
    fn each_of_the_small_clients_has_to_be_tested() {
        assert!(enough(0, 2, false).is_err());
        assert!(enough(1, 2, false).is_ok());
        assert!(enough(1, 2, true).is_err());
        assert!(enough(2, 2, true).is_ok());
    }
}
