//! What the command line promises.

use std::process::{Child, Stdio};

use serde_json::Value;

use crate::{command, lab, stderr, stdout};

const TINY: [&str; 3] = ["--smoke", "--samples", "1"];

fn run(arguments: &[&str]) -> std::process::Output {
    lab(&[&["run"], arguments, &TINY].concat())
}

#[test]
fn list_names_everything() {
    let output = lab(&["list"]);
    assert!(output.status.success());
    let text = stdout(&output);
    let workloads = [
        "tree-sum",
        "fib",
        "uts",
        "coarse",
        "loop-of-joins",
        "coarse-sleep",
        "blocking-sleep",
        "blocking-dep",
        "slice-sum",
        "slice-sum-curve",
        "mandelbrot",
        "sort",
        "two-items",
        "triple-pool",
        "light-load",
        "map-ordered",
        "vc-loop",
        "vc-uneven",
        "vc-nested",
        "bounded-stream",
        "bounded-stream-busy",
        "vc-join",
        "vc-scope",
        "vc-stream",
        "ramp",
        "spawn-outside",
        "par-bridge",
        "task-spawn-inside",
        "task-spawn-outside",
        "task-spawn-nested",
        "task-yield",
        "task-ring",
        "task-rings",
        "task-memory",
        "offload-30",
        "offload-60",
        "offload-90",
        "msgsend",
        "msgsend-512",
        "spsc-batch",
        "mpmc",
        "ping-pong",
        "oneshot-threads",
        "token-ring",
        "threadring",
        "virtual cores",
        "actor-ring",
        "actor-pingpong",
        "actor-blocking",
        "actor-spawn",
        "actor-memory",
        "actor-fan-in",
        "actor-fan-out",
    ];
    let runtimes = [
        "seq",
        "static",
        "drumline",
        "rayon",
        "chili",
        "forte",
        "drumline-announced",
        "tokio-spawn-blocking",
        "thread-per-job",
        "orx-parallel",
        "paralight",
        "crossbeam",
        "drumline-pull",
        "pariter",
        "blocked-thread",
        "biased",
        "drumline-spawn",
        "ideal",
        "drumline-no-spares",
        "drumline-stream",
        "queue-stream",
        "queue-loop",
        "crossbeam-stream",
        "crossbeam-loop",
        "sync-stream",
        "sync-loop",
        "tokio-current",
        "async-executor",
        "async-executor-static",
        "may",
        "tokio-rayon",
        "std-mpsc",
        "flume",
        "kanal",
        "crossfire",
        "async-channel",
        "channel-lock",
        "global-lock",
        "locked-sender",
        "rtrb",
        "tokio-spawn-blocking-capped",
        "drumline-loop",
        "drumline-pinned",
        "drumline-receive",
        "drumline-no-spares-loop",
        "drumline-lifo",
        "drumline-lifo-loop",
        "drumline-fifo",
        "drumline-fifo-loop",
        "drumline-shared",
        "drumline-shared-loop",
        "actix",
        "kameo",
        "ractor",
        "xtra",
        "cargo lab blocking",
        "cargo lab async",
        "cargo lab messages",
    ];
    for name in workloads.iter().chain(&runtimes) {
        assert!(text.contains(name), "{name} is missing in {text}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let output = lab(&["--version"]);
    assert!(output.status.success());
    let expected = concat!("cargo lab ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(stdout(&output), expected);
}

#[test]
fn a_reader_that_has_gone_is_no_error() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let output = command(&["list"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .and_then(Child::wait_with_output)
        .expect("the lab can be started");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_message_that_has_no_reader_is_dropped() {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    let status = command(&["run", "no-such"])
        .stderr(writer)
        .status()
        .expect("the lab can be started");
    assert_eq!(status.code(), Some(1));
}

#[test]
fn unknown_names_list_the_known_ones() {
    let output = run(&["no-such"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("no-such") && text.contains("tree-sum"),
        "{text}"
    );
    assert!(!text.contains("but there is"), "{text}");

    let output = run(&["fib", "--runtime", "no-such"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(text.contains("no-such") && text.contains("rayon"), "{text}");

    for (arguments, hint) in [
        (&["fibb"][..], "but there is `fib`; the workloads are: "),
        (
            &["fib", "--runtime", "raion"],
            "but there is `rayon`; the runtimes are: ",
        ),
    ] {
        let text = stderr(&run(arguments));
        assert!(text.contains(hint), "{text}");
    }
}

#[test]
fn a_runtime_of_another_family_is_refused_or_left_out() {
    let output = run(&["fib", "--runtime", "tokio"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(
        text.contains("tokio") && text.contains("does not run fib") && text.contains("chili"),
        "{text}"
    );

    let output = run(&[
        "fib",
        "--size",
        "5",
        "--runtime",
        "tokio,rayon",
        "--jobs",
        "1",
        "--json",
        "-",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 1);
}

#[test]
fn nonsense_is_refused_with_advice() {
    let cases: [(&[&str], &str); 15] = [
        (&["fib", "--jobs", "0"], "--jobs 1"),
        (&["fib", "--jobs", "many"], "--jobs all"),
        (&["fib", "--jobs", "100000"], "1024"),
        (&["fib", "--size", "0"], "1 to 60"),
        (&["fib", "--size", "big"], "100k"),
        (&["fib", "--size", "-5"], "-5: not a size; try 1000"),
        (&["fib", "--size", "5,-5k"], "-5k: not a size; try 1000"),
        (
            &["fib", "--size", "61"],
            "the sizes of fib go from 1 to 60 (index)",
        ),
        (
            &["two-items", "--size", "2"],
            "the sizes of two-items go from 0 to 1 (what they do)",
        ),
        (&["fib", "--jobs", "-1"], "-1: not a number of jobs; try"),
        (&["fib", "--jobs", "-1,2"], "-1: not a number of jobs; try"),
        (&["fib", "--rounds", "-1"], "-1 is no count"),
        (&["fib", "--timeout", "-1"], "-1 is no count"),
        (&["coarse-sleep", "--size", "4"], "arrangement"),
        (&["fib", "--timeout", "0"], "at least 1 second"),
    ];
    for (arguments, advice) in cases {
        let output = run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(advice), "{arguments:?}: {text}");
        assert!(!text.contains("panicked"), "{arguments:?}: {text}");
    }
    let output = lab(&["compare", "A", "B", "--plant", "-1"]);
    let text = stderr(&output);
    assert!(text.contains("-1 is not in 1..=100"), "{text}");
    for arguments in [["--rounds", "0"], ["--samples", "0"]] {
        let output = lab(&[&["run", "fib"], &arguments[..]].concat());
        assert!(!output.status.success());
        assert!(stderr(&output).contains("at least 1"));
    }
}

#[test]
fn json_to_standard_output_is_all_there_is() {
    let output = run(&[
        "tree-sum", "fib", "--size", "20", "--jobs", "1,2", "--json", "-",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    // seq once, five others with one and two jobs, two workloads.
    assert_eq!(text.lines().count(), 22);
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        for (field, is_right) in [
            ("workload", Value::is_string as fn(&Value) -> bool),
            ("runtime", Value::is_string),
            ("jobs", Value::is_u64),
            ("size", Value::is_u64),
            ("ok", Value::is_boolean),
            ("wall_ns_median", Value::is_number),
            ("wall_ns_min", Value::is_number),
            ("item_ns_median", Value::is_number),
        ] {
            assert!(is_right(&record[field]), "{field} in {line}");
        }
        // What a machine may not tell is null, but it is there.
        for field in [
            "cpu_ns_median",
            "ctx_voluntary",
            "ctx_involuntary",
            "threads_peak",
            "rss_peak_bytes",
            "instructions",
            "energy_joules",
            "migrations",
        ] {
            let value = record
                .get(field)
                .unwrap_or_else(|| panic!("{field} in {line}"));
            assert!(value.is_null() || value.is_number(), "{field} in {line}");
        }
        if cfg!(target_os = "linux") {
            for field in [
                "cpu_ns_median",
                "ctx_voluntary",
                "threads_peak",
                "rss_peak_bytes",
            ] {
                assert!(record[field].is_number(), "{field} in {line}");
            }
        }
        assert_eq!(record["ok"], true, "{line}");
    }
    assert!(
        stderr(&output).contains("ns/node"),
        "the tables go to the other stream"
    );
}

#[test]
fn a_runtime_that_does_not_take_part_is_a_row_of_nulls() {
    let output = run(&[
        "loop-of-joins",
        "--size",
        "9",
        "--runtime",
        "static",
        "--json",
        "-",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    for line in stdout(&output).lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["ok"].is_null());
        assert!(record["wall_ns_median"].is_null());
        assert!(record["declined"].is_string());
    }
}

#[test]
fn who_cannot_do_a_loop_says_what_is_missing() {
    for (workload, runtime, why) in [
        ("sort", "orx-parallel", "stable"),
        ("sort-unstable", "paralight", "sort"),
        ("filter-collect", "paralight", "filtered"),
    ] {
        let output = run(&[workload, "--size", "9", "--runtime", runtime, "--json", "-"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let text = stdout(&output);
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            assert!(record["ok"].is_null(), "{line}");
            assert!(record["declined"].as_str().unwrap().contains(why), "{line}");
        }
        assert!(!text.is_empty());
    }
}

#[test]
fn a_critical_path_has_a_column() {
    let arguments = ["skewed", "--size", "3", "--runtime", "seq,rayon"];
    let output = run(&[&arguments[..], &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let tables = stderr(&output);
    assert!(
        tables.contains("× path") && tables.contains("2.00"),
        "{tables}"
    );
}

#[test]
fn a_process_that_takes_too_long_is_a_row_and_a_failure() {
    let arguments = [
        "run",
        "fib",
        "--size",
        "60",
        "--runtime",
        "seq",
        "--timeout",
        "1",
    ];
    let output = lab(&[&arguments[..], &TINY, &["--json", "-"]].concat());
    assert!(!output.status.success());
    let record: Value = serde_json::from_str(stdout(&output).trim()).unwrap();
    assert_eq!(record["ok"], false);
    assert!(
        record["error"]
            .as_str()
            .unwrap()
            .contains("longer than 1 s")
    );
    assert!(record["wall_ns_median"].is_null());
    assert!(stderr(&output).contains("FAILED"));
}

/// The flags of `cargo lab` are replaced by `RUSTFLAGS`, or the lab is not built by it: as here.
#[test]
fn a_build_without_alignment_says_so() {
    let output = run(&["fib", "--size", "5", "--runtime", "seq", "--json", "-"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let record: Value = serde_json::from_str(stdout(&output).trim()).expect("a record");
    let aligned = record["build"]["loops_aligned"].as_bool().expect("a flag");
    let text = stderr(&output);
    let warns = text.contains("loops are not aligned");
    let is_debug = text.contains("compiled without optimisation");
    assert_eq!(warns, !aligned && !is_debug, "{text}");
}

#[test]
fn the_baseline_holds_every_case() {
    let output = lab(&["baseline", "--smoke"]);
    let text = stdout(&output);
    for case in [
        "slice-sum 10",
        "slice-sum 1,000,000",
        "tree-sum 1,000",
        "fib 25",
    ] {
        let line = format!("seq ÷ by hand, {case}: ");
        assert!(text.contains(&line), "{case} is missing in {text}");
    }
}

#[test]
fn a_name_that_is_nearly_right_is_told() {
    for (arguments, hint) in [
        (&["compair", "A", "B"][..], "'compare'"),
        (&["run", "fibb"], "but there is `fib`"),
        (
            &["run", "fib", "--runtime", "raion"],
            "but there is `rayon`",
        ),
        (&["run", "fib", "--szie", "3"], "'--size'"),
        (
            &["run", "fib", "--size", "10m"],
            "10m is not a size, but 10M is",
        ),
        (&["run", "fib", "--size", "fibb=3"], "but there is `fib`"),
        (
            &["run", "fib", "--size", "uts=3"],
            "uts is not among the workloads of this run",
        ),
        (&["history", "fibb"], "but there is `fib`"),
        (
            &["compare", "A", "B", "--workload", "fibb"],
            "but there is `fib`",
        ),
        (&["published", "--table", "rings"], "but there is `ring`"),
        (&["layouts", "fibb"], "but there is `fib`"),
        (&["layouts", "fib", "--json", "x"], "nothing is written"),
        (&["layouts", "fib", "--out", "x"], "nothing is written"),
        (&["layouts", "fib", "--resume", "x"], "nothing is written"),
        (&["layouts", "fib", "--force"], "nothing is written"),
    ] {
        let output = lab(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains(hint), "{arguments:?}: {text}");
    }
}

/// What a run without tables writes to standard output, as records.
fn records_of(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[arguments, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let records = text.lines().map(serde_json::from_str);
    records.collect::<Result<_, _>>().unwrap()
}

#[test]
fn each_workload_may_have_sizes_of_its_own() {
    let sizes = ["--size", "9,slice-sum=10,1k", "--runtime", "seq"];
    let records = records_of(&[&["fib", "slice-sum"], &sizes[..]].concat());
    let of = |record: &Value| {
        let name = record["workload"].as_str().unwrap().to_owned();
        (name, record["size"].as_u64().unwrap())
    };
    let found: Vec<_> = records.iter().map(of).collect();
    let expected = [("fib", 9), ("slice-sum", 10), ("slice-sum", 1000)];
    assert_eq!(found, expected.map(|(name, size)| (name.to_owned(), size)));
}

#[test]
fn jobs_may_be_a_share_of_the_machine() {
    let records = records_of(&[
        "fib",
        "--size",
        "5",
        "--runtime",
        "rayon",
        "--jobs",
        "50%,100%",
    ]);
    let jobs: Vec<_> = records
        .iter()
        .map(|record| record["jobs"].as_u64().unwrap())
        .collect();
    let all = std::thread::available_parallelism().unwrap().get() as u64;
    let mut expected = vec![all.div_ceil(2), all];
    expected.dedup();
    assert_eq!(jobs, expected);
}

/// Here standard error is no terminal.
#[test]
fn a_log_has_a_line_for_each_tenth() {
    let run = [
        "run",
        "fib",
        "--size",
        "5",
        "--runtime",
        "seq,rayon",
        "--jobs",
        "1",
    ];
    let output = lab(&[&run[..], &TINY, &["--rounds", "10"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains(" processes done"))
        .collect();
    assert_eq!(lines.len(), 9, "{text}");
    assert!(
        lines[0].starts_with("2 of 20 processes done; the last: fib (5), "),
        "{text}"
    );
    assert!(!text.contains('\u{1b}') && !text.contains('━'), "{text}");
}
