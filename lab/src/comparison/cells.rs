//! The cells of a comparison: the same configuration on both sides, and what may be claimed of it.

use serde::Serialize;

use crate::record::Record;
use crate::registry;
use crate::runtime::Role;
use crate::statistics::{Claim, PROCESSES_MIN, Ratio, confidence, median, rounds_that_tell};
use crate::workload::Shows;

/// How much slower B must be beyond doubt to be called a regression: two per cent.
pub const MARGIN: f64 = 0.02;

/// What became of a cell from A to B, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// B has no figure, or a wrong answer, and A has a figure.
    Broken,
    /// The interval lies above one by more than the margin.
    Regression,
    /// The interval lies below one by more than the margin.
    Improvement,
    /// A has no figure, and B has one.
    Mended,
    /// It failed on at least one side, and neither has a figure.
    BrokenBoth,
    /// It may be either.
    TooNoisy,
    /// One side has too few processes for an interval.
    TooFew,
    /// The difference is smaller than what matters.
    Level,
}

impl Verdict {
    /// Whether it must not go unnoticed.
    pub fn is_regression(self) -> bool {
        matches!(self, Self::Broken | Self::Regression)
    }
}

impl From<Claim> for Verdict {
    fn from(claim: Claim) -> Self {
        match claim {
            Claim::Faster => Self::Improvement,
            Claim::Slower => Self::Regression,
            Claim::Level => Self::Level,
            Claim::TooNoisy | Claim::TooShort | Claim::Disturbed | Claim::PeerFailed => {
                Self::TooNoisy
            }
            Claim::TooFew => Self::TooFew,
        }
    }
}

/// How two sides were measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Design {
    /// At different times.
    Apart,
    /// Round by round, so that the same round was the same moment on both.
    Interleaved {
        /// How often it is looked at what they found, to decide whether there are further rounds,
        /// and at the end. Each look is a claim of its own.
        looks: usize,
    },
}

/// A configuration that both sides have.
#[derive(Clone, Debug)]
pub struct Change<'a> {
    /// Its record in A.
    pub a: &'a Record,
    /// Its record in B.
    pub b: &'a Record,
    /// What they are compared by.
    pub shows: Shows,
    /// B divided by A; `None` where one of them has no figure.
    pub ratio: Option<Ratio>,
    /// What may be claimed.
    pub verdict: Verdict,
}

/// Two sides, held against each other.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// What both have, the worst first.
    pub changes: Vec<Change<'a>>,
    /// What only A has.
    pub only_a: Vec<&'a Record>,
    /// What only B has.
    pub only_b: Vec<&'a Record>,
    /// How many records of each side count for nothing: another one of the same configuration
    /// follows.
    pub replaced: [usize; 2],
    /// The confidence of each interval, which makes all of them hold together.
    pub confidence: f64,
    /// How many processes each side needs for an interval.
    pub processes_min: usize,
}

impl<'a> Comparison<'a> {
    /// Compares all records of ours, or really `all`.
    pub fn of(a: &'a [Record], b: &'a [Record], all: bool, design: Design) -> Self {
        let ours = |records: &'a [Record]| -> (Vec<&'a Record>, usize) {
            let ours = records.iter().filter(|record| all || is_ours(record));
            latest(&ours.collect::<Vec<_>>())
        };
        let ((a, replaced_a), (b, replaced_b)) = (ours(a), ours(b));
        let common: Vec<(&Record, &Record)> = a
            .iter()
            .filter_map(|a| Some((*a, find(&b, a)?)))
            // Where neither side takes part there is nothing to say.
            .filter(|(a, b)| {
                [a, b]
                    .iter()
                    .any(|side| has_figure(side) || has_failed(side))
            })
            .collect();
        let with_figures = common
            .iter()
            .filter(|(a, b)| has_figure(a) && has_figure(b));
        let cells = with_figures.count();
        let (claims, processes_min) = match design {
            Design::Apart => (cells, PROCESSES_MIN),
            Design::Interleaved { looks } => (cells * looks, rounds_that_tell(cells * looks)),
        };
        let confidence = confidence(claims);
        let mut changes: Vec<Change<'_>> = common
            .into_iter()
            .map(|(a, b)| Change::of(a, b, design, confidence))
            .collect();
        // The sort keeps the order of A among equals.
        changes.sort_by(|x, y| {
            let worst = |change: &Change<'_>| change.ratio.map_or(1.0, |ratio| ratio.value);
            let by_ratio = match x.verdict {
                Verdict::Regression => worst(y).total_cmp(&worst(x)),
                Verdict::Improvement => worst(x).total_cmp(&worst(y)),
                _ => std::cmp::Ordering::Equal,
            };
            x.verdict.cmp(&y.verdict).then(by_ratio)
        });
        let without = |these: &[&'a Record], those: &[&Record]| {
            let alone = these.iter().filter(|record| find(those, record).is_none());
            alone.copied().collect()
        };
        Self {
            changes,
            only_a: without(&a, &b),
            only_b: without(&b, &a),
            replaced: [replaced_a, replaced_b],
            confidence,
            processes_min,
        }
    }

    /// How many cells have become worse, beyond doubt.
    pub fn regressions(&self) -> usize {
        let verdicts = self.changes.iter().map(|change| change.verdict);
        verdicts.filter(|verdict| verdict.is_regression()).count()
    }

    /// Whether nothing could be judged.
    pub fn is_void(&self) -> bool {
        self.count(Verdict::TooFew) + self.count(Verdict::BrokenBoth) == self.changes.len()
    }

    /// How many cells have this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let with = self.changes.iter().filter(|c| c.verdict == verdict);
        with.count()
    }
}

impl<'a> Change<'a> {
    fn of(a: &'a Record, b: &'a Record, design: Design, confidence: f64) -> Self {
        let shows = registry::workload(&a.workload).map_or(Shows::Time, |entry| entry.card.shows);
        let ratio = match design {
            _ if !has_figure(a) || !has_figure(b) => None,
            Design::Apart => Ratio::of_two(&b.measures(shows), &a.measures(shows), confidence),
            Design::Interleaved { .. } => b.against(a, shows, confidence),
        };
        let verdict = match ratio {
            Some(ratio) => ratio.claim_beyond(MARGIN).into(),
            None if has_figure(a) && has_figure(b) => Verdict::TooFew,
            None if has_figure(a) => Verdict::Broken,
            None if has_figure(b) => Verdict::Mended,
            None => Verdict::BrokenBoth,
        };
        Self {
            a,
            b,
            shows,
            ratio,
            verdict,
        }
    }

    /// The figures of both sides, in nanoseconds per operation, or in bytes of heap per item.
    pub fn figures(&self) -> [Option<f64>; 2] {
        [self.a, self.b].map(|record| {
            let measures = median(&record.measures(self.shows));
            let is_time = !self.shows.is_heap();
            measures.or(record.wall_ns_median.filter(|_| is_time))
        })
    }

    /// How many processes each side has, where these are too few.
    pub fn too_few(&self) -> Option<[usize; 2]> {
        let counts = [self.a, self.b].map(|record| record.measures(self.shows).len());
        (self.verdict == Verdict::TooFew).then_some(counts)
    }
}

/// The records without those that are followed by another one of the same configuration, and how
/// many these are. The last one was measured last.
fn latest<'a>(records: &[&'a Record]) -> (Vec<&'a Record>, usize) {
    let all = records.iter().enumerate();
    let kept = all.filter(|(index, record)| find(&records[index + 1..], record).is_none());
    let kept: Vec<&Record> = kept.map(|(_, record)| *record).collect();
    let replaced = records.len() - kept.len();
    (kept, replaced)
}

/// The record of the same configuration.
fn find<'a>(records: &[&'a Record], like: &Record) -> Option<&'a Record> {
    let mut same = records.iter().filter(|record| record.is_like(like));
    same.next().copied()
}

fn has_figure(record: &Record) -> bool {
    record.ok == Some(true) && record.wall_ns_median.is_some()
}

fn has_failed(record: &Record) -> bool {
    record.ok == Some(false)
}

/// Whether a record is of one of our own runtimes; also of one that this lab does not know any
/// more.
fn is_ours(record: &Record) -> bool {
    registry::runtime(&record.runtime).map_or_else(
        |_| record.runtime.starts_with("drumline"),
        |entry| entry.card.role == Role::Ours,
    )
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::comparison::made_up::record;

    /// What twenty processes find: 1 % of noise around `centre`.
    fn noisy(generator: &mut SmallRng, centre: f64) -> Vec<f64> {
        let mut one = || {
            let spread: f64 = (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0;
            centre * (1.0 + 0.01 * spread)
        };
        (0..20).map(|_| one()).collect()
    }

    /// A hundred cells; those with an index in `slow` are 5 % slower. Twenty processes are sure to
    /// find that, and ten find it in nine of ten cells. Most cells have too few processes, so that
    /// the test does not take long; they count all the same.
    fn hundred(seed: u64, slow: &[usize]) -> Vec<Record> {
        let mut generator = SmallRng::seed_from_u64(seed);
        let mut records = Vec::new();
        for index in 0..100 {
            let factor = if slow.contains(&index) { 1.05 } else { 1.0 };
            let measures = noisy(&mut generator, factor * 1000.0);
            let processes = if index % 10 == 0 { 20 } else { 3 };
            let mut one = record("tree-sum", "drumline", 1, &measures[..processes]);
            one.size = index as u64;
            records.push(one);
        }
        records
    }

    #[test]
    fn a_planted_slowdown_is_found_among_a_hundred_cells() {
        let slow = [20, 60];
        let (a, b) = (hundred(1, &[]), hundred(2, &slow));
        for (design, confidence) in [
            (Design::Apart, 0.9995),
            (Design::Interleaved { looks: 5 }, 0.9999),
        ] {
            let comparison = Comparison::of(&a, &b, false, design);
            assert_eq!(comparison.changes.len(), 100);
            assert!((comparison.confidence - confidence).abs() < 1e-12);
            let found: Vec<&Change<'_>> = comparison
                .changes
                .iter()
                .filter(|change| change.verdict.is_regression())
                .collect();
            let mut sizes: Vec<u64> = found.iter().map(|change| change.a.size).collect();
            sizes.sort_unstable();
            assert_eq!(sizes, [20, 60]);
            // They come first.
            assert!(comparison.changes[1].verdict == Verdict::Regression);
            assert!(comparison.changes[2].verdict != Verdict::Regression);

            let back = Comparison::of(&b, &a, false, design);
            assert_eq!(back.regressions(), 0);
            assert_eq!(back.count(Verdict::Improvement), 2);
        }
    }

    #[test]
    fn equal_sides_have_no_regression() {
        for seed in [10, 11] {
            let (a, b) = (hundred(seed, &[]), hundred(seed + 100, &[]));
            let comparison = Comparison::of(&a, &b, false, Design::Apart);
            assert_eq!(comparison.regressions(), 0, "seed {seed}");
            assert_eq!(comparison.count(Verdict::Improvement), 0, "seed {seed}");
        }
    }

    #[test]
    fn pairs_do_not_see_a_machine_that_slows_down() {
        let drift = |factor: f64| {
            let speeds: Vec<f64> = (0..10).map(|r| factor * (10.0 + f64::from(r))).collect();
            vec![record("fib", "drumline", 1, &speeds)]
        };
        let (a, b) = (drift(1.0), drift(1.05));
        let paired = Comparison::of(&a, &b, false, Design::Interleaved { looks: 1 });
        assert_eq!(paired.changes[0].verdict, Verdict::Regression);
        let apart = Comparison::of(&a, &b, false, Design::Apart);
        assert_eq!(apart.changes[0].verdict, Verdict::TooNoisy);
    }

    /// Of two builds, one has a lucky layout: rounds alternate between them.
    #[test]
    fn what_one_layout_has_and_the_other_lacks_is_no_regression() {
        let a = vec![record("fib", "drumline", 1, &[10.0; 20])];
        let speeds: Vec<f64> = (0..20).map(|r| [10.0, 11.0][r % 2]).collect();
        let b = vec![record("fib", "drumline", 1, &speeds)];
        let comparison = Comparison::of(&a, &b, false, Design::Interleaved { looks: 5 });
        assert_eq!(comparison.changes[0].verdict, Verdict::TooNoisy);
    }

    #[test]
    fn few_processes_make_no_claim() {
        let a = vec![record("fib", "drumline", 1, &[10.0; 10])];
        let b = vec![record("fib", "drumline", 1, &[20.0; 3])];
        let comparison = Comparison::of(&a, &b, false, Design::Apart);
        assert_eq!(comparison.changes[0].verdict, Verdict::TooFew);
        assert_eq!(comparison.changes[0].too_few(), Some([10, 3]));
        assert_eq!(comparison.regressions(), 0);
    }

    #[test]
    fn what_only_one_side_has_is_named() {
        let one = |runtime: &str, jobs: usize| record("fib", runtime, jobs, &[10.0; 10]);
        let a = vec![one("drumline", 1), one("drumline", 2), one("rayon", 2)];
        let b = vec![one("drumline", 2), one("drumline", 4)];
        let comparison = Comparison::of(&a, &b, false, Design::Apart);
        assert_eq!(comparison.changes.len(), 1);
        assert_eq!(comparison.only_a.len(), 1);
        assert_eq!(comparison.only_a[0].jobs, 1);
        assert_eq!(comparison.only_b[0].jobs, 4);
        let all = Comparison::of(&a, &b, true, Design::Apart);
        assert_eq!(all.only_a.len(), 2);
    }

    #[test]
    fn a_cell_that_fails_now_is_a_regression() {
        let good = record("fib", "drumline", 1, &[10.0; 10]);
        let mut bad = record("fib", "drumline", 1, &[]);
        bad.ok = Some(false);
        bad.error = Some("a wrong answer".to_owned());
        let (good, bad) = (vec![good], vec![bad]);
        let worse = Comparison::of(&good, &bad, false, Design::Apart);
        assert_eq!(worse.changes[0].verdict, Verdict::Broken);
        assert_eq!(worse.regressions(), 1);
        let better = Comparison::of(&bad, &good, false, Design::Apart);
        assert_eq!(better.changes[0].verdict, Verdict::Mended);
        let both = Comparison::of(&bad, &bad, false, Design::Apart);
        assert_eq!(both.changes[0].verdict, Verdict::BrokenBoth);
        assert_eq!(both.regressions(), 0);
        // Where it does not take part on either side there is nothing to say.
        let mut declined = bad.clone();
        (declined[0].ok, declined[0].error) = (None, None);
        let neither = Comparison::of(&declined, &declined, false, Design::Apart);
        assert!(neither.changes.is_empty());
    }

    #[test]
    fn the_last_of_two_records_counts() {
        let once = vec![record("fib", "drumline", 1, &[10.0; 10])];
        let twice = vec![
            record("fib", "drumline", 1, &[20.0; 10]),
            record("fib", "drumline", 1, &[10.0; 10]),
        ];
        for (a, b, replaced) in [(&once, &twice, [0, 1]), (&twice, &once, [1, 0])] {
            let comparison = Comparison::of(a, b, false, Design::Apart);
            assert_eq!(comparison.changes.len(), 1);
            assert_eq!(comparison.changes[0].verdict, Verdict::Level);
            assert_eq!(comparison.replaced, replaced);
        }
    }
}
