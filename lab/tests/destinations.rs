//! Where a run writes: what is in the way is found, and left alone, before anything is measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::{command, lab_in, stderr, stdout};

const TINY: [&str; 9] = [
    "run",
    "fib",
    "--runtime",
    "seq",
    "--size",
    "9",
    "--smoke",
    "--samples",
    "1",
];

/// It would measure for ten minutes.
const LONG: [&str; 8] = [
    "run",
    "fib",
    "--runtime",
    "seq",
    "--size",
    "60",
    "--timeout",
    "600",
];

fn refused(directory: &Path, arguments: &[&str]) -> String {
    let output = lab_in(directory, &[&LONG[..], arguments].concat());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), "");
    stderr(&output)
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_directory_that_is_not_empty_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("records.jsonl"), "precious").unwrap();
    let text = refused(directory.path(), &["--out", "out"]);
    for advice in ["--out out", "not empty", "--force"] {
        assert!(text.contains(advice), "{text}");
    }
    assert!(!text.contains("--resume"), "there is no run: {text}");
    assert_eq!(names(&out), ["records.jsonl"]);
    assert_eq!(
        fs::read_to_string(out.join("records.jsonl")).unwrap(),
        "precious"
    );
}

#[test]
fn a_file_that_is_not_empty_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "precious").unwrap();
    let text = refused(directory.path(), &["--json", "file", "--out", "out"]);
    assert!(
        text.contains("--json file") && text.contains("--force"),
        "{text}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    // Not even the directory was made.
    assert_eq!(names(directory.path()), ["file"]);
}

#[test]
fn what_cannot_be_written_is_refused_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "in the way").unwrap();
    fs::create_dir(directory.path().join("directory")).unwrap();
    for out in ["file", "file/out"] {
        let text = refused(directory.path(), &["--out", out]);
        assert!(text.contains(out) && text.contains("--out"), "{text}");
    }
    for json in ["file/records", "directory", "none/records"] {
        let text = refused(directory.path(), &["--json", json]);
        assert!(text.contains(&format!("--json {json}")), "{text}");
    }
    let text = refused(directory.path(), &["--json", "same", "--out", "./same"]);
    assert!(text.contains("--json same"), "{text}");
    let output = command(&LONG)
        .current_dir(directory.path())
        .env("CARGO_TARGET_DIR", directory.path().join("file"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("file") && text.contains("--out"), "{text}");
    assert_eq!(names(directory.path()), ["directory", "file"]);
    assert_eq!(
        fs::read_to_string(directory.path().join("file")).unwrap(),
        "in the way"
    );
}

#[test]
fn what_is_empty_is_not_in_the_way() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    fs::write(directory.path().join("records"), "").unwrap();
    let arguments = [&TINY[..], &["--out", "out", "--json", "records"]].concat();
    let output = lab_in(directory.path(), &arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |name| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(read("records"), read("out/records.jsonl"));
    assert!(read("records").contains("\"fib\""));
}

#[test]
fn what_is_in_the_way_is_overwritten_if_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("out")).unwrap();
    for name in ["out/records.jsonl", "out/journal.jsonl", "out/mine", "file"] {
        fs::write(directory.path().join(name), "old").unwrap();
    }
    let arguments = ["--out", "out", "--json", "file", "--force"];
    let output = lab_in(directory.path(), &[&TINY[..], &arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let read = |name| fs::read_to_string(directory.path().join(name)).unwrap();
    for name in ["out/records.jsonl", "out/journal.jsonl", "file"] {
        assert!(read(name).starts_with('{'), "{name}");
    }
    assert_eq!(read("out/mine"), "old");
}

/// The directories that runs have made without being told where.
fn made(target: &Path) -> Vec<PathBuf> {
    let lab = target.join("lab");
    names(&lab).iter().map(|name| lab.join(name)).collect()
}

#[test]
fn records_elsewhere_do_not_cost_the_report() {
    for json in ["-", "records"] {
        let directory = tempfile::tempdir().unwrap();
        let output = command(&[&TINY[..], &["--json", json]].concat())
            .current_dir(directory.path())
            .env("CARGO_TARGET_DIR", directory.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        let [made] = &made(directory.path())[..] else {
            panic!("{:?}", names(directory.path()));
        };
        assert!(made.join("report.html").exists());
        let told = stdout(&output) + &stderr(&output);
        assert!(told.contains(made.to_str().unwrap()), "{told}");
    }
}

#[test]
fn runs_at_the_same_time_write_to_different_places() {
    let directory = tempfile::tempdir().unwrap();
    let started: Vec<_> = (0..3)
        .map(|_| {
            command(&TINY)
                .env("CARGO_TARGET_DIR", directory.path())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut run in started {
        assert!(run.wait().unwrap().success());
    }
    let made = made(directory.path());
    assert_eq!(made.len(), 3);
    assert!(made.iter().all(|d| d.join("report.html").exists()));
}
