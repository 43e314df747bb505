//! Measures two sources interleaved: a process of one, a process of the other, round by round.
//!
//! Round `n` uses layout `n` of both sides, modulo their number. So each layout has as many rounds,
//! and what only one layout has makes an interval wide. Which side comes first changes, too.

use std::path::Path;

use super::{Comparison, Design, Verdict};

use crate::configuration::Configuration;
use crate::export::json_lines;
use crate::launch::Launcher;
use crate::machine::{Build, Machine};
use crate::outcome::{End, Outcome};
use crate::process_request::ProcessRequest;
use crate::progress::Progress;
use crate::record::Record;
use crate::schedule::{Schedule, turned};
use crate::workshop::Built;
use crate::{console, whole_file};

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

impl Plan {
    /// How the sides are measured, if each has this many layouts: there is a look after the rounds
    /// of everything, and one after each time that the layouts have had a further round.
    pub fn design(&self, layouts: usize) -> Design {
        let further = self.most.saturating_sub(self.rounds);
        Design::Interleaved {
            looks: 1 + further.div_ceil(layouts),
        }
    }
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
) -> [Vec<Record>; 2] {
    let configurations: Vec<&Configuration> = schedule.groups.iter().flatten().collect();
    let empty = || vec![Vec::new(); configurations.len()];
    let mut outcomes: [Vec<Vec<Outcome>>; 2] = [empty(), empty()];
    let length = (plan.rounds * configurations.len()) as u64;
    let progress = Progress::new(length, "cells");
    let machine = Machine::look();
    let builds = sides.each_ref().map(build);
    let mut files = Files {
        directory,
        is_failing: false,
    };
    let mut records = [Vec::new(), Vec::new()];
    let mut is_cut_short = false;
    let mut is_open = vec![true; configurations.len()];
    let layouts = sides[0].programs.len();
    let design = plan.design(layouts);
    'rounds: for round in 0..plan.most {
        if round >= plan.rounds && (round - plan.rounds).is_multiple_of(layouts) {
            let [a, b] = &records;
            is_open = open(&configurations, &Comparison::of(a, b, plan.all, design));
            let open = is_open.iter().filter(|is_open| **is_open).count();
            progress.inc_length((open * layouts.min(plan.most - round)) as u64);
        }
        if is_open.iter().all(|is_open| !is_open) {
            break;
        }
        for place in 0..configurations.len() {
            let place = turned(place, round, configurations.len());
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
                        is_cut_short = true;
                        break 'rounds;
                    }
                    known.push(outcome);
                }
            }
            progress.inc();
        }
        for (side, name) in [(0, "A"), (1, "B")] {
            let rows = configurations.iter().zip(&outcomes[side]);
            records[side] = rows
                .map(|(configuration, outcomes)| Record {
                    // What a revision was compiled with is not known here.
                    runtime_version: None,
                    ..Record::merge(configuration, outcomes, &machine, &builds[side])
                })
                .filter(|record| !is_lacking(record))
                .collect();
            if let Some(warning) = files.write(name, &records[side]) {
                progress.suspend(|| console::note(&warning));
            }
        }
    }
    progress.finish();
    if is_cut_short {
        for (name, records) in ["A", "B"].into_iter().zip(&mut records) {
            records.iter_mut().for_each(|record| record.partial = true);
            if let Some(warning) = files.write(name, records) {
                console::note(&warning);
            }
        }
    }
    records
}

/// Where the records of both sides are written. They are also kept in memory: a disk that is full
/// for a while, or a directory that vanishes, costs nothing but a warning.
struct Files<'a> {
    directory: &'a Path,
    is_failing: bool,
}

impl Files<'_> {
    /// Writes the records of a side. Returns a warning, once, when that is not possible.
    fn write(&mut self, side: &str, records: &[Record]) -> Option<String> {
        let file = self.directory.join(format!("{side}.jsonl"));
        let written = whole_file::replace(&file, &json_lines(records));
        let first = !std::mem::replace(&mut self.is_failing, written.is_err());
        let error = written.err().filter(|_| first)?;
        Some(format!(
            "warning: {} cannot be written ({error}); the comparison goes on, and tries again after \
             each round",
            file.display()
        ))
    }
}

/// Of which configurations nothing can be told yet.
fn open(configurations: &[&Configuration], comparison: &Comparison<'_>) -> Vec<bool> {
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
    use std::fs;

    use crate::comparison::made_up::record;
    use crate::reader;

    /// A file lies where the directory was, and is removed later.
    #[test]
    fn a_directory_that_vanishes_costs_a_warning() {
        let parent = tempfile::tempdir().unwrap();
        let place = parent.path().join("place");
        let mut files = Files {
            directory: &place,
            is_failing: false,
        };
        let records = vec![record("fib", "drumline", 1, &[1.0; 2])];
        assert_eq!(files.write("A", &records), None);
        fs::remove_dir_all(&place).unwrap();
        fs::write(&place, "").unwrap();
        let warning = files.write("A", &records).unwrap();
        assert!(warning.contains("the comparison goes on"), "{warning}");
        assert_eq!(files.write("B", &records), None, "it was said once");
        fs::remove_file(&place).unwrap();
        assert_eq!(files.write("A", &records), None);
        assert_eq!(reader::read(&place.join("A.jsonl")).unwrap(), records);
    }

    /// The sides are looked at after 20, 30, 40, 50 and 60 rounds.
    #[test]
    fn each_look_counts() {
        let plan = |rounds, most| Plan {
            rounds,
            most,
            all: false,
        };
        assert_eq!(plan(20, 60).design(10), Design::Interleaved { looks: 5 });
        assert_eq!(plan(20, 60).design(3), Design::Interleaved { looks: 15 });
        assert_eq!(plan(20, 20).design(10), Design::Interleaved { looks: 1 });
    }

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
