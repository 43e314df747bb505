//! What holds of every simulation.

use super::*;

const ALL: [Workload; 5] = [
    Workload::Ramp,
    Workload::Loop,
    Workload::Uneven,
    Workload::Join,
    Workload::ManyLoops,
];

/// A small version of each workload.
fn small(workload: Workload, jobs: usize) -> Program {
    let mut program = workload.program(jobs);
    program.items = match workload {
        Workload::Ramp => jobs,
        Workload::Loop => 50_000,
        Workload::Uneven | Workload::Join => 1_500,
        Workload::ManyLoops => 300 * jobs,
    };
    program
}

fn outcome(workload: Workload, jobs: usize, seed: u64) -> Outcome {
    predict(jobs, &small(workload, jobs), &Assumptions::wide(), seed).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_result() {
    for workload in ALL {
        let once = outcome(workload, 8, 7);
        assert_eq!(once, outcome(workload, 8, 7), "{workload:?}");
    }
    let events = |seed| outcome(Workload::Join, 8, seed).events;
    assert!(
        (0..8).any(|seed| events(seed) != events(8)),
        "the seed says where thieves begin"
    );
}

#[test]
fn every_item_is_run_once_and_no_schedule_beats_the_ideal() {
    for workload in ALL {
        for jobs in [1, 2, 3, 8, 17, 64] {
            for sleeps in [false, true] {
                for seed in 0..3 {
                    let mut program = small(workload, jobs);
                    program.sleeps = sleeps;
                    program.items = program.items.min(if sleeps { 500 } else { usize::MAX });
                    let outcome = predict(jobs, &program, &Assumptions::small(), seed).unwrap();
                    let case = format!("{workload:?}, {jobs} jobs, sleeps: {sleeps}, seed {seed}");
                    assert!(outcome.is_complete, "{case}");
                    // With jobs and the guest there may be one thread more for a while.
                    let ideal = program.ideal(jobs + 1);
                    assert!(outcome.time >= ideal, "{case}: {} < {ideal}", outcome.time);
                    assert!(outcome.firsts.len() <= jobs + 1, "{case}");
                }
            }
        }
    }
}

#[test]
fn every_claim_is_run_or_returned() {
    for workload in ALL {
        for jobs in [2, 8, 64] {
            let outcome = outcome(workload, jobs, 3);
            let claims = ["ready", "asked", "forced"].map(|name| outcome.count(name));
            let ends = outcome.count("steals") + outcome.count("returned");
            assert_eq!(
                claims.iter().sum::<u64>(),
                ends,
                "{workload:?}, {jobs} jobs"
            );
        }
    }
}

#[test]
fn one_job_works_alone() {
    for workload in ALL {
        let outcome = outcome(workload, 1, 1);
        for name in ["calls", "marks", "barriers", "steals", "owner"] {
            assert_eq!(outcome.count(name), 0, "{workload:?}: {name}");
        }
        assert_eq!(outcome.firsts.len(), 1);
    }
}

#[test]
fn nothing_hides_behind_a_long_item() {
    for jobs in [2, 8, 64] {
        let outcome = outcome(Workload::Ramp, jobs, 1);
        assert_eq!(outcome.firsts.len(), jobs, "each item has a thread");
        assert!(outcome.count("calls") >= jobs as u64 - 1);
        assert!(outcome.time < 2 * outcome.ideal);
    }
}

#[test]
fn what_costs_more_takes_longer() {
    let time = |name: &str, micros: f64| {
        let mut assumptions = Assumptions::wide();
        assumptions.set(name, micros).unwrap();
        let ramp = predict(64, &Workload::Ramp.program(64), &assumptions, 1).unwrap();
        ramp.firsts.last().copied()
    };
    assert!(time("wake-latency", 50.0) > time("wake-latency", 5.0));
    assert!(time("barrier", 20.0) > time("barrier", 2.0));
}

#[test]
fn options_become_assumptions() {
    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        options: Options,
    }
    let line = "x --jobs 2,64 --workload ramp,many-loops --wake-latency 9 --set barrier=3";
    let Line { options } = clap::Parser::parse_from(line.split(' '));
    assert_eq!(options.jobs, [2, 64]);
    assert_eq!(options.workload, [Workload::Ramp, Workload::ManyLoops]);
    let assumptions = options.assumptions(Assumptions::wide()).unwrap();
    assert_eq!(assumptions.time("wake-latency"), 9_000);
    assert_eq!(assumptions.time("barrier"), 3_000);
}
