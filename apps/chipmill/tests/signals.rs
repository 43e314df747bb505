//! Signals that ask the program for an end.

#![cfg(unix)]

mod file_names;
mod scripts;
mod small_songs;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use file_names::names;
use scripts::write_script;
use small_songs::write;

/// What has not come by then does not come.
const FOREVER: Duration = Duration::from_secs(120);

fn chipmill(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command.args(arguments);
    command
}

fn str_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// What Ctrl-C sends, unless these tests were started to ignore it, as a shell starts what runs in
/// its background: a program does not listen to a signal that it was started to ignore.
fn signal_to_end() -> &'static str {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = line.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    if ignored & 1 << 1 == 0 {
        "-INT"
    } else {
        "-TERM"
    }
}

/// Sends these signals, one after another, to a program that renders a song of an hour, so that it
/// is in the middle of it, and looks at what is left.
fn leaves_no_half_file(signals: &[&str]) {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 36_000);
    let out = tempfile::tempdir().unwrap();
    let child = chipmill(&["render", str_of(songs.path()), "--out", str_of(out.path())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while names(out.path()).is_empty() {
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    for signal in signals {
        let killed = Command::new("kill").args([signal, &pid[..]]).status();
        assert!(killed.unwrap().success());
    }
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{signals:?}");
    assert_eq!(names(out.path()), [""; 0], "{signals:?}");
}

#[test]
fn ctrl_c_leaves_no_half_file() {
    leaves_no_half_file(&[signal_to_end()]);
}

/// As a session that ends sends them. The program stands still until both are there.
#[test]
fn a_terminal_that_goes_leaves_no_half_file() {
    leaves_no_half_file(&["-STOP", "-TERM", "-HUP", "-CONT"]);
}

/// Plays a song of an hour by this program, in the place of `pw-cat`.
fn plays_by(pw_cat: &str, directory: &Path) -> std::process::Child {
    use std::os::unix::process::CommandExt;
    let path = write(directory, "a.vgm", 36_000);
    let program = directory.join("pw-cat");
    // More than chipmill keeps for another program.
    write_script(&program, &format!("head -c 300000 >/dev/null\n{pw_cat}"));
    let others = std::env::var("PATH").unwrap_or_default();
    chipmill(&["play", str_of(&path)])
        .env("PATH", format!("{}:{others}", str_of(directory)))
        .env("READY", directory.join("ready"))
        .env("SIGNAL", signal_to_end())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap()
}

/// Ctrl-C in a terminal is for all programs of its group. That which plays is not among them.
#[test]
fn ctrl_c_ends_what_is_played_and_is_told_by_the_status() {
    let directory = tempfile::tempdir().unwrap();
    let waits = ": >\"$READY\"; exec tail -f /dev/null";
    let mut child = plays_by(waits, directory.path());
    while !directory.path().join("ready").exists() {
        assert!(child.try_wait().unwrap().is_none());
        std::thread::yield_now();
    }
    let group = format!("-{}", child.id());
    let kill = [signal_to_end(), "--", &group];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// The end of the program that plays may be seen before the signal is.
#[test]
fn a_program_that_ends_with_a_signal_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let ends = "kill \"$SIGNAL\" $PPID; exit 1";
    let mut child = plays_by(ends, directory.path());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

/// Its lines are written when it reads again, and songs are rendered meanwhile. A signal ends the
/// program all the same.
#[test]
fn a_reader_that_pauses_keeps_no_job() {
    let songs = tempfile::tempdir().unwrap();
    // Six bytes of JSON each: a line for a song fills a good part of a pipe.
    let directory = (0..10).fold(songs.path().to_owned(), |path, _| {
        path.join("\u{1}".repeat(200))
    });
    std::fs::create_dir_all(&directory).unwrap();
    for number in 0..12 {
        write(&directory, &format!("{number}.vgm"), 1);
    }
    let out = tempfile::tempdir().unwrap();
    let paths = [str_of(songs.path()), str_of(out.path())];
    let mut child = chipmill(&[
        "render", paths[0], "--out", paths[1], "--json", "--jobs", "1",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let start = Instant::now();
    let is_whole = |name: &String| name.ends_with(".wav");
    while names(out.path())
        .iter()
        .filter(|name| is_whole(name))
        .count()
        < 12
    {
        assert!(child.try_wait().unwrap().is_none());
        assert!(start.elapsed() < FOREVER, "{:?}", names(out.path()));
        std::thread::yield_now();
    }
    let kill = [signal_to_end(), &child.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    // Its standard output is open, and nothing reads it.
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
