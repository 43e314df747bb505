//! A configuration: one row and column of a table.

use crate::effort::Effort;
use crate::entry::{RuntimeEntry, WorkloadEntry};
use crate::launch::Launcher;
use crate::measurement::Measurement;
use crate::outcome::Outcome;
use crate::peers::{NoFigure, Task};
use crate::process_request::{ProcessRequest, Terms};

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
