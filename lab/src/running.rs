//! A schedule at work.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::journal::{Journal, Outcomes};
use crate::launch::Launcher;
use crate::outcome::{End, Outcome};
use crate::plan::{self, Rounds};
use crate::progress::Progress;
use crate::record::Record;
use crate::schedule::{Schedule, turned};
use crate::statistics::rounds_that_tell;
use crate::{console, interrupt};

impl Schedule {
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
                let wanted = rounds_that_tell(self.schedule.comparisons());
                self.all_rounds(&vec![1; all])?;
                self.all_rounds(&plan::rounds_that_fit(&self.costs, wanted, time))?;
                loop {
                    unless_interrupted()?;
                    let left = longest.saturating_sub(before + start.elapsed());
                    let next = plan::further_round(&self.costs, &self.rounds, wanted, left);
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
            let place = turned(place, round, group.len());
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
                    self.progress.suspend(|| console::note(&warning));
                }
                known.push(outcome);
            }
            self.progress.inc();
        }
        self.costs[index] = before + start.elapsed();
        self.rounds[index] += 1;
        ControlFlow::Continue(())
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
