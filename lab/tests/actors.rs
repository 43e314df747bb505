//! Actors: who runs what, and what is measured only there.

use drumline_lab::record::Record;
use drumline_lab::registry;

use crate::{lab, stderr, stdout};

/// The workloads in which a runtime may have a stack per actor.
const WITH_STACKS: [&str; 2] = ["actor-ring", "actor-pingpong"];

/// Runs a workload once as some runtimes.
fn run(workload: &str, size: &str, runtimes: &str, jobs: &str) -> Vec<Record> {
    let arguments = ["run", workload, "--size", size, "--runtime", runtimes];
    let effort = ["--jobs", jobs, "--smoke", "--samples", "2", "--json", "-"];
    let output = lab(&[&arguments[..], &effort].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn names(workload: &str) -> Vec<&'static str> {
    let runtimes = registry::workload(workload).unwrap().runtimes();
    runtimes.iter().map(|entry| entry.card.name).collect()
}

#[test]
fn every_runtime_has_a_row() {
    let all = [
        "drumline",
        "drumline-loop",
        "drumline-pinned",
        "tokio",
        "actix",
        "kameo",
        "ractor",
        "xtra",
        "may",
    ];
    for workload in WITH_STACKS {
        assert_eq!(names(workload), all, "{workload}");
    }
}

#[test]
fn more_actors_than_stacks_are_declined() {
    let records = run("actor-ring", "1", "drumline-pinned,may", "2");
    let [pinned, may] = &records[..] else {
        panic!("{records:?}");
    };
    for (record, why) in [(pinned, "thread"), (may, "stacks")] {
        assert_eq!((record.ok, record.wall_ns_median), (None, None));
        assert!(
            record.declined.as_ref().unwrap().contains(why),
            "{record:?}"
        );
    }
}

/// There are two samples, so that the second one begins where the first one has ended.
#[test]
fn messages_and_actors_are_counted() {
    for (workload, size, items, messages, actors) in [
        ("actor-ring", "2", 200_000, 200_000, 100_000),
        ("actor-pingpong", "7", 1_400, 1_400, 200),
    ] {
        let records = run(workload, size, "drumline,tokio,actix", "2");
        assert_eq!(records.len(), 3, "{workload}");
        for record in &records {
            assert_eq!(record.ok, Some(true), "{record:?}");
            assert_eq!(record.wall_ns_samples.len(), 2, "{workload}");
            assert_eq!(record.items, Some(items), "{workload}");
            assert_eq!(record.messages, Some(2 * messages), "of both samples");
            assert_eq!(record.concurrency, Some(actors), "{workload}");
        }
    }
}

#[test]
fn a_row_has_the_version_of_its_library() {
    let records = run("actor-pingpong", "1", "kameo,ractor,xtra,actix", "2");
    assert_eq!(records.len(), 4);
    for record in &records {
        let version = record.runtime_version.as_ref().unwrap();
        assert!(version.contains('.'), "{}: {version}", record.runtime);
    }
}
