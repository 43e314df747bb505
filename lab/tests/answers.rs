//! Every workload gives the right answer on every runtime, with fewer and with more jobs than
//! there are cores.

use std::collections::BTreeSet;
use std::process::Output;

use drumline_lab::effort::Effort;
use drumline_lab::record::Record;
use drumline_lab::registry;
use drumline_lab::session::Session;

use crate::{lab, stderr, stdout};

const TINY: Effort = Effort {
    warm_up_ms: 0,
    window_ms: 0,
    samples_min: 1,
    samples_max: 1,
    sample_ns: 0,
};

/// Sizes at which a run takes milliseconds, but every path is taken.
fn tiny_sizes(workload: &str) -> &'static str {
    match workload {
        "tree-hash" => "0,1",
        "tree-sum" | "tree-sum-outside" => "1,2,3,1000",
        "fib" => "1,2,15",
        "uts" => "1,3,20",
        "coarse" => "1,3",
        "coarse-sleep" => "1",
        "idle-after-use" => "1",
        "idle-wakeups" => "2",
        "nqueens" => "1,4,6",
        "blocking-sleep" => "1,30",
        // More than one waiting task is more than some runtimes finish; see `blocking.rs`.
        "blocking-dep" => "1",
        "mandelbrot" => "1,2,20",
        "skewed" => "2,3,100",
        "two-items" => "0",
        // Even the smallest has thousands of items.
        "triple-pool" | "triple-pool-batch20" | "triple-pool-processes" | "single-pool" => "1,30",
        "light-load" => "1,10",
        "offload-30" | "offload-60" | "offload-90" => "1,20",
        // Each end is hundreds of messages ahead of the other, or waits for it.
        "spsc-bounded" | "mpsc-bounded" | "mpmc" | "spsc-batch" => "1,2,3000",
        "vc-loop" | "vc-scope" | "vc-stream" => "4",
        "vc-uneven" => "3",
        "vc-nested" => "1,2",
        "vc-join" => "1,2,33",
        // Without the rest of a second.
        "ramp" => "10,11,12",
        "spawn-outside" => "1,3",
        "par-bridge" => "10,11,12",
        "pbfs" => "4,9",
        // The last one has three pieces.
        "k-nucleotide" => "1,20,150000",
        // Each process starts 100,000 actors.
        "actor-ring" => "2",
        // A million messages, and a panic in a thousand: each takes a while where a build is not
        // optimised.
        "actor-crash" => "30000",
        // Some actors have no timer, one, and several.
        "actor-timers" => "1,100,1050",
        // Up to more than the blocks that a runtime keeps.
        "mailbox-burst" => "1,100,50000",
        // Each row is a program of its own, which a test of its own takes the place of.
        "render" => "1",
        // A sender has bursts of 100.
        "actor-fan-in" => "1,100,205",
        // From 1,024 on, some sorts are parallel.
        "sort" | "sort-unstable" => "1,2,5000",
        // Also for workloads that this test does not know yet.
        _ => "1,2,100",
    }
}

fn records(text: &str) -> impl Iterator<Item = Record> {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

/// Whether rows of may did not end, and nothing else has failed: it loses a wake-up now and then.
fn may_has_hung(output: &Output) -> bool {
    let text = stdout(output);
    let failed = records(&text).filter(|record| record.ok == Some(false));
    let has_hung = Vec::from_iter(failed.map(|record| {
        let error = record.error.unwrap_or_default();
        let has_hung = record.deadlock || error.contains("it took longer than");
        record.runtime == "may" && has_hung
    }));
    !has_hung.is_empty() && !has_hung.contains(&false)
}

/// Runs the program, with records on standard output, and twice more where may stands still. That
/// is a result of the lab, and no fault of what is tested here; its rows have to end in another run.
pub fn lab_beside_may(arguments: &[&str]) -> Output {
    let mut output = lab(arguments);
    for _ in 0..2 {
        if !may_has_hung(&output) {
            break;
        }
        output = lab(arguments);
    }
    output
}

/// In how many tests the workloads are run: several at once, where there are the processors.
const PARTS: usize = 4;

#[test]
fn every_workload_on_every_runtime_part_1() {
    workloads_of_part(0);
}

#[test]
fn every_workload_on_every_runtime_part_2() {
    workloads_of_part(1);
}

#[test]
fn every_workload_on_every_runtime_part_3() {
    workloads_of_part(2);
}

#[test]
fn every_workload_on_every_runtime_part_4() {
    workloads_of_part(3);
}

/// Through the program, because that is how workloads run: in processes of their own, with the
/// stacks that the program gives them.
fn workloads_of_part(part: usize) {
    for workload in registry::all_workloads()
        .into_iter()
        .skip(part)
        .step_by(PARTS)
    {
        let name = workload.card.name;
        let jobs = match name {
            "coarse-sleep" | "blocking-dep" | "two-items" | "actor-ring" | "actor-crash" => "2",
            // Each process finds out first how fast the machine is.
            "offload-30" | "offload-60" | "offload-90" => "2",
            // Threads have no number of jobs.
            _ if workload.family.name == "messages" && !name.ends_with("ring") => "2",
            _ => "1,2,5",
        };
        let arguments = ["run", name, "--size", tiny_sizes(name), "--jobs", jobs];
        let effort = ["--smoke", "--samples", "1", "--json", "-"];
        let arguments = [&arguments[..], &effort].concat();
        let output = lab_beside_may(&arguments);
        assert!(output.status.success(), "{name}: {}", stderr(&output));

        let text = stdout(&output);
        let mut seen = BTreeSet::new();
        for record in records(&text) {
            let line = serde_json::to_string(&record).unwrap();
            assert_ne!(record.ok, Some(false), "{line}");
            assert_eq!(record.ok.is_none(), record.declined.is_some(), "{line}");
            if record.ok == Some(true) {
                assert_eq!(record.wall_ns_samples.len(), 1, "{line}");
                assert!(record.items > Some(0), "{line}");
            }
            seen.insert(record.runtime);
        }
        assert_eq!(seen.len(), workload.runtimes().len(), "{name}");
    }
}

#[test]
fn a_wrong_answer_is_an_error() {
    let mut session = Session::new(TINY);
    session.sample(&5, 1, || 4);
    let error = session.end().error.unwrap();
    assert!(error.contains('4') && error.contains('5'), "{error}");
}

#[test]
fn a_wrong_answer_in_the_middle_is_an_error() {
    let effort = Effort {
        samples_min: 10,
        samples_max: 10,
        ..TINY
    };
    let mut session = Session::new(effort);
    let mut answer = 0;
    session.sample_prepared(
        1,
        &mut answer,
        |answer| *answer += 1,
        |answer| *answer,
        |_, answer| {
            if answer == 4 {
                Err("four".to_owned())
            } else {
                Ok(())
            }
        },
    );
    let found = session.end();
    assert_eq!(found.error.as_deref(), Some("four"));
}
