//! Runs the program, and has others read what it makes.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::read::GzDecoder;

fn gzip_blocks() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gzip-blocks"))
}

/// Runs it with this on its standard input.
fn with_input(args: &[&str], input: &[u8]) -> Output {
    piped(gzip_blocks().args(args), input)
}

fn piped(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
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

/// About a megabyte of lines that differ, and then some noise.
fn data() -> Vec<u8> {
    let mut data: Vec<u8> = (0u32..30_000)
        .flat_map(|n| format!("line {n}: its square is {}\n", u64::from(n).pow(2)).into_bytes())
        .collect();
    let mut state = 1u32;
    data.extend(
        std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .take(100_000),
    );
    data
}

/// The decompressed text. There is exactly one gzip stream, and nothing behind it.
fn decompressed(compressed: &[u8]) -> Vec<u8> {
    let mut rest = compressed;
    let mut data = Vec::new();
    GzDecoder::new(&mut rest).read_to_end(&mut data).unwrap();
    assert_eq!(rest.len(), 0);
    data
}

#[track_caller]
fn message(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn names_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn what_goes_in_comes_out() {
    let data = data();
    for block in ["1", "32", "100", "128", "5000"] {
        for level in ["1", "6", "9"] {
            let output = with_input(&["--block", block, "--level", level], &data);
            assert!(output.status.success(), "{output:?}");
            assert!(
                decompressed(&output.stdout) == data,
                "blocks of {block} KiB, level {level}"
            );
        }
    }
}

#[test]
fn sizes_around_a_block() {
    let data = data();
    for length in [0, 1, 1023, 1024, 1025, 2048, 32 << 10, (33 << 10) + 1] {
        let output = with_input(&["--block", "1"], &data[..length]);
        assert!(output.status.success(), "{output:?}");
        assert!(
            decompressed(&output.stdout) == data[..length],
            "{length} bytes"
        );
    }
}

#[test]
fn the_number_of_jobs_does_not_show() {
    let data = data();
    let with = |jobs, in_flight| {
        let args = ["--jobs", jobs, "--in-flight", in_flight, "--block", "4"];
        let output = with_input(&args, &data);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let alone = with("1", "1");
    for (jobs, in_flight) in [("1", "64"), ("2", "1"), ("2", "8"), ("5", "3"), ("5", "64")] {
        assert!(
            with(jobs, in_flight) == alone,
            "{jobs} jobs, {in_flight} in flight"
        );
    }
}

#[test]
fn cutting_costs_little() {
    let data = data();
    let whole = with_input(&["--block", "100000"], &data).stdout.len();
    let cut = with_input(&["--block", "128"], &data).stdout.len();
    assert!(cut < whole + whole / 50, "{cut} bytes instead of {whole}");
}

#[test]
fn gzip_reads_it() {
    let data = data();
    let compressed = with_input(&["--block", "64"], &data).stdout;
    // Without a program of this name there is nothing to ask; the decoder of the other tests is a
    // second opinion.
    match Command::new("gzip").arg("--version").output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return,
        other => drop(other.unwrap()),
    }
    let output = piped(Command::new("gzip").arg("-dc"), &compressed);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout == data);
}

#[test]
fn a_file_becomes_a_file() {
    let data = data();
    let dir = tempfile::tempdir().unwrap();
    let (input, output) = (dir.path().join("text"), dir.path().join("text.gz"));
    fs::write(&input, &data).unwrap();
    fs::write(&output, "what was there before").unwrap();
    let status = gzip_blocks()
        .arg(&input)
        .arg("-o")
        .arg(&output)
        .arg("--force")
        .status();
    assert!(status.unwrap().success());
    assert!(decompressed(&fs::read(&output).unwrap()) == data);
    assert_eq!(names_in(dir.path()).len(), 2);
}

#[test]
#[cfg(target_os = "linux")]
fn a_failure_leaves_nothing_behind() {
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("text.gz");
    fs::write(&output, "what was there before").unwrap();
    // Opens, and cannot be read.
    let run = gzip_blocks()
        .arg("/proc/self/mem")
        .arg("--force")
        .arg("-o")
        .arg(&output)
        .output();
    let message = message(&run.unwrap());
    assert!(
        message.starts_with("gzip-blocks: cannot read /proc/self/mem: "),
        "{message}"
    );
    assert_eq!(names_in(dir.path()), ["text.gz"]);
    assert_eq!(fs::read(&output).unwrap(), b"what was there before");
}

#[test]
fn a_missing_file_is_named() {
    let output = gzip_blocks().arg("no/such/file").output().unwrap();
    let message = message(&output);
    assert!(
        message.starts_with("gzip-blocks: cannot open no/such/file: "),
        "{message}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
#[cfg(unix)]
fn a_directory_is_refused() {
    let output = gzip_blocks()
        .arg(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(message(&output).contains("is a directory"));
}

#[test]
fn a_place_that_does_not_exist_is_named() {
    let output = gzip_blocks()
        .arg(env!("CARGO_BIN_EXE_gzip-blocks"))
        .args(["-o", "no/such/directory/file.gz"])
        .output()
        .unwrap();
    assert!(message(&output).starts_with("gzip-blocks: cannot create no/such/directory/file.gz: "));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let output = gzip_blocks()
        .arg(env!("CARGO_BIN_EXE_gzip-blocks"))
        .args(["-o", "/dev/full"])
        .output()
        .unwrap();
    assert!(message(&output).starts_with("gzip-blocks: cannot write /dev/full: "));
    assert!(Path::new("/dev/full").exists());
}

#[test]
#[cfg(unix)]
fn a_reader_that_is_gone_is_left_in_peace() {
    let dir = tempfile::tempdir().unwrap();
    let input = dir.path().join("text");
    fs::write(&input, data()).unwrap();
    let mut child = gzip_blocks()
        .arg(&input)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 13), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
#[cfg(unix)]
fn a_message_that_has_no_reader_is_dropped() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = gzip_blocks()
        .arg("no/such/file")
        .stderr(writer)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
}

#[test]
fn it_explains_itself() {
    let output = gzip_blocks().arg("--help").output().unwrap();
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("--jobs") && help.contains("--block"));
    let output = gzip_blocks().args(["--level", "10"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
