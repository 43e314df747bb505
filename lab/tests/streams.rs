//! Streams: what is only measured there, and that it is in every output.

use std::fs;

use drumline_lab::effort::Effort;
use drumline_lab::measurement::Measurement;
use drumline_lab::record::Record;
use drumline_lab::session::Session;
use drumline_lab::table::{self, GridRow};

use crate::{lab, lab_in, stderr, stdout};

/// Runs a workload once as some runtimes with two jobs.
fn run(workload: &str, size: &str, runtimes: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--runtime", runtimes];
    let effort = ["--jobs", "2", "--smoke", "--samples", "1", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn cell<'a>(records: &[Record], rows: &'a [GridRow], runtime: &str, name: &str) -> &'a str {
    let (_, grid) = table::grids(records).remove(0);
    let column = grid.header.iter().position(|known| known == name).unwrap();
    let row = rows.iter().find(|row| row.cells[1] == runtime).unwrap();
    &row.cells[column]
}

#[test]
fn three_pipelines_have_the_items_of_three() {
    for workload in [
        "triple-pool",
        "triple-pool-batch20",
        "triple-pool-processes",
    ] {
        let runtimes = "static,biased,crossbeam,rayon,drumline-spawn";
        let records = run(workload, "100", runtimes);
        assert_eq!(records.len(), 5);
        for record in &records {
            assert_eq!(record.ok, Some(true), "{record:?}");
            assert_eq!(record.items, Some(3 * 100 * 50 * 2), "{workload}");
            assert_eq!(record.messages, record.items);
            let handed_over = record.runtime != "static";
            assert_eq!(record.latency_ns_p50.is_some(), handed_over, "{record:?}");
            assert!(record.latency_ns_p50 <= record.latency_ns_p99);
            if cfg!(target_os = "linux") {
                assert!(record.ctx_voluntary.is_some() && record.faults_minor.is_some());
            }
        }
    }
}

/// What one of several processes found.
fn elsewhere(switches: u64, latency: u64) -> Measurement {
    let mut found = Measurement {
        migrations: Some(1),
        ..Measurement::default()
    };
    found.usage.ctx_voluntary = Some(switches);
    found.latencies.add(latency);
    found
}

#[test]
fn what_other_processes_used_is_added_up() {
    let mut session = Session::new(Effort::once());
    let three = || vec![elsewhere(1, 10), elsewhere(20, 40), elsewhere(300, 20)];
    session.sample_elsewhere(9, || Ok(three()), Ok);
    let found = session.end();
    assert_eq!(found.error, None);
    assert_eq!((found.items, found.operations), (9, 1));
    assert_eq!(found.usage.ctx_voluntary, Some(321));
    assert_eq!(found.usage.faults_minor, None, "unknown stays unknown");
    assert_eq!(found.migrations, Some(3));
    assert_eq!(found.latencies.max(), Some(40));
    assert_eq!(found.latencies.percentile(50), Some(20.0));
}

#[test]
fn what_goes_wrong_in_another_process_is_an_error() {
    let mut session = Session::new(Effort::once());
    let mut wrong = elsewhere(1, 1);
    wrong.error = Some("item 7 was handled twice".to_owned());
    session.sample_elsewhere(9, || Ok(vec![elsewhere(1, 1), wrong.clone()]), Ok);
    let error = session.end().error.unwrap();
    assert_eq!(error, "item 7 was handled twice");

    let mut session = Session::new(Effort::once());
    session.sample_elsewhere(9, || Ok(()), |()| anyhow::bail!("it is gone"));
    assert_eq!(session.end().error.as_deref(), Some("it is gone"));
}

#[test]
fn switches_are_held_against_those_of_static() {
    let mut records = run("triple-pool", "100", "static,crossbeam");
    let counts = [(10.0, 2.0), (700.5, 11.5)];
    for (record, (voluntary, involuntary)) in records.iter_mut().zip(counts) {
        for round in &mut record.by_round {
            round.ctx_voluntary = Some(voluntary);
            round.ctx_involuntary = Some(involuntary);
        }
    }
    let (_, grid) = table::grids(&records).remove(0);
    let above = |runtime| cell(&records, &grid.rows, runtime, "above static").to_owned();
    assert_eq!([above("static"), above("crossbeam")], ["0", "700"]);

    records.remove(0);
    let (_, grid) = table::grids(&records).remove(0);
    let cell = |name| cell(&records, &grid.rows, "crossbeam", name);
    assert_eq!((cell("switches"), cell("above static")), ("712", ""));
}

#[test]
fn who_has_no_such_stream_has_no_row() {
    let records = run("light-load", "3", "blocked-thread,rayon,static,pariter");
    let runtimes: Vec<&str> = records.iter().map(|r| r.runtime.as_str()).collect();
    assert_eq!(runtimes, ["blocked-thread", "rayon"]);
    assert!(records.iter().all(|r| r.latency_ns_max.is_some()));

    let output = lab(&["run", "map-ordered", "--runtime", "crossbeam"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("does not run map-ordered") && text.contains("pariter"),
        "{text}"
    );
}

#[test]
fn every_kind_of_stream_is_in_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let workloads = ["run", "triple-pool", "light-load", "map-ordered"];
    let arguments = ["--size", "10", "--jobs", "1,2", "--smoke", "--out", "out"];
    let output = lab_in(directory.path(), &[&workloads[..], &arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let out = directory.path().join("out");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for column in ["above static", "p99 µs", "peak MiB", "migrations"] {
        assert!(page.contains(&format!("<th>{column}</th>")), "{column}");
    }
    for workload in &workloads[1..] {
        let chart = fs::read_to_string(out.join(format!("{workload}.svg"))).unwrap();
        assert!(page.contains(&chart) && chart.contains("rayon"));
    }
}

#[test]
fn a_process_that_nobody_lets_go_on_ends() {
    // Its standard input is empty here.
    let order = r#"{"workload":"single-pool","runtime":"rayon","jobs":1,"size":1,"gated":true,
        "effort":{"warm_up_ms":0,"window_ms":0,"samples_min":1,"samples_max":1,"sample_ns":0}}"#;
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_drumline-lab"))
        .args(["__child", order])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = stdout(&output);
    assert!(
        text.starts_with("ready\n") && text.contains("is gone"),
        "{text}"
    );
}
