//! Runs everything that was asked for: in each round every command once, one after the other. The
//! order turns by one from round to round.

use std::time::{Duration, Instant};

use anyhow::{Context, Error, anyhow};

use super::plan::{Configuration, MOST_RUNS, Plan, Repeats};
use super::program_run::ProgramRun;
use super::runner::Runner;
use super::shell_start::ShellStart;
use crate::progress::Progress;

/// What came of all rounds.
#[derive(Debug)]
pub struct Measured {
    /// The runs that count, by command. The last of a command may have failed.
    pub runs: Vec<Vec<ProgramRun>>,
    /// When each command ran first.
    pub dates: Vec<String>,
    /// How the rounds ended.
    pub stop: Stop,
}

/// How the rounds ended.
#[derive(Debug)]
pub enum Stop {
    /// There was nothing left to do.
    Complete,
    /// There were as many runs as there may be, before the time had passed.
    MostRuns,
    /// A signal asked for an end.
    Interrupted,
    /// A command failed.
    Failed(Error),
}

impl Measured {
    /// Whether there should have been more runs.
    pub fn is_partial(&self) -> bool {
        !matches!(self.stop, Stop::Complete)
    }

    /// Why there are fewer runs than were asked for, unless an error says so.
    pub fn note(&self) -> Option<String> {
        let runs: usize = self.runs.iter().map(Vec::len).sum();
        match self.stop {
            Stop::Complete | Stop::Failed(_) => None,
            Stop::Interrupted => Some(format!(
                "interrupted: these are {runs} runs, and there were to be more"
            )),
            Stop::MostRuns => Some(format!(
                "warning: ended after {runs} runs, the most that are kept, before the time of \
                 --time had passed"
            )),
        }
    }
}

/// Runs everything. A bar shows how far it is, unless it is to be silent.
pub fn run(plan: &Plan, runner: &Runner, shell: Option<&ShellStart>, silent: bool) -> Measured {
    let commands = plan.configurations.len();
    let (length, unit) = match plan.repeats {
        Repeats::Rounds(rounds) => ((commands * (rounds + plan.warm_ups)) as u64, "runs"),
        Repeats::Time(time) => (time.as_secs(), "seconds"),
    };
    let mut running = Running {
        plan,
        runner,
        shell,
        progress: if silent {
            Progress::hidden()
        } else {
            Progress::new(length, unit)
        },
        measured: Measured {
            runs: vec![Vec::new(); commands],
            dates: vec![String::new(); commands],
            stop: Stop::Complete,
        },
    };
    if let Err(stop) = running.all() {
        running.measured.stop = stop;
    }
    running.progress.finish();
    running.measured
}

/// Rounds at work.
struct Running<'a> {
    plan: &'a Plan,
    runner: &'a Runner,
    shell: Option<&'a ShellStart>,
    progress: Progress,
    measured: Measured,
}

impl Running<'_> {
    fn all(&mut self) -> Result<(), Stop> {
        for warm_up in 0..self.plan.warm_ups {
            self.round(warm_up, None)?;
        }
        let start = Instant::now();
        let commands = self.plan.configurations.len();
        let mut done = 0;
        loop {
            match next(self.plan.repeats, commands, done, start.elapsed()) {
                Next::Round => self.round(done, Some(start))?,
                Next::End => return Ok(()),
                Next::TooMany => return Err(Stop::MostRuns),
            }
            done += 1;
        }
    }

    /// Runs each command once. It counts if there is a start.
    fn round(&mut self, round: usize, start: Option<Instant>) -> Result<(), Stop> {
        let plan = self.plan;
        let commands = plan.configurations.len();
        for place in 0..commands {
            let place = (place + round) % commands;
            let configuration = &plan.configurations[place];
            self.progress.set_message(configuration.text.clone());
            self.prepare(configuration)?;
            let date = &mut self.measured.dates[place];
            if date.is_empty() {
                *date = crate::date::now();
            }
            let run = self.runner.run(&configuration.request);
            let mut run = finished(run.with_context(|| configuration.text.clone()))?;
            if let Some(shell) = self.shell {
                shell.take_off(&mut run);
            }
            let kind = if start.is_some() { "run" } else { "warm-up" };
            let failure = self.failure(configuration, &format!("{kind} {}", round + 1), &run);
            if start.is_some() {
                self.measured.runs[place].push(run);
            }
            failure?;
            match (plan.repeats, start) {
                (Repeats::Rounds(_), _) => self.progress.inc(),
                (Repeats::Time(_), Some(start)) => {
                    self.progress.set_position(start.elapsed().as_secs())
                }
                (Repeats::Time(_), None) => {}
            }
        }
        Ok(())
    }

    fn prepare(&self, configuration: &Configuration) -> Result<(), Stop> {
        let Some(prepare) = &configuration.prepare else {
            return Ok(());
        };
        let run = self.runner.run(&prepare.request);
        let run = finished(run.with_context(|| format!("--prepare {}", prepare.text)))?;
        if run.is_success() {
            return Ok(());
        }
        Err(Stop::Failed(anyhow!(
            "--prepare {}: it ended with {}, and what it prepares would be measured wrongly",
            prepare.text,
            run.end()
        )))
    }

    fn failure(
        &self,
        configuration: &Configuration,
        which: &str,
        run: &ProgramRun,
    ) -> Result<(), Stop> {
        if run.is_success() || self.plan.ignore_failure {
            return Ok(());
        }
        let look = if self.plan.shows_output {
            ""
        } else {
            "see what it says with --output show, or "
        };
        Err(Stop::Failed(anyhow!(
            "`{}` ended with {} in {which}: {look}accept that with --ignore-failure",
            configuration.text,
            run.end(),
        )))
    }
}

fn finished(run: anyhow::Result<Option<ProgramRun>>) -> Result<ProgramRun, Stop> {
    run.map_err(Stop::Failed)?.ok_or(Stop::Interrupted)
}

/// What comes after a round.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// A further one.
    Round,
    /// Nothing: all that was asked for is done.
    End,
    /// There is time left, but there are as many runs as there may be.
    TooMany,
}

/// Whether there is a further round, `elapsed` after the first one began.
fn next(repeats: Repeats, commands: usize, done: usize, elapsed: Duration) -> Next {
    let is_due = match repeats {
        Repeats::Rounds(rounds) => done < rounds,
        Repeats::Time(time) => done == 0 || elapsed < time,
    };
    match repeats {
        _ if !is_due => Next::End,
        Repeats::Time(_) if (done + 1) * commands > MOST_RUNS => Next::TooMany,
        _ => Next::Round,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_before_its_time_is_told_of() {
        let note = |stop| {
            let measured = Measured {
                runs: vec![vec![ProgramRun::default(); 2]; 2],
                dates: Vec::new(),
                stop,
            };
            (measured.is_partial(), measured.note())
        };
        assert_eq!(note(Stop::Complete), (false, None));
        for (stop, word) in [
            (Stop::MostRuns, "4 runs, the most"),
            (Stop::Interrupted, "4 runs"),
        ] {
            let (is_partial, text) = note(stop);
            assert!(is_partial && text.unwrap().contains(word));
        }
    }

    #[test]
    fn rounds_end_by_their_number_or_by_the_time() {
        let second = Duration::from_secs(1);
        let three = Repeats::Rounds(3);
        assert_eq!(next(three, 1, 2, second * 1000), Next::Round);
        assert_eq!(next(three, 1, 3, Duration::ZERO), Next::End);
        let time = Repeats::Time(second);
        // However long the first round takes, there is one.
        assert_eq!(next(time, 1, 0, second * 2), Next::Round);
        assert_eq!(next(time, 1, 7, second / 2), Next::Round);
        assert_eq!(next(time, 1, 7, second), Next::End);
        assert_eq!(next(time, 1, MOST_RUNS, Duration::ZERO), Next::TooMany);
        assert_eq!(next(time, 3, MOST_RUNS / 3, Duration::ZERO), Next::TooMany);
        assert_eq!(next(time, 1, MOST_RUNS, second), Next::End);
    }
}
