//! The program as its users call it.

mod file_names;
mod small_songs;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use file_names::names;
use serde_json::Value;
use small_songs::{song, write};

fn chipmill(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    chipmill(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn str_of(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A seed with a first song of a minute, which is the shortest.
const SHORT: &str = "7";

#[test]
fn renders_what_is_whole_and_names_what_is_broken() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    std::fs::write(songs.path().join("b.vgm"), b"no log").unwrap();
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("new/album");
    let run = output(&["render", str_of(songs.path()), "--out", str_of(&target)]);
    assert_eq!(run.status.code(), Some(1));
    let errors = text(&run.stderr);
    assert!(errors.contains("b.vgm: is no register log"), "{errors}");
    assert_eq!(names(&target), ["a.wav"]);
    assert!(text(&run.stdout).contains("1 songs"), "{run:?}");
}

#[test]
fn json_is_a_line_for_each_song_and_one_for_all() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    write(songs.path(), "b.vgm", 5);
    let out = tempfile::tempdir().unwrap();
    let paths = [str_of(songs.path()), str_of(out.path())];
    let run = output(&[
        "render", paths[0], "--out", paths[1], "--format", "flac", "--json",
    ]);
    assert!(run.status.success(), "{run:?}");
    let lines: Vec<Value> = text(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    let frames: u64 = lines[..2]
        .iter()
        .map(|line| line["frames"].as_u64().unwrap())
        .sum();
    assert_eq!(lines[2]["frames"].as_u64(), Some(frames));
    assert_eq!(lines[2]["songs"], 2);
}

#[test]
fn a_song_that_is_left_out_has_a_line_of_json() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 1);
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("a.wav"), b"").unwrap();
    let paths = [str_of(songs.path()), str_of(out.path())];
    let arguments = [
        "render",
        paths[0],
        "--out",
        paths[1],
        "--skip-existing",
        "--json",
    ];
    for more in [&[][..], &["--dry-run"]] {
        let run = output(&[&arguments[..], more].concat());
        assert!(run.status.success(), "{run:?}");
        let lines = text(&run.stdout);
        let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!(line["skipped"], true, "{lines}");
        assert!(line["song"].as_str().unwrap().ends_with("a.vgm"));
    }
}

#[test]
fn a_dry_run_writes_nothing() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    let out = tempfile::tempdir().unwrap();
    let target = out.path().join("album");
    let paths = [str_of(songs.path()), str_of(&target)];
    let run = output(&["render", paths[0], "--out", paths[1], "--dry-run"]);
    assert!(run.status.success(), "{run:?}");
    assert!(text(&run.stdout).contains("a.wav (0.3 s)"), "{run:?}");
    assert!(!target.exists());
}

/// What rendering would refuse, a dry run refuses.
#[test]
fn a_dry_run_knows_of_a_directory_in_the_place_of_the_file() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    let out = tempfile::tempdir().unwrap();
    fs::create_dir(out.path().join("a.wav")).unwrap();
    let arguments = ["render", str_of(songs.path()), "--out", str_of(out.path())];
    for more in [&[][..], &["--dry-run"]] {
        let run = output(&[&arguments[..], more].concat());
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        assert!(
            text(&run.stderr).contains("is a directory or a device"),
            "{run:?}"
        );
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error_in_json() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    let file = songs.path().join("a.vgm");
    let run = output(&["render", str_of(&file), "--out", str_of(&file), "--json"]);
    assert!(!run.status.success(), "{run:?}");
    let line: Value = serde_json::from_str(text(&run.stdout).trim()).unwrap();
    assert!(
        line["error"].as_str().unwrap().contains("cannot be made"),
        "{line}"
    );
}

/// Renders a song that comes over a pipe, by this name.
fn renders_from_a_pipe(name: &str) {
    let out = tempfile::tempdir().unwrap();
    let mut child = chipmill(&["render", name, "--out", str_of(out.path())])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&song(2)).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(names(out.path()), ["stdin.wav"]);
}

#[test]
fn a_song_can_come_from_standard_input() {
    renders_from_a_pipe("-");
}

/// Planning reads each song, and rendering reads it again: a pipe has its bytes once.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_that_is_named_is_read_once() {
    renders_from_a_pipe("/dev/stdin");
}

#[test]
fn wrong_options_say_what_is_right() {
    let jobs = output(&["render", "a.vgm", "--jobs", "0"]);
    assert_eq!(jobs.status.code(), Some(2));
    assert!(
        text(&jobs.stderr).contains("use 1 for sequential"),
        "{jobs:?}"
    );
    let format = output(&["render", "a.vgm", "--format", "mp3"]);
    assert!(text(&format.stderr).contains("flac"), "{format:?}");
    let name = output(&["render", "a.vgm", "--name", "{year}"]);
    assert!(text(&name.stderr).contains("{title}"), "{name:?}");
    let audio = output(&["play", "a.vgm", "--audio", "here"]);
    assert_eq!(audio.status.code(), Some(2));
    assert!(text(&audio.stderr).contains(".wav"), "{audio:?}");
    let empty = tempfile::tempdir().unwrap();
    let none = output(&["render", str_of(empty.path())]);
    assert_eq!(none.status.code(), Some(1));
    assert!(text(&none.stderr).contains("no song"), "{none:?}");
}

#[test]
fn a_missing_chip_is_silent_only_when_it_may_be() {
    let songs = tempfile::tempdir().unwrap();
    let mut log = song(2);
    log[0x84..0x88].copy_from_slice(&1_789_772_u32.to_le_bytes());
    let path = songs.path().join("a.vgm");
    std::fs::write(&path, log).unwrap();
    let out = tempfile::tempdir().unwrap();
    let paths = [str_of(&path), str_of(out.path())];
    let refused = output(&["render", paths[0], "--out", paths[1]]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("NES APU (header offset 0x84)"),
        "{refused:?}"
    );
    assert_eq!(names(out.path()), [""; 0]);
    let silent = output(&[
        "render",
        paths[0],
        "--out",
        paths[1],
        "--missing-chips",
        "silent",
    ]);
    assert!(silent.status.success(), "{silent:?}");
    assert_eq!(names(out.path()), ["a.wav"]);
}

#[test]
fn info_prints_what_is_known() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 20);
    let run = output(&["info", str_of(&path)]);
    assert!(
        text(&run.stdout).contains("YM2612 at 7670454 Hz"),
        "{run:?}"
    );
    let run = output(&["info", str_of(&path), "--json"]);
    let info: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(info["chips"][0], "YM2612 at 7670454 Hz");
    let seconds = info["seconds"].as_f64().unwrap();
    assert!(
        (seconds - 20.0 * 4410.0 / 44_100.0).abs() < 1e-9,
        "{seconds}"
    );
}

#[test]
fn a_row_is_measured_in_the_terms_of_the_lab() {
    let rows = ["drumline 1 x 1", "processes 2 x 2"];
    let run = output(&[
        "bench", "--songs", "1", "--seed", SHORT, "--rounds", "2", "--json", "--row", rows[0],
        "--row", rows[1],
    ]);
    assert!(run.status.success(), "{run:?}");
    let lines: Vec<Value> = text(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    for (line, row) in lines.iter().zip(rows) {
        assert_eq!(line["row"], row);
        assert_eq!(line["operations"], 2);
        assert_eq!(line["wall_ns"].as_array().unwrap().len(), 2);
        // Both have the same song.
        assert_eq!(line["items"], lines[0]["items"]);
        assert!(line["items"].as_u64().unwrap() > 60 * 44_100, "{line}");
        #[cfg(target_os = "linux")]
        {
            assert!(line["usage"]["cpu_ns"].as_u64() > Some(0), "{line}");
            assert!(line["rss_peak_bytes"].as_u64() > Some(1 << 20), "{line}");
        }
    }
}

/// What the row of processes does with each of them: the time of a process that is started, and has
/// read its songs, begins with a word.
#[test]
fn a_process_of_a_row_waits_for_the_word() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 1);
    let row = ["bench", "--row", "threads 1 x 1", "--held", "--sample"];
    let start = || {
        chipmill(&row)
            .arg(songs.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut child = start();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "ready");
    assert!(child.try_wait().unwrap().is_none());
    child.stdin.take().unwrap().write_all(b"begin\n").unwrap();
    let sample: Value = serde_json::from_str(&said.next().unwrap().unwrap()).unwrap();
    assert_eq!(sample["frames"], 4410, "{sample}");
    assert!(child.wait().unwrap().success());
    // Without a program that says the word there is no measurement.
    let mut child = start();
    drop(child.stdin.take());
    let ended = child.wait_with_output().unwrap();
    assert!(!ended.status.success());
    assert_eq!(text(&ended.stdout), "ready\n");
}

#[test]
fn gaps_in_the_sound_are_counted() {
    let run = output(&[
        "bench", "--play", "1", "--rounds", "2", "--busy", "0", "--json",
    ]);
    assert!(run.status.success(), "{run:?}");
    let line: Value = serde_json::from_str(&text(&run.stdout)).unwrap();
    for number in ["player", "thread"] {
        let rounds = line["rounds"].as_array().unwrap().iter();
        let gaps: Vec<u64> = rounds.map(|gaps| gaps[number].as_u64().unwrap()).collect();
        assert_eq!(gaps.len(), 2, "{line}");
        assert_eq!(line[number], gaps.iter().sum::<u64>(), "{line}");
    }
    // Whatever the verdict is.
    assert!(line["met"].is_boolean(), "{line}");
    let refused = output(&["bench", "--play", "0"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_song_that_is_missing_is_named_with_its_playlist() {
    let songs = tempfile::tempdir().unwrap();
    let list = songs.path().join("list.m3u");
    std::fs::write(&list, "#EXTM3U\nmissing.vgm\n").unwrap();
    for command in ["info", "render"] {
        let run = output(&[command, str_of(&list)]);
        assert_eq!(run.status.code(), Some(1), "{run:?}");
        let errors = text(&run.stderr);
        assert!(errors.contains("list.m3u:2: "), "{errors}");
        assert!(errors.contains("missing.vgm: cannot be read"), "{errors}");
    }
}

#[test]
fn a_rate_that_a_format_does_not_have_is_a_wrong_option() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 1);
    let run = output(&[
        "render",
        str_of(&path),
        "--format",
        "flac",
        "--rate",
        "192000",
        "--dry-run",
    ]);
    assert_eq!(run.status.code(), Some(2), "{run:?}");
    assert!(text(&run.stderr).contains("at most 96000"), "{run:?}");
}

#[test]
fn what_is_wrong_with_a_file_is_said_once() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 1);
    let wav = songs.path().join("none/a.wav");
    let run = output(&["play", str_of(&path), "--audio", str_of(&wav)]);
    assert!(!run.status.success());
    let errors = text(&run.stderr);
    assert_eq!(errors.matches("cannot be created").count(), 1, "{errors}");
}

/// The exit status says that there is no file.
#[test]
fn a_file_into_which_nothing_is_played_is_an_error() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 0);
    std::fs::write(songs.path().join("b.vgm"), b"nothing").unwrap();
    let wav = songs.path().join("a.wav");
    let run = output(&["play", str_of(songs.path()), "--audio", str_of(&wav)]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let errors = text(&run.stderr);
    assert!(errors.contains("nothing was played"), "{errors}");
    // What was wrong with a song is said beside it.
    assert!(errors.contains("is no register log"), "{errors}");
    assert!(path.exists() && !wav.exists());
}

/// A line for each song that was named, and all of them counted.
#[test]
fn json_tells_of_songs_that_fail_before_and_of_those_that_are_there() {
    let songs = tempfile::tempdir().unwrap();
    for name in ["a.vgm", "b\u{7f}.vgm", "c.vgm"] {
        write(songs.path(), name, 1);
    }
    std::fs::write(songs.path().join("d.vgm"), b"nothing").unwrap();
    let out = tempfile::tempdir().unwrap();
    std::fs::write(out.path().join("c.wav"), b"there").unwrap();
    let paths = [str_of(songs.path()), str_of(out.path())];
    let run = output(&[
        "render",
        paths[0],
        "--out",
        paths[1],
        "--json",
        "--skip-existing",
    ]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let lines: Vec<Value> = text(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (all, each) = lines.split_last().unwrap();
    assert_eq!(all["songs"], 2);
    assert_eq!(all["failed"], 1);
    assert_eq!(all["skipped"], 1);
    let is_there = |name: &str| {
        let mut songs = each.iter().filter_map(|line| line["song"].as_str());
        songs.any(|song| song.ends_with(name))
    };
    assert!(is_there("b\u{7f}.vgm") && is_there("d.vgm"), "{each:?}");
    let error = each.iter().find_map(|line| line["error"].as_str());
    assert!(error.unwrap().contains("is no register log"));
}

/// An input that cannot be followed has a line too, and a song has the same name in each.
#[test]
fn json_tells_of_all_that_has_failed() {
    let songs = tempfile::tempdir().unwrap();
    let list = songs.path().join("list.m3u");
    std::fs::write(&list, "broken.vgm\nhttp://127.0.0.1/a.vgm\n").unwrap();
    let broken = songs.path().join("broken.vgm");
    std::fs::write(&broken, b"nothing").unwrap();
    let run = output(&["render", str_of(&list), "--json"]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let lines: Vec<Value> = text(&run.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [problem, song, all] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(problem["error"].as_str().unwrap().contains("list.m3u:2"));
    assert_eq!(song["song"], str_of(&broken));
    assert_eq!(all["failed"], 2);
}

/// Each song in flight has a file open, and the system lets the program have few.
#[cfg(unix)]
#[test]
fn more_songs_than_open_files_are_all_rendered() {
    let songs = tempfile::tempdir().unwrap();
    // Longer than a turn, so that all that are in flight are there at once.
    for number in 0..100 {
        write(songs.path(), &format!("{number}.vgm"), 31);
    }
    let out = tempfile::tempdir().unwrap();
    let run = |limit: &str| {
        let script = format!(
            "ulimit {limit} && exec \"$0\" render \"$1\" --out \"$2\" --jobs 2 --in-flight 90"
        );
        Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_chipmill")])
            .args([songs.path(), out.path()])
            .output()
            .unwrap()
    };
    // A limit that the program can raise, and one that it cannot.
    for (limit, is_told) in [("-S -n 64", false), ("-n 64", true)] {
        let run = run(limit);
        assert!(run.status.success(), "{run:?}");
        assert_eq!(names(out.path()).len(), 100);
        let told = text(&run.stderr).contains("38 songs are in flight, and not 90");
        assert_eq!(told, is_told, "{run:?}");
    }
}

#[test]
fn a_song_is_not_replaced_by_its_own_file() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.wav", 1);
    let before = std::fs::read(&path).unwrap();
    let run = output(&["render", str_of(&path), "--out", str_of(songs.path())]);
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    assert!(text(&run.stderr).contains("is one of the songs"), "{run:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// A full disk is an error, and a reader that has gone is none.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_may_be_full_or_closed() {
    let songs = tempfile::tempdir().unwrap();
    let path = write(songs.path(), "a.vgm", 1);
    let out = tempfile::tempdir().unwrap();
    let (path, out) = (str_of(&path), str_of(out.path()));
    let commands: [&[&str]; 5] = [
        &["compose", "--count", "1", "--out", out],
        &["render", path, "--json", "--out", out],
        &["render", path, "--dry-run", "--out", out],
        &["info", path],
        &["bench", "--play", "1", "--busy", "0"],
    ];
    for command in commands {
        let full = std::fs::File::create("/dev/full").unwrap();
        let run = chipmill(command).stdout(full).output().unwrap();
        assert_eq!(run.status.code(), Some(1), "{command:?}");
        let errors = text(&run.stderr);
        assert!(errors.contains("standard output"), "{command:?}: {errors}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = chipmill(command).stdout(writer).output().unwrap();
        assert!(run.status.success(), "{command:?}: {run:?}");
    }
}

#[test]
fn an_album_has_the_songs_that_were_composed_for_it() {
    let out = tempfile::tempdir().unwrap();
    let songs = out.path().join("songs");
    std::fs::create_dir(&songs).unwrap();
    write(&songs, "older.vgm", 1);
    let run = output(&[
        "album",
        "--count",
        "1",
        "--seed",
        SHORT,
        "--out",
        str_of(out.path()),
    ]);
    assert!(run.status.success(), "{run:?}");
    assert!(text(&run.stdout).contains("1 songs, "), "{run:?}");
    assert!(!names(out.path()).contains(&"older.wav".to_owned()));
}
