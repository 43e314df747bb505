//! The steps of a job.

use std::sync::atomic::AtomicBool;

use tempfile::TempDir;

use super::job::{BLOCK, Job, Step, block_len};
use super::{Failure, Settings};
use crate::album;
use crate::output::Format;
use crate::playlist::expand;
use crate::render::Options;
use crate::song::MissingChips;

#[path = "../../tests/small_songs/mod.rs"]
mod small_songs;

/// A directory with a song, and how it is rendered.
fn one_song() -> (TempDir, Settings) {
    let directory = tempfile::tempdir().unwrap();
    small_songs::write(directory.path(), "a.vgm", 2);
    let settings = Settings {
        render: Options::default(),
        normalize: Some(0.5),
        format: Format::Wav16,
        out: directory.path().to_owned(),
        names: "{stem}".parse().unwrap(),
        missing: MissingChips::Refuse,
        max_seconds: 600,
        skip_existing: false,
    };
    (directory, settings)
}

#[test]
fn a_block_is_a_tenth_of_a_second_at_most() {
    // A frame is the least.
    assert_eq!(block_len(1), 1);
    assert_eq!(block_len(1_000), 100);
    assert_eq!(block_len(44_100), BLOCK);
    assert_eq!(block_len(768_000), BLOCK);
}

/// The peak that is asked for is full scale, whatever the gain was before.
#[test]
fn a_song_with_the_peak_of_full_scale_is_not_too_loud() {
    let (directory, mut settings) = one_song();
    settings.normalize = Some(1.0);
    for tenths in 1..40 {
        settings.render.gain = tenths as f32 / 10.0;
        let plan = album::plan(expand(&[directory.path().join("a.vgm")]).entries, &settings);
        let mut job = Job::begin(&plan.songs[0], &settings, &AtomicBool::new(false)).unwrap();
        let rendered = loop {
            if let Step::Done(rendered) = job.step().unwrap() {
                break rendered;
            }
        };
        assert_eq!(rendered.clipped, 0, "gain {tenths}/10");
    }
}

/// The second pass has the song of the first one.
#[test]
fn a_song_that_is_rendered_twice_is_read_once() {
    let (directory, settings) = one_song();
    let plan = album::plan(expand(&[directory.path()]).entries, &settings);
    let planned = &plan.songs[0];
    let mut job = Job::begin(planned, &settings, &AtomicBool::new(false)).unwrap();
    std::fs::remove_file(directory.path().join("a.vgm")).unwrap();
    let rendered = loop {
        if let Step::Done(rendered) = job.step().unwrap() {
            break rendered;
        }
    };
    assert_eq!(rendered.frames, planned.frames);
}

#[test]
fn a_song_is_not_read_when_the_user_has_had_enough() {
    let (directory, settings) = one_song();
    let plan = album::plan(expand(&[directory.path()]).entries, &settings);
    let begun = Job::begin(&plan.songs[0], &settings, &AtomicBool::new(true));
    assert!(matches!(begun, Err(Failure::Cancelled)));
}

/// The largest log takes seconds to read.
#[test]
fn reading_a_song_ends_when_the_user_has_had_enough() {
    let (directory, settings) = one_song();
    let plan = album::plan(expand(&[directory.path()]).entries, &settings);
    let open = |cancelled| plan.songs[0].open(settings.missing, &AtomicBool::new(cancelled));
    assert!(open(false).is_ok());
    assert!(open(true).is_err());
}

/// A log that repeats as often as it can has as many frames as there are numbers.
#[test]
fn the_frames_of_a_plan_are_no_more_than_there_are_numbers() {
    let (directory, settings) = one_song();
    small_songs::write(directory.path(), "b.vgm", 3);
    let mut plan = album::plan(expand(&[directory.path()]).entries, &settings);
    let [one, two] = [0, 1].map(|song: usize| plan.songs[song].frames);
    assert_eq!(plan.frames(), one + two);
    plan.songs[0].frames = u64::MAX;
    assert_eq!(plan.frames(), u64::MAX);
}
