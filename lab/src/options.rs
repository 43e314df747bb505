//! What one can ask of a run, and the schedule that comes of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use drumline::Jobs;

use crate::console;
use crate::effort::Effort;
use crate::entry::{RuntimeEntry, WorkloadEntry};
use crate::families::Family;
use crate::machine::cores_available;
use crate::peers::{self, Peer, Places};
use crate::plan::Rounds;
use crate::registry;
use crate::schedule::{Choice, Schedule};
use crate::workload::group;

/// More threads than this are a slip of the finger.
const MOST_JOBS: usize = 1024;

/// The options of every verb that measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Options {
    /// Only these runtimes, where they can run the workload.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    runtime: Vec<String>,
    /// The peers in other languages, too, where they are installed; see `list`. `--runtime go`
    /// names one.
    #[arg(long)]
    peers: bool,
    #[command(flatten)]
    places: Places,
    /// Numbers of jobs; `all` is the number of cores that this process may use, `50%` half of them,
    /// and `physical` counts the hardware threads of a core once.
    // With a hyphen, so that "-1,2" is told what is right.
    #[arg(
        long,
        value_name = "N,…",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    jobs: Vec<String>,
    /// Sizes instead of each workload's own; 1000, 1_000, 100k and 10M are understood. With several
    /// workloads, `slice-sum=1k,1M` gives those of one; may be given several times.
    #[arg(long, value_name = "[WORKLOAD=]N,…", allow_hyphen_values = true)]
    size: Vec<String>,
    /// How many fresh processes measure each configuration.
    #[arg(long, value_name = "K", value_parser = count::<usize>, allow_negative_numbers = true)]
    rounds: Option<usize>,
    /// How many samples each process takes.
    #[arg(long, value_name = "K", value_parser = count::<usize>, allow_negative_numbers = true)]
    samples: Option<usize>,
    /// Writes one JSON object per configuration to a file; with `-` to standard output, and
    /// nothing else there.
    #[arg(long, value_name = "FILE")]
    pub json: Option<String>,
    /// Writes the report to this new or empty directory instead of to one in target/lab.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Overwrites what is in the directory of `--out`, and the file of `--json`.
    #[arg(long)]
    pub force: bool,
    /// Goes on with an interrupted run that has its report in this directory. Nothing else needs to
    /// be given; if it is, it must ask for the same run.
    #[arg(long, value_name = "DIR", conflicts_with = "out")]
    pub resume: Option<PathBuf>,
    /// A look at whether everything works, in a few seconds; the figures mean little.
    #[arg(long, conflicts_with = "full")]
    smoke: bool,
    /// Three seconds of warm-up and fifty samples per configuration; takes its time.
    #[arg(long)]
    full: bool,
    /// Seconds after which a measuring process is ended. The default is 60, or 600 with --full; 20
    /// where a deadlock is expected, or 3 with --smoke; for render 1800, or 120 with --smoke.
    #[arg(long, value_name = "SECONDS", value_parser = count::<u64>)]
    #[arg(allow_negative_numbers = true)]
    timeout: Option<u64>,
}

impl Options {
    /// Whether they say which run to resume, and nothing about what it measures.
    pub fn only_resume(&self) -> bool {
        let plain = Self {
            json: self.json.clone(),
            force: self.force,
            resume: self.resume.clone(),
            places: Places::of_environment(),
            ..Self::default()
        };
        self.resume.is_some() && *self == plain
    }

    /// Everything that will run. `rounds`, `effort` and `brief` apply if the command line asks for
    /// nothing else.
    pub fn schedule(
        &self,
        workloads: &[&'static WorkloadEntry],
        rounds: Rounds,
        effort: Effort,
        brief: bool,
    ) -> Result<Schedule> {
        ensure!(self.samples != Some(0), "--samples must be at least 1");
        let rounds = match self.rounds {
            Some(0) => bail!("--rounds must be at least 1"),
            Some(rounds) => Rounds::Exactly(rounds),
            None if self.smoke => Rounds::Exactly(1),
            None if self.full => Rounds::Exactly(1),
            None => rounds,
        };
        for name in &self.runtime {
            registry::runtime(name)?;
        }
        self.places.apply();
        let is_named = |peer: &Peer| self.runtime.iter().any(|name| name == peer.card.name);
        let peers = peers::all().iter();
        peers::ask(peers.filter(|peer| self.peers || is_named(peer)));
        if self.peers {
            let missing = peers::all().iter().filter_map(|peer| peer.version().err());
            missing.for_each(|how| console::note(&format!("no row: {how}")));
        }
        let jobs = self.jobs()?;
        let asked = AskedSizes::of(&self.size, workloads)?;
        let mut choices = Vec::new();
        for &workload in workloads {
            let family = workload.family;
            let effort = self.effort(workload, effort);
            let brief = brief && !self.full;
            choices.push(Choice {
                workload,
                runtimes: self.runtimes(workload, brief)?,
                jobs: match &jobs[..] {
                    [] => workload.jobs(cores_available().unwrap_or(1), brief),
                    jobs => jobs.to_vec(),
                },
                sizes: self.sizes(workload, &asked, brief)?,
                effort,
                limit: self.limit(family, effort)?,
            });
        }
        Ok(Schedule::cross(&choices, rounds))
    }

    /// Whether they say how many rounds there are.
    pub fn counts_rounds(&self) -> bool {
        self.rounds.is_some() || self.smoke || self.full
    }

    /// Whether none of the options is given that are about measuring. To overwrite the file of
    /// `--json` is not.
    pub fn measures_nothing(&self) -> bool {
        let others = Self {
            json: None,
            force: self.force && self.json.is_none(),
            places: Places::default(),
            ..self.clone()
        };
        others == Self::default()
    }

    /// Whether none of the options is given that say where to write, or where an earlier run has
    /// written.
    pub fn writes_nothing(&self) -> bool {
        self.json.is_none() && self.out.is_none() && !self.force && self.resume.is_none()
    }

    fn effort(&self, workload: &WorkloadEntry, usual: Effort) -> Effort {
        let mut effort = workload.effort(match (self.smoke, self.full) {
            (true, _) => Effort::smoke(),
            (_, true) => Effort::full(),
            _ => usual,
        });
        if let Some(samples) = self.samples {
            effort.samples_min = samples;
            effort.samples_max = samples;
        }
        effort
    }

    /// Those of the workload's family, or what is left of them. A peer in another language is there
    /// if it is named; if all are asked for, also if it is installed.
    fn runtimes(
        &self,
        workload: &WorkloadEntry,
        brief: bool,
    ) -> Result<Vec<&'static RuntimeEntry>> {
        let mut able = workload.runtimes();
        able.extend(workload.peers());
        let mut chosen = able.clone();
        let is_installed = |peer: &Peer| peer.version().is_ok();
        chosen.retain(|entry| {
            let is_named = self.runtime.iter().any(|name| name == entry.card.name);
            let is_asked_for = match entry.peer {
                Some(peer) => self.peers && is_installed(peer),
                None => self.runtime.is_empty() && (entry.by_default || !brief),
            };
            is_named || is_asked_for
        });
        if chosen.is_empty() {
            let names: Vec<&str> = able.iter().map(|entry| entry.card.name).collect();
            bail!(
                "--runtime {}: does not run {}; what does: {}",
                self.runtime.join(","),
                workload.card.name,
                names.join(", ")
            );
        }
        Ok(chosen)
    }

    /// What was asked for, which may be nothing.
    fn jobs(&self) -> Result<Vec<usize>> {
        let cores = cores_available().unwrap_or(1);
        let jobs = self.jobs.iter().map(|text| parse_jobs(text, cores));
        let mut jobs = jobs.collect::<Result<Vec<_>>>()?;
        jobs.sort_unstable();
        jobs.dedup();
        Ok(jobs)
    }

    fn sizes(
        &self,
        workload: &WorkloadEntry,
        asked: &AskedSizes<'_>,
        brief: bool,
    ) -> Result<Vec<u64>> {
        let card = &workload.card;
        let asked = asked.of_workload(card.name);
        if asked.is_empty() {
            let sizes = match (self.smoke, brief) {
                (true, _) => card.smoke_sizes,
                (_, true) => workload.brief_sizes(),
                _ => card.sizes,
            };
            return Ok(sizes.to_vec());
        }
        let mut sizes = Vec::new();
        for &(text, size) in asked {
            let (low, high) = card.limits;
            ensure!(
                (low..=high).contains(&size),
                "--size {text}: the sizes of {} go from {} to {} ({})",
                card.name,
                group(low),
                group(high),
                card.size_counts
            );
            if let Some(advice) = workload.refuses(size) {
                bail!("--size {text}: {}: {advice}", card.name);
            }
            // A size that is asked for twice is measured once.
            if !sizes.contains(&size) {
                sizes.push(size);
            }
        }
        Ok(sizes)
    }

    fn limit(&self, family: &Family, effort: Effort) -> Result<Duration> {
        ensure!(
            self.timeout != Some(0),
            "--timeout must be at least 1 second"
        );
        Ok(match self.timeout {
            Some(seconds) => Duration::from_secs(seconds),
            None => (family.limit)(self.smoke, self.full, effort.samples_max),
        })
    }
}

/// The sizes that are asked for, each with the text that says so.
#[derive(Debug, Default)]
struct AskedSizes<'a> {
    /// Of workloads that have sizes of their own.
    by_workload: BTreeMap<&'a str, Vec<(&'a str, u64)>>,
    /// Of all others.
    of_others: Vec<(&'a str, u64)>,
}

impl<'a> AskedSizes<'a> {
    /// Reads `1k,1M`, of all workloads, and `slice-sum=1k,1M`, of one. A name is of all sizes that
    /// follow it in its text, up to the next name.
    fn of(texts: &'a [String], workloads: &[&WorkloadEntry]) -> Result<Self> {
        let mut asked = Self::default();
        for text in texts {
            let mut name = None;
            for part in text.split(',') {
                let mut size = part;
                if let Some((before, after)) = part.split_once('=') {
                    registry::workload(before).with_context(|| format!("--size {part}"))?;
                    ensure!(
                        workloads.iter().any(|entry| entry.card.name == before),
                        "--size {part}: {before} is not among the workloads of this run"
                    );
                    name = Some(before);
                    size = after;
                }
                let size = (part, read_size(part, size)?);
                match name {
                    Some(name) => asked.by_workload.entry(name).or_default().push(size),
                    None => asked.of_others.push(size),
                }
            }
        }
        Ok(asked)
    }

    fn of_workload(&self, name: &str) -> &[(&'a str, u64)] {
        self.by_workload.get(name).unwrap_or(&self.of_others)
    }
}

/// Reads a size, or says which one was meant.
fn read_size(part: &str, text: &str) -> Result<u64> {
    size(text).map_err(|error| anyhow!("--size {part}: {error}"))
}

/// The size that was meant by one that is written in another way: `10m`, `1.5M`, `1e6`, `2G`.
fn meant_size(text: &str) -> Option<String> {
    let text = text.to_lowercase().replace(['_', ' ', '\''], "");
    let text = text.strip_suffix('b').unwrap_or(&text);
    let units = [('k', 1e3), ('m', 1e6), ('g', 1e9)];
    let unit = units.into_iter().find(|(unit, _)| text.ends_with(*unit));
    let (digits, factor) = match unit {
        Some((unit, factor)) => (text.strip_suffix(unit)?, factor),
        None => (text, 1.0),
    };
    let size = digits.parse::<f64>().ok()? * factor;
    // Whole numbers up to here are exact.
    let is_size = size.fract() == 0.0 && (1.0..=9e15).contains(&size);
    let size = is_size.then_some(size as u64)?;
    Some(match size {
        size if size.is_multiple_of(1_000_000) => format!("{}M", size / 1_000_000),
        size if size.is_multiple_of(1_000) => format!("{}k", size / 1_000),
        size => size.to_string(),
    })
}

/// Reads a whole number. That there is something to count is seen to later.
fn count<T: FromStr>(text: &str) -> Result<T, String> {
    let number = text.parse();
    number.map_err(|_| format!("{text} is no count; a whole number from 1 on is"))
}

/// Reads `8`, `all`, or what [`Jobs`] reads: `50%`, `auto`, `physical`.
fn parse_jobs(text: &str, cores: usize) -> Result<usize> {
    let jobs = match (text, text.parse::<usize>()) {
        ("all", _) => cores,
        (_, Ok(0)) => {
            bail!("--jobs 0: at least one thread must run; try --jobs 1 or --jobs all")
        }
        (_, Ok(jobs)) => jobs,
        (_, Err(_)) => match text.parse::<Jobs>() {
            Ok(jobs) => jobs.resolve().get(),
            Err(error) if text.ends_with('%') => {
                // The library's advice, behind the semicolon, has words and limits of its own.
                let error = error.to_string();
                let reason = error.split(';').next().unwrap_or_default();
                bail!("--jobs {text}: {reason}; try --jobs 50% or --jobs all")
            }
            Err(_) => bail!(
                "--jobs {text}: not a number of jobs; try --jobs 1,{cores}, --jobs 50% or \
                 --jobs all"
            ),
        },
    };
    ensure!(
        jobs <= MOST_JOBS,
        "--jobs {text}: the most is {MOST_JOBS}; this machine has {cores} cores"
    );
    Ok(jobs)
}

/// Reads one size of an option `--size`, for clap.
///
/// # Errors
/// It is none; the error says how sizes are written.
pub fn size(text: &str) -> Result<u64, String> {
    match (parse_size(text), meant_size(text)) {
        (Some(size), _) => Ok(size),
        (None, Some(meant)) => Err(format!("{text} is not a size, but {meant} is")),
        (None, None) => Err("not a size; try 1000, 1_000, 100k or 10M".to_owned()),
    }
}

/// Reads one number of an option `--jobs`, for clap.
///
/// # Errors
/// It is none; the error says how numbers of jobs are written.
pub fn jobs(text: &str) -> Result<usize, String> {
    parse_jobs(text, cores_available().unwrap_or(1)).map_err(|error| error.to_string())
}

/// Reads `1000`, `1_000`, `100k` or `10M`.
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_000),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1_000_000),
            None => (text, 1),
        },
    };
    let digits = digits.replace('_', "");
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_read() {
        let jobs = |text| parse_jobs(text, 6).map_err(|error| error.to_string());
        assert_eq!(jobs("3"), Ok(3));
        assert_eq!(jobs("all"), Ok(6));
        // Of what this process may use, which is not looked at for the others.
        let auto = Jobs::Auto.resolve().get();
        assert_eq!(jobs("auto"), Ok(auto));
        assert_eq!(jobs("50%"), Ok(auto.div_ceil(2)));
        assert_eq!(jobs("100%"), Ok(auto));
        assert!(jobs("physical").is_ok_and(|jobs| (1..=auto).contains(&jobs)));
        for (nonsense, why) in [
            ("0", "--jobs 1"),
            ("0%", "run nothing"),
            ("10001%", "most there can be"),
            ("0%", "; try --jobs 50% or --jobs all"),
            ("x%", "not a number of jobs; try --jobs 50%"),
            ("half", "--jobs 50%"),
            ("", "not a number of jobs"),
            ("1025", "1024"),
            ("-1", "not a number of jobs"),
        ] {
            let error = jobs(nonsense).unwrap_err();
            assert!(error.contains(why), "{nonsense}: {error}");
        }
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("1_000"), Some(1_000));
        assert_eq!(parse_size("100k"), Some(100_000));
        assert_eq!(parse_size("10M"), Some(10_000_000));
        for nonsense in [
            "",
            "k",
            "-1",
            "1.5",
            "ten",
            "99999999999999999999",
            "9999999999999999M",
        ] {
            assert_eq!(parse_size(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn what_was_meant_by_a_size_is_told() {
        for (text, meant) in [
            ("10m", Some("10M")),
            ("1.5M", Some("1500k")),
            ("1e6", Some("1M")),
            ("2G", Some("2000M")),
            ("10kB", Some("10k")),
            ("1'000", Some("1k")),
            ("12.0", Some("12")),
            ("0.5", None),
            ("-5", None),
            ("nan", None),
            ("inf", None),
            ("1e300", None),
            ("", None),
            ("ten", None),
        ] {
            assert_eq!(meant_size(text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn workloads_may_have_sizes_of_their_own() {
        let entries = ["fib", "slice-sum", "uts"].map(|name| registry::workload(name).unwrap());
        let texts = ["7,slice-sum=1k,1M,fib=20", "8"].map(str::to_owned);
        let asked = AskedSizes::of(&texts, &entries).unwrap();
        let sizes = |name| -> Vec<u64> {
            let sizes = asked.of_workload(name).iter();
            sizes.map(|(_, size)| *size).collect()
        };
        assert_eq!(sizes("slice-sum"), [1_000, 1_000_000]);
        assert_eq!(sizes("fib"), [20]);
        assert_eq!(sizes("uts"), [7, 8]);
        for (text, why) in [
            ("fibb=1", "but there is `fib`"),
            ("sort=1", "sort is not among the workloads of this run"),
            ("fib=", "--size fib=: not a size; try"),
            ("fib=1m", "--size fib=1m: 1m is not a size, but 1M is"),
            ("fib=1=2", "not a size"),
        ] {
            let texts = [text.to_owned()];
            let error = AskedSizes::of(&texts, &entries).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
