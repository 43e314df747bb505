//! Starts one measuring process, looks at it from outside while it works, and ends it if it takes
//! too long.
//!
//! Looking means one small file of `/proc` every 5 ms. It happens here and not in the measuring
//! process, where a further thread would be one more to schedule and to count.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::measurement::Measurement;
use crate::outcome::{End, Outcome};
use crate::process::{self, Watched};
use crate::process_request::{CHILD, ProcessRequest, Terms};
use crate::weather::{Clocks, Weather};
use crate::{interrupt, process_group};

/// How often a measuring process is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// How long the output of a process may stay open when it has ended.
const HELD_MAX: Duration = Duration::from_secs(2);

/// How long a process must have used no processor time to be called dead.
const STILL: Duration = Duration::from_millis(200);

/// The stack of every thread that a runtime makes, in bytes, and of the main thread where the
/// system permits: some workloads nest 100,000 joins. It is address space, not memory.
const STACK: u64 = 256 << 20;

/// A way to start measuring processes.
#[derive(Debug)]
pub struct Launcher {
    /// The program: this one, except in tests.
    pub program: PathBuf,
}

impl Launcher {
    /// Starts this very program again and again, until a signal asks for an end: from now on,
    /// signals end what is measured, and not this process.
    pub fn new() -> Result<Self> {
        interrupt::listen()?;
        raise_stack_limit();
        let program = std::env::current_exe().context("cannot find this program's own file")?;
        Ok(Self { program })
    }

    /// Runs one measuring process to its end, or to that of the run; then [`Outcome::end`] is
    /// [`End::Interrupted`].
    pub fn run(&self, request: &ProcessRequest, terms: &Terms) -> Outcome {
        let date = crate::date::now();
        let load = process::load();
        let mut peaks = Peaks::default();
        let mut end = End::Itself;
        let start = Instant::now();
        let before = Clocks::now();
        let found = self
            .start(request, terms)
            .map_err(|error| format!("{error:#}"))
            .and_then(|mut child| {
                let output = Output::of(&mut child);
                let status = watch(&mut child, &output, terms, &mut peaks).map_err(|stopped| {
                    end = stopped.end;
                    stopped.why
                });
                output.judge(status)
            });
        Outcome {
            found,
            end,
            date,
            seconds: start.elapsed().as_secs_f64(),
            threads_peak: peaks.threads,
            memory_free_min_bytes: peaks.memory_free_min,
            weather: Weather::between(before, Clocks::now()),
            load,
        }
    }

    fn start(&self, request: &ProcessRequest, terms: &Terms) -> Result<Child> {
        let request = serde_json::to_string(request).expect("a request is plain data");
        let mut command = Command::new(&self.program);
        if terms.deep_stack {
            command.env("RUST_MIN_STACK", STACK.to_string());
        }
        command
            .arg(CHILD)
            .arg(request)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        process_group::lead(&mut command);
        command
            .spawn()
            .context("the measuring process cannot be started")
    }
}

/// Why a process was not let go on.
struct Stopped {
    end: End,
    why: String,
}

/// Waits for the end of the process and of all that it writes; `Err` says why the process, and what
/// it had started, had to be ended.
fn watch(
    child: &mut Child,
    output: &Output,
    terms: &Terms,
    peaks: &mut Peaks,
) -> Result<ExitStatus, Stopped> {
    let watched = Watched::new(child.id());
    let start = Instant::now();
    let mut ended: Option<Instant> = None;
    for look in 0u64.. {
        // While something that it started still writes, the process is not waited for: its number
        // then remains that of its group.
        if !output.is_complete() {
            let has_ended = || watched.as_ref().and_then(Watched::has_ended) == Some(true);
            if ended.is_none() && look.is_multiple_of(20) && has_ended() {
                ended = Some(Instant::now());
            }
            if ended.is_some_and(|ended| ended.elapsed() > HELD_MAX) {
                // What it found stands; what it left would disturb the next one.
                process_group::end_members(child);
            }
        } else {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) => {
                    return Err(Stopped {
                        end: End::Itself,
                        why: format!("the process cannot be waited for: {error}"),
                    });
                }
            }
        }
        let stopped = if interrupt::pending().is_some() {
            Some(Stopped::interrupted())
        } else if start.elapsed() > terms.limit {
            Some(if ended.is_some() {
                Stopped::held(terms.limit)
            } else {
                let deadlock = terms.can_deadlock && stands_still(watched.as_ref());
                Stopped::late(terms.limit, deadlock)
            })
        } else {
            None
        };
        if let Some(stopped) = stopped {
            // How it ends now says nothing.
            let _ = process_group::end(child);
            return Err(stopped);
        }
        peaks.look(watched.as_ref(), look.is_multiple_of(20));
        thread::sleep(LOOK);
    }
    unreachable!("the loop has no end")
}

/// Whether a process uses no processor time, and wants none. A thread that looks around now and
/// then is forgiven; where the system tells nothing, the limit alone decides.
fn stands_still(watched: Option<&Watched>) -> bool {
    let ticks = || watched.and_then(Watched::ticks);
    // On a busy machine a thread may wait for a processor all that time.
    let wants = || watched.and_then(Watched::is_runnable).unwrap_or(false);
    let (before, wanted) = (ticks(), wants());
    thread::sleep(STILL);
    if wanted && wants() {
        return false;
    }
    match (before, ticks()) {
        (Some(before), Some(after)) => after - before <= 1,
        _ => true,
    }
}

impl Stopped {
    fn interrupted() -> Self {
        Self {
            end: End::Interrupted,
            why: "ended: the run was interrupted".to_owned(),
        }
    }

    fn held(limit: Duration) -> Self {
        let seconds = limit.as_secs_f64();
        Self {
            end: End::Late,
            why: format!(
                "ended: after {seconds} s a process that it started still held its output"
            ),
        }
    }

    fn late(limit: Duration, deadlock: bool) -> Self {
        let seconds = limit.as_secs_f64();
        if deadlock {
            Self {
                end: End::Deadlock,
                why: format!("deadlock: not finished after {seconds} s"),
            }
        } else {
            Self {
                end: End::Late,
                why: format!("ended: it took longer than {seconds} s (see --timeout)"),
            }
        }
    }
}

/// What was reached at most, or at least, while a process ran.
#[derive(Default)]
struct Peaks {
    threads: Option<u64>,
    memory_free_min: Option<u64>,
}

impl Peaks {
    fn look(&mut self, watched: Option<&Watched>, at_machine: bool) {
        if let Some(size) = watched.and_then(Watched::size) {
            self.threads = self.threads.max(Some(size.threads));
        }
        if at_machine && let Some((_, Some(free))) = process::memory() {
            let least = self.memory_free_min.unwrap_or(free);
            self.memory_free_min = Some(least.min(free));
        }
    }
}

/// What a process writes, collected by two threads that only wait.
struct Output {
    standard: JoinHandle<String>,
    error: JoinHandle<String>,
}

impl Output {
    fn of(child: &mut Child) -> Self {
        Self {
            standard: collect(child.stdout.take()),
            error: collect(child.stderr.take()),
        }
    }

    /// Whether the process, and whatever else could write, has closed both streams.
    fn is_complete(&self) -> bool {
        self.standard.is_finished() && self.error.is_finished()
    }

    fn judge(self, status: Result<ExitStatus, String>) -> Result<Measurement, String> {
        let status = status?;
        let standard = self.standard.join().unwrap_or_default();
        let error = self.error.join().unwrap_or_default();
        if !status.success() {
            let words: Vec<&str> = error
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            let last = words[words.len().saturating_sub(3)..].join(" / ");
            return Err(format!("the measuring process failed ({status}): {last}"));
        }
        let line = standard.lines().last().unwrap_or_default();
        serde_json::from_str(line)
            .map_err(|error| format!("the measuring process answered nonsense: {error}"))
    }
}

/// Reads a stream to its end, on a thread that only waits.
pub fn collect(stream: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // A broken pipe ends the text; what was read so far counts.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Lets measuring processes have a deep main stack, which they inherit.
#[cfg(unix)]
fn raise_stack_limit() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_STACK)
        && soft < STACK
    {
        // Where this is refused, deep workloads crash, and their rows say so.
        let _ = setrlimit(Resource::RLIMIT_STACK, STACK.min(hard), hard);
    }
}

/// Nothing to raise on this system.
#[cfg(not(unix))]
fn raise_stack_limit() {}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::effort::Effort;

    fn run(program: &str, limit: Duration, can_deadlock: bool) -> Outcome {
        let request = ProcessRequest {
            workload: "fib".to_owned(),
            runtime: "seq".to_owned(),
            jobs: 1,
            size: 1,
            effort: Effort {
                warm_up_ms: 0,
                window_ms: 0,
                samples_min: 1,
                samples_max: 1,
                sample_ns: 0,
            },
            gated: false,
            slowdown_percent: None,
            program: None,
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program");
        // Written by a process of its own: while this one had the file open, a process that another
        // test starts would have it open as well, and it could not be started.
        let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", write, "sh"]).arg(&path).arg(program);
        assert!(shell.status().unwrap().success());
        let launcher = Launcher { program: path };
        let terms = Terms {
            limit,
            can_deadlock,
            deep_stack: true,
        };
        launcher.run(&request, &terms)
    }

    #[test]
    fn a_crash_is_reported_with_its_last_words() {
        let error = run(
            "echo first >&2; echo oh no >&2; kill -SEGV $$",
            Duration::from_secs(20),
            true,
        );
        let error = error.found.unwrap_err();
        assert!(
            error.contains("signal: 11") && error.contains("oh no"),
            "{error}"
        );
    }

    /// It writes nothing, but could.
    #[test]
    #[cfg(target_os = "linux")]
    fn what_a_process_leaves_behind_is_ended() {
        let outcome = run("sleep 600 & echo '{}'", Duration::from_secs(300), true);
        assert_eq!(outcome.end, End::Itself);
        assert!(outcome.found.is_ok(), "{:?}", outcome.found);
    }

    #[test]
    fn a_process_that_hangs_is_ended() {
        let outcome = run("exec sleep 60", Duration::from_millis(50), false);
        assert_eq!(outcome.end, End::Late);
        let error = outcome.found.unwrap_err();
        assert!(error.contains("longer than"), "{error}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn only_who_stands_still_has_a_deadlock() {
        // One that has not begun to sleep does not stand still.
        let outcome = [0.5, 4.0, 32.0]
            .map(|seconds| (seconds, Duration::from_secs_f64(seconds)))
            .into_iter()
            .map(|(seconds, limit)| (seconds, run("exec sleep 60", limit, true)))
            .find(|(_, outcome)| outcome.end == End::Deadlock);
        let (seconds, outcome) = outcome.expect("a sleeping process stands still");
        let error = outcome.found.unwrap_err();
        assert_eq!(error, format!("deadlock: not finished after {seconds} s"));

        // One that has not begun may wait for the disk.
        let is_late = [0.5, 4.0, 32.0].into_iter().any(|seconds| {
            let limit = Duration::from_secs_f64(seconds);
            run("while :; do :; done", limit, true).end == End::Late
        });
        assert!(is_late, "a busy process does not stand still");
    }

    #[test]
    fn nonsense_is_reported() {
        let outcome = run("echo hello", Duration::from_secs(20), true);
        assert_eq!(outcome.end, End::Itself);
        let error = outcome.found.unwrap_err();
        assert!(error.contains("nonsense"), "{error}");
    }
}
