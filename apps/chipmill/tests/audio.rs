//! The programs that play the sound, and what becomes of a song when they fail.
#![cfg(unix)]

mod file_names;
mod scripts;
mod small_songs;
mod waiting;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use file_names::names;
use scripts::write_script;
use small_songs::write;
use waiting::{eventually, found};

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

/// What a program says is kept in a file, and a failure of that is none of the sound.
#[test]
fn sound_needs_no_directory_for_temporary_files() {
    let directory = tempfile::tempdir().unwrap();
    let run = player(directory.path(), NOTES, &[("pw-cat", HEARS)])
        .env("TMPDIR", directory.path().join("none"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let (heard, rendered) = heard_and_rendered(directory.path());
    assert!(heard == rendered, "the frames differ");
}

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
    let id = || {
        let id = fs::read_to_string(directory.path().join("id")).unwrap_or_default();
        id.strip_suffix('\n').map(str::to_owned)
    };
    let id = found(id, || "the program that plays has not begun".to_owned());
    terminate(&running.id().to_string());
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    assert!(!lives(&id), "{id} lives");
}

/// Waits until a file that is not whole has this number of frames at least.
fn wait_for_frames(running: &mut Child, directory: &Path, frames: u64) {
    let is_written = |entry: fs::DirEntry| {
        let is_part = entry.path().extension().is_some_and(|end| end == "part");
        // It has another name when it is whole.
        is_part && entry.metadata().is_ok_and(|file| file.len() >= frames * 4)
    };
    let look = || {
        assert!(running.try_wait().unwrap().is_none());
        let mut entries = fs::read_dir(directory).unwrap();
        entries.any(|entry| is_written(entry.unwrap()))
    };
    eventually(look, || format!("{frames} frames"));
}

/// The frames of the file after the end of the player, `None` if a machine that is slow has removed
/// it, which is said. No half file is there.
fn frames_after(ended: &Output, directory: &Path) -> Option<u64> {
    let names = fs::read_dir(directory).unwrap();
    let is_half = |entry: fs::DirEntry| entry.path().extension().is_some_and(|end| end == "part");
    assert!(!names.into_iter().any(|entry| is_half(entry.unwrap())));
    if !errors(ended).is_empty() {
        assert!(errors(ended).contains("in time"), "{ended:?}");
        return None;
    }
    assert_eq!(ended.status.code(), Some(130), "{ended:?}");
    let wav = hound::WavReader::open(directory.join("song.wav")).unwrap();
    Some(wav.duration().into())
}

/// The file begins under another name, and has its own when it is whole.
#[test]
fn a_signal_leaves_a_whole_file() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "song.vgm", 60_000);
    let arguments = ["play", "song.vgm", "--audio", "song.wav"];
    let mut running = chipmill(directory.path(), &arguments).spawn().unwrap();
    wait_for_frames(&mut running, directory.path(), 44_100);
    terminate(&running.id().to_string());
    let ended = running.wait_with_output().unwrap();
    let frames = frames_after(&ended, directory.path());
    assert!(frames.is_none_or(|frames| frames > 40_000), "{frames:?}");
}

/// A player that waits for a song from a pipe has a whole file of the song before it.
#[test]
fn a_signal_leaves_a_whole_file_while_a_song_is_read() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "song.vgm", 3);
    let arguments = ["play", "song.vgm", "-", "--audio", "song.wav"];
    let mut running = chipmill(directory.path(), &arguments)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let frames = 13_230;
    wait_for_frames(&mut running, directory.path(), frames);
    // The pipe ends with the program.
    let pipe = running.stdin.take();
    terminate(&running.id().to_string());
    let ended = running.wait_with_output().unwrap();
    drop(pipe);
    let written = frames_after(&ended, directory.path());
    assert!(
        written.is_none_or(|written| written == frames),
        "{written:?}"
    );
}

#[test]
fn a_song_from_standard_input_is_played() {
    let directory = tempfile::tempdir().unwrap();
    let song = write(directory.path(), "song.vgm", NOTES);
    let played = |input: &str, output: &str, stdin: Stdio| {
        let mut command = chipmill(directory.path(), &["play", input, "--audio", output]);
        let run = command.stdin(stdin).output().unwrap();
        assert!(run.status.success(), "{run:?}");
        fs::read(directory.path().join(output)).unwrap()
    };
    let named = played("song.vgm", "named.wav", Stdio::null());
    let piped = played("-", "piped.wav", fs::File::open(song).unwrap().into());
    assert!(named.len() > 3 * 44_100 * 4);
    assert!(named == piped, "the frames differ");
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

/// A file that is there is replaced by sound, and by nothing else.
#[test]
fn a_file_stays_where_there_is_nothing_to_play() {
    let directory = tempfile::tempdir().unwrap();
    let song = write(directory.path(), "a.wav", 2);
    let before = std::fs::read(&song).unwrap();
    let broken = directory.path().join("b.vgm");
    std::fs::write(&broken, b"nothing").unwrap();
    let list = directory.path().join("c.m3u");
    std::fs::write(&list, "http://127.0.0.1/a.vgm\n").unwrap();
    for (input, why) in [
        (&song, "is one of the songs"),
        (&broken, "is no register log"),
        (&list, "on the network"),
    ] {
        let run = chipmill(directory.path(), &["play", "--audio", "a.wav"])
            .arg(input)
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let errors = String::from_utf8(run.stderr).unwrap();
        assert!(errors.contains(why), "{errors}");
        assert!(std::fs::read(&song).unwrap() == before);
    }
    assert_eq!(names(directory.path()), ["a.wav", "b.vgm", "c.m3u"]);
}
