//! `cargo xtask compile-time`: how long a crate with some twenty chains takes to be compiled, with
//! Drumline and with rayon.
//!
//! Two packages of the same text, but for the import, are written under the target directory. What
//! they depend on is built first; then the packages themselves are compiled in turns, again and
//! again. What is measured is `cargo build` with nothing else to do, linking included.

mod package;

use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;

use package::{Package, Profile};

/// What `compile-time` can be told.
#[derive(Args)]
pub struct Options {
    /// How often each package is compiled.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Measures, and prints a table.
pub fn run(options: &Options) -> Result<()> {
    if options.rounds == 0 {
        bail!("`--rounds` must be at least 1");
    }
    let (ours, rayons) = (Package::with_drumline(), Package::with_rayon());
    let mut rows = Vec::new();
    for profile in [Profile::Debug, Profile::Release] {
        for package in [&ours, &rayons] {
            package.write()?;
            println!("building what {} needs, {profile}", package.name());
            package.compile(profile)?;
        }
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..options.rounds {
            for (package, times) in [&ours, &rayons].into_iter().zip(&mut times) {
                package.forget(profile)?;
                times.push(package.compile(profile)?);
            }
        }
        let [ours, rayons] = times.map(median);
        rows.push(row(profile, ours, rayons));
    }
    println!("\nmedians of {} compilations\n", options.rounds);
    println!("| profile | drumline | rayon | ratio |");
    println!("|---|---|---|---|");
    for row in rows {
        println!("{row}");
    }
    Ok(())
}

/// A row of the table.
fn row(profile: Profile, ours: Duration, rayons: Duration) -> String {
    let (ours, rayons) = (ours.as_secs_f64(), rayons.as_secs_f64());
    let ratio = ours / rayons;
    format!("| {profile} | {ours:.2} s | {rayons:.2} s | {ratio:.2} |")
}

/// The one in the middle; of two the greater.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_found() {
        let times = [5, 1, 9].map(Duration::from_secs).to_vec();
        assert_eq!(median(times), Duration::from_secs(5));
        let times = [4, 2].map(Duration::from_secs).to_vec();
        assert_eq!(median(times), Duration::from_secs(4));
    }

    #[test]
    fn a_row_has_the_ratio() {
        let row = row(
            Profile::Debug,
            Duration::from_millis(1_500),
            Duration::from_millis(1_000),
        );
        assert_eq!(row, "| debug | 1.50 s | 1.00 s | 1.50 |");
    }
}
