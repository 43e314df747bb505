//! Actors: which runtime has which rows, and what is measured only there.

use drumline_lab::record::Record;
use drumline_lab::{registry, table};

use crate::{lab, stderr, stdout};

/// The workloads in which a runtime may have a stack per actor.
const WITH_STACKS: [&str; 6] = [
    "actor-ring",
    "actor-pingpong",
    "actor-blocking",
    "actor-spawn",
    "actor-fan-in",
    "actor-fan-out",
];

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
fn actors_with_stacks_have_no_row_where_the_heap_is_measured() {
    let all = [
        "drumline",
        "drumline-loop",
        "drumline-no-spares",
        "drumline-no-spares-loop",
        "drumline-lifo",
        "drumline-lifo-loop",
        "drumline-fifo",
        "drumline-fifo-loop",
        "drumline-shared",
        "drumline-shared-loop",
        "drumline-pinned",
        "drumline-receive",
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
    let without = all
        .iter()
        .filter(|name| !["drumline-pinned", "drumline-receive", "may"].contains(name));
    let without = Vec::from_iter(without.copied());
    for workload in ["actor-memory", "mailbox-burst"] {
        assert_eq!(names(workload), without, "{workload}");
    }
}

#[test]
fn more_actors_than_stacks_are_declined() {
    let runtimes = "drumline-pinned,drumline-receive,may";
    let records = run("actor-ring", "1", runtimes, "2");
    let [pinned, function, may] = &records[..] else {
        panic!("{records:?}");
    };
    for (record, why) in [(pinned, "thread"), (function, "thread"), (may, "stacks")] {
        assert_eq!((record.ok, record.wall_ns_median), (None, None));
        assert!(
            record.declined.as_ref().unwrap().contains(why),
            "{record:?}"
        );
    }
}

#[test]
fn a_mailbox_without_order_is_declined_where_order_is_checked() {
    for workload in ["actor-fan-in", "actor-fan-out"] {
        let records = run(workload, "2", "tokio,xtra", "2");
        assert_eq!((records[0].ok, records[1].ok), (Some(true), None));
        let why = records[1].declined.as_ref().unwrap();
        assert!(why.contains("order"), "{why}");
    }
}

/// There are two samples, so that the second one begins where the first one has ended.
#[test]
fn messages_and_actors_are_counted() {
    for (workload, size, items, messages, actors) in [
        ("actor-ring", "2", 200_000, 200_000, 100_000),
        ("actor-pingpong", "7", 1_400, 1_400, 200),
        ("actor-blocking", "7", 630, 630, 100),
        ("actor-fan-in", "205", 20_500, 20_500, 101),
        ("actor-fan-out", "7", 700, 700, 101),
        ("actor-spawn", "300", 300, 300, 300),
        ("actor-memory", "300", 300, 3_000, 300),
        ("mailbox-burst", "300", 300, 300, 1),
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
fn panics_are_counted_by_runtimes_that_go_on() {
    // Not ractor and actix: a panic loses what waits in the mailbox.
    assert_eq!(
        names("actor-crash")
            .into_iter()
            .filter(|name| !name.starts_with("drumline"))
            .collect::<Vec<_>>(),
        ["kameo"]
    );
    // The second sample begins where the first one has ended, with the states that it left.
    for record in run("actor-crash", "1000", "drumline,kameo", "2") {
        assert_eq!(record.ok, Some(true), "{record:?}");
        assert_eq!(record.wall_ns_samples.len(), 2);
        assert_eq!(record.items, Some(1_000_000));
    }
}

#[test]
fn idle_actors_hold_heap() {
    let records = run("actor-memory", "20_000", "drumline,tokio", "2");
    let Some(ours) = records[0].item_heap_bytes else {
        // Not every C library tells.
        assert!(records.iter().all(|record| record.declined.is_some()));
        return;
    };
    assert!((32.0..1_024.0).contains(&ours), "{ours}");
    let of_tokio = records[1].item_heap_bytes.unwrap();
    assert!((128.0..8_192.0).contains(&of_tokio), "{of_tokio}");
    let (_, grid) = table::grids(&records).remove(0);
    assert!(grid.header[2].ends_with("bytes/actor"), "{:?}", grid.header);
}

#[test]
fn a_burst_holds_heap_and_gives_it_back() {
    let records = run("mailbox-burst", "100_000", "drumline,tokio", "2");
    for record in &records {
        let Some(held) = record.item_heap_bytes else {
            // Not every C library tells.
            assert!(record.declined.is_some(), "{record:?}");
            continue;
        };
        // A message has eight bytes.
        assert!((8.0..1_024.0).contains(&held), "{record:?}");
        let left = record.item_heap_left_bytes.unwrap();
        // What the runtime keeps for the next messages does not grow with their number.
        assert!(left < held / 2.0, "{record:?}");
    }
    let (_, grid) = table::grids(&records).remove(0);
    assert!(
        grid.header[2].ends_with("bytes/message"),
        "{:?}",
        grid.header
    );
    assert_eq!(grid.header[3], "left", "{:?}", grid.header);
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

/// Whether each actor of this row has a thread, so that the row is declined where the jobs are
/// fewer than the cores.
fn has_threads(runtime: &str) -> bool {
    ["drumline-pinned", "drumline-receive"].contains(&runtime)
}

/// Each runtime takes naps in its own way, and each nap is counted.
#[test]
fn handlers_that_block_are_worked_around() {
    let all = names("actor-blocking");
    let records = run("actor-blocking", "50", &all.join(","), "2");
    assert_eq!(records.len(), all.len());
    // No thread takes the place of one that blocks.
    let fixed = ["no-spares", "lifo", "fifo", "shared"];
    for record in &records {
        if fixed
            .iter()
            .any(|kind| record.runtime.starts_with(&format!("drumline-{kind}")))
        {
            assert!(
                record.declined.as_ref().unwrap().contains("blocks"),
                "{record:?}"
            );
            continue;
        }
        if has_threads(&record.runtime)
            && let Some(declined) = &record.declined
        {
            // More than two cores.
            assert!(declined.contains("has a thread"), "{record:?}");
            continue;
        }
        assert_eq!(record.ok, Some(true), "{record:?}");
        assert_eq!(record.items, Some(4_500), "{}", record.runtime);
        assert!(
            record.threads_peak.is_none_or(|peak| peak >= 2),
            "{record:?}"
        );
    }
    let (_, grid) = table::grids(&records).remove(0);
    assert!(
        grid.header.iter().any(|name| name == "threads"),
        "{:?}",
        grid.header
    );
}
