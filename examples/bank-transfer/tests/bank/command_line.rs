//! Runs the program.

use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bank-transfer"));
    program.args(args).output().unwrap()
}

#[test]
fn a_run_is_reported() {
    let output = run(&["--transfers=300", "--faults=10", "--jobs=2", "--corrupt=3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        " transfers done, ",
        " panics on purpose, ",
        "\naccount 3 is closed\n",
        "\nthe sum before: 16000, after: 16000\n",
        "\nall actors have ended\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn arguments_that_make_no_sense_are_errors() {
    for (argument, code) in [
        ("--accounts=0", 2),
        ("--tellers=0", 2),
        ("--transfers=some", 2),
        ("--faults=-1", 2),
        ("--jobs=0", 2),
        ("--faults=1", 1),
        ("--corrupt=16", 1),
    ] {
        let output = run(&[argument]);
        assert_eq!(output.status.code(), Some(code), "{argument}: {output:?}");
        let (option, _) = argument.split_once('=').unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(option), "{argument}: {message}");
    }
}
