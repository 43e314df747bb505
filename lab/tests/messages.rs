//! Messages: which library has which channels, and what is measured only there.

use drumline_lab::record::Record;
use drumline_lab::{registry, table};

use crate::{lab, stderr, stdout};

/// Runs a workload once as some runtimes.
fn run(workload: &str, size: &str, runtimes: &str, jobs: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--runtime", runtimes];
    let effort = ["--jobs", jobs, "--smoke", "--samples", "1", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_library_has_rows_for_the_channels_that_it_has() {
    let all =
        "std-mpsc crossbeam flume kanal crossfire tokio async-channel channel-lock global-lock";
    for (workload, without, besides) in [
        ("msgsend", "", "locked-sender"),
        ("spsc-unbounded", "", ""),
        ("spsc-bounded", "", "rtrb"),
        ("spsc-batch", "", ""),
        ("mpsc", "", "locked-sender"),
        ("mpsc-bounded", "", ""),
        ("mpmc", "std-mpsc tokio", ""),
        ("ping-pong", "", "rtrb"),
        ("oneshot", "", "oneshot locked-sender"),
        ("channel-memory-spsc", "", ""),
        ("channel-memory-spsc-bounded", "", "rtrb"),
        ("channel-memory-mpsc", "", "locked-sender"),
        ("channel-memory-senders", "", "locked-sender"),
        ("channel-memory-mpmc", "std-mpsc tokio", ""),
        ("channel-memory-oneshot", "", "oneshot locked-sender"),
        ("token-ring", "std-mpsc crossbeam", "may"),
        ("threadring", "std-mpsc crossbeam", "may"),
    ] {
        let runtimes = registry::workload(workload).unwrap().runtimes();
        let mut names: Vec<_> = runtimes.iter().map(|entry| entry.card.name).collect();
        names.retain(|name| !name.starts_with("drumline"));
        names.sort_unstable();
        let kept = all.split(' ').filter(|name| !without.contains(*name));
        let mut expected: Vec<_> = kept.chain(besides.split_terminator(' ')).collect();
        expected.sort_unstable();
        assert_eq!(names, expected, "{workload}");
    }
}

#[test]
fn messages_and_ends_are_counted() {
    for (workload, size, items, messages, ends) in [
        ("msgsend", "30", 300, 300, 11),
        ("msgsend-0", "30", 300, 300, 11),
        ("mpsc", "101", 101, 101, 5),
        ("mpmc", "101", 101, 101, 8),
        ("spsc-batch", "1001", 1_001, 1_001, 2),
        ("ping-pong", "10", 10, 20, 2),
        ("oneshot-threads", "10", 10, 20, 2),
        ("token-ring", "1234", 1_234, 1_234, 100),
        ("threadring", "1234", 1_234, 1_234, 503),
        ("stream-ring", "12", 1_200, 1_200, 100),
    ] {
        let records = run(workload, size, "flume,channel-lock", "2");
        assert_eq!(records.len(), 2, "{workload}");
        for record in &records {
            assert_eq!(record.ok, Some(true), "{record:?}");
            assert_eq!(record.items, Some(items), "{workload}");
            assert_eq!(record.messages, Some(messages), "{workload}");
            assert_eq!(record.concurrency, Some(ends), "{workload}");
        }
    }
}

#[test]
fn both_sides_of_a_protocol_are_counted() {
    for (workload, size, items, messages, ends) in [
        ("protocol", "1001", 1_001, 1_001, 1),
        ("protocol-stream", "1001", 1_001, 1_001, 2),
        ("protocol-rounds", "10", 10, 20, 2),
    ] {
        let all = "drumline,drumline-protocol,std-mpsc,crossbeam";
        let records = run(workload, size, all, "2");
        assert_eq!(records.len(), 4, "{workload}");
        for record in &records {
            assert_eq!(record.ok, Some(true), "{record:?}");
            assert_eq!(record.items, Some(items), "{workload}");
            assert_eq!(record.messages, Some(messages), "{workload}");
            assert_eq!(record.concurrency, Some(ends), "{workload}");
        }
    }
}

#[test]
fn a_row_has_the_version_of_its_library() {
    let records = run("oneshot", "10", "flume,oneshot,std-mpsc", "1");
    let versions = records.iter().map(|r| r.runtime_version.as_deref());
    let versions: Vec<_> = versions.map(|version| version.unwrap_or("none")).collect();
    // Another dependency brings an older one.
    assert!(versions[1].starts_with("0.12."), "{versions:?}");
    let (_, grid) = table::grids(&records).remove(0);
    assert_eq!(grid.header[2..], ["1 job: channels/s", "ns/item", "CPU ms"]);
}

#[test]
fn idle_channels_hold_heap() {
    // What a channel behind a lock holds is known: a queue that keeps its place for messages.
    const MESSAGES: f64 = 500.0 * 32.0;
    for (workload, size, least, most) in [
        ("channel-memory-spsc", "0", 64.0, 512.0),
        ("channel-memory-spsc", "500", MESSAGES, 2.0 * MESSAGES),
        ("channel-memory-spsc-bounded", "500", 128.0 * 32.0, 6_000.0),
        ("channel-memory-mpsc", "0", 64.0, 512.0),
        ("channel-memory-mpmc", "0", 64.0, 512.0),
        ("channel-memory-senders", "0", 6.0, 52.0),
        (
            "channel-memory-senders",
            "500",
            MESSAGES / 10.0,
            MESSAGES / 5.0,
        ),
        ("channel-memory-oneshot", "1000", 64.0, 512.0),
    ] {
        let record = run(workload, size, "channel-lock", "1").remove(0);
        assert_eq!(record.items, Some(1_000), "{record:?}");
        let Some(bytes) = record.item_heap_bytes else {
            // Not every C library tells.
            assert!(record.declined.is_some(), "{record:?}");
            continue;
        };
        assert_eq!(record.ok, Some(true), "{record:?}");
        assert!((least..most).contains(&bytes), "{workload}: {bytes}");
    }
    let records = run("channel-memory-spsc", "0,500", "channel-lock", "1");
    let (_, grid) = table::grids(&records).remove(0);
    assert!(grid.header[2].ends_with("bytes/channel"), "{grid:?}");
    let labels = grid.rows.iter().map(|row| row.cells[0].as_str());
    assert!(labels.eq(["new", "after 500"]), "{grid:?}");
}

/// The default run has no time for them.
#[test]
fn only_rings_have_numbers_of_jobs() {
    for entry in registry::all_workloads() {
        if entry.family.name == "messages" {
            let is_ring = entry.card.name.ends_with("ring");
            let jobs = if is_ring { vec![1, 8] } else { vec![8] };
            assert_eq!(entry.jobs(8, false), jobs, "{}", entry.card.name);
            assert_eq!(entry.card.default_rank, None, "{}", entry.card.name);
        }
    }
}
