//! Signals that ask the program for an end.

#![cfg(unix)]

mod file_names;
mod scripts;
mod small_songs;
mod waiting;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use file_names::names;
use scripts::write_script;
use small_songs::{song, write};
use waiting::eventually;

fn chipmill(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command.args(arguments);
    command
}

fn str_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Waits for what a program does that goes on.
#[track_caller]
fn wait_for(child: &mut Child, is_done: impl Fn() -> bool) {
    let look = || {
        assert!(child.try_wait().unwrap().is_none());
        is_done()
    };
    eventually(look, || "the program goes on without it".to_owned());
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
    let mut child = chipmill(&["render", str_of(songs.path()), "--out", str_of(out.path())])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&mut child, || !names(out.path()).is_empty());
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

/// Where it takes the longest: files that are encoded by all jobs, songs that are rendered twice,
/// many songs in flight, and a log without a wait. How long it took is printed (`--nocapture`);
/// README says that it is within a second.
#[test]
fn ctrl_c_ends_whatever_is_rendered() {
    let songs = tempfile::tempdir().unwrap();
    for number in 0..8 {
        write(songs.path(), &format!("{number}.vgm"), 36_000);
    }
    // A file begins when all has been rendered for the peak.
    let twice = tempfile::tempdir().unwrap();
    write(twice.path(), "a.vgm", 3000);
    write(twice.path(), "b.vgm", 36_000);
    let dense = tempfile::tempdir().unwrap();
    let mut log = song(1);
    log.pop();
    // Writes to the chip, all at the time 0, and then 49 minutes.
    log.extend([0x52, 0x40, 0x18].repeat(4 << 20));
    log.extend([0x61, 0xff, 0xff].repeat(2000));
    log.push(0x66);
    std::fs::write(dense.path().join("a.vgm"), log).unwrap();
    let cases = [
        (songs.path(), &["--format", "flac24", "--jobs", "2"][..]),
        (twice.path(), &["--normalize", "--jobs", "2"]),
        (songs.path(), &["--jobs", "2", "--in-flight", "8"]),
        (dense.path(), &["--jobs", "1"]),
    ];
    for (songs, options) in cases {
        let out = tempfile::tempdir().unwrap();
        let mut child = chipmill(&["render", str_of(songs), "--out", str_of(out.path())])
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for(&mut child, || !names(out.path()).is_empty());
        let start = Instant::now();
        let kill = [signal_to_end(), &child.id().to_string()];
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{options:?}");
        println!("{options:?}: ended after {:?}", start.elapsed());
        assert_eq!(names(out.path()), [""; 0], "{options:?}");
    }
}

/// As a session that ends sends them. The program stands still until both are there.
#[test]
fn a_terminal_that_goes_leaves_no_half_file() {
    leaves_no_half_file(&["-STOP", "-TERM", "-HUP", "-CONT"]);
}

/// Plays a song of an hour by this program, in the place of `pw-cat`.
fn plays_by(pw_cat: &str, directory: &Path) -> Child {
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
    let ready = directory.path().join("ready");
    wait_for(&mut child, || ready.exists());
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
    let is_whole = |name: &&String| name.ends_with(".wav");
    wait_for(&mut child, || {
        names(out.path()).iter().filter(is_whole).count() == 12
    });
    let kill = [signal_to_end(), &child.id().to_string()];
    assert!(Command::new("kill").args(kill).status().unwrap().success());
    // Its standard output is open, and nothing reads it.
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
