//! Runs the program.

use std::process::{Command, Output};

fn three_pools(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_three-pools"))
        .args(args)
        .output()
        .unwrap()
}

/// The name, the number of items and the result of each pipeline.
fn results(args: &[&str]) -> Vec<[String; 3]> {
    let output = three_pools(args);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .skip(1)
        .take(3)
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            [(); 3].map(|()| words.next().unwrap())
        })
        .collect()
}

#[test]
fn everybody_gets_the_same_results() {
    let expected = results(&["--size", "1", "--jobs", "1", "--runtime", "crossbeam"]);
    let names: Vec<_> = expected.iter().map(|[name, ..]| name.as_str()).collect();
    assert_eq!(names, ["lines", "blocks", "primes"]);
    let items: Vec<_> = expected
        .iter()
        .map(|[_, items, _]| items.as_str())
        .collect();
    assert_eq!(items, ["10000", "8", "100"]);
    for runtime in ["drumline", "crossbeam"] {
        for (jobs, queue) in [("1", "1"), ("2", "7"), ("2", "256"), ("5", "64")] {
            let args = [
                "--size",
                "1",
                "--jobs",
                jobs,
                "--queue",
                queue,
                "--runtime",
                runtime,
            ];
            assert_eq!(results(&args), expected, "{args:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn context_switches_are_counted() {
    let output = three_pools(&["--size", "1", "--jobs", "2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().last().unwrap();
    let counts = line.strip_prefix("context switches: ").unwrap();
    let voluntary = counts.split(' ').next().unwrap().parse::<u64>().unwrap();
    // The main thread has waited for the others.
    assert!(voluntary > 0, "{line}");
}

#[test]
#[cfg(unix)]
fn a_reader_that_has_seen_enough_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_three-pools"))
        .args(["--size", "1"])
        .stdout(writer)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn it_explains_itself() {
    let output = three_pools(&["--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("--jobs") && help.contains("--runtime"));
    for wrong in [["--queue", "0"], ["--jobs", "0"], ["--size", "0"]] {
        assert_eq!(three_pools(&wrong).status.code(), Some(2));
    }
}
