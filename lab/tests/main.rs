//! Tests of the lab from outside: the program is started as a user starts it. No test asserts a
//! time.

mod answers;
mod blocking;
mod command_line;
mod format;
mod outputs;
mod streams;

use std::path::Path;
use std::process::{Command, Output};

/// Runs the lab with these arguments.
fn lab(arguments: &[&str]) -> Output {
    lab_in(Path::new("."), arguments)
}

/// Runs the lab in a directory.
fn lab_in(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_drumline-lab"))
        .current_dir(directory)
        .args(arguments)
        .output()
        .expect("the lab can be started")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is text")
}
