//! What it takes to start a shell that has nothing to do.

use std::ffi::OsString;

use anyhow::{Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::program_run::ProgramRun;
use super::runner::Runner;
use super::supervisor::{RunRequest, Streams};
use crate::statistics::median;

/// The shell.
pub const SHELL: [&str; 2] = ["sh", "-c"];

/// How often an empty shell is started.
const STARTS: usize = 20;

/// The median of some starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellStart {
    /// From its start to its end.
    pub wall_ns: u64,
    /// Processor time in the shell.
    pub user_ns: Option<u64>,
    /// Processor time in the kernel.
    pub system_ns: Option<u64>,
}

impl ShellStart {
    /// Starts an empty shell some times; `None` if a signal asked for an end.
    ///
    /// # Errors
    /// There is no shell, or an empty one fails.
    pub fn measure(runner: &Runner) -> Result<Option<Self>> {
        let mut words: Vec<OsString> = SHELL.map(OsString::from).to_vec();
        words.push(":".into());
        let request = RunRequest {
            words,
            input: None,
            streams: Streams::Hidden,
        };
        let mut runs = Vec::with_capacity(STARTS);
        for _ in 0..STARTS {
            let Some(run) = runner.run(&request)? else {
                return Ok(None);
            };
            ensure!(run.is_success(), "an empty shell fails with {}", run.end());
            runs.push(run);
        }
        let Some(start) = Self::of(&runs) else {
            bail!("an empty shell cannot be measured");
        };
        Ok(Some(start))
    }

    /// Takes it off a run that a shell has started. Only times are known of it. Where hardly
    /// anything is left of the wall time, that is not held against what is left of the processor
    /// time: both are what one start differs from another by.
    pub fn take_off(&self, run: &mut ProgramRun) {
        let less = |time: Option<u64>, shell: Option<u64>| Some(time?.saturating_sub(shell?));
        run.wall_ns = run.wall_ns.saturating_sub(self.wall_ns);
        run.is_mostly_shell = run.wall_ns < self.wall_ns;
        let usage = &mut run.usage;
        usage.user_ns = less(usage.user_ns, self.user_ns);
        usage.system_ns = less(usage.system_ns, self.system_ns);
        usage.cpu_ns = usage.user_ns.zip(usage.system_ns).map(|(a, b)| a + b);
    }

    fn of(runs: &[ProgramRun]) -> Option<Self> {
        let middle = |time: fn(&ProgramRun) -> Option<u64>| {
            let times: Vec<f64> = runs.iter().filter_map(time).map(|ns| ns as f64).collect();
            median(&times).map(|ns| ns as u64)
        };
        Some(Self {
            wall_ns: middle(|run| Some(run.wall_ns))?,
            user_ns: middle(|run| run.usage.user_ns),
            system_ns: middle(|run| run.usage.system_ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;

    #[test]
    fn the_middle_of_the_starts_counts() {
        let runs = [7, 900, 5].map(|wall_ns| {
            let mut run = ProgramRun {
                wall_ns,
                ..ProgramRun::default()
            };
            run.usage.user_ns = Some(wall_ns / 2);
            run
        });
        let expected = ShellStart {
            wall_ns: 7,
            user_ns: Some(3),
            system_ns: None,
        };
        assert_eq!(ShellStart::of(&runs), Some(expected));
        assert_eq!(ShellStart::of(&[]), None);
    }

    #[test]
    fn the_start_of_a_shell_is_taken_off_times() {
        let shell = ShellStart {
            wall_ns: 100,
            user_ns: Some(30),
            system_ns: Some(20),
        };
        let mut run = ProgramRun {
            wall_ns: 250,
            usage: Usage {
                cpu_ns: Some(60),
                user_ns: Some(50),
                system_ns: Some(10),
                ctx_voluntary: Some(3),
                ..Usage::default()
            },
            ..ProgramRun::default()
        };
        shell.take_off(&mut run);
        let usage = run.usage;
        assert_eq!((run.wall_ns, usage.cpu_ns), (150, Some(20)));
        assert_eq!((usage.user_ns, usage.system_ns), (Some(20), Some(0)));
        assert_eq!(usage.ctx_voluntary, Some(3));
        assert_eq!(run.processors(), Some(20.0 / 150.0));
        run.wall_ns = 150;
        shell.take_off(&mut run);
        assert_eq!(run.processors(), None, "most of it was the shell");
    }
}
