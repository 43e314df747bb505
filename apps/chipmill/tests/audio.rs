//! The programs that play the sound, and what becomes of a song when they fail.
#![cfg(unix)]

mod small_songs;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use small_songs::write;

/// The notes of a song of three seconds.
const NOTES: u16 = 30;

/// Plays a song with these programs, and no others.
fn play(directory: &Path, notes: u16, programs: &[(&str, &str)]) -> Output {
    let bin = directory.join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, script) in programs {
        let path = bin.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    write(directory, "song.vgm", notes);
    Command::new(env!("CARGO_BIN_EXE_chipmill"))
        .args(["play", "song.vgm"])
        .current_dir(directory)
        .env("PATH", bin)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn errors(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}

/// What a program has written into the file `heard`, and what it should have.
fn heard_and_rendered(directory: &Path) -> (Vec<u8>, Vec<u8>) {
    let run = Command::new(env!("CARGO_BIN_EXE_chipmill"))
        .args(["play", "song.vgm", "--audio", "song.wav"])
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let mut wav = hound::WavReader::open(directory.join("song.wav")).unwrap();
    let samples = wav.samples::<i16>();
    let rendered = samples.flat_map(|sample| sample.unwrap().to_le_bytes());
    (
        fs::read(directory.join("heard")).unwrap(),
        rendered.collect(),
    )
}

#[test]
fn a_program_gets_the_whole_song() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [("aplay", "exec /bin/cat > heard")];
    let run = play(directory.path(), NOTES, &programs);
    assert!(run.status.success(), "{run:?}");
    let (heard, rendered) = heard_and_rendered(directory.path());
    assert_eq!(heard.len(), 3 * 44_100 * 4);
    assert!(heard == rendered, "the frames differ");
}

#[test]
fn the_next_program_takes_the_place_of_one_that_fails_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [
        ("pw-cat", "echo \"unrecognized option '--raw'\" >&2; exit 1"),
        ("pacat", "exec /bin/cat > heard"),
    ];
    let run = play(directory.path(), NOTES, &programs);
    assert!(run.status.success(), "{run:?}");
    let (heard, rendered) = heard_and_rendered(directory.path());
    assert!(heard == rendered, "the frames differ");
}

/// All of it lies in the pipe, so that no write fails.
#[test]
fn the_next_program_plays_a_song_that_is_over_before_the_first_one_fails() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [
        (
            "pacat",
            "/bin/cat > lost; echo 'connection refused' >&2; exit 1",
        ),
        ("aplay", "exec /bin/cat > heard"),
    ];
    let run = play(directory.path(), 1, &programs);
    assert!(run.status.success(), "{run:?}");
    let (heard, rendered) = heard_and_rendered(directory.path());
    assert!(heard == rendered, "the frames differ");
}

#[test]
fn if_none_works_the_error_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [
        ("pw-cat", "echo 'too old' >&2; exit 1"),
        ("aplay", "echo >&2; echo '  no card' >&2; exit 1"),
    ];
    let run = play(directory.path(), NOTES, &programs);
    assert!(!run.status.success(), "{run:?}");
    let errors = errors(&run);
    assert!(
        errors.contains("nothing plays the sound (pw-cat: too old; aplay: no card)"),
        "{errors}"
    );
}

#[test]
fn without_a_program_the_error_says_what_to_install() {
    let directory = tempfile::tempdir().unwrap();
    let run = play(directory.path(), NOTES, &[]);
    assert!(!run.status.success(), "{run:?}");
    assert!(errors(&run).contains("install one of them"), "{run:?}");
}

#[test]
fn a_program_that_ends_in_the_middle_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [
        (
            "pacat",
            "/usr/bin/head -c 400000 > heard; echo 'server went away' >&2; exit 1",
        ),
        ("aplay", "exec /bin/cat > again"),
    ];
    let run = play(directory.path(), 3 * NOTES, &programs);
    assert!(!run.status.success(), "{run:?}");
    let errors = errors(&run);
    assert!(
        errors.contains("pacat has stopped playing: server went away"),
        "{errors}"
    );
    assert!(!directory.path().join("again").exists());
}
