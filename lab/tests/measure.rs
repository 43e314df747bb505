//! `measure`: what any program took, used and reached. The programs are `sh`, `sleep` and the like.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::{command, lab_in, stderr, stdout};

/// Measures in a directory.
pub fn measure(directory: &Path, arguments: &[&str]) -> Output {
    lab_in(directory, &[&["measure"], arguments].concat())
}

pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Measures, which succeeds, and returns the records.
fn records(directory: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = measure(directory, &[&["--json", "-"], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A metric of the only run.
fn number(record: &Value, metric: &str) -> f64 {
    let samples = record["figures"][metric]["samples"].as_array().unwrap();
    assert_eq!(samples.len(), 1);
    samples[0].as_f64().unwrap()
}

pub fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap()
}

/// What `refused` says, after which nothing has run.
fn refused(arguments: &[&str]) -> String {
    let directory = directory();
    let output = measure(
        directory.path(),
        &[arguments, &["--", "touch", "ran"]].concat(),
    );
    assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    assert!(!directory.path().join("ran").exists(), "{arguments:?}");
    stderr(&output)
}

#[test]
fn a_sleep_takes_its_time_and_uses_no_processor() {
    let here = directory();
    let record = &records(here.path(), &["--output", "hide", "--", "sleep", "0.3"])[0];
    let wall = number(record, "wall_ns");
    assert!(wall >= 0.3e9, "{wall}");
    assert!(number(record, "user_ns") + number(record, "system_ns") < wall);
    assert!(number(record, "ctx_voluntary") >= 1.0);
    assert!(number(record, "faults_minor") >= 1.0);
    assert_eq!(
        (&record["rounds"], &record["failures"]),
        (&1.into(), &0.into())
    );
    assert_eq!(record["command"], "sleep 0.3");
}

#[test]
#[cfg(target_os = "linux")]
fn processor_time_of_children_counts() {
    let here = directory();
    let user_of = |work: &str| {
        let in_child = format!("sh -c '{work}'; :");
        let record = &records(here.path(), &["--", "sh", "-c", &in_child])[0];
        number(record, "user_ns")
    };
    // The outer shell alone takes a few milliseconds.
    let spins = user_of("i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done");
    let rests = user_of(":");
    assert!(spins > 10.0 * rests, "{spins} {rests}");
}

/// Two processes hold 64 MiB each at the same time, in the buffers of `dd`, until a third one ends,
/// which sleeps and reads nothing. It sleeps longer each time, until the sampler came to look.
#[test]
#[cfg(target_os = "linux")]
fn memory_of_all_processes_counts_together() {
    const MIB: f64 = 1_048_576.0;
    let here = directory();
    let mut last = Value::Null;
    let enough = ["0.2", "5", "60"].into_iter().any(|seconds| {
        let dd = "dd if=/dev/zero bs=67108864 count=1 2> /dev/null";
        let script = format!("{dd} | {{ {dd} | sleep {seconds}; }}");
        let command = ["--output", "hide", "--", "sh", "-c", &script];
        last = records(here.path(), &command).remove(0);
        number(&last, "rss_sum_peak_bytes") >= 128.0 * MIB && number(&last, "processes_peak") >= 4.0
    });
    assert!(enough, "{last}");
    assert!(number(&last, "threads_peak") >= 4.0);
    // No single one has twice as much.
    let one = number(&last, "rss_peak_bytes");
    assert!((64.0 * MIB..128.0 * MIB).contains(&one), "{last}");
}

/// The kernel gives a new process the mark of its starter. A small program has its own.
#[test]
#[cfg(target_os = "linux")]
fn memory_of_a_small_program_is_not_that_of_the_lab() {
    let here = directory();
    let enough = ["0.1", "5", "60"].into_iter().any(|seconds| {
        let record = records(here.path(), &["--output", "hide", "--", "sleep", seconds]).remove(0);
        let memory = &record["figures"]["rss_peak_bytes"];
        // Before the first look there is none.
        memory["median"].as_f64().is_some_and(|bytes| bytes < 4e6)
    });
    assert!(enough);
}

#[test]
fn rounds_turn_and_warm_ups_do_not_count() {
    let here = directory();
    let arguments = [
        "--rounds",
        "3",
        "--warm-up",
        "1",
        "--prepare",
        "sh -c 'printf p >> log'",
    ];
    let commands = [
        "--against",
        "sh -c 'printf b >> log'",
        "--",
        "sh",
        "-c",
        "printf a >> log",
    ];
    let records = records(here.path(), &[&arguments[..], &commands].concat());
    assert_eq!(
        read(here.path(), "log"),
        "papb".to_owned() + "papb" + "pbpa" + "papb"
    );
    let [first, second] = &records[..] else {
        panic!("{records:?}");
    };
    assert!(first["against"].is_null());
    assert_eq!(second["against"]["command"], first["command"]);
    assert_eq!(second["against"]["claim"], "too-few");
    assert!(
        second["against"]["ratios"]["wall_ns"]["value"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    for record in &records {
        assert_eq!(
            (&record["rounds"], &record["warm_ups"]),
            (&3.into(), &1.into())
        );
        let samples = record["figures"]["wall_ns"]["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 3);
    }
}

#[test]
fn each_value_has_a_command() {
    let here = directory();
    let arguments = [
        "--param",
        "n=1,2,30",
        "--rounds",
        "2",
        "--",
        "sh",
        "-c",
        "echo {n} >> log",
    ];
    let output = measure(
        here.path(),
        &[&["--json", "records"], &arguments[..]].concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(read(here.path(), "log"), "1\n2\n30\n2\n30\n1\n");
    let text = read(here.path(), "records");
    let records: Vec<Value> = text
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let values: Vec<_> = records
        .iter()
        .map(|r| r["parameters"]["n"].clone())
        .collect();
    assert_eq!(values, ["1", "2", "30"]);
    assert_eq!(records[2]["against"]["command"], records[0]["command"]);
    let table = stdout(&output);
    assert!(
        table.contains("2 runs of each") && table.contains("echo 30"),
        "{table}"
    );
}

#[test]
fn rounds_go_on_until_the_time_has_passed() {
    let here = directory();
    let record = &records(here.path(), &["--time", "1", "--", "sleep", "0.3"])[0];
    let rounds = record["rounds"].as_u64().unwrap();
    assert!((1..=4).contains(&rounds), "{rounds}");
}

#[test]
fn output_is_shown_once_and_hidden_when_repeated() {
    let here = directory();
    let loud = ["--", "sh", "-c", "echo seen; echo heard >&2"];
    let once = measure(here.path(), &loud);
    assert_eq!(stdout(&once), "seen\n");
    let text = stderr(&once);
    assert!(
        text.contains("heard") && text.contains("wall time"),
        "{text}"
    );

    let repeated = measure(here.path(), &[&["--rounds", "2"], &loud[..]].concat());
    let text = stdout(&repeated);
    assert!(
        !text.contains("seen\n") && text.contains("wall time"),
        "{text}"
    );
    assert_eq!(stderr(&repeated), "");

    let asked = ["--rounds", "2", "--output", "show", "--quiet"];
    let shown = measure(here.path(), &[&asked[..], &loud].concat());
    assert_eq!(stdout(&shown), "seen\nseen\n");
    let text = stderr(&shown);
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("sh -c") && last.contains(" wall, "),
        "{text}"
    );
    assert_eq!(text.lines().count(), 3, "{text}");
}

/// A file on standard output has no room for what the program writes.
#[test]
fn standard_output_is_for_one_of_them() {
    let directory = directory();
    let records = records(directory.path(), &["--", "echo", "said"]);
    assert_eq!(records.len(), 1);
    let error = refused(&["--json", "-", "--output", "show", "--", "echo", "said"]);
    assert!(error.contains("name a file"), "{error}");
}

/// Nothing was measured, so there is nothing to put in its place.
#[test]
fn a_file_is_kept_if_nothing_was_measured() {
    let directory = directory();
    std::fs::write(directory.path().join("old.csv"), "old").unwrap();
    let arguments = [
        "--csv",
        "old.csv",
        "--force",
        "--prepare",
        "false",
        "--",
        "true",
    ];
    assert!(!measure(directory.path(), &arguments).status.success());
    assert_eq!(read(directory.path(), "old.csv"), "old");
}

#[test]
fn a_program_reads_the_input_that_it_is_given() {
    let here = directory();
    fs::write(here.path().join("words"), "one\ntwo\n").unwrap();
    let output = measure(here.path(), &["--input", "words", "--", "cat"]);
    assert_eq!(stdout(&output), "one\ntwo\n");
    let nothing = measure(here.path(), &["--", "cat"]);
    assert_eq!(
        (stdout(&nothing), nothing.status.success()),
        (String::new(), true)
    );
    let missing = measure(here.path(), &["--input", "no-such", "--", "cat"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("--input no-such"));
}

#[test]
fn a_shell_is_used_only_if_asked_for() {
    let here = directory();
    let plain = measure(here.path(), &["--", "echo", "a", "|", "cat"]);
    assert_eq!(stdout(&plain), "a | cat\n");
    let record = &records(here.path(), &["--", "true"])[0];
    assert!(record["shell_start"].is_null());

    let arguments = [
        "--shell",
        "--json",
        "records",
        "--",
        "echo a | sed s/a/b/; sleep 0.2",
    ];
    let output = measure(here.path(), &arguments);
    assert_eq!(stdout(&output), "b\n", "{}", stderr(&output));
    let record: Value = serde_json::from_str(&read(here.path(), "records")).unwrap();
    assert_eq!(record["shell"], true);
    assert!(record["shell_start"]["wall_ns"].as_u64().unwrap() > 0);
    assert!(stderr(&output).contains("without the start of a shell"));
}

#[test]
fn a_failure_ends_everything_unless_it_is_accepted() {
    let here = directory();
    let arguments = [
        "--rounds",
        "5",
        "--json",
        "records",
        "--",
        "sh",
        "-c",
        "echo >> log; exit 3",
    ];
    let output = measure(here.path(), &arguments);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    for advice in [
        "exit status 3 in run 1",
        "--ignore-failure",
        "--output show",
    ] {
        assert!(text.contains(advice), "{text}");
    }
    assert_eq!(read(here.path(), "log"), "\n");
    let record: Value = serde_json::from_str(&read(here.path(), "records")).unwrap();
    let facts = (&record["partial"], &record["rounds"], &record["failures"]);
    assert_eq!(facts, (&true.into(), &1.into(), &1.into()));

    let accepted = [&["--ignore-failure", "--force"], &arguments[..]].concat();
    let output = measure(here.path(), &accepted);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stdout(&output).contains("5 of 5 runs failed"));
    let record: Value = serde_json::from_str(&read(here.path(), "records")).unwrap();
    let facts = (&record["partial"], &record["rounds"], &record["failures"]);
    assert_eq!(facts, (&false.into(), &5.into(), &5.into()));
}

#[test]
fn a_signal_is_a_failure() {
    let here = directory();
    let output = measure(here.path(), &["--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("signal 9"), "{}", stderr(&output));
}

#[test]
fn what_cannot_be_started_is_named() {
    let here = directory();
    // The first is found out before anything runs, the others when it is tried.
    fs::write(here.path().join("notes"), "no program").unwrap();
    for command in [
        &["--", "no-such-program-at-all"][..],
        &["--prepare", "true", "--", "./gone"],
        &["--", "./notes"],
    ] {
        let output = measure(here.path(), command);
        assert_eq!(output.status.code(), Some(1));
        let text = stderr(&output);
        assert!(text.contains("cannot be started"), "{text}");
        assert_eq!(stdout(&output), "");
    }
}

#[test]
fn preparations_that_fail_end_everything() {
    let text = refused(&["--prepare", "sh -c 'echo why >&2; exit 7'"]);
    assert!(
        text.contains("why") && text.contains("exit status 7"),
        "{text}"
    );
}

#[test]
fn what_is_in_the_way_is_found_before_anything_runs() {
    let here = directory();
    let name = |name: &str| here.path().join(name).to_str().unwrap().to_owned();
    fs::write(name("file"), "precious").unwrap();
    for (option, file, why) in [
        ("--csv", name("file"), "--force"),
        ("--json", name("file"), "--force"),
        ("--markdown", name("file"), "--force"),
        ("--csv", name(""), "directory"),
        ("--json", name("none/file"), "cannot be written"),
        ("--markdown", name("file/file"), "cannot be written"),
    ] {
        let text = refused(&[option, &file]);
        assert!(text.contains(option) && text.contains(why), "{text}");
    }
    fs::create_dir(name("deep")).unwrap();
    for (one, other) in [("same", "./same"), (&*name("same"), &*name("deep/../same"))] {
        let twice = refused(&["--csv", one, "--json", other]);
        assert!(twice.contains("--csv writes there"), "{twice}");
    }
    assert_eq!(read(here.path(), "file"), "precious");
    for (arguments, why) in [
        (&["--rounds", "0"][..], "--rounds 10"),
        (&["--param", "n=1"], "{n}"),
        (&["--against", "'open"], "no end"),
    ] {
        let text = refused(arguments);
        assert!(text.contains(why), "{text}");
    }
}

#[test]
fn files_say_what_the_table_says() {
    let here = directory();
    let files = ["--csv", "a.csv", "--json", "a.jsonl", "--markdown", "a.md"];
    let commands = ["--rounds", "2", "--against", "echo 'x | y'", "--", "true"];
    let output = measure(here.path(), &[&files[..], &commands].concat());
    assert!(output.status.success(), "{}", stderr(&output));

    let json = read(here.path(), "a.jsonl");
    let json: Vec<Value> = json
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let mut table = csv::Reader::from_path(here.path().join("a.csv")).unwrap();
    let header = table.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|known| known == name).unwrap();
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    assert_eq!((rows.len(), json.len()), (2, 2));
    for (row, record) in rows.iter().zip(&json) {
        assert_eq!(record["command"], row[column("command")]);
        let median: f64 = row[column("figures.wall_ns.median")].parse().unwrap();
        assert_eq!(record["figures"]["wall_ns"]["median"], median);
        let samples = row[column("figures.wall_ns.samples")].split(' ').count();
        assert_eq!(samples, 2);
    }
    assert!(header.iter().any(|name| name == "machine.cpu_model"));
    let markdown = read(here.path(), "a.md");
    for line in [
        "| --- | ---: | ---: | ---: |",
        "|  | A | B | B ÷ A |",
        "echo 'x \\| y'",
    ] {
        assert!(markdown.contains(line), "{markdown}");
    }
    assert!(stdout(&output).contains("B ÷ A"));
}

#[test]
fn help_has_examples() {
    let here = directory();
    let text = stdout(&measure(here.path(), &["--help"]));
    for part in [
        "Examples:",
        "--against",
        "--param",
        "--ignore-failure",
        "--runs",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// The lab with standard output closed, as by `>&-` of a shell.
fn without_stdout(directory: &Path, arguments: &[&str]) -> Output {
    let lab = command(arguments);
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" >&-", "sh"]);
    shell.arg(lab.get_program()).args(lab.get_args());
    shell.current_dir(directory);
    shell.env("CARGO_TARGET_DIR", directory.join("target"));
    shell.output().unwrap()
}

#[test]
fn records_for_a_closed_output_are_refused_before_anything_runs() {
    let here = directory();
    for option in ["--json", "--csv", "--markdown"] {
        let output = without_stdout(here.path(), &["measure", option, "-", "--", "touch", "ran"]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{option}: {text}");
        let why = format!("{option} -: standard output is closed");
        assert!(text.contains(&why), "{text}");
    }
    let output = without_stdout(here.path(), &["run", "fib", "--smoke", "--json", "-"]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("--json -: standard output is closed"),
        "{text}"
    );
    assert!(!here.path().join("ran").exists() && !here.path().join("target").exists());
    // Tables have had no reader, which is no error.
    let output = without_stdout(here.path(), &["measure", "--", "touch", "ran"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(here.path().join("ran").exists());
}

#[test]
fn records_that_their_reader_did_not_wait_for_are_lost_and_that_is_told() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(&["measure", "--json", "-", "--", "true"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(Child::wait_with_output)
        .unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("--json: the records cannot be written"),
        "{text}"
    );
}

/// A name of bytes that are no text, as the system permits it.
#[test]
#[cfg(target_os = "linux")]
fn arguments_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt as _;
    let here = directory();
    let name = std::ffi::OsStr::from_bytes(b"n\xffame-7");
    let place = std::ffi::OsStr::from_bytes(b"n\xffame-{n}");
    fs::write(here.path().join(name), "read").unwrap();
    for shell in [&[][..], &["--shell"]] {
        let mut lab = command(&[
            "measure",
            "--param",
            "n=7",
            "--json",
            "runs.jsonl",
            "--force",
        ]);
        lab.args(shell).arg("--input").arg(place);
        lab.args(["--", "grep", "-c", "read", "-"]).arg(place);
        let output = lab.current_dir(here.path()).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let record = read(here.path(), "runs.jsonl");
        assert!(record.contains("n\u{fffd}ame-7"), "{record}");
    }
}
