//! How many rounds each group of configurations gets, and when a run has measured enough.
//!
//! A group is a workload and a size: what is compared with each other. All groups have one round
//! first, which tells what a round of each costs. Then each has [`PROCESSES_MIN`] rounds, from
//! which claims can be made. If the time does not suffice, the group whose round costs most gives
//! up as many of its rounds as it must, then the next: as many groups as possible keep enough. At
//! last, groups of which no claim could be made yet have more rounds, while there is time.

use std::{cmp::Reverse, time::Duration};

use serde::{Deserialize, Serialize};

use crate::statistics::PROCESSES_MIN;

/// How many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounds {
    /// This many.
    Exactly(usize),
    /// As many as claims need, if they fit into `time`; and more, until `longest` has passed, for
    /// groups of which no claim could be made.
    Fill {
        /// How long a run takes that has no open claims.
        time: Duration,
        /// How long one may take that has.
        longest: Duration,
    },
}

/// More rounds than this make no claim that fewer did not make.
const ROUNDS_MAX: usize = 40;

/// The rounds of each group that fit into `time`, when a round of each costs so much. Each has one,
/// since that has been made already.
pub fn rounds_that_fit(costs: &[Duration], time: Duration) -> Vec<usize> {
    let mut rounds = vec![PROCESSES_MIN; costs.len()];
    let mut all: Duration = costs.iter().map(|cost| *cost * PROCESSES_MIN as u32).sum();
    let mut costliest_first: Vec<usize> = (0..costs.len()).collect();
    costliest_first.sort_by_key(|&group| Reverse(costs[group]));
    for group in costliest_first {
        while all > time && rounds[group] > 1 {
            rounds[group] -= 1;
            all -= costs[group];
        }
    }
    rounds
}

/// The group that has the next further round: of those that are `open`, the one with the fewest
/// rounds that fits into what is left.
pub fn further_round(
    costs: &[Duration],
    rounds: &[usize],
    open: &[bool],
    left: Duration,
) -> Option<usize> {
    (0..costs.len())
        .filter(|&group| open[group] && rounds[group] < ROUNDS_MAX && costs[group] <= left)
        .min_by_key(|&group| rounds[group])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: &[u64]) -> Vec<Duration> {
        seconds.iter().copied().map(Duration::from_secs).collect()
    }

    #[test]
    fn all_have_enough_rounds_if_there_is_time() {
        let rounds = rounds_that_fit(&seconds(&[1, 2, 3]), Duration::from_secs(60));
        assert_eq!(rounds, [10, 10, 10]);
    }

    #[test]
    fn the_costliest_have_fewer() {
        let rounds = rounds_that_fit(&seconds(&[1, 2, 8]), Duration::from_secs(60));
        assert_eq!(rounds, [10, 10, 3]);
        let rounds = rounds_that_fit(&seconds(&[7, 2, 8]), Duration::from_secs(60));
        assert_eq!(rounds, [4, 10, 1], "one group can be told, instead of none");
        let rounds = rounds_that_fit(&seconds(&[20, 20]), Duration::from_secs(10));
        assert_eq!(rounds, [1, 1]);
        assert!(rounds_that_fit(&[], Duration::ZERO).is_empty());
    }

    #[test]
    fn further_rounds_go_to_what_is_open() {
        let costs = seconds(&[1, 2, 8]);
        let left = Duration::from_secs(5);
        let next = |rounds: &[usize], open: &[bool]| further_round(&costs, rounds, open, left);
        assert_eq!(next(&[10, 10, 3], &[true, true, true]), Some(0));
        assert_eq!(next(&[11, 10, 3], &[true, true, true]), Some(1));
        assert_eq!(next(&[11, 10, 3], &[false, false, true]), None);
        assert_eq!(next(&[ROUNDS_MAX, 40, 3], &[true, true, true]), None);
    }
}
