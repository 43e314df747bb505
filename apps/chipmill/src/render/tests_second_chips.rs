//! Machines with two chips of a kind: the second one sounds as the first, at its own clock.

use proptest::prelude::*;

use super::tests_renderer::{frames_of, log::Log};
use crate::song::{ChipKind, MissingChips, Song, SongError};

/// A kind of chip that a machine can have twice, and a note of it.
struct Pair {
    /// The field of its clock, and a clock.
    field: usize,
    clock: u32,
    /// Its number in the extra header.
    number: u8,
    /// The commands of the note, for the first chip and for the second.
    first: Vec<u8>,
    second: Vec<u8>,
}

/// A pair whose chips have commands of their own: one for each port, whose register and value
/// follow.
fn pair(
    (field, clock, number): (usize, u32, u8),
    first: [u8; 2],
    second: [u8; 2],
    writes: &[[u8; 3]],
) -> Pair {
    let note = |commands: [u8; 2]| {
        let write =
            |&[port, register, value]: &[u8; 3]| [commands[usize::from(port)], register, value];
        writes.iter().flat_map(write).collect()
    };
    Pair {
        field,
        clock,
        number,
        first: note(first),
        second: note(second),
    }
}

/// A pair whose second chip has the highest bit of the byte behind the command, all of which have
/// `length` bytes.
fn pair_by_bit((field, clock, number): (usize, u32, u8), first: &[u8], length: usize) -> Pair {
    let mut second = first.to_vec();
    for command in second.chunks_mut(length) {
        command[1] |= 0x80;
    }
    Pair {
        field,
        clock,
        number,
        first: first.to_vec(),
        second,
    }
}

/// A note of the OPN family, on this channel of a port: four sine waves at once.
fn opn(port: u8, channel: u8) -> Vec<[u8; 3]> {
    let of_slot = |slot: u8| {
        let levels = [
            (0x30, 1),
            (0x40, 16),
            (0x50, 31),
            (0x60, 0),
            (0x70, 0),
            (0x80, 15),
        ];
        levels.map(|(register, value)| [port, register + 4 * slot + channel, value])
    };
    let mut writes: Vec<_> = (0..4).flat_map(of_slot).collect();
    writes.extend([
        [port, 0xb0 + channel, 7],
        [port, 0xb4 + channel, 0xc0],
        [port, 0xa4 + channel, 0x22],
        [port, 0xa0 + channel, 0x69],
        [0, 0x28, 0xf0 | port << 2 | channel],
    ]);
    writes
}

/// A note of the OPL family.
fn opl(port: u8) -> Vec<[u8; 3]> {
    [
        (0x20, 0x01),
        (0x23, 0x01),
        (0x40, 0x10),
        (0x60, 0xf0),
        (0x63, 0xf0),
        (0x80, 0x77),
        (0x83, 0x77),
        (0xc0, 0x30),
        (0xa0, 0x98),
        (0xb0, 0x31),
    ]
    .map(|(register, value)| [port, register, value])
    .into()
}

/// A note of a YM2151.
fn opm() -> Vec<[u8; 3]> {
    let of_slot = |slot: u8| {
        let levels = [(0x40, 1), (0x60, 16), (0x80, 31), (0xe0, 15)];
        levels.map(|(register, value)| [0, register + 8 * slot, value])
    };
    let mut writes: Vec<_> = (0..4).flat_map(of_slot).collect();
    writes.extend([[0, 0x20, 0xc7], [0, 0x28, 0x4a], [0, 0x08, 0x78]]);
    writes
}

/// Each kind that the format can have twice and that there is a model of.
fn pairs() -> Vec<Pair> {
    let both =
        |port: fn(u8) -> Vec<[u8; 3]>, before: &[[u8; 3]]| [before, &port(0), &port(1)].concat();
    let opn_of = |channel: u8| [opn(0, channel), opn(1, channel)].concat();
    let opnb = opn_of(1);
    let opll = [[0, 0x30, 0x10], [0, 0x10, 0xac], [0, 0x20, 0x15]];
    let opl4: Vec<u8> = opl(0)
        .into_iter()
        .flat_map(|[port, register, value]| [0xd0, port, register, value])
        .collect();
    let ssg = [0xa0, 0, 0x80, 0xa0, 7, 0x3e, 0xa0, 8, 12];
    let adpcm = [0xb7, 0, 2, 0xb7, 1, 0x77, 0xb7, 1, 0x35];
    vec![
        Pair {
            field: 0x0c,
            clock: 3_579_545,
            number: 0x00,
            first: vec![0x50, 0x8a, 0x50, 0x10, 0x50, 0x90, 0x4f, 0xfe],
            second: vec![0x30, 0x8a, 0x30, 0x10, 0x30, 0x90, 0x3f, 0xfe],
        },
        pair((0x10, 3_579_545, 0x01), [0x51; 2], [0xa1; 2], &opll),
        pair(
            (0x2c, 7_670_454, 0x02),
            [0x52, 0x53],
            [0xa2, 0xa3],
            &opn_of(0),
        ),
        pair((0x30, 3_579_545, 0x03), [0x54; 2], [0xa4; 2], &opm()),
        pair((0x44, 3_993_600, 0x06), [0x55; 2], [0xa5; 2], &opn(0, 0)),
        pair((0x48, 7_987_200, 0x07), [0x56, 0x57], [0xa6, 0xa7], &{
            [vec![[0, 0x29, 0x80]], opn_of(0)].concat()
        }),
        pair((0x4c, 8_000_000, 0x08), [0x58, 0x59], [0xa8, 0xa9], &opnb),
        pair(
            (0x4c, 8_000_000 | 1 << 31, 0x08),
            [0x58, 0x59],
            [0xa8, 0xa9],
            &opnb,
        ),
        pair((0x50, 3_579_545, 0x09), [0x5a; 2], [0xaa; 2], &opl(0)),
        pair((0x54, 3_579_545, 0x0a), [0x5b; 2], [0xab; 2], &opl(0)),
        pair((0x58, 3_579_545, 0x0b), [0x5c; 2], [0xac; 2], &opl(0)),
        pair((0x5c, 14_318_180, 0x0c), [0x5e, 0x5f], [0xae, 0xaf], &{
            both(opl, &[[1, 0x05, 1]])
        }),
        pair_by_bit((0x60, 33_868_800, 0x0d), &opl4, 4),
        pair_by_bit((0x74, 1_789_773, 0x12), &ssg, 3),
        pair_by_bit((0x90, 8_000_000, 0x17), &adpcm, 3),
    ]
}

/// A log with these commands, for chips with this field.
fn log_of(pair: &Pair, field: u32, commands: &[u8]) -> Log {
    let mut log = Log::new();
    log.set(pair.field, field);
    log.push(commands);
    log.wait(3_000);
    log
}

/// The same, with an extra header that has these bytes.
fn log_with(pair: &Pair, field: u32, extra: &[u8], commands: &[u8]) -> Log {
    let mut log = log_of(pair, field, commands);
    let commands = log.bytes.split_off(0x100);
    log.set(0xbc, 0x100 - 0xbc);
    log.push(extra);
    log.set(0x34, (log.bytes.len() - 0x34) as u32);
    log.push(&commands);
    log
}

/// An extra header with these clocks of second chips, and nothing else.
fn clocks(entries: &[(u8, u32)]) -> Vec<u8> {
    let mut bytes = vec![12, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, entries.len() as u8];
    for (chip, clock) in entries {
        bytes.push(*chip);
        bytes.extend(clock.to_le_bytes());
    }
    bytes
}

fn parse(log: Log) -> Result<Song, SongError> {
    Song::parse(&log.finish(), MissingChips::Refuse)
}

const TWO: u32 = 1 << 30;
const VARIANT: u32 = 1 << 31;

/// The second of a chip is named by a command of its own, by a bit of the register, or of the port.
#[test]
fn the_second_of_a_chip_sounds_as_the_first() {
    for pair in pairs() {
        let frames = |commands: &[u8]| frames_of(log_of(&pair, pair.clock | TWO, commands));
        let Pair { first, second, .. } = &pair;
        let sound = frames(first);
        assert_eq!(frames(second), sound, "{:#x}", pair.field);
        let both = [&first[..], second].concat();
        assert_ne!(frames(&both), sound, "{:#x}", pair.field);
        assert_ne!(frames(&[]), sound, "{:#x}", pair.field);
        // Without a second chip its commands are for none.
        let alone = |commands: &[u8]| frames_of(log_of(&pair, pair.clock, commands));
        assert_eq!(alone(second), alone(&[]), "{:#x}", pair.field);
    }
}

/// The list of an extra header has the clock of the second chip; the first keeps its own.
#[test]
fn a_second_chip_has_its_own_clock() {
    for pair in pairs() {
        let own = ((pair.clock & !VARIANT) / 5 * 4) | (pair.clock & VARIANT);
        // A clock of another chip, and one of a chip that there is no model of.
        let extra = clocks(&[(0x1e, 1), (pair.number ^ 1, 20_000), (pair.number, own)]);
        let with = |commands: &[u8]| frames_of(log_with(&pair, pair.clock | TWO, &extra, commands));
        // The other chip of the machine is silent, but for the SSG, which it adds to the mix.
        let alone = |clock, commands: &[u8]| frames_of(log_of(&pair, clock | TWO, commands));
        let field = pair.field;
        assert_eq!(
            with(&pair.first),
            alone(pair.clock, &pair.first),
            "{field:#x}"
        );
        assert_eq!(with(&pair.second), alone(own, &pair.second), "{field:#x}");
        assert_ne!(
            with(&pair.second),
            alone(pair.clock, &pair.second),
            "{field:#x}"
        );
        let song = parse(log_with(&pair, pair.clock | TWO, &extra, &[])).unwrap();
        let clocks: Vec<u32> = song.chips.iter().map(|chip| chip.clock).collect();
        assert_eq!(clocks, [pair.clock & !VARIANT, own & !VARIANT]);
        assert_eq!(song.remarks, [""; 0]);
    }
}

/// Chips with their clocks, and remarks.
type Chips = (Vec<(ChipKind, u32)>, Vec<String>);

/// The chips of a song with a YM2610 and this extra header.
fn chips(field: u32, extra: &[u8]) -> Result<Chips, SongError> {
    let pair = Pair {
        field: 0x4c,
        clock: 0,
        number: 0x08,
        first: Vec::new(),
        second: Vec::new(),
    };
    let song = parse(log_with(&pair, field, extra, &[]))?;
    let chips = song.chips.iter().map(|chip| (chip.kind, chip.clock));
    Ok((chips.collect(), song.remarks))
}

#[test]
fn a_clock_of_a_second_chip_is_for_a_second_chip() {
    let first = (ChipKind::Ym2610, 8_000_000);
    // There is no second chip.
    let one = chips(8_000_000, &clocks(&[(8, 7_000_000)])).unwrap();
    assert_eq!(one, (vec![first], vec![]));
    // The bit of another chip of the family, and the one that some programs set for the second.
    for number in [0x08, 0x88] {
        let two = chips(8_000_000 | TWO, &clocks(&[(number, 7_000_000 | VARIANT)])).unwrap();
        assert_eq!(two.0, [first, (ChipKind::Ym2610B, 7_000_000)]);
    }
    // The first of several; 0 is no clock.
    let two = chips(8_000_000 | TWO, &clocks(&[(8, 6_000_000), (8, 7_000_000)])).unwrap();
    assert_eq!(two.0[1].1, 6_000_000);
    let two = chips(8_000_000 | TWO, &clocks(&[(8, 0)])).unwrap();
    assert_eq!(two, (vec![first; 2], vec![]));
}

#[test]
fn a_clock_that_no_chip_has_is_an_error_with_its_place() {
    for (clock, bits) in [(1, 0), (9_999, 0), (64_000_001, 0), (1, VARIANT)] {
        let extra = clocks(&[(3, 1), (8, clock | bits)]);
        let error = chips(8_000_000 | TWO, &extra).unwrap_err();
        let text = error.to_string();
        assert!(
            matches!(error, SongError::Header { offset: 0x113, .. }),
            "{text}"
        );
        assert!(text.contains(&format!("{clock} Hz")), "{text}");
    }
}

/// A pin of the AY8910's relatives halves the clocks of both, also one of 1.
#[test]
fn a_pin_halves_the_clock_of_a_second_ym2149() {
    let clocks_of = |own| {
        let mut log = Log::new();
        log.set(0x74, 4_000_000 | TWO);
        log.bytes[0x78..0x7a].copy_from_slice(&[0x10, 0x11]);
        log.set(0xbc, 0x100 - 0xbc);
        log.push(&clocks(&[(0x12, own)]));
        log.set(0x34, (log.bytes.len() - 0x34) as u32);
        log.wait(1);
        let song = parse(log).unwrap();
        song.chips.iter().map(|chip| chip.clock).collect::<Vec<_>>()
    };
    assert_eq!(clocks_of(3_000_000), [2_000_000, 1_500_000]);
    assert_eq!(clocks_of(1), [2_000_000; 2]);
}

/// Both lists, in either order, in a header that ends before one of them, and lists that are cut.
#[test]
fn lists_of_an_extra_header_are_read_within_their_bounds() {
    let clock = |extra: &[u8]| {
        let (chips, remarks) = chips(8_000_000 | TWO, extra).unwrap();
        (chips[1].1, remarks.join("; "))
    };
    let number = |number: u32| number.to_le_bytes();
    let own = [&[1, 8][..], &number(7_000_000)].concat();
    let volume = [1, 8, 0, 0, 0x82];
    let both = [&number(12), &number(8), &number(10), &own[..], &volume].concat();
    assert_eq!(clock(&both), (7_000_000, String::new()));
    let turned = [&number(12), &number(13), &number(4), &volume[..], &own].concat();
    assert_eq!(clock(&turned), (7_000_000, String::new()));
    // A header of 8 bytes has no volumes: what is there is the list.
    let short = [&number(8), &number(4), &own[..]].concat();
    assert_eq!(clock(&short), (7_000_000, String::new()));
    assert_eq!(clock(&number(4)), (8_000_000, String::new()));
    for broken in [
        // Cut before its end, and before its beginning; behind the commands; at the end of numbers.
        &[&number(12), &number(8), &number(0), &own[..4]].concat()[..],
        &[&number(12), &number(8), &number(0), &[3][..], &own[1..]].concat(),
        &[12, 8, 0].map(number).concat(),
        &[12, 0x10_0000, 0].map(number).concat(),
        &[12, u32::MAX, 0].map(number).concat(),
        &[&number(12)[..], &number(8)[..3]].concat(),
        &[12, 0],
        &[],
    ] {
        let (clock, remark) = clock(broken);
        assert_eq!(clock, 8_000_000, "{broken:?}");
        let what = "is broken: each second chip has the clock of the first";
        assert!(remark.contains(what), "{broken:?}: {remark}");
    }
    // Volumes that are broken do not touch the clocks.
    let half = [&number(12), &number(8), &number(10), &own[..], &[9]].concat();
    let (clock, remark) = clock(&half);
    assert_eq!(clock, 7_000_000);
    assert!(remark.contains("its volumes are left out"), "{remark}");
}

proptest! {
    /// Its offsets are small, so that most lists are in the file, in any order and over each other.
    #[test]
    fn an_extra_header_of_any_bytes_is_no_panic(
        head in prop::array::uniform3(0..60_u32),
        lists in prop::collection::vec(0..20_u8, 0..60),
        at in 0..0x180_u32,
    ) {
        let mut log = Log::new();
        log.set(0x4c, 8_000_000 | TWO);
        log.set(0xbc, at.wrapping_sub(0xbc));
        log.push(&head.map(u32::to_le_bytes).concat());
        log.push(&lists);
        log.set(0x34, (log.bytes.len() - 0x34) as u32);
        log.wait(1);
        match parse(log) {
            Ok(song) => prop_assert_eq!(song.chips.len(), 2),
            Err(error) => {
                let is_of_a_clock = matches!(error, SongError::Header { .. });
                prop_assert!(is_of_a_clock, "{}", error);
            }
        }
    }
}
