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

#[test]
fn songs_have_the_length_that_is_asked_for() {
    for machine in Machine::ALL {
        for seconds in [20, 61, 180] {
            let song = parse(&compose(3, machine, seconds));
            assert_eq!(song.remarks, [""; 0], "{machine:?}");
            let length = song.samples as f64 / f64::from(LOG_RATE);
            // Whole bars of at most 128 ticks.
            let more = length - f64::from(seconds);
            assert!((0.0..2.2).contains(&more), "{machine:?}: {length}");
            assert!(song.loop_samples > 0 && song.loop_samples < song.samples);
            assert_eq!(
                song.tags
                    .title
                    .origin
                    .chars()
                    .next()
                    .map(char::is_alphabetic),
                Some(true)
            );
        }
    }
}

#[test]
fn songs_are_heard_and_not_too_loud() {
    for machine in Machine::ALL {
        for seed in 0..3 {
            let frames = render(parse(&compose(seed, machine, 30)), 12);
            let peak = |side: usize| frames.iter().map(|f| f[side].abs()).fold(0.0, f32::max);
            let peaks = [peak(0), peak(1)];
            for peak in peaks {
                assert!(
                    (0.1..0.89).contains(&peak),
                    "{machine:?}, seed {seed}: {peaks:?}"
                );
            }
            // No second without a sound.
            for (at, second) in frames.chunks_exact(LOG_RATE as usize).enumerate() {
                let loud = second.iter().any(|frame| frame[0].abs() > 0.01);
                assert!(loud, "{machine:?}: silence in second {at}");
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_song() {
    for machine in Machine::ALL {
        let bytes = compose(5, machine, 20).bytes;
        assert_eq!(compose(5, machine, 20).bytes, bytes);
        assert_ne!(compose(6, machine, 20).bytes, bytes);
    }
    let names = |seed| album(seed, 8).map(|song| song.bytes).collect::<Vec<_>>();
    assert_eq!(names(1), names(1));
}

#[test]
fn an_album_has_every_chip_that_a_machine_has() {
    let mut names: Vec<&str> = album(1, 8)
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
        .map(|song| parse(&song).samples / u64::from(LOG_RATE))
        .collect();
    assert!(
        seconds.iter().all(|seconds| (60..363).contains(seconds)),
        "{seconds:?}"
    );
    assert!(seconds.iter().any(|&seconds| seconds > 240), "{seconds:?}");
    assert!(seconds.iter().any(|&seconds| seconds < 80), "{seconds:?}");
}

/// The frequency of a sound, by the distance after which it is most like itself, in hertz.
fn frequency(frames: &[[f32; 2]], from: f64, to: f64) -> f64 {
    let rate = f64::from(LOG_RATE);
    let likeness = |lag: usize| -> f64 {
        let pairs = frames.iter().zip(&frames[lag..]);
        let product: f64 = pairs.map(|(a, b)| f64::from(a[0]) * f64::from(b[0])).sum();
        product / (frames.len() - lag) as f64
    };
    let lags = (rate / to) as usize..=(rate / from) as usize;
    let best = lags
        .max_by(|&a, &b| likeness(a).total_cmp(&likeness(b)))
        .unwrap();
    // Between the samples, by a parabola.
    let (left, middle, right) = (likeness(best - 1), likeness(best), likeness(best + 1));
    let between = (left - right) / (2.0 * (left - 2.0 * middle + right));
    rate / (best as f64 + between)
}

/// A note of the bass alone, on each machine, is the note that it should be.
#[test]
fn notes_are_in_tune() {
    for machine in Machine::ALL {
        for pitch in [48, 57, 64] {
            let note = score::Note {
                tick: 0,
                ticks: 58,
                part: score::Part::Bass,
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
            let song = Song::parse(&bytes, MissingChips::Refuse).unwrap();
            let frames = render(song, 1);
            let wanted = score::centihertz(pitch) as f64 / 100.0;
            // From a fifth below to a fifth above; some patches have their tone an octave apart.
            let sound = &frames[4410..22_050];
            let found = [0.5, 1.0, 2.0]
                .map(|octave| {
                    frequency(sound, wanted * octave * 0.67, wanted * octave * 1.5) / octave
                })
                .map(|found| (found / wanted - 1.0).abs());
            let best = found.into_iter().fold(f64::INFINITY, f64::min);
            assert!(best < 0.01, "{machine:?}, note {pitch}: {found:?}");
        }
    }
}

#[test]
fn the_table_of_notes_is_that_of_equal_temperament() {
    for pitch in 21..=108 {
        let exact = 440.0 * 2_f64.powf((f64::from(pitch) - 69.0) / 12.0);
        let table = score::centihertz(pitch) as f64 / 100.0;
        assert!((table - exact).abs() <= 0.011, "{pitch}: {table}, {exact}");
    }
}
