//! A command that is ended when it takes too long.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How often it is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(50);

/// What came of a command.
#[derive(Debug)]
pub struct Ended {
    /// How it ended; `None` if it took too long.
    pub status: Option<ExitStatus>,
    /// What it wrote, on both streams.
    pub text: String,
}

impl Ended {
    /// Whether it ended by itself, and well.
    pub fn is_success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// The last lines that it wrote that are not empty.
    pub fn last_words(&self) -> String {
        let lines: Vec<&str> = self
            .text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines[lines.len().saturating_sub(3)..].join(" / ")
    }
}

/// Runs a command, with what it starts, no longer than `limit`. What it writes goes into `log`.
pub fn run(mut command: Command, log: &Path, limit: Duration) -> Result<Ended> {
    let file = File::create(log).with_context(|| format!("writing {}", log.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command
        .spawn()
        .with_context(|| format!("starting {:?}", command.get_program()))?;
    let deadline = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Instant::now() >= deadline {
            end(&mut child)?;
            break None;
        }
        thread::sleep(LOOK);
    };
    let bytes = fs::read(log).with_context(|| format!("reading {}", log.display()))?;
    Ok(Ended {
        status,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    })
}

/// Ends it, and what it has started: the programs that cargo runs are those that hang.
fn end(child: &mut std::process::Child) -> Result<()> {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // A group that has ended meanwhile is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    // The same.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Ended {
        let name = format!("bounded-{}-{}", std::process::id(), script.len());
        let log = std::env::temp_dir().join(name);
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let ended = run(command, &log, limit).unwrap();
        fs::remove_file(log).unwrap();
        ended
    }

    #[test]
    fn both_streams_are_kept() {
        let ended = shell("echo a; echo b >&2; exit 3", Duration::from_secs(60));
        assert_eq!(ended.status.and_then(|status| status.code()), Some(3));
        assert_eq!(ended.last_words(), "a / b");
    }

    /// The shell waits for a process of its own, which writes to the log for as long as it lives.
    #[test]
    fn what_takes_too_long_is_ended_with_what_it_has_started() {
        let ended = shell("sleep 1000; echo never", Duration::from_millis(100));
        assert!(ended.status.is_none() && !ended.is_success());
        assert_eq!(ended.text, "");
    }
}
