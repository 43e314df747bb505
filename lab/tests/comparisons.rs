//! `cargo lab compare` and `cargo lab record`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use drumline_lab::reader;
use drumline_lab::record::Record;
use serde_json::Value;

use crate::{command, lab_in, stderr, stdout};

/// A short run of `fib` into a directory: ten processes of each configuration.
fn short_run(directory: &Path, out: &str, jobs: &str) -> PathBuf {
    let what = ["run", "fib", "--size", "5", "--runtime", "seq,drumline"];
    let how = [
        "--smoke",
        "--samples",
        "1",
        "--rounds",
        "10",
        "--jobs",
        jobs,
    ];
    let output = lab_in(directory, &[&what[..], &how, &["--out", out]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    directory.join(out)
}

/// Copies a run, with every figure of ours multiplied.
fn copy(from: &Path, to: &Path, factor: f64) {
    let mut records = reader::read(&from.join("records.jsonl")).unwrap();
    for record in &mut records {
        let is_ours = record.runtime == "drumline";
        for round in &mut record.by_round {
            // The machine may have been busy; here, only the factor is of interest.
            round.wall_ns_median = if is_ours { factor * 1000.0 } else { 1000.0 };
        }
    }
    write(to, &records);
}

fn write(to: &Path, records: &[Record]) {
    fs::create_dir_all(to).unwrap();
    let lines = drumline_lab::export::json_lines(records);
    fs::write(to.join("records.jsonl"), lines).unwrap();
}

fn compare(directory: &Path, arguments: &[&str]) -> Output {
    lab_in(directory, &[&["compare"], arguments].concat())
}

#[test]
fn two_runs_are_compared() {
    let directory = tempfile::tempdir().unwrap();
    short_run(directory.path(), "one", "1,2");
    short_run(directory.path(), "two", "1,3");
    let output = compare(directory.path(), &["one", "two", "--json", "cells.jsonl"]);
    // A tiny operation may take longer by chance, on a busy machine; trouble has another code.
    let code = output.status.code().unwrap();
    assert!(code == 0 || code == 1, "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "A: one/records.jsonl",
        "B: two/records.jsonl",
        "B ÷ A of 1 cells",
        "fib 5, 1 job",
        "only in A:\n  fib 5, 2 jobs",
        "only in B:\n  fib 5, 3 jobs",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    assert!(!text.contains("seq"), "only ours is compared: {text}");
    let cells = fs::read_to_string(directory.path().join("cells.jsonl")).unwrap();
    let cell: Value = serde_json::from_str(cells.trim()).unwrap();
    assert!(cell["ratio"].is_number() && cell["interval"]["low"].is_number());
    assert_eq!(code == 1, cell["verdict"] == "regression");

    let output = compare(directory.path(), &["one", "one", "--all"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("fib 5, 1 job, seq"), "{text}");
    assert!(!text.contains("what differs"), "{text}");
}

#[test]
fn the_exit_code_says_whether_something_got_worse() {
    let directory = tempfile::tempdir().unwrap();
    let run = short_run(directory.path(), "run", "1");
    for (factor, code, last) in [
        (1.05, 1, "1 regression"),
        (1.01, 0, "no regression, 1 level"),
        (1.0, 0, "no regression, 1 level"),
        (0.9, 0, "no regression, 1 faster"),
    ] {
        copy(&run, &directory.path().join("a"), 1.0);
        copy(&run, &directory.path().join("b"), factor);
        let output = compare(directory.path(), &["a/records.jsonl", "b"]);
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        let text = stdout(&output);
        assert_eq!(text.lines().last(), Some(last), "{text}");
    }
}

#[test]
fn a_failure_is_a_regression() {
    let directory = tempfile::tempdir().unwrap();
    let run = short_run(directory.path(), "run", "1");
    let mut records = reader::read(&run.join("records.jsonl")).unwrap();
    for record in &mut records {
        record.ok = Some(false);
        record.error = Some("a wrong answer".to_owned());
        record.wall_ns_median = None;
        record.by_round.clear();
    }
    write(&directory.path().join("broken"), &records);
    let output = compare(directory.path(), &["run", "broken"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("a wrong answer"));
}

#[test]
fn what_cannot_be_compared_is_trouble_and_not_a_regression() {
    let directory = tempfile::tempdir().unwrap();
    let run = short_run(directory.path(), "run", "1");
    let records = reader::read(&run.join("records.jsonl")).unwrap();
    let mut others = records.clone();
    others.iter_mut().for_each(|record| record.size = 6);
    write(&directory.path().join("others"), &others);
    fs::write(directory.path().join("nonsense"), "hello\n").unwrap();
    let mut few = records.clone();
    few.iter_mut()
        .for_each(|record| record.by_round.truncate(9));
    write(&directory.path().join("few"), &few);
    let mut broken = records.clone();
    for record in &mut broken {
        (record.ok, record.error) = (Some(false), Some("a deadlock".to_owned()));
    }
    write(&directory.path().join("broken"), &broken);
    for (arguments, advice) in [
        (&["run", "no-such"][..], "nor a revision"),
        (&["run", "nonsense"], "line 1: not a record"),
        (&["run", "others"], "no cell in common"),
        (&["run", "run", "--rounds", "3"], "measured already"),
        (&["broken", "broken"], "all cells failed on both sides"),
        (&["run"], "Compare two records"),
        (&["run", "few"], "nothing could be judged"),
        (&["run", "run", "--resume", "run"], "cannot be resumed"),
        (&["run", "run", "--workload", "no-such"], "no-such"),
    ] {
        let output = compare(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(advice), "{arguments:?}: {text}");
    }
}

#[test]
fn a_file_that_is_there_is_not_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let run = short_run(directory.path(), "run", "1");
    let input = run.join("records.jsonl");
    let before = fs::read_to_string(&input).unwrap();
    fs::write(directory.path().join("file"), "precious").unwrap();
    let json = |file: &'static str| ["run", "run", "--json", file];
    let force = |file: &'static str| ["run", "run", "--json", file, "--force"];
    for (arguments, advice) in [
        (&json("file")[..], "--force"),
        (
            &json("run/../run/records.jsonl"),
            "one of the records that are compared",
        ),
        (
            &force("run/records.jsonl"),
            "one of the records that are compared",
        ),
        (&["run", "run", "--force"], "measured already"),
    ] {
        let output = compare(directory.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(advice), "{arguments:?}: {text}");
    }
    assert_eq!(fs::read_to_string(&input).unwrap(), before);
    let file = || fs::read_to_string(directory.path().join("file")).unwrap();
    assert_eq!(file(), "precious");
    let output = compare(directory.path(), &force("file"));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(file().contains("\"verdict\""), "{}", file());
}

/// A repository with one commit, in which records may be kept.
fn repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "clean\n").unwrap();
    git(directory.path(), &["init", "--quiet"]);
    fs::write(directory.path().join(".gitignore"), "/target\n").unwrap();
    git(directory.path(), &["add", "file", ".gitignore"]);
    commit(directory.path());
    directory
}

/// Commits what was added, which may be nothing.
fn commit(repository: &Path) {
    let who = [
        "-c",
        "user.name=lab",
        "-c",
        "user.email=lab@example.invalid",
    ];
    let commit = ["commit", "--quiet", "--allow-empty", "--message", "next"];
    git(repository, &[&who[..], &commit].concat());
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("git can be started");
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
}

/// Runs the lab as if it belonged to another repository.
fn lab_of(repository: &Path, arguments: &[&str]) -> Output {
    command(arguments)
        .current_dir(repository)
        .env("CARGO_MANIFEST_DIR", repository.join("lab"))
        .output()
        .expect("the lab can be started")
}

const TINY: [&str; 8] = [
    "--size",
    "5",
    "--runtime",
    "drumline",
    "--smoke",
    "--samples",
    "1",
    "--jobs=1",
];

#[test]
fn a_record_is_kept_once() {
    let repository = repository();
    let output = lab_of(repository.path(), &[&["record", "fib"], &TINY[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("fewer than 10 processes"), "{text}");
    let kept = fs::read_dir(repository.path().join("lab/records")).unwrap();
    let kept: Vec<PathBuf> = kept.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1);
    let revision = git(repository.path(), &["rev-parse", "--short=7", "HEAD"]);
    let name = kept[0].file_name().unwrap().to_string_lossy().into_owned();
    let end = format!("-{}.jsonl", revision.trim());
    assert!(name.ends_with(&end) && name.starts_with("20"), "{name}");
    let records = reader::read(&kept[0]).unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].by_round.len(), records[0].jobs), (1, 1));
    assert!(records[0].wall_ns_samples.is_empty());

    // Another day has come if it is midnight; the same records have the same day.
    let from = ["record", "--from", kept[0].to_str().unwrap()];
    let again = lab_of(repository.path(), &from);
    assert!(!again.status.success());
    let text = stderr(&again);
    for advice in ["never overwritten", "move or remove it", "commit"] {
        assert!(text.contains(advice), "{text}");
    }

    // The first record is a file that git does not know, which does not hinder the next one.
    commit(repository.path());
    let next = lab_of(repository.path(), &[&["record", "fib"], &TINY[..]].concat());
    assert!(next.status.success(), "{}", stderr(&next));
    let place = stdout(&next);
    let place = place.lines().find_map(|line| line.strip_prefix("kept: "));
    let place = place.unwrap();
    assert!(
        !place.contains("dirty") && Path::new(place) != kept[0],
        "{place}"
    );
}

/// The revision is that of the files that the lab was built from, and not of those that lie around.
#[test]
fn a_lab_that_is_started_elsewhere_knows_its_revision() {
    let elsewhere = repository();
    let output = command(&[&["run", "fib", "--json", "-"], &TINY[..]].concat())
        .current_dir(elsewhere.path())
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let record: Value = serde_json::from_str(stdout(&output).trim()).unwrap();
    let own = Command::new("git")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["rev-parse", "HEAD"])
        .output()
        .unwrap();
    // These files may come from an archive.
    let own = own.status.success().then(|| stdout(&own));
    let own = own.as_deref().map(str::trim);
    assert_eq!(record["build"]["git_revision"].as_str(), own);
}

#[test]
fn the_records_of_a_run_are_kept_as_what_they_are() {
    let repository = repository();
    fs::write(repository.path().join("file"), "changed\n").unwrap();
    let run = [&["run", "fib", "--out", "target/run"], &TINY[..]].concat();
    let output = lab_of(repository.path(), &run);
    assert!(output.status.success(), "{}", stderr(&output));
    // What is clean now was not when it was measured.
    fs::write(repository.path().join("file"), "clean\n").unwrap();
    let from = ["record", "--from", "target/run"];
    let refused = lab_of(repository.path(), &from);
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("--dirty"));

    let from = [&from[..], &["--dirty"]].concat();
    let file = repository.path().join("target/run/records.jsonl");
    let once = fs::read_to_string(&file).unwrap();
    fs::write(&file, once.repeat(2)).unwrap();
    let refused = lab_of(repository.path(), &from);
    assert!(!refused.status.success());
    assert!(stderr(&refused).contains("twice"), "{}", stderr(&refused));
    fs::write(&file, once).unwrap();
    let kept = lab_of(repository.path(), &from);
    assert!(kept.status.success(), "{}", stderr(&kept));
    let place = stdout(&kept);
    assert!(place.trim().ends_with("-dirty.jsonl"), "{place}");
    let file = place.trim().strip_prefix("kept: ").unwrap();
    let run = reader::read(&repository.path().join("target/run/records.jsonl")).unwrap();
    let mut without: Vec<Record> = run;
    for record in &mut without {
        record.wall_ns_samples.clear();
        record.wall_ns_sample_rounds.clear();
    }
    assert_eq!(reader::read(Path::new(file)).unwrap(), without);

    let again = lab_of(repository.path(), &from);
    assert!(!again.status.success());
    assert!(stderr(&again).contains("never overwritten"));

    // What failed is kept as well, and the exit status says so.
    fs::remove_file(file).unwrap();
    for record in &mut without {
        (record.ok, record.error) = (Some(false), Some("a wrong answer".to_owned()));
    }
    write(&repository.path().join("target/run"), &without);
    let failed = lab_of(repository.path(), &from);
    assert_eq!(failed.status.code(), Some(1), "{}", stderr(&failed));
    assert!(stderr(&failed).contains("1 of 1 configurations failed"));
    assert_eq!(reader::read(Path::new(file)).unwrap(), without);
}

/// Workloads of a file are compared by the rows that the file calls ours.
#[test]
#[cfg(unix)]
fn workloads_of_a_definition_are_compared() {
    let here = tempfile::tempdir().unwrap();
    let define = |name: &str, wall_ns: u32| {
        let row = |name: &str, role: &str| {
            format!(
                "[[workload.row]]\nname = \"{name}\"\nrole = \"{role}\"\nparallel = false\n\
                 command = [\"echo\", '{{\"protocol\":1,\"items\":1,\"operations\":1,\
                 \"wall_ns\":[{wall_ns}.0]}}']\n"
            )
        };
        let text = format!(
            "version = 1\n[[workload]]\nname = \"lines\"\nabout = \"sorts\"\nitem = \"line\"\n\
             size-counts = \"lines\"\nsizes = [10]\n{}{}",
            row("mine", "ours"),
            row("other", "peer")
        );
        fs::write(here.path().join(name), text).unwrap();
    };
    define("one.toml", 1000);
    define("two.toml", 3000);
    for (file, out) in [("one.toml", "one"), ("two.toml", "two")] {
        let arguments = ["run", "--define", file, "--rounds", "10", "--samples", "1"];
        let output = lab_in(here.path(), &[&arguments[..], &["--out", out]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let with = ["--define", "one.toml"];
    let output = compare(here.path(), &[&["one", "two"], &with[..]].concat());
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(
        text.contains("lines 10, 1 job, mine") && text.contains("3.000"),
        "{text}"
    );
    // A warning may speak of other programs.
    assert!(!text.contains("1 job, other"), "{text}");
    let chosen = ["one", "one", "--workload", "lines", "--all"];
    let output = compare(here.path(), &[&chosen[..], &with[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("lines 10, 1 job, other"),
        "{}",
        stdout(&output)
    );

    for (arguments, why) in [
        (&["one", "two"][..], "does not know lines: name the file"),
        (&["one", "two", "--workload", "lines"], "--define FILE"),
        (&["one", "two", "--define", "gone.toml"], "gone.toml"),
        (
            &["HEAD", "WORKTREE", "--define", "one.toml"],
            "--define is for two records",
        ),
    ] {
        let output = compare(here.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }

    let history = ["history", "lines", "--record", "one", "--out", "page"];
    let output = lab_in(here.path(), &[&history[..], &with[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("1.00 µs"), "{}", stdout(&output));
}
