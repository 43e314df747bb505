//! Every workload gives the right answer on every runtime, with fewer and with more jobs than
//! there are cores.

use drumline_lab::registry;
use drumline_lab::session::{Effort, Session};

const TINY: Effort = Effort {
    warm_up_ms: 0,
    window_ms: 0,
    samples_min: 1,
    samples_max: 1,
    sample_ns: 0,
};

/// Sizes at which a run takes milliseconds, but every path is taken.
fn tiny_sizes(workload: &str) -> &'static [u64] {
    match workload {
        "tree-hash" => &[0, 1],
        "tree-sum" | "tree-sum-outside" => &[1, 2, 3, 1_000],
        "fib" => &[1, 2, 15],
        "uts" => &[1, 3, 20],
        "coarse" => &[1, 3],
        "coarse-sleep" => &[0, 1, 2],
        "idle-after-use" => &[1],
        "idle-wakeups" => &[2],
        "nqueens" => &[1, 4, 6],
        // Also the default for workloads that this test does not know.
        _ => &[1, 2, 100],
    }
}

#[test]
fn every_workload_on_every_runtime() {
    for workload in registry::all_workloads() {
        let name = workload.card.name;
        for runtime in registry::all_runtimes() {
            for jobs in [1, 2, 5] {
                if name == "coarse-sleep" && jobs != 2 {
                    continue;
                }
                for &size in tiny_sizes(name) {
                    let mut session = Session::new(TINY);
                    registry::run(name, runtime.card.name, size, jobs, &mut session).unwrap();
                    let found = session.end();
                    let row = format!("{name} {size} on {} with {jobs}", runtime.card.name);
                    assert_eq!(found.error, None, "{row}");
                    if found.declined.is_none() {
                        assert_eq!(found.wall_ns.len(), 1, "{row}");
                        assert!(found.items > 0, "{row}");
                    }
                }
            }
        }
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
