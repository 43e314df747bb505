//! Runs the program.

use std::process::{Command, Output};

fn three_pools(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_three-pools"))
        .args(args)
        .output()
        .unwrap()
}

/// What the program prints.
fn printed(args: &[&str]) -> String {
    let output = three_pools(args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The name, the number of items and the result of each pipeline.
fn results(args: &[&str]) -> Vec<[String; 3]> {
    let text = printed(args);
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

/// A word with what differs from run to run left out: a number, a result, a time.
fn kind(word: &str) -> &str {
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    match word {
        _ if word.len() == 16 && u64::from_str_radix(word, 16).is_ok() => "RESULT",
        _ if word.parse::<u64>().is_ok() => "NUMBER",
        _ if digits.parse::<f64>().is_ok() && digits.len() < word.len() => "TIME",
        _ => word,
    }
}

/// The kinds of the words in each line.
fn shape(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines();
    lines
        .map(|line| line.split_whitespace().map(kind).collect())
        .collect()
}

/// What the page says that the program prints.
fn on_the_page() -> &'static str {
    let page = include_str!("../../README.md");
    let (_, section) = page.split_once("\n## three-pools\n").unwrap();
    let (_, block) = section.split_once("\n```text\n").unwrap();
    block.split_once("```\n").unwrap().0
}

#[test]
fn words_are_told_apart_by_their_kind() {
    assert_eq!(
        shape("lines 8 0123456789abcdef 1.5ms\nwall"),
        [&["lines", "NUMBER", "RESULT", "TIME"][..], &["wall"]]
    );
}

#[test]
#[cfg(unix)]
fn the_page_shows_what_is_printed() {
    let text = printed(&["--size", "1"]);
    let shown = on_the_page();
    assert_eq!(shape(shown), shape(&text));
    // The page has the usual size, 100, and the number of items grows with it.
    let items = |text: &'static str| {
        let lines = text.lines().skip(1).take(3);
        lines.map(|line| line.split_whitespace().nth(1).unwrap().to_owned())
    };
    let printed: Vec<_> = results(&["--size", "1"])
        .into_iter()
        .map(|[_, items, _]| format!("{items}00"))
        .collect();
    assert_eq!(items(shown).collect::<Vec<_>>(), printed);
}

#[test]
#[cfg(unix)]
fn context_switches_are_counted() {
    let text = printed(&["--size", "1", "--jobs", "2"]);
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
