//! What a run leaves behind.

use std::fs;

use drumline_lab::record::Record;

use crate::{lab_in, stderr, stdout};

const TINY: [&str; 9] = [
    "--smoke",
    "--rounds",
    "2",
    "--samples",
    "2",
    "--size",
    "12",
    "--jobs",
    "1,2",
];

#[test]
fn a_run_leaves_records_charts_and_a_page() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("deep").join("er");
    let out_text = out.to_str().unwrap();
    let arguments = [&["run", "tree-sum", "fib", "--out", out_text], &TINY[..]].concat();
    let output = lab_in(directory.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.trim_end()
            .lines()
            .last()
            .unwrap()
            .ends_with("report.html"),
        "{text}"
    );

    let lines = fs::read_to_string(out.join("records.jsonl")).unwrap();
    let records: Vec<Record> = lines
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(records.len(), 22);
    for record in &records {
        assert_eq!(record.ok, Some(true), "{record:?}");
        assert_eq!((record.rounds, record.wall_ns_samples.len()), (2, 4));
    }

    let mut table = csv::Reader::from_path(out.join("records.csv")).unwrap();
    let header = table.headers().unwrap().clone();
    assert!(header.iter().any(|name| name == "machine.cpu_model"));
    let column = header.iter().position(|name| name == "runtime").unwrap();
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    let runtimes: Vec<_> = rows.iter().map(|row| row[column].to_owned()).collect();
    assert_eq!(
        runtimes,
        records
            .iter()
            .map(|r| r.runtime.clone())
            .collect::<Vec<_>>()
    );

    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for name in ["tree-sum", "fib"] {
        let chart = fs::read_to_string(out.join(format!("{name}.svg"))).unwrap();
        assert!(chart.starts_with("<svg") && page.contains(&chart));
        assert!(chart.contains("drumline") && chart.contains("rayon"));
    }
    for needs_the_net in ["src=\"http", "href=\"http", "@import", "<link"] {
        assert!(!page.contains(needs_the_net), "{needs_the_net}");
    }
    let (_, data) = page.split_once("id=\"records\">").unwrap();
    let (data, _) = data.split_once("</script>").unwrap();
    let embedded: Vec<Record> = serde_json::from_str(data).unwrap();
    assert_eq!(embedded, records);
}

#[test]
fn a_curve_has_a_line_per_runtime() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "slice-sum-curve", "--size", "3,40,500", "--smoke"];
    let output = lab_in(
        directory.path(),
        &[&arguments[..], &["--out", "out"]].concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let out = directory.path().join("out");
    let chart = fs::read_to_string(out.join("slice-sum-curve.svg")).unwrap();
    for name in ["drumline", "rayon", "orx-parallel", "paralight"] {
        assert!(chart.contains(name), "{name}");
    }
    assert!(chart.contains("1.1 × + 15 ns") && chart.contains("jobs 2"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains(&chart));

    // Without the plain loop there is nothing to divide by.
    let arguments = [&arguments[..], &["--runtime", "rayon", "--out", "bars"]].concat();
    let output = lab_in(directory.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let bars = directory.path().join("bars").join("slice-sum-curve.svg");
    let bars = fs::read_to_string(bars).unwrap();
    assert!(bars.contains("ns per number") && !bars.contains("1.1 ×"));
}

#[test]
fn a_record_survives_being_written_and_read() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [&["run", "fib", "--json", "records.jsonl"], &TINY[..]].concat();
    let output = lab_in(directory.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(directory.path().join("records.jsonl")).unwrap();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&record).unwrap(), line);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_costs_the_records_but_not_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [&["run", "fib", "--json", "/dev/full"], &TINY[..]].concat();
    let output = lab_in(directory.path(), &arguments);
    assert!(!output.status.success());
    assert!(stdout(&output).contains("ns/call"));
    let text = stderr(&output);
    assert!(
        text.contains("/dev/full") && text.contains("space"),
        "{text}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn tables_that_cannot_be_written_are_a_failure() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [&["run", "fib", "--out", "kept"], &TINY[..]].concat();
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let child = crate::command(&arguments)
        .current_dir(directory.path())
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert_eq!(
        text.matches("send it to another place").count(),
        1,
        "{text}"
    );
    assert!(text.contains("report: kept/report.html"), "{text}");
    assert!(directory.path().join("kept/records.jsonl").exists());
}
