//! A command that is ended when it takes too long.
//!
//! It has a process group of its own, so that what it has started ends with it: the programs that
//! cargo runs are those that hang. A terminal sends Ctrl-C to its foreground group only, so
//! [`groups`] ends these groups when this process is interrupted.

use std::io::{self, BufRead, BufReader, PipeReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// How often it is looked whether a command has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long the last lines of a command are waited for that was ended. A process that has left the
/// group holds the other end of the pipe for longer.
const LAST_LINES: Duration = Duration::from_secs(5);

/// What [`read`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    /// Standard output. Standard error is that of this process.
    Output,
    /// Standard output and standard error, as they come.
    Both,
}

/// Runs a command, with what it starts, no longer than `limit`. How it ended; `None` if it took too
/// long.
pub fn run(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    Bounded::start(command)?.wait_until(deadline)
}

/// The same, and hands each line that it writes to `each`. The last one may have no end.
pub fn read(
    mut command: Command,
    streams: Streams,
    limit: Duration,
    mut each: impl FnMut(&str),
) -> Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    let (reader, writer) = io::pipe()?;
    if streams == Streams::Both {
        command.stderr(writer.try_clone()?);
    }
    command.stdin(Stdio::null()).stdout(writer);
    let mut bounded = Bounded::start(&mut command)?;
    // The writers of this process: the end of the lines is the end of all others.
    drop(command);
    let lines = lines(reader);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        // Not asked for more lines then: there may be some for ever.
        if left.is_zero() {
            break;
        }
        match lines.recv_timeout(left) {
            Ok(line) => each(&line?),
            Err(RecvTimeoutError::Disconnected) => return bounded.wait_until(deadline),
            Err(RecvTimeoutError::Timeout) => break,
        }
    }
    bounded.end()?;
    while let Ok(line) = lines.recv_timeout(LAST_LINES) {
        each(&line?);
    }
    Ok(None)
}

/// The lines that come out of the pipe, read by a thread of their own.
fn lines(reader: PipeReader) -> Receiver<io::Result<String>> {
    // A command that writes faster than its lines are looked at waits.
    let (send, lines) = mpsc::sync_channel(1000);
    thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n') {
            let line = line.map(|line| String::from_utf8_lossy(&line).into_owned());
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// A command that runs in a group of its own.
struct Bounded {
    child: Child,
    _group: groups::Entry,
}

impl Bounded {
    fn start(command: &mut Command) -> Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let start = || command.spawn();
        let (child, group) = groups::enter(start)
            .with_context(|| format!("starting {:?}", command.get_program()))?;
        Ok(Bounded {
            child,
            _group: group,
        })
    }

    /// Waits for its end, until the deadline at most, and ends it then.
    fn wait_until(&mut self, deadline: Instant) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                self.end()?;
                return Ok(None);
            }
            thread::sleep(LOOK);
        }
    }

    /// Ends it, and what it has started.
    fn end(&mut self) -> Result<()> {
        groups::kill(self.child.id());
        // The same.
        let _ = self.child.kill();
        self.child.wait()?;
        Ok(())
    }
}

/// The groups of the commands that run, and the thread that ends them when this process is
/// interrupted.
#[cfg(unix)]
mod groups {
    use std::collections::HashSet;
    use std::io;
    use std::process::Child;
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, kill_process_group};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    static RUNNING: Mutex<Option<HashSet<u32>>> = Mutex::new(None);

    fn running() -> MutexGuard<'static, Option<HashSet<u32>>> {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A group of which the command has not been waited for.
    pub struct Entry(u32);

    impl Drop for Entry {
        fn drop(&mut self) {
            if let Some(groups) = &mut *running() {
                groups.remove(&self.0);
            }
        }
    }

    /// Starts a command. The lock is held meanwhile: no group begins while they are ended.
    pub fn enter(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Entry)> {
        static WATCHED: Once = Once::new();
        let mut watch = Ok(());
        WATCHED.call_once(|| watch = end_when_interrupted());
        watch?;
        let mut running = running();
        let child = start()?;
        running.get_or_insert_default().insert(child.id());
        let entry = Entry(child.id());
        Ok((child, entry))
    }

    /// Kills a group. One that has ended meanwhile is what is wanted.
    pub fn kill(group: u32) {
        if let Some(group) = i32::try_from(group).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    /// The signals that are ignored, bit by bit, as the system tells of a process. None where it
    /// does not tell.
    fn ignored(status: &str) -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    }

    /// Ends the groups at the first of these signals, and then this process.
    fn end_when_interrupted() -> io::Result<()> {
        // What this process was started to ignore stays so: under `nohup`, or behind a shell.
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = ignored(&status);
        let heard = [SIGHUP, SIGINT, SIGTERM].into_iter();
        let heard = heard.filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(heard)?;
        thread::spawn(move || {
            for signal in signals.forever() {
                let running = running();
                running.iter().flatten().copied().for_each(kill);
                // With the lock: nothing is started any more.
                let _ = emulate_default_handler(signal);
            }
        });
        Ok(())
    }
}

/// No groups on this system: only the command itself is ended.
#[cfg(not(unix))]
mod groups {
    use std::io;
    use std::process::Child;

    pub struct Entry;

    pub fn enter(start: impl FnOnce() -> io::Result<Child>) -> io::Result<(Child, Entry)> {
        Ok((start()?, Entry))
    }

    pub fn kill(_: u32) {}
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    /// Far more than a shell needs.
    const LONG: Duration = Duration::from_secs(600);

    /// Waits for what never comes, in a process of its own: the shell waits for that.
    const FOR_EVER: &str = "tail -f /dev/null; echo never";

    /// Set in the process that is interrupted.
    const INTERRUPTED: &str = "XTASK_TEST_INTERRUPTED";

    /// Runs a script, and then reads all that it and what it has started have written: that ends
    /// when all of them have.
    fn shell(script: &str, limit: Duration) -> (Option<ExitStatus>, String) {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command.stdout(writer);
        let ended = run(&mut command, limit).unwrap();
        drop(command);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        (ended, text)
    }

    fn read_shell(script: &str, limit: Duration) -> (Option<ExitStatus>, Vec<String>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut lines = Vec::new();
        let ended = read(command, Streams::Both, limit, |line| {
            lines.push(line.to_owned());
        });
        (ended.unwrap(), lines)
    }

    #[test]
    fn a_command_ends_by_itself() {
        let (ended, text) = shell("echo a; exit 3", LONG);
        assert_eq!(ended.and_then(|status| status.code()), Some(3));
        assert_eq!(text, "a\n");
    }

    /// The shell waits for a process of its own.
    #[test]
    fn what_takes_too_long_is_ended_with_what_it_has_started() {
        let (ended, text) = shell(FOR_EVER, Duration::from_millis(100));
        assert_eq!((ended, text.as_str()), (None, ""));
    }

    #[test]
    fn lines_of_both_streams_are_read() {
        let (ended, lines) = read_shell("echo a; echo b >&2; printf c; exit 3", LONG);
        assert_eq!(ended.and_then(|status| status.code()), Some(3));
        assert_eq!(lines, ["a", "b", "c"]);
    }

    /// A tiny limit may be over before the shell has begun: then it is given a longer one.
    #[test]
    fn what_it_wrote_before_it_took_too_long_is_read() {
        let script = format!("printf 'a\\nb'; {FOR_EVER}");
        let limits = (0..).map(|round| Duration::from_millis(50 << round));
        let mut seen = limits.map(|limit| {
            let (ended, lines) = read_shell(&script, limit);
            assert_eq!(ended, None);
            lines
        });
        assert!(seen.any(|lines| lines == ["a", "b"]));
    }

    /// The process that closes its output goes on, and the limit is the same.
    #[test]
    fn a_command_that_closes_its_output_is_ended_too() {
        let script = format!("exec >/dev/null 2>&1; {FOR_EVER}");
        let (ended, _) = read_shell(&script, Duration::from_millis(100));
        assert_eq!(ended, None);
    }

    #[test]
    fn a_command_that_never_stops_writing_is_ended() {
        let (ended, lines) = read_shell("yes", Duration::from_millis(300));
        assert_eq!(ended, None);
        assert!(lines.iter().all(|line| line == "y"));
    }

    /// Runs in the process that is interrupted, and only there.
    #[test]
    fn runs_for_ever_where_it_is_asked_to() {
        if std::env::var_os(INTERRUPTED).is_some() {
            shell_on_standard_error();
        }
    }

    fn shell_on_standard_error() {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("echo begun >&2; {FOR_EVER}")]);
        let _ = run(&mut command, LONG);
    }

    #[test]
    fn an_interrupted_process_leaves_no_command_behind() {
        let (reader, writer) = io::pipe().unwrap();
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "bounded::tests::runs_for_ever_where_it_is_asked_to",
            ])
            .env(INTERRUPTED, "yes")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(writer);
        let mut child = command.spawn().unwrap();
        drop(command);
        let mut lines = BufReader::new(reader).lines();
        assert_eq!(lines.next().unwrap().unwrap(), "begun");
        let id = i32::try_from(child.id()).unwrap();
        let id = Pid::from_raw(id).unwrap();
        // It was started to ignore this one.
        kill_process(id, Signal::HUP).unwrap();
        kill_process(id, Signal::TERM).unwrap();
        let status = child.wait().unwrap();
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        assert_eq!(signal, Some(Signal::TERM.as_raw()));
        // The shell and `tail` have the pipe as long as they live.
        assert!(lines.next().is_none());
    }
}
