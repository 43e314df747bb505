//! `history`: what kept records say of a workload.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::{command, stderr, stdout};

fn history(directory: &Path, arguments: &[&str]) -> Output {
    command(&[&["history"], arguments].concat())
        .current_dir(directory)
        // The lab then takes the current directory for the repository.
        .env_remove("CARGO_MANIFEST_DIR")
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .output()
        .unwrap()
}

/// A record of two jobs, with this time in milliseconds on this day.
fn record(runtime: &str, day: u32, ms: u32) -> String {
    format!(
        "{{\"workload\":\"fib\",\"runtime\":\"{runtime}\",\"jobs\":2,\"size\":30,\"ok\":true,\
         \"date\":\"2026-01-0{day}T00:00:00Z\",\"wall_ns_median\":{ms}e6,\
         \"by_round\":[{{\"wall_ns_median\":{ms}e6}}],\"machine\":{{\"architecture\":\"abacus\"}},\
         \"build\":{{\"git_revision\":\"{day}123456789\"}}}}\n"
    )
}

#[test]
fn kept_records_are_drawn_from_the_oldest_to_the_newest() {
    let here = tempfile::tempdir().unwrap();
    let kept = here.path().join("lab/records");
    fs::create_dir_all(&kept).unwrap();
    let newer = record("drumline", 2, 5) + &record("rayon", 2, 7);
    fs::write(kept.join("a.jsonl"), newer).unwrap();
    fs::write(kept.join("b.jsonl"), record("drumline", 1, 9)).unwrap();
    let output = history(here.path(), &["fib", "--out", "page"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let [old, new] = ["9.00 ms", "5.00 ms"].map(|figure| text.find(figure).unwrap());
    assert!(old < new, "{text}");
    for part in [
        "fib 30, 2 jobs",
        "2026-01-02",
        "2123456",
        "7.00 ms",
        "machine 1",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let page = fs::read_to_string(here.path().join("page/history.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("<td>9.00 ms</td>"));

    let file = kept.join("b.jsonl");
    let file = file.to_str().unwrap();
    let one = stdout(&history(here.path(), &["fib", "--record", file]));
    assert!(one.contains("9.00 ms") && !one.contains("5.00 ms"), "{one}");
}

#[test]
fn what_no_record_has_is_refused_with_advice() {
    let here = tempfile::tempdir().unwrap();
    for (arguments, why) in [
        (&["fib"][..], "cargo lab record fib"),
        (&["fibb"], "fib"),
        (&["fib", "--runtime", "ryon"], "rayon"),
        (&["fib", "--record", "nowhere"], "there are no records"),
    ] {
        let output = history(here.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert!(!here.path().join("target").exists(), "{arguments:?}");
    }
}

/// A run that was killed has no records, and one that was interrupted has not all of them.
#[test]
fn a_run_that_is_unfinished_says_how_to_go_on() {
    let here = tempfile::tempdir().unwrap();
    let run = here.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::write(run.join("journal.jsonl"), "").unwrap();
    let advice = "cargo lab --resume run";
    for command in [&["history", "fib"][..], &["published"]] {
        let output = crate::lab_in(here.path(), &[command, &["--record", "run"]].concat());
        assert_eq!(output.status.code(), Some(1), "{command:?}");
        let text = stderr(&output);
        assert!(
            text.contains("--record run: ") && text.contains(advice),
            "{text}"
        );
    }
    let partial = record("seq", 1, 9).replace("\"ok\"", "\"partial\":true,\"ok\"");
    fs::write(run.join("records.jsonl"), partial).unwrap();
    let output = history(here.path(), &["fib", "--record", "run"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(
        text.contains("was interrupted") && text.contains(advice),
        "{text}"
    );
}

#[test]
fn sizes_and_jobs_are_written_as_everywhere() {
    let here = tempfile::tempdir().unwrap();
    let file = here.path().join("one.jsonl");
    let line = record("seq", 1, 9).replace("\"jobs\":2,\"size\":30", "\"jobs\":1,\"size\":2000");
    fs::write(&file, line).unwrap();
    let file = file.to_str().unwrap();
    for (size, jobs) in [("2k", "1"), ("2_000", "1")] {
        let asked = ["fib", "--record", file, "--size", size, "--jobs", jobs];
        let output = history(here.path(), &asked);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stdout(&output).contains("9.00 ms"), "{}", stdout(&output));
    }
    for (option, value, why) in [
        ("--size", "1.5k", "but 1500 is"),
        ("--size", "many", "try 1000"),
        ("--jobs", "0", "at least one"),
        ("--jobs", "half", "--jobs 50%"),
        ("--jobs", "0%", "--jobs 50%"),
    ] {
        let output = history(here.path(), &["fib", "--record", file, option, value]);
        assert_eq!(output.status.code(), Some(2), "{option} {value}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
}
