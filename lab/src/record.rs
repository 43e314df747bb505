//! A record: one configuration, everything that was measured, and everything about the machine
//! that could matter. What the machine cannot tell is `null`, never zero.

use serde::{Deserialize, Serialize};

use crate::configuration::Configuration;
use crate::effort::Effort;
use crate::journal;
use crate::latency::Latencies;
use crate::machine::{Build, Machine};
use crate::measurement::Measurement;
use crate::outcome::{End, Outcome};
use crate::round::RoundFigures;
use crate::statistics::{Interval, Ratio, Summary, geometric_mean, median, median_interval};
use crate::usage::Usage;
use crate::weather::Weather;
use crate::workload::Shows;

/// One configuration. All times named `wall_ns` and `cpu_ns` are per operation; counts named
/// `…_total`, context switches and page faults are sums over all samples of all rounds. A field
/// that is missing in a file, because an older lab wrote it, is unknown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// Name of the workload.
    pub workload: String,
    /// Name of the runtime.
    pub runtime: String,
    /// Version of its package, or of its language; `null` for code of the lab itself.
    pub runtime_version: Option<String>,
    /// How it divides work.
    pub scheduler: String,
    /// Threads that may run user code at once.
    pub jobs: usize,
    /// The size, in the workload's own terms.
    pub size: u64,
    /// The size in words.
    pub size_label: String,
    /// Whether every operation was a call from outside the pool.
    pub outside: bool,
    /// Whether all rounds ran and every answer was right; `null` if the runtime does not take part.
    pub ok: Option<bool>,
    /// Why the runtime does not take part.
    pub declined: Option<String>,
    /// What went wrong.
    pub error: Option<String>,
    /// Whether that was that all threads waited for each other.
    pub deadlock: bool,
    /// The arguments of the lab that began the run.
    pub command: Vec<String>,
    /// When the configuration was measured first.
    pub date: String,
    /// Whether the run was interrupted: it was to have more rounds, or more configurations.
    #[serde(default)]
    pub partial: bool,
    /// What had changed when the run was resumed: the machine, or the program.
    #[serde(default)]
    pub resumed_despite: Vec<String>,

    /// By how many percent it was slowed down on purpose (`lab compare --plant`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown_percent: Option<u32>,

    /// What an item is.
    pub item: String,
    /// Items in one operation.
    pub items: Option<u64>,
    /// Processes that measured this configuration.
    pub rounds: usize,
    /// How many of them failed. The record of one that has failed has no figure.
    pub failures: usize,
    /// Operations in all samples.
    pub operations: Option<u64>,
    /// Operations in one sample of the last round.
    pub batch: Option<u64>,

    /// Median of the processes' medians.
    pub wall_ns_median: Option<f64>,
    /// Where the true one lies, with 95 %; `null` for fewer than ten processes.
    pub wall_ns_interval: Option<Interval>,
    /// Smallest sample.
    pub wall_ns_min: Option<f64>,
    /// Mean of all samples.
    pub wall_ns_mean: Option<f64>,
    /// Largest sample.
    pub wall_ns_max: Option<f64>,
    /// Geometric mean of the rounds' medians.
    pub wall_ns_geomean: Option<f64>,
    /// Median per item.
    pub item_ns_median: Option<f64>,
    /// Smallest per item.
    pub item_ns_min: Option<f64>,

    /// Processor time of all threads, median of all samples. Of a sample shorter than a scheduler
    /// tick the kernel knows little when several threads run; the mean is better then.
    pub cpu_ns_median: Option<f64>,
    /// Processor time of all threads, mean.
    pub cpu_ns_mean: Option<f64>,
    /// Part of it in the program, all samples.
    pub user_ns_total: Option<u64>,
    /// Part of it in the kernel, all samples.
    pub system_ns_total: Option<u64>,
    /// Context switches because a thread waited.
    pub ctx_voluntary: Option<u64>,
    /// Context switches because a thread had to make room.
    pub ctx_involuntary: Option<u64>,
    /// The former per operation.
    pub ctx_voluntary_per_operation: Option<f64>,
    /// The latter per operation.
    pub ctx_involuntary_per_operation: Option<f64>,
    /// Moves of threads from core to core.
    pub migrations: Option<u64>,
    /// Page faults without input or output.
    pub faults_minor: Option<u64>,
    /// Page faults with input or output.
    pub faults_major: Option<u64>,

    /// Threads before anything was built.
    pub threads_initial: Option<u64>,
    /// Most threads, looked at every 5 ms from outside.
    pub threads_peak: Option<u64>,
    /// Resident memory before anything was built.
    pub rss_initial_bytes: Option<u64>,
    /// Most resident memory, by the kernel's own mark.
    pub rss_peak_bytes: Option<u64>,
    /// Least memory of the machine that was available meanwhile.
    pub memory_free_min_bytes: Option<u64>,

    /// Instructions.
    pub instructions: Option<u64>,
    /// Cycles.
    pub cycles: Option<u64>,
    /// Branches.
    pub branches: Option<u64>,
    /// Branches that were predicted wrongly.
    pub branch_misses: Option<u64>,
    /// Accesses that the last cache could not serve.
    pub cache_misses: Option<u64>,
    /// Energy of the processor packages.
    pub energy_joules: Option<f64>,

    /// Tasks or actors that live at once, roughly, also those not begun; unknown for fork/join.
    pub concurrency: Option<u64>,
    /// Tasks that can run at once, roughly: no more than the jobs.
    pub parallelism: Option<u64>,
    /// Messages in all samples; none in fork/join.
    pub messages: Option<u64>,
    /// How long half of the items waited at most before they were handled; where they wait.
    pub latency_ns_p50: Option<f64>,
    /// How long 99 of 100 items waited at most.
    pub latency_ns_p99: Option<f64>,
    /// How long 999 of 1,000 items waited at most; `null` for fewer than 20,000 items.
    pub latency_ns_p999: Option<f64>,
    /// How long an item waited at most.
    pub latency_ns_max: Option<u64>,
    /// What an operation takes at least, computed from its items, where that is known.
    pub bound_ns: Option<f64>,
    /// The most items that ran at once, in all samples and warm-ups, where the workload counts
    /// them.
    pub items_peak: Option<u64>,
    /// Heap that an item holds beyond its own size, in the median of the processes, where the
    /// workload counts it.
    pub item_heap_bytes: Option<f64>,
    /// Heap that is left of an item when it is gone, in the median of the processes, where the
    /// workload counts it.
    pub item_heap_left_bytes: Option<f64>,
    /// Whether the measuring process printed anything while it measured: it never does.
    pub verbose: bool,

    /// What each measuring process found.
    pub by_round: Vec<RoundFigures>,
    /// Every sample, wall time per operation, in the order taken.
    pub wall_ns_samples: Vec<f64>,
    /// The round of each sample, from zero, in the same order.
    pub wall_ns_sample_rounds: Vec<usize>,
    /// How much trouble each measuring process went to.
    pub effort: EffortTaken,
    /// The machine.
    pub machine: Machine,
    /// The program.
    pub build: Build,
}

/// [`Effort`], as a record holds it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EffortTaken {
    /// Warm-up of each process.
    pub warm_up_ms: u64,
    /// Time for samples in each process.
    pub window_ms: u64,
    /// Fewest samples in each process.
    pub samples_min: usize,
    /// Most samples in each process.
    pub samples_max: usize,
}

impl EffortTaken {
    /// Whether it is no more than that of a smoke run, whose figures mean little.
    pub fn is_smoke(&self) -> bool {
        let smoke = Effort::smoke();
        (1..=smoke.window_ms).contains(&self.window_ms) && self.warm_up_ms <= smoke.warm_up_ms
    }
}

impl From<Effort> for EffortTaken {
    fn from(effort: Effort) -> Self {
        Self {
            warm_up_ms: effort.warm_up_ms,
            window_ms: effort.window_ms,
            samples_min: effort.samples_min,
            samples_max: effort.samples_max,
        }
    }
}

impl Record {
    /// Whether another record is of the same configuration.
    pub fn is_like(&self, other: &Self) -> bool {
        self.workload == other.workload
            && self.runtime == other.runtime
            && (self.size, self.jobs) == (other.size, other.jobs)
    }

    /// Merges the rounds of one configuration.
    pub fn merge(
        configuration: &Configuration,
        outcomes: &[Outcome],
        machine: &Machine,
        build: &Build,
    ) -> Self {
        let found = || {
            outcomes
                .iter()
                .filter_map(|outcome| outcome.found.as_ref().ok())
        };
        let error = outcomes.iter().find_map(|outcome| match &outcome.found {
            Ok(found) => found.error.clone(),
            Err(error) => Some(error.clone()),
        });
        // What a program says of itself may have anything in it.
        let error = error.map(|text| text.replace(|c: char| c.is_control() && c != '\n', " "));
        let error = error.or_else(|| {
            let is_program = configuration.runtime.program.is_some();
            let counts = found().filter(|found| is_program && is_measured(found));
            unequal_items(counts.map(|found| found.items))
        });
        // What comes of one that has failed, if only once, is not held against that of others.
        let has_failed = error.is_some();
        let sample_rounds = outcomes.iter().enumerate().flat_map(|(round, outcome)| {
            let found = outcome.found.as_ref().ok();
            let found = found.filter(|found| is_measured(found) && !has_failed);
            let samples = found.map_or(0, |found| found.wall_ns.len());
            std::iter::repeat_n(round, samples)
        });
        let deadlock = outcomes.iter().any(|outcome| outcome.end == End::Deadlock);
        let declined = found().find_map(|found| found.declined.clone());
        let measured = || found().filter(|found| is_measured(found) && !has_failed);

        let wall_ns_samples: Vec<f64> =
            measured().flat_map(|found| found.wall_ns.clone()).collect();
        let cpu: Vec<f64> = measured().flat_map(|found| found.cpu_ns.clone()).collect();
        let medians: Vec<f64> = measured()
            .filter_map(|found| median(&found.wall_ns))
            .collect();
        let wall = Summary::of(&wall_ns_samples);
        let wall_median = median(&medians);
        let by_round: Vec<RoundFigures> = outcomes
            .iter()
            .enumerate()
            .filter(|_| !has_failed)
            .filter_map(|(round, outcome)| RoundFigures::of(round, outcome))
            .collect();
        let items = measured().next().map(|found| found.items);
        let operations = measured()
            .map(|found| found.operations)
            .reduce(|a, b| a + b);
        let usage = measured()
            .map(|found| found.usage)
            .reduce(|a, b| a.plus(&b))
            .unwrap_or_default();
        let counts = |field: fn(&crate::counters::Counts) -> Option<u64>| {
            sum(measured().map(|found| field(&found.counts)))
        };
        let per_item = |wall: f64| Some(wall / items? as f64);
        let per_operation =
            |field: fn(&Usage) -> Option<u64>| Some(field(&usage)? as f64 / operations? as f64);
        let mut latencies = Latencies::default();
        measured().for_each(|found| latencies.merge(&found.latencies));
        let card = &configuration.runtime.card;

        Self {
            workload: configuration.workload.card.name.to_owned(),
            runtime: card.name.to_owned(),
            runtime_version: configuration.runtime.version(),
            scheduler: card.scheduler.to_owned(),
            jobs: configuration.jobs,
            size: configuration.size,
            size_label: configuration.workload.size_label(configuration.size),
            outside: configuration.workload.card.outside,
            ok: if error.is_some() {
                Some(false)
            } else if declined.is_some() {
                None
            } else {
                Some(wall.is_some())
            },
            declined,
            error,
            deadlock,
            command: journal::arguments(),
            date: outcomes
                .first()
                .map(|outcome| outcome.date.clone())
                .unwrap_or_default(),
            partial: false,
            resumed_despite: Vec::new(),
            slowdown_percent: found().find_map(|found| found.slowdown_percent),
            item: configuration.workload.card.item.to_owned(),
            items,
            rounds: outcomes.len(),
            failures: outcomes
                .iter()
                .filter(|outcome| has_failed_in(outcome))
                .count(),
            operations,
            batch: measured().next_back().map(|found| found.batch),
            wall_ns_median: wall_median,
            wall_ns_interval: median_interval(&medians, 0.95),
            wall_ns_min: wall.map(|wall| wall.min),
            wall_ns_mean: wall.map(|wall| wall.mean),
            wall_ns_max: wall.map(|wall| wall.max),
            wall_ns_geomean: geometric_mean(&medians),
            item_ns_median: wall_median.and_then(per_item),
            item_ns_min: wall.and_then(|wall| per_item(wall.min)),
            cpu_ns_median: median(&cpu),
            cpu_ns_mean: per_operation(|usage| usage.cpu_ns),
            user_ns_total: usage.user_ns,
            system_ns_total: usage.system_ns,
            ctx_voluntary: usage.ctx_voluntary,
            ctx_involuntary: usage.ctx_involuntary,
            ctx_voluntary_per_operation: per_operation(|usage| usage.ctx_voluntary),
            ctx_involuntary_per_operation: per_operation(|usage| usage.ctx_involuntary),
            migrations: sum(measured().map(|found| found.migrations)),
            faults_minor: usage.faults_minor,
            faults_major: usage.faults_major,
            threads_initial: measured()
                .filter_map(|f| f.initial.map(|size| size.threads))
                .max(),
            threads_peak: measured()
                .filter_map(|found| found.threads_peak)
                .chain(
                    // What was seen is the process that waits for the program.
                    outcomes
                        .iter()
                        .filter(|_| configuration.runtime.peer.is_none())
                        .filter_map(|outcome| outcome.threads_peak),
                )
                .max()
                // How far a runtime came is what a deadlock has to tell.
                .filter(|_| items.is_some() || deadlock),
            rss_initial_bytes: measured()
                .filter_map(|f| f.initial.map(|size| size.rss_bytes))
                .max(),
            rss_peak_bytes: measured().filter_map(|found| found.rss_peak_bytes).max(),
            memory_free_min_bytes: outcomes
                .iter()
                .filter_map(|o| o.memory_free_min_bytes)
                .min(),
            instructions: counts(|counts| counts.instructions),
            cycles: counts(|counts| counts.cycles),
            branches: counts(|counts| counts.branches),
            branch_misses: counts(|counts| counts.branch_misses),
            cache_misses: counts(|counts| counts.cache_misses),
            energy_joules: measured()
                .map(|found| found.energy_joules)
                .reduce(|a, b| Some(a? + b?))
                .flatten(),
            concurrency: measured().find_map(|found| found.concurrency),
            parallelism: u64::try_from(configuration.jobs).ok(),
            messages: measured()
                .map(|found| Some(found.messages? * found.operations))
                .reduce(|a, b| Some(a? + b?))
                .flatten(),
            latency_ns_p50: latencies.percentile(50),
            latency_ns_p99: latencies.percentile(99),
            latency_ns_p999: latencies.tail(),
            latency_ns_max: latencies.max(),
            bound_ns: measured().find_map(|found| found.bound_ns),
            items_peak: measured().filter_map(|found| found.items_peak).max(),
            item_heap_left_bytes: median(
                &measured()
                    .filter_map(|found| found.item_heap_left_bytes)
                    .collect::<Vec<_>>(),
            ),
            item_heap_bytes: median(
                &measured()
                    .filter_map(|found| found.item_heap_bytes)
                    .collect::<Vec<_>>(),
            ),
            verbose: false,
            by_round,
            wall_ns_samples,
            wall_ns_sample_rounds: sample_rounds.collect(),
            effort: configuration.effort.into(),
            machine: machine.clone(),
            build: build.clone(),
        }
    }

    /// What a workload that shows this is compared by, process by process: smaller is better.
    pub fn measures(&self, shows: Shows) -> Vec<f64> {
        let rounds = self.by_round.iter();
        rounds.filter_map(|round| round.measure(shows)).collect()
    }

    /// How long half of the items waited at most, in the median of the processes. That of all items
    /// together may be another one: items of one process wait alike.
    pub fn latency_median(&self) -> Option<f64> {
        median(&self.measures(Shows::Latency)).or(self.latency_ns_p50)
    }

    /// Where the true figure may lie, divided by the figure that it is compared by: the interval at
    /// 95 %, or the range of all processes where they are too few for one.
    pub fn spread(&self, shows: Shows) -> Option<Interval> {
        spread(&self.measures(shows))
    }

    /// This one divided by another that was measured in the same run, round by round; `None` if
    /// they have no round in common.
    pub fn against(&self, other: &Self, shows: Shows, confidence: f64) -> Option<Ratio> {
        let rounds: Vec<(f64, f64)> = self
            .by_round
            .iter()
            .filter_map(|ours| {
                let theirs = other.by_round.iter().find(|r| r.round == ours.round)?;
                Some((ours.measure(shows)?, theirs.measure(shows)?))
            })
            .collect();
        Ratio::of_pairs(&rounds, confidence)
    }

    /// A share of the machine in the median of the processes.
    pub fn weather(&self, field: impl Fn(&Weather) -> Option<f64>) -> Option<f64> {
        let rounds = self.by_round.iter();
        let shares: Vec<f64> = rounds.filter_map(|round| field(&round.weather)).collect();
        median(&shares)
    }

    /// What other programs and the host had of the machine in the median of the processes.
    pub fn taken_by_others(&self) -> f64 {
        let stolen = self.weather(|weather| weather.stolen).unwrap_or(0.0);
        stolen + self.weather(|weather| weather.others).unwrap_or(0.0)
    }

    /// Whether more items ran at once than there were jobs.
    pub fn exceeds_jobs(&self) -> bool {
        self.items_peak.is_some_and(|peak| peak > self.jobs as u64)
    }

    /// Whether it failed in some rounds and not in all of them: it has no figure, and might have
    /// had the best one.
    pub fn has_failed_partly(&self) -> bool {
        self.ok == Some(false) && !self.deadlock && self.failures < self.rounds
    }

    /// Why there is no figure, if there is none.
    pub fn trouble(&self) -> Option<&str> {
        self.error.as_deref().or(self.declined.as_deref())
    }
}

/// What is wrong if the processes of a program had different numbers of items.
fn unequal_items(mut counts: impl Iterator<Item = u64>) -> Option<String> {
    let before = counts.next()?;
    let now = counts.find(|now| *now != before)?;
    Some(format!(
        "the program had {now} items, and {before} in another round"
    ))
}

/// Whether a process failed, or found a wrong answer.
fn has_failed_in(outcome: &Outcome) -> bool {
    let found = outcome.found.as_ref();
    found.map_or(true, |found| found.error.is_some())
}

/// Whether a process found something that counts.
fn is_measured(found: &Measurement) -> bool {
    found.error.is_none() && found.items > 0
}

/// A sum that is unknown as soon as one part is.
fn sum(parts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    parts.reduce(|a, b| Some(a? + b?)).flatten()
}

/// Where the true figure may lie, divided by the median of what the processes found: the interval
/// at 95 %, or the range of all processes if they are too few for one.
pub fn spread(measures: &[f64]) -> Option<Interval> {
    let figure = median(measures)?;
    if measures.len() < 2 || figure <= 0.0 {
        return None;
    }
    let interval = median_interval(measures, 0.95).or_else(|| {
        let Summary { min, max, .. } = Summary::of(measures)?;
        Some(Interval {
            low: min,
            high: max,
        })
    })?;
    Some(Interval {
        low: interval.low / figure,
        high: interval.high / figure,
    })
}
