//! What one can ask of a measurement, and what will run.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};

use super::command_line::{self, CommandLine};
use super::parameters::{self, Parameter, Values};
use super::supervisor::{RunRequest, Streams};
use crate::archive::count;
use crate::statistics::rounds_that_tell;

/// More runs than this are a slip of the finger; their figures are all kept in memory.
pub const MOST_RUNS: usize = 100_000;

/// What `measure` can be told.
#[derive(Clone, Debug, Args)]
pub struct Arguments {
    /// How often each command runs; once by default, and ten times where commands are compared.
    #[arg(
        long,
        value_name = "K",
        visible_alias = "runs",
        conflicts_with = "time"
    )]
    rounds: Option<usize>,
    /// Runs each command again and again until this many seconds have passed.
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Runs before those that count.
    #[arg(long, value_name = "K", visible_alias = "warmup", default_value_t = 0)]
    warm_up: usize,
    /// A command that runs before each run, and is not measured.
    #[arg(long, value_name = "COMMAND")]
    prepare: Option<String>,
    /// Makes a command of each value, in the place of `{NAME}`; several parameters are crossed.
    #[arg(long, value_name = "NAME=V,…")]
    param: Vec<String>,
    /// A second command, as one text, that takes turns with the first and is compared with it.
    #[arg(long, value_name = "COMMAND")]
    against: Option<String>,
    /// Lets `sh -c` run the commands, and takes the time off that a shell needs to start.
    #[arg(long)]
    shell: bool,
    /// What each run reads on standard input; nothing by default.
    #[arg(long, value_name = "FILE")]
    input: Option<OsString>,
    /// What becomes of what the commands write; by default it is shown if there is one run only.
    #[arg(long, value_name = "WHAT")]
    output: Option<Output>,
    /// Accepts exit statuses other than zero.
    #[arg(long)]
    ignore_failure: bool,
    /// One line for each command, and nothing else.
    #[arg(long, short)]
    pub quiet: bool,
    /// Writes a row for each command to a file; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<String>,
    /// Writes a JSON object for each command to a file, with every run; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub json: Option<String>,
    /// Writes the tables to a file, as Markdown; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<String>,
    /// Overwrites files that exist.
    #[arg(long)]
    pub force: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// What becomes of what the commands write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// It is shown.
    Show,
    /// It is thrown away.
    Hide,
}

/// How often everything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// This many rounds.
    Rounds(usize),
    /// Rounds until this time has passed; one at least.
    Time(Duration),
}

/// A command with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The command as one would type it.
    pub text: String,
    /// The values of its parameters.
    pub values: Values,
    /// What its supervisor is told.
    pub request: RunRequest,
    /// What runs before it.
    pub prepare: Option<Prepare>,
    /// The place of the command that it is compared with.
    pub baseline: Option<usize>,
}

/// What runs before a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepare {
    /// As one would type it.
    pub text: String,
    /// What its supervisor is told.
    pub request: RunRequest,
}

/// Everything that will run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The commands, in the order in which they are told of. There is one at least.
    pub configurations: Vec<Configuration>,
    /// How often.
    pub repeats: Repeats,
    /// How often before.
    pub warm_ups: usize,
    /// Whether a shell runs them.
    pub shell: bool,
    /// Whether any exit status will do.
    pub ignore_failure: bool,
    /// Whether what they write is seen.
    pub shows_output: bool,
}

impl Arguments {
    /// Whether one of the files is standard output, which then has no room for anything else.
    pub fn writes_to_stdout(&self) -> bool {
        let files = [&self.csv, &self.json, &self.markdown];
        files.into_iter().flatten().any(|file| file == "-")
    }

    /// What will run.
    ///
    /// # Errors
    /// Something makes no sense, or there is no such program.
    pub fn plan(&self) -> Result<Plan> {
        let command = CommandLine::of_words(&self.command, self.shell)?;
        let text = |option, text: &String| CommandLine::of_text(option, text, self.shell);
        let against = self
            .against
            .as_ref()
            .map(|t| text("--against", t))
            .transpose()?;
        let prepare = self
            .prepare
            .as_ref()
            .map(|t| text("--prepare", t))
            .transpose()?;
        if prepare.is_none() && self.param.is_empty() {
            // Preparing may make a program that is not there yet.
            command.check()?;
            against.as_ref().map_or(Ok(()), CommandLine::check)?;
        }
        let parameters = Parameter::parse_all(&self.param)?;
        for Parameter { name, .. } in &parameters {
            let lines = [Some(&command), against.as_ref(), prepare.as_ref()];
            let mut lines = lines.into_iter().flatten();
            let mut input = self.input.iter();
            ensure!(
                lines.any(|line| line.mentions(name))
                    || input.any(|input| command_line::has_place(input, name)),
                "--param {name}: no command has a place for it; write {} there",
                command_line::place(name)
            );
        }
        let combinations = parameters::combinations(&parameters)?;
        let count = combinations.len() * if against.is_some() { 2 } else { 1 };
        let repeats = self.repeats(count)?;
        let shows_output = match self.output {
            Some(output) => output == Output::Show,
            None => {
                let is_one_run = count == 1 && repeats == Repeats::Rounds(1) && self.warm_up == 0;
                is_one_run && !self.writes_to_stdout()
            }
        };
        ensure!(
            !(shows_output && self.writes_to_stdout()),
            "--output show: standard output is asked for by a file `-`, too; name a file, or leave \
             --output out"
        );
        let streams = if shows_output {
            Streams::Shown
        } else {
            Streams::Hidden
        };
        let mut configurations = Vec::with_capacity(count);
        for values in combinations {
            let prepare = prepare.as_ref().map(|line| {
                let line = line.fill(&values);
                let request = RunRequest {
                    words: line.words(),
                    input: None,
                    streams: Streams::Errors,
                };
                Prepare {
                    text: line.text(),
                    request,
                }
            });
            let first = configurations.len();
            let input = self.input.as_ref();
            let input = input.map(|path| command_line::fill(path, &values));
            for (place, line) in [Some(&command), against.as_ref()]
                .into_iter()
                .flatten()
                .enumerate()
            {
                let line = line.fill(&values);
                let baseline = match against {
                    Some(_) => (place > 0).then_some(first),
                    None => (first > 0).then_some(0),
                };
                configurations.push(Configuration {
                    text: line.text(),
                    values: values.clone(),
                    request: RunRequest {
                        words: line.words(),
                        input: input.clone(),
                        streams,
                    },
                    prepare: prepare.clone(),
                    baseline,
                });
            }
        }
        Ok(Plan {
            configurations,
            repeats,
            warm_ups: self.warm_up,
            shell: self.shell,
            ignore_failure: self.ignore_failure,
            shows_output,
        })
    }

    fn repeats(&self, commands: usize) -> Result<Repeats> {
        let most = MOST_RUNS / commands;
        ensure!(
            self.warm_up <= most,
            "--warm-up {}: the most is {most} with {}",
            self.warm_up,
            count(commands, "command")
        );
        match (self.rounds, self.time) {
            (Some(0), _) => bail!("--rounds 0: nothing would be measured; try --rounds 10"),
            (Some(rounds), _) if rounds > most => {
                bail!(
                    "--rounds {rounds}: the most is {most} with {}",
                    count(commands, "command")
                )
            }
            (Some(rounds), _) => Ok(Repeats::Rounds(rounds)),
            (None, Some(0)) => bail!("--time 0: nothing would be measured; try --time 10"),
            (None, Some(seconds)) => Ok(Repeats::Time(Duration::from_secs(seconds))),
            (None, None) if commands == 1 => Ok(Repeats::Rounds(1)),
            // Each is compared with another one, but the first.
            (None, None) => Ok(Repeats::Rounds(rounds_that_tell(commands - 1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Cli {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn plan(arguments: &[&str]) -> Result<Plan> {
        Cli::try_parse_from([&["measure"], arguments].concat())?
            .arguments
            .plan()
    }

    fn refused(arguments: &[&str]) -> String {
        format!("{:#}", plan(arguments).unwrap_err())
    }

    #[test]
    fn one_command_runs_once_and_is_seen() {
        let once = plan(&["--", "sh", "-c", "echo --"]).unwrap();
        assert_eq!(once.repeats, Repeats::Rounds(1));
        assert!(once.shows_output);
        let [only] = &once.configurations[..] else {
            panic!("{once:?}");
        };
        assert_eq!(only.request.words, ["sh", "-c", "echo --"]);
        assert_eq!(
            (only.request.streams, only.baseline),
            (Streams::Shown, None)
        );
        for repeated in [
            &["--rounds", "2"][..],
            &["--time", "1"],
            &["--warm-up", "1"],
            &["--output", "hide"],
        ] {
            let repeated = plan(&[repeated, &["--", "sh"]].concat()).unwrap();
            let streams = repeated.configurations[0].request.streams;
            assert_eq!(streams, Streams::Hidden, "{repeated:?}");
        }
        let shown = plan(&["--runs", "2", "--output", "show", "--", "sh"]).unwrap();
        assert!(shown.shows_output);
    }

    #[test]
    fn two_commands_are_compared_for_each_value() {
        let arguments = [
            "--param",
            "n=1,2",
            "--prepare",
            "rm {n}",
            "--against",
            "b {n} 'c d'",
        ];
        let arguments = [&arguments[..], &["--input", "in{n}", "--", "a", "{n}"]].concat();
        let plan = plan(&arguments).unwrap();
        assert_eq!(plan.repeats, Repeats::Rounds(10));
        let texts: Vec<_> = plan
            .configurations
            .iter()
            .map(|c| c.text.as_str())
            .collect();
        assert_eq!(texts, ["a 1", "b 1 'c d'", "a 2", "b 2 'c d'"]);
        let baselines: Vec<_> = plan.configurations.iter().map(|c| c.baseline).collect();
        assert_eq!(baselines, [None, Some(0), None, Some(2)]);
        let last = &plan.configurations[3];
        assert_eq!(last.request.words, ["b", "2", "c d"]);
        assert_eq!(last.request.input, Some(OsString::from("in2")));
        assert_eq!(last.prepare.as_ref().unwrap().request.words, ["rm", "2"]);
    }

    #[test]
    fn values_are_compared_with_the_first() {
        let plan = plan(&["--param", "n=1,2,4", "--shell", "--", "a {n} | b"]).unwrap();
        let baselines: Vec<_> = plan.configurations.iter().map(|c| c.baseline).collect();
        assert_eq!(baselines, [None, Some(0), Some(0)]);
        let words = &plan.configurations[2].request.words;
        assert_eq!(words, &["sh", "-c", "a 4 | b"]);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_advice() {
        for (arguments, why) in [
            (&["--rounds", "0", "--", "sh"][..], "--rounds 10"),
            (&["--time", "0", "--", "sh"], "--time 10"),
            (&["--rounds", "100001", "--", "sh"], "the most is 100000"),
            (&["--warm-up", "100001", "--", "sh"], "the most is 100000"),
            (&["--param", "n=1", "--", "sh", "n"], "write {n} there"),
            (&["--against", "'", "--", "sh"], "no end"),
            (
                &["--against", "no-such-program-at-all", "--", "sh"],
                "cannot be started",
            ),
            (&["--prepare", "", "--", "sh"], "no program"),
            (&["--", "no-such-program-at-all"], "cannot be started"),
            (
                &["--rounds", "1", "--time", "1", "--", "sh"],
                "cannot be used",
            ),
            (&[], "COMMAND"),
        ] {
            let text = refused(arguments);
            assert!(text.contains(why), "{arguments:?}: {text}");
        }
    }
}
