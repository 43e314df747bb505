//! Data that come early, late, or too many.

use super::*;
use crate::chip::okim6258::queue::CAPACITY;
use proptest::prelude::*;

/// How many frames the first byte waits.
const DELAY: usize = 2;

/// What is heard of bytes that are written before the frames with these numbers.
fn heard(bytes: &[u8], times: &[usize], count: usize) -> Vec<i32> {
    let mut chip = playing_chip();
    let mut samples = Vec::new();
    for frame in 0..count {
        for (&byte, _) in bytes.iter().zip(times).filter(|(_, time)| **time == frame) {
            chip.write(0, DATA, byte);
        }
        samples.extend(left(&mut chip, 1));
    }
    samples
}

/// The same for bytes that come exactly when the chip takes them.
fn expected(bytes: &[u8]) -> Vec<i32> {
    [vec![-32; DELAY], decoded(&mut Decoder::new(), bytes)].concat()
}

#[test]
fn bytes_at_their_times_play_without_a_gap_and_the_last_is_held() {
    let bytes = sample(100);
    let times: Vec<usize> = (0..100).map(|byte| 2 * byte).collect();
    let samples = heard(&bytes, &times, 300);
    let expected = expected(&bytes);
    assert_eq!(samples[..202], expected);
    assert_eq!(samples[202..], [expected[201]; 98]);
}

proptest! {
    #[test]
    fn bytes_a_little_early_or_late_sound_as_those_at_their_times(
        shifts in proptest::collection::vec(-8..=2_isize, 1..150),
    ) {
        let bytes = sample(shifts.len());
        let mut times: Vec<usize> = shifts
            .iter()
            .enumerate()
            .map(|(byte, &shift)| (2 * byte).saturating_add_signed(shift))
            .collect();
        // The first byte sets the time of all, and a file has no byte before an earlier one.
        times[0] = 0;
        for byte in 1..times.len() {
            times[byte] = times[byte].max(times[byte - 1]);
        }
        let expected = expected(&bytes);
        prop_assert_eq!(heard(&bytes, &times, expected.len()), expected);
    }
}

#[test]
fn a_byte_that_is_too_late_is_played_late_and_none_is_lost() {
    let bytes = sample(4);
    // The third byte should come at 4, and at 6 at the latest.
    let samples = heard(&bytes, &[0, 2, 11, 13], 20);
    let decoded = decoded(&mut Decoder::new(), &bytes);
    let parts = [
        vec![-32; DELAY],
        decoded[..4].to_vec(),
        // It waits for two frames again.
        vec![decoded[3]; 7],
        decoded[4..].to_vec(),
        vec![decoded[7]; 3],
    ];
    assert_eq!(samples, parts.concat());
}

#[test]
fn a_full_queue_replaces_its_newest_byte() {
    let bytes = sample(20);
    let samples = heard(&bytes, &[0; 20], 40);
    let kept = [&bytes[..CAPACITY - 1], &bytes[19..]].concat();
    let expected = expected(&kept);
    assert_eq!(samples[..expected.len()], expected);
    assert!(
        samples[expected.len()..]
            .iter()
            .all(|sample| *sample == expected[17])
    );
}

#[test]
fn a_full_queue_goes_on_when_there_is_room() {
    let bytes = sample(12);
    let times = [0, 0, 0, 0, 0, 0, 0, 0, 3, 5, 7, 9];
    let expected = expected(&bytes);
    assert_eq!(heard(&bytes, &times, expected.len()), expected);
}

#[test]
fn a_play_command_resets_the_step_size_in_order_with_the_data() {
    let bytes = sample(30);
    let mut chip = playing_chip();
    let mut decoder = Decoder::new();
    for byte in &bytes[..6] {
        chip.write(0, DATA, *byte);
    }
    // The chip has only taken two of the bytes.
    let mut samples = left(&mut chip, 6);
    chip.write(0, CONTROL, 0x02);
    chip.write(0, DATA, bytes[6]);
    samples.extend(left(&mut chip, 10));

    let mut expected = vec![-32; DELAY];
    expected.extend(decoded(&mut decoder, &bytes[..6]));
    decoder.reset_step();
    expected.extend(decoded(&mut decoder, &bytes[6..7]));
    assert_eq!(samples, expected);
}

#[test]
fn a_play_command_without_data_resets_the_step_size_too() {
    let bytes = sample(8);
    let mut chip = playing_chip();
    let mut decoder = Decoder::new();
    for byte in &bytes[..7] {
        chip.write(0, DATA, *byte);
    }
    let mut samples = left(&mut chip, 30);
    chip.write(0, CONTROL, 0x02);
    chip.write(0, DATA, bytes[7]);
    samples.extend(left(&mut chip, 4));

    let mut expected = vec![-32; DELAY];
    expected.extend(decoded(&mut decoder, &bytes[..7]));
    let held = expected[15];
    expected.extend([held; 16]);
    decoder.reset_step();
    expected.extend(decoded(&mut decoder, &bytes[7..]));
    assert_eq!(samples, expected);
}
