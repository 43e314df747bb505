//! Tasks that block: which runtimes finish, and what becomes of the others.

use std::fs;

use drumline_lab::record::Record;
use drumline_lab::table::{self, RowKind};

use crate::{lab, lab_in, stderr, stdout};

fn records(text: &str) -> Vec<Record> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Runs `blocking-dep` as a peer and expects its one record. It is a success in any case.
fn dep(runtime: &str, size: &str, more: &[&str]) -> Record {
    let arguments = ["run", "blocking-dep", "--runtime", runtime, "--jobs", "2"];
    let output = lab(&[&arguments[..], &["--size", size, "--json", "-"], more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    records(&stdout(&output)).pop().unwrap()
}

#[test]
fn a_deadlock_is_a_row_in_every_output() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = ["run", "blocking-dep", "--runtime", "rayon", "--size", "8"];
    let effort = ["--jobs", "2", "--rounds", "3", "--timeout", "6"];
    let output = lab_in(
        directory.path(),
        &[&arguments[..], &effort, &["--out", "out"]].concat(),
    );
    // What a peer does is not the lab's mistake.
    assert!(output.status.success(), "{}", stderr(&output));
    let (why, table) = ("deadlock: not finished after 6 s", stdout(&output));
    assert!(table.contains("DEADLOCK") && table.contains(why), "{table}");

    let out = directory.path().join("out");
    let record = records(&fs::read_to_string(out.join("records.jsonl")).unwrap()).remove(0);
    assert_eq!((record.ok, record.deadlock), (Some(false), true));
    assert_eq!(record.error.as_deref(), Some(why));
    assert_eq!(record.wall_ns_median, None);
    assert_eq!(record.rounds, 1, "once is enough");

    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains(why) && page.contains("DEADLOCK"));
    let chart = fs::read_to_string(out.join("blocking-dep.svg")).unwrap();
    assert!(chart.contains("deadlock"));
}

#[test]
fn a_thread_per_task_finishes() {
    let record = dep("thread-per-job", "600", &["--rounds", "1"]);
    assert_eq!((record.ok, record.deadlock), (Some(true), false));
    assert_eq!(record.concurrency, Some(1_200));
    assert_eq!(record.messages, Some(600));
    assert!(record.wall_ns_min.unwrap() >= 5e8, "the pause counts");
    if cfg!(target_os = "linux") {
        assert!(record.threads_peak.unwrap() >= 600, "{record:?}");
    }
}

#[test]
fn a_pool_with_a_cap_ends_there() {
    let below = dep("tokio-spawn-blocking", "100", &["--rounds", "1"]);
    assert_eq!(below.ok, Some(true), "{below:?}");
    let above = dep("tokio-spawn-blocking", "600", &["--timeout", "12"]);
    assert!(above.deadlock, "{above:?}");
    if cfg!(target_os = "linux") {
        assert!(above.threads_peak.unwrap() >= 512, "{above:?}");
    }
}

#[test]
fn tasks_that_sleep_are_only_late() {
    let arguments = ["run", "blocking-sleep", "--size", "400", "--jobs", "1"];
    let effort = ["--runtime", "rayon", "--timeout", "1", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(!output.status.success());
    let record = records(&stdout(&output)).remove(0);
    assert!(!record.deadlock);
    assert!(record.error.unwrap().contains("longer than 1 s"));
}

#[test]
fn a_smoke_run_covers_all_peers() {
    let peers = "rayon,tokio,tokio-block-in-place,tokio-spawn-blocking,blocking,thread-per-job";
    let arguments = ["blocking", "--smoke", "--runtime", peers];
    let output = lab(&[&arguments[..], &["--jobs", "2", "--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let records = records(&stdout(&output));
    assert_eq!(records.len(), 2 * peers.split(',').count());
    for record in &records {
        let fixed = ["rayon", "tokio"].contains(&record.runtime.as_str());
        let deadlock = fixed && record.workload == "blocking-dep";
        assert_eq!(record.deadlock, deadlock, "{record:?}");
        assert_eq!(record.ok, Some(!deadlock), "{record:?}");
        assert_eq!(record.rounds, 1);
    }
}

#[test]
fn each_of_ours_is_compared_by_itself() {
    let runtimes = "drumline,drumline-announced,thread-per-job";
    let arguments = ["blocking", "--size", "1", "--runtime", runtimes];
    let output = lab(&[&arguments[..], &["--jobs", "2", "--smoke", "--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let mut records = records(&stdout(&output));
    let ratios = |records: &[Record]| {
        let (_, grid) = table::grids(records).remove(0);
        let rows = grid.rows.into_iter();
        let ratios = rows.filter(|row| row.kind == RowKind::Ratio);
        ratios.map(|row| row.cells[1].clone()).collect::<Vec<_>>()
    };
    let (unannounced, announced) = ("drumline ÷ best peer", "drumline-announced ÷ best peer");
    assert_eq!(ratios(&records), [unannounced, announced]);

    let failed = &mut records[0];
    assert_eq!(failed.runtime, "drumline");
    failed.by_round.clear();
    assert_eq!(ratios(&records), [announced]);
}
