//! `run --define`: workloads of a file, which programs of their own measure. Here these are shells.

use std::fs;
use std::path::Path;
use std::process::Output;

use drumline_lab::reader;
use drumline_lab::record::Record;

use crate::{lab_in, stderr, stdout};

/// A definition with two rows, of which the second one runs `second`.
fn define(directory: &Path, second: &str) {
    let text = format!(
        r#"version = 1
[[workload]]
name = "lines"
about = "sorts lines"
analysis = "Nothing can be faster than `seq`."
item = "line"
size-counts = "lines"
sizes = [10, 20]

[[workload.row]]
name = "mine"
role = "ours"
command = ["sh", "-c", '''
echo {{size}} {{jobs}} >> log
echo "{{\"protocol\":1,\"items\":{{size}},\"operations\":1,\"wall_ns\":[1000.0]}}"''']

[[workload.row]]
name = "other"
command = ["sh", "-c", '''{second}''']
"#
    );
    fs::write(directory.join("own.toml"), text).unwrap();
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    let own = ["run", "--define", "own.toml", "--out", "out", "--force"];
    lab_in(directory, &[&own, arguments].concat())
}

fn records(directory: &Path) -> Vec<Record> {
    reader::read(&directory.join("out/records.jsonl")).unwrap()
}

const GOOD: &str =
    r#"echo "{\"protocol\":1,\"items\":{size},\"operations\":2,\"wall_ns\":[2000.0]}""#;

#[test]
fn a_program_is_a_row_like_any_other() {
    let here = tempfile::tempdir().unwrap();
    define(here.path(), GOOD);
    let arguments = ["--rounds", "2", "--samples", "1", "--jobs", "3"];
    let output = run(here.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let records = records(here.path());
    let found = |runtime: &str, size| {
        let mut of = records.iter();
        of.find(|one| one.runtime == runtime && one.size == size)
            .unwrap()
    };
    assert_eq!(records.len(), 4);
    for (runtime, wall) in [("mine", 1000.0), ("other", 2000.0)] {
        for size in [10, 20] {
            let record = found(runtime, size);
            assert_eq!((record.ok, record.jobs, record.rounds), (Some(true), 3, 2));
            assert_eq!(record.items, Some(size));
            assert_eq!(record.wall_ns_median, Some(wall));
        }
    }
    // The first is said to be ours, so it is held against the best peer.
    let table = stdout(&output);
    assert!(
        table.contains("lines: sorts lines") && table.contains("mine ÷ best peer"),
        "{table}"
    );
    let mut log = fs::read_to_string(here.path().join("log")).unwrap();
    log.retain(|letter| letter != '\n');
    assert_eq!(log.matches("10 3").count(), 2, "{log}");
    let page = fs::read_to_string(here.path().join("out/report.html")).unwrap();
    assert!(
        page.contains("Nothing can be faster than <code>seq</code>."),
        "{page}"
    );
}

#[test]
fn what_goes_wrong_is_a_row_that_says_so() {
    let here = tempfile::tempdir().unwrap();
    for (second, why) in [
        ("exit 3", "exit status: 3"),
        ("echo usage; echo done", "it begins with \"usage\""),
        (
            "sleep 600 & exit 0",
            "a process that it started still holds its output",
        ),
        (r#"echo "{\"protocol\":7}""#, "protocol 7"),
        (
            r#"echo "{\"protocol\":1,\"error\":\"the sum is wrong\"}""#,
            "the sum is wrong",
        ),
    ] {
        define(here.path(), second);
        let output = run(
            here.path(),
            &["--size", "10", "--rounds", "1", "--jobs", "1"],
        );
        assert_eq!(output.status.code(), Some(1), "{second}");
        let records = records(here.path());
        let other = records.iter().find(|one| one.runtime == "other").unwrap();
        assert_eq!(other.ok, Some(false));
        let error = other.error.as_deref().unwrap();
        assert!(error.contains(why), "{error}");
        let mine = records.iter().find(|one| one.runtime == "mine").unwrap();
        assert_eq!(mine.ok, Some(true));
    }
}

#[test]
fn a_file_that_makes_no_sense_is_refused_before_anything_runs() {
    let here = tempfile::tempdir().unwrap();
    define(here.path(), GOOD);
    let whole = fs::read_to_string(here.path().join("own.toml")).unwrap();
    for (from, to, why) in [
        ("\"lines\"", "\"fib\"", "take another"),
        ("version = 1", "version = 9", "number 9"),
        ("sizes", "seizes", "seizes"),
        ("{jobs}", "{job}", "no place {job}, but there is `jobs`"),
        (
            "\"other\"",
            &format!("\"{}\"", "o".repeat(300)),
            "64 at most",
        ),
    ] {
        fs::write(here.path().join("own.toml"), whole.replacen(from, to, 1)).unwrap();
        let output = run(here.path(), &[]);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(
            text.contains("--define own.toml") && text.contains(why),
            "{text}"
        );
        assert!(!here.path().join("out").exists() && !here.path().join("log").exists());
    }
    let nothing = lab_in(here.path(), &["run"]);
    assert!(!nothing.status.success());
}

/// Each round has a process of its own, and a figure per item has one number of items.
#[test]
fn items_that_differ_from_round_to_round_are_no_figure() {
    let here = tempfile::tempdir().unwrap();
    define(
        here.path(),
        r#"echo >> rounds
            n=$(wc -l < rounds)
            echo "{\"protocol\":1,\"items\":$n,\"operations\":1,\"wall_ns\":[2000.0]}""#,
    );
    let arguments = ["--size", "10", "--rounds", "2", "--samples", "1", "--jobs"];
    let output = run(here.path(), &[&arguments[..], &["1"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let records = records(here.path());
    let other = records.iter().find(|one| one.runtime == "other").unwrap();
    assert_eq!(other.ok, Some(false));
    let error = other.error.as_deref().unwrap();
    assert_eq!(error, "the program had 2 items, and 1 in another round");
    assert_eq!((other.wall_ns_median, other.by_round.len()), (None, 0));
    assert!(
        !stdout(&output).contains("best peer"),
        "{}",
        stdout(&output)
    );
}

/// A wrong answer in one round is enough, and no control character reaches the terminal.
#[test]
fn one_wrong_answer_leaves_no_figure() {
    let here = tempfile::tempdir().unwrap();
    define(
        here.path(),
        r#"echo >> rounds
            if [ $(wc -l < rounds) = 2 ]
            then printf '%s\n' '{"protocol":1,"error":"\u001b[31mfive"}'
            else printf '%s\n' '{"protocol":1,"items":10,"operations":1,"wall_ns":[2000.0]}'
            fi"#,
    );
    let arguments = ["--size", "10", "--rounds", "3", "--samples", "1", "--jobs"];
    let output = run(here.path(), &[&arguments[..], &["1"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    let records = records(here.path());
    let other = records.iter().find(|one| one.runtime == "other").unwrap();
    assert_eq!((other.ok, other.wall_ns_median), (Some(false), None));
    assert_eq!(other.error.as_deref(), Some(" [31mfive"));
    assert!(!stdout(&output).contains(['\u{1b}']) && !stderr(&output).contains(['\u{1b}']));
}
