//! Runs the four programs.

use std::fs;
use std::process::{Command, Output};

/// Runs a program that succeeds. What it prints.
fn printed(program: &str, args: &[&str]) -> String {
    let output = output(program, args);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a program says that fails, on its standard error.
fn refused(program: &str, args: &[&str]) -> String {
    let output = output(program, args);
    assert!(!output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn output(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().unwrap()
}

#[test]
fn the_bank_grants_or_refuses_each_request() {
    for jobs in ["1", "4"] {
        let said = printed(
            env!("CARGO_BIN_EXE_bank"),
            &["--jobs", jobs, "--customers", "3", "--requests", "200"],
        );
        let words: Vec<&str> = said.split_whitespace().collect();
        assert_eq!((words[1], words[4]), ("transfers", "refusals"), "{said}");
        let counts = [words[0], words[3]].map(|word| word.parse::<u64>().unwrap());
        assert_eq!(counts.iter().sum::<u64>(), 600, "{said}");
    }
}

#[test]
fn a_bank_has_two_accounts_at_least() {
    let said = refused(env!("CARGO_BIN_EXE_bank"), &["--accounts", "1"]);
    assert!(said.contains("--accounts"), "{said}");
}

#[test]
fn the_calculator_speaks_both_versions() {
    let calculate = |args: &[&str]| printed(env!("CARGO_BIN_EXE_calculator"), args);
    let sum = calculate(&["--version-spoken", "1", "3", "4", "-8"]);
    assert_eq!(sum, "the sum is -1\n");
    assert_eq!(calculate(&["3", "4", "8"]), "the mean is 5\n");
    assert_eq!(calculate(&["--jobs", "1"]), "there are no numbers\n");
    let said = refused(
        env!("CARGO_BIN_EXE_calculator"),
        &["--version-spoken", "3", "1"],
    );
    assert!(said.contains("--version-spoken"), "{said}");
}

#[test]
fn each_article_is_read_once() {
    for jobs in ["1", "2"] {
        let args = ["--jobs", jobs, "--readers", "3", "--articles", "100"];
        let said = printed(env!("CARGO_BIN_EXE_news"), &args);
        assert!(said.starts_with("100 articles read in "), "{said}");
    }
    let said = refused(env!("CARGO_BIN_EXE_news"), &["--readers", "0"]);
    assert!(said.contains("there is no reader"), "{said}");
}

#[test]
fn a_file_is_copied_and_none_is_overwritten() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    let content: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
    fs::write(path("source"), &content).unwrap();
    let (source, destination, missing) = (path("source"), path("copy"), path("missing"));
    let transfer = env!("CARGO_BIN_EXE_transfer");
    let said = printed(
        transfer,
        &[&source, &destination, "--chunk", "1", "--window", "2"],
    );
    assert!(said.starts_with("300000 bytes in "), "{said}");
    assert_eq!(fs::read(&destination).unwrap(), content);

    let said = refused(transfer, &[&source, &destination]);
    assert!(said.contains("cannot create"), "{said}");
    assert_eq!(fs::read(&destination).unwrap(), content);

    let said = refused(transfer, &[&missing, &path("other")]);
    assert!(said.contains("missing"), "{said}");
}
