//! FLAC files, decoded by another program and compared.

use super::encoder::in_memory;
use super::flac_block::BLOCK_FRAMES;
use super::{Format, PROGRAM, Tags};
use claxon::FlacReader;
use drumline::Pool;
use flacenc::source::{Context, Fill};
use proptest::prelude::*;
use std::io::Cursor;

/// What is in a file.
struct Decoded {
    info: claxon::metadata::StreamInfo,
    samples: Vec<i32>,
    tags: Vec<(String, String)>,
    vendor: Option<String>,
}

fn decode(bytes: Vec<u8>) -> Decoded {
    let mut reader = FlacReader::new(Cursor::new(bytes)).unwrap();
    let owned = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    Decoded {
        info: reader.streaminfo(),
        tags: reader.tags().map(owned).collect(),
        vendor: reader.vendor().map(str::to_owned),
        samples: reader.samples().map(Result::unwrap).collect(),
    }
}

fn bits(format: Format) -> u32 {
    if format == Format::Flac24 { 24 } else { 16 }
}

/// Frames of integers with as many bits as the format has.
fn frames(samples: &[i32], format: Format) -> Vec<[f32; 2]> {
    let scale = (1u32 << (bits(format) - 1)) as f32;
    samples
        .chunks_exact(2)
        .map(|pair| [pair[0], pair[1]].map(|one| one as f32 / scale))
        .collect()
}

/// Encodes and decodes samples, and compares everything that does not depend on the compression.
/// Returns the number of bytes.
fn round_trip(samples: &[i32], format: Format, rate: u32) -> usize {
    let (bytes, finished) = in_memory(format, rate, &Tags::default(), &frames(samples, format));
    assert_eq!(bytes.len() as u64, finished.bytes);
    let decoded = decode(bytes);
    let info = &decoded.info;
    assert!(decoded.samples == samples, "{format}");
    assert_eq!(
        (info.channels, info.bits_per_sample, info.sample_rate),
        (2, bits(format), rate)
    );
    assert_eq!(info.samples.unwrap_or(0), samples.len() as u64 / 2);
    assert_eq!(
        [info.min_block_size, info.max_block_size],
        [BLOCK_FRAMES as u16; 2]
    );
    let mut digest = Context::new(bits(format) as usize, 2);
    digest.fill_interleaved(samples).unwrap();
    assert_eq!(info.md5sum, digest.md5_digest());
    finished.bytes as usize
}

/// A tone that is different on both sides, at `amplitude` of full scale.
fn tone(frames: usize, format: Format, amplitude: f64) -> Vec<i32> {
    let peak = f64::from((1 << (bits(format) - 1)) - 1) * amplitude;
    let sample = |frame: usize| {
        let time = frame as f64;
        [(time * 0.05).sin(), (time * 0.031).sin() * 0.7].map(|value| (value * peak) as i32)
    };
    (0..frames).flat_map(sample).collect()
}

/// Steps of a generator of random numbers, to 32 bits.
fn random(seed: u32) -> impl Iterator<Item = u32> {
    let mut state = u64::from(seed);
    std::iter::repeat_with(move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    })
}

#[test]
fn songs_of_every_length_are_read_back() {
    const BATCH: usize = 16 * BLOCK_FRAMES;
    for format in [Format::Flac16, Format::Flac24] {
        let lengths = [
            0,
            1,
            31,
            32,
            63,
            64,
            65,
            4095,
            4096,
            4097,
            BATCH - 1,
            BATCH,
            BATCH + 1,
        ];
        for length in lengths {
            round_trip(&tone(length, format, 0.8), format, 44_100);
        }
    }
}

#[test]
fn rates_with_and_without_a_short_code_are_read_back() {
    for rate in [1, 8_000, 44_100, 48_000, 53_267, 62_500, 65_537, 96_000] {
        round_trip(&tone(100, Format::Flac16, 0.5), Format::Flac16, rate);
    }
}

#[test]
fn a_tone_becomes_smaller() {
    let samples = tone(100_000, Format::Flac16, 0.8);
    let bytes = round_trip(&samples, Format::Flac16, 44_100);
    assert!(
        bytes < samples.len(),
        "{bytes} bytes for {} samples",
        samples.len()
    );
}

#[test]
fn noise_becomes_hardly_larger_than_it_is() {
    for format in [Format::Flac16, Format::Flac24] {
        for shift in 0..24 {
            let noise = random(shift).map(|word| (word as i32) >> (32 - bits(format)) >> shift);
            let samples: Vec<i32> = noise.take(2 * 3 * BLOCK_FRAMES + 1000).collect();
            let bytes = round_trip(&samples, format, 44_100);
            let plain = samples.len() * bits(format) as usize / 8;
            assert!(
                bytes <= plain + plain / 20 + 200,
                "{format}, {shift}: {bytes} of {plain}"
            );
        }
    }
}

#[test]
fn extreme_blocks_are_read_back() {
    for format in [Format::Flac16, Format::Flac24] {
        let (least, most) = (-(1 << (bits(format) - 1)), (1 << (bits(format) - 1)) - 1);
        let quiet = tone(BLOCK_FRAMES, format, 0.01);
        let smooth = tone(BLOCK_FRAMES, format, 0.99);
        let mut random = random(1);
        let blocks: [Vec<i32>; 6] = [
            // Both sides alternate, against each other.
            (0..2 * BLOCK_FRAMES)
                .map(|index| if index % 4 < 2 { least } else { most })
                .collect(),
            (0..2 * BLOCK_FRAMES)
                .map(|index| if index % 2 == 0 { least } else { most })
                .collect(),
            // A predictor that fits the most of a block is far off in its corners.
            corners(&quiet, least, most),
            corners(&smooth, least, most),
            (0..2 * BLOCK_FRAMES)
                .map(|_| [least, most][random.next().unwrap() as usize % 2])
                .collect(),
            (0..2 * BLOCK_FRAMES)
                .map(|index| if index == 4000 { least } else { 0 })
                .collect(),
        ];
        for block in &blocks {
            let bytes = round_trip(block, format, 44_100);
            assert!(bytes <= block.len() * bits(format) as usize / 8 + BLOCK_FRAMES);
        }
        round_trip(&blocks.concat(), format, 44_100);
    }
}

/// The block with the loudest alternation at its front and its end.
fn corners(block: &[i32], least: i32, most: i32) -> Vec<i32> {
    let mut block = block.to_vec();
    let length = block.len();
    for index in (0..48).chain(length - 48..length) {
        block[index] = if index / 2 % 2 == 0 { least } else { most };
    }
    block
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_jobs() {
    let format = Format::Flac24;
    let samples: Vec<i32> = tone(40 * BLOCK_FRAMES + 77, format, 0.9)
        .into_iter()
        .zip(random(5))
        .map(|(sample, word)| sample + (word % 1000) as i32 - 500)
        .collect();
    let frames = frames(&samples, format);
    let encode = || in_memory(format, 44_100, &Tags::default(), &frames).0;
    let [first, rest @ ..] = [1, 2, 3, 7].map(|jobs| {
        let pool = Pool::builder().jobs(jobs).build().unwrap();
        pool.install(encode)
    });
    assert!(decode(first.clone()).samples == samples);
    for bytes in rest {
        assert!(bytes == first);
    }
}

#[test]
fn tags_are_vorbis_comments() {
    let text = |text: &str| Some(text.to_owned());
    let tags = Tags {
        title: text("Ōkami = wolf"),
        album: text("Album"),
        artist: text("Artist"),
        date: text("2006-04-20"),
        system: text("PC Engine"),
        comment: text("two\nlines"),
        track: Some(3),
    };
    let decoded = decode(in_memory(Format::Flac16, 44_100, &tags, &[]).0);
    let expected = [
        ("TITLE", "Ōkami = wolf"),
        ("ALBUM", "Album"),
        ("ARTIST", "Artist"),
        ("DATE", "2006-04-20"),
        ("TRACKNUMBER", "3"),
        ("SYSTEM", "PC Engine"),
        ("COMMENT", "two\nlines"),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(decoded.tags, expected);
    assert_eq!(decoded.vendor.as_deref(), Some(PROGRAM));
}

#[test]
fn clipped_samples_are_counted_and_the_sum_is_over_what_is_stored() {
    // The sums are those of another program, over little-endian integers.
    let expected = [
        (
            Format::Flac16,
            [16_384, 32_767, 0, -32_768],
            0xc8c6_6a7c_8cdc_71b5_d1fb_985e_9454_e923,
        ),
        (
            Format::Flac24,
            [4_194_304, 8_388_607, 0, -8_388_608],
            0x687e_1a4b_be71_c416_abba_f77a_51fb_bf21_u128,
        ),
    ];
    let frames = [[0.5, 2.0], [f32::NAN, -1.0]];
    for (format, samples, sum) in expected {
        let (bytes, finished) = in_memory(format, 44_100, &Tags::default(), &frames);
        assert_eq!(finished.clipped, 2);
        let decoded = decode(bytes);
        assert_eq!(decoded.samples, samples);
        assert_eq!(decoded.info.md5sum, sum.to_be_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn pieces_of_many_kinds_are_read_back(
        pieces in prop::collection::vec((0usize..3000, 0u32..24, 0u32..5, any::<u32>()), 1..6),
        is_wide in any::<bool>(),
    ) {
        let format = if is_wide { Format::Flac24 } else { Format::Flac16 };
        let smooth = tone(3000, format, 1.0);
        let mut samples = Vec::new();
        for (frames, shift, kind, seed) in pieces {
            let mut random = random(seed);
            let mut held = 0;
            for index in 0..2 * frames {
                let word = random.next().unwrap();
                let noise = (word as i32) >> (32 - bits(format)) >> shift.min(bits(format) - 1);
                let sample = match kind {
                    0 => noise,
                    1 => if word < 1 << 26 { noise } else { 0 },
                    2 => { if word % 32 < 2 { held = noise; } held }
                    3 => smooth[index % smooth.len()] / 2 + (noise >> 1),
                    _ => if index / 2 % (1 + seed as usize % 50) == 0 { noise } else { !noise },
                };
                samples.push(sample);
            }
        }
        round_trip(&samples, format, 44_100);
    }
}

/// Blocks of a song are encoded by jobs that have nothing else to do.
#[test]
fn a_free_job_takes_blocks_of_a_song() {
    let pool = Pool::builder().jobs(2).build().unwrap();
    let samples: Vec<i32> = (0..2 * 16 * BLOCK_FRAMES as i32)
        .map(|place| (place * 7919) % 30_000 - 15_000)
        .collect();
    let frames = frames(&samples, Format::Flac16);
    let steals = pool.stats().steals;
    // A batch may be done before the other job has woken up.
    while pool.stats().steals == steals {
        let encode = || in_memory(Format::Flac16, 44_100, &Tags::default(), &frames);
        assert_eq!(pool.install(encode).1.frames, 16 * BLOCK_FRAMES as u64);
    }
}
