//! The document of the columns: it has a line for each column of a spreadsheet, and no other.

use std::collections::BTreeSet;
use std::fs;

use drumline_lab::record::Record;
use drumline_lab::round::RoundFigures;
use drumline_lab::statistics::Interval;
use drumline_lab::{export, reader};
use serde_json::Value;

use crate::{lab_in, stderr};

const DOCUMENT: &str = include_str!("../COLUMNS.md");

/// The names in the first cell of each row of the document, and the rows without an explanation.
fn documented() -> (BTreeSet<String>, Vec<&'static str>) {
    let mut names = BTreeSet::new();
    let mut empty = Vec::new();
    for line in DOCUMENT.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split(" | ");
        let first = cells.next().unwrap_or_default();
        for name in first.split('`').skip(1).step_by(2) {
            assert!(names.insert(name.to_owned()), "{name} is there twice");
        }
        if cells.next().is_none_or(|text| text.trim().is_empty()) {
            empty.push(line);
        }
    }
    (names, empty)
}

/// The columns of a spreadsheet.
fn columns(csv: &[u8]) -> BTreeSet<String> {
    let mut reader = csv::Reader::from_reader(csv);
    let header = reader.headers().unwrap();
    header.iter().map(str::to_owned).collect()
}

/// The names of all values in an object, with a dot between those of one in another.
fn names(prefix: &str, value: &Value, all: &mut BTreeSet<String>) {
    match value.as_object() {
        Some(object) => {
            for (name, value) in object {
                names(&format!("{prefix}.{name}"), value, all);
            }
        }
        None => {
            all.insert(prefix.to_owned());
        }
    }
}

/// Everything that a record can have.
fn everything() -> BTreeSet<String> {
    let record = Record {
        wall_ns_interval: Some(Interval {
            low: 1.0,
            high: 2.0,
        }),
        slowdown_percent: Some(5),
        ..Record::default()
    };
    let mut all = columns(&export::csv(&[record]).unwrap());
    let round = serde_json::to_value(RoundFigures::default()).unwrap();
    names("by_round", &round, &mut all);
    all
}

#[test]
fn every_column_has_its_line() {
    let (documented, empty) = documented();
    assert!(empty.is_empty(), "{empty:?}");
    let all = everything();
    let missing: Vec<_> = all.difference(&documented).collect();
    assert!(
        missing.is_empty(),
        "lab/COLUMNS.md has no line for {missing:?}"
    );
    let unknown: Vec<_> = documented.difference(&all).collect();
    assert!(
        unknown.is_empty(),
        "no record has {unknown:?} of lab/COLUMNS.md"
    );
}

/// The file of a real run has no column that a made-up record lacks.
#[test]
fn the_file_of_a_run_is_documented() {
    let here = tempfile::tempdir().unwrap();
    let run = ["run", "fib", "--smoke", "--size", "fib=5", "--jobs", "1"];
    let output = lab_in(here.path(), &[&run[..], &["--out", "out"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let csv = fs::read(here.path().join("out/records.csv")).unwrap();
    let mut documented = documented().0;
    // Of one process there is no interval.
    documented.insert("wall_ns_interval".to_owned());
    let missing = columns(&csv);
    let missing: Vec<_> = missing.difference(&documented).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(DOCUMENT.contains("one empty column `wall_ns_interval`"));
}

#[test]
fn a_record_says_how_and_when_each_sample_was_taken() {
    let here = tempfile::tempdir().unwrap();
    let run = [
        "run",
        "fib",
        "--runtime",
        "rayon",
        "--jobs",
        "1",
        "--size",
        "5",
    ];
    let effort = ["--rounds", "3", "--samples", "2", "--out", "out"];
    let arguments = [&run[..], &effort].concat();
    let output = lab_in(here.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let records = reader::read(&here.path().join("out/records.jsonl")).unwrap();
    let [record] = &records[..] else {
        panic!("{} records", records.len());
    };
    assert_eq!(record.command, arguments);
    assert_eq!(record.wall_ns_samples.len(), 6);
    assert_eq!(record.wall_ns_sample_rounds, [0, 0, 1, 1, 2, 2]);
    if cfg!(target_os = "linux") {
        let loads = record.by_round.iter().map(|round| round.load);
        assert!(
            loads
                .into_iter()
                .all(|load| load.is_some_and(|load| load >= 0.0))
        );
    }
}
