//! Which configurations run, in which order.
//!
//! A *round* runs every configuration once, each in a fresh process. Configurations that are
//! compared with each other (one workload, one size) run next to each other, in an order that
//! turns from round to round, so that neither drift nor the place in the row favours anyone.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::launch::{End, Launcher, Order, Outcome, Terms};
use crate::machine::{Build, Machine};
use crate::record::Record;
use crate::registry::{RuntimeEntry, WorkloadEntry};
use crate::session::Effort;

/// One row and column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// What is computed.
    pub workload: &'static WorkloadEntry,
    /// Who computes it.
    pub runtime: &'static RuntimeEntry,
    /// On how many threads.
    pub jobs: usize,
    /// How much of it.
    pub size: u64,
    /// How thoroughly.
    pub effort: Effort,
    /// What its processes may do.
    pub terms: Terms,
}

/// A workload, and everything that it is run with.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is computed.
    pub workload: &'static WorkloadEntry,
    /// Who computes it; all of its family.
    pub runtimes: Vec<&'static RuntimeEntry>,
    /// On how many threads.
    pub jobs: Vec<usize>,
    /// How much of it.
    pub sizes: Vec<u64>,
    /// How thoroughly.
    pub effort: Effort,
    /// How long a process may take.
    pub limit: Duration,
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// So many.
    Exactly(usize),
    /// As many as fit into the time, but at least one and at most so many.
    Fill(Duration, usize),
}

/// Everything that will run.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Configurations that are compared with each other, one group per workload and size.
    pub groups: Vec<Vec<Configuration>>,
    /// How often.
    pub rounds: Rounds,
}

impl Schedule {
    /// Crosses workloads (with their sizes), runtimes and jobs. A runtime to which jobs mean
    /// nothing runs once.
    pub fn cross(choices: &[Choice], rounds: Rounds) -> Self {
        let mut groups = Vec::new();
        for choice in choices {
            let workload = choice.workload;
            let terms = Terms {
                limit: choice.limit,
                can_deadlock: workload.can_deadlock,
                deep_stack: workload.family.nests(),
            };
            for &size in &choice.sizes {
                let mut group = Vec::new();
                for runtime in &choice.runtimes {
                    let jobs = if runtime.card.parallel {
                        &choice.jobs[..]
                    } else {
                        &[1]
                    };
                    group.extend(jobs.iter().map(|&jobs| Configuration {
                        workload,
                        runtime,
                        jobs,
                        size,
                        effort: choice.effort,
                        terms,
                    }));
                }
                groups.push(group);
            }
        }
        Self { groups, rounds }
    }

    /// Runs everything and returns one record per configuration.
    pub fn run(&self, launcher: &Launcher) -> Vec<Record> {
        let (machine, build) = (Machine::look(), Build::look());
        let mut outcomes: Vec<Vec<Vec<Outcome>>> = self
            .groups
            .iter()
            .map(|group| vec![Vec::new(); group.len()])
            .collect();
        let per_round: usize = self.groups.iter().map(Vec::len).sum();
        let most = match self.rounds {
            Rounds::Exactly(rounds) | Rounds::Fill(_, rounds) => rounds,
        };
        let bar = progress_bar((per_round * most) as u64);

        let start = Instant::now();
        for round in 0..most {
            if let Rounds::Fill(time, _) = self.rounds
                && round > 0
            {
                let done = start.elapsed();
                let fit = (time.as_secs_f64() / (done / round as u32).as_secs_f64()) as usize;
                let rounds = fit.clamp(round, most);
                bar.set_length((per_round * rounds) as u64);
                if rounds == round {
                    break;
                }
            }
            for (group, outcomes) in self.groups.iter().zip(&mut outcomes) {
                for place in 0..group.len() {
                    // A third of the row further each time.
                    let place = (place + round * (group.len() / 3 + 1)) % group.len();
                    let configuration = &group[place];
                    bar.set_message(configuration.describe());
                    // Who did not finish once will not the next time, and each try costs the limit.
                    if outcomes[place].iter().all(|known| known.end == End::Itself) {
                        let order = configuration.order();
                        outcomes[place].push(launcher.run(&order, &configuration.terms));
                    }
                    bar.inc(1);
                }
            }
        }
        bar.finish_and_clear();

        self.groups
            .iter()
            .zip(&outcomes)
            .flat_map(|(group, outcomes)| group.iter().zip(outcomes))
            .map(|(configuration, outcomes)| {
                Record::merge(configuration, outcomes, &machine, &build)
            })
            .collect()
    }
}

impl Configuration {
    fn order(&self) -> Order {
        Order {
            workload: self.workload.card.name.to_owned(),
            runtime: self.runtime.card.name.to_owned(),
            jobs: self.jobs,
            size: self.size,
            effort: self.effort,
            gated: false,
        }
    }

    fn describe(&self) -> String {
        let size = self.workload.size_label(self.size);
        let (workload, runtime) = (self.workload.card.name, self.runtime.card.name);
        format!("{workload} ({size}), {runtime}, jobs {}", self.jobs)
    }
}

/// A bar on the terminal's error stream; nothing where that is not a terminal. It is drawn between
/// two processes only.
fn progress_bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    let style = ProgressStyle::with_template("{bar:32} {pos}/{len}  {eta} left  {msg}")
        .expect("the template is right");
    bar.set_style(style.progress_chars("━╸─"));
    bar
}
