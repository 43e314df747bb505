//! The frames of whole songs: how many they are, and that they are always the same.

use std::thread;

use proptest::prelude::*;

use super::{Options, Renderer, Resampling};
use crate::song::{MissingChips, Song};

#[path = "../../tests/log/mod.rs"]
pub(super) mod log;

use log::Log;

const RATES: [u32; 5] = [8_000, 22_050, 44_100, 48_000, 96_000];
/// Samples of the test song before the loop, and in it.
const BEFORE: u16 = 1_000;
const LOOP: u16 = 2_205;

/// A song of three kinds of chips, with a stream and a part that repeats.
fn song() -> Song {
    let mut log = Log::new();
    log.set(0x0c, 3_579_545);
    log.set(0x2c, 7_670_454);
    log.set(0x74, 1_789_773);
    let wave: Vec<u8> = (0..=255).collect();
    log.block(0, &wave);
    // A stream to the DAC, from bank 0, of 7,000 bytes per second, again and again.
    log.push(&[0x52, 0x2b, 0x80]);
    log.push(&[0x90, 1, 0x02, 0, 0x2a]);
    log.push(&[0x91, 1, 0, 1, 0]);
    log.push(&[0x92, 1, 0x58, 0x1b, 0, 0]);
    log.push(&[0x93, 1, 0, 0, 0, 0, 0x83, 0, 0, 0, 0]);
    // A square wave of the SN76489, and one of the AY8910.
    log.push(&[0x50, 0x8a, 0x50, 0x10, 0x50, 0x90]);
    log.push(&[0xa0, 0, 0x80, 0xa0, 7, 0x3e, 0xa0, 8, 12]);
    log.wait(BEFORE);
    log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
    log.push(&[0xa0, 0, 0x40]);
    log.wait(LOOP / 3);
    log.push(&[0xa0, 0, 0x80, 0x50, 0x98]);
    log.wait(LOOP - LOOP / 3);
    Song::parse(&log.finish(), MissingChips::Refuse).unwrap()
}

fn options(rate: u32, resampling: Resampling) -> Options {
    Options {
        rate,
        loops: 2,
        fade: 0.05,
        gain: 0.7,
        resampling,
    }
}

/// The bits of all frames, made in blocks of these sizes, again and again.
fn bits(mut renderer: Renderer, sizes: &[usize]) -> Vec<[u32; 2]> {
    let mut bits = Vec::new();
    for &size in sizes.iter().cycle() {
        let mut block = vec![[f32::NAN; 2]; size];
        let made = renderer.fill(&mut block);
        bits.extend(block[..made].iter().map(|frame| frame.map(f32::to_bits)));
        assert_eq!(renderer.position(), bits.len() as u64);
        if made < size {
            break;
        }
    }
    bits
}

fn at_once(options: &Options) -> Vec<[u32; 2]> {
    bits(Renderer::new(song(), options), &[1 << 20])
}

#[test]
fn the_length_is_that_of_the_log_and_the_fade() {
    for rate in RATES {
        for loops in 0..4 {
            for fade in [-1.0, 0.0, 0.05, 0.1] {
                let options = Options {
                    loops,
                    fade,
                    ..options(rate, Resampling::Mean)
                };
                let played = u64::from(BEFORE) + u64::from(LOOP) * u64::from(loops.max(1));
                let faded = (f64::from(rate) * fade.max(0.0)).floor() as u64;
                let expected = played * u64::from(rate) / 44_100 + faded;
                assert_eq!(Renderer::length_of(&song(), &options), expected);
                assert_eq!(Renderer::new(song(), &options).length(), expected);
                if loops < 2 {
                    assert_eq!(at_once(&options).len() as u64, expected);
                }
            }
        }
    }
}

#[test]
fn the_scale_of_the_log_changes_the_number_of_loops() {
    let played = |sixteenths, less, wanted| {
        let mut song = song();
        song.loop_scale.sixteenths = sixteenths;
        song.loop_scale.less = less;
        (song.length(wanted) - u64::from(BEFORE)) / u64::from(LOOP)
    };
    assert_eq!(played(0, 0, 2), 2);
    assert_eq!(played(16, 0, 3), 3);
    assert_eq!(played(32, 0, 2), 4);
    assert_eq!(played(8, 0, 3), 1);
    assert_eq!(played(0, 1, 3), 2);
    assert_eq!(played(0, -2, 1), 3);
    // Once at least.
    assert_eq!(played(1, 0, 2), 1);
    assert_eq!(played(0, 127, 2), 1);
    assert_eq!(played(0, 0, 0), 1);
    let mut longest = song();
    longest.loop_samples = u64::MAX;
    assert_eq!(longest.length(u32::MAX), u64::MAX);
}

/// The fade begins with the end of the log, falls, and ends near silence.
#[test]
fn the_end_fades_out_by_squares() {
    let loud = Options {
        fade: 0.0,
        loops: 3,
        ..options(44_100, Resampling::Mean)
    };
    let faded = Options {
        fade: 0.05,
        loops: 2,
        ..loud.clone()
    };
    // 0.05 seconds are the 2,205 samples of the loop.
    let (loud, faded) = (at_once(&loud), at_once(&faded));
    assert_eq!(loud.len(), faded.len());
    let from = faded.len() - usize::from(LOOP);
    assert_eq!(loud[..from], faded[..from]);
    for place in from..faded.len() {
        let left = (faded.len() - place) as f32 / f32::from(LOOP);
        for (loud, faded) in loud[place].into_iter().zip(faded[place]) {
            let expected = f32::from_bits(loud) * left * left;
            assert!((f32::from_bits(faded) - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn a_renderer_at_its_end_makes_nothing_more() {
    let mut renderer = Renderer::new(song(), &options(8_000, Resampling::Nearest));
    let mut block = vec![[0.0; 2]; renderer.length() as usize];
    assert_eq!(renderer.fill(&mut block), block.len());
    assert!(block.iter().flatten().any(|&sample| sample != 0.0));
    assert_eq!(renderer.fill(&mut block), 0);
    assert_eq!(renderer.fill(&mut []), 0);
}

#[test]
fn each_thread_makes_the_same_bits() {
    for resampling in [Resampling::Mean, Resampling::Nearest] {
        let options = options(48_000, resampling);
        let expected = at_once(&options);
        let all: Vec<_> = thread::scope(|scope| {
            let threads = [100, 1_000].map(|size| {
                let options = &options;
                scope.spawn(move || bits(Renderer::new(song(), options), &[size]))
            });
            threads.map(|thread| thread.join().unwrap()).into()
        });
        assert!(all.iter().all(|bits| *bits == expected));
    }
}

/// A renderer goes to another thread after each block.
#[test]
fn a_renderer_that_moves_makes_the_same_bits() {
    for resampling in [Resampling::Mean, Resampling::Nearest] {
        let options = options(44_100, resampling);
        let mut renderer = Renderer::new(song(), &options);
        let mut all = Vec::new();
        while renderer.position() < renderer.length() {
            let moved = thread::spawn(move || {
                let mut block = vec![[0.0; 2]; 777];
                let made = renderer.fill(&mut block);
                block.truncate(made);
                (renderer, block)
            });
            let (back, block) = moved.join().unwrap();
            renderer = back;
            all.extend(block.into_iter().map(|frame| frame.map(f32::to_bits)));
        }
        assert_eq!(all, at_once(&options));
    }
}

/// The loudest sample of a song.
fn peak(log: Log) -> f32 {
    let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
    let mut renderer = Renderer::new(song, &options(44_100, Resampling::Mean));
    let mut frames = vec![[0.0; 2]; renderer.length() as usize];
    renderer.fill(&mut frames);
    frames
        .as_flattened()
        .iter()
        .fold(0.0, |peak, sample| sample.abs().max(peak))
}

/// A square wave of 440 Hz on an AY8910 or a relative, with noise.
fn square_wave(clock: u32, flags: [u8; 2]) -> Log {
    let mut log = Log::new();
    log.set(0x74, clock);
    log.bytes[0x78..0x7a].copy_from_slice(&flags);
    log.push(&[
        0xa0, 0, 0x1c, 0xa0, 1, 1, 0xa0, 6, 4, 0xa0, 7, 0x36, 0xa0, 8, 15,
    ]);
    log.wait(10_000);
    log
}

pub(super) fn frames_of(log: Log) -> Vec<[u32; 2]> {
    let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
    let options = options(44_100, Resampling::Mean);
    bits(Renderer::new(song, &options), &[1 << 20])
}

/// Bit 4 of the flags, and only where the chip is one of Yamaha's, which has the pin.
#[test]
fn a_pin_of_a_ym2149_halves_its_clock() {
    let plain = frames_of(square_wave(2_000_000, [0x10, 1]));
    assert_eq!(frames_of(square_wave(4_000_000, [0x10, 0x11])), plain);
    assert_ne!(frames_of(square_wave(4_000_000, [0x10, 1])), plain);
    assert_eq!(frames_of(square_wave(2_000_000, [0, 0x11])), plain);
}

/// By powers of two, which are exact.
#[test]
fn a_log_says_how_loud_it_is() {
    let with = |modifier| {
        let mut log = square_wave(2_000_000, [0, 1]);
        log.bytes[0x7c] = modifier;
        peak(log)
    };
    assert_eq!(with(0x20), 2.0 * with(0));
    assert_eq!(with(0xe0), 0.5 * with(0));
    assert_eq!(with(0xc1), 0.25 * with(0));
}

/// A log of version 1.71 whose extra header has these bytes.
fn with_extra_header(bytes: &[u8]) -> Log {
    let mut log = square_wave(2_000_000 | 1 << 30, [0, 1]);
    let commands = log.bytes.split_off(0x100);
    log.set(0xbc, 0x100 - 0xbc);
    log.push(bytes);
    log.set(0x34, (log.bytes.len() - 0x34) as u32);
    log.push(&commands);
    log
}

#[test]
fn a_log_says_how_loud_its_chips_are() {
    let with = |entries: &[u8]| {
        let mut bytes = vec![12, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, entries.len() as u8 / 4];
        bytes.extend(entries);
        with_extra_header(&bytes)
    };
    let usual = peak(with(&[]));
    assert_eq!(peak(with(&[0x12, 0, 0, 0x82])), 2.0 * usual);
    assert_eq!(
        peak(with(&[0x02, 0, 0, 0x82, 0x12, 0, 0x80, 0x80])),
        0.5 * usual
    );
    // That of the second one, which is silent.
    assert_eq!(peak(with(&[0x12, 1, 0, 0x82])), usual);
    let remarks = |log: Log| {
        let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
        song.remarks.join("; ")
    };
    assert_eq!(remarks(with(&[0x12, 0, 0, 0x82])), "");
    assert_eq!(
        remarks(with_extra_header(&[12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        ""
    );
    for entry in [[0x12, 0, 0x80, 0x01], [0x86, 0, 0, 0x82]] {
        assert!(remarks(with(&entry)).contains("are left out"));
        assert_eq!(peak(with(&entry)), usual);
    }
    // A list that is cut, or that is elsewhere.
    for broken in [
        &[12, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 9, 0x12][..],
        &[12, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff],
        &[12, 0, 0, 0],
    ] {
        assert!(remarks(with_extra_header(broken)).contains("is broken"));
        assert_eq!(peak(with_extra_header(broken)), usual);
    }
}

/// Without the ROM of its samples a drum of the YM2608 would be a saw-tooth.
#[test]
fn drums_without_samples_are_silent() {
    let mut log = Log::new();
    log.set(0x48, 7_987_200);
    log.push(&[0x56, 0x11, 0x3f, 0x56, 0x18, 0xdf, 0x56, 0x10, 0x01]);
    log.wait(44_100);
    assert!(peak(log) < 1e-6);
}

/// The unit for FM of the Mark III, logged before the YM2413 had the header's field for itself.
#[test]
fn an_old_log_of_a_ym2413_sounds() {
    let mut log = Log::new();
    log.set(0x08, 0x101);
    log.set(0x0c, 3_579_545);
    log.set(0x10, 3_579_545);
    log.bytes.truncate(0x40);
    log.set(0x34, 0);
    log.push(&[0x51, 0x30, 0x10, 0x51, 0x10, 0xac, 0x51, 0x20, 0x15]);
    log.wait(10_000);
    assert!(peak(log) > 0.01);
}

/// A song that repeats a command this number of times and a wait of one sample.
fn busy_song(command: &[u8], times: usize) -> Song {
    let mut log = Log::new();
    log.set(0x0c, 3_579_545);
    log.set(0x1c, (log.bytes.len() - 0x1c) as u32);
    log.push(&command.repeat(times));
    log.wait(1);
    Song::parse(&log.finish(), MissingChips::Refuse).unwrap()
}

/// Whether a song is given up, when it is made in blocks of this size.
fn is_given_up(song: Song, options: &Options, block: usize) -> bool {
    let mut renderer = Renderer::new(song, options);
    let mut frames = vec![[0.0; 2]; block];
    while renderer.fill(&mut frames) == block {}
    assert_eq!(renderer.position(), renderer.length());
    renderer.is_overworked()
}

/// Some bytes, when they are compressed, would keep a program busy for days. The size of the blocks
/// and the rate change nothing.
#[test]
fn a_song_that_does_more_than_a_machine_could_is_given_up() {
    // Thirty seconds: a song of 1,000 writes for each sample is given up in the first.
    for (writes, expected) in [(200, false), (1_000, true), (70_000, true)] {
        for (rate, block) in [(8_000, 100_000), (44_100, 1_024), (192_000, 16_384)] {
            let options = Options {
                fade: if expected { 30.0 } else { 0.5 },
                ..options(rate, Resampling::Nearest)
            };
            let given_up = is_given_up(busy_song(&[0x50, 0x9f], writes), &options, block);
            assert_eq!(given_up, expected, "{writes} writes, {rate} Hz, {block}");
        }
    }
}

/// Work that comes to no write is work: a byte for a DAC that is not there, a stream that does not
/// play, a place in a bank that is sought.
#[test]
fn a_song_that_does_nothing_too_often_is_given_up() {
    let options = Options {
        fade: 30.0,
        ..options(44_100, Resampling::Nearest)
    };
    for command in [&[0x80][..], &[0x94, 0], &[0xe0, 0, 0, 0, 0]] {
        let given_up = is_given_up(busy_song(command, 1_000), &options, 4_096);
        assert!(given_up, "{:#04x}", command[0]);
        let given_up = is_given_up(busy_song(command, 200), &options, 4_096);
        assert!(!given_up, "{:#04x}", command[0]);
    }
}

/// Streams without a chip write nothing, as often as they want.
#[test]
fn streams_that_write_nothing_too_often_are_given_up() {
    for (streams, expected) in [(40, false), (255, true)] {
        let mut log = Log::new();
        log.set(0x0c, 3_579_545);
        log.block(0, &[7; 100]);
        for stream in 0..streams {
            log.push(&[0x91, stream, 0, 1, 0]);
            log.push(&[0x92, stream, 0xff, 0xff, 0xff, 0xff]);
            log.push(&[0x93, stream, 0, 0, 0, 0, 0x83, 0, 0, 0, 0]);
        }
        log.wait(44_100);
        log.wait(44_100);
        let song = Song::parse(&log.finish(), MissingChips::Refuse).unwrap();
        let options = options(44_100, Resampling::Mean);
        assert_eq!(is_given_up(song, &options, 4_096), expected, "{streams}");
    }
}

/// As many writes as there can be with no more than a command for a sample: the byte of a DAC.
#[test]
fn a_song_may_write_at_every_sample_at_any_rate() {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    log.push(&[0x52, 0x2a, 0x55, 0x70].repeat(30_000));
    let bytes = log.finish();
    for rate in [1, 8_000, 192_000] {
        let song = Song::parse(&bytes, MissingChips::Refuse).unwrap();
        let options = options(rate, Resampling::Mean);
        let mut renderer = Renderer::new(song, &options);
        renderer.skip_to(renderer.length() / 2);
        renderer.fill(&mut [[0.0; 2]; 500]);
        assert!(!renderer.is_overworked(), "{rate}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// How a song is cut into blocks changes no bit.
    #[test]
    fn blocks_of_any_size_make_the_same_bits(
        rate in prop::sample::select(RATES.to_vec()),
        nearest in any::<bool>(),
        sizes in prop::collection::vec(0..2_000_usize, 1..20),
        last in 1..500_usize,
    ) {
        let resampling = if nearest { Resampling::Nearest } else { Resampling::Mean };
        let options = options(rate, resampling);
        let sizes: Vec<usize> = sizes.into_iter().chain([last]).collect();
        prop_assert_eq!(bits(Renderer::new(song(), &options), &sizes), at_once(&options));
    }
}
