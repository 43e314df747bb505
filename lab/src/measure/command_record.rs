//! A record of a command: every run, and what comes of all of them.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::metric::{METRICS, Metric, WALL};
use super::plan::{Configuration, Plan};
use super::rounds::Measured;
use super::shell_start::ShellStart;
use crate::cell::OTHERS;
use crate::machine::Machine;
use crate::statistics::{
    Claim, Interval, Ratio, Summary, confidence, geometric_mean, median, median_interval,
    rounds_that_tell,
};
use crate::weather::{Clocks, Weather};

/// One command. What the machine cannot tell is `null`, never zero.
#[derive(Clone, Debug, Serialize)]
pub struct CommandRecord {
    /// The command as one would type it.
    pub command: String,
    /// The values of its parameters.
    pub parameters: BTreeMap<String, String>,
    /// Whether a shell ran it.
    pub shell: bool,
    /// What a shell takes to start, which was taken off the times of each run.
    pub shell_start: Option<ShellStart>,
    /// What ran before each run.
    pub prepare: Option<String>,
    /// When it ran first.
    pub date: String,
    /// Whether there should have been more runs.
    pub partial: bool,
    /// Runs before those that count.
    pub warm_ups: usize,
    /// Runs that count.
    pub rounds: usize,
    /// Runs with an exit status other than zero.
    pub failures: usize,
    /// Runs that ended while some of their processes were alive.
    pub rounds_with_processes_left: usize,
    /// Each metric, by its key.
    #[serde(serialize_with = "by_key")]
    pub figures: Vec<(&'static Metric, Option<Figure>)>,
    /// The command that it is compared with, if there is one.
    pub against: Option<Against>,
    /// What others had of the machine, in all runs together.
    pub weather: Weather,
    /// The machine.
    pub machine: Machine,
    /// Names of some processes that outlived a run.
    #[serde(skip)]
    pub left: Vec<String>,
}

/// A metric of all runs of a command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Middle.
    pub median: f64,
    /// Where the true one lies, with 95 %; `null` for fewer than ten runs.
    pub interval: Option<Interval>,
    /// Arithmetic mean.
    pub mean: f64,
    /// Geometric mean; `null` if a run has zero.
    pub geometric_mean: Option<f64>,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Each run, in the order of the rounds; `null` where a run does not know.
    pub samples: Vec<Option<f64>>,
}

/// How a command compares with another one.
#[derive(Clone, Debug, Serialize)]
pub struct Against {
    /// That one, as one would type it.
    pub command: String,
    /// What may be said of the wall time.
    pub claim: Claim,
    /// How many rounds a claim needs.
    #[serde(skip)]
    pub rounds_min: usize,
    /// Each metric divided by that of the other command, round by round.
    #[serde(serialize_with = "by_key")]
    pub ratios: Vec<(&'static Metric, Option<Ratio>)>,
}

fn by_key<S: Serializer, T: Serialize>(
    values: &[(&'static Metric, T)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(values.iter().map(|(metric, value)| (metric.key, value)))
}

impl CommandRecord {
    /// The records of all commands that ran at least once.
    pub fn all(plan: &Plan, measured: &Measured, shell: Option<ShellStart>) -> Vec<Self> {
        let machine = Machine::look();
        let configurations = plan.configurations.iter().enumerate();
        let mut records: Vec<(usize, Self)> = configurations
            .filter(|(place, _)| !measured.runs[*place].is_empty())
            .map(|(place, configuration)| {
                let record = Self::of(plan, configuration, measured, place, &machine);
                (place, record)
            })
            .collect();
        let compared = records.iter().filter(|(place, _)| {
            let baseline = plan.configurations[*place].baseline;
            baseline.is_some_and(|baseline| !measured.runs[baseline].is_empty())
        });
        let claims = compared.count();
        for place in 0..records.len() {
            let baseline = plan.configurations[records[place].0].baseline;
            let other = records.iter().find(|(other, _)| Some(*other) == baseline);
            let against = other.map(|(_, other)| records[place].1.against(other, claims));
            records[place].1.against = against;
            records[place].1.shell_start = shell;
        }
        records.into_iter().map(|(_, record)| record).collect()
    }

    fn of(
        plan: &Plan,
        configuration: &Configuration,
        measured: &Measured,
        place: usize,
        machine: &Machine,
    ) -> Self {
        let runs = &measured.runs[place];
        let figures = METRICS.iter().map(|metric| {
            let samples = runs.iter().map(metric.of).collect();
            (metric, Figure::of(samples))
        });
        // A run may be shorter than a tick of the clocks, and all together are not.
        let passed = runs.iter().filter_map(|run| run.clocks);
        let passed = passed.fold(Clocks::default(), |all, one| all.plus(&one));
        let with_left = || runs.iter().filter(|run| !run.left.is_empty());
        Self {
            command: configuration.text.clone(),
            parameters: configuration.values.iter().cloned().collect(),
            shell: plan.shell,
            shell_start: None,
            prepare: configuration
                .prepare
                .as_ref()
                .map(|prepare| prepare.text.clone()),
            date: measured.dates[place].clone(),
            partial: measured.is_partial(),
            warm_ups: plan.warm_ups,
            rounds: runs.len(),
            failures: runs.iter().filter(|run| !run.is_success()).count(),
            rounds_with_processes_left: with_left().count(),
            figures: figures.collect(),
            against: None,
            weather: Weather::of(&passed),
            machine: machine.clone(),
            left: with_left()
                .next()
                .map(|run| run.left.clone())
                .unwrap_or_default(),
        }
    }

    /// A metric of this command.
    pub fn figure(&self, metric: &Metric) -> Option<&Figure> {
        let mut figures = self.figures.iter();
        let (_, figure) = figures.find(|(known, _)| known.key == metric.key)?;
        figure.as_ref()
    }

    /// Whether others had more of the machine than a claim allows, as in the lab's own
    /// comparisons.
    fn is_disturbed(&self) -> bool {
        let Weather { stolen, others } = self.weather;
        stolen.unwrap_or(0.0) + others.unwrap_or(0.0) > OTHERS
    }

    /// Whether a run took no longer than the start of a shell, which was taken off.
    pub fn is_too_short(&self) -> bool {
        self.shell && self.figure(WALL).is_some_and(|wall| wall.min <= 0.0)
    }

    /// This command, compared with another one round by round. What slows both down cancels.
    /// Compares with another command, where this many claims are made at once.
    fn against(&self, other: &Self, claims: usize) -> Against {
        let confidence = confidence(claims);
        let ratio = |metric: &'static Metric| {
            let (ours, theirs) = (self.figure(metric)?, other.figure(metric)?);
            let rounds = ours.samples.iter().zip(&theirs.samples);
            let rounds: Option<Vec<_>> = rounds.map(|(a, b)| (*a).zip(*b)).collect();
            // There is no multiple of zero.
            let rounds = rounds.filter(|rounds| rounds.iter().all(|(_, theirs)| *theirs > 0.0))?;
            Ratio::of_pairs(&rounds, confidence)
        };
        let ratios: Vec<_> = METRICS
            .iter()
            .map(|metric| (metric, ratio(metric)))
            .collect();
        let wall = ratios.iter().find(|(metric, _)| metric.key == WALL.key);
        let wall = wall.and_then(|(_, ratio)| ratio.as_ref());
        Against {
            command: other.command.clone(),
            claim: match wall.map_or(Claim::TooFew, Ratio::claim) {
                _ if self.is_too_short() || other.is_too_short() => Claim::TooShort,
                Claim::TooFew => Claim::TooFew,
                _ if self.is_disturbed() || other.is_disturbed() => Claim::Disturbed,
                claim => claim,
            },
            rounds_min: rounds_that_tell(claims),
            ratios,
        }
    }
}

impl Against {
    /// How a metric compares, if both commands have it.
    pub fn ratio(&self, metric: &Metric) -> Option<&Ratio> {
        let mut ratios = self.ratios.iter();
        let (_, ratio) = ratios.find(|(known, _)| known.key == metric.key)?;
        ratio.as_ref()
    }
}

impl Figure {
    /// `None` if most runs do not know: those that do are not like the others.
    fn of(samples: Vec<Option<f64>>) -> Option<Self> {
        let known: Vec<f64> = samples.iter().copied().flatten().collect();
        if 2 * known.len() < samples.len() {
            return None;
        }
        let Summary { mean, min, max, .. } = Summary::of(&known)?;
        Some(Self {
            median: median(&known)?,
            interval: median_interval(&known, 0.95),
            mean,
            geometric_mean: geometric_mean(&known),
            min,
            max,
            samples,
        })
    }

    /// The runs that know.
    pub fn known(&self) -> Vec<f64> {
        self.samples.iter().copied().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::made_up::records;
    use super::*;

    #[test]
    fn what_most_runs_do_not_know_is_no_figure() {
        let one = Figure::of(vec![Some(8.0), None]);
        assert_eq!(one.map(|figure| figure.median), Some(8.0));
        assert_eq!(Figure::of(vec![Some(8.0), None, None]), None);
        assert_eq!(Figure::of(vec![None]), None);
    }

    #[test]
    fn a_command_is_compared_round_by_round() {
        // The machine slows down, and the second command always takes twice as long.
        let walls: Vec<u64> = (1..=10).collect();
        let twice: Vec<u64> = walls.iter().map(|wall| 2 * wall).collect();
        let records = records(&[&walls, &twice]);
        assert!(records[0].against.is_none());
        let against = records[1].against.as_ref().unwrap();
        assert_eq!(
            (against.command.as_str(), against.claim),
            ("first", Claim::Slower)
        );
        let ratio = against.ratio(WALL).unwrap();
        assert_eq!(ratio.text(), "2.00 (2.00–2.00)");
        assert_eq!(against.ratio(Metric::named("energy_joules")), None);
        let wall = records[1].figure(WALL).unwrap();
        assert_eq!((wall.median, wall.min, wall.max), (11.0, 2.0, 20.0));
        assert!(wall.interval.is_some_and(|interval| interval.holds(11.0)));
        assert!(wall.geometric_mean.is_some_and(|mean| mean < wall.mean));
    }

    #[test]
    fn a_few_runs_claim_nothing() {
        let records = records(&[&[1, 1], &[9, 9]]);
        let against = records[1].against.as_ref().unwrap();
        assert_eq!(against.claim, Claim::TooFew);
        assert_eq!(records[0].figure(WALL).unwrap().interval, None);
    }

    #[test]
    fn nothing_is_claimed_while_other_programs_have_the_machine() {
        let mut records = records(&[&[1; 10], &[9; 10]]);
        let claim = |records: &[CommandRecord]| records[1].against(&records[0], 1).claim;
        assert_eq!(claim(&records), Claim::Slower);
        records[0].weather.others = Some(0.2);
        assert_eq!(claim(&records), Claim::Slower);
        records[0].weather.stolen = Some(0.1);
        assert_eq!(claim(&records), Claim::Disturbed);
    }

    #[test]
    fn what_takes_no_longer_than_a_shell_is_not_compared() {
        for walls in [[&[0; 10][..], &[9; 10]], [&[9; 10], &[0; 10]]] {
            let mut records = records(&walls);
            let claim = |records: &[CommandRecord]| records[1].against(&records[0], 1).claim;
            assert_ne!(claim(&records), Claim::TooShort);
            records.iter_mut().for_each(|record| record.shell = true);
            assert_eq!(claim(&records), Claim::TooShort);
        }
    }

    #[test]
    fn a_command_that_never_ran_has_no_record() {
        let records = records(&[&[], &[5]]);
        let [only] = &records[..] else {
            panic!("{records:?}");
        };
        assert_eq!(only.command, "second");
        assert!(only.against.is_none());
    }

    #[test]
    fn what_is_not_known_is_null() {
        let records = records(&[&[5]]);
        let value = serde_json::to_value(&records[0]).unwrap();
        let figures = &value["figures"];
        assert_eq!(figures["wall_ns"]["samples"], serde_json::json!([5.0]));
        assert!(figures["energy_joules"].is_null());
        assert!(figures.as_object().unwrap().contains_key("energy_joules"));
    }
}
