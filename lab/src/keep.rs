//! `cargo lab record`: keeps a dated record of a run in the repository.
//!
//! Later work is held against it (`cargo lab compare`), and the figures of the documentation are
//! made of it (`cargo xtask figures`). A kept record is slim: it lacks the single samples and what
//! is unknown, and the machine and the build stand in its first line only.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::Value;

use crate::cell::{self, Cell};
use crate::destination::Destination;
use crate::effort::Effort;
use crate::journal::{self, Journal};
use crate::launch::Launcher;
use crate::machine::{Build, RECORDS, workspace};
use crate::noise::Noise;
use crate::options::Options;
use crate::plan::Rounds;
use crate::reader::{self, REPEATED};
use crate::record::Record;
use crate::scoreboard::Scoreboard;
use crate::statistics::{PROCESSES_MIN, rounds_that_tell};
use crate::{console, end, interrupt, output, registry, whole_file};

/// What `record` can be told.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Names of workloads; those of the default run if there are none.
    #[arg(value_name = "WORKLOAD")]
    workloads: Vec<String>,
    /// Keeps the records of this run, its directory or its file, instead of measuring.
    #[arg(long, value_name = "DIR", conflicts_with = "workloads")]
    from: Option<PathBuf>,
    /// Also if files differ from the revision, which the name then says.
    #[arg(long)]
    dirty: bool,
    #[command(flatten)]
    options: Options,
}

impl Arguments {
    /// The options of the run.
    pub fn options(&mut self) -> &mut Options {
        &mut self.options
    }
}

/// Measures if that is asked for, and keeps the records.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let options = &arguments.options;
    ensure!(
        options.json.is_none(),
        "a record has its place in the repository: --json is for runs"
    );
    let records = match &arguments.from {
        Some(from) => {
            ensure!(
                options.measures_nothing(),
                "with --from nothing is measured: it takes no options of a run"
            );
            let file = reader::file_of(from).with_context(|| no_records(from))?;
            let records = reader::read(&file)?;
            let twice = records.iter().enumerate();
            let mut twice = twice.filter(|(i, one)| records[..*i].iter().any(|r| r.is_like(one)));
            if let Some((_, record)) = twice.next() {
                anyhow::bail!(
                    "{} has {} {} twice: keep one run at a time",
                    file.display(),
                    record.workload,
                    record.runtime
                );
            }
            place(&records[0].build, &records[0].date, arguments.dirty)?;
            records
        }
        None => {
            // What will be refused is refused before it is measured.
            place(&Build::look(), &today(), arguments.dirty)?;
            measure(arguments)?
        }
    };
    if let Some(signal) = interrupt::pending() {
        console::note("interrupted: nothing is kept");
        return Ok(ExitCode::from(interrupt::exit_code(signal)));
    }
    ensure!(
        records.iter().all(|record| !record.partial),
        "the run was interrupted; go on with it first: cargo lab --resume DIR"
    );
    let Some(first) = records.first() else {
        anyhow::bail!("nothing was measured");
    };
    let to = place(&first.build, &first.date, arguments.dirty)?;
    let fewest = records.iter().filter(|record| record.ok == Some(true));
    let fewest = fewest.map(|record| record.by_round.len()).min();
    let least = rounds_that_tell(cell::comparisons(&Cell::all(&records)));
    if fewest.is_some_and(|fewest| fewest < least) {
        console::note(&format!(
            "warning: some figures have fewer than {least} processes, too few for claims that hold \
             together"
        ));
    }
    if first.build.debug_assertions {
        console::note("warning: compiled without optimisation: these figures mean nothing");
    }
    keep(&to, &records)?;
    console::print(&format!("kept: {}\n", to.display()))?;
    Ok(end::code(&records, true))
}

fn no_records(at: &Path) -> String {
    if journal::is_in(at) {
        journal::unfinished(at)
    } else {
        format!("there are no records at {}", at.display())
    }
}

fn measure(arguments: &Arguments) -> Result<Vec<Record>> {
    let workloads: Vec<_> = match &arguments.workloads[..] {
        [] => registry::all_workloads()
            .into_iter()
            .filter(|entry| entry.card.default_rank.is_some())
            .collect(),
        names => names
            .iter()
            .map(|name| registry::workload(name))
            .collect::<Result<_, _>>()?,
    };
    let is_brief = arguments.workloads.is_empty();
    let options = &arguments.options;
    let rounds = Rounds::Exactly(PROCESSES_MIN);
    let mut schedule = options.schedule(&workloads, rounds, Effort::quick(), is_brief)?;
    if !options.counts_rounds() {
        schedule.rounds = Rounds::Exactly(rounds_that_tell(schedule.comparisons()));
    }
    let launcher = Launcher::new()?;
    let destination = Destination::make(options)?;
    let journal = match &options.resume {
        Some(directory) => Journal::resume(directory, &schedule)?,
        None => Journal::begin(&destination.directory, &schedule)?,
    };
    let records = schedule.run(&launcher, journal);
    let report = output::write(&destination.directory, &records)?;
    console::print(&format!("report: {}\n", report.display()))?;
    if let Some(board) = Scoreboard::of(&records) {
        console::print(&board.to_text())?;
    }
    console::print(&Noise::of(&records).to_text())?;
    Ok(records)
}

fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// The file of a record that this build made on this day.
///
/// # Errors
/// There is such a file, or the build's files differed from its revision, and that was not allowed.
fn place(build: &Build, date: &str, dirty: bool) -> Result<PathBuf> {
    let revision = build.git_revision.as_deref();
    let revision = revision.context("git does not know the revision, so a record has no name")?;
    let day = date.get(..10).context("the records have no date")?;
    let is_clean = build.git_dirty == Some(false);
    ensure!(
        is_clean || dirty,
        "files differ from revision {revision}: commit them first, or take --dirty"
    );
    let short = &revision[..revision.len().min(7)];
    let mark = if is_clean { "" } else { "-dirty" };
    let directory = workspace().join(RECORDS);
    let to = directory.join(format!("{day}-{short}{mark}.jsonl"));
    ensure!(
        !to.exists(),
        "{} is there already, and a record is never overwritten: move or remove it, or commit \
         first (its name has the day and the revision)",
        to.display()
    );
    Ok(to)
}

/// Writes the records, all or none.
fn keep(to: &Path, records: &[Record]) -> Result<()> {
    let written = whole_file::create(to, &slim(records));
    written.with_context(|| format!("{} cannot be written", to.display()))
}

/// The records as lines of JSON, without what is not needed later.
fn slim(records: &[Record]) -> String {
    let mut text = String::new();
    let mut last = Value::Null;
    for record in records {
        let whole = serde_json::to_value(record).expect("a record is plain data");
        let mut value = whole.clone();
        let fields = value.as_object_mut().expect("a record is an object");
        fields.remove("wall_ns_samples");
        fields.remove("wall_ns_sample_rounds");
        for name in REPEATED {
            if whole.get(name) == last.get(name) {
                fields.remove(name);
            }
        }
        remove_unknown(&mut value);
        text += &value.to_string();
        text.push('\n');
        last = whole;
    }
    text
}

/// Removes what is `null`: a field that is missing is unknown.
fn remove_unknown(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(remove_unknown);
        }
        Value::Array(values) => values.iter_mut().for_each(remove_unknown),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::made_up::record;

    #[test]
    fn a_slim_record_says_the_same() {
        let mut one = record("fib", "drumline", 1, &[1.5; 10]);
        one.machine.cpu_model = Some("a processor".to_owned());
        let mut two = one.clone();
        two.jobs = 2;
        let mut other = two.clone();
        other.build.rustc = Some("rustc 2".to_owned());
        let records = vec![one, two, other];
        let text = slim(&records);
        assert_eq!(text.matches("a processor").count(), 1);
        assert!(
            !text.contains("null") && !text.contains("samples\""),
            "{text}"
        );

        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("deep").join("record.jsonl");
        keep(&file, &records).unwrap();
        assert_eq!(reader::read(&file).unwrap(), records);
        let error = format!("{:#}", keep(&file, &records).unwrap_err());
        assert!(error.contains("exists"), "{error}");
    }

    #[test]
    fn a_record_is_named_by_its_day_and_revision() {
        let build = |dirty| Build {
            git_revision: Some("0123456789abcdef".to_owned()),
            git_dirty: dirty,
            ..Build::default()
        };
        let name = |build: &Build, dirty| {
            let place = place(build, "1999-11-22T01:02:03Z", dirty)?;
            anyhow::Ok(place.file_name().unwrap().to_string_lossy().into_owned())
        };
        let clean = build(Some(false));
        assert_eq!(name(&clean, false).unwrap(), "1999-11-22-0123456.jsonl");
        assert_eq!(name(&clean, true).unwrap(), "1999-11-22-0123456.jsonl");
        for unsure in [build(Some(true)), build(None)] {
            let dirty = name(&unsure, true).unwrap();
            assert_eq!(dirty, "1999-11-22-0123456-dirty.jsonl");
            let error = name(&unsure, false).unwrap_err().to_string();
            assert!(error.contains("--dirty"), "{error}");
        }
        let unknown = Build::default();
        assert!(name(&unknown, true).is_err());
    }
}
