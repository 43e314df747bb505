//! How many rounds each group of configurations gets, and when a run has measured enough.
//!
//! A group is a workload and a size: what is compared with each other. All groups have one round
//! first, which tells what a round of each costs. Then each has the rounds that claims need; see
//! [`rounds_that_tell`](crate::statistics::rounds_that_tell). If the time does not suffice, the
//! group whose round costs most gives up as many of its rounds as it must, then the next: as many
//! groups as possible keep enough. At last there are further rounds, while there is time.
//!
//! Only time decides how many rounds there are, and never what they found. A look after
//! each round that ends when the interval leaves one makes claims that do not hold.

use std::{cmp::Reverse, time::Duration};

use serde::{Deserialize, Serialize};

/// How many rounds there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounds {
    /// This many.
    Exactly(usize),
    /// As many as claims need, if they fit into `time`, and more until `longest` has passed.
    Fill {
        /// How long the rounds take that are planned in advance.
        time: Duration,
        /// How long a run may take.
        longest: Duration,
    },
}

/// More rounds than this make no claim that fewer did not make.
const ROUNDS_MAX: usize = 40;

/// The rounds of each group that fit into `time`, when a round of each costs this much: as many as
/// are `wanted` at most. Each has one, since that has been made already.
pub fn rounds_that_fit(costs: &[Duration], wanted: usize, time: Duration) -> Vec<usize> {
    let mut rounds = vec![wanted; costs.len()];
    let mut all: Duration = costs.iter().map(|cost| *cost * wanted as u32).sum();
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

/// The group that has the next further round, of those whose round fits into what is left. The
/// first is the one that needs least to have as many as are `wanted`. Then it is the one with the
/// fewest.
pub fn further_round(
    costs: &[Duration],
    rounds: &[usize],
    wanted: usize,
    left: Duration,
) -> Option<usize> {
    let lacks = |group: usize| {
        let missing = wanted.saturating_sub(rounds[group]) as u32;
        let time = costs[group] * missing;
        (missing > 0 && time <= left).then_some(time)
    };
    (0..costs.len())
        .filter(|&group| rounds[group] < ROUNDS_MAX && costs[group] <= left)
        .min_by_key(|&group| match lacks(group) {
            Some(time) => (false, time, 0),
            None => (true, Duration::ZERO, rounds[group]),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: &[u64]) -> Vec<Duration> {
        seconds.iter().copied().map(Duration::from_secs).collect()
    }

    #[test]
    fn all_have_enough_rounds_if_there_is_time() {
        let rounds = rounds_that_fit(&seconds(&[1, 2, 3]), 10, Duration::from_secs(60));
        assert_eq!(rounds, [10, 10, 10]);
        let rounds = rounds_that_fit(&seconds(&[1, 2, 3]), 13, Duration::from_secs(78));
        assert_eq!(rounds, [13, 13, 13]);
    }

    #[test]
    fn the_costliest_have_fewer() {
        let fit =
            |costs: &[u64], time| rounds_that_fit(&seconds(costs), 10, Duration::from_secs(time));
        assert_eq!(fit(&[1, 2, 8], 60), [10, 10, 3]);
        let rounds = fit(&[7, 2, 8], 60);
        assert_eq!(rounds, [4, 10, 1], "one group can be told, instead of none");
        assert_eq!(fit(&[20, 20], 10), [1, 1]);
        assert!(fit(&[], 0).is_empty());
    }

    #[test]
    fn further_rounds_go_to_what_lacks_them() {
        let costs = seconds(&[1, 2, 8]);
        let next =
            |rounds: &[usize], left| further_round(&costs, rounds, 10, Duration::from_secs(left));
        assert_eq!(next(&[10, 9, 3], 5), Some(1), "it can have enough");
        assert_eq!(next(&[8, 9, 3], 5), Some(0));
        assert_eq!(
            next(&[10, 6, 3], 5),
            Some(1),
            "nothing helps, and it has the fewest"
        );
        assert_eq!(next(&[10, 11, 3], 5), Some(0));
        assert_eq!(next(&[ROUNDS_MAX, 40, 3], 5), None);
        assert_eq!(next(&[10, 10, 3], 0), None);
    }
}
