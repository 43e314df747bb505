//! A command line that can be shown, so that the reader of a failure can repeat it.

use std::fmt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::bounded::{self, Streams};
use crate::workspace;

/// A command to run at the root of the workspace.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The directory, relative to the root of the workspace; empty for the root itself.
    directory: String,
    variables: Vec<(String, String)>,
    words: Vec<String>,
}

impl Invocation {
    /// A command made of these words, the program first.
    pub fn new(words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Invocation {
            directory: String::new(),
            variables: Vec::new(),
            words: words.into_iter().map(Into::into).collect(),
        }
    }

    /// A command made of the words of `line`, which has no quotes in it.
    pub fn line(line: &str) -> Self {
        Self::new(line.split_whitespace())
    }

    /// Adds words.
    pub fn and(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// Runs it in a directory of the workspace.
    pub fn inside(mut self, directory: &str) -> Self {
        directory.clone_into(&mut self.directory);
        self
    }

    /// Sets an environment variable.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// The last word.
    pub fn last_word(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    /// The command, ready to be started.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(workspace::root().join(&self.directory));
        command
    }

    /// Runs it in the foreground.
    pub fn run(&self) -> Result<()> {
        let status = self.command().status();
        self.judge(status.with_context(|| format!("starting {self}"))?)
    }

    /// Runs it, shows every line of its standard output, and hands it to `each` as well. Returns
    /// whether it ended within `limit`; if not, it was killed, with what it had started.
    pub fn run_with(&self, limit: Duration, mut each: impl FnMut(&str)) -> Result<bool> {
        let ended = bounded::read(self.command(), Streams::Output, limit, |line| {
            println!("{line}");
            each(line);
        });
        match ended.with_context(|| format!("running {self}"))? {
            Some(status) => self.judge(status).map(|()| true),
            None => Ok(false),
        }
    }

    /// Whether it can be started and succeeds; its output goes nowhere.
    pub fn succeeds(&self) -> bool {
        self.command()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// What it prints, without the white space around it.
    pub fn answer(&self) -> Result<String> {
        let output = self
            .command()
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("starting {self}"))?;
        self.judge(output.status)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn judge(&self, status: ExitStatus) -> Result<()> {
        if !status.success() {
            bail!("failed with {status}; to repeat it:\n  {self}");
        }
        Ok(())
    }
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.directory.is_empty() {
            write!(f, "cd {} && ", quoted(&self.directory))?;
        }
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", quoted(value))?;
        }
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        f.write_str(&words.join(" "))
    }
}

/// The word as a shell wants it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_line_can_be_pasted() {
        let invocation = Invocation::line("cargo test -p drumline")
            .and(["it's", ""])
            .with("RUSTFLAGS", "--cfg drumline_loom");
        assert_eq!(
            invocation.to_string(),
            "RUSTFLAGS='--cfg drumline_loom' cargo test -p drumline 'it'\\''s' ''"
        );
    }

    #[test]
    fn the_directory_is_part_of_the_line() {
        let invocation = Invocation::line("cargo --version").inside("apps/chipmill");
        assert_eq!(
            invocation.to_string(),
            "cd apps/chipmill && cargo --version"
        );
    }

    #[cfg(unix)]
    #[test]
    fn failure_shows_how_to_repeat_it() {
        let error = Invocation::line("false").run().unwrap_err();
        assert!(error.to_string().ends_with("\n  false"), "{error}");
        assert!(!Invocation::line("false").succeeds());
        assert!(!Invocation::line("no-such-program").succeeds());
    }

    #[test]
    fn lines_are_seen() {
        let mut seen = Vec::new();
        let version = Invocation::line("cargo --version");
        let ended = version.run_with(Duration::from_secs(600), |line| seen.push(line.to_owned()));
        assert!(ended.unwrap());
        assert!(seen[0].starts_with("cargo "), "{seen:?}");
        assert_eq!(version.answer().unwrap(), seen[0]);
    }
}
