//! What `render` says of its songs.

mod file_names;
mod small_songs;

use std::path::Path;
use std::process::{Command, Output};

use file_names::names;
use serde_json::Value;
use small_songs::write;

/// Renders with these options, beside the directories of the songs and of the files.
fn render(songs: &Path, out: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_chipmill"))
        .arg("render")
        .arg(songs)
        .arg("--out")
        .arg(out)
        .args(options)
        .output()
        .unwrap()
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn without_a_terminal_there_is_a_plain_line_for_each_song_and_one_for_all() {
    let songs = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    let song = write(songs.path(), "a.vgm", 3);
    std::fs::write(songs.path().join("b.vgm"), b"no log").unwrap();
    let run = render(songs.path(), out.path(), &["--jobs", "2"]);
    let [line, all] = &lines(&run.stdout)[..] else {
        panic!("{run:?}");
    };
    let file = out.path().join("a.wav");
    assert_eq!(*line, format!("{} -> {}", song.display(), file.display()));
    let (what, speed) = all.split_once(" with 2 jobs: ").unwrap();
    assert!(what.starts_with("1 songs, 0 s of sound, "), "{all}");
    let (per_second, rest) = speed.split_once(" frames per second, ").unwrap();
    assert!(per_second.parse::<u64>().unwrap() > 0, "{all}");
    assert!(rest.ends_with(" times as fast as they play"), "{all}");
    assert_eq!(lines(&run.stderr).len(), 1, "{run:?}");
    // The first byte of all that moves a cursor or draws.
    let drawn =
        [&run.stdout, &run.stderr].map(|text| text.contains(&0x1b) || text.contains(&b'\r'));
    assert_eq!(drawn, [false, false], "{run:?}");
}

#[test]
fn the_last_line_of_json_has_the_frames_per_second() {
    let songs = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    write(songs.path(), "b.vgm", 4);
    let run = render(songs.path(), out.path(), &["--json"]);
    let all: Value = serde_json::from_str(lines(&run.stdout).last().unwrap()).unwrap();
    let number = |name: &str| all[name].as_f64().unwrap();
    assert!((number("frames") - 7.0 * 4410.0).abs() < 0.5, "{all}");
    let per_second = number("frames") / number("seconds");
    assert!((number("frames_per_second") / per_second - 1.0).abs() < 1e-6);
    assert!(number("bytes") > 4.0 * number("frames"), "{all}");
}

/// Names of files go to the terminal without what would move its cursor.
#[cfg(unix)]
#[test]
fn a_dry_run_prints_names_without_control_characters() {
    let songs = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    write(songs.path(), "\u{1b}[2Ja\nb.vgm", 1);
    for options in [&["--dry-run"][..], &[], &["--dry-run", "--skip-existing"]] {
        let run = render(songs.path(), out.path(), options);
        assert!(run.status.success(), "{run:?}");
        let printed = lines(&run.stdout);
        assert!(printed[0].contains(" [2Ja b.vgm"), "{printed:?}");
        assert!(!run.stdout.contains(&0x1b), "{printed:?}");
    }
    assert_eq!(names(out.path()).len(), 1);
}

#[test]
fn a_silent_song_stays_silent_when_it_is_normalized() {
    let songs = tempfile::tempdir().unwrap();
    let out = tempfile::tempdir().unwrap();
    // A chip that is never told to sound.
    let mut log = small_songs::song(0);
    log.pop();
    log.extend([0x61, 0x10, 0x27, 0x66]);
    std::fs::write(songs.path().join("a.vgm"), log).unwrap();
    let run = render(songs.path(), out.path(), &["--normalize"]);
    assert!(run.status.success(), "{run:?}");
    let mut wav = hound::WavReader::open(out.path().join("a.wav")).unwrap();
    let samples: Vec<i16> = wav.samples().map(Result::unwrap).collect();
    assert_eq!(samples.len(), 2 * 10_000);
    assert!(samples.iter().all(|sample| *sample == samples[0]));
}
