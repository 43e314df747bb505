//! Runs the program.

use std::process::{Command, Output, Stdio};

fn bank_account() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bank-account"))
}

fn run(args: &[&str]) -> Output {
    bank_account().args(args).output().unwrap()
}

#[track_caller]
fn failure(args: &[&str], code: i32) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_sum_is_right() {
    for args in [
        &["--requests", "200"][..],
        &["--requests", "200", "--jobs", "1", "--seed", "7"],
        &["--requests", "200", "--clients-are", "threads"],
        &["--requests", "50", "--accounts", "1", "--clients", "1"],
        &["--requests", "0"],
        &["--requests", "10", "--balance", "18446744073709551615"],
    ] {
        let output = run(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("the sum is right: "), "{text}");
    }
}

#[test]
fn mistakes_are_named() {
    assert!(failure(&["--accounts", "0"], 2).contains("--accounts"));
    assert!(failure(&["--jobs", "many"], 2).contains("--jobs"));
    assert!(failure(&["--clients-are", "cats"], 2).contains("threads"));
    let message = failure(&["--accounts", "100000", "--clients", "100000"], 1);
    assert!(
        message.starts_with("bank-account: 100000 clients"),
        "{message}"
    );
}

#[test]
#[cfg(unix)]
fn a_reader_that_is_gone_is_left_in_peace() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = bank_account()
        .args(["--requests", "1"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 13), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn it_explains_itself() {
    let output = run(&["--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("--jobs") && help.contains("--clients-are"));
}
