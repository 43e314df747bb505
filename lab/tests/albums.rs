//! Albums are measured by a program of its own.

use std::fs;
use std::path::Path;

use drumline_lab::record::Record;

use crate::scripts::write_script;
use crate::{command, stderr, stdout};

/// What a program says that has measured a row once.
const FOUND: &str = r#"{"row":"any","seconds":0.5,"items":1000,"operations":1,"wall_ns":[5e8],
    "cpu_ns":[9e8],"usage":{"cpu_ns":900000000,"ctx_voluntary":3,"ctx_involuntary":4},
    "rss_peak_bytes":1048576,"concurrency":8}"#;

/// Runs `render` with a shell script in place of the program.
fn render(directory: &Path, script: &str, arguments: &[&str]) -> std::process::Output {
    let program = directory.join("program");
    write_script(&program, script);
    let fixed = [
        "run", "render", "--size", "3", "--json", "-", "--rounds", "1",
    ];
    command(&[&fixed, arguments].concat())
        .env("LAB_CHIPMILL", &program)
        .env("CARGO_TARGET_DIR", directory)
        .output()
        .unwrap()
}

#[test]
fn a_record_has_what_the_program_says() {
    let directory = tempfile::tempdir().unwrap();
    let asked = directory.path().join("asked");
    let script = format!("echo \"$@\" >> {}; echo '{FOUND}'", asked.display());
    let run = render(
        directory.path(),
        &script,
        &["--jobs", "2", "--runtime", "drumline,processes"],
    );
    assert!(run.status.success(), "{}", stderr(&run));
    let lines = fs::read_to_string(asked).unwrap();
    let row = |row: &str| format!("bench --json --rounds 1 --songs 3 --row {row}");
    assert_eq!(
        Vec::from_iter(lines.lines()),
        [row("drumline 2 x 2"), row("processes 2 x 2")]
    );
    let text = stdout(&run);
    let records: Vec<Record> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for record in records {
        assert_eq!((record.ok, record.items), (Some(true), Some(1000)));
        assert_eq!(record.wall_ns_samples, [5e8]);
        assert_eq!(record.rss_peak_bytes, Some(1 << 20));
        assert_eq!(record.ctx_involuntary, Some(4));
        assert_eq!(record.cpu_ns_mean, Some(9e8));
        assert_eq!(record.concurrency, Some(2));
    }
}

#[test]
fn several_samples_are_several_albums() {
    let directory = tempfile::tempdir().unwrap();
    let script = format!("echo '{FOUND}'");
    let arguments = ["--jobs", "2", "--runtime", "rayon", "--samples", "3"];
    let run = render(directory.path(), &script, &arguments);
    let record: Record = serde_json::from_str(stdout(&run).trim()).unwrap();
    assert_eq!(record.wall_ns_samples.len(), 3);
    assert_eq!(record.operations, Some(3));
    assert_eq!(record.cpu_ns_mean, Some(9e8));
}

#[test]
fn a_program_that_fails_or_is_older_is_an_error_that_says_so() {
    let arguments = ["--jobs", "2", "--runtime", "rayon"];
    for script in ["exit 3", "echo nonsense", "echo '{}'"] {
        let directory = tempfile::tempdir().unwrap();
        let run = render(directory.path(), script, &arguments);
        assert_eq!(run.status.code(), Some(1), "{script}");
        let record: Record = serde_json::from_str(stdout(&run).trim()).unwrap();
        let error = record.error.unwrap();
        assert!(
            error.contains("build it again") || error.contains("measured nothing"),
            "{script}: {error}"
        );
    }
}

#[test]
fn a_program_that_is_not_where_it_is_said_to_be_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let run = command(&[
        "run", "render", "--size", "3", "--jobs", "2", "--rounds", "1",
    ])
    .env("LAB_CHIPMILL", directory.path().join("nowhere"))
    .env("CARGO_TARGET_DIR", directory.path())
    .output()
    .unwrap();
    assert_eq!(run.status.code(), Some(1));
    let text = stdout(&run);
    assert!(text.contains("nowhere, where no program is"), "{text}");
}

#[test]
fn without_the_program_each_row_says_how_to_get_it() {
    let run = command(&["run", "render", "--size", "3", "--jobs", "2"])
        .env("CARGO_TARGET_DIR", tempfile::tempdir().unwrap().path())
        .output()
        .unwrap();
    let text = stdout(&run);
    assert!(
        text.contains("run `cargo build --release` in apps/chipmill"),
        "{text}"
    );
}
