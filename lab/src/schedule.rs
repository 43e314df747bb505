//! Which configurations run, in which order.
//!
//! A *round* runs every configuration once, each in a fresh process. Configurations that are
//! compared with each other (one workload, one size) run next to each other, in an order that
//! turns from round to round, so that neither drift nor the place in the row favours anyone.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::journal::{Journal, Outcomes};
use crate::launch::{End, Launcher, Outcome, ProcessRequest, Terms};
use crate::peers::{NoFigure, Task};
use crate::plan::{self, Rounds};
use crate::progress::Progress;
use crate::record::Record;
use crate::registry::{RuntimeEntry, WorkloadEntry};
use crate::session::{Effort, Measurement};
use crate::{cell, interrupt, output};

/// One row and column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// What is computed.
    pub workload: &'static WorkloadEntry,
    /// The runtime that computes it.
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
    /// The runtimes that compute it; all of its family.
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
                deep_stack: workload.family.nests,
            };
            for &size in &choice.sizes {
                let mut group = Vec::new();
                for runtime in &choice.runtimes {
                    let jobs = if runtime.card.parallel {
                        &choice.jobs[..]
                    } else {
                        &[1]
                    };
                    // A process that waits for a program uses no processor time, and is not stuck.
                    let is_own = runtime.program.is_none() && runtime.peer.is_none();
                    let terms = Terms {
                        can_deadlock: terms.can_deadlock && is_own,
                        ..terms
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

    /// Runs everything that the journal does not have yet, and returns one record per
    /// configuration. If a signal ends the run, the records are marked as partial, and
    /// configurations of which no process has finished have none.
    pub fn run(&self, launcher: &Launcher, journal: Journal) -> Vec<Record> {
        self.compile_peers();
        let mut running = Running::new(self, launcher, journal);
        let partial = running.run().is_break();
        running.progress.finish();
        let mut records = running.records();
        for record in &mut records {
            record.partial = partial;
        }
        records
    }

    /// Compiles the peers in other languages that take part, so that no round has to wait for it.
    pub fn compile_peers(&self) {
        let configurations = self.groups.iter().flatten();
        for peer in configurations.filter_map(|configuration| configuration.runtime.peer) {
            // Its rows say what went wrong.
            let _ = peer.compile();
        }
    }
}

/// A schedule at work.
struct Running<'a> {
    schedule: &'a Schedule,
    launcher: &'a Launcher,
    journal: Journal,
    /// What came of each round, by group and configuration.
    outcomes: Outcomes,
    /// What a round of each group costs.
    costs: Vec<Duration>,
    /// How many rounds each group has had.
    rounds: Vec<usize>,
    progress: Progress,
}

impl<'a> Running<'a> {
    fn new(schedule: &'a Schedule, launcher: &'a Launcher, mut journal: Journal) -> Self {
        let outcomes = journal.take_finished();
        let rounds: Vec<usize> = outcomes.iter().map(|group| rounds_done(group)).collect();
        let costs = outcomes.iter().zip(&rounds).map(|(group, &rounds)| {
            let last = rounds.checked_sub(1);
            last.map_or(Duration::ZERO, |last| cost(group, last))
        });
        let costs = costs.collect();
        Self {
            schedule,
            launcher,
            journal,
            outcomes,
            costs,
            rounds,
            progress: Progress::new(0, "processes"),
        }
    }

    /// Stops where a signal asks for it.
    fn run(&mut self) -> ControlFlow<()> {
        let all = self.schedule.groups.len();
        match self.schedule.rounds {
            Rounds::Exactly(rounds) => self.all_rounds(&vec![rounds; all]),
            Rounds::Fill { time, longest } => {
                let start = Instant::now();
                let before = self.outcomes.iter().flatten().flatten();
                let before: Duration = before.map(Outcome::time).sum();
                self.all_rounds(&vec![1; all])?;
                self.all_rounds(&plan::rounds_that_fit(&self.costs, time))?;
                loop {
                    unless_interrupted()?;
                    let left = longest.saturating_sub(before + start.elapsed());
                    let open = self.open();
                    let next = plan::further_round(&self.costs, &self.rounds, &open, left);
                    let Some(group) = next else { break };
                    let more = self.schedule.groups[group].len();
                    self.progress.inc_length(more as u64);
                    self.round(group)?;
                }
                ControlFlow::Continue(())
            }
        }
    }

    /// Runs rounds until each group has had as many as `wanted` says.
    fn all_rounds(&mut self, wanted: &[usize]) -> ControlFlow<()> {
        let groups = &self.schedule.groups;
        let processes = groups.iter().zip(wanted);
        let processes: usize = processes.map(|(group, rounds)| group.len() * rounds).sum();
        let had = groups.iter().zip(&self.rounds);
        let had: usize = had.map(|(group, rounds)| group.len() * rounds).sum();
        self.progress.restart(had as u64, processes as u64);
        while let Some(round) = self
            .rounds
            .iter()
            .zip(wanted)
            .filter(|(a, b)| a < b)
            .map(|(a, _)| *a)
            .min()
        {
            for (group, &wanted) in wanted.iter().enumerate() {
                if self.rounds[group] == round && round < wanted {
                    self.round(group)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs each configuration of a group once, or those of this round that the journal does not
    /// have.
    fn round(&mut self, index: usize) -> ControlFlow<()> {
        let group = &self.schedule.groups[index];
        let round = self.rounds[index];
        let before = cost(&self.outcomes[index], round);
        let start = Instant::now();
        for place in 0..group.len() {
            // A third of the row further each time.
            let place = (place + round * (group.len() / 3 + 1)) % group.len();
            let configuration = &group[place];
            self.progress.set_message(configuration.describe());
            // What did not finish once will not the next time, and each try costs the limit.
            let known = &mut self.outcomes[index][place];
            if known.len() <= round && may_go_on(known) {
                unless_interrupted()?;
                let outcome = configuration.run(self.launcher);
                if outcome.end == End::Interrupted {
                    return ControlFlow::Break(());
                }
                if let Some(warning) = self.journal.append(configuration, round, &outcome) {
                    self.progress.suspend(|| output::note(&warning));
                }
                known.push(outcome);
            }
            self.progress.inc();
        }
        self.costs[index] = before + start.elapsed();
        self.rounds[index] += 1;
        ControlFlow::Continue(())
    }

    /// The groups of which no claim could be made yet.
    fn open(&self) -> Vec<bool> {
        let records = self.records();
        let judged = cell::judged(&records);
        let open: Vec<_> = judged
            .iter()
            .filter(|(cell, ratio)| cell::is_open(cell.claim(ratio)))
            .map(|(cell, _)| (cell.ours.workload.as_str(), cell.ours.size))
            .collect();
        let is_open = |group: &Vec<Configuration>| {
            let first = group.first().map(|c| (c.workload.card.name, c.size));
            first.is_some_and(|first| open.contains(&first))
        };
        self.schedule.groups.iter().map(is_open).collect()
    }

    fn records(&self) -> Vec<Record> {
        let (machine, build) = self.journal.began_with();
        let groups = self.schedule.groups.iter().zip(&self.outcomes);
        groups
            .flat_map(|(group, outcomes)| group.iter().zip(outcomes))
            .filter(|(_, outcomes)| !outcomes.is_empty())
            .map(|(configuration, outcomes)| {
                let mut record = Record::merge(configuration, outcomes, machine, build);
                record.resumed_despite = self.journal.despite().to_vec();
                record.command = self.journal.command().to_vec();
                record
            })
            .collect()
    }
}

fn unless_interrupted() -> ControlFlow<()> {
    match interrupt::pending() {
        Some(_) => ControlFlow::Break(()),
        None => ControlFlow::Continue(()),
    }
}

/// Whether a configuration has further rounds.
fn may_go_on(outcomes: &[Outcome]) -> bool {
    outcomes.iter().all(|outcome| outcome.end == End::Itself)
}

/// How many rounds of a group are complete.
fn rounds_done(group: &[Vec<Outcome>]) -> usize {
    let going_on = group.iter().filter(|outcomes| may_go_on(outcomes));
    let fewest = going_on.map(Vec::len).min();
    let most = || group.iter().map(Vec::len).max();
    fewest.or_else(most).unwrap_or(0)
}

/// What the processes of a round of a group took, as far as they have run.
fn cost(group: &[Vec<Outcome>], round: usize) -> Duration {
    let of_round = group.iter().filter_map(|outcomes| outcomes.get(round));
    of_round.map(Outcome::time).sum()
}

impl Configuration {
    /// What a process is told that measures it.
    pub fn order(&self) -> ProcessRequest {
        ProcessRequest {
            workload: self.workload.card.name.to_owned(),
            runtime: self.runtime.card.name.to_owned(),
            jobs: self.jobs,
            size: self.size,
            effort: self.effort,
            gated: false,
            slowdown_percent: None,
            program: self.program(),
        }
    }

    /// Measures it in a process of its own, and says what came of it.
    pub fn run(&self, launcher: &Launcher) -> Outcome {
        match self.without_process() {
            Some(outcome) => outcome,
            None => launcher.run(&self.order(), &self.terms),
        }
    }

    /// What comes of it if no process can measure it: a peer in another language has no figure.
    pub fn without_process(&self) -> Option<Outcome> {
        let found = match self.peer_words()?.err()? {
            NoFigure::Declined(reason) => Ok(Measurement {
                declined: Some(reason),
                ..Measurement::default()
            }),
            NoFigure::Failed(error) => Err(error),
        };
        Some(Outcome::without_process(found))
    }

    /// The command of the program that measures, if it is not the lab's own.
    fn program(&self) -> Option<Vec<String>> {
        match &self.runtime.program {
            Some(program) => Some(program.words(self.size, self.jobs)),
            None => self.peer_words()?.ok(),
        }
    }

    /// The command of a peer in another language, if it is one.
    fn peer_words(&self) -> Option<Result<Vec<String>, NoFigure>> {
        let task = Task {
            workload: self.workload.card.name,
            size: self.size,
            jobs: self.jobs,
            effort: self.effort,
            // As these families do it themselves.
            repeats: self.workload.family.computes,
        };
        self.runtime.peer.map(|peer| peer.words(&task))
    }

    /// It, in words.
    pub fn describe(&self) -> String {
        let size = self.workload.size_label(self.size);
        let (workload, runtime) = (self.workload.card.name, self.runtime.card.name);
        format!("{workload} ({size}), {runtime}, jobs {}", self.jobs)
    }
}
