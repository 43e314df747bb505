//! Runs that are ended before their time. What is measured would take hours, or is stopped with a
//! signal first, so it never ends by itself, and nothing has to be hit at the right moment.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use procfs::process::{Process, all_processes};
use serde_json::Value;

use crate::processes::{Lab, Started, is_gone, state, wait_for};
use crate::scripts::write_script;
use crate::{command, lab, stderr, stdout};

const ROUNDS: usize = 12;

/// Measuring processes that start further processes.
const RUN: [&str; 13] = [
    "run",
    "triple-pool-processes",
    "--runtime",
    "drumline",
    "--jobs",
    "1",
    "--smoke",
    "--samples",
    "1",
    "--rounds",
    "12",
    "--timeout",
    "600",
];

fn send(signal: Signal, to: &Process) {
    // It may have ended just now.
    let _ = kill(Pid::from_raw(to.pid()), signal);
}

/// The measuring processes that a process has started.
fn children(of: u32) -> Vec<Process> {
    let measures = |process: &Process| {
        process
            .cmdline()
            .is_ok_and(|arguments| arguments.iter().any(|a| a == "__child"))
            && state(process).is_some()
    };
    let all = started_by(of).unwrap_or_else(|| found_by_parent(of));
    all.into_iter().filter(measures).collect()
}

/// The processes that a process has started, from the lists of its threads. `None` where the kernel
/// has no such lists.
///
/// A process may be there for some milliseconds only, and a look at all processes of a busy machine
/// takes longer.
fn started_by(parent: u32) -> Option<Vec<Process>> {
    let parent = Process::new(i32::try_from(parent).ok()?).ok()?;
    let main = parent.task_main_thread().ok()?;
    // Fails where there are no lists.
    main.children().ok()?;
    let mut started = Vec::new();
    for task in parent.tasks().ok()? {
        let Ok(children) = task.and_then(|task| task.children()) else {
            // The thread has ended.
            continue;
        };
        let ids = children.into_iter().filter_map(|id| i32::try_from(id).ok());
        started.extend(ids.filter_map(|id| Process::new(id).ok()));
    }
    Some(started)
}

/// The same, from the parents of all processes.
fn found_by_parent(parent: u32) -> Vec<Process> {
    let is_child = |process: &Process| {
        let stat = process.stat();
        stat.is_ok_and(|stat| u32::try_from(stat.ppid) == Ok(parent))
    };
    let all = all_processes().unwrap().filter_map(Result::ok);
    all.filter(is_child).collect()
}

/// Stops a process; whether it had not ended before.
fn stop(process: &Process) -> bool {
    send(Signal::SIGSTOP, process);
    wait_for("the process stops", || match state(process) {
        None => Some(false),
        Some('T') => Some(true),
        Some(_) => None,
    })
}

fn journal(out: &Path) -> String {
    fs::read_to_string(out.join("journal.jsonl")).unwrap_or_default()
}

fn processes_in(journal: &str) -> usize {
    let lines = journal.lines();
    lines.filter(|l| l.starts_with("{\"process\"")).count()
}

fn records(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("records.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A run with a measuring process, and one that this has started, that do not end by themselves.
struct Held {
    lab: Child,
    child: Process,
    grandchild: Process,
    out: PathBuf,
    _directory: tempfile::TempDir,
}

impl Held {
    /// A run with processes that are busy for hours.
    fn busy() -> Self {
        let arguments: Vec<&str> = RUN
            .into_iter()
            .filter(|argument| *argument != "--smoke")
            .chain(["--size", "1_000_000_000"])
            .collect();
        Self::start(&arguments, command, |lab, _| {
            let child = children(lab).pop()?;
            let grandchild = children(child.pid().unsigned_abs()).pop()?;
            Some((child, grandchild))
        })
    }

    /// Holds a run after this many finished processes: the next one is stopped.
    fn after(finished: usize) -> Self {
        Self::of(finished, command)
    }

    fn of(finished: usize, command: impl Fn(&[&str]) -> Command) -> Self {
        Self::start(&RUN, command, |lab, out| {
            if processes_in(&journal(out)) < finished {
                return None;
            }
            let child = children(lab).pop()?;
            if !stop(&child) {
                return None;
            }
            let held = children(child.pid().unsigned_abs()).into_iter().find(stop);
            if held.is_none() {
                send(Signal::SIGCONT, &child);
            }
            held.map(|grandchild| (child, grandchild))
        })
    }

    fn start(
        run: &[&str],
        command: impl Fn(&[&str]) -> Command,
        mut look: impl FnMut(u32, &Path) -> Option<(Process, Process)>,
    ) -> Self {
        // A run that has ended before it was looked at is begun anew.
        for _ in 0..20 {
            let directory = tempfile::tempdir().unwrap();
            let out = directory.path().join("out");
            let arguments = [run, &["--out", out.to_str().unwrap()]].concat();
            let mut lab = command(&arguments)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let held = wait_for("a process measures", || {
                let has_ended = lab.try_wait().unwrap().is_some();
                let held = look(lab.id(), &out);
                (has_ended || held.is_some()).then_some(held)
            });
            if let Some((child, grandchild)) = held {
                return Self {
                    lab,
                    child,
                    grandchild,
                    out,
                    _directory: directory,
                };
            }
        }
        panic!("each run ended before it was looked at");
    }

    fn signal(&self, signal: Signal) {
        let lab = i32::try_from(self.lab.id()).unwrap();
        kill(Pid::from_raw(lab), signal).unwrap();
    }

    fn let_go_on(&self) {
        send(Signal::SIGCONT, &self.grandchild);
        send(Signal::SIGCONT, &self.child);
    }

    /// Waits for the end of the lab, of what it measured, and of what that had started.
    fn end(&mut self) -> Output {
        // It writes less than a pipe holds.
        let status = wait_for("the lab ends", || self.lab.try_wait().unwrap());
        let read = |stream: Option<&mut dyn std::io::Read>| {
            let mut bytes = Vec::new();
            stream.unwrap().read_to_end(&mut bytes).unwrap();
            bytes
        };
        let output = Output {
            status,
            stdout: read(self.lab.stdout.as_mut().map(|s| s as _)),
            stderr: read(self.lab.stderr.as_mut().map(|s| s as _)),
        };
        is_gone(&self.child);
        is_gone(&self.grandchild);
        output
    }

    fn out(&self) -> &str {
        self.out.to_str().unwrap()
    }

    /// Resumes the run, which then is complete.
    fn resume(&self) -> Output {
        let before = journal(&self.out);
        let had = processes_in(&before);
        assert!(had < ROUNDS);
        let output = lab(&["--resume", self.out()]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(!stdout(&output).contains("PARTIAL"));
        let [record] = &records(&self.out)[..] else {
            panic!("{:?}", records(&self.out));
        };
        assert_eq!(record["ok"], true, "{record}");
        assert_eq!(record["partial"], false);
        assert_eq!(record["rounds"], ROUNDS);
        assert_eq!(record["by_round"].as_array().unwrap().len(), ROUNDS);
        assert!(!self.report().contains("PARTIAL"));
        let after = journal(&self.out);
        let whole = before.rfind('\n').map_or(0, |end| end + 1);
        assert!(after.starts_with(&before[..whole]));
        assert_eq!(processes_in(&after), ROUNDS);
        output
    }

    fn report(&self) -> String {
        fs::read_to_string(self.out.join("report.html")).unwrap()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // After a failure.
        for process in [&self.grandchild, &self.child] {
            if state(process).is_some() {
                send(Signal::SIGKILL, process);
            }
        }
        let _ = self.lab.kill();
        let _ = self.lab.wait();
    }
}

#[test]
fn a_signal_ends_a_run_that_can_be_resumed() {
    for (signal, code, finished) in [
        (Signal::SIGINT, 130, 1),
        (Signal::SIGTERM, 143, 2),
        (Signal::SIGHUP, 129, 1),
    ] {
        let mut held = Held::after(finished);
        held.signal(signal);
        let output = held.end();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        let text = stdout(&output);
        for part in ["PARTIAL", "drumline", "--resume", "report.html"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(held.report().contains("PARTIAL"));
        let had = processes_in(&journal(&held.out));
        assert!(had >= finished);
        let [record] = &records(&held.out)[..] else {
            panic!("{:?}", records(&held.out));
        };
        assert_eq!(record["partial"], true);
        assert_eq!(record["ok"], true);
        assert_eq!(record["rounds"], had);
        held.resume();
    }
}

/// The run may be resumed from another directory, where the name is that of another file.
#[test]
fn a_further_file_is_not_written_again_unasked() {
    let mut held = Held::of(1, |arguments| {
        let mut command = command(arguments);
        let out = Path::new(arguments[arguments.len() - 1]);
        command.arg("--json").arg(out.with_extension("json"));
        command
    });
    held.signal(Signal::SIGINT);
    held.end();
    let json = held.out.with_extension("json");
    let before = fs::read_to_string(&json).unwrap();
    assert!(before.contains("\"partial\":true"), "{before}");
    let output = held.resume();
    let text = stderr(&output);
    assert!(text.contains("is not written again"), "{text}");
    assert_eq!(fs::read_to_string(&json).unwrap(), before);
    let json = json.to_str().unwrap();
    let output = lab(&["--resume", held.out(), "--json", json, "--force"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let after = fs::read_to_string(json).unwrap();
    assert!(after.contains("\"partial\":false"), "{after}");
    let text = refused_out(held.out());
    assert!(text.contains("--resume"), "{text}");
}

/// What is said to a run that would overwrite another one.
fn refused_out(out: &str) -> String {
    let output = lab(&["run", "fib", "--smoke", "--out", out]);
    assert!(!output.status.success());
    stderr(&output)
}

#[test]
fn a_run_may_end_before_anything_was_measured() {
    let mut held = Held::after(0);
    let had = processes_in(&journal(&held.out));
    held.signal(Signal::SIGINT);
    let output = held.end();
    assert_eq!(output.status.code(), Some(130));
    assert!(stdout(&output).contains("PARTIAL"));
    assert!(held.report().contains("PARTIAL"));
    assert_eq!(records(&held.out).len(), had.min(1));
    held.resume();
}

/// A process that was stopped would not show this: the kernel ends it when its group has no parent
/// any more.
#[test]
fn what_is_measured_ends_with_the_lab() {
    for (signal, code) in [
        (Signal::SIGKILL, None),
        (Signal::SIGINT, Some(130)),
        (Signal::SIGTERM, Some(143)),
    ] {
        let mut busy = Held::busy();
        busy.signal(signal);
        assert_eq!(busy.end().status.code(), code);
    }
}

#[test]
fn a_run_whose_lab_was_killed_is_resumed() {
    let mut held = Held::after(1);
    held.signal(Signal::SIGKILL);
    let output = held.end();
    assert_eq!(output.status.code(), None);
    // It was killed while it wrote.
    let path = held.out.join("journal.jsonl");
    let mut file = fs::File::options().append(true).open(path).unwrap();
    file.write_all(b"{\"process\":{\"workload\":\"trip")
        .unwrap();
    held.resume();
}

#[test]
fn a_second_signal_ends_the_lab_at_once() {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut held = Held::of(1, |arguments| {
        let mut command = command(arguments);
        // The pipe is full and nothing reads it, so the tables keep the lab waiting.
        let mut filler = writer.try_clone().unwrap();
        let writer = writer.try_clone().unwrap();
        thread::spawn(move || while filler.write_all(&[b'.'; 4096]).is_ok() {});
        let mut shell = Command::new("sh");
        shell.args(["-c", "exec \"$@\" >&0", "sh"]).stdin(writer);
        shell.arg(command.get_program()).args(command.get_args());
        command = shell;
        command
    });
    let report = held.out.join("report.html");
    held.signal(Signal::SIGTERM);
    wait_for("the report is written", || report.exists().then_some(()));
    let status = wait_for("the lab ends", || {
        held.signal(Signal::SIGINT);
        held.lab.try_wait().unwrap()
    });
    assert_eq!(status.code(), Some(130));
    drop(reader);
    held.end();
    held.resume();
}

/// A program takes the place of cargo, which starts a compiler and waits for it.
#[test]
fn a_build_ends_with_all_that_it_has_started() {
    let builds: [&[&str]; 2] = [
        &["layouts", "fib", "--smoke"],
        &["compare", "WORKTREE", "WORKTREE", "--workload", "fib"],
    ];
    for (arguments, signal, code) in [
        (builds[0], Signal::SIGTERM, 143),
        (builds[1], Signal::SIGINT, 130),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let cargo = directory.path().join("cargo");
        let numbers = directory.path().join("numbers");
        let program = format!(
            "#!/bin/sh\nsleep 600 &\necho \"$$ $!\" > {0}.new\nmv {0}.new {0}\nwait\n",
            numbers.display()
        );
        // Another process writes it: a child of another test could otherwise hold the file open,
        // and what is open for writing cannot be started.
        let mut shell = Command::new("sh");
        shell.args(["-c", "printf %s \"$1\" > \"$0\" && chmod +x \"$0\""]);
        assert!(shell.arg(&cargo).arg(program).status().unwrap().success());
        let lab = command(arguments)
            .current_dir(directory.path())
            .env("CARGO", &cargo)
            .env("CARGO_TARGET_DIR", directory.path().join("target"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut lab = Lab::new(lab.unwrap());
        let started = wait_for("cargo and a compiler run", || {
            assert!(lab.child().try_wait().unwrap().is_none(), "the lab ended");
            fs::read_to_string(&numbers).ok()
        });
        let started = Started::with(&started);
        assert_eq!(started.0.len(), 2);
        lab.send(signal);
        let status = wait_for("the lab ends", || lab.child().try_wait().unwrap());
        assert_eq!(status.code(), Some(code), "{arguments:?}");
        started.0.iter().for_each(is_gone);
        let builds = directory.path().join("target/lab-builds");
        assert!(!builds.join("busy").exists());
    }
}

#[test]
fn a_signal_ends_the_baseline_with_its_code() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let mut lab = command(&["baseline"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let held = wait_for("a process measures", || {
            assert!(lab.try_wait().unwrap().is_none(), "the lab ended");
            children(lab.id()).into_iter().find(stop)
        });
        kill(Pid::from_raw(i32::try_from(lab.id()).unwrap()), signal).unwrap();
        wait_for("the lab ends", || lab.try_wait().unwrap());
        let output = lab.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert!(stderr(&output).contains("not known whether seq"));
        is_gone(&held);
    }
}

#[test]
fn a_run_that_ignores_hangups_goes_on() {
    let mut held = Held::of(1, |arguments| {
        let command = command(arguments);
        let mut shell = Command::new("sh");
        shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]);
        shell.arg(command.get_program()).args(command.get_args());
        shell
    });
    held.signal(Signal::SIGHUP);
    held.let_go_on();
    let output = held.end();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(records(&held.out)[0]["rounds"], ROUNDS);
}

#[test]
fn a_directory_that_vanishes_costs_a_warning() {
    let mut held = Held::after(1);
    fs::remove_dir_all(&held.out).unwrap();
    held.let_go_on();
    let output = held.end();
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("warning") && text.contains("gone"), "{text}");
    assert!(held.report().contains("triple-pool-processes"));
    assert_eq!(processes_in(&journal(&held.out)), ROUNDS);
}

#[test]
fn a_run_is_resumed_only_as_what_it_is() {
    let mut held = Held::after(1);
    let output = lab(&["--resume", held.out()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("under way"), "{}", stderr(&output));

    held.signal(Signal::SIGINT);
    held.end();
    let before = journal(&held.out);
    for other in [
        &["--smoke"][..],
        &["run", "fib"],
        &["run", "triple-pool-processes", "--rounds", "12"],
    ] {
        let output = lab(&[other, &["--resume", held.out()]].concat());
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(text.contains("another run"), "{text}");
        assert!(text.contains("run triple-pool-processes"), "{text}");
    }
    let output = lab(&["--resume", held.out(), "--out", "elsewhere"]);
    assert!(!output.status.success());
    let none = tempfile::tempdir().unwrap();
    let output = lab(&["--resume", none.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("journal.jsonl"));
    assert_eq!(journal(&held.out), before);

    // The machine has changed since, which is no error.
    let (header, rest) = before.split_once('\n').unwrap();
    let mut header: Value = serde_json::from_str(header).unwrap();
    header["run"]["machine"]["cpu_model"] = "abacus".into();
    let path = held.out.join("journal.jsonl");
    fs::write(path, format!("{header}\n{rest}")).unwrap();
    let same = [&RUN[..], &["--resume", held.out()]].concat();
    let output = lab(&same);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("was abacus"));
    assert!(held.report().contains("was abacus"));
    let record = &records(&held.out)[0];
    assert_eq!(record["rounds"], ROUNDS);
    assert!(record["resumed_despite"].to_string().contains("was abacus"));

    // Nothing is left to do: the tables are there once more.
    let output = lab(&["--resume", held.out()]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("triple-pool-processes"));
    assert_eq!(processes_in(&journal(&held.out)), ROUNDS);
}

/// A list asks the tools of other languages for their versions, and one of them may hang.
#[test]
fn a_list_that_is_ended_leaves_no_tool_behind() {
    let here = tempfile::tempdir().unwrap();
    let go = here.path().join("go");
    write_script(&go, "sleep 600 &\necho $! > $0.sleeps\nwait");
    let path = format!("{}:/usr/bin:/bin", here.path().display());
    let list = command(&["list"])
        .env("PATH", path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut list = Lab::new(list);
    let sleeper = wait_for("the tool has started", || {
        let number = fs::read_to_string(here.path().join("go.sleeps")).ok()?;
        number.ends_with('\n').then_some(number)
    });
    let sleeper = Started::with(&sleeper);
    list.send(Signal::SIGTERM);
    let output = list.output();
    assert_eq!(output.status.code(), Some(143), "{}", stderr(&output));
    assert_eq!(stdout(&output), "");
    is_gone(&sleeper.0[0]);
}
