//! Each error of a song says where in its file it is, and what to do.

mod log;

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::path::Path;

use chipmill::render::OVERWORKED;
use chipmill::song::{MAX_BYTES, MissingChips, Song, SongError};
use flate2::Compression;
use flate2::write::GzEncoder;

use log::Log;

/// A reader that fails, or panics, as a broken disk or a fault of the parser would.
struct Fails {
    panics: bool,
}

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        assert!(!self.panics, "a fault of the parser");
        Err(io::Error::other("the disk is broken"))
    }
}

fn from(reader: impl Read) -> SongError {
    Song::from_reader(reader, MissingChips::Refuse).unwrap_err()
}

/// A log for a YM2612, a wait, and then these commands.
fn file(commands: &[u8]) -> Vec<u8> {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    log.wait(1);
    log.push(commands);
    log.finish()
}

/// A log with a data block for the memory of a YM2610 that has no room for its head.
fn short_block() -> Vec<u8> {
    let mut log = Log::new();
    log.set(0x4c, 8_000_000);
    log.block(0x82, &[0; 7]);
    log.finish()
}

/// A header with these chips.
fn header(chips: &[(usize, u32)]) -> Vec<u8> {
    let mut log = Log::new();
    for &(field, clock) in chips {
        log.set(field, clock);
    }
    log.finish()
}

/// An old log for FM chips, which writes to none.
fn old_log() -> Vec<u8> {
    let mut log = Log::new();
    log.set(0x08, 0x101);
    log.set(0x10, 3_579_545);
    log.bytes.truncate(0x40);
    log.set(0x34, 0);
    log.wait(1);
    log.finish()
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The name of a variant. Without an arm for all others, so that a new one is not forgotten here.
fn name(error: &SongError) -> &'static str {
    match error {
        SongError::Read { .. } => "read",
        SongError::Compression { .. } => "compression",
        SongError::TooLarge => "too large",
        SongError::NotVgm(_) => "not a log",
        SongError::Header { .. } => "header",
        SongError::Command { .. } => "command",
        SongError::MissingChips(_) => "missing chips",
        SongError::AllSilent(_) => "all silent",
        SongError::NoChips => "no chips",
        SongError::Panicked { .. } => "panicked",
    }
}

#[test]
fn each_error_has_its_place_and_says_what_to_do() {
    let whole = file(&[0x52, 0x28, 0xf0].repeat(1_000));
    let vgz = compressed(&whole);
    let cut = &vgz[..vgz.len() - 3];
    // The compressed data are behind a head of 10 bytes; a block of the third kind is none.
    let mut broken = vgz.clone();
    broken[10] = 7;
    let two = [&vgz[..], &vgz[..20]].concat();
    let missing = Path::new("/no/such/song.vgm");
    let cases = [
        (Song::open(missing, MissingChips::Refuse).unwrap_err(), None),
        (
            from(whole[..0x123].chain(Fails { panics: false })),
            Some(0x123),
        ),
        (from(cut), Some(cut.len())),
        (from(&broken[..]), Some(11)),
        (from(&two[..]), Some(two.len())),
        (from(io::repeat(0)), Some(MAX_BYTES)),
        (from(&b"RIFF____WAVE"[..]), Some(0)),
        (from(&b""[..]), Some(0)),
        (from(&whole[..0x20]), Some(0x20)),
        (from(&header(&[(0x2c, 1)])[..]), Some(0x2c)),
        (from(&file(&[0x60])[..]), Some(0x103)),
        (from(&file(&[0x67, 0x66, 0, 9, 0, 0, 0])[..]), Some(0x103)),
        (from(&file(&[0x93, 0])[..]), Some(0x103)),
        (from(&short_block()[..]), Some(0x100)),
        (
            from(&header(&[(0x2c, 7_670_454), (0xb4, 4_000_000)])[..]),
            Some(0xb4),
        ),
        (from(&header(&[(0xb4, 4_000_000)])[..]), Some(0xb4)),
        (from(&header(&[])[..]), Some(0x0c)),
        (from(&old_log()[..]), Some(0x0c)),
        (
            from(whole[..0x100].chain(Fails { panics: true })),
            Some(0x100),
        ),
    ];
    let advice = [
        "look whether it is there",
        "get the file again",
        "get it again",
        "leave it out",
        "name a song",
        "`--missing-chips silent` renders the rest",
        "please report it",
    ];
    let mut names = BTreeSet::new();
    for (error, offset) in cases {
        let text = error.to_string();
        names.insert(name(&error));
        assert!(advice.iter().any(|advice| text.contains(advice)), "{text}");
        if let Some(offset) = offset {
            assert!(
                text.contains(&format!("offset {offset:#x}")),
                "{offset:#x}: {text}"
            );
        }
    }
    assert_eq!(names.len(), 10, "{names:?}");
}

#[test]
fn a_song_that_is_given_up_says_what_to_do() {
    assert!(OVERWORKED.contains("leave it out, or get the file again"));
}
