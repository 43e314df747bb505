use super::score::{Drum, Note, Part};
use super::*;
use crate::render::{Options, Renderer};
use crate::song::{ChipKind, LOG_RATE, MissingChips, Song};

fn parse(song: &Composed) -> Song {
    Song::parse(&song.bytes, MissingChips::Refuse).unwrap()
}

/// The first seconds of a song.
fn render(song: Song, seconds: usize) -> Vec<[f32; 2]> {
    let mut frames = vec![[0.0; 2]; seconds * LOG_RATE as usize];
    let filled = Renderer::new(song, &Options::default()).fill(&mut frames);
    frames.truncate(filled);
    frames
}

/// The distance from the lowest to the highest value of a side, as some chips rest beside 0.
fn swing(frames: &[[f32; 2]], side: usize) -> f32 {
    let values = || frames.iter().map(|frame| frame[side]);
    values().fold(f32::MIN, f32::max) - values().fold(f32::MAX, f32::min)
}

#[test]
fn songs_have_the_length_that_is_asked_for() {
    for machine in Machine::ALL {
        for (seed, seconds) in [(3, 9), (4, 20), (5, 33), (6, 61), (7, 180)] {
            let song = parse(&compose(seed, machine, seconds));
            assert_eq!(song.remarks, [""; 0], "{machine:?}");
            let length = song.samples as f64 / f64::from(LOG_RATE);
            let wrong = (length - f64::from(seconds)).abs();
            assert!(wrong <= 1.0, "{machine:?}: {length} instead of {seconds}");
            assert!(song.loop_samples > 0 && song.loop_samples < song.samples);
            let tags = song.tags;
            assert!(tags.title.english.is_ascii() && tags.title.english.contains(' '));
            assert!(!tags.title.origin.is_ascii(), "{}", tags.title.origin);
        }
    }
}

#[test]
fn songs_are_heard_and_not_too_loud() {
    let mut wrong = Vec::new();
    for machine in Machine::ALL {
        for seed in 0..3 {
            // The tenth bar, in the chorus, has all parts at once.
            let frames = render(parse(&compose(seed, machine, 30)), 22);
            let peak = |side: usize| frames.iter().map(|f| f[side].abs()).fold(0.0, f32::max);
            let peaks = [peak(0), peak(1)];
            if !peaks.iter().all(|peak| (0.1..0.89).contains(peak)) {
                wrong.push(format!("{machine:?}, seed {seed}: {peaks:?}"));
            }
            for (at, second) in frames.chunks_exact(LOG_RATE as usize).enumerate() {
                for side in 0..2 {
                    let swing = swing(second, side);
                    assert!(
                        swing > 0.02,
                        "{machine:?}: second {at}, side {side}: {swing}"
                    );
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_same_seed_gives_the_same_song() {
    for machine in Machine::ALL {
        let bytes = compose(5, machine, 20).bytes;
        assert_eq!(compose(5, machine, 20).bytes, bytes);
        assert_ne!(compose(6, machine, 20).bytes, bytes);
    }
    let songs = |seed| album(seed, 8).map(|song| song.bytes).collect::<Vec<_>>();
    assert_eq!(songs(1), songs(1));
    assert_ne!(songs(1), songs(2));
}

/// The bytes are these on every machine. A change of the composer changes them, and every
/// measurement of an album with them.
#[test]
fn the_bytes_of_a_seed_are_known() {
    // FNV-1a.
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        })
    };
    let hashes = Machine::ALL.map(|machine| hash(&compose(1, machine, 20).bytes));
    let known = [
        0x131e_e588_9618_836c,
        0x768e_08f8_e972_659c,
        0x3e2e_9b28_d4cf_470b,
        0x9f51_04cb_51a9_ca8d,
        0x9e06_cecc_4ba4_3447,
        0x7826_daaa_ae48_8cb4,
        0x2215_4745_dad4_68dc,
        0x2131_9ddf_f9bb_ff43,
    ];
    assert_eq!(hashes, known, "{hashes:#x?}");
}

#[test]
fn the_longest_song_has_an_hour_and_the_shortest_four_bars() {
    for (seconds, ticks) in [(u32::MAX, 216_000 - 60..=216_060), (0, 384..=512)] {
        let score = Score::new(&mut Dice::new(1), seconds);
        assert!(ticks.contains(&score.ticks), "{seconds}: {}", score.ticks);
        assert!(0 < score.loop_tick && score.loop_tick < score.ticks);
    }
}

#[test]
fn an_album_has_every_chip_that_a_machine_has() {
    let mut names: Vec<&str> = album(1, 61)
        .flat_map(|song| parse(&song).chips)
        .map(|chip| chip.kind.name())
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(
        names,
        [
            "AY8910", "OKIM6258", "SN76489", "YM2151", "YM2203", "YM2413", "YM2608", "YM2610",
            "YM2612", "YM3812", "YMF262"
        ]
    );
    // No machine here has these.
    for kind in [
        ChipKind::Ym3526,
        ChipKind::Y8950,
        ChipKind::Ymf278B,
        ChipKind::Ym2610B,
    ] {
        assert!(!names.contains(&kind.name()));
    }
}

#[test]
fn songs_of_an_album_last_from_one_to_six_minutes() {
    let seconds: Vec<u64> = album(1, 61)
        .map(|song| {
            let song = parse(&song);
            assert_eq!(song.remarks, [""; 0]);
            song.samples / u64::from(LOG_RATE)
        })
        .collect();
    assert!(
        seconds.iter().all(|seconds| (59..=361).contains(seconds)),
        "{seconds:?}"
    );
    assert!(seconds.iter().any(|&seconds| seconds > 240), "{seconds:?}");
    assert!(seconds.iter().any(|&seconds| seconds < 80), "{seconds:?}");
}

/// A second of a machine that plays one note.
fn one_note(machine: Machine, part: Part, pitch: u8) -> Vec<[f32; 2]> {
    let note = Note {
        tick: 0,
        ticks: 58,
        part,
        pitch,
    };
    let score = Score {
        name: String::new(),
        name_in_japanese: String::new(),
        notes: vec![note],
        loop_tick: 0,
        ticks: 60,
    };
    let bytes = machine.play(&score, &mut Dice::new(1));
    render(Song::parse(&bytes, MissingChips::Refuse).unwrap(), 1)
}

/// The frequency of a sound, in hertz: the shortest distance after which it is like itself, by
/// autocorrelation.
fn frequency(frames: &[[f32; 2]]) -> Option<f64> {
    let mean = frames.iter().map(|frame| f64::from(frame[0])).sum::<f64>() / frames.len() as f64;
    let sound: Vec<f64> = frames.iter().map(|f| f64::from(f[0]) - mean).collect();
    let likeness: Vec<f64> = (0..1000)
        .map(|lag| {
            let pairs = sound.iter().zip(&sound[lag..]);
            pairs.map(|(a, b)| a * b).sum::<f64>() / (sound.len() - lag) as f64
        })
        .collect();
    let is_peak = |lag: &usize| {
        let [left, middle, right] = [-1, 0, 1].map(|to| likeness[lag.wrapping_add_signed(to)]);
        middle > left && middle >= right
    };
    let best = (10..999)
        .filter(is_peak)
        .map(|lag| likeness[lag])
        .fold(0.0, f64::max);
    let lag = (10..999)
        .filter(is_peak)
        .find(|&lag| likeness[lag] > 0.9 * best)?;
    // Between the samples, by a parabola.
    let (left, middle, right) = (likeness[lag - 1], likeness[lag], likeness[lag + 1]);
    let between = (left - right) / (2.0 * (left - 2.0 * middle + right));
    Some(f64::from(LOG_RATE) / (lag as f64 + between))
}

#[test]
fn notes_are_in_tune() {
    let parts = [
        (Part::Bass, [36, 45, 58]),
        (Part::Chord(0), [48, 57, 70]),
        (Part::Chord(1), [50, 60, 74]),
        (Part::Chord(2), [53, 64, 78]),
        (Part::Melody, [60, 69, 85]),
        (Part::Arpeggio, [60, 81, 93]),
    ];
    let mut wrong = Vec::new();
    for machine in Machine::ALL {
        for (part, pitches) in parts {
            for pitch in pitches {
                let sound = one_note(machine, part, pitch);
                let found = frequency(&sound[4410..13_230]);
                let wanted = score::centihertz(pitch) as f64 / 100.0;
                if found.is_none_or(|found| (found / wanted - 1.0).abs() > 0.01) {
                    wrong.push(format!(
                        "{machine:?}, {part:?} {pitch}: {found:?}, not {wanted}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn periods_of_square_waves_are_those_of_the_notes() {
    // The clocks of AY8910, SN76489, YM2203 and YM2610, and the ticks for a step of the period.
    for (clock, divider, max) in [
        (1_789_772, 16, 0xfff),
        (3_579_545, 32, 0x3ff),
        (3_993_600, 32, 0xfff),
        (8_000_000, 64, 0xfff),
    ] {
        for pitch in 60..=94 {
            let period = psg::period(pitch, clock, divider, max);
            let found = f64::from(clock) / f64::from(divider) / f64::from(period);
            let wanted = score::centihertz(pitch) as f64 / 100.0;
            assert!(
                (found / wanted - 1.0).abs() < 0.01,
                "{clock}, {pitch}: {found}"
            );
        }
    }
    assert_eq!(psg::period(24, 1_789_772, 1, 0xfff), 0xfff);
}

#[test]
fn every_part_is_heard_on_every_machine() {
    let voices = [
        Part::Bass,
        Part::Chord(0),
        Part::Chord(1),
        Part::Chord(2),
        Part::Melody,
        Part::Arpeggio,
    ];
    let drums = [Drum::Kick, Drum::Snare, Drum::Hat].map(Part::Drum);
    let mut wrong = Vec::new();
    for machine in Machine::ALL {
        for part in voices.into_iter().chain(drums) {
            let sound = one_note(machine, part, 60);
            for side in 0..2 {
                let swing = swing(&sound, side);
                if !(0.04..1.0).contains(&swing) {
                    wrong.push(format!("{machine:?}, {part:?}, side {side}: {swing}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_table_of_notes_is_that_of_equal_temperament() {
    for pitch in 21..=108 {
        let exact = 440.0 * 2_f64.powf((f64::from(pitch) - 69.0) / 12.0);
        let table = score::centihertz(pitch) as f64 / 100.0;
        assert!((table - exact).abs() <= 0.011, "{pitch}: {table}, {exact}");
    }
}
