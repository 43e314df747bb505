//! The command line.

use std::cell::Cell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};

use crate::baseline;
use crate::busy;
use crate::comparison;
use crate::destination::Destination;
use crate::effort::Effort;
use crate::entry::{RuntimeEntry, WorkloadEntry};
use crate::families::{Family, async_tasks, messages, offload};
use crate::journal::{self, Journal};
use crate::keep;
use crate::launch::Launcher;
use crate::layouts;
use crate::machine::{self, Build};
#[cfg(unix)]
use crate::measure;
use crate::noise::Noise;
use crate::options::Options;
use crate::peers::Places;
use crate::plan::Rounds;
use crate::registry;
use crate::scoreboard::Scoreboard;
use crate::workload::group;
use crate::workshop::Flags;
use crate::{
    build_time, console, definition, end, export, history, interrupt, measuring, output, peers,
    process_request, published, report, table,
};

/// How long the default run takes…
const DEFAULT_TIME: Duration = Duration::from_secs(110);

/// …and how long it may take with further rounds.
const DEFAULT_LONGEST: Duration = Duration::from_secs(120);

/// Compares drumline with other runtimes, on this machine, in about two minutes.
///
/// Without a command it runs the default workloads on all runtimes, with one job and with all
/// cores, prints a table per workload and writes a report to target/lab.
#[derive(Debug, Parser)]
#[command(name = "cargo lab", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Verb>,
    #[command(flatten)]
    options: Options,
}

impl Cli {
    /// What the command line asks for; `--resume` alone asks for what began the run.
    fn read() -> Result<Self> {
        let mut cli = Self::parse();
        if cli.command.is_none() && cli.options.only_resume() {
            let directory = cli.options.resume.clone().unwrap_or_default();
            let recorded = journal::command(&directory)?;
            let arguments = ["cargo lab".to_owned()].into_iter().chain(recorded);
            let now = cli.options;
            cli = Self::try_parse_from(arguments).with_context(|| {
                let directory = directory.display();
                format!("the command line that {directory} has recorded is not understood")
            })?;
            ensure!(
                cli.measuring_options().is_some(),
                "{} holds a run that cannot be resumed; start it anew, without --out or with \
                 another one: cargo lab {}",
                directory.display(),
                journal::command(&directory)?.join(" ")
            );
            if let Some(options) = cli.measuring_options() {
                options.out = None;
                if let (Some(file), None) = (&options.json, &now.json) {
                    // Where the lab runs now, that may be another file.
                    console::note(&format!(
                        "warning: --json {file} is not written again; for that, resume the run \
                         with --json {file} --force"
                    ));
                }
                options.json = now.json;
                options.force = now.force;
                options.resume = now.resume;
            }
        }
        Ok(cli)
    }

    fn measuring_options(&mut self) -> Option<&mut Options> {
        match &mut self.command {
            None => Some(&mut self.options),
            Some(
                Verb::Run { options, .. }
                | Verb::Idle { options }
                | Verb::Blocking { options }
                | Verb::Async { options }
                | Verb::Messages { options },
            ) => Some(options),
            Some(Verb::Record(arguments)) => Some(arguments.options()),
            Some(_) => None,
        }
    }
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Lists workloads and runtimes.
    List {
        #[command(flatten)]
        places: Places,
    },
    /// Runs the named workloads.
    Run {
        /// Names of workloads; see `list`.
        #[arg(required_unless_present = "define", value_name = "WORKLOAD")]
        workloads: Vec<String>,
        /// Adds the workloads of this file, which programs of their own measure; without names, all
        /// of them run. METHODOLOGY.md, "Own workloads", has an example.
        #[arg(long, value_name = "FILE")]
        define: Option<PathBuf>,
        #[command(flatten)]
        options: Options,
    },
    /// Measures what pools cost that have nothing to do.
    Idle {
        #[command(flatten)]
        options: Options,
    },
    /// Measures what becomes of tasks that block, and finds out which runtimes deadlock.
    Blocking {
        #[command(flatten)]
        options: Options,
    },
    /// Measures tasks that await, and computing that asynchronous code hands over.
    Async {
        #[command(flatten)]
        options: Options,
    },
    /// Measures channels between threads and between tasks.
    Messages {
        #[command(flatten)]
        options: Options,
    },
    /// Holds `seq`, by which everything is divided, against code that is written by hand.
    ///
    /// Fails if it takes more than a tenth longer anywhere, or more than what is allowed.
    Baseline {
        /// How much longer it may take, in percent, for the exit status.
        #[arg(long, value_name = "PERCENT", default_value_t = 10)]
        allow: u16,
        /// Shorter samples, and no more than ten rounds.
        #[arg(long)]
        smoke: bool,
    },
    /// Measures whether claims hang on where the linker puts the code: in five builds with other
    /// layouts, and in five with the flags that users have.
    ///
    /// The first time, this compiles everything twice.
    Layouts {
        /// Names of workloads; if there are none, those with items that take nanoseconds.
        #[arg(value_name = "WORKLOAD")]
        workloads: Vec<String>,
        #[command(flatten)]
        options: Options,
    },
    /// Says what became better or worse from A to B: two records, or two revisions, which are built
    /// and measured interleaved. The exit code is 1 if something got worse.
    Compare(comparison::Arguments),
    /// Keeps a dated record of a run in the repository, in lab/records.
    Record(keep::Arguments),
    /// Draws how the figures of a workload went over the records that are kept.
    History(history::Arguments),
    /// Shows the tables of the experiments that drumline goes back to, with this machine's figures
    /// in the same columns.
    #[command(after_help = published::EXAMPLES)]
    Published(published::Arguments),
    /// Measures any program, in any language: time, memory, threads, switches, page faults, and
    /// hardware events and energy where they can be read, with all processes that it starts.
    #[cfg(unix)]
    #[command(after_help = measure::EXAMPLES)]
    Measure(measure::Arguments),
    /// Runs a program for `measure`.
    #[cfg(unix)]
    #[command(name = measure::SUPERVISOR, hide = true)]
    Supervise,
    /// Measures one configuration in this process.
    #[command(name = process_request::CHILD, hide = true)]
    Child {
        /// What to measure, as JSON.
        order: String,
    },
    /// Computes until it is ended; see [`crate::busy`].
    #[command(name = busy::BUSY, hide = true)]
    Busy,
}

/// Follows the command line.
pub fn run() -> Result<ExitCode> {
    let cli = Cli::read()?;
    match cli.command {
        None => {
            say_build_time();
            let default = |entry: &&WorkloadEntry| entry.card.default_rank.is_some();
            let workloads = registry::all_workloads().into_iter().filter(default);
            let fill = Rounds::Fill {
                time: DEFAULT_TIME,
                longest: DEFAULT_LONGEST,
            };
            let workloads = workloads.collect();
            compare(workloads, &cli.options, fill, Effort::quick(), true)
        }
        Some(Verb::List { places }) => {
            places.apply();
            // A tool that is asked for its version, and what it has started, ends with the list.
            interrupt::listen()?;
            let list = list();
            if let Some(signal) = interrupt::pending() {
                return Ok(ExitCode::from(interrupt::exit_code(signal)));
            }
            console::print(&list)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Run {
            mut workloads,
            define,
            options,
        }) => {
            if let Some(file) = &define {
                let defined = definition::define(file)?;
                if workloads.is_empty() {
                    workloads = defined;
                }
            }
            let entries = named(&workloads)?;
            compare(
                entries,
                &options,
                Rounds::Exactly(3),
                Effort::usual(),
                false,
            )
        }
        Some(Verb::Idle { options }) => {
            let entries = named(&["idle-after-use", "idle-wakeups"])?;
            compare(entries, &options, Rounds::Exactly(1), Effort::once(), false)
        }
        Some(Verb::Blocking { options }) => {
            let entries = named(&["blocking-sleep", "blocking-dep"])?;
            compare(entries, &options, Rounds::Exactly(3), Effort::once(), false)
        }
        Some(Verb::Async { options }) => {
            compare_families(&[&async_tasks::FAMILY, &offload::FAMILY], &options)
        }
        Some(Verb::Messages { options }) => compare_families(&[&messages::FAMILY], &options),
        Some(Verb::Baseline { allow, smoke }) => hold_baseline(f64::from(allow) / 100.0, smoke),
        Some(Verb::Layouts { workloads, options }) => compare_layouts(&workloads, &options),
        Some(Verb::Compare(arguments)) => Ok(comparison::run(&arguments)),
        Some(Verb::Record(arguments)) => keep::run(&arguments),
        Some(Verb::History(arguments)) => history::run(&arguments),
        Some(Verb::Published(arguments)) => published::run(&arguments),
        #[cfg(unix)]
        Some(Verb::Measure(arguments)) => measure::run(&arguments),
        #[cfg(unix)]
        Some(Verb::Supervise) => measure::obey().map(|()| ExitCode::SUCCESS),
        Some(Verb::Busy) => busy::spin(),
        Some(Verb::Child { order }) => measuring::obey(&order).map(|()| ExitCode::SUCCESS),
    }
}

/// Before the first run of all: how long the build took.
fn say_build_time() {
    let is_first = !machine::target_directory().join("lab").exists();
    let program = std::env::current_exe().ok().filter(|_| is_first);
    if let Some(took) = program.as_deref().and_then(build_time::of) {
        console::note(&build_time::text(took));
    }
}

fn hold_baseline(allowed: f64, smoke: bool) -> Result<ExitCode> {
    let (effort, looks) = if smoke {
        (Effort::smoke(), 1)
    } else {
        (Effort::quick(), usize::MAX)
    };
    let rows = baseline::run(&Launcher::new()?, effort, looks)?;
    for row in &rows {
        console::print(&format!("{}\n", row.to_text()))?;
    }
    if let Some(warning) = Build::look().warning() {
        console::note(&warning);
    }
    if let Some(signal) = interrupt::pending() {
        return Ok(ExitCode::from(interrupt::exit_code(signal)));
    }
    if rows.iter().any(|row| row.is_slower_than(allowed)) {
        console::note("error: seq is slower than code that is written by hand");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

fn compare_layouts(workloads: &[String], options: &Options) -> Result<ExitCode> {
    let workloads = if workloads.is_empty() {
        named(&["slice-sum", "tree-sum", "loop-of-joins"])?
    } else {
        named(workloads)?
    };
    ensure!(
        options.writes_nothing(),
        "layouts are told of in text, and nothing is written: --json, --out, --force and --resume \
         are for runs"
    );
    let rounds = Rounds::Exactly(3);
    let schedule = options.schedule(&workloads, rounds, Effort::quick(), true)?;
    let Rounds::Exactly(rounds) = schedule.rounds else {
        unreachable!("rounds are counted here");
    };
    let (verdicts, layouts) = layouts::run(&schedule, rounds)?;
    for flags in [Flags::Aligned, Flags::Default] {
        let kind = match flags {
            Flags::Aligned => "loops at cache lines",
            Flags::Default => "the flags that users have",
        };
        console::print(&format!("{kind}, median (range) of {layouts} layouts:\n"))?;
        for verdict in verdicts.iter().filter(|verdict| verdict.flags == flags) {
            console::print(&format!("  {}\n", verdict.to_text()))?;
        }
    }
    if let Some(signal) = interrupt::pending() {
        console::note("interrupted: these are the workloads and sizes that were complete");
        return Ok(ExitCode::from(interrupt::exit_code(signal)));
    }
    Ok(ExitCode::SUCCESS)
}

fn named(names: &[impl AsRef<str>]) -> Result<Vec<&'static WorkloadEntry>> {
    let mut entries: Vec<&'static WorkloadEntry> = Vec::new();
    for name in names {
        let entry = registry::workload(name.as_ref())?;
        // One that is named twice is measured once.
        if entries
            .iter()
            .all(|known| known.card.name != entry.card.name)
        {
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Compares all workloads of these families.
fn compare_families(families: &[&'static Family], options: &Options) -> Result<ExitCode> {
    let mut entries = registry::all_workloads();
    entries.retain(|entry| families.contains(&entry.family));
    compare(entries, options, Rounds::Exactly(3), Effort::usual(), false)
}

fn compare(
    workloads: Vec<&'static WorkloadEntry>,
    options: &Options,
    rounds: Rounds,
    effort: Effort,
    brief: bool,
) -> Result<ExitCode> {
    let launcher = Launcher::new()?;
    let schedule = options.schedule(&workloads, rounds, effort, brief)?;
    let destination = Destination::make(options)?;
    let directory = &destination.directory;
    let journal = match &options.resume {
        Some(directory) => Journal::resume(directory, &schedule)?,
        None => Journal::begin(directory, &schedule)?,
    };
    for difference in journal.despite() {
        console::note(&format!("warning: resumed although {difference}"));
    }

    let records = schedule.run(&launcher, journal);

    // Files come first: a reader of the tables may keep them waiting.
    let report = tell(output::write(directory, &records));
    let written = Cell::new(report.is_some());
    let write = |result: Result<()>| written.set(tell(result).is_some() && written.get());
    if let Some(to) = destination.json.as_deref().filter(|to| *to != "-") {
        write(export::write_json(to, &records));
    }
    let to_stdout = options.json.as_deref() != Some("-");
    let can_say = Cell::new(true);
    let say = |text: &str| {
        if !to_stdout {
            console::note(text);
        } else if can_say.get() {
            let result = console::print(&format!("{text}\n"));
            // What follows would fail alike.
            can_say.set(result.is_ok());
            write(result);
        }
    };
    let partial = report::partial(&records);
    if let Some(text) = &partial {
        say(text);
    }
    for (_, grid) in table::grids(&records) {
        say(&grid.to_text());
    }
    if let Some(board) = Scoreboard::of(&records) {
        say(&board.to_text());
    }
    for line in Noise::of(&records).lines() {
        say(&line);
    }
    if let Some(record) = records.first() {
        say(&format!("on {}", record.machine.describe()));
        if let Some(warning) = record.build.warning() {
            say(&warning);
        }
    }
    if !to_stdout {
        write(export::write_json("-", &records));
    }
    if let Some(text) = &partial {
        say(text);
        let directory = directory.display();
        say(&format!("to go on: cargo lab --resume {directory}"));
    }
    if let Some(report) = report {
        let line = format!("report: {}", report.display());
        say(&line);
        if !can_say.get() {
            console::note(&line);
        }
    }
    let code = end::code(&records, written.get());
    Ok(match interrupt::pending() {
        Some(signal) => ExitCode::from(interrupt::exit_code(signal)),
        None => code,
    })
}

/// Prints an error and goes on.
fn tell<T>(result: Result<T>) -> Option<T> {
    result
        .map_err(|error| console::note(&format!("error: {error:#}")))
        .ok()
}

/// All workloads and runtimes, as text.
fn list() -> String {
    let mut text = String::new();
    for family in registry::families() {
        text += &format!("workloads, {}:\n", family.title);
        let workloads = registry::all_workloads();
        for entry in workloads.iter().filter(|entry| entry.family == family) {
            text += &workload_lines(entry);
        }
        text += &format!("\nruntimes, {}:\n", family.title);
        let runtimes = registry::all_runtimes();
        for entry in runtimes.iter().filter(|entry| entry.family == family) {
            text += &runtime_line(entry);
        }
        text.push('\n');
    }
    text += "peers in other languages:\n";
    peers::ask(peers::all().iter());
    for peer in peers::all() {
        text += &peer.lines();
    }
    text.push('\n');
    text + LIST_NOTES
}

/// What ends the list.
const LIST_NOTES: &str = "\
* runs by default. `cargo lab run NAME…` runs any of them, each on the runtimes of its kind, and
with `--peers` on the peers in other languages that are installed; `cargo lab idle` runs the idle-…,
`cargo lab blocking` the blocking-…, `cargo lab async` the task-… and offload-…, and
`cargo lab messages` those of messages. A runtime that does not finish the blocking-… in 20 s is
ended and has a row that says so; a deadlock of a peer is a result and no error.
";

fn workload_lines(entry: &WorkloadEntry) -> String {
    let card = &entry.card;
    let mark = if card.default_rank.is_some() {
        "*"
    } else {
        " "
    };
    let sizes: Vec<String> = card.sizes.iter().map(|size| group(*size)).collect();
    let mut lines = format!("{mark} {:21} {}\n", card.name, card.about);
    lines += &format!("  {:21} {}: {}\n", "", card.size_counts, sizes.join("; "));
    if card.default_rank.is_some() && entry.brief_sizes() != card.sizes {
        let sizes: Vec<String> = entry.brief_sizes().iter().map(|s| group(*s)).collect();
        lines += &format!("  {:21} by default: {}\n", "", sizes.join("; "));
    }
    lines
}

fn runtime_line(entry: &RuntimeEntry) -> String {
    let card = &entry.card;
    let version = entry.version();
    let name = format!("{} {}", card.name, version.unwrap_or_default());
    format!("  {name:27} {}\n", card.about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
