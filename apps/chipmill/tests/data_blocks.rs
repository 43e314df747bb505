//! Data blocks: banks of several blocks, compressed ones, and blocks in the part that repeats.
//!
//! The values of compressed blocks are worked out by hand from the format's specification: values
//! of some bits, the highest bit first, and numbers of two bytes with the low byte first.

mod log;
mod opn2;

use std::io::Write;

use chipmill::render::{Options, Renderer};
use chipmill::song::{BankBlock, MissingChips, RegisterWrite, Song, SongError};
use flate2::Compression;
use flate2::write::GzEncoder;

use log::Log;
use opn2::log;

fn parse(log: Log) -> Result<Song, SongError> {
    Song::parse(&log.finish(), MissingChips::Refuse)
}

/// A compressed block: the method, the bits of a value and those it is compressed to, the kind of
/// the method, a number, and the bytes.
fn packed(size: u32, head: [u8; 4], number: u16, data: &[u8]) -> Vec<u8> {
    let [method, bits, packed_bits, kind] = head;
    let [low, high] = number.to_le_bytes();
    [
        &[method][..],
        &size.to_le_bytes(),
        &[bits, packed_bits, kind, low, high],
        data,
    ]
    .concat()
}

/// A table: as above, with the number of its values.
fn table(head: [u8; 4], count: u16, values: &[u8]) -> Vec<u8> {
    let [method, bits, packed_bits, kind] = head;
    let [low, high] = count.to_le_bytes();
    [&[method, kind, bits, packed_bits, low, high], values].concat()
}

/// The bytes of a compressed block, perhaps behind a table.
fn unpacked(table: Option<Vec<u8>>, block: &[u8]) -> Vec<u8> {
    let mut log = log();
    if let Some(table) = table {
        log.block(0x7f, &table);
    }
    log.block(0x40, block);
    log.wait(1);
    let mut song = parse(log).unwrap();
    assert_eq!((song.banks.len(), song.banks[0].kind), (1, 0));
    song.banks.remove(0).data
}

const COPY: u8 = 0;
const SHIFT: u8 = 1;
const TABLE: u8 = 2;

#[test]
fn packed_bits_are_copied() {
    // Four bits: 1, f, a, 0, and 3 more for each.
    let block = packed(4, [0, 8, 4, COPY], 3, &[0x1f, 0xa0]);
    assert_eq!(unpacked(None, &block), [0x04, 0x12, 0x0d, 0x03]);
    // Three bits: 101 010 11|1 100 ----: the last four bits are one value more, which is left out.
    let block = packed(4, [0, 8, 3, COPY], 0, &[0b1010_1011, 0b1100_0000]);
    assert_eq!(unpacked(None, &block), [5, 2, 7, 4]);
    // Twelve bits, abc and def, in two bytes each, with 0x1000 more.
    let block = packed(4, [0, 16, 12, COPY], 0x1000, &[0xab, 0xcd, 0xef]);
    assert_eq!(unpacked(None, &block), [0xbc, 0x1a, 0xef, 0x1d]);
    // A single bit.
    let block = packed(8, [0, 8, 1, COPY], 0x7f, &[0b1000_0110]);
    assert_eq!(
        unpacked(None, &block),
        [0x80, 0x7f, 0x7f, 0x7f, 0x7f, 0x80, 0x80, 0x7f]
    );
}

#[test]
fn packed_bits_are_shifted() {
    // To the upper half, and one more.
    let block = packed(4, [0, 8, 4, SHIFT], 1, &[0x1f, 0xa0]);
    assert_eq!(unpacked(None, &block), [0x11, 0xf1, 0xa1, 0x01]);
    // Six bits, 000001 111111 100000 010101, by two.
    let block = packed(
        4,
        [0, 8, 6, SHIFT],
        0,
        &[0b0000_0111, 0b1111_1000, 0b0001_0101],
    );
    assert_eq!(unpacked(None, &block), [0x04, 0xfc, 0x80, 0x54]);
    // Ten bits of sixteen: 1000000001 is shifted by six.
    let block = packed(2, [0, 16, 10, SHIFT], 0, &[0b1000_0000, 0b0100_0000]);
    assert_eq!(unpacked(None, &block), [0x40, 0x80]);
}

#[test]
fn packed_bits_are_places_in_a_table() {
    let values = table([0, 8, 2, TABLE], 4, &[0x10, 0x20, 0x40, 0x80]);
    let block = packed(4, [0, 8, 2, TABLE], 0, &[0b0001_1011]);
    assert_eq!(unpacked(Some(values), &block), [0x10, 0x20, 0x40, 0x80]);
    // Values of two bytes.
    let values = table([0, 12, 2, TABLE], 4, &[0x23, 1, 0x56, 4, 0x89, 7, 0xbc, 10]);
    let block = packed(8, [0, 12, 2, TABLE], 0, &[0b1101_0010]);
    assert_eq!(
        unpacked(Some(values), &block),
        [0xbc, 10, 0x56, 4, 0x23, 1, 0x89, 7]
    );
}

/// Each value is a place in a table of what is added to the value before.
#[test]
fn differences_are_added_up() {
    let deltas = [
        0, 1, 2, 4, 8, 16, 32, 64, 0x80, 0xff, 0xfe, 0xfc, 0xf8, 0xf0, 0xe0, 0xc0,
    ];
    let values = || Some(table([1, 8, 4, 0], 16, &deltas));
    // From 0x80: +1, +16, -1, -64, +0, +2.
    let block = packed(6, [1, 8, 4, 0], 0x80, &[0x15, 0x9f, 0x02]);
    assert_eq!(
        unpacked(values(), &block),
        [0x81, 0x91, 0x90, 0x50, 0x50, 0x52]
    );
    // Over the end of a byte, both ways.
    let block = packed(4, [1, 8, 4, 0], 0xfe, &[0x31, 0x9b]);
    assert_eq!(unpacked(values(), &block), [0x02, 0x03, 0x02, 0xfe]);
}

/// A table is that of the last block of its kind.
#[test]
fn a_later_table_takes_the_place_of_the_first() {
    let block = packed(2, [0, 8, 4, TABLE], 0, &[0x01]);
    let mut log = log();
    for value in [3, 5] {
        log.block(0x7f, &table([0, 8, 4, TABLE], 2, &[value, value + 1]));
        log.block(0x40, &block);
    }
    log.wait(1);
    assert_eq!(parse(log).unwrap().banks[0].data, [3, 4, 5, 6]);
}

/// What a block says is wrong with it, and its offset.
#[test]
fn compressed_blocks_that_make_no_sense_are_errors() {
    let two = table([0, 8, 4, TABLE], 2, &[1, 2]);
    for (table, block) in [
        // A place behind the table's end, no table, a method that there is not, no bits.
        (Some(two), packed(2, [0, 8, 4, TABLE], 0, &[0x02])),
        (None, packed(2, [0, 8, 4, TABLE], 0, &[0x01])),
        (None, packed(2, [1, 8, 4, 0], 0, &[0x01])),
        (None, packed(2, [2, 8, 4, 0], 0, &[0x01])),
        (None, packed(2, [0, 8, 4, 3], 0, &[0x01])),
        (None, packed(2, [0, 8, 0, COPY], 0, &[0x01])),
        (None, vec![0, 1, 0]),
    ] {
        let mut log = log();
        if let Some(table) = table {
            log.block(0x7f, &table);
        }
        let at = log.bytes.len();
        log.block(0x40, &block);
        match parse(log) {
            Err(SongError::Command { offset, .. }) => assert_eq!(offset, at, "{block:?}"),
            other => panic!("{block:?}: {other:?}"),
        }
    }
}

/// Plain and compressed blocks of a type are one bank, whatever is between them, and streams name
/// them by their number there.
#[test]
fn blocks_of_a_type_are_one_bank() {
    let mut log = log();
    log.block(0, &[1, 2, 3]);
    log.block(1, &[9]);
    log.block(0x40, &packed(4, [0, 8, 4, COPY], 0, &[0x45, 0x67]));
    log.push(&[0x52, 0x28, 0xf0]);
    log.block(0, &[]);
    log.block(0x41, &packed(1, [0, 8, 4, SHIFT], 0, &[0xa0]));
    log.wait(5);
    log.block(0, &[8]);
    let song = parse(log).unwrap();
    let [first, second] = &song.banks[..] else {
        panic!("{:?}", song.banks);
    };
    let places = |blocks: &[BankBlock]| -> Vec<_> {
        blocks
            .iter()
            .map(|block| (block.start, block.len))
            .collect()
    };
    assert_eq!(
        (first.kind, &first.data[..]),
        (0, &[1, 2, 3, 4, 5, 6, 7, 8][..])
    );
    assert_eq!(places(&first.blocks), [(0, 3), (3, 4), (7, 0), (7, 1)]);
    assert_eq!((second.kind, &second.data[..]), (1, &[9, 0xa0][..]));
    assert_eq!(places(&second.blocks), [(0, 1), (1, 1)]);
}

/// Blocks in the part that repeats are in their banks once, and the part sounds the same each time.
#[test]
fn a_bank_is_as_long_after_a_hundred_repetitions() {
    let mut log = log();
    log.block(0, &[7; 3]);
    log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
    log.block(0, &[1, 2]);
    log.push(&[0xe0, 3, 0, 0, 0, 0x80, 0x80, 0x80]);
    log.wait(100);
    let song = parse(log).unwrap();
    assert_eq!(song.banks[0].data, [7, 7, 7, 1, 2]);
    let options = Options {
        loops: 100,
        fade: 0.0,
        ..Options::default()
    };
    let mut renderer = Renderer::new(song, &options);
    let mut values = Vec::new();
    let mut frames = vec![[0.0; 2]; renderer.length() as usize];
    renderer.fill_and_tell(&mut frames, &mut |write: RegisterWrite| {
        values.push(write.value)
    });
    assert_eq!(frames.len(), 100 * 100);
    // The third byte is behind the end of the bank.
    assert_eq!(values, [1, 2].repeat(100));
}

/// A block for the memory of a YM2610 at the beginning of the part that repeats.
fn memory_in_loop(block: usize, wait: u16) -> Song {
    let mut log = Log::new();
    log.set(0x4c, 8_000_000);
    log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
    log.block(0x82, &[&[0; 8][..], &vec![0x5a; block]].concat());
    log.wait(wait);
    parse(log).unwrap()
}

/// The memory of a chip is written again in each repetition. A machine with as many as a song of
/// this kind wants would do nothing else: it is given up.
#[test]
fn memory_that_is_written_again_and_again_is_given_up() {
    for (block, wait, expected) in [
        (100, 735, false),
        (1 << 20, 44_100, false),
        (1 << 20, 1, true),
    ] {
        let song = memory_in_loop(block, wait);
        assert_eq!(song.memory.len(), 1);
        let options = Options {
            loops: 3_000 / u32::from(wait) + 30,
            ..Options::default()
        };
        let mut renderer = Renderer::new(song, &options);
        let mut frames = vec![[0.0; 2]; 4_096];
        while renderer.fill(&mut frames) == frames.len() {}
        assert_eq!(renderer.position(), renderer.length());
        assert_eq!(renderer.is_overworked(), expected, "{block}, {wait}");
    }
}

/// No command begins in the data of a block, though some of its bytes look like one.
#[test]
fn a_loop_into_the_data_of_a_block_is_played_once() {
    for (kind, data) in [
        (0x00, vec![0x62; 40]),
        (0x40, packed(8, [0, 8, 4, COPY], 0, &[0x62; 4])),
        (0x82, [&[0; 8][..], &[0x62; 40]].concat()),
        // Longer than what is read at a time.
        (0x00, vec![0x62; 40_000]),
    ] {
        let mut log = log();
        log.set(0x4c, 8_000_000);
        log.wait(5);
        let block = log.bytes.len();
        log.block(kind, &data);
        let end = log.bytes.len();
        log.wait(7);
        let file = log.finish();
        for (place, repeats) in [
            (block, true),
            (block + 1, false),
            (block + 6, false),
            (block + 7, false),
            (end - 1, false),
            (end, true),
        ] {
            let mut file = file.clone();
            file[0x1c..0x20].copy_from_slice(&((place - 0x1c) as u32).to_le_bytes());
            let song = Song::parse(&file, MissingChips::Refuse).unwrap();
            assert_eq!(
                song.loop_start.is_some(),
                repeats,
                "{kind:#04x}, {place:#x}"
            );
            assert_eq!(song.length(3), if repeats { 12 + 2 * 7 } else { 12 });
            let remark = format!("offset {place:#x}, where no command begins");
            let is_said = song.remarks.iter().any(|said| said.contains(&remark));
            assert_eq!(is_said, !repeats, "{:?}", song.remarks);
        }
    }
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn frames(song: Song) -> Vec<[f32; 2]> {
    let mut renderer = Renderer::new(song, &Options::default());
    let mut frames = vec![[0.0; 2]; renderer.length() as usize];
    assert_eq!(renderer.fill(&mut frames), frames.len());
    frames
}

/// A compressed file (VGZ), of one member or several, is the song of the plain one.
#[test]
fn a_compressed_file_sounds_as_the_plain_one() {
    use chipmill::compose::{Machine, compose};
    for machine in [Machine::MegaDrive, Machine::Arcade] {
        let plain = compose(11, machine, 8).bytes;
        let half = plain.len() / 2;
        let two = [compressed(&plain[..half]), compressed(&plain[half..])].concat();
        let directory = tempfile::tempdir().unwrap();
        let open = |name: &str, bytes: &[u8]| {
            let path = directory.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            Song::open(&path, MissingChips::Refuse).unwrap()
        };
        let song = open("a.vgm", &plain);
        let (events, tags) = (song.events.clone(), song.tags.clone());
        assert_eq!(song.remarks, [""; 0]);
        let expected = frames(song);
        assert!(
            expected
                .as_flattened()
                .iter()
                .any(|sample| sample.abs() > 0.01)
        );
        for (name, bytes) in [("b.vgz", compressed(&plain)), ("c.vgm", two)] {
            let song = open(name, &bytes);
            assert_eq!((&song.events, &song.tags), (&events, &tags));
            assert_eq!(frames(song), expected, "{name}");
        }
    }
}
