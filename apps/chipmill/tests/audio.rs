//! The programs that play the sound, and what becomes of a song when they fail.
#![cfg(unix)]

mod scripts;
mod small_songs;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use scripts::write_script;
use small_songs::write;

/// The notes of a song of three seconds.
const NOTES: u16 = 30;

/// Plays a song with these programs, and no others.
fn play(directory: &Path, notes: u16, programs: &[(&str, &str)]) -> Output {
    player(directory, notes, programs).output().unwrap()
}

fn player(directory: &Path, notes: u16, programs: &[(&str, &str)]) -> Command {
    let bin = directory.join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, script) in programs {
        let path = bin.join(name);
        write_script(&path, script);
    }
    write(directory, "song.vgm", notes);
    let mut command = chipmill(directory, &["play", "song.vgm"]);
    command.env("PATH", bin);
    command
}

/// The program, with no keys and no screen.
fn chipmill(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn terminate(id: &str) {
    let killed = Command::new("kill").args(["-TERM", id]).status();
    assert!(killed.unwrap().success());
}

/// Whether a process has not ended. One that nothing waits for is still there after its end.
fn lives(id: &str) -> bool {
    match fs::read_to_string(format!("/proc/{id}/stat")) {
        Ok(state) => !state.contains(") Z "),
        Err(_) => {
            let asked = Command::new("kill").args(["-0", id]).output();
            asked.unwrap().status.success()
        }
    }
}

fn errors(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}

/// What a program has written into the file `heard`, and what it should have.
fn heard_and_rendered(directory: &Path) -> (Vec<u8>, Vec<u8>) {
    let run = chipmill(directory, &["play", "song.vgm", "--audio", "song.wav"]).output();
    let run = run.unwrap();
    assert!(run.status.success(), "{run:?}");
    let mut wav = hound::WavReader::open(directory.join("song.wav")).unwrap();
    let samples = wav.samples::<i16>();
    let rendered = samples.flat_map(|sample| sample.unwrap().to_le_bytes());
    (
        fs::read(directory.join("heard")).unwrap(),
        rendered.collect(),
    )
}

/// Plays a song with these programs, of which the last one hears all of it. Returns its bytes.
fn heard(notes: u16, programs: &[(&str, &str)]) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let run = play(directory.path(), notes, programs);
    assert!(run.status.success(), "{run:?}");
    let (heard, rendered) = heard_and_rendered(directory.path());
    assert!(heard == rendered, "the frames differ");
    heard
}

/// Writes what it hears into a file.
const HEARS: &str = "exec /bin/cat > heard";

#[test]
fn a_program_gets_the_whole_song() {
    let bytes = heard(NOTES, &[("aplay", HEARS)]);
    assert_eq!(bytes.len(), 3 * 44_100 * 4);
}

#[test]
fn the_next_program_takes_the_place_of_one_that_fails_at_once() {
    let fails = "echo \"unrecognized option '--raw'\" >&2; exit 1";
    heard(NOTES, &[("pw-cat", fails), ("pacat", HEARS)]);
}

/// All of it lies in the pipe, so that no write fails.
#[test]
fn the_next_program_plays_a_song_that_is_over_before_the_first_one_fails() {
    let fails = "/bin/cat > lost; echo 'connection refused' >&2; exit 1";
    heard(1, &[("pacat", fails), ("aplay", HEARS)]);
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

/// It hangs, and so does what it would play on.
#[test]
fn a_program_that_does_not_read_is_ended_with_the_player() {
    let directory = tempfile::tempdir().unwrap();
    let programs = [("pacat", "echo $$ > id; exec /bin/sleep 1000")];
    let running = player(directory.path(), NOTES, &programs).spawn().unwrap();
    let id = loop {
        let id = fs::read_to_string(directory.path().join("id")).unwrap_or_default();
        if id.ends_with('\n') {
            break id.trim().to_owned();
        }
        std::thread::yield_now();
    };
    terminate(&running.id().to_string());
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(!lives(&id), "{id} lives");
}

/// The file begins under another name, and has its own when it is whole.
#[test]
fn a_signal_leaves_a_whole_file() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "song.vgm", 60_000);
    let arguments = ["play", "song.vgm", "--audio", "song.wav"];
    let running = chipmill(directory.path(), &arguments).spawn().unwrap();
    let files = || fs::read_dir(directory.path()).unwrap().count();
    while files() < 2 {
        std::thread::yield_now();
    }
    terminate(&running.id().to_string());
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert_eq!(files(), 2);
    let wav = hound::WavReader::open(directory.path().join("song.wav")).unwrap();
    assert_eq!(wav.spec().channels, 2);
}

#[test]
fn each_broken_song_is_reported_at_the_end() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "good.vgm", 1);
    for broken in ["a.vgm", "b.vgm"] {
        fs::write(directory.path().join(broken), b"nothing").unwrap();
    }
    let list = ["play", "a.vgm", "b.vgm", "good.vgm", "--audio", "null"];
    let run = chipmill(directory.path(), &list).output().unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let errors = errors(&run);
    for broken in ["a.vgm: is no register log", "b.vgm: is no register log"] {
        assert!(errors.contains(broken), "{errors}");
    }
}
