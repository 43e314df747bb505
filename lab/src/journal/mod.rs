//! The journal of a run: what each finished process found, written at once. A run that was ended is
//! resumed from it.
//!
//! ```text
//! {"run": what will run, the command line, the machine, the program}
//! {"process": the configuration, the round, what came of it}       one per finished process
//! {"resumed": the machine, the program}                            whenever the run was resumed
//! ```
//! Everything is also kept in memory. So a disk that is full for a while, or a directory that
//! vanishes, costs nothing but a warning: the next process brings the file up to date.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::configuration::Configuration;
use crate::machine::{Build, Machine, cores_available};
use crate::outcome::Outcome;
use crate::plan::Rounds;
use crate::process_request::ProcessRequest;
use crate::schedule::Schedule;

/// The name of the file, in the directory of the run.
pub const FILE: &str = "journal.jsonl";

/// What every configuration of a schedule has come to: by group and configuration, one outcome for
/// each round.
pub type Outcomes = Vec<Vec<Vec<Outcome>>>;

/// What a run is, and where it began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The arguments of the lab.
    pub command: Vec<String>,
    /// What will run.
    pub outline: Outline,
    /// The machine.
    pub machine: Machine,
    /// The program.
    pub build: Build,
}

/// A schedule, as far as it decides what is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outline {
    /// How often.
    pub rounds: Rounds,
    /// The processes of one round, by group, and how long each may take.
    pub groups: Vec<Vec<(ProcessRequest, Duration)>>,
}

impl Outline {
    fn of(schedule: &Schedule) -> Self {
        let planned = |configuration: &Configuration| {
            let limit = configuration.terms.limit;
            (configuration.order(), limit)
        };
        let groups = schedule.groups.iter();
        Self {
            rounds: schedule.rounds,
            groups: groups.map(|g| g.iter().map(planned).collect()).collect(),
        }
    }
}

/// A configuration, as the journal names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    workload: String,
    runtime: String,
    jobs: usize,
    size: u64,
}

impl Key {
    fn of(configuration: &Configuration) -> Self {
        let ProcessRequest {
            workload,
            runtime,
            jobs,
            size,
            ..
        } = configuration.order();
        Self {
            workload,
            runtime,
            jobs,
            size,
        }
    }
}

/// A process that has ended by itself, or had to be ended because of what it did.
#[derive(Debug, Serialize, Deserialize)]
struct Finished {
    #[serde(flatten)]
    key: Key,
    round: usize,
    outcome: Outcome,
}

/// Where a run was resumed.
#[derive(Debug, Serialize, Deserialize)]
struct Resumed {
    machine: Machine,
    build: Build,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Run(Box<Header>),
    Process(Box<Finished>),
    Resumed(Box<Resumed>),
}

impl Line {
    fn to_text(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a line is plain data");
        text.push('\n');
        text
    }
}

/// The journal of a run that goes on.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    /// All that the file should hold…
    text: String,
    /// …and how much of it the file does hold.
    saved: usize,
    failing: bool,
    header: Header,
    finished: Outcomes,
    despite: Vec<String>,
}

impl Journal {
    /// Begins the journal of a run in its directory. What cannot be written is an error here, and
    /// never later.
    pub fn begin(directory: &Path, schedule: &Schedule) -> Result<Self> {
        let header = Header {
            command: arguments(),
            outline: Outline::of(schedule),
            machine: Machine::look(),
            build: Build::look(),
        };
        let mut journal = Self::new(directory, header, schedule);
        journal.text = Line::Run(Box::new(journal.header.clone())).to_text();
        journal.save_or_fail()?;
        Ok(journal)
    }

    /// Takes up the journal of a run that was ended, to go on with the same schedule.
    pub fn resume(directory: &Path, schedule: &Schedule) -> Result<Self> {
        let read = Read::from(directory)?;
        let header = read.header;
        if header.outline != Outline::of(schedule) {
            return Err(another_run(directory, &header));
        }
        let mut journal = Self::new(directory, header, schedule);
        journal.text = read.text;
        for (line, finished) in read.finished {
            ensure!(
                journal.add(schedule, finished),
                "{}: line {line} fits nowhere into its own run; {CUT}",
                journal.path.display()
            );
        }
        let resumed = Resumed {
            machine: Machine::look(),
            build: Build::look(),
        };
        for parts in read.resumed.iter().chain([&resumed]) {
            for difference in differences(&journal.header, parts) {
                if !journal.despite.contains(&difference) {
                    journal.despite.push(difference);
                }
            }
        }
        journal.text += &Line::Resumed(Box::new(resumed)).to_text();
        journal.file = Some(
            File::options()
                .write(true)
                .open(&journal.path)
                .with_context(|| format!("{} cannot be written", journal.path.display()))?,
        );
        // The file may end with half a line, which is cut off.
        journal.saved = read.whole;
        journal.save_or_fail()?;
        Ok(journal)
    }

    fn new(directory: &Path, header: Header, schedule: &Schedule) -> Self {
        let groups = schedule.groups.iter();
        Self {
            path: directory.join(FILE),
            file: None,
            text: String::new(),
            saved: 0,
            failing: false,
            header,
            finished: groups.map(|group| vec![Vec::new(); group.len()]).collect(),
            despite: Vec::new(),
        }
    }

    /// Puts what a process found where it belongs; whether there was such a place.
    fn add(&mut self, schedule: &Schedule, finished: Finished) -> bool {
        let configurations = schedule.groups.iter().flatten();
        let all = self.finished.iter_mut().flatten();
        // A configuration that is in the schedule twice has had as many rounds, or one more, first.
        let known = configurations.zip(all).find(|(configuration, known)| {
            known.len() == finished.round && Key::of(configuration) == finished.key
        });
        known
            .map(|(_, known)| known.push(finished.outcome))
            .is_some()
    }

    /// What was found before the run was resumed; nothing for a new run.
    pub fn take_finished(&mut self) -> Outcomes {
        std::mem::take(&mut self.finished)
    }

    /// The machine and the program that the run began with.
    pub fn began_with(&self) -> (&Machine, &Build) {
        (&self.header.machine, &self.header.build)
    }

    /// The arguments of the lab that began the run.
    pub fn command(&self) -> &[String] {
        &self.header.command
    }

    /// How the machine and the program differ from those that the run began with.
    pub fn despite(&self) -> &[String] {
        &self.despite
    }

    /// Writes what a process found. Returns a warning, once, when that is not possible.
    pub fn append(
        &mut self,
        configuration: &Configuration,
        round: usize,
        outcome: &Outcome,
    ) -> Option<String> {
        let finished = Finished {
            key: Key::of(configuration),
            round,
            outcome: outcome.clone(),
        };
        self.text += &Line::Process(Box::new(finished)).to_text();
        let gone = !self.path.exists();
        let saved = self.save();
        let first = !std::mem::replace(&mut self.failing, saved.is_err());
        let path = self.path.display();
        match saved {
            Ok(()) => gone.then(|| format!("warning: {path} was gone, and has been made anew")),
            Err(error) => first.then(|| {
                format!(
                    "warning: {path} cannot be written ({error}); the run goes on, and tries again \
                     after each process"
                )
            }),
        }
    }

    /// Brings the file up to date.
    fn save(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) if self.path.exists() => file,
            file => {
                if let Some(directory) = self.path.parent() {
                    fs::create_dir_all(directory)?;
                }
                self.saved = 0;
                file.insert(File::create(&self.path)?)
            }
        };
        // A line that was cut off by a full disk is written again.
        file.set_len(self.saved as u64)?;
        file.seek(SeekFrom::Start(self.saved as u64))?;
        file.write_all(&self.text.as_bytes()[self.saved..])?;
        self.saved = self.text.len();
        Ok(())
    }

    fn save_or_fail(&mut self) -> Result<()> {
        self.save().with_context(|| {
            format!(
                "{} cannot be written; name another directory with --out",
                self.path.display()
            )
        })
    }
}

/// Whether a directory holds the journal of a run.
pub fn is_in(directory: &Path) -> bool {
    directory.join(FILE).is_file()
}

/// What to do about the run of a directory that has a journal and no records.
pub fn unfinished(directory: &Path) -> String {
    let name = directory.display();
    format!(
        "{name} holds a run that was ended before it wrote its records; go on with it first: cargo \
         lab --resume {name}"
    )
}

/// The arguments of this process, without its name.
pub fn arguments() -> Vec<String> {
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    arguments.collect()
}

/// The arguments of the lab that began the run in this directory.
pub fn command(directory: &Path) -> Result<Vec<String>> {
    Ok(Read::from(directory)?.header.command)
}

/// A journal that was read.
struct Read {
    header: Header,
    /// With the number of the line.
    finished: Vec<(usize, Finished)>,
    resumed: Vec<Resumed>,
    /// The text, as far as it is whole…
    text: String,
    /// …and how long that is.
    whole: usize,
}

impl Read {
    /// Reads all lines but a last one that is not whole: the lab was killed while it wrote that.
    fn from(directory: &Path) -> Result<Self> {
        let path = directory.join(FILE);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "{} has no {FILE}: it is not the directory of a run that can be resumed",
                directory.display()
            ),
            read => read.with_context(|| format!("{} cannot be read", path.display()))?,
        };
        let mut header = None;
        let mut finished = Vec::new();
        let mut resumed = Vec::new();
        let mut whole = 0;
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').enumerate();
        while let Some((index, line)) = lines.next() {
            let number = index + 1;
            if line.last() != Some(&b'\n') {
                break;
            }
            let read = match serde_json::from_slice(line) {
                Ok(read) => read,
                Err(_) if lines.next().is_none() => break,
                Err(_) => bail!("{}: line {number} is damaged; {CUT}", path.display()),
            };
            match (read, &header) {
                (Line::Run(read), None) => header = Some(*read),
                (Line::Process(read), Some(_)) => finished.push((number, *read)),
                (Line::Resumed(read), Some(_)) => resumed.push(*read),
                _ => bail!("{}: line {number} is out of place; {CUT}", path.display()),
            }
            whole += line.len();
        }
        let Some(header) = header else {
            bail!(
                "{}: its first line does not say what the run is, so either the run was ended \
                 before it began, or this is no journal; nothing can be resumed, but if the \
                 directory holds nothing of value a new run may overwrite it: --out {} --force",
                path.display(),
                directory.display()
            );
        };
        let text = String::from_utf8(bytes[..whole].to_vec()).context("JSON is text")?;
        Ok(Self {
            header,
            finished,
            resumed,
            text,
            whole,
        })
    }
}

/// What to do with a journal of which not all can be read.
const CUT: &str = "cut this line and those after it off, and --resume measures them anew";

/// The journal is of another schedule.
fn another_run(directory: &Path, header: &Header) -> anyhow::Error {
    let (command, place) = (header.command.join(" "), directory.display());
    let (before, now) = (header.machine.cores_available, cores_available());
    // The numbers of jobs follow from the cores, unless --jobs says them.
    if let (Some(before), Some(now)) = (before, now)
        && before != now
    {
        let jobs: BTreeSet<usize> = header
            .outline
            .groups
            .iter()
            .flatten()
            .map(|(order, _)| order.jobs)
            .collect();
        let jobs: Vec<String> = jobs.iter().map(usize::to_string).collect();
        let jobs = jobs.join(",");
        return anyhow!(
            "{place} holds another run, that of `cargo lab {command}`: it began where {before} cores \
             could be used, and here it is {now}; go on where there are as many, or, if it was begun \
             without --jobs, with `cargo lab {command} --jobs {jobs} --resume {place}`"
        );
    }
    anyhow!(
        "{place} holds another run, that of `cargo lab {command}`: this command line asks for other \
         configurations, rounds or limits; `cargo lab --resume {place}` follows the recorded one"
    )
}

/// What the machine and the program have now that they had not when the run began.
fn differences(began: &Header, resumed: &Resumed) -> Vec<String> {
    let fields = |machine: &Machine, build: &Build| {
        // It is never the same twice.
        let machine = Machine {
            memory_free_bytes: None,
            ..machine.clone()
        };
        serde_json::json!({ "machine": machine, "build": build })
    };
    let before = fields(&began.machine, &began.build);
    let now = fields(&resumed.machine, &resumed.build);
    let mut found = Vec::new();
    for (part, now) in now.as_object().into_iter().flatten() {
        for (name, now) in now.as_object().into_iter().flatten() {
            let before = &before[part][name];
            if now != before {
                let (now, before) = (plain(now), plain(before));
                found.push(format!("{part}.{name} is {now} and was {before}"));
            }
        }
    }
    found
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "unknown".to_owned(),
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
