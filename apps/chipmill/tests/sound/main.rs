//! Our sound against that of `vgmrender`, an example program of ymfm, and against frames of chips.

mod likeness;
#[path = "../log/mod.rs"]
mod log;
mod native;
mod program;
mod random;
mod songs;

use chipmill::render::{Options, Renderer, Resampling};
use chipmill::song::{MissingChips, Song as Parsed};

use likeness::Likeness;
use songs::{Outputs, Song};

/// The peak that `vgmrender` gives to each song.
const PEAK: i32 = 26_000;
/// Above this `vgmrender` multiplies more than its integers hold.
const LOUDEST: i32 = i32::MAX / PEAK;

/// The least correlation of mean and nearest frames. Three things keep it from 1: the nearest frame
/// has the chip's high tones and noise mirrored below half the rate of the output, where the mean
/// makes them quiet; `vgmrender` cuts the periods of chip and output down to multiples of 2^-32
/// seconds, and is late by a frame or two after some seconds; and a write can be made one frame of
/// the chip earlier or later. A wrong pitch or a wrong time of notes gives about 0.
const CORRELATION: f64 = 0.7;

/// By the nearest frame, each sample is that of `vgmrender`. By the mean, the sound is alike.
#[test]
fn each_chip_sounds_as_by_vgmrender() {
    let program = &program::PROGRAM;
    for song in songs::all() {
        let theirs = program::render(program, song.name, &song.reference);
        let nearest = integers(&song, &render(&song, Resampling::Nearest));
        assert_eq!(nearest.len(), theirs.len(), "{}", song.name);
        match song.outputs {
            Outputs::Mixed => same_after_scaling(&song, &nearest, &theirs),
            Outputs::Apart => same_sum(&song, &nearest, &theirs),
        }
        let nearest: Vec<_> = nearest.iter().map(|frame| frame.map(f64::from)).collect();
        let mean = render(&song, Resampling::Mean);
        let mean: Vec<_> = mean.iter().map(|frame| frame.map(f64::from)).collect();
        let likeness = Likeness::of(&mean, &nearest);
        println!(
            "{:10} nearest: {} frames, no difference; mean: RMS of the difference {:.1} % of the \
             sound's, correlation {:.3}",
            song.name,
            theirs.len(),
            100.0 * likeness.difference,
            likeness.correlation,
        );
        let enough = !song.starts_phases || likeness.correlation > CORRELATION;
        assert!(enough, "{}: {:.3}", song.name, likeness.correlation);
    }
}

/// Songs of the machines whose chips `vgmrender` has are measured beside it.
#[test]
fn single_songs_are_measured_beside_vgmrender() {
    let bench = |program: &std::path::Path| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_chipmill"));
        command.args(["bench", "--json", "--rounds", "1", "--vgmrender"]);
        command.arg(program).output().unwrap()
    };
    let output = bench(&program::PROGRAM);
    let failed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{failed}");
    let said = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<serde_json::Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let chips: Vec<_> = rows
        .iter()
        .map(|row| row["chips"].as_str().unwrap())
        .collect();
    assert!(
        chips.contains(&"YM2608") && chips.contains(&"YM2203, YM2203"),
        "{chips:?}"
    );
    assert!(!said.contains("SN76489"), "{chips:?}");
    for row in &rows {
        for figure in [
            &row["vgmrender_seconds"],
            &row["mean"]["median"],
            &row["nearest"]["most"],
        ] {
            assert!(figure.as_f64().unwrap() > 0.0, "{row}");
        }
    }
    let output = bench("/no/such/program".as_ref());
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("/no/such/program cannot be started"),
        "{said}"
    );
}

/// The mean is that of the chip's own frames.
#[test]
fn mean_frames_are_the_means_of_the_chips_frames() {
    for song in songs::all() {
        let parsed = Parsed::parse(&song.file, MissingChips::Refuse).unwrap();
        let expected = native::means(&parsed);
        let rendered = render(&song, Resampling::Mean);
        assert_eq!(rendered.len(), expected.len(), "{}", song.name);
        for (place, (rendered, expected)) in rendered.iter().zip(&expected).enumerate() {
            for (rendered, expected) in rendered.iter().zip(expected) {
                let expected = expected * f64::from(song.level) / 32_768.0;
                let error = (f64::from(*rendered) - expected).abs();
                // Frames have 24 bits, and those of two chips are rounded before they are added.
                assert!(
                    error < 3e-7,
                    "{}, frame {place}: {rendered} instead of {expected}",
                    song.name
                );
            }
        }
    }
}

/// All frames of a song, at the rate of the log.
fn render(song: &Song, resampling: Resampling) -> Vec<[f32; 2]> {
    let parsed = Parsed::parse(&song.file, MissingChips::Refuse).unwrap();
    let options = Options {
        resampling,
        ..Options::default()
    };
    let mut renderer = Renderer::new(parsed, &options);
    let mut frames = vec![[0.0; 2]; renderer.length() as usize];
    assert_eq!(renderer.fill(&mut frames), frames.len());
    frames
}

/// The samples of the chip. Levels are powers of two, so nothing of them is lost in the frames.
fn integers(song: &Song, frames: &[[f32; 2]]) -> Vec<[i32; 2]> {
    let integer = |sample: f32| {
        let scaled = sample * 32_768.0 / song.level;
        assert_eq!(scaled.fract(), 0.0, "{}", song.name);
        scaled as i32
    };
    frames.iter().map(|frame| frame.map(integer)).collect()
}

/// Scales our samples as `vgmrender` does, and compares.
fn same_after_scaling(song: &Song, ours: &[[i32; 2]], theirs: &[[i16; 2]]) {
    let peak = ours.iter().flatten().map(|sample| sample.abs()).max();
    let peak = peak.unwrap();
    assert!(
        (1_000..=LOUDEST).contains(&peak),
        "{}: {peak} is too quiet or too loud to compare",
        song.name
    );
    let scaled = ours
        .iter()
        .map(|frame| frame.map(|sample| sample * PEAK / peak));
    let theirs = theirs.iter().map(|frame| frame.map(i32::from));
    let differ = scaled
        .zip(theirs)
        .enumerate()
        .find(|(_, (ours, theirs))| ours != theirs);
    assert_eq!(differ, None, "{}", song.name);
}

/// Undoes the scaling of `vgmrender`, and compares our sample with the sum of its two. The peak is
/// not in its file, but only one is right for all frames.
fn same_sum(song: &Song, ours: &[[i32; 2]], theirs: &[[i16; 2]]) {
    let original = |sample: i16, peak: u32| {
        // The scaling cuts off, so the sample is the smallest one of this value.
        let size = (u32::from(sample.unsigned_abs()) * peak).div_ceil(PEAK as u32);
        size as i32 * i32::from(sample.signum())
    };
    let is_right = |peak: u32| {
        ours.iter().zip(theirs).all(|(ours, theirs)| {
            let sum = original(theirs[0], peak) + original(theirs[1], peak);
            *ours == [sum; 2]
        })
    };
    // Up to this peak no two samples are scaled to the same value.
    let right: Vec<u32> = (1_000..=PEAK as u32)
        .filter(|&peak| is_right(peak))
        .collect();
    assert_eq!(
        right.len(),
        1,
        "{}: the sums are equal with peaks of {right:?}",
        song.name
    );
}
