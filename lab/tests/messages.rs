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
fn a_row_has_the_version_of_its_library() {
    let records = run("oneshot", "10", "flume,oneshot,std-mpsc", "1");
    let versions = records.iter().map(|r| r.runtime_version.as_deref());
    let versions: Vec<_> = versions.map(|version| version.unwrap_or("none")).collect();
    // Another dependency brings an older one.
    assert!(versions[1].starts_with("0.12."), "{versions:?}");
    let (_, grid) = table::grids(&records).remove(0);
    assert_eq!(grid.header[2..], ["1 job: channels/s", "ns/item", "CPU ms"]);
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
