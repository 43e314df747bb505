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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use crate::workspace;

    /// The file of the library that says how far models go.
    const PLACE: &str = "sync/exploration.rs";

    /// What no other file of it may say, since the soak would change nothing there.
    const ONLY_THERE: [&str; 4] = [
        "preemption_bound",
        "shuttle::check_",
        "DRUMLINE_LOOM_DEEPER\"",
        "DRUMLINE_SHUTTLE_LONGER\"",
    ];

    /// What it has for searches by shuttle.
    const SEARCHES: [&str; 2] = ["in_random_schedules(", "with_few_preemptions("];

    /// What is wrong with a file, in words: a bound of its own, or a search by shuttle whose number
    /// of schedules is fixed. Only those with a plant may end early, and so have a fixed number.
    fn faults(text: &str) -> Vec<String> {
        let mut faults: Vec<String> = ONLY_THERE
            .iter()
            .filter(|word| text.contains(**word))
            .map(|word| format!("says {word}"))
            .collect();
        let tests = text.split("fn shuttle_").skip(1);
        for test in tests.filter(|test| !test.starts_with("plant")) {
            let name = test.split('(').next().unwrap_or_default();
            // Not the name: it may be that of a search.
            let (_, body) = test.split_once('{').unwrap_or_default();
            let body = body.split("\n}").next().unwrap_or_default();
            let body = body.split("must_catch(").next().unwrap_or_default();
            for search in SEARCHES {
                for call in body.split(search).skip(1) {
                    let call = call.split(';').next().unwrap_or_default();
                    if !call.contains("iterations(") {
                        faults.push(format!("shuttle_{name} has a fixed number of schedules"));
                    }
                }
            }
        }
        faults
    }

    fn look(folder: &Path, all: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                look(&path, all);
            } else if !path.ends_with(PLACE) {
                let text = fs::read_to_string(&path).unwrap();
                all.extend(
                    faults(&text)
                        .iter()
                        .map(|fault| format!("{}: {fault}", path.display())),
                );
            }
        }
    }

    #[test]
    fn each_model_goes_further_in_a_soak() {
        let library = workspace::root().join("crates/drumline/src");
        assert!(library.join(PLACE).is_file());
        let mut all = Vec::new();
        look(&library, &mut all);
        assert!(all.is_empty(), "{all:#?}");
    }

    #[test]
    fn a_bound_of_its_own_is_a_fault() {
        let own = "builder.preemption_bound = Some(3);";
        let direct = "shuttle::check_random(a, iterations(1_000));";
        assert_eq!(faults(own).len(), 1);
        assert_eq!(faults(direct).len(), 1);
        for search in SEARCHES {
            let fixed = format!("fn shuttle_a() {{\n    {search}a, 1_000);\n}}\n");
            let asks = format!("fn shuttle_b() {{\n    {search}b, iterations(1_000));\n}}\n");
            let plant = format!("fn shuttle_plant_c() {{\n    {search}c, 1_000);\n}}\n");
            assert_eq!(faults(&fixed).len(), 1);
            assert!(faults(&asks).is_empty() && faults(&plant).is_empty());
        }
    }
}
