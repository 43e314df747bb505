//! The process in which one run happens: it starts one program, and nothing else.
//!
//! The kernel adds up what the children of a process used, and keeps the highest memory of all of
//! them. In a process that starts one program only, these are the figures of that program.
//!
//! ```text
//! lab ══ socket ══► supervisor ──► program ──► its descendants
//!                    │ sampler, a thread: looks at the descendants
//!                    └ watcher, a thread: waits for the end of the socket
//! ```
//! * The lab writes a [`RunRequest`] into the socket, the supervisor answers with an [`Answer`] and
//!   ends.
//! * If the lab closes the socket first, or is gone, the watcher ends the program with all of its
//!   descendants. So nothing outlives a lab that is interrupted or killed.
//! * The supervisor leads a session of its own. A program without a terminal cannot wait for its
//!   keys, and the keys of the terminal reach the lab only.
//! * Descendants whose parents have ended are given to the supervisor, not to the first process of
//!   the system, so the sampler sees them, and what they used is counted.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use serde::{Deserialize, Serialize};

use super::descendants;
use super::program_run::ProgramRun;
use super::sampler::{Sampler, Seen};
use crate::counters::Counters;
use crate::energy::EnergyMeter;
use crate::process;
use crate::usage::Usage;

/// The hidden subcommand of a supervisor.
pub const SUPERVISOR: &str = "__supervise";

/// What a supervisor is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRequest {
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// What the program reads; nothing if there is no file.
    pub input: Option<OsString>,
    /// What is seen of what it writes.
    pub streams: Streams,
}

/// What is seen of what a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Streams {
    /// Everything.
    Shown,
    /// What it writes to standard error.
    Errors,
    /// Nothing.
    Hidden,
}

/// What a supervisor answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The program has run.
    Run(Box<ProgramRun>),
    /// It could not be started, and why.
    NotStarted(String),
}

/// A supervisor: reads a request from standard input, which is a socket, and answers there.
///
/// # Errors
/// Standard input is no socket with a request.
pub fn obey() -> Result<()> {
    // Refused if it leads a group already, as when it is started by hand.
    let _ = nix::unistd::setsid();
    let socket = io::stdin().as_fd().try_clone_to_owned();
    let mut socket = UnixStream::from(socket.context("there is no standard input")?);
    let mut reader = BufReader::new(socket.try_clone().context("the socket cannot be shared")?);
    let mut request = String::new();
    reader.read_line(&mut request)?;
    ensure!(!request.is_empty(), "there is no request");
    let request: RunRequest =
        serde_json::from_str(&request).context("the request cannot be read")?;
    descendants::adopt();
    // All threads are made before the counters are opened, which then count none of them.
    let ending = Arc::new(Mutex::new(()));
    watch(reader, Arc::clone(&ending))?;
    let sampler = Sampler::new().context("the thread that looks cannot be started")?;

    let answer = run(&request, sampler);
    // Once the watcher ends everything, it ends this process as well.
    let _hold = ending.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = serde_json::to_string(&answer).expect("an answer is plain data");
    socket.write_all(answer.as_bytes())?;
    // The watcher never ends by itself.
    std::process::exit(0)
}

/// Waits on a thread of its own for the end of the socket, and then ends everything.
fn watch(mut socket: BufReader<UnixStream>, ending: Arc<Mutex<()>>) -> Result<()> {
    let watcher = move || {
        // The lab writes no more. An error is an end, too.
        let _ = socket.read(&mut [0]);
        let _hold = ending.lock().unwrap_or_else(PoisonError::into_inner);
        descendants::end();
        std::process::exit(1)
    };
    std::thread::Builder::new()
        .name("watcher".to_owned())
        .spawn(watcher)
        .context("the thread that waits for the lab cannot be started")?;
    Ok(())
}

fn run(request: &RunRequest, sampler: Sampler) -> Answer {
    let mut command = match command(request) {
        Ok(command) => command,
        Err(why) => return Answer::NotStarted(why),
    };
    let mut counters = Counters::open_for_programs();
    let energy = EnergyMeter::start();
    let start = Instant::now();
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Answer::NotStarted(not_started(&request.words[0], &error)),
    };
    // The program began with the mark that this process has now; the sampler may still raise it.
    let own_mark = process::rss_peak_bytes();
    sampler.start(child.id(), energy);
    let status = child.wait();
    let wall = start.elapsed();
    let (seen, energy_joules) = sampler.stop();
    let status = match status {
        Ok(status) => status,
        Err(error) => return Answer::NotStarted(format!("it cannot be waited for: {error}")),
    };
    let left = descendants::left();
    Answer::Run(Box::new(ProgramRun {
        wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        usage: usage_of_children(),
        rss_peak_bytes: peak(process::children_rss_peak_bytes(), own_mark, &seen),
        seen,
        counts: counters.read(),
        energy_joules,
        code: status.code(),
        signal: status.signal(),
        left,
        is_mostly_shell: false,
        clocks: None,
    }))
}

/// The totals of all children that have ended and that were waited for, with such children of
/// theirs.
fn usage_of_children() -> Usage {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    let counted = usage.map_or_else(|_| Usage::default(), |usage| Usage::from(&usage));
    let cpu_ns = counted.user_ns.zip(counted.system_ns).map(|(a, b)| a + b);
    Usage { cpu_ns, ..counted }
}

/// The highest resident memory of one process of the program, by the kernel's mark of children.
/// That is never below the mark of this process at the start, which each of them was before its
/// program began; a smaller program is known from the marks that the sampler saw, unless it ended
/// at once. The kernel adds up what each processor has counted, and may be some hundred KiB off: a
/// mark that is hardly higher than that of this process is not the program's.
fn peak(mark: Option<u64>, own_mark: Option<u64>, seen: &Seen) -> Option<u64> {
    let mark = mark?;
    match own_mark {
        Some(own) if mark <= own + own / 8 => seen.mark_bytes.filter(|_| seen.looks > 1),
        _ => Some(mark),
    }
}

fn command(request: &RunRequest) -> Result<Command, String> {
    let [program, arguments @ ..] = &request.words[..] else {
        return Err("the command is empty".to_owned());
    };
    let mut command = Command::new(program);
    command.args(arguments);
    match &request.input {
        None => command.stdin(Stdio::null()),
        Some(path) => {
            let file = File::open(path);
            let why = |error| format!("--input {}: cannot be read: {error}", path.display());
            command.stdin(file.map_err(why)?)
        }
    };
    if request.streams != Streams::Shown {
        command.stdout(Stdio::null());
    }
    if request.streams == Streams::Hidden {
        command.stderr(Stdio::null());
    }
    Ok(command)
}

fn not_started(program: &OsStr, error: &io::Error) -> String {
    let advice = match error.kind() {
        ErrorKind::NotFound => {
            "; check its name and PATH, and take --shell for what only a shell understands"
        }
        ErrorKind::PermissionDenied => "; a file that is started must be executable",
        _ => "",
    };
    format!("`{}` cannot be started: {error}{advice}", program.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_utf8() -> OsString {
        std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff])
    }

    #[test]
    fn what_cannot_be_started_is_named_with_advice() {
        let missing = not_started("no-such".as_ref(), &io::Error::from(ErrorKind::NotFound));
        assert!(
            missing.contains("`no-such`") && missing.contains("--shell"),
            "{missing}"
        );
        let forbidden = not_started(
            "notes".as_ref(),
            &io::Error::from(ErrorKind::PermissionDenied),
        );
        assert!(forbidden.contains("executable"), "{forbidden}");
    }

    #[test]
    fn a_request_survives_being_written_and_read() {
        let request = RunRequest {
            words: vec!["printf".into(), "a\nb \"c\"".into(), not_utf8()],
            input: Some(not_utf8()),
            streams: Streams::Errors,
        };
        let text = serde_json::to_string(&request).unwrap();
        assert!(!text.contains('\n'), "it is one line: {text}");
        assert_eq!(serde_json::from_str::<RunRequest>(&text).unwrap(), request);
    }

    #[test]
    fn the_mark_of_the_starter_is_not_that_of_the_program() {
        let seen = |looks| Seen {
            mark_bytes: Some(1 << 20),
            looks,
            ..Seen::default()
        };
        assert_eq!(
            peak(Some(10 << 20), Some(8 << 20), &seen(2)),
            Some(10 << 20)
        );
        assert_eq!(peak(Some(9 << 20), Some(8 << 20), &seen(2)), Some(1 << 20));
        assert_eq!(peak(Some(8 << 20), Some(8 << 20), &seen(2)), Some(1 << 20));
        assert_eq!(peak(Some(8 << 20), Some(8 << 20), &seen(1)), None);
        assert_eq!(peak(Some(8 << 20), None, &seen(1)), Some(8 << 20));
        assert_eq!(peak(None, None, &seen(2)), None);
    }

    #[test]
    fn an_input_that_is_missing_is_named() {
        let request = RunRequest {
            words: vec!["cat".into()],
            input: Some("no/such/file".into()),
            streams: Streams::Hidden,
        };
        let why = command(&request).unwrap_err();
        assert!(why.contains("--input no/such/file"), "{why}");
    }
}
