//! `info` and `compose`, as their users call them.

mod file_names;
mod log;
mod waiting;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use file_names::names;
use log::Log;
use serde_json::Value;
use waiting::eventually;

/// The fields of the header for tags, for the length and for the loop.
const TAGS: usize = 0x14;
const LENGTH: usize = 0x18;
const LOOP: usize = 0x1c;
const LOOP_LENGTH: usize = 0x20;

fn chipmill(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chipmill"));
    command.args(arguments);
    command
}

/// A song of a second, of which the second half repeats, with tags.
fn tagged_song() -> Vec<u8> {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    log.block(0, &[1, 2, 3]);
    log.push(&[0x52, 0x28, 0xf0]);
    log.wait(22_050);
    let place = log.bytes.len();
    log.push(&[0x52, 0x28, 0x00]);
    log.wait(22_050);
    log.set(LENGTH, 44_100);
    log.set(LOOP, (place - LOOP) as u32);
    log.set(LOOP_LENGTH, 22_050);
    let mut file = log.finish();
    let fields = [
        "Title", "題", "Game", "", "System", "", "Author", "作者", "1991", "Ripper", "a\nb",
    ];
    let text: Vec<u8> = fields
        .iter()
        .flat_map(|field| field.encode_utf16().chain([0]))
        .flat_map(u16::to_le_bytes)
        .collect();
    let place = (file.len() - TAGS) as u32;
    file[TAGS..TAGS + 4].copy_from_slice(&place.to_le_bytes());
    file.extend(b"Gd3 \x00\x01\x00\x00");
    file.extend((text.len() as u32).to_le_bytes());
    file.extend(text);
    file
}

fn with_the_song_as_input(arguments: &[&str], song: &Path) -> Output {
    let file = std::fs::File::open(song).unwrap();
    chipmill(arguments).stdin(file).output().unwrap()
}

#[test]
fn info_has_the_tags_and_the_loop() {
    let directory = tempfile::tempdir().unwrap();
    let song = directory.path().join("a.vgm");
    std::fs::write(&song, tagged_song()).unwrap();
    let path = song.to_str().unwrap();
    let by_name = chipmill(&["info", path]).output().unwrap();
    assert!(by_name.status.success(), "{by_name:?}");
    let text = String::from_utf8(by_name.stdout).unwrap();
    for part in [
        "Title", "題", "Game", "System", "Author", "作者", "1991", "YM2612",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    for arguments in [&["info", path, "--json"][..], &["info", "-", "--json"]] {
        let run = with_the_song_as_input(arguments, &song);
        assert!(run.status.success(), "{run:?}");
        let line: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(line["seconds"], 1.0, "{line}");
        assert_eq!(line["loop_seconds"], 0.5, "{line}");
        assert_eq!(line["tags"]["title"]["english"], "Title", "{line}");
        assert_eq!(line["tags"]["title"]["origin"], "題", "{line}");
        assert_eq!(line["tags"]["author"]["origin"], "作者", "{line}");
        assert_eq!(line["tags"]["notes"], "a\nb", "{line}");
    }
}

/// For programs, errors are lines as well.
#[test]
fn info_has_a_line_of_json_for_each_error() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("a.vgm"), tagged_song()).unwrap();
    std::fs::write(path("b.vgm"), "nothing").unwrap();
    let run = chipmill(&["info", "--json"])
        .args([path("none.m3u"), path("b.vgm"), path("a.vgm")])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(1), "{run:?}");
    let lines = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [list, song, whole] = &lines[..] else {
        panic!("{lines:?}")
    };
    let has = |line: &Value, text| line["error"].as_str().unwrap().contains(text);
    assert!(has(list, "none.m3u"), "{list}");
    assert!(has(song, "is no register log"), "{song}");
    assert!(song["path"].as_str().unwrap().ends_with("b.vgm"), "{song}");
    assert_eq!(whole["seconds"], 1.0, "{whole}");
}

/// From the bytes of the log to the file of the song.
#[test]
fn the_tags_of_a_song_are_those_of_its_flac_file() {
    let directory = tempfile::tempdir().unwrap();
    let song = directory.path().join("a.vgm");
    std::fs::write(&song, tagged_song()).unwrap();
    let run = chipmill(&["render", "--format", "flac", "--out"])
        .args([directory.path(), &song])
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let reader = claxon::FlacReader::open(directory.path().join("a.flac")).unwrap();
    let tags: Vec<(&str, &str)> = reader.tags().collect();
    for tag in [
        ("TITLE", "Title"),
        ("ALBUM", "Game"),
        ("ARTIST", "Author"),
        ("DATE", "1991"),
    ] {
        assert!(tags.contains(&tag), "{tag:?} of {tags:?}");
    }
}

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    names(directory)
        .into_iter()
        .map(|name| {
            let bytes = std::fs::read(directory.join(&name)).unwrap();
            (name, bytes)
        })
        .collect()
}

#[test]
fn the_same_seed_composes_the_same_files() {
    let directory = tempfile::tempdir().unwrap();
    let compose = |name: &str, seed: &str| {
        let out = directory.path().join(name);
        let arguments = ["compose", "--count", "3", "--seed", seed, "--out"];
        let run = chipmill(&arguments)
            .arg(&out)
            .stdout(Stdio::null())
            .status();
        assert!(run.unwrap().success());
        files(&out)
    };
    let first = compose("first", "7");
    assert_eq!(first.len(), 3);
    assert!(
        first.keys().all(|name| name.ends_with(".vgm")),
        "{:?}",
        first.keys()
    );
    assert!(compose("second", "7") == first);
    assert!(compose("third", "8") != first);
    // As many as are wanted, and the same songs first.
    let out = directory.path().join("more");
    let run = chipmill(&["compose", "--count", "4", "--seed", "7", "--out"])
        .arg(&out)
        .stdout(Stdio::null())
        .status();
    assert!(run.unwrap().success());
    let more = files(&out);
    assert_eq!(more.len(), 4);
    assert!(first.iter().all(|(name, bytes)| more[name] == *bytes));
}

#[test]
fn a_signal_leaves_whole_songs() {
    let directory = tempfile::tempdir().unwrap();
    let mut running = chipmill(&["compose", "--count", "10000", "--out"])
        .arg(directory.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let has_a_song = || {
        let names = names(directory.path());
        names.iter().any(|name| name.ends_with(".vgm"))
    };
    let look = || {
        assert!(running.try_wait().unwrap().is_none());
        has_a_song()
    };
    eventually(look, || "no song".to_owned());
    let id = running.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status();
    assert!(killed.unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    let written = files(directory.path());
    assert!(written.keys().all(|name| name.ends_with(".vgm")));
}
