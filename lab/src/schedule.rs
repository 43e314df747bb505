//! Which configurations run, in which order.
//!
//! A *round* runs every configuration once, each in a fresh process. Configurations that are
//! compared with each other (one workload, one size) run next to each other, in an order that
//! turns from round to round, so that neither drift nor the place in the row favours a
//! runtime.

use std::time::Duration;

use crate::configuration::Configuration;
use crate::effort::Effort;
use crate::entry::{RuntimeEntry, WorkloadEntry};
use crate::plan::Rounds;
use crate::process_request::Terms;
use crate::runtime::Role;

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

/// Which of a row of configurations comes at a place in a round: the row turns by about a third
/// each time. In as many rounds as the row is long, each one is first once.
pub fn turned(place: usize, round: usize, length: usize) -> usize {
    // A step that divides the row would begin at some of its places only.
    let mut steps = (length / 3 + 1)..;
    let step = steps.find(|step| divisor(*step, length) == 1);
    (place + round * step.unwrap_or(1)) % length
}

/// The greatest common divisor (Euclid's algorithm).
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
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

    /// How often ours is held against a peer: with the same work, and as many jobs.
    pub fn comparisons(&self) -> usize {
        let of_group = |group: &Vec<Configuration>| -> usize {
            let with = |wanted: Role| {
                let role = move |c: &&Configuration| c.runtime.card.role == wanted;
                group.iter().filter(role)
            };
            let peers = |ours: &Configuration| {
                with(Role::Peer)
                    .filter(|peer| peer.jobs == ours.jobs)
                    .count()
            };
            with(Role::Ours).map(peers).sum()
        };
        self.groups.iter().map(of_group).sum()
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_configuration_is_first_once() {
        for length in 1..40 {
            let first: BTreeSet<usize> =
                (0..length).map(|round| turned(0, round, length)).collect();
            assert_eq!(first.len(), length, "{length}");
            let row: BTreeSet<usize> = (0..length).map(|place| turned(place, 7, length)).collect();
            assert_eq!(row.len(), length, "{length}");
        }
    }
}
