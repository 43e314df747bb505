//! Files that are broken by chance.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::log::Log;

/// Commands that have their parts in the right places.
fn command() -> impl Strategy<Value = Vec<u8>> {
    let bytes = |codes: Vec<u8>, count| {
        let rest = prop::collection::vec(any::<u8>(), count);
        (prop::sample::select(codes), rest).prop_map(|(code, rest)| [&[code][..], &rest].concat())
    };
    let stream = |codes: Vec<u8>, count| {
        // Few streams and small numbers, so that commands have to do with each other.
        let rest = prop::collection::vec(0..4_u8, count);
        (prop::sample::select(codes), rest).prop_map(|(code, rest)| [&[code][..], &rest].concat())
    };
    prop_oneof![
        4 => bytes((0x51..0x60).chain(0xa0..0xc0).collect(), 2),
        2 => bytes(vec![0x4f, 0x50], 1),
        1 => bytes((0xc0..0xe0).collect(), 3),
        2 => bytes((0x70..0x90).chain([0x62, 0x63]).collect(), 0),
        2 => any::<u8>().prop_map(|wait| vec![0x61, wait, 0]),
        1 => stream(vec![0x90, 0x91, 0xe0], 4),
        1 => stream(vec![0x92], 5),
        1 => stream(vec![0x93], 10),
        1 => stream(vec![0x94], 1),
        // The first block is always there.
        1 => (0..4_u8).prop_map(|stream| vec![0x95, stream, 0, 0, 1]),
        2 => block(),
    ]
}

/// Data blocks of all kinds, with right heads.
fn block() -> impl Strategy<Value = Vec<u8>> {
    let heads = prop_oneof![
        3 => prop::sample::select(vec![0, 1, 4]).prop_map(|kind| (kind, Vec::new())),
        // The size of the memory, and the start.
        3 => (prop::sample::select(vec![0x81, 0x82, 0x83, 0x84, 0x87, 0x88]), any::<u8>())
            .prop_map(|(kind, start)| (kind, vec![0, 0, 4, 0, start, 0, 0, 0])),
        // Eight bits in four: copied, shifted, or by the table, which may not be there.
        1 => prop::sample::select(vec![0, 0, 1, 2])
            .prop_map(|how| (0x40, vec![0, 20, 0, 0, 0, 8, 4, how, 0, 0])),
        1 => Just((0x7f, vec![0, 2, 8, 4, 2, 0])),
    ];
    let data = prop::collection::vec(any::<u8>(), 2..40);
    (heads, data, any::<bool>()).prop_map(|((kind, head), mut data, second)| {
        if kind == 0x7f {
            data.truncate(2);
        }
        let mut log = Log::new();
        let from = log.bytes.len();
        log.block(kind, &[head, data].concat());
        let mut block = log.bytes.split_off(from);
        block[6] |= u8::from(second && kind > 0x7f) << 7;
        block
    })
}

/// The fields of the clocks of chips that have models, and usual clocks.
const CLOCKS: [(usize, u32); 14] = [
    (0x0c, 3_579_545),
    (0x10, 3_579_545),
    (0x2c, 7_670_454),
    (0x30, 3_579_545),
    (0x44, 3_993_600),
    (0x48, 7_987_200),
    (0x4c, 8_000_000),
    (0x50, 3_579_545),
    (0x54, 3_579_545),
    (0x58, 3_579_545),
    (0x5c, 14_318_180),
    (0x60, 33_868_800),
    (0x74, 1_789_773),
    (0x90, 4_000_000),
];

/// A log with the header of some chips, and these commands.
fn file_of(chips: &[(usize, u32)], two: bool, loop_at: usize, commands: &[Vec<u8>]) -> Vec<u8> {
    let mut log = Log::new();
    for &(field, clock) in chips {
        log.set(field, clock | u32::from(two) << 30);
    }
    log.block(0, &[7; 20]);
    for (place, command) in commands.iter().enumerate() {
        if place == loop_at {
            log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
        }
        log.push(command);
    }
    log.wait(100);
    log.finish()
}

fn chips() -> impl Strategy<Value = Vec<(usize, u32)>> {
    prop::sample::subsequence(CLOCKS.to_vec(), 1..4)
}

/// Files with right commands.
fn valid() -> impl Strategy<Value = Vec<u8>> {
    let commands = prop::collection::vec(command(), 1..80);
    (chips(), any::<bool>(), 0..100_usize, commands)
        .prop_map(|(chips, two, loop_at, commands)| file_of(&chips, two, loop_at, &commands))
}

/// Random bytes behind a header that is right.
pub fn random() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..400);
    (chips(), any::<bool>(), bytes)
        .prop_map(|(chips, two, bytes)| file_of(&chips, two, 0, &[bytes]))
}

/// Files that were right before some bytes were changed, some were copied, and the end was cut.
pub fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let place = any::<prop::sample::Index>;
    let changes = prop::collection::vec((place(), any::<u8>()), 0..6);
    let copy = prop::option::weighted(0.3, (place(), place(), 1..40_usize));
    let cut = prop::option::weighted(0.2, place());
    (valid(), changes, copy, cut).prop_map(|(mut file, changes, copy, cut)| {
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some((from, to, length)) = copy {
            let from = from.index(file.len());
            let end = file.len().min(from + length);
            let part = file[from..end].to_vec();
            let to = to.index(file.len());
            file.splice(to..to, part);
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        file
    })
}

/// Compressed files, of one member or two, whose songs were broken before, and of which some bytes
/// were changed and the end was cut afterwards.
pub fn compressed() -> impl Strategy<Value = Vec<u8>> {
    let place = any::<prop::sample::Index>;
    let songs = prop_oneof![valid().boxed(), mutated().boxed()];
    let split = prop::option::weighted(0.3, place());
    let changes = prop::collection::vec((place(), any::<u8>()), 0..3);
    let cut = prop::option::weighted(0.1, place());
    (songs, 0..10_u32, split, changes, cut).prop_map(|(song, level, split, changes, cut)| {
        let split = split.map_or(song.len(), |split| split.index(song.len() + 1));
        let (first, second) = song.split_at(split);
        let mut file = member(first, level);
        if !second.is_empty() {
            file.extend(member(second, level));
        }
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        file
    })
}

fn member(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .expect("a vector takes all bytes")
}
