//! Runs programs, each under a supervisor of its own, until a signal asks for an end.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::descendants;
use super::program_run::ProgramRun;
use super::supervisor::{Answer, RunRequest, SUPERVISOR};
use crate::interrupt;
use crate::weather::Clocks;

/// How often it looks whether a signal has come. The end of a run is known at once.
const LOOK: Duration = Duration::from_millis(20);

/// A way to run programs.
#[derive(Debug)]
pub struct Runner {
    program: PathBuf,
}

impl Runner {
    /// Starts this very program again and again as a supervisor. From now on, signals end what is
    /// measured, and not this process; and processes that outlive a run become children of this
    /// one, so what they use later is not taken for that of other programs.
    ///
    /// # Errors
    /// Signals cannot be caught, or the program's own file is gone.
    pub fn new() -> Result<Self> {
        interrupt::listen()?;
        descendants::adopt();
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        Ok(Self { program })
    }

    /// Runs a program to its end; `None` if a signal asked for an end, and the program was ended
    /// with all that it had started.
    ///
    /// # Errors
    /// The program cannot be started, or the supervisor fails.
    pub fn run(&self, request: &RunRequest) -> Result<Option<ProgramRun>> {
        if interrupt::pending().is_some() {
            return Ok(None);
        }
        let before = clocks();
        let (mut ours, theirs) = UnixStream::pair().context("a socket cannot be made")?;
        let mut command = Command::new(&self.program);
        command
            .arg(SUPERVISOR)
            .stdin(Stdio::from(OwnedFd::from(theirs)));
        let supervisor = command.spawn();
        // It holds the other end of the socket.
        drop(command);
        let mut supervisor = supervisor.context("the supervising process cannot be started")?;
        let mut text = serde_json::to_string(request).expect("a request is plain data");
        text.push('\n');
        let written = ours.write_all(text.as_bytes());
        // If it has failed, the supervisor has ended, and says so below.
        let answer = written.and_then(|()| answer(&ours));
        if answer.is_err() {
            // It ends everything when the other end is closed.
            let _ = ours.shutdown(Shutdown::Both);
        }
        let end = supervisor.wait();
        if !matches!(&answer, Ok(Some(text)) if !text.is_empty()) && has_been_interrupted() {
            // A terminal's signal reaches a supervisor that has only just begun, too.
            return Ok(None);
        }
        let answer = answer.context("the supervising process cannot be talked with")?;
        let Some(answer) = answer else {
            return Ok(None);
        };
        if answer.is_empty() {
            let end = end.context("the supervising process cannot be waited for")?;
            bail!("the supervising process has ended ({end}) without an answer");
        }
        match serde_json::from_str(&answer).context("the supervising process answers nonsense")? {
            Answer::NotStarted(why) => bail!(why),
            Answer::Run(mut run) => {
                let passed = before.zip(clocks());
                run.clocks = passed.map(|(before, after)| after.since(&before));
                Ok(Some(*run))
            }
        }
    }
}

/// The machine's clocks between two runs, when there is no child but what has outlived one.
fn clocks() -> Option<Clocks> {
    descendants::reap();
    // What ends after this is counted with those that were not waited for.
    let clocks = Clocks::now()?;
    Some(clocks.with_own(descendants::ticks()))
}

/// Whether a signal has come, or comes within a moment.
fn has_been_interrupted() -> bool {
    (0..5).any(|_| {
        let has_come = interrupt::pending().is_some();
        if !has_come {
            thread::sleep(LOOK);
        }
        has_come
    })
}

/// What the supervisor answers; `None` if a signal has come, and the supervisor has been told.
fn answer(socket: &UnixStream) -> std::io::Result<Option<String>> {
    let mut reader = socket.try_clone()?;
    let (send, receive) = mpsc::channel();
    let collector = thread::Builder::new().spawn(move || {
        let mut text = String::new();
        let read = reader.read_to_string(&mut text).map(|_| text);
        // There is no receiver any more after a signal.
        let _ = send.send(read);
    })?;
    let answer = loop {
        match receive.recv_timeout(LOOK) {
            Ok(read) => break read.map(Some),
            Err(RecvTimeoutError::Timeout) if interrupt::pending().is_none() => {}
            Err(_) => {
                // The supervisor sees the end of the socket, and the collector does, too.
                socket.shutdown(Shutdown::Both)?;
                break Ok(None);
            }
        }
    };
    let _ = collector.join();
    answer
}
