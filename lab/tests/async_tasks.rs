//! Tasks that await: which runtime runs what, and what is measured only there.

use std::fs;

use drumline_lab::record::Record;
use drumline_lab::{registry, table};

use crate::answers::lab_beside_may;
use crate::{lab_in, stderr, stdout};

/// Runs a workload once as some runtimes.
fn run(workload: &str, size: &str, runtimes: &str, jobs: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--runtime", runtimes];
    let effort = ["--jobs", jobs, "--smoke", "--samples", "1", "--json", "-"];
    let output = lab_beside_may(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn coroutines_have_no_row_where_the_heap_is_measured() {
    for (workload, has_row) in [
        ("task-spawn-inside", true),
        ("task-spawn-outside", true),
        ("task-spawn-nested", true),
        ("task-yield", true),
        ("task-ring", true),
        ("task-rings", true),
        ("task-memory", false),
    ] {
        let runtimes = registry::workload(workload).unwrap().runtimes();
        let names: Vec<_> = runtimes.iter().map(|entry| entry.card.name).collect();
        assert_eq!(names.contains(&"may"), has_row, "{workload}");
        assert!(names.contains(&"tokio") && names.contains(&"async-executor"));
    }
}

#[test]
fn too_many_coroutines_are_declined() {
    let records = run("task-spawn-outside", "30_001", "may,async-executor", "2");
    let [peer, may] = &records[..] else {
        panic!("{records:?}");
    };
    assert_eq!((peer.ok, peer.items), (Some(true), Some(30_001)));
    assert_eq!((may.ok, may.wall_ns_median), (None, None));
    assert!(may.declined.as_ref().unwrap().contains("stacks"), "{may:?}");
}

#[test]
fn one_thread_has_one_job() {
    let records = run("task-yield", "10", "tokio-current,tokio", "2,3");
    let jobs = records.iter().map(|r| (r.runtime.as_str(), r.jobs));
    let expected = [("tokio", 2), ("tokio", 3), ("tokio-current", 1)];
    assert_eq!(Vec::from_iter(jobs), expected);
    assert!(records.iter().all(|record| record.items == Some(1_000)));
}

#[test]
fn rings_count_their_hops_and_tasks() {
    for (workload, size, hops, tasks) in [
        ("task-ring", "1234", 1_234, 100),
        ("task-rings", "7", 700, 10_000),
    ] {
        for record in run(workload, size, "tokio,async-executor,may", "2") {
            assert_eq!(record.ok, Some(true), "{record:?}");
            assert_eq!(record.items, Some(hops));
            assert_eq!(record.messages, Some(hops), "of one sample");
            assert_eq!(record.concurrency, Some(tasks));
        }
    }
}

#[test]
fn waiting_tasks_hold_heap() {
    let records = run("task-memory", "20_000", "tokio,async-executor-static", "2");
    let Some(of_tokio) = records[0].item_heap_bytes else {
        // Not every C library tells.
        assert!(records.iter().all(|record| record.declined.is_some()));
        return;
    };
    // A task of tokio is aligned to two cache lines.
    assert!((64.0..1_024.0).contains(&of_tokio), "{of_tokio}");
    let of_other = records[1].item_heap_bytes.unwrap();
    assert!(of_other > 0.0 && of_other < of_tokio, "{of_other}");
    let (_, grid) = table::grids(&records).remove(0);
    assert!(grid.header[2].ends_with("bytes/task"), "{:?}", grid.header);
    assert_eq!(grid.header[3..], ["ns/item", "peak MiB"]);
}

#[test]
fn a_smoke_run_covers_both_kinds_of_asynchronous_work() {
    let directory = tempfile::tempdir().unwrap();
    let peers = "tokio,async-executor,rayon";
    let arguments = ["async", "--smoke", "--samples", "1", "--runtime", peers];
    let output = lab_in(
        directory.path(),
        &[&arguments[..], &["--jobs", "2", "--out", "out"]].concat(),
    );
    assert!(output.status.success(), "{}", stderr(&output));
    let out = directory.path().join("out");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for workload in ["task-spawn-nested", "task-memory", "offload-30"] {
        let chart = fs::read_to_string(out.join(format!("{workload}.svg"))).unwrap();
        assert!(page.contains(&chart), "{workload}");
    }
    let text = fs::read_to_string(out.join("records.jsonl")).unwrap();
    // Seven workloads with two peers, three with one.
    assert_eq!(text.lines().count(), 17);
}
