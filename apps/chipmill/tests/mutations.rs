//! Files that are broken by chance: whatever is in them, there is no panic, memory is bounded, and
//! a second of sound ends. Register logs, compressed ones, and playlists.
//!
//! `CHIPMILL_MUTATIONS` is the number of files of each kind, 3,000 without it.

#[path = "mutation/allocator.rs"]
mod allocator;
#[path = "mutation/files.rs"]
mod files;
mod log;
mod memory_chips;
#[path = "mutation/playlists.rs"]
mod playlists;

use chipmill::album::{Settings, plan};
use chipmill::output::Format;
use chipmill::playlist::expand;
use chipmill::render::{Options, Renderer, Resampling};
use chipmill::song::{MAX_BYTES, MissingChips, Song, SongError, read};
use drumline::Pool;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use allocator::{Counting, most_of};
use log::Log;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a parser has at most, whatever the size of the file: the commands of a batch.
const PARSER: usize = 4 << 20;
/// What a parser has for each byte of a file, at most. A byte can be an event of 8 bytes, and a bit
/// of a compressed block four bytes, which are copied to their bank as it grows.
const PER_BYTE: usize = 160;
/// What a renderer has at most besides the memories of chips: most of it are writes that wait, and
/// RAM of chips that they fill through their registers, or that has a page for a byte.
const RENDERER: usize = 4 << 20;

fn runner() -> TestRunner {
    let cases = match std::env::var("CHIPMILL_MUTATIONS") {
        Ok(cases) => cases.parse().expect("CHIPMILL_MUTATIONS is a number"),
        Err(_) => 3_000,
    };
    TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    })
}

/// Parses a file, and plays a second of what is a song.
fn check(file: &[u8], resampling: Resampling) {
    let (most, song) = most_of(|| Song::parse(file, MissingChips::Silent));
    let bound = PARSER + PER_BYTE * file.len();
    assert!(most <= bound, "{most} bytes for a file of {}", file.len());
    match song {
        Ok(song) => play(song, resampling),
        Err(error) => not_of_a_panic(&error),
    }
}

/// A panic of the parser becomes an error as well.
fn not_of_a_panic(error: &SongError) {
    assert!(!matches!(error, SongError::Panicked { .. }), "{error}");
}

fn play(song: Song, resampling: Resampling) {
    let bound = RENDERER + if song.memory.is_empty() { 0 } else { MAX_BYTES };
    let options = Options {
        rate: 8_000,
        resampling,
        ..Options::default()
    };
    let mut frames = vec![[0.0; 2]; options.rate as usize];
    let (most, _) = most_of(|| {
        let mut renderer = Renderer::new(song, &options);
        let made = renderer.fill(&mut frames);
        assert!(made == frames.len() || renderer.position() == renderer.length());
    });
    assert!(most <= bound, "{most} bytes, and not {bound}");
    assert!(frames.iter().flatten().all(|sample| sample.is_finite()));
}

fn check_all(files: impl Strategy<Value = Vec<u8>>) {
    let resampling = prop_oneof![Just(Resampling::Mean), Just(Resampling::Nearest)];
    let result = runner().run(&(files, resampling), |(file, resampling)| {
        check(&file, resampling);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The most that a compressed byte becomes (by DEFLATE).
const GROWS: usize = 1_032;

/// Reads a compressed file: what comes out is the song of the uncompressed bytes, or the same error
/// as that of uncompressing them.
fn check_compressed(file: &[u8]) {
    let plain = read(file);
    let len = plain.as_ref().map_or(GROWS * file.len(), Vec::len);
    let (most, song) = most_of(|| Song::from_reader(file, MissingChips::Silent));
    let bound = PARSER + PER_BYTE * len;
    assert!(
        most <= bound,
        "{most} bytes for {len} in a file of {}",
        file.len()
    );
    match plain.map(|plain| Song::parse(&plain, MissingChips::Silent)) {
        Ok(Ok(expected)) => {
            let song = song.unwrap();
            assert_eq!(song.events, expected.events);
            play(song, Resampling::Nearest);
        }
        Ok(Err(expected)) => {
            not_of_a_panic(&expected);
            assert_eq!(song.unwrap_err().to_string(), expected.to_string());
        }
        Err(expected) => {
            assert_eq!(song.unwrap_err().to_string(), expected.to_string());
            let of_the_file = matches!(
                expected,
                SongError::Compression { .. } | SongError::TooLarge
            );
            assert!(of_the_file, "{expected}");
        }
    }
}

#[test]
fn random_bytes_are_a_song_or_an_error() {
    check_all(files::random());
}

#[test]
fn mutations_are_a_song_or_an_error() {
    check_all(files::mutated());
}

#[test]
fn compressed_mutations_are_the_song_of_their_bytes_or_an_error() {
    let result = runner().run(&files::compressed(), |file| {
        check_compressed(&file);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// What a list has at most, whatever the size of the file, and for each byte of it. An entry of a
/// byte has the path of its directory.
const LIST: usize = 1 << 20;
const PER_BYTE_OF_LIST: usize = 600;

#[test]
fn playlists_are_lists_and_problems() {
    let directory = tempfile::tempdir().unwrap();
    let result = runner().run(&playlists::mutated(), |(name, bytes)| {
        let path = directory.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let (most, list) = most_of(|| expand(&[&path]));
        let bound = LIST + PER_BYTE_OF_LIST * bytes.len();
        assert!(most <= bound, "{most} bytes for a list of {}", bytes.len());
        for entry in list.entries {
            assert!(!entry.label().to_string().is_empty());
        }
        for problem in list.problems {
            let text = problem.to_string();
            assert!(
                text.contains(name) && text.len() > name.len() + 10,
                "{text}"
            );
        }
        std::fs::remove_file(&path).unwrap();
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The file with the most events for its size.
#[test]
fn a_long_file_has_memory_in_bounds() {
    for command in [&[0x81][..], &[0x80], &[0x52, 0x28, 0xf0], &[0x94, 0]] {
        let mut log = Log::new();
        log.set(0x2c, 7_670_454);
        log.push(&command.repeat((1 << 20) / command.len()));
        let file = log.finish();
        let (most, song) = most_of(|| Song::parse(&file, MissingChips::Refuse));
        song.unwrap();
        assert!(most <= PARSER + PER_BYTE * file.len(), "{most}");
    }
}

/// The block that grows most: each of its bits becomes four bytes.
#[test]
fn a_compressed_block_has_memory_in_bounds() {
    let data = vec![0x5a; 1 << 16];
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    let size = (32 * data.len() as u32).to_le_bytes();
    let head = [&[0][..], &size, &[32, 1, 0, 0, 0]].concat();
    log.block(0x40, &[head, data.clone()].concat());
    let file = log.finish();
    let (most, song) = most_of(|| Song::parse(&file, MissingChips::Refuse));
    assert_eq!(song.unwrap().banks[0].data.len(), 32 * data.len());
    assert!(most <= PARSER + PER_BYTE * file.len(), "{most}");
}

/// A song of one sample, up to where the texts of its tags begin; they go to the end of the file.
fn without_tags() -> Vec<u8> {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    log.wait(1);
    let at = log.bytes.len() + 1;
    log.set(0x14, (at - 0x14) as u32);
    let mut file = log.finish();
    file.extend(b"Gd3 \x00\x01\x00\x00\xff\xff\xff\xff");
    file
}

/// Tags that are as long as a file can be: neither a song nor a plan keeps all of them.
#[test]
fn endless_tags_have_memory_in_bounds() {
    let mut file = without_tags();
    file.extend([0x42, 0x30].repeat(1 << 20));
    let (most, song) = most_of(|| Song::parse(&file, MissingChips::Refuse));
    assert_eq!(song.unwrap().tags.title.english.len(), (16 << 10) - 1);
    assert!(most < 1 << 20, "{most}");
}

/// The songs of a plan keep no tags while they wait: here each has 11 of 16 KiB.
#[test]
fn a_plan_has_memory_in_bounds() {
    let mut file = without_tags();
    for _ in 0..11 {
        file.extend([0x61, 0].repeat(16 << 10));
        file.extend([0, 0]);
    }
    let songs = tempfile::tempdir().unwrap();
    for number in 0..100 {
        std::fs::write(songs.path().join(format!("{number}.vgm")), &file).unwrap();
    }
    let settings = Settings {
        render: Options::default(),
        normalize: None,
        format: Format::Wav16,
        out: songs.path().to_owned(),
        names: "{title}".parse().unwrap(),
        missing: MissingChips::Refuse,
        max_seconds: 600,
        skip_existing: false,
    };
    // The worker does all of it, so that its allocations are all there are.
    let pool = Pool::builder().jobs(1).build().unwrap();
    let (most, plan) = pool.install(|| {
        let entries = expand(&[songs.path()]).entries;
        most_of(|| plan(entries, &settings))
    });
    assert_eq!(plan.songs.len(), 100);
    assert!(most < PARSER, "{most}");
}

/// A byte at the end of each of ten memories.
#[test]
fn memories_with_holes_have_memory_in_bounds() {
    let mut log = memory_chips::log();
    for (kind, size) in [
        (0x81, 16 << 20),
        (0x82, 16 << 20),
        (0x83, 16 << 20),
        (0x88, 16 << 20),
        (0x84, 4 << 20),
    ] {
        for second in [0, 0x80] {
            log.block(
                kind,
                &[&[0; 4][..], &u32::to_le_bytes(size - 1), &[1]].concat(),
            );
            // The highest bit of the length.
            let length = log.bytes.len() - 10;
            log.bytes[length] |= second;
        }
    }
    log.wait(10);
    let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
    assert_eq!(song.memory.len(), 10);
    let options = Options::default();
    let mut frames = [[0.0; 2]; 10];
    let (most, _) = most_of(|| Renderer::new(song, &options).fill(&mut frames));
    assert!(most <= RENDERER, "{most}");
}

/// More writes than a chip has frames for do not pile up.
#[test]
fn writes_that_wait_have_memory_in_bounds() {
    for resampling in [Resampling::Mean, Resampling::Nearest] {
        let mut log = Log::new();
        log.set(0x2c, 7_670_454);
        log.wait(1);
        log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
        log.push(&[0x52, 0x28, 0xf0].repeat(100));
        log.wait(1);
        let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
        play(song, resampling);
    }
}
