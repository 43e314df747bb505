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
    predict(
        Pool::Drumline,
        jobs,
        &small(workload, jobs),
        &Assumptions::wide(),
        seed,
    )
    .unwrap()
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
    for pool in [Pool::Drumline, Pool::Rayon] {
        for workload in ALL {
            for jobs in [1, 2, 3, 8, 17, 64] {
                for sleeps in [false, true] {
                    for seed in 0..3 {
                        let case = format!("{pool:?}, {workload:?}, {jobs} jobs, {sleeps}, {seed}");
                        let mut program = small(workload, jobs);
                        program.sleeps = sleeps;
                        program.items = program.items.min(if sleeps { 500 } else { usize::MAX });
                        let small = Assumptions::small();
                        let outcome = predict(pool, jobs, &program, &small, seed).unwrap();
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
}

/// A loop is nearly as fast as rayon's on many cores, and on few. (The median: where thieves begin
/// is random.)
#[test]
fn loops_keep_up_with_rayon() {
    for (workload, cost) in [
        (Workload::Loop, 1.0),
        (Workload::Loop, 10.0),
        (Workload::Loop, 100.0),
        (Workload::Uneven, 10.0),
        (Workload::Ramp, 60_000.0),
    ] {
        for jobs in [2, 16, 64, 128] {
            let mut program = workload.program(jobs);
            program.cost = nanos(cost);
            if workload != Workload::Ramp {
                program.items = (200_000.0 / cost) as usize;
            }
            let ratio = |seed| {
                let time = |pool| {
                    let outcome = predict(pool, jobs, &program, &Assumptions::wide(), seed);
                    outcome.unwrap().time as f64
                };
                time(Pool::Rayon) / time(Pool::Drumline)
            };
            let mut ratios: Vec<f64> = (1..=7).map(ratio).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            let case = format!("{workload:?} of {cost} µs, {jobs} jobs");
            assert!(ratios[3] > 0.9, "{case}: {ratios:?}");
        }
    }
}

#[test]
fn every_claim_is_run_or_returned() {
    for workload in ALL {
        for jobs in [2, 8, 64] {
            let outcome = outcome(workload, jobs, 3);
            let claims = ["ready", "asked", "forced", "queued"].map(|name| outcome.count(name));
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
        let ramp = predict(
            Pool::Drumline,
            64,
            &Workload::Ramp.program(64),
            &assumptions,
            1,
        )
        .unwrap();
        ramp.firsts.last().copied()
    };
    assert!(time("wake-latency", 50.0) > time("wake-latency", 5.0));
    assert!(time("barrier", 20.0) > time("barrier", 2.0));
}

#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    options: Options,
}

fn options(words: &str) -> Result<Options, clap::Error> {
    let line = clap::Parser::try_parse_from(["x"].into_iter().chain(words.split(' ')));
    line.map(|Line { options }| options)
}

#[test]
fn options_become_assumptions() {
    let line = "--jobs 2,64 --workload ramp,many-loops --wake-latency 9 --set barrier=3";
    let options = options(line).unwrap();
    assert_eq!(options.jobs, [2, 64]);
    assert_eq!(options.workload, [Workload::Ramp, Workload::ManyLoops]);
    let assumptions = options.assumptions(Assumptions::wide()).unwrap();
    assert_eq!(assumptions.time("wake-latency"), 9_000);
    assert_eq!(assumptions.time("barrier"), 3_000);
}

#[test]
fn what_the_model_does_not_take_is_refused_with_the_limits() {
    for (line, limits) in [
        ("--cost inf", "0 to 60000000 microseconds"),
        ("--cost 1e300", "0 to 60000000 microseconds"),
        ("--cost=-1", "0 to 60000000 microseconds"),
        ("--cost -1", "0 to 60000000 microseconds"),
        ("--cost nan", "0 to 60000000 microseconds"),
        ("--items 18446744073709551615", "1 to 100000000 items"),
        ("--items 0", "1 to 100000000 items"),
        ("--jobs 0", "1 to 4096 jobs"),
        ("--jobs 2,-1", "1 to 4096 jobs"),
        ("--jobs -1,2", "1 to 4096 jobs"),
        ("--jobs 100000", "1 to 4096 jobs"),
    ] {
        let error = options(line).unwrap_err().to_string();
        assert!(error.contains(limits), "{line}: {error}");
    }
    for (line, advice) in [
        ("--set barrier=1e300", "0 to 1000000 microseconds"),
        ("--wake-latency -1", "0 to 1000000 microseconds"),
        ("--items 100000000 --cost 60000000", "1000000 s at most"),
    ] {
        let mut output = Vec::new();
        let error = tabulate(&options(line).unwrap(), &mut output).unwrap_err();
        assert!(format!("{error:#}").contains(advice), "{line}: {error:#}");
        assert!(output.is_empty(), "{line}: refused before anything else");
    }
}

#[test]
fn the_largest_values_are_simulated() {
    for line in [
        "--workload ramp --jobs 4 --cost 60000000 --wake-latency 1000000 --barrier 1000000",
        "--workload uneven --jobs 2 --items 50 --cost 60000000 --set fork=1000000",
        "--workload loop --jobs 1 --items 1 --cost 0 --seed 18446744073709551615",
    ] {
        let mut output = Vec::new();
        tabulate(&options(line).unwrap(), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert!(!text.contains("NaN"), "{text}");
    }
}

#[test]
fn a_table_without_a_reader_ends_and_one_without_room_is_an_error() {
    let options = options("--workload ramp --jobs 2").unwrap();
    let (reader, mut writer) = io::pipe().unwrap();
    drop(reader);
    tabulate(&options, &mut writer).unwrap();
    let mut full: &mut [u8] = &mut [0; 9];
    let error = tabulate(&options, &mut full).unwrap_err().to_string();
    assert!(error.contains("another place"), "{error}");
}

/// The value of a constant of a file, in nanoseconds if it is a time.
fn constant(text: &str, name: &str) -> Option<u64> {
    let (_, rest) = text.split_once(&format!("const {name}: "))?;
    let value = rest.split(';').next()?.split('=').nth(1)?.trim();
    let number = |text: &str| text.replace('_', "").parse::<u64>().ok();
    let units = [("nanos", 1), ("micros", 1_000), ("millis", 1_000_000)];
    for (unit, nanoseconds) in units {
        let call = format!("Duration::from_{unit}(");
        if let Some(inside) = value.strip_prefix(&call) {
            return number(inside.strip_suffix(')')?).map(|count| count * nanoseconds);
        }
    }
    number(value)
}

/// A constant here, and what it is called in the library.
type Pair = (&'static str, &'static str);

/// The files of the model with their text, where the library has their constants, and which.
const SAME: [(&str, &str, &str, &[Pair]); 7] = [
    (
        "chunk_len.rs",
        include_str!("chunk_len.rs"),
        "iter/engine/chunk_len.rs",
        &[
            ("LONG_TARGET", "LONG_TARGET"),
            ("LONG", "LONG"),
            ("SHARED_TARGET", "SHARED_TARGET"),
            ("GROWTH", "GROWTH"),
            ("HIDDEN", "HIDDEN"),
        ],
    ),
    (
        "chunk_len.rs",
        include_str!("chunk_len.rs"),
        "iter/engine/estimates.rs",
        &[("TARGET", "SPAN")],
    ),
    (
        "worker.rs",
        include_str!("worker.rs"),
        "pool/idle/wake_backoff.rs",
        &[
            ("SHORT_QUEUED", "SHORT_QUEUED"),
            ("SHORT", "SHORT"),
            ("WORTH", "WORTH"),
            ("MAX_COST", "MAX_COST"),
            ("FIRST_STAY", "FIRST_STAY"),
            ("MAX_FAILURES", "MAX_FAILURES"),
            ("MAX_FAILURES_QUEUED", "MAX_FAILURES_QUEUED"),
            ("LONGEST_NAP", "LONGEST_NAP"),
        ],
    ),
    (
        "worker.rs",
        include_str!("worker.rs"),
        "wait/patience.rs",
        &[("LONG_SPIN", "LONG_SPIN"), ("SHORT_SPIN", "SHORT_SPIN")],
    ),
    (
        "thief.rs",
        include_str!("thief.rs"),
        "pool/workers/steal_backoff.rs",
        &[("LONGEST_BACKOFF", "LAST_BACKOFF")],
    ),
    (
        "waiting.rs",
        include_str!("waiting.rs"),
        "pool/waiting/mod.rs",
        &[("ASK_AFTER", "ASK_AFTER"), ("FIRST_SLEEP", "FIRST_SLEEP")],
    ),
    (
        "deque.rs",
        include_str!("deque.rs"),
        "pool/deque/mod.rs",
        &[("EXPOSED_AT_ONCE", "EXPOSED_AT_ONCE")],
    ),
];

/// A constant that is changed in the library is changed here, too.
#[test]
fn the_model_has_the_constants_of_the_library() {
    let library = crate::workspace::root().join("crates/drumline/src");
    for (file, model, path, names) in SAME {
        let text = std::fs::read_to_string(library.join(path)).expect(path);
        for (ours, theirs) in names {
            let here = constant(model, ours);
            assert!(here.is_some(), "{file} has no {ours}");
            assert_eq!(
                here,
                constant(&text, theirs),
                "{file}: {ours}, {path}: {theirs}"
            );
        }
    }
}
