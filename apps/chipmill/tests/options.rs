//! The options of `render`, as the program takes them.

mod file_names;
mod log;

use std::path::Path;
use std::process::Command;
use std::thread::available_parallelism;

use file_names::names;
use log::Log;
use serde_json::Value;
use tempfile::TempDir;

/// Samples of the log before the part that repeats, and in it.
const BEFORE: u16 = 4_410;
const LOOP: u16 = 8_820;

/// A directory with a song that repeats.
fn songs() -> TempDir {
    let mut log = Log::new();
    log.set(0x74, 2_000_000);
    // For a stream that the log does not start.
    log.block(0, &[1, 2, 3]);
    log.push(&[0xa0, 0, 0x1c, 0xa0, 1, 1, 0xa0, 7, 0x3e, 0xa0, 8, 12]);
    log.wait(BEFORE);
    log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
    log.wait(LOOP);
    let songs = tempfile::tempdir().unwrap();
    std::fs::write(songs.path().join("a.vgm"), log.finish()).unwrap();
    songs
}

/// Renders the song with these options, and returns the lines of JSON.
fn render(out: &Path, options: &[&str]) -> Vec<Value> {
    let songs = songs();
    let run = Command::new(env!("CARGO_BIN_EXE_chipmill"))
        .args(["render", "--json", "--out"])
        .args([out, songs.path()])
        .args(options)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let lines = String::from_utf8(run.stdout).unwrap();
    let values = lines.lines().map(serde_json::from_str);
    values.collect::<Result<_, _>>().unwrap()
}

/// The loudest sample of the song with these options.
fn peak(options: &[&str]) -> f32 {
    let out = tempfile::tempdir().unwrap();
    let options = [&["--format", "wav-float"], options].concat();
    render(out.path(), &options);
    let mut file = hound::WavReader::open(out.path().join("a.wav")).unwrap();
    let samples = file.samples::<f32>().map(|sample| sample.unwrap().abs());
    samples.fold(0.0, f32::max)
}

#[test]
fn loops_and_fade_make_the_length() {
    let frames = |options: &[&str]| {
        let out = tempfile::tempdir().unwrap();
        render(out.path(), options)[0]["frames"].as_u64().unwrap()
    };
    let (before, repeated) = (u64::from(BEFORE), u64::from(LOOP));
    // Twice and eight seconds, if nothing is said.
    assert_eq!(frames(&[]), before + 2 * repeated + 8 * 44_100);
    let three = frames(&["--loops", "3", "--fade", "0.5"]);
    assert_eq!(three, before + 3 * repeated + 22_050);
    let slow = frames(&["--loops", "1", "--fade", "0", "--rate", "22050"]);
    assert_eq!(slow, (before + repeated) / 2);
}

#[test]
fn gain_is_a_factor() {
    let plain = peak(&[]);
    assert!(plain > 0.01, "{plain}");
    let factor = peak(&["--gain", "-20"]) / plain;
    assert!((factor - 0.1).abs() < 1e-6, "{factor}");
}

#[test]
fn normalize_makes_the_peak() {
    let wanted = |decibels: f32| 10_f32.powf(decibels / 20.0);
    for (option, decibels) in [("--normalize", -1.0), ("--normalize=-6", -6.0)] {
        let peak = peak(&[option]);
        assert!((peak - wanted(decibels)).abs() < 1e-6, "{option}: {peak}");
    }
}

#[test]
fn jobs_are_a_number_or_a_share() {
    let cores = available_parallelism().unwrap().get() as u64;
    let jobs = |option| {
        let out = tempfile::tempdir().unwrap();
        let lines = render(out.path(), &["--jobs", option]);
        assert_eq!(names(out.path()), ["a.wav"]);
        lines[1]["jobs"].as_u64().unwrap()
    };
    assert_eq!(jobs("3"), 3);
    assert_eq!(jobs("auto"), cores);
    assert!((1..=cores).contains(&jobs("physical")));
    let half = jobs("50%");
    assert!(half >= 1 && 2 * half <= cores + 1, "{half} of {cores}");
}

#[test]
fn a_name_is_made_of_a_template() {
    let out = tempfile::tempdir().unwrap();
    let template = "{track:02} of {stem}";
    render(out.path(), &["--name", template, "--format", "au"]);
    assert_eq!(names(out.path()), ["01 of a.au"]);
}
