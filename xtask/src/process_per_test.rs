//! Unit tests, each in a process of its own, with one process for each processor at a time.
//!
//! A model checker makes and drops the stacks of its threads for every order that it explores. When
//! two models share a process, each of these calls makes the kernel interrupt the processor that
//! runs the other one: on two processors that doubles the processor time of both. (Those of loom
//! are used again now, see `sync::model_stacks` of the library; those of shuttle are not.)

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::invocation::Invocation;
use crate::tally::Tally;
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
}

/// Builds the tests of `line`, a `cargo test` with the filter as its last word, and runs them.
pub fn run(line: &Invocation) -> Result<Tally> {
    println!("$ {line}");
    let mut waiting = VecDeque::new();
    let mut tally = Tally::default();
    for program in build(line)? {
        for test in tests(&program, line.last_word())? {
            if test.ignored {
                tally.ignored += 1;
            } else {
                waiting.push_back(test);
            }
        }
    }
    let mut ended = run_all(waiting)?;
    let failed: Vec<&str> = ended
        .iter()
        .filter(|test| test.failure.is_some())
        .map(|test| test.name.as_str())
        .collect();
    tally.failed = failed.len() as u64;
    tally.passed = (ended.len() - failed.len()) as u64;
    ensure!(
        failed.is_empty(),
        "{tally}: {}; to repeat it:\n  {line}",
        failed.join(", ")
    );
    ended.sort_by_key(|test| std::cmp::Reverse(test.took));
    for test in ended.iter().take(SLOWEST) {
        println!("slow: {:6.1} s  {}", test.took.as_secs_f64(), test.name);
    }
    Ok(tally)
}

/// The test programs that the line builds.
fn build(line: &Invocation) -> Result<Vec<PathBuf>> {
    let line = line
        .clone()
        .and(["--no-run", "--message-format=json-render-diagnostics"]);
    let mut child = line
        .command()
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("starting {line}"))?;
    let mut programs = Vec::new();
    if let Some(output) = child.stdout.take() {
        for message in BufReader::new(output).lines() {
            programs.extend(program(&message?));
        }
    }
    let status = child.wait()?;
    ensure!(
        status.success(),
        "failed with {status}; to repeat it:\n  {line}"
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

fn run_all(waiting: VecDeque<Test>) -> Result<Vec<Ended>> {
    let processes = thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(waiting);
    let ended = Mutex::new(Vec::new());
    let worker = || -> Result<()> {
        loop {
            let next = waiting.lock().ok().and_then(|mut tests| tests.pop_front());
            let Some(test) = next else {
                return Ok(());
            };
            let result = run_one(test)?;
            let Ok(mut ended) = ended.lock() else {
                bail!("another worker has panicked");
            };
            println!("{}", report(&result));
            ended.push(result);
        }
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

fn run_one(test: Test) -> Result<Ended> {
    let start = Instant::now();
    let output = Command::new(&test.program)
        .args(["--exact", &test.name])
        .current_dir(workspace::root())
        .output()
        .with_context(|| format!("starting {}", test.program.display()))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut tally = Tally::default();
    printed.lines().for_each(|line| tally.note(line));
    // A filter that lets nothing through succeeds as well.
    let passed = output.status.success() && tally.passed == 1;
    let failure = (!passed).then(|| {
        let errors = String::from_utf8_lossy(&output.stderr);
        format!("{}\n{printed}{errors}", output.status)
    });
    Ok(Ended {
        name: test.name,
        took: start.elapsed(),
        failure,
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

    #[test]
    fn tests_run_apart() {
        let program = std::env::current_exe().unwrap();
        let tests = tests(&program, "only_tests_are_listed").unwrap();
        assert_eq!(tests.len(), 1);
        assert!(!tests[0].ignored);
        let ended = run_all(tests.into()).unwrap();
        assert_eq!(ended.len(), 1);
        assert!(ended[0].failure.is_none(), "{}", report(&ended[0]));
    }

    #[test]
    fn a_test_that_does_not_run_has_failed() {
        let ended = run_one(Test {
            program: std::env::current_exe().unwrap(),
            name: "no_such_test".to_owned(),
            ignored: false,
        });
        let told = report(&ended.unwrap());
        assert!(told.starts_with("test no_such_test ... FAILED"), "{told}");
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
