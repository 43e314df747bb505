//! Several measuring processes at once: each makes itself ready, says so, and waits until it is let
//! go on.
//!
//! ```text
//! start ──► (starts its runtime) ── "ready" ──► open ──► (its sample) ── what it found ──► end
//! ```
//! The words go over the standard streams of the process. If the process that started it is gone,
//! the wait ends with an error, and so does this process. After the wait it ends as
//! [`crate::process_group`] says.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::gate::READY;
use crate::measurement::Measurement;
use crate::process_group;
use crate::process_request::{CHILD, ProcessRequest};

/// A process that waits, or runs.
#[derive(Debug)]
pub struct Gated {
    child: Child,
    lock: ChildStdin,
    words: BufReader<ChildStdout>,
}

impl Gated {
    /// Starts a process, and returns when it is ready.
    pub fn start(order: &ProcessRequest) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        let order = serde_json::to_string(order).expect("an order is plain data");
        let mut command = Command::new(program);
        command
            .arg(CHILD)
            .arg(order)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        process_group::follow(&mut command);
        let mut child = command
            .spawn()
            .context("a further measuring process cannot be started")?;
        let lock = child.stdin.take().expect("it is piped");
        let mut words = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        words.read_line(&mut line)?;
        if line.trim() != READY {
            bail!("a further measuring process did not get ready: it said `{line}`");
        }
        Ok(Self { child, lock, words })
    }

    /// Lets it go on.
    pub fn open(&mut self) -> Result<()> {
        self.lock
            .write_all(b"go\n")
            .and_then(|()| self.lock.flush())
            .context("a further measuring process is gone")
    }

    /// Waits for its end, and returns what it found.
    pub fn end(mut self) -> Result<Measurement> {
        let mut text = String::new();
        self.words.read_to_string(&mut text)?;
        let status = self.child.wait()?;
        ensure!(
            status.success(),
            "a further measuring process failed ({status})"
        );
        let line = text.lines().last().unwrap_or_default();
        serde_json::from_str(line).context("a further measuring process answered nonsense")
    }
}
