//! Computing for asynchronous code: latencies, and when their tail is told.

use drumline_lab::record::Record;
use drumline_lab::table;

use crate::{lab, stderr, stdout};

/// Runs a workload once as all peers.
fn run(workload: &str, size: &str, runtimes: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--runtime", runtimes];
    let effort = ["--jobs", "2", "--rounds", "1", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_request_has_a_latency() {
    let peers = "rayon,tokio-rayon,tokio-spawn-blocking,tokio-spawn-blocking-capped";
    let mut records = run("offload-60", "50", peers);
    assert_eq!(records.len(), peers.split(',').count());
    for record in &records {
        assert_eq!((record.ok, record.items), (Some(true), Some(50)));
        assert!(record.latency_ns_p50 > Some(0.0), "{record:?}");
        assert!(record.latency_ns_p50 <= record.latency_ns_p99);
        assert_eq!(record.latency_ns_p999, None, "too few to tell");
    }
    let (_, grid) = table::grids(&records).remove(0);
    let names = ["p50 µs", "p99.9 µs", "items/s", "CPU ms"];
    assert!(grid.header[2].ends_with("p99 µs"), "{:?}", grid.header);
    assert_eq!(grid.header[3..], names);
    assert_eq!(grid.rows[0].cells[4], "");
    records[0].latency_ns_p999 = Some(5e6);
    let (_, grid) = table::grids(&records).remove(0);
    assert!(grid.rows[0].cells[4].starts_with("5,000"));
}
