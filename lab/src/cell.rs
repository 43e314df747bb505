//! A cell of the comparison: one of ours against the best peer, with the same work and jobs.

use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::statistics::{Claim, Ratio, confidence, median};
use crate::workload::Shows;

/// One of ours against the best peer.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// Ours.
    pub ours: &'a Record,
    /// The peer with the smallest figure.
    pub peer: &'a Record,
    /// What they are compared by.
    pub shows: Shows,
    /// How many peers have a figure, of which this one is the best.
    pub peers: usize,
    /// A peer that failed in some rounds, and might have been the best.
    pub failed: Option<&'a Record>,
}

impl<'a> Cell<'a> {
    /// All cells of some records, in the order of the records of ours.
    pub fn all(records: &'a [Record]) -> Vec<Self> {
        records
            .iter()
            .filter_map(|ours| Self::of(ours, records))
            .collect()
    }

    /// The cell of one of ours; `None` of a peer, or where there is nothing to hold it against.
    pub fn of(ours: &'a Record, records: &'a [Record]) -> Option<Self> {
        // More at once than there are jobs is not the same work.
        if role(ours) != Some(Role::Ours) || ours.exceeds_jobs() {
            return None;
        }
        let shows = registry::workload(&ours.workload).ok()?.card.shows;
        measure(ours, shows)?;
        let rivals = || rivals(ours, records);
        let with_figures = rivals().filter_map(|record| Some((measure(record, shows)?, record)));
        let with_figures: Vec<(f64, &Record)> = with_figures.collect();
        let best = with_figures.iter().min_by(|a, b| a.0.total_cmp(&b.0));
        let (_, peer) = *best?;
        let peers = with_figures.len();
        Some(Self {
            ours,
            peer,
            shows,
            peers,
            failed: rivals().find(|record| record.has_failed_partly()),
        })
    }

    /// What may be claimed of ours and the peer's, by their ratio. That ours took more than the
    /// best of those that did not fail is true whatever the others would have taken.
    pub fn claim(&self, ratio: &Ratio) -> Claim {
        match ratio.claim() {
            Claim::TooFew => Claim::TooFew,
            _ if [self.ours, self.peer]
                .iter()
                .any(|record| is_disturbed(record)) =>
            {
                Claim::Disturbed
            }
            Claim::Faster | Claim::Level if self.failed.is_some() => Claim::PeerFailed,
            claim => claim,
        }
    }

    /// Ours divided by the peer's, round by round; `None` if they have no round in common.
    pub fn ratio(&self, confidence: f64) -> Option<Ratio> {
        self.ours.against(self.peer, self.shows, confidence)
    }
}

/// Why one of ours is no cell although a peer has a figure for the same work and jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It failed.
    Failed,
    /// More items ran at once than there were jobs.
    ExceedsJobs,
}

/// Those of ours that are no cells although a peer has a figure, and why.
pub fn missing(records: &[Record]) -> Vec<(&Record, Missing)> {
    let missing = |ours: &'_ Record| {
        let why = match ours {
            _ if role(ours) != Some(Role::Ours) => None,
            _ if ours.ok == Some(false) => Some(Missing::Failed),
            _ if ours.exceeds_jobs() => Some(Missing::ExceedsJobs),
            _ => None,
        }?;
        let shows = registry::workload(&ours.workload).ok()?.card.shows;
        let mut rivals = rivals(ours, records);
        rivals
            .any(|peer| measure(peer, shows).is_some())
            .then_some(why)
    };
    let all = records.iter();
    all.filter_map(|ours| Some((ours, missing(ours)?)))
        .collect()
}

/// The peers with the same work and jobs.
fn rivals<'a>(ours: &Record, records: &'a [Record]) -> impl Iterator<Item = &'a Record> {
    let (workload, place) = (&ours.workload, (ours.size, ours.jobs));
    records.iter().filter(move |record| {
        record.workload == *workload
            && (record.size, record.jobs) == place
            && role(record) == Some(Role::Peer)
    })
}

/// The figure that a record is compared by: the median over its processes, smaller is better.
pub fn measure(record: &Record, shows: Shows) -> Option<f64> {
    median(&record.measures(shows))
}

/// All cells with their ratios, at a confidence that makes them hold together.
///
/// The best peer is chosen by the same rounds. One of several that are equal seems better than it
/// is, and a cell that is level would be lost too often. So ours counts as held against each peer:
/// whichever seems the best, its interval is one of those that hold together.
pub fn judged(records: &[Record]) -> Vec<(Cell<'_>, Ratio)> {
    let cells = Cell::all(records);
    let confidence = confidence(comparisons(&cells));
    let with_ratios = cells.into_iter().filter_map(|cell| {
        let ratio = cell.ratio(confidence)?;
        Some((cell, ratio))
    });
    with_ratios.collect()
}

/// How often ours is held against a peer.
pub fn comparisons(cells: &[Cell<'_>]) -> usize {
    cells.iter().map(|cell| cell.peers).sum()
}

/// With more of the machine for others, no claim is made. Runtimes suffer from other programs
/// differently: one that wakes all its threads at once has to wait for its processors longer.
pub const OTHERS: f64 = 0.25;

/// Whether others had too much of the machine in the middle of the processes.
fn is_disturbed(record: &Record) -> bool {
    record.taken_by_others() > OTHERS
}

fn role(record: &Record) -> Option<Role> {
    registry::runtime(&record.runtime)
        .ok()
        .map(|entry| entry.card.role)
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::comparison::made_up::record;
    use crate::statistics::rounds_that_tell;

    /// A run of 34 cells in which ours and three peers are equal, with 2 % of noise.
    fn equals(generator: &mut SmallRng, rounds: usize) -> Vec<Record> {
        let mut records = Vec::new();
        for size in 0..34 {
            for runtime in ["drumline", "rayon", "chili", "forte"] {
                let mut time = || (0..4).map(|_| generator.random::<f64>() - 0.5).sum::<f64>();
                let times: Vec<f64> = (0..rounds).map(|_| 100.0 + 3.5 * time()).collect();
                let mut one = record("fib", runtime, 1, &times);
                one.size = size;
                records.push(one);
            }
        }
        records
    }

    fn claims(records: &[Record]) -> Vec<Claim> {
        let judged = judged(records);
        let claims = judged.iter().map(|(cell, ratio)| cell.claim(ratio));
        claims.collect()
    }

    /// All claims of a run hold together with 95 %: of a hundred runs, five have a false one at
    /// most. Four deviations are allowed for.
    #[test]
    fn few_runs_of_equal_runtimes_have_a_claim() {
        let mut generator = SmallRng::seed_from_u64(3);
        let rounds = rounds_that_tell(34 * 3);
        let mut wrong = 0;
        for _ in 0..100 {
            let claims = claims(&equals(&mut generator, rounds));
            assert!(!claims.contains(&Claim::TooFew));
            let is_false = |claim: &Claim| matches!(claim, Claim::Faster | Claim::Slower);
            wrong += usize::from(claims.iter().any(is_false));
        }
        assert!(wrong <= 5 + 9, "{wrong} of 100 runs");
        let too_few = claims(&equals(&mut generator, rounds - 1));
        assert_eq!(too_few, [Claim::TooFew; 34]);
    }

    #[test]
    fn no_claim_is_made_while_other_programs_have_the_machine() {
        let ours = record("fib", "drumline", 1, &[1.0; 10]);
        let mut peer = record("fib", "rayon", 1, &[2.0; 10]);
        let claim = |ours: &Record, peer: &Record| {
            let records = [ours.clone(), peer.clone()];
            let judged = judged(&records);
            let [(cell, ratio)] = &judged[..] else {
                panic!("{judged:?}");
            };
            cell.claim(ratio)
        };
        assert_eq!(claim(&ours, &peer), Claim::Faster);
        // Four of ten processes were disturbed, and then one more than half.
        for round in &mut peer.by_round[..4] {
            round.weather.others = Some(0.7);
        }
        assert_eq!(claim(&ours, &peer), Claim::Faster);
        for round in &mut peer.by_round[..6] {
            round.weather.others = Some(0.7);
        }
        assert_eq!(claim(&ours, &peer), Claim::Disturbed);
        peer.by_round.truncate(5);
        assert_eq!(claim(&ours, &peer), Claim::TooFew);
    }
}
