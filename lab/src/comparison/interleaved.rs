//! Measures two sources interleaved: a process of one, a process of the other, round by round.
//!
//! Round `n` uses layout `n` of both sides, modulo their number. So each layout has as many rounds,
//! and what only one layout has makes an interval wide. Which side comes first changes, too.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Comparison, Verdict};

use crate::configuration::Configuration;
use crate::export::json_lines;
use crate::launch::Launcher;
use crate::machine::{Build, Machine};
use crate::outcome::{End, Outcome};
use crate::process_request::ProcessRequest;
use crate::progress::Progress;
use crate::record::Record;
use crate::schedule::Schedule;
use crate::workshop::Built;

/// What the answer of a lab begins with that lacks a workload or a runtime.
const LACKS: [&str; 3] = [
    "there is no workload",
    "there is no runtime",
    "does not run",
];

/// How many rounds there are.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Of everything.
    pub rounds: usize,
    /// Of what is too noisy to tell.
    pub most: usize,
    /// Whether the peers are compared, too.
    pub all: bool,
}

/// Runs the rounds of everything in the schedule on both sides, or fewer if a signal ends the run.
/// As long as cells are too noisy to tell, these have further rounds: as many as there are layouts
/// each time. After each round the records of both are written to `directory`.
pub fn measure(
    schedule: &Schedule,
    plan: Plan,
    sides: &[Built; 2],
    launcher: &mut Launcher,
    directory: &Path,
) -> Result<[Vec<Record>; 2]> {
    let configurations: Vec<&Configuration> = schedule.groups.iter().flatten().collect();
    let empty = || vec![Vec::new(); configurations.len()];
    let mut outcomes: [Vec<Vec<Outcome>>; 2] = [empty(), empty()];
    let length = (plan.rounds * configurations.len()) as u64;
    let progress = Progress::new(length, "cells");
    let machine = Machine::look();
    let mut records = [Vec::new(), Vec::new()];
    let mut is_open = vec![true; configurations.len()];
    let layouts = sides[0].programs.len();
    'rounds: for round in 0..plan.most {
        if round >= plan.rounds && (round - plan.rounds).is_multiple_of(layouts) {
            is_open = open(&configurations, &records, plan.all);
            let open = is_open.iter().filter(|is_open| **is_open).count();
            progress.inc_length((open * layouts.min(plan.most - round)) as u64);
        }
        if is_open.iter().all(|is_open| !is_open) {
            break;
        }
        for place in 0..configurations.len() {
            // A third of the row further each time, as in a run.
            let place = (place + round * (configurations.len() / 3 + 1)) % configurations.len();
            if !is_open[place] {
                continue;
            }
            let configuration = configurations[place];
            progress.set_message(configuration.describe());
            for side in order(round, layouts) {
                let known = &mut outcomes[side][place];
                // What did not finish once will not the next time.
                if known.iter().all(|known| known.end == End::Itself) {
                    let programs = &sides[side].programs;
                    launcher
                        .program
                        .clone_from(&programs[round % programs.len()]);
                    let order = ProcessRequest {
                        slowdown_percent: sides[side].slowdown_percent,
                        ..configuration.order()
                    };
                    let outcome = match configuration.without_process() {
                        Some(outcome) => outcome,
                        None => launcher.run(&order, &configuration.terms),
                    };
                    if outcome.end == End::Interrupted {
                        break 'rounds;
                    }
                    known.push(outcome);
                }
            }
            progress.inc();
        }
        for (side, name) in [(0, "A"), (1, "B")] {
            let build = build(&sides[side]);
            let rows = configurations.iter().zip(&outcomes[side]);
            records[side] = rows
                .map(|(configuration, outcomes)| Record {
                    // What a revision was compiled with is not known here.
                    runtime_version: None,
                    ..Record::merge(configuration, outcomes, &machine, &build)
                })
                .filter(|record| !is_lacking(record))
                .collect();
            let file = directory.join(format!("{name}.jsonl"));
            fs::write(&file, json_lines(&records[side]))
                .with_context(|| format!("{} cannot be written", file.display()))?;
        }
    }
    progress.finish();
    Ok(records)
}

/// Of which configurations nothing can be told yet.
fn open(configurations: &[&Configuration], [a, b]: &[Vec<Record>; 2], all: bool) -> Vec<bool> {
    let comparison = Comparison::of(a, b, all, true);
    let is_open = |configuration: &&Configuration| {
        comparison.changes.iter().any(|change| {
            change.verdict == Verdict::TooNoisy
                && change.b.workload == configuration.workload.card.name
                && change.b.runtime == configuration.runtime.card.name
                && (change.b.size, change.b.jobs) == (configuration.size, configuration.jobs)
        })
    };
    configurations.iter().map(is_open).collect()
}

/// Which side comes first: each one as often, with every layout.
fn order(round: usize, layouts: usize) -> [usize; 2] {
    let is_turned = (round / layouts + round % layouts) % 2 == 1;
    if is_turned { [1, 0] } else { [0, 1] }
}

/// The build of a side, as far as it is known from outside.
fn build(side: &Built) -> Build {
    let here = Build::look_at_workspace();
    Build {
        rustflags: Some(format!(
            "{} ({})",
            side.flags.words().join(" "),
            side.layouts
        )),
        profile: Some("release".to_owned()),
        opt_level: None,
        debug: None,
        target_features: None,
        debug_assertions: false,
        git_dirty: match side.commit {
            Some(_) => Some(false),
            None => here.git_dirty,
        },
        git_revision: side.commit.clone().or(here.git_revision.clone()),
        ..here
    }
}

/// Whether a revision does not have the configuration yet, or any more.
fn is_lacking(record: &Record) -> bool {
    let error = record.error.as_deref().unwrap_or_default();
    LACKS.iter().any(|lacks| error.contains(lacks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// In twice as many rounds as there are layouts, each side comes first once with each layout.
    #[test]
    fn no_side_is_favoured() {
        for layouts in [1, 2, 3, 10] {
            let mut first: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for round in 0..2 * layouts {
                let side = order(round, layouts)[0];
                first.entry(round % layouts).or_default().insert(side);
            }
            assert_eq!(first.len(), layouts);
            assert!(first.values().all(|sides| sides.len() == 2));
        }
    }
}
