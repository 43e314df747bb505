//! `published`: the pages, and where their figures are from.

use std::fs;
use std::path::Path;
use std::process::Output;

use drumline_lab::machine::Machine;
use drumline_lab::reader;

use crate::{command, stderr, stdout};

/// Shows tables in a directory, in which there are no records but those that a test has made.
fn published(directory: &Path, arguments: &[&str]) -> Output {
    command(&[&["published"], arguments].concat())
        .current_dir(directory)
        // The lab then takes the current directory for the repository.
        .env_remove("CARGO_MANIFEST_DIR")
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .output()
        .unwrap()
}

fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).unwrap()
}

#[test]
fn without_records_the_pages_have_what_was_published() {
    let here = tempfile::tempdir().unwrap();
    let output = published(here.path(), &["--out", "pages"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "Spice (Zig)",
        "4,393,010",
        "13.9 GiB",
        "Spice is measured here where",
        "Erlang is measured here where",
        "not measured here: drumline",
        "cargo lab published --run",
        "page: pages/published.html",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let pages = here.path().join("pages");
    let html = read(&pages, "published.html");
    assert!(html.starts_with("<!doctype html>") && html.contains("<svg"));
    assert!(read(&pages, "published.md").contains("| Rayon | published | 1.56 |"));
    let again = published(here.path(), &["--out", "pages"]);
    assert!(stderr(&again).contains("--force"), "{}", stderr(&again));
}

/// What was measured is a run like any other, in which the next page finds its figures.
#[test]
fn what_is_missing_is_measured_once() {
    let here = tempfile::tempdir().unwrap();
    let arguments = ["--table", "tree-sum-1000", "--run", "--rounds", "1"];
    let first = published(here.path(), &[&arguments[..], &["--out", "first"]].concat());
    assert!(first.status.success(), "{}", stderr(&first));
    let file = here.path().join("first/records.jsonl");
    let records = reader::read(&file).unwrap();
    let seq = records.iter().filter(|record| record.runtime == "seq");
    assert_eq!(seq.count(), 1);
    assert!(
        records
            .iter()
            .all(|record| record.size == 1000 && record.ok == Some(true))
    );
    let html = read(here.path(), "first/published.html");
    assert!(
        html.contains(
            "<tr class=\"ours\"><td class=\"name\">drumline</td><td class=\"name\">here</td>"
        ),
        "{html}"
    );

    let from = ["--record", "first", "--out", "second"];
    let second = published(here.path(), &[&arguments[..], &from].concat());
    assert!(second.status.success(), "{}", stderr(&second));
    assert!(
        stderr(&second).contains("nothing is missing"),
        "{}",
        stderr(&second)
    );
    assert!(!here.path().join("second/records.jsonl").exists());
    let rows = |text: String| -> Vec<String> {
        let rows = text.lines().filter(|line| line.contains("| here |"));
        rows.map(str::to_owned).collect()
    };
    let [one, two] =
        ["first", "second"].map(|name| rows(read(here.path(), &format!("{name}/published.md"))));
    assert_eq!(one, two);
    assert_eq!(one.len(), 6, "{one:?}");
}

/// Without `--record`, runs in target/lab and kept records are looked through.
#[test]
fn records_are_found_where_they_are_kept() {
    let here = tempfile::tempdir().unwrap();
    let on = |machine: &Machine, wall: f64, date: &str| {
        let machine = serde_json::to_string(machine).unwrap();
        format!(
            "{{\"workload\":\"msgsend\",\"runtime\":\"drumline\",\"jobs\":1,\"size\":100000,\
             \"ok\":true,\"item_ns_median\":{wall},\"date\":\"{date}\",\
             \"machine\":{machine}}}\n"
        )
    };
    let mut this = Machine::look();
    this.cores_available = Some(1);
    this.kernel = Some("an older kernel".to_owned());
    let mut other = this.clone();
    other.cpu_model = Some("abacus".to_owned());
    let record = |wall: f64, date: &str| on(&this, wall, date);
    let put = |name: &str, text: &str| {
        let file = here.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    put(
        "lab/records/kept.jsonl",
        &record(100.0, "2026-01-02T00:00:00Z"),
    );
    put(
        "target/lab/a-run/records.jsonl",
        &record(50.0, "2026-01-01T00:00:00Z"),
    );
    put("target/lab/broken/records.jsonl", "nonsense\n");
    // The newest of all, and yet not of this machine.
    put(
        "lab/records/other.jsonl",
        &on(&other, 10.0, "2026-01-04T00:00:00Z"),
    );
    let table = ["--table", "msgsend", "--out", "pages", "--force"];
    let output = published(here.path(), &table);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("10,000,000") && text.contains("kept.jsonl"),
        "{text}"
    );
    assert!(text.contains("an older kernel"), "{text}");
    assert!(!text.contains("abacus"), "{text}");
    let warning = stderr(&output);
    assert!(
        warning.contains("1 run of other machines") && warning.contains("other.jsonl"),
        "{warning}"
    );
    assert!(
        warning.contains("left out: target/lab/broken") || warning.contains("broken/records.jsonl"),
        "{warning}"
    );

    put(
        "target/lab/b-run/records.jsonl",
        &record(25.0, "2026-01-03T00:00:00Z"),
    );
    let text = stdout(&published(here.path(), &table));
    assert!(
        text.contains("40,000,000") && !text.contains("kept.jsonl"),
        "{text}"
    );

    let named = published(
        here.path(),
        &[&table[..], &["--record", "lab/records/other.jsonl"]].concat(),
    );
    let text = stdout(&named);
    assert!(text.contains("100,000,000"), "{text}");
    assert!(text.contains("not of this machine"), "{text}");
}

#[test]
fn what_makes_no_sense_is_refused_with_advice() {
    let here = tempfile::tempdir().unwrap();
    for (arguments, why) in [
        (&["--table", "trees"][..], "tree-sum-1000"),
        (&["--record", "nowhere"], "there are no records"),
        (&["--run", "--rounds", "0"], "--rounds 3"),
        (&["--rounds", "3"], "--run"),
    ] {
        let output = published(here.path(), arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(why), "{text}");
        assert!(!here.path().join("target").exists(), "{arguments:?}");
    }
}

#[test]
fn help_has_examples() {
    let here = tempfile::tempdir().unwrap();
    let text = stdout(&published(here.path(), &["--help"]));
    assert!(
        text.contains("Examples:") && text.contains("--record"),
        "{text}"
    );
}
