//! Files that are broken, odd, or no register logs at all.

mod log;
mod opn2;

use std::io::Write;

use chipmill::song::{MAX_BYTES, MissingChips, Song, SongError, read};
use flate2::Compression;
use flate2::write::GzEncoder;

use opn2::log;

/// The field of the YM2612's clock, and that of the loop.
const OPN2: usize = 0x2c;
const LOOP: usize = 0x1c;

fn parse(file: &[u8]) -> Result<Song, SongError> {
    Song::parse(file, MissingChips::Refuse)
}

/// A small song with all that a file can have, and where its tags begin.
fn small_song() -> (Vec<u8>, usize) {
    let mut log = log();
    log.set(0x0c, 3_579_545);
    log.set(0x4c, 8_000_000);
    log.block(0, &[1, 2, 3, 4]);
    log.block(0x82, &[&[0; 8][..], &[5; 4]].concat());
    log.block(0x7f, &[0, 0, 8, 4, 2, 0, 7, 9]);
    log.block(0x40, &[0, 4, 0, 0, 0, 8, 4, 2, 0, 0, 0x10, 0x01]);
    log.push(&[0x90, 0, 2, 0, 0x2a, 0x91, 0, 0, 1, 0]);
    log.push(&[0x92, 0, 0x40, 0x1f, 0, 0]);
    log.push(&[0x93, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0]);
    log.wait(10);
    log.set(LOOP, (log.bytes.len() - LOOP) as u32);
    log.push(&[0x52, 0x28, 0xf0, 0x50, 0x90, 0x85, 0x71, 0x62]);
    log.push(&[0x95, 0, 0, 0, 0, 0x94, 0xff, 0xe0, 2, 0, 0, 0]);
    let mut file = log.finish();
    let tags = file.len();
    file[0x14..0x18].copy_from_slice(&((tags - 0x14) as u32).to_le_bytes());
    file.extend(b"Gd3 \x00\x01\x00\x00\x08\x00\x00\x00a\x00\x00\x00b\x00\x00\x00");
    (file, tags)
}

#[test]
fn a_file_that_is_cut_anywhere_is_an_error() {
    let (file, tags) = small_song();
    let song = parse(&file).unwrap();
    assert_eq!(song.remarks, [""; 0]);
    assert!(song.loop_start.is_some());
    for end in 0..tags {
        assert!(parse(&file[..end]).is_err(), "cut at {end}");
    }
    // A song without its tags is one still.
    for end in tags..tags + 12 {
        let cut = parse(&file[..end]).unwrap();
        assert_eq!(cut.events, song.events);
        assert_eq!(cut.remarks.len(), 1, "cut at {end}");
    }
    for end in tags + 12..file.len() {
        assert_eq!(parse(&file[..end]).unwrap().remarks, [""; 0]);
    }
}

/// An error has a text, and does not come from a panic of the parser.
fn check(error: &SongError) {
    assert!(error.to_string().len() > 10);
    assert!(!matches!(error, SongError::Panicked { .. }), "{error}");
}

/// What becomes of it is open, but it is a song with all its parts, or an error with a text.
#[test]
fn a_byte_of_any_value_is_a_song_or_an_error() {
    let (file, _) = small_song();
    for place in 0..file.len() {
        let mut file = file.clone();
        for flip in 1..=255 {
            file[place] ^= flip;
            match parse(&file) {
                Ok(song) => {
                    let repeats = song.loop_start.is_some();
                    assert_eq!(repeats, song.loop_samples > 0);
                    assert!(song.loop_samples <= song.samples);
                    assert!(
                        song.loop_start
                            .is_none_or(|start| start < song.events.end())
                    );
                }
                Err(error) => check(&error),
            }
            file[place] ^= flip;
        }
    }
}

/// The offset of a broken command, and what is wrong with it.
fn broken_command(file: &[u8]) -> (usize, String) {
    match parse(file) {
        Err(SongError::Command { offset, what }) => (offset, what),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_block_longer_than_the_file_is_an_error() {
    for length in [5, 0x7f_ffff, 0x7fff_fffe, 0x7fff_ffff, 0xffff_ffff_u32] {
        let mut log = log();
        log.wait(1);
        let offset = log.bytes.len();
        log.push(&[0x67, 0x66, 0]);
        log.push(&length.to_le_bytes());
        log.push(&[1, 2, 3]);
        assert_eq!(broken_command(&log.finish()).0, offset);
    }
}

/// Each takes two bytes, and a command for a stream has 24.
#[test]
fn millions_of_commands_for_streams_are_an_error() {
    let mut log = log();
    log.wait(1);
    let first = log.bytes.len();
    for _ in 0..(1 << 20) + 1 {
        log.push(&[0x94, 0]);
    }
    let (offset, what) = broken_command(&log.finish());
    assert_eq!(offset, first + (2 << 20));
    assert!(what.contains("take too much memory"), "{what}");
}

/// The memories of a YM2610 have 16 MiB each, and that of a YMF278B 4 MiB. What is behind that, as
/// in the dump of a board with banks, has no address.
#[test]
fn memory_behind_all_addresses_is_left_out() {
    let song = |field, clock, kind, start: u32| {
        let mut log = log();
        log.set(field, clock);
        log.block(kind, &[&[0; 4][..], &start.to_le_bytes(), &[1; 4]].concat());
        log.wait(1);
        parse(&log.finish()).unwrap()
    };
    for (field, clock, kind, size) in [
        (0x4c, 8_000_000, 0x82, 16 << 20),
        (0x4c, 8_000_000, 0x83, 16 << 20),
        (0x60, 33_868_800, 0x84, 4 << 20),
        // RAM behind 2 MiB of ROM.
        (0x60, 33_868_800, 0x87, 2 << 20),
    ] {
        for (start, left) in [
            (size - 4, vec![4]),
            (size - 3, vec![3]),
            (0x7fff_ffff, vec![]),
            (u32::MAX, vec![]),
        ] {
            let song = song(field, clock, kind, start);
            let lengths: Vec<_> = song.memory.iter().map(|block| block.data.len()).collect();
            assert_eq!(lengths, left);
            let is_cut = song
                .remarks
                .iter()
                .any(|remark| remark.contains("last address"));
            assert_eq!(is_cut, left != [4], "{:?}", song.remarks);
        }
    }
    // A block without all of its head.
    let mut log = log();
    log.set(0x4c, 8_000_000);
    log.block(0x82, &[0; 7]);
    assert!(parse(&log.finish()).is_err());
}

/// A page for each of these blocks would be more memory than a song may have.
#[test]
fn blocks_all_over_the_memories_are_an_error() {
    let mut log = log();
    log.set(0x4c, 8_000_000 | 1 << 30);
    for start in (0..16 << 20).step_by(1 << 14) {
        for (kind, second) in [(0x82, 0), (0x83, 0), (0x82, 0x80)] {
            log.block(
                kind,
                &[&[0; 4][..], &u32::to_le_bytes(start), &[1]].concat(),
            );
            let length = log.bytes.len() - 10;
            log.bytes[length] |= second;
        }
    }
    let (_, what) = broken_command(&log.finish());
    assert!(what.contains("more than 32 MiB"), "{what}");
}

/// Each takes 16 bytes here, and some 70 in memory.
#[test]
fn tens_of_thousands_of_blocks_for_memories_are_an_error() {
    let mut log = log();
    log.set(0x4c, 8_000_000);
    for _ in 0..(1 << 16) + 1 {
        log.block(0x82, &[0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
    let (offset, what) = broken_command(&log.finish());
    assert_eq!(offset, 0x100 + (16 << 16));
    assert!(what.contains("take too much memory"), "{what}");
}

#[test]
fn compressed_blocks_without_end_are_errors() {
    // One bit becomes four bytes.
    let packed = vec![0; 1 << 21];
    let head = [0, 0, 0, 0, 0, 32, 1, 0, 0, 0];
    let mut log = log();
    log.block(0x40, &[&head[..], &packed].concat());
    assert!(parse(&log.finish()).is_err());
    // DPCM without its table.
    let mut log = self::log();
    log.block(0x40, &[1, 4, 0, 0, 0, 8, 4, 0, 0, 0, 0x12, 0x34]);
    assert!(broken_command(&log.finish()).1.contains("table"));
}

#[test]
fn a_loop_to_no_command_is_played_once() {
    let mut log = log();
    log.wait(500);
    let file = log.finish();
    let first = file.len() - 4;
    for (target, repeats) in [
        (first, true),
        (first + 1, false),
        (first + 2, false),
        // The end, where no time passes.
        (first + 3, false),
        (first + 4, false),
        (0x1d, false),
        (LOOP + u32::MAX as usize, false),
    ] {
        let mut file = file.clone();
        let relative = ((target - LOOP) as u32).to_le_bytes();
        file[LOOP..LOOP + 4].copy_from_slice(&relative);
        let song = parse(&file).unwrap();
        assert_eq!(song.loop_start.is_some(), repeats, "{target:#x}");
        assert_eq!(song.remarks.len(), usize::from(!repeats), "{target:#x}");
        assert_eq!(song.length(3), if repeats { 1_500 } else { 500 });
    }
}

#[test]
fn a_loop_of_no_time_is_played_once() {
    let mut log = log();
    log.wait(10);
    log.set(LOOP, (log.bytes.len() - LOOP) as u32);
    log.push(&[0x52, 0x28, 0xf0, 0x80]);
    log.wait(0);
    let song = parse(&log.finish()).unwrap();
    assert_eq!(song.loop_start, None);
    assert_eq!(song.length(1_000), 10);
    assert!(song.remarks[0].contains("no time"));
}

#[test]
fn header_fields_of_any_value_are_a_song_or_an_error() {
    let (file, _) = small_song();
    let absurd = [1, 0x40, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, u32::MAX];
    for field in (4..0x100).step_by(4) {
        for value in absurd {
            let mut file = file.clone();
            file[field..field + 4].copy_from_slice(&value.to_le_bytes());
            let missing = MissingChips::Silent;
            if let Err(error) = Song::parse(&file, missing) {
                check(&error);
            }
        }
    }
    // The commands behind the end; clocks that no chip has. Of a clock below the divider of its
    // chip, ymfm makes a rate of 0, by which it divides: the process would end.
    for (field, value) in [
        (0x34, 0x10_0000),
        (OPN2, 1_000_000_000),
        (OPN2, 143),
        (0x0c, 1),
        (0x60, 767),
    ] {
        let mut log = log();
        log.set(field, value);
        let file_len = log.bytes.len() + 1;
        let error = parse(&log.finish()).unwrap_err();
        let SongError::Header { offset, .. } = &error else {
            panic!("{error}");
        };
        // The clock is wrong where it is, and of commands that are missing the file's end is known.
        let expected = if field == 0x34 { file_len } else { field };
        assert_eq!(*offset, expected, "{error}");
        let text = error.to_string();
        assert!(text.contains(&format!("offset {offset:#x}")), "{text}");
        assert!(text.contains("get the file again"), "{text}");
    }
}

/// A reader, or the parser, that panics is an error of its song.
#[test]
fn a_panic_is_an_error() {
    struct Panics;
    impl std::io::Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            panic!("a fault in the parser");
        }
    }
    let begins: &[u8] = b"Vgm ";
    let reader = std::io::Read::chain(begins, Panics);
    let error = Song::from_reader(reader, MissingChips::Refuse).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("a fault in the parser") && text.contains("please report"),
        "{text}"
    );
}

#[test]
fn files_of_another_kind_are_named() {
    let text = b"Title: Vgm files of a game\n".repeat(20);
    for (file, begins) in [
        (&b""[..], "nothing: it is empty"),
        (b"V", "1 bytes and ends"),
        (b"Vgm", "3 bytes and ends"),
        (&text, "\"Titl\""),
        (b"\x7fELF\x02\x01", "\"\\x7fELF\""),
    ] {
        match parse(file) {
            Err(SongError::NotVgm(what)) => assert_eq!(what, begins),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(parse(b"Vgm "), Err(SongError::Header { .. })));
}

#[test]
fn unknown_commands_are_named_with_their_offset() {
    let unknown = (0..0x30).chain([0x60, 0x64, 0x65]).chain(0x69..0x70);
    for code in unknown.chain(0x96..0xa0) {
        let mut log = log();
        log.push(&[0x52, 0x28, 0xf0]);
        let offset = log.bytes.len();
        log.push(&[code, 0, 0, 0]);
        let file = log.finish();
        let (at, what) = broken_command(&file);
        assert_eq!(at, offset);
        assert!(what.contains(&format!("{code:#04x}")), "{what}");
        let text = parse(&file).unwrap_err().to_string();
        assert!(text.contains(&format!("{offset:#x}")), "{text}");
    }
}

/// A wait behind a command is found only if the command has its length.
#[test]
fn each_command_has_the_length_of_the_specification() {
    let lengths = (0x30..0x40)
        .chain([0x4f, 0x50, 0x94])
        .map(|code| (code, 2))
        .chain(
            (0x40..0x4f)
                .chain(0x51..0x60)
                .chain(0xa0..0xc0)
                .map(|code| (code, 3)),
        )
        .chain((0xc0..0xe0).map(|code| (code, 4)))
        .chain((0xe0..=0xff).chain([0x90, 0x91]).map(|code| (code, 5)))
        .chain([(0x92, 6), (0x93, 11), (0x68, 12)]);
    for (code, length) in lengths {
        for fill in [0x00, 0x66, 0x7f] {
            let mut command = vec![fill; length];
            command[0] = code;
            if code == 0x68 {
                command[1] = 0x66;
            }
            let mut log = log();
            log.push(&command);
            log.push(&command);
            log.wait(7);
            let song = parse(&log.finish());
            let song = song.unwrap_or_else(|error| panic!("{code:#04x}: {error}"));
            assert_eq!(song.samples, 7, "{code:#04x}");
        }
    }
}

#[test]
fn a_stream_of_a_missing_block_is_a_remark() {
    let mut log = log();
    // A block of another bank.
    log.block(4, &[1, 2]);
    log.push(&[0x91, 0, 0, 1, 0]);
    log.push(&[0x95, 0, 0, 0, 0]);
    log.push(&[0x95, 0, 5, 0, 0]);
    log.block(0, &[1, 2]);
    log.push(&[0x95, 0, 0, 0, 0]);
    log.wait(1);
    let song = parse(&log.finish()).unwrap();
    let [remark] = &song.remarks[..] else {
        panic!("{:?}", song.remarks);
    };
    // Block 0 comes later, and is played.
    assert!(remark.contains("block 5 of type 0x00"), "{remark}");
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn compressed_files_are_read_whole_or_are_errors() {
    let (file, _) = small_song();
    let vgz = compressed(&file);
    assert_eq!(read(vgz.as_slice()).unwrap(), file);
    assert_eq!(read(file.as_slice()).unwrap(), file);
    let parts = [compressed(&file[..100]), compressed(&file[100..])].concat();
    assert_eq!(read(parts.as_slice()).unwrap(), file);
    for end in 2..vgz.len() {
        let cut = read(&vgz[..end]);
        assert!(
            matches!(cut, Err(SongError::Compression { .. })),
            "cut at {end}"
        );
    }
    for place in 10..vgz.len() {
        let mut broken = vgz.clone();
        broken[place] ^= 0x55;
        let broken = read(broken.as_slice());
        assert!(
            matches!(broken, Err(SongError::Compression { .. })),
            "{place}"
        );
    }
}

/// What is wrong with the file as such is said first, however early a command is broken.
#[test]
fn a_broken_song_in_broken_compression_has_broken_compression() {
    let mut log = log();
    log.push(&[0x60]);
    log.push(&[0x52, 0x28, 0xf0].repeat(50_000));
    let file = log.finish();
    let from = |bytes: &[u8]| Song::from_reader(bytes, MissingChips::Refuse);
    let vgz = compressed(&file);
    assert!(matches!(from(&vgz), Err(SongError::Command { .. })));
    let cut = &vgz[..vgz.len() - 1];
    assert!(matches!(from(cut), Err(SongError::Compression { .. })));
    let large = compressed(&[&file[..], &vec![0; MAX_BYTES]].concat());
    assert!(matches!(from(&large), Err(SongError::TooLarge)));
    let text = compressed(&vec![b'a'; MAX_BYTES + 1]);
    assert!(matches!(from(&text), Err(SongError::TooLarge)));
}

/// A command that is cut short makes all that is before it doubtful.
#[test]
fn a_command_that_is_cut_is_said_before_one_that_makes_no_sense() {
    let mut log = log();
    log.push(&[0x95, 0, 5, 0, 0]);
    log.push(&[0x52, 0x28, 0xf0].repeat(50_000));
    log.block(0, &[7; 40_000]);
    let offset = log.bytes.len();
    log.push(&[0x67, 0x66, 0, 100, 0, 0, 0, 1, 2]);
    let (at, what) = broken_command(&log.bytes);
    assert_eq!(at, offset);
    assert_eq!(what, "command 0x67 has 107 bytes, and the file 9 more");
}

#[test]
fn files_that_grow_without_end_are_refused() {
    let most = vec![0; MAX_BYTES];
    assert_eq!(read(compressed(&most).as_slice()).unwrap().len(), MAX_BYTES);
    let bomb = compressed(&vec![0; MAX_BYTES + 1]);
    assert!(matches!(read(bomb.as_slice()), Err(SongError::TooLarge)));
    // A source without end.
    assert!(matches!(read(std::io::repeat(0)), Err(SongError::TooLarge)));
}
