//! Unit tests, each in a process of its own, with one process for each processor at a time.
//!
//! A model checker makes and drops the stacks of its threads for every order that it explores. When
//! two models share a process, each of these calls makes the kernel interrupt the processor that
//! runs the other one: on two processors that doubles the processor time of both. (Those of loom
//! are used again now, see `sync::model_stacks` of the library; those of shuttle are not.)

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::bounded::{self, Streams};
use crate::invocation::Invocation;
use crate::tally::Tally;
use crate::test_run::in_words;
use crate::workspace;

/// The slowest tests that are named at the end.
const SLOWEST: usize = 5;

/// A test, and the program that holds it.
struct Test {
    program: PathBuf,
    name: String,
    ignored: bool,
}

/// What became of a test.
struct Ended {
    name: String,
    took: Duration,
    /// What the test printed, if it failed.
    failure: Option<String>,
    /// Whether it was killed, because the time was over.
    too_long: bool,
}

/// Builds the tests of `line`, a `cargo test` with the filter as its last word, and runs them. All
/// of that takes `limit` at most: a test that runs then is killed.
pub fn run(line: &Invocation, limit: Duration) -> Result<Tally> {
    println!("$ {line}");
    let deadline = Instant::now() + limit;
    let mut waiting = VecDeque::new();
    let mut tally = Tally::default();
    for program in build(line, limit)? {
        for test in tests(&program, line.last_word())? {
            if test.ignored {
                tally.ignored += 1;
            } else {
                waiting.push_back(test);
            }
        }
    }
    let number = waiting.len();
    let mut ended = run_all(waiting, deadline)?;
    judge(&ended, number, limit, &mut tally).with_context(|| format!("to repeat it:\n  {line}"))?;
    ended.sort_by_key(|test| std::cmp::Reverse(test.took));
    for test in ended.iter().take(SLOWEST) {
        println!("slow: {:6.1} s  {}", test.took.as_secs_f64(), test.name);
    }
    Ok(tally)
}

/// Counts the tests. An error if some have failed, or were running or waiting when the time was
/// over.
fn judge(ended: &[Ended], number: usize, limit: Duration, tally: &mut Tally) -> Result<()> {
    let names = |too_long| {
        let failed = ended.iter().filter(|test| test.failure.is_some());
        let names = failed.filter(|test| test.too_long == too_long);
        Vec::from_iter(names.map(|test| test.name.as_str()))
    };
    let (failed, running) = (names(false), names(true));
    tally.failed = (failed.len() + running.len()) as u64;
    tally.passed = ended.len() as u64 - tally.failed;
    let waiting = number - ended.len();
    ensure!(
        running.is_empty() && waiting == 0,
        "the tests did not end within {}; running, and killed: {}; failed before: {}; not begun: \
         {waiting}",
        in_words(limit),
        listed(&running),
        listed(&failed)
    );
    ensure!(failed.is_empty(), "{tally}: {}", failed.join(", "));
    Ok(())
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// The test programs that the line builds.
fn build(line: &Invocation, limit: Duration) -> Result<Vec<PathBuf>> {
    let build = line
        .clone()
        .and(["--no-run", "--message-format=json-render-diagnostics"]);
    let mut programs = Vec::new();
    let ended = bounded::read(build.command(), Streams::Output, limit, |message| {
        programs.extend(program(message));
    })?;
    let Some(status) = ended else {
        bail!(
            "the build did not end within {}, and was killed; to repeat it:\n  {build}",
            in_words(limit)
        );
    };
    ensure!(
        status.success(),
        "failed with {status}; to repeat it:\n  {build}"
    );
    Ok(programs)
}

/// The test program of which a message of cargo tells.
fn program(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_test = message["profile"]["test"].as_bool()?;
    let program = message["executable"].as_str()?;
    is_test.then(|| PathBuf::from(program))
}

/// The tests of a program that the filter lets through.
fn tests(program: &PathBuf, filter: &str) -> Result<Vec<Test>> {
    let list = |more: &[&str]| -> Result<Vec<String>> {
        let output = Command::new(program)
            .args([filter, "--list", "--format", "terse"])
            .args(more)
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("starting {}", program.display()))?;
        ensure!(output.status.success(), "{}: no list", program.display());
        Ok(names(&String::from_utf8_lossy(&output.stdout)))
    };
    let ignored = list(&["--ignored"])?;
    let all = list(&[])?;
    let test = |name: String| Test {
        program: program.clone(),
        ignored: ignored.contains(&name),
        name,
    };
    Ok(all.into_iter().map(test).collect())
}

/// The names in the test runner's terse list.
fn names(list: &str) -> Vec<String> {
    list.lines()
        .filter_map(|line| line.strip_suffix(": test"))
        .map(str::to_owned)
        .collect()
}

/// Runs the tests until the deadline. Those that have not begun then do not.
fn run_all(waiting: VecDeque<Test>, deadline: Instant) -> Result<Vec<Ended>> {
    let processes = thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(waiting);
    let ended = Mutex::new(Vec::new());
    let worker = || -> Result<()> {
        while Instant::now() < deadline {
            let next = waiting.lock().ok().and_then(|mut tests| tests.pop_front());
            let Some(test) = next else {
                break;
            };
            let result = run_one(test, deadline)?;
            let Ok(mut ended) = ended.lock() else {
                bail!("another worker has panicked");
            };
            println!("{}", report(&result));
            ended.push(result);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..processes).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| bail!("a worker has panicked"))
        })
    })?;
    ended
        .into_inner()
        .ok()
        .context("a worker has panicked while it added a result")
}

fn run_one(test: Test, deadline: Instant) -> Result<Ended> {
    let start = Instant::now();
    let mut command = Command::new(&test.program);
    command
        .args(["--exact", &test.name])
        .current_dir(workspace::root())
        // These end every search of loom early, and nothing fails.
        .env_remove("LOOM_MAX_PERMUTATIONS")
        .env_remove("LOOM_MAX_DURATION")
        .env_remove("LOOM_CHECKPOINT_FILE");
    let left = deadline.saturating_duration_since(start);
    let (mut printed, mut tally) = (String::new(), Tally::default());
    let status = bounded::read(command, Streams::Both, left, |line| {
        tally.note(line);
        printed.push_str(line);
        printed.push('\n');
    })?;
    // A filter that lets nothing through succeeds as well.
    let passed = status.is_some_and(|status| status.success()) && tally.passed == 1;
    let end = status.map_or_else(
        || "was running when the time was over, and was killed".to_owned(),
        |status| status.to_string(),
    );
    Ok(Ended {
        name: test.name,
        took: start.elapsed(),
        failure: (!passed).then(|| format!("{end}\n{printed}")),
        too_long: status.is_none(),
    })
}

fn report(test: &Ended) -> String {
    let name = &test.name;
    match &test.failure {
        None => format!("test {name} ... ok ({:.1} s)", test.took.as_secs_f64()),
        Some(printed) => format!("test {name} ... FAILED\n{printed}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A deadline that is not met.
    fn far() -> Instant {
        Instant::now() + Duration::from_secs(600)
    }

    #[test]
    fn tests_run_apart() {
        let program = std::env::current_exe().unwrap();
        let tests = tests(&program, "only_tests_are_listed").unwrap();
        assert_eq!(tests.len(), 1);
        assert!(!tests[0].ignored);
        let ended = run_all(tests.into(), far()).unwrap();
        assert_eq!(ended.len(), 1);
        assert!(ended[0].failure.is_none(), "{}", report(&ended[0]));
    }

    #[test]
    fn a_test_that_does_not_run_has_failed() {
        let test = Test {
            program: std::env::current_exe().unwrap(),
            name: "no_such_test".to_owned(),
            ignored: false,
        };
        let ended = run_one(test, far());
        let told = report(&ended.unwrap());
        assert!(told.starts_with("test no_such_test ... FAILED"), "{told}");
    }

    /// The program of this test is a shell that waits for what never comes. A shell writes it: a
    /// program that this process had open for writing could not be started while a child of
    /// another test has it, too.
    #[cfg(unix)]
    #[test]
    fn tests_that_wait_for_ever_are_killed_and_named() {
        let name = format!("drumline-waits-for-ever-{}", std::process::id());
        let program = std::env::temp_dir().join(name);
        let written = Command::new("sh")
            .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
            .arg(&program)
            .arg("#!/bin/sh\necho begun\ntail -f /dev/null\necho never\n")
            .status();
        assert!(written.unwrap().success());
        let test = |name: &str| Test {
            program: program.clone(),
            name: name.to_owned(),
            ignored: false,
        };
        // The shell may not have begun when a tiny limit is over: then it is given a longer one.
        let mut limits = (0..).map(|round| Duration::from_millis(50 << round));
        let begun = limits.find(|&limit| {
            let ended = run_one(test("a"), Instant::now() + limit).unwrap();
            assert!(ended.too_long);
            ended.failure.unwrap().ends_with("was killed\nbegun\n")
        });
        let limit = begun.unwrap();
        let ended = run_all([test("a"), test("b")].into(), Instant::now() + limit).unwrap();
        std::fs::remove_file(&program).unwrap();
        let mut tally = Tally::default();
        let error = judge(&ended, 3, limit, &mut tally).unwrap_err().to_string();
        assert_eq!(tally.failed, ended.len() as u64);
        assert!(error.contains("running, and killed: "), "{error}");
        assert!(ended.iter().all(|test| error.contains(&test.name)));
        let none = run_all([test("a")].into(), Instant::now()).unwrap();
        assert!(none.is_empty(), "the time was over before");
    }

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let test = r#"{"profile":{"test":true},"executable":"/t/debug/deps/a-1"}"#;
        assert_eq!(program(test), Some(PathBuf::from("/t/debug/deps/a-1")));
        let library = r#"{"profile":{"test":false},"executable":null}"#;
        assert_eq!(program(library), None);
        assert_eq!(program(r#"{"reason":"build-finished"}"#), None);
    }

    #[test]
    fn only_tests_are_listed() {
        assert_eq!(names("a::b: test\nc: benchmark\n"), ["a::b"]);
    }
}
