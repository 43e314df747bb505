//! Virtual cores: what is only measured there, and that it is in every output.

use std::fs;

use drumline_lab::effort::Effort;
use drumline_lab::record::Record;
use drumline_lab::registry;
use drumline_lab::session::Session;
use drumline_lab::table::{self, RowKind};

use crate::{lab, lab_in, stderr, stdout};

/// Runs a workload once with two jobs.
fn run(workload: &str, size: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--jobs", "2"];
    let effort = ["--smoke", "--samples", "1", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn runtimes(records: &[Record]) -> Vec<&str> {
    records.iter().map(|r| r.runtime.as_str()).collect()
}

#[test]
fn a_record_holds_the_peak_and_the_bound() {
    let records = run("vc-loop", "4");
    let rows = ["ideal", "drumline-no-spares", "drumline", "rayon"];
    assert_eq!(runtimes(&records), rows);
    for record in &records {
        assert_eq!(record.ok, Some(true), "{record:?}");
        assert_eq!(record.bound_ns, Some(4e6), "four rounds of a millisecond");
        let peak = record.items_peak.unwrap();
        assert!(peak >= 1);
        if record.runtime != "drumline" {
            assert!(peak <= 2, "{record:?}");
            assert!(record.wall_ns_median >= record.bound_ns, "{record:?}");
        }
    }
}

/// A spare can take a sleeper's place there as well, and `Cell` has to know.
#[test]
fn naps_in_loops_and_joins_are_counted() {
    for workload in ["two-items", "coarse-sleep"] {
        let mut session = Session::new(Effort::once());
        registry::run(workload, "seq", 0, 1, &mut session).unwrap();
        let found = session.end();
        assert_eq!((found.error, found.items_peak), (None, Some(1)));
    }
}

#[test]
fn each_workload_has_the_rows_that_can_run_it() {
    let rows = [
        ("vc-stream", "ideal,drumline-no-spares,drumline,rayon"),
        ("spawn-outside", "drumline-no-spares,drumline,rayon"),
        (
            "par-bridge",
            "seq,drumline-no-spares,drumline,drumline-stream,rayon",
        ),
    ];
    for (workload, expected) in rows {
        let entries = registry::workload(workload).unwrap().runtimes();
        let names: Vec<_> = entries.iter().map(|entry| entry.card.name).collect();
        assert_eq!(names.join(","), expected);
    }
}

#[test]
fn the_table_shows_the_ideal_and_the_peak() {
    let mut records = run("vc-uneven", "3");
    for (record, (wall, peak)) in records
        .iter_mut()
        .zip([(2e6, 2), (3e6, 2), (1e6, 8), (4e6, 2)])
    {
        record.wall_ns_median = Some(wall);
        record.items_peak = Some(peak);
    }
    let (_, grid) = table::grids(&records).remove(0);
    assert_eq!(grid.header[3..], ["× ideal", "peak"]);
    let cells: Vec<_> = grid
        .rows
        .iter()
        .map(|row| row.cells[3..].join(" "))
        .collect();
    assert_eq!(cells[..4], ["1.00 2", "1.50 2", "0.50 8", "2.00 2"]);
    let note = "mixed, 8 items, computed ideal: 10.2 ms (2 jobs)";
    assert_eq!(grid.notes, [note]);
}

#[test]
fn a_row_that_ran_more_at_once_than_its_jobs_is_not_compared() {
    let mut records = run("vc-join", "4");
    let compared = |records: &[Record]| {
        let (_, grid) = table::grids(records).remove(0);
        let rows = grid.rows.into_iter();
        let ratios = rows.filter(|row| row.kind == RowKind::Ratio);
        ratios.map(|row| row.cells[1].clone()).collect::<Vec<_>>()
    };
    let (fixed, default) = ("drumline-no-spares ÷ best peer", "drumline ÷ best peer");
    assert_eq!(records[2].runtime, "drumline");
    records[2].items_peak = Some(2);
    assert_eq!(compared(&records), [fixed, default]);
    records[2].items_peak = Some(3);
    assert_eq!(compared(&records), [fixed]);
}

#[test]
fn the_time_of_a_ramp_is_the_begin_of_its_last_leaf() {
    let records = run("ramp", "10");
    let ideal = &records[0];
    assert_eq!(ideal.runtime, "ideal");
    for record in &records {
        let latest = record.latency_ns_max.map(|ns| ns as f64);
        assert!(
            latest.is_some() && record.wall_ns_max == latest,
            "without the warm-up"
        );
        assert!(record.latency_ns_p50 <= record.latency_ns_p99);
    }
    let (_, grid) = table::grids(&records).remove(0);
    assert_eq!(grid.header[3..], ["median ms", "× ideal", "peak"]);
}

#[test]
fn the_default_run_has_few_jobs_and_rows() {
    let jobs = |workload, brief| registry::workload(workload).unwrap().jobs(2, brief);
    assert_eq!(jobs("vc-loop", true), [8, 64]);
    assert_eq!(jobs("vc-join", true), [64]);
    assert_eq!(jobs("vc-loop", false), [2, 4, 8, 16, 32, 64]);
    assert_eq!(jobs("fib", true), [1, 2]);
    let rows = registry::workload("triple-pool").unwrap().runtimes();
    let asked_for = rows.iter().filter(|entry| !entry.by_default);
    let asked_for: Vec<_> = asked_for.map(|entry| entry.card.name).collect();
    assert_eq!(
        asked_for,
        ["drumline-pull", "drumline-spawn", "biased", "pariter"]
    );
}

#[test]
fn every_kind_of_table_is_in_the_report() {
    let directory = tempfile::tempdir().unwrap();
    let workloads = ["run", "vc-nested", "ramp", "spawn-outside", "par-bridge"];
    let arguments = ["--jobs", "2,3", "--smoke", "--samples", "1", "--out", "out"];
    let output = lab_in(directory.path(), &[&workloads[..], &arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let out = directory.path().join("out");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for column in ["× ideal", "peak", "median ms", "2 jobs: tasks/s", "ns/item"] {
        assert!(page.contains(&format!("<th>{column}</th>")), "{column}");
    }
    for workload in &workloads[1..] {
        let chart = fs::read_to_string(out.join(format!("{workload}.svg"))).unwrap();
        assert!(page.contains(&chart) && chart.contains("rayon"));
    }
}
