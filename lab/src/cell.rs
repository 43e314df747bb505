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
        let rivals = records.iter().filter(|record| {
            record.workload == ours.workload
                && (record.size, record.jobs) == (ours.size, ours.jobs)
                && role(record) == Some(Role::Peer)
        });
        let (_, peer) = rivals
            .filter_map(|record| Some((measure(record, shows)?, record)))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Self { ours, peer, shows })
    }

    /// What may be claimed of ours and the peer's, by their ratio.
    pub fn claim(&self, ratio: &Ratio) -> Claim {
        match ratio.claim() {
            Claim::TooFew => Claim::TooFew,
            _ if [self.ours, self.peer]
                .iter()
                .any(|record| is_disturbed(record)) =>
            {
                Claim::Disturbed
            }
            claim => claim,
        }
    }

    /// Ours divided by the peer's, round by round; `None` if they have no round in common.
    pub fn ratio(&self, confidence: f64) -> Option<Ratio> {
        self.ours.against(self.peer, self.shows, confidence)
    }
}

/// The figure that a record is compared by: the median over its processes, smaller is better.
pub fn measure(record: &Record, shows: Shows) -> Option<f64> {
    median(&record.measures(shows))
}

/// All cells with their ratios, at a confidence that makes them hold together.
pub fn judged(records: &[Record]) -> Vec<(Cell<'_>, Ratio)> {
    let cells = Cell::all(records);
    let confidence = confidence(cells.len());
    let with_ratios = cells.into_iter().filter_map(|cell| {
        let ratio = cell.ratio(confidence)?;
        Some((cell, ratio))
    });
    with_ratios.collect()
}

/// Whether more rounds could make a claim of it.
pub fn is_open(claim: Claim) -> bool {
    matches!(claim, Claim::TooNoisy | Claim::TooFew | Claim::Disturbed)
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
    use super::*;
    use crate::comparison::made_up::record;

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
