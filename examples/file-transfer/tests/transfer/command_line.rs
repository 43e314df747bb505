//! Runs the program.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use file_transfer::Digest;

use crate::files::{CHUNK, Files};

fn file_transfer() -> Command {
    Command::new(env!("CARGO_BIN_EXE_file-transfer"))
}

fn run(source: &Path, destination: &Path, args: &[&str]) -> Output {
    file_transfer()
        .args([source, destination])
        .args(["--chunk", "1"])
        .args(args)
        .output()
        .unwrap()
}

fn in_files(files: &Files, args: &[&str]) -> Output {
    run(&files.source(), &files.destination(), args)
}

#[track_caller]
fn message(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_process_that_ends_loses_nothing() {
    for chunks in 0..=5 {
        let files = Files::with_source(4 * CHUNK + 5);
        let stopped = in_files(&files, &["--stop-after", &chunks.to_string()]);
        assert_eq!(stopped.status.code(), Some(3), "{stopped:?}");
        let offset = files.data.len().min(chunks * CHUNK);
        assert_eq!(fs::read(files.partial()).unwrap(), files.data[..offset]);
        assert!(!files.destination().exists());

        let output = in_files(&files, &["--window", "1"]);
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let digest = Digest::of(&files.data);
        let expected =
            format!("4101 bytes, {offset} of which were here before; SHA-256 {digest}\n");
        assert_eq!(text, expected);
        files.are_the_same();
    }
}

#[test]
fn a_file_that_has_changed_is_not_mixed_with_the_old_one() {
    let mut files = Files::with_source(4 * CHUNK);
    in_files(&files, &["--stop-after", "2"]);
    files.data[0] ^= 1;
    fs::write(files.source(), &files.data).unwrap();
    let message = message(&in_files(&files, &[]));
    assert!(message.contains("has changed"), "{message}");
    assert!(in_files(&files, &["--restart"]).status.success());
    files.are_the_same();
}

#[test]
fn a_source_is_never_written() {
    let files = Files::with_source(CHUNK);
    let text = message(&run(&files.source(), &files.source(), &["--force"]));
    assert!(text.contains("is the source"), "{text}");
    fs::rename(files.source(), files.partial()).unwrap();
    let text = message(&run(&files.partial(), &files.destination(), &[]));
    assert!(text.contains("is the source"), "{text}");
    assert_eq!(files.names(), ["destination.partial"]);
    assert_eq!(fs::read(files.partial()).unwrap(), files.data);
}

#[test]
fn mistakes_are_named() {
    let files = Files::with_source(CHUNK);
    let text = message(&run(Path::new("no/such/file"), &files.destination(), &[]));
    let start = "file-transfer: the server cannot go on: cannot open no/such/file: ";
    assert!(text.starts_with(start), "{text}");
    for args in [&["--window", "0"][..], &["--jobs", "many"]] {
        let output = in_files(&files, args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains(args[0]));
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_is_gone_is_left_in_peace() {
    let files = Files::with_source(CHUNK);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = file_transfer()
        .args([files.source(), files.destination()])
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn();
    let output = child.unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 13), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    files.are_the_same();
}

#[test]
fn it_explains_itself() {
    let output = file_transfer().arg("--help").output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("--jobs") && help.contains("--stop-after"));
}
