//! Runs the program.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn wordfreq() -> Command {
    Command::new(env!("CARGO_BIN_EXE_wordfreq"))
}

/// Runs it with this on its standard input.
fn with_input(args: &[&str], input: &[u8]) -> Output {
    let mut child = wordfreq()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input).unwrap());
        child.wait_with_output().unwrap()
    })
}

/// A few megabytes, which all of the other tests' questions can be asked of.
fn text() -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_zipf-text"))
        .args(["3000000", "--words", "5000"])
        .output()
        .unwrap();
    assert!(output.status.success());
    output.stdout
}

#[track_caller]
fn message(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn everybody_counts_the_same() {
    let text = text();
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (dir.path().join("first"), dir.path().join("second"));
    fs::write(&first, &text[..text.len() / 3]).unwrap();
    fs::write(&second, &text[text.len() / 3..]).unwrap();
    let run = |runtime: &str, jobs: &str| {
        let output = wordfreq()
            .args(["--top", "0", "--runtime", runtime, "--jobs", jobs])
            .args([&first, &second])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let expected = run("seq", "1");
    assert!(expected.iter().filter(|&&byte| byte == b'\n').count() > 1_000);
    for runtime in ["drumline", "drumline-lines", "rayon", "rayon-chunks"] {
        for jobs in ["1", "2", "5"] {
            assert!(
                run(runtime, jobs) == expected,
                "{runtime} with {jobs} jobs says something else"
            );
        }
    }
}

#[test]
fn standard_input_is_read_to_its_end() {
    let output = with_input(&["--top", "2"], &b"to be, or not to be\n".repeat(50_000));
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "    100000 be\n    100000 to\n"
    );
}

#[test]
fn the_end_of_a_file_ends_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("half");
    fs::write(&file, "half").unwrap();
    let output = wordfreq().args([&file, &file]).output().unwrap();
    assert_eq!(output.stdout, b"         2 half\n");
}

#[test]
fn bytes_that_are_no_utf_8_come_out_as_they_went_in() {
    let output = with_input(&[], b"\xff\xfe x\xc3 \xff\xfe");
    assert!(output.status.success());
    assert_eq!(output.stdout, b"         2 \xff\xfe\n         1 x\xc3\n");
}

#[test]
fn case_can_be_ignored() {
    let output = with_input(&["--ignore-case"], b"Rose ROSE rose");
    assert_eq!(output.stdout, b"         3 rose\n");
}

#[test]
fn an_empty_input_has_no_words() {
    let output = with_input(&[], b"");
    assert!(output.status.success());
    assert!(output.stdout.is_empty());
}

#[test]
fn a_missing_file_is_named() {
    for runtime in ["drumline", "drumline-lines", "rayon", "rayon-chunks", "seq"] {
        let output = wordfreq()
            .args(["--runtime", runtime, "no/such/file"])
            .output()
            .unwrap();
        let message = message(&output);
        assert!(
            message.starts_with("wordfreq: cannot open no/such/file: "),
            "{message}"
        );
        assert!(output.stdout.is_empty());
    }
}

#[test]
#[cfg(unix)]
fn a_directory_is_no_text() {
    let output = wordfreq().arg(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(message(&output).starts_with("wordfreq: cannot read "));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut child = wordfreq()
        .stdin(Stdio::piped())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"word").unwrap();
    let message = message(&child.wait_with_output().unwrap());
    assert!(
        message.starts_with("wordfreq: cannot write to standard output: "),
        "{message}"
    );
}

#[test]
#[cfg(unix)]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = wordfreq()
        .args(["--top", "0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The other end has no reader from now on.
    drop(child.stdout.take());
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"some words")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty());
}

#[test]
#[cfg(unix)]
fn a_text_whose_reader_is_gone_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_zipf-text"))
        .args(["1000000", "--words", "10"])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
#[cfg(unix)]
fn a_message_that_has_no_reader_is_dropped() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = wordfreq().arg("no/such/file").stderr(writer).status();
    assert_eq!(status.unwrap().code(), Some(1));
}

#[test]
fn it_explains_itself() {
    let output = wordfreq().arg("--help").output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("--jobs") && help.contains("--top"));
    let output = wordfreq().args(["--jobs", "0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
