use super::*;
use crate::compose::{Machine, compose};
use crate::render::{Options, Renderer};
use crate::song::{MissingChips, Song};

/// A port, a register, and what is written.
type Write = (u8, u8, u8);

/// Every kind of a chip.
fn kinds() -> [ChipKind; 15] {
    [
        ChipKind::Sn76489(Default::default()),
        ChipKind::Ym2413,
        ChipKind::Ym2612,
        ChipKind::Ym2151,
        ChipKind::Ym2203,
        ChipKind::Ym2608,
        ChipKind::Ym2610,
        ChipKind::Ym2610B,
        ChipKind::Ym3812,
        ChipKind::Ym3526,
        ChipKind::Y8950,
        ChipKind::Ymf262,
        ChipKind::Ymf278B,
        ChipKind::Ay8910,
        ChipKind::Okim6258 { flags: 0 },
    ]
}

fn voices_of(kinds: &[ChipKind]) -> Voices {
    let chip = |&kind: &ChipKind| ChipSpec {
        kind,
        clock: 4_000_000,
        second: false,
        volume: 0x100,
    };
    Voices::new(&kinds.iter().map(chip).collect::<Vec<_>>())
}

/// What writes to a chip of a machine strike and let go.
fn told(voices: &mut Voices, chip: u8, writes: &[Write]) -> Vec<(usize, bool)> {
    let mut events = Vec::new();
    for &(port, register, value) in writes {
        let write = RegisterWrite {
            chip,
            port,
            register,
            value,
        };
        voices.write(write, |event| events.push((event.voice, event.on)));
    }
    events
}

/// The voices of a chip, in their order: the name, the write that strikes it, and the one that lets
/// it go.
fn table(kind: ChipKind) -> Vec<(String, Write, Write)> {
    let mut table = Vec::new();
    let mut add = |name: &str, on: Write, off: Write| {
        table.push((format!("{} {name}", kind.name()), on, off));
    };
    let opl =
        |add: &mut dyn FnMut(&str, Write, Write), key: u8, from: u8, rhythm: u8, banks: u8| {
            for voice in 0..9 * banks {
                let (bank, register) = (voice / 9, from + voice % 9);
                add(
                    &(voice + 1).to_string(),
                    (bank, register, key | 1),
                    (bank, register, 1),
                );
            }
            for (name, bit) in [("BD", 16), ("SD", 8), ("TOM", 4), ("CYM", 2), ("HH", 1)] {
                add(name, (0, rhythm, 0x20 | bit), (0, rhythm, 0x20));
            }
        };
    let fm = |add: &mut dyn FnMut(&str, Write, Write), voices: &[u8]| {
        for &voice in voices {
            let number = voice - 1 + u8::from(voice > 3);
            add(
                &voice.to_string(),
                (0, 0x28, 0xf0 | number),
                (0, 0x28, number),
            );
        }
    };
    let square = |add: &mut dyn FnMut(&str, Write, Write), name: &str| {
        for voice in 0..3 {
            let name = format!("{name}{}", voice + 1);
            add(&name, (0, 0x08 + voice, 15), (0, 0x08 + voice, 0));
        }
    };
    match kind {
        ChipKind::Sn76489(_) => {
            for voice in 0..4 {
                let register = 0x90 | voice << 5;
                let name = (voice + 1).to_string();
                add(&name, (0, 0, register | 3), (0, 0, register | 15));
            }
        }
        ChipKind::Ym2413 => opl(&mut add, 0x10, 0x20, 0x0e, 1),
        ChipKind::Ym3812 | ChipKind::Ym3526 => opl(&mut add, 0x20, 0xb0, 0xbd, 1),
        ChipKind::Y8950 => {
            opl(&mut add, 0x20, 0xb0, 0xbd, 1);
            add("B", (0, 0x07, 0xa0), (0, 0x07, 0x01));
        }
        ChipKind::Ymf262 => opl(&mut add, 0x20, 0xb0, 0xbd, 2),
        ChipKind::Ymf278B => {
            opl(&mut add, 0x20, 0xb0, 0xbd, 2);
            for voice in 0..24 {
                let name = format!("P{}", voice + 1);
                add(&name, (2, 0x68 + voice, 0x80), (2, 0x68 + voice, 0x40));
            }
        }
        ChipKind::Ym2151 => {
            for voice in 0..8 {
                let name = (voice + 1).to_string();
                add(&name, (0, 0x08, 0x78 | voice), (0, 0x08, voice));
            }
        }
        ChipKind::Ym2203 => {
            fm(&mut add, &[1, 2, 3]);
            square(&mut add, "S");
        }
        ChipKind::Ym2608 => {
            fm(&mut add, &[1, 2, 3, 4, 5, 6]);
            square(&mut add, "S");
            add("B", (1, 0x00, 0xa0), (1, 0x00, 0x01));
        }
        ChipKind::Ym2610 | ChipKind::Ym2610B => {
            match kind {
                ChipKind::Ym2610 => fm(&mut add, &[2, 3, 5, 6]),
                _ => fm(&mut add, &[1, 2, 3, 4, 5, 6]),
            }
            square(&mut add, "S");
            for voice in 0..6 {
                let (name, bit) = (format!("A{}", voice + 1), 1 << voice);
                add(&name, (1, 0x00, bit), (1, 0x00, 0x80 | bit));
            }
            add("B", (0, 0x10, 0x80), (0, 0x10, 0x01));
        }
        ChipKind::Ym2612 => {
            fm(&mut add, &[1, 2, 3, 4, 5, 6]);
            add("DAC", (0, 0x2a, 0xf0), (0, 0x2b, 0x00));
        }
        ChipKind::Ay8910 => square(&mut add, ""),
        ChipKind::Okim6258 { .. } => add("1", (0, 0, 2), (0, 0, 1)),
    }
    table
}

/// In a machine that has a chip of every kind.
#[test]
fn each_voice_of_every_chip_is_struck_and_let_go() {
    let mut voices = voices_of(&kinds());
    let names = voices.names();
    let mut voice = 0;
    for (chip, kind) in (0..).zip(kinds()) {
        if kind == ChipKind::Ym2612 {
            assert_eq!(told(&mut voices, chip, &[(0, 0x2a, 0x10)]), []);
            assert_eq!(told(&mut voices, chip, &[(0, 0x2b, 0x80)]), []);
        }
        for (name, on, off) in table(kind) {
            assert_eq!(names[voice], name);
            assert_eq!(told(&mut voices, chip, &[on]), [(voice, true)], "{name}");
            assert_eq!(told(&mut voices, chip, &[off]), [(voice, false)], "{name}");
            voice += 1;
        }
    }
    assert_eq!(voice, names.len());
}

/// The picture has twelve cells for a name, and one of them is empty.
#[test]
fn names_fit_into_the_picture() {
    for name in voices_of(&kinds()).names() {
        assert!(name.len() < 12, "{name}");
    }
}

/// Twice the machine that has all chips.
#[test]
fn the_largest_machine_has_a_meter_for_each_voice() {
    let voices = voices_of(&[kinds(), kinds()].concat());
    assert!(voices.names().len() <= crate::player::VOICES);
}

#[test]
fn a_key_strikes_when_it_goes_down() {
    let mut opl = voices_of(&[ChipKind::Ym3812]);
    // Another pitch, with the key down.
    let bend = [(0, 0xb0, 0x25), (0, 0xb0, 0x26)];
    assert_eq!(told(&mut opl, 0, &bend), [(0, true)]);
    let drums = [
        (0, 0xbd, 0x30),
        (0, 0xbd, 0x38),
        (0, 0xbd, 0x18),
        (0, 0xbd, 0x1f),
    ];
    let events = [(9, true), (10, true), (9, false), (10, false)];
    assert_eq!(told(&mut opl, 0, &drums), events);
    let mut square = voices_of(&[ChipKind::Ay8910]);
    let fades = [(0, 0x09, 9), (0, 0x09, 8), (0, 0x09, 0), (0, 0x09, 9)];
    let events = [(1, true), (1, false), (1, true)];
    assert_eq!(told(&mut square, 0, &fades), events);
    // The third voice follows the envelope, which begins twice.
    let envelope = [(0, 0x0a, 0x10), (0, 0x0d, 8), (0, 0x0d, 8)];
    assert_eq!(told(&mut square, 0, &envelope), [(2, true); 3]);
}

#[test]
fn memory_that_is_filled_is_not_heard() {
    let mut opna = voices_of(&[ChipKind::Ym2608]);
    assert_eq!(told(&mut opna, 0, &[(1, 0x00, 0xe0)]), [(9, false)]);
}

/// The DAC has no key: the first byte after a quiet block strikes.
#[test]
fn a_dac_sounds_while_its_bytes_differ() {
    let mut voices = voices_of(&[ChipKind::Ym2612]);
    let block = |voices: &mut Voices, writes: &[Write]| {
        let mut events = told(voices, 0, writes);
        voices.pass(|event| events.push((event.voice, event.on)));
        events
    };
    assert_eq!(block(&mut voices, &[(0, 0x2a, 1), (0, 0x2a, 2)]), []);
    let sounds = [(0, 0x2b, 0x80), (0, 0x2a, 1), (0, 0x2a, 2)];
    assert_eq!(block(&mut voices, &sounds), [(6, true)]);
    assert_eq!(block(&mut voices, &[(0, 0x2a, 3)]), []);
    assert_eq!(block(&mut voices, &[(0, 0x2a, 3)]), [(6, false)]);
    assert_eq!(block(&mut voices, &[]), []);
    assert_eq!(block(&mut voices, &[(0, 0x2a, 4)]), [(6, true)]);
    // What enables it can be in a part that is skipped.
    let mut voices = voices_of(&[ChipKind::Ym2612]);
    voices.skip();
    assert_eq!(block(&mut voices, &[(0, 0x2a, 4)]), [(6, true)]);
}

#[test]
fn no_write_names_a_voice_that_is_not_there() {
    for kind in kinds() {
        let mut voices = voices_of(&[kind]);
        let count = voices.names().len();
        for port in 0..=4 {
            for register in 0..=255 {
                for value in 0..=255 {
                    for (voice, _) in told(&mut voices, 0, &[(port, register, value)]) {
                        assert!(voice < count, "{kind:?}");
                    }
                }
            }
        }
    }
}

/// How many times each voice is struck in the first ten seconds of a composed song, with its name.
fn strikes(machine: Machine) -> Vec<(String, u32)> {
    let bytes = compose(1, machine, 20).bytes;
    let song = Song::from_reader(&bytes[..], MissingChips::Refuse).unwrap();
    let mut voices = Voices::new(&song.chips);
    let mut counts = vec![0; voices.names().len()];
    let options = Options::default();
    let mut renderer = Renderer::new(song, &options);
    let mut block = [[0.0; 2]; crate::player::BLOCK];
    while renderer.position() < 10 * u64::from(options.rate) {
        renderer.fill_and_tell(&mut block, &mut |write| {
            voices.write(write, |key| counts[key.voice] += u32::from(key.on));
        });
        voices.pass(|_| {});
    }
    voices.names().into_iter().zip(counts).collect()
}

#[test]
fn the_drums_of_every_composed_machine_move_a_meter() {
    for machine in Machine::ALL {
        let drums: &[&str] = match machine {
            Machine::MegaDrive => &["YM2612 DAC", "SN76489 4"],
            Machine::X68000 => &["OKIM6258 1"],
            Machine::Arcade => &["YM2610 A1", "YM2610 A2", "YM2610 A3", "YM2610 B"],
            Machine::Msx => &["AY8910 2", "AY8910 3"],
            Machine::Pc98 => &["YM2608 B"],
            Machine::Cabinet => &["YM2203 S2", "YM2203 S3"],
            Machine::AdLib => &["YM3812 BD", "YM3812 SD", "YM3812 HH"],
            Machine::SoundBlaster => &["YMF262 BD", "YMF262 SD", "YMF262 HH"],
        };
        let strikes = strikes(machine);
        for drum in drums {
            let is_struck = |(name, count): &(String, u32)| name == drum && *count > 2;
            assert!(strikes.iter().any(is_struck), "{drum}: {strikes:?}");
        }
    }
}
