//! Predictions held against what the real pool counts: items that sleep, so that a machine with few
//! cores will do.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::assumptions::{Assumptions, micros, nanos};
use super::program::{Program, Shape};
use super::world::Pool;
use super::{Options, Outcome, predict};
use crate::invocation::Invocation;
use crate::output::print;
use crate::workspace;

/// A count may be off by this factor.
const FACTOR: f64 = 1.5;
/// And by this number beside: small counts are a matter of luck.
const LUCK: f64 = 3.0;
/// An assumption that the probe measures meanwhile: on a machine with few processors, which may
/// have other things to do, each thread that sleeps has to wait for one. Naps end late for the same
/// reason.
const LATE: &str = "sleep-latency";
/// The model is run with this number of seeds, and the median counts.
const SEEDS: u64 = 5;

/// Counts that must agree.
const HELD: [&str; 8] = [
    "calls", "depth", "marks", "barriers", "forced", "steals", "parks", "idle",
];
/// Counts and times that are printed beside them. Which thread takes what lies ready, how often a
/// thread naps, and all times depend on the machine.
const SHOWN: [&str; 10] = [
    "ready", "asked", "missed", "returned", "naps", "late", "ramp-8", "ramp-16", "ramp-64", "time",
];

/// The least and the most of each figure.
type Predictions = BTreeMap<String, (u64, u64)>;

/// A program that the probe runs, and the model.
struct Case {
    name: &'static str,
    jobs: usize,
}

const CASES: [Case; 5] = [
    Case {
        name: "ramp",
        jobs: 8,
    },
    Case {
        name: "ramp",
        jobs: 16,
    },
    Case {
        name: "ramp",
        jobs: 64,
    },
    Case {
        name: "items",
        jobs: 8,
    },
    Case {
        name: "items",
        jobs: 64,
    },
];

impl Case {
    fn program(&self) -> Program {
        let (items, cost) = match self.name {
            "ramp" => (self.jobs, 60_000.0),
            _ => (2_000, 500.0),
        };
        Program {
            shape: Shape::Loop,
            items,
            cost: nanos(cost),
            sleeps: true,
            rounds: 1,
            gap: 0,
        }
    }

    /// What the model says: the smallest and the largest median over several seeds, of a machine
    /// that has processors for all threads, and one that has not. The library naps less often
    /// where they lack, and the real machine is both by turns.
    fn predicted(&self, assumptions: &Assumptions, seed: u64) -> Result<Predictions> {
        let mut ranges = Predictions::new();
        for oversubscribed in [0.0, 1.0] {
            let mut assumptions = assumptions.clone();
            assumptions.set("oversubscribed", oversubscribed)?;
            for (name, figure) in self.medians(&assumptions, seed)? {
                let range = ranges.entry(name).or_insert((figure, figure));
                *range = (range.0.min(figure), range.1.max(figure));
            }
        }
        Ok(ranges)
    }

    fn medians(&self, assumptions: &Assumptions, seed: u64) -> Result<BTreeMap<String, u64>> {
        let mut figures: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for seed in (0..SEEDS).map(|more| seed.wrapping_add(more)) {
            let outcome = predict(
                Pool::Drumline,
                self.jobs,
                &self.program(),
                assumptions,
                seed,
            )?;
            for (name, figure) in figures_of(&outcome) {
                figures.entry(name).or_default().push(figure);
            }
        }
        let median = |mut values: Vec<u64>| {
            // One that never happened in some run is not in its figures.
            values.resize(SEEDS as usize, 0);
            values.sort_unstable();
            values[values.len() / 2]
        };
        let medians = figures.into_iter();
        Ok(medians
            .map(|(name, values)| (name, median(values)))
            .collect())
    }
}

fn figures_of(outcome: &Outcome) -> Vec<(String, u64)> {
    let mut figures: Vec<(String, u64)> = outcome
        .counts
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect();
    for threads in [2, 8, 16, 32, 64] {
        if let Some(&first) = outcome.firsts.get(threads - 1) {
            figures.push((format!("ramp-{threads}"), micros(first) as u64));
        }
    }
    figures.push(("time".to_owned(), micros(outcome.time) as u64));
    figures
}

/// Whether a prediction is near enough.
fn agrees((least, most): (u64, u64), measured: u64) -> bool {
    let (least, most, measured) = (least as f64, most as f64, measured as f64);
    least <= measured * FACTOR + LUCK && measured <= most * FACTOR + LUCK
}

/// The probe's output: a name and a figure in each line.
fn parse(output: &str) -> Result<BTreeMap<String, u64>> {
    let figure = |line: &str| {
        let (name, figure) = line.split_once(' ')?;
        Some((name.to_owned(), figure.parse().ok()?))
    };
    output
        .lines()
        .map(|line| figure(line).with_context(|| format!("no figure: {line}")))
        .collect()
}

/// The assumptions, with what the probe has measured: by how many microseconds its sleeps were
/// late.
fn of_this_machine(late: u64) -> Result<Assumptions> {
    let mut assumptions = Assumptions::small();
    for name in [LATE, "nap-latency"] {
        assumptions.set(name, late as f64)?;
    }
    Ok(assumptions)
}

/// Builds the probe.
fn build() -> Result<PathBuf> {
    let dir = workspace::target_dir("stress");
    Invocation::line("cargo build --release -p stress --example scheduling")
        .and(["--target-dir".to_owned(), dir.display().to_string()])
        .run()?;
    Ok(workspace::root()
        .join(dir)
        .join("release/examples/scheduling"))
}

pub(super) fn run(options: &Options, output: &mut impl Write) -> Result<()> {
    let assumptions = options.assumptions(Assumptions::small())?;
    // The verdict counts even if the figures have no reader any more.
    let mut tell = |text: &str| print(output, &format!("{text}\n")).map(drop);
    tell(&format!("{assumptions}\n"))?;
    let probe = build()?.display().to_string();
    tell("How late sleeps and naps end is measured meanwhile.")?;
    tell(&format!(
        "Counts must agree within a factor of {FACTOR} (and {LUCK}); times are only shown.\n"
    ))?;
    let mut wrong = Vec::new();
    for case in &CASES {
        let jobs = case.jobs.to_string();
        let measured = Invocation::new([&probe, case.name, &jobs]).answer()?;
        let measured = parse(&measured)?;
        let late = measured.get(LATE).copied().unwrap_or(0);
        let assumptions = options.assumptions(of_this_machine(late)?)?;
        let predicted = case.predicted(&assumptions, options.seed)?;
        tell(&format!("{} on {jobs} jobs; late by {late}", case.name))?;
        tell(&format!(
            "  {:10} {:>16} {:>10}",
            "", "predicted", "measured"
        ))?;
        for name in HELD.iter().chain(&SHOWN) {
            let (model, real) = (predicted.get(*name).copied(), measured.get(*name).copied());
            if model.is_none() && real.is_none() {
                continue;
            }
            let (model, real) = (model.unwrap_or((0, 0)), real.unwrap_or(0));
            let is_held = HELD.contains(name);
            let is_off = is_held && !agrees(model, real);
            let verdict = match (is_held, is_off) {
                (false, _) => "",
                (true, false) => "agrees",
                (true, true) => "OFF",
            };
            let model = match model {
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            };
            tell(&format!("  {name:10} {model:>16} {real:>10}  {verdict}"))?;
            if is_off {
                wrong.push(format!("{} on {jobs} jobs: {name}", case.name));
            }
        }
        tell("")?;
    }
    if !wrong.is_empty() {
        bail!("the model is off: {}", wrong.join("; "));
    }
    tell("the model agrees with the pool")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_and_some_luck_are_granted() {
        let near = |predicted, measured| agrees((predicted, predicted), measured);
        assert!(near(0, 3) && near(3, 0) && !near(0, 4));
        assert!(near(100, 153) && !near(100, 154));
        assert!(near(153, 100) && !near(154, 100));
        assert!(agrees((10, 20), 15) && agrees((10, 20), 33) && !agrees((10, 20), 34));
    }

    #[test]
    fn the_output_of_the_probe_is_read() {
        let figures = parse("calls 63\ntime 1200").unwrap();
        assert_eq!(figures["calls"], 63);
        assert_eq!(figures["time"], 1200);
        assert!(parse("calls").is_err());
    }
}
