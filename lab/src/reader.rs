//! Reads records that an earlier run has written.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use serde_json::{Map, Value};

use crate::record::Record;
use crate::statistics::is_time;

/// Parts of a record that a kept file has once: a line without one has that of the line before.
pub const REPEATED: [&str; 2] = ["machine", "build"];

/// The file with the records of a run: the file itself, or the one in a run's directory; `None` if
/// there is neither.
pub fn file_of(path: &Path) -> Option<PathBuf> {
    let inside = path.join("records.jsonl");
    [path.to_owned(), inside]
        .into_iter()
        .find(|path| path.is_file())
}

/// The records of a file with one JSON object per line.
///
/// # Errors
/// The file cannot be read, a line of it is no record, or there is none.
pub fn read(file: &Path) -> Result<Vec<Record>> {
    let text =
        fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let mut records = Vec::new();
    let mut last = Value::Null;
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = || format!("{}, line {}: not a record", file.display(), index + 1);
        let mut value: Value = serde_json::from_str(line).with_context(place)?;
        if let Some(fields) = value.as_object_mut() {
            for name in REPEATED {
                if let (None, Some(known)) = (fields.get(name), last.get(name)) {
                    fields.insert(name.to_owned(), known.clone());
                }
            }
            say_ok(fields);
        }
        let record: Record = serde_json::from_value(value.clone()).with_context(place)?;
        last = value;
        // Fields may be missing from a record of an older lab, but not its name.
        let is_named = !record.workload.is_empty() && !record.runtime.is_empty();
        ensure!(is_named, place());
        if let Some(figure) = impossible(&record) {
            bail!("{}: {figure:e} ns is a time that no clock shows", place());
        }
        records.push(record);
    }
    ensure!(!records.is_empty(), "{} holds no record", file.display());
    Ok(records)
}

/// A record without the field `ok` is one that was right, if it has a figure. One that was declined
/// has no such field in a kept record, either.
fn say_ok(fields: &mut Map<String, Value>) {
    let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
    if !fields.contains_key("ok") && !has("declined") {
        let is_right = if has("error") {
            Some(false)
        } else {
            has("wall_ns_median").then_some(true)
        };
        fields.insert("ok".to_owned(), is_right.into());
    }
}

/// A time of a record that is no time, and so nothing to compare with.
fn impossible(record: &Record) -> Option<f64> {
    if record.ok != Some(true) {
        return None;
    }
    let rounds = record.by_round.iter().map(|round| round.wall_ns_median);
    let mut times = record.wall_ns_median.into_iter().chain(rounds);
    times.find(|time| !is_time(*time))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Vec<Record>> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("records.jsonl");
        fs::write(&file, text).unwrap();
        assert_eq!(file_of(directory.path()), Some(file.clone()));
        assert_eq!(file_of(&file), Some(file.clone()));
        assert_eq!(file_of(&directory.path().join("no-such")), None);
        read(&file)
    }

    #[test]
    fn what_an_older_lab_did_not_write_is_unknown() {
        let line = r#"{"workload":"fib","runtime":"drumline","jobs":2,"size":35}"#;
        let records = written(&format!("{line}\n\n{line}\n")).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].jobs, records[0].size), (2, 35));
        assert_eq!(records[0].wall_ns_median, None);
        assert!(records[0].by_round.is_empty());
    }

    #[test]
    fn a_record_that_does_not_say_whether_it_was_right_was() {
        for (field, ok) in [
            ("\"wall_ns_median\":1.5", Some(true)),
            ("\"wall_ns_median\":1.5,\"ok\":null", None),
            ("\"wall_ns_median\":1.5,\"declined\":\"no\"", None),
            ("\"error\":\"no\"", Some(false)),
            ("\"wall_ns_median\":null", None),
            ("\"size\":1", None),
        ] {
            let line = format!(r#"{{"workload":"fib","runtime":"seq",{field}}}"#);
            assert_eq!(written(&line).unwrap()[0].ok, ok, "{field}");
        }
    }

    #[test]
    fn a_time_that_is_none_is_an_error() {
        for time in ["-1.0", "0.0", "1e-300", "1e300"] {
            for line in [
                format!(
                    r#"{{"workload":"fib","runtime":"seq","ok":true,"wall_ns_median":{time}}}"#
                ),
                format!(
                    r#"{{"workload":"fib","runtime":"seq","ok":true,
                    "by_round":[{{"wall_ns_median":{time}}}]}}"#
                )
                .replace('\n', ""),
            ] {
                let error = format!("{:#}", written(&line).unwrap_err());
                assert!(error.contains("no clock shows"), "{error}");
            }
        }
    }

    #[test]
    fn what_is_no_record_is_an_error_with_its_line() {
        for nonsense in ["hello", "{}", "{\"workload\":3}"] {
            let line = r#"{"workload":"fib","runtime":"drumline"}"#;
            let error = written(&format!("{line}\n{nonsense}\n")).unwrap_err();
            let error = format!("{error:#}");
            assert!(error.contains("line 2: not a record"), "{error}");
        }
        assert!(written("").unwrap_err().to_string().contains("no record"));
    }
}
