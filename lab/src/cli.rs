//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::{Args, Parser, Subcommand};

use crate::launch::{self, Launcher};
use crate::machine::cores_available;
use crate::record::Record;
use crate::registry::{self, RuntimeEntry, WorkloadEntry};
use crate::schedule::{Rounds, Schedule};
use crate::session::Effort;
use crate::workload::group;
use crate::{output, table};

/// More threads than this are a slip of the finger.
const MOST_JOBS: usize = 1024;

/// How long the default run may begin new rounds.
const DEFAULT_BUDGET: Duration = Duration::from_secs(115);

/// Compares drumline with other runtimes, on this machine, in about two minutes.
///
/// Without a command it runs the default workloads on all runtimes, with one job and with all
/// cores, prints a table per workload and writes a report to target/lab.
#[derive(Debug, Parser)]
#[command(name = "cargo lab", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Verb>,
    #[command(flatten)]
    options: Options,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Lists workloads and runtimes.
    List,
    /// Runs the named workloads.
    Run {
        /// Names of workloads; see `list`.
        #[arg(required = true, value_name = "WORKLOAD")]
        workloads: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Measures what pools cost that have nothing to do.
    Idle {
        #[command(flatten)]
        options: Options,
    },
    /// Measures one configuration in this process.
    #[command(name = launch::CHILD, hide = true)]
    Child {
        /// What to measure, as JSON.
        order: String,
    },
}

#[derive(Debug, Args)]
struct Options {
    /// Only these runtimes.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    runtime: Vec<String>,
    /// Numbers of jobs; `all` is the number of cores that this process may use.
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    jobs: Vec<String>,
    /// Sizes instead of each workload's own; 1000, 1_000, 100k and 10M are understood.
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    size: Vec<String>,
    /// How many fresh processes measure each configuration.
    #[arg(long, value_name = "K")]
    rounds: Option<usize>,
    /// How many samples each process takes.
    #[arg(long, value_name = "K")]
    samples: Option<usize>,
    /// Writes one JSON object per configuration to a file; with `-` to standard output, and
    /// nothing else there.
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
    /// Writes the report here instead of target/lab/<time>.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A look at whether everything works, in a few seconds; the figures mean little.
    #[arg(long, conflicts_with = "full")]
    smoke: bool,
    /// Three seconds of warm-up and fifty samples per configuration; takes its time.
    #[arg(long)]
    full: bool,
    /// Seconds after which a measuring process is ended.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,
}

/// Follows the command line.
pub fn run() -> Result<ExitCode> {
    let cli = Cli::parse();
    match cli.command {
        None => {
            let default = |entry: &&WorkloadEntry| entry.card.default_rank.is_some();
            let workloads = registry::all_workloads().into_iter().filter(default);
            let fill = Rounds::Fill(DEFAULT_BUDGET, 5);
            compare(workloads.collect(), &cli.options, fill, Effort::quick())
        }
        Some(Verb::List) => {
            list();
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Run { workloads, options }) => {
            let mut entries = Vec::new();
            for name in &workloads {
                entries.push(registry::workload(name)?);
            }
            compare(entries, &options, Rounds::Exactly(3), Effort::usual())
        }
        Some(Verb::Idle { options }) => {
            let names = ["idle-after-use", "idle-wakeups"];
            let mut entries = Vec::new();
            for name in names {
                entries.push(registry::workload(name)?);
            }
            compare(entries, &options, Rounds::Exactly(1), Effort::once())
        }
        Some(Verb::Child { order }) => launch::obey(&order).map(|()| ExitCode::SUCCESS),
    }
}

impl Effort {
    /// For the default run: as much as fits into two minutes.
    fn quick() -> Self {
        Self {
            warm_up_ms: 40,
            window_ms: 120,
            samples_min: 3,
            samples_max: 50,
            sample_ns: 1_000_000,
        }
    }

    /// For a run of chosen workloads.
    fn usual() -> Self {
        Self {
            warm_up_ms: 100,
            window_ms: 400,
            samples_min: 5,
            samples_max: 50,
            sample_ns: 2_000_000,
        }
    }

    /// For workloads that take seconds by themselves.
    fn once() -> Self {
        Self {
            warm_up_ms: 0,
            window_ms: 0,
            samples_min: 1,
            samples_max: 1,
            sample_ns: 0,
        }
    }

    /// For a look at whether everything works.
    fn smoke() -> Self {
        Self {
            warm_up_ms: 1,
            window_ms: 5,
            samples_min: 2,
            samples_max: 5,
            sample_ns: 100_000,
        }
    }

    /// As the workloads are defined.
    fn full() -> Self {
        Self {
            warm_up_ms: 3_000,
            window_ms: u64::MAX,
            samples_min: 50,
            samples_max: 50,
            sample_ns: 2_000_000,
        }
    }
}

fn compare(
    workloads: Vec<&'static WorkloadEntry>,
    options: &Options,
    rounds: Rounds,
    effort: Effort,
) -> Result<ExitCode> {
    let schedule = options.schedule(&workloads, rounds, effort)?;
    let launcher = Launcher::new(options.limit()?)?;
    let directory = match (&options.out, &options.json) {
        (Some(directory), _) => Some(directory.clone()),
        (None, Some(_)) => None,
        (None, None) => Some(output::default_directory()),
    };
    if let Some(directory) = &directory
        && let Err(error) = output::prepare(directory)
    {
        eprintln!("warning: {error:#}");
    }

    let records = schedule.run(&launcher);

    let to_stdout = options.json.as_deref() != Some("-");
    let say = |text: &str| {
        if to_stdout {
            println!("{text}");
        } else {
            eprintln!("{text}");
        }
    };
    for (_, grid) in table::grids(&records) {
        say(&grid.to_text());
    }
    if let Some(record) = records.first() {
        say(&format!("on {}", record.machine.describe()));
        if record.build.debug_assertions {
            say("compiled without optimisation: these figures mean nothing");
        }
    }
    let mut written = true;
    if let Some(to) = &options.json {
        written &= tell(output::write_json(to, &records)).is_some();
    }
    if let Some(directory) = &directory {
        match tell(output::write(directory, &records)) {
            Some(report) => say(&format!("report: {}", report.display())),
            None => written = false,
        }
    }
    Ok(verdict(&records, written))
}

/// Prints an error and goes on.
fn tell<T>(result: Result<T>) -> Option<T> {
    result.map_err(|error| eprintln!("error: {error:#}")).ok()
}

fn verdict(records: &[Record], written: bool) -> ExitCode {
    let failures = records.iter().filter(|record| record.ok == Some(false));
    let failures = failures.count();
    if failures > 0 {
        eprintln!(
            "error: {failures} of {} configurations failed",
            records.len()
        );
    }
    if failures == 0 && written {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

impl Options {
    fn schedule(
        &self,
        workloads: &[&'static WorkloadEntry],
        rounds: Rounds,
        effort: Effort,
    ) -> Result<Schedule> {
        let mut effort = match (self.smoke, self.full) {
            (true, _) => Effort::smoke(),
            (_, true) => Effort::full(),
            _ => effort,
        };
        if let Some(samples) = self.samples {
            ensure!(samples > 0, "--samples must be at least 1");
            effort.samples_min = samples;
            effort.samples_max = samples;
        }
        let rounds = match self.rounds {
            Some(0) => bail!("--rounds must be at least 1"),
            Some(rounds) => Rounds::Exactly(rounds),
            None if self.smoke => Rounds::Exactly(1),
            None if self.full => Rounds::Exactly(1),
            None => rounds,
        };
        let mut sized = Vec::new();
        for workload in workloads {
            sized.push((*workload, self.sizes(workload)?));
        }
        let (runtimes, jobs) = (self.runtimes()?, self.jobs()?);
        Ok(Schedule::cross(&sized, &runtimes, &jobs, rounds, effort))
    }

    fn runtimes(&self) -> Result<Vec<&'static RuntimeEntry>> {
        if self.runtime.is_empty() {
            return Ok(registry::all_runtimes());
        }
        for name in &self.runtime {
            registry::runtime(name)?;
        }
        let mut chosen = registry::all_runtimes();
        chosen.retain(|entry| self.runtime.iter().any(|name| name == entry.card.name));
        Ok(chosen)
    }

    fn jobs(&self) -> Result<Vec<usize>> {
        let cores = cores_available().unwrap_or(1);
        let mut jobs = Vec::new();
        for text in &self.jobs {
            jobs.push(match text.as_str() {
                "all" => cores,
                text => match text.parse() {
                    Ok(0) => {
                        bail!("--jobs 0: at least one thread must run; try --jobs 1 or --jobs all")
                    }
                    Ok(jobs) if jobs > MOST_JOBS => {
                        bail!(
                            "--jobs {jobs}: the most is {MOST_JOBS}; this machine has {cores} cores"
                        )
                    }
                    Ok(jobs) => jobs,
                    Err(_) => {
                        bail!("--jobs {text}: not a number; try --jobs 1,{cores} or --jobs all")
                    }
                },
            });
        }
        if jobs.is_empty() {
            jobs = vec![1, cores];
        }
        jobs.sort_unstable();
        jobs.dedup();
        Ok(jobs)
    }

    fn sizes(&self, workload: &WorkloadEntry) -> Result<Vec<u64>> {
        let card = &workload.card;
        if self.size.is_empty() {
            return Ok(if self.smoke {
                card.smoke_sizes
            } else {
                card.sizes
            }
            .to_vec());
        }
        let mut sizes = Vec::new();
        for text in &self.size {
            let Some(size) = parse_size(text) else {
                bail!("--size {text}: not a number; try 1000, 1_000, 100k or 10M");
            };
            let (low, high) = card.limits;
            ensure!(
                (low..=high).contains(&size),
                "--size {text}: {} takes {} to {} {}",
                card.name,
                group(low),
                group(high),
                card.size_counts
            );
            if let Some(advice) = workload.refuses(size) {
                bail!("--size {text}: {}: {advice}", card.name);
            }
            sizes.push(size);
        }
        sizes.dedup();
        Ok(sizes)
    }

    fn limit(&self) -> Result<Duration> {
        let seconds = self.timeout.unwrap_or(if self.full { 600 } else { 60 });
        ensure!(seconds > 0, "--timeout must be at least 1 second");
        Ok(Duration::from_secs(seconds))
    }
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

fn list() {
    println!("workloads:");
    for entry in registry::all_workloads() {
        let card = &entry.card;
        let mark = if card.default_rank.is_some() {
            "*"
        } else {
            " "
        };
        let sizes: Vec<String> = card.sizes.iter().map(|size| group(*size)).collect();
        println!("{mark} {:17} {}", card.name, card.about);
        println!("  {:17} {}: {}", "", card.size_counts, sizes.join("; "));
    }
    println!("\nruntimes:");
    for entry in registry::all_runtimes() {
        let card = &entry.card;
        let version = card.package.and_then(crate::machine::version_of);
        let name = format!("{} {}", card.name, version.unwrap_or_default());
        println!("  {name:21} {}", card.about);
    }
    println!("\n* runs by default. `cargo lab run NAME` runs any of them.");
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
