//! Tones: the frequency, and the periods that have none.

use super::*;

#[test]
fn the_rate_is_one_frame_per_step() {
    assert_eq!(chip(0).rate(), 223_722);
    assert_eq!(chip(NO_DIVIDER).rate(), 1_789_773);
    let config = Sn76489Config::default();
    assert_eq!(Sn76489::new(4_000_000, config).rate(), 250_000);
    // A player divides by the rate.
    assert_eq!(Sn76489::new(0, config).rate(), 1);
    assert_eq!(Sn76489::new(u32::MAX, config).rate(), u32::MAX / 16);
}

#[test]
fn a_tone_has_the_clock_by_32_periods() {
    for tone in 0..3 {
        for steps in [2, 3, 5, 16, 100, 254, 1_022, 1_023] {
            let mut chip = chip(0);
            write_all(&mut chip, &period(tone, steps));
            write_all(&mut chip, &[attenuation(tone, 0)]);
            // A frame is 16 cycles of the clock, so a cycle of the tone is two periods of frames.
            let cycle = 2 * usize::from(steps);
            let samples = left(&mut chip, 50 * cycle);
            let cycles = cycles(&samples);
            // The first rise is that of frame 0, which has no frame before it.
            assert_eq!(cycles.len(), 48, "tone {tone}, period {steps}");
            assert!(
                cycles.iter().all(|&found| found == cycle),
                "tone {tone}, period {steps}"
            );
            assert_eq!(samples.iter().sum::<i32>(), 0, "both halves are as long");
        }
    }
}

#[test]
fn without_the_divider_the_frames_are_the_same_and_come_faster() {
    let writes = [
        &period(0, 254)[..],
        &[attenuation(0, 3), attenuation(3, 5), 0xE5],
    ]
    .concat();
    let (mut slow, mut fast) = (chip(0), chip(NO_DIVIDER));
    write_all(&mut slow, &writes);
    write_all(&mut fast, &writes);
    assert_eq!(frames(&mut slow, 5_000), frames(&mut fast, 5_000));
}

#[test]
fn sega_holds_the_output_with_period_0_and_1() {
    for steps in [0, 1] {
        let mut chip = chip(0);
        write_all(&mut chip, &period(0, steps));
        write_all(&mut chip, &[attenuation(0, 0)]);
        assert_eq!(left(&mut chip, 3_000), [8_191; 3_000], "period {steps}");
    }
}

#[test]
fn texas_instruments_counts_1024_with_period_0() {
    let mut chip = chip(ZERO_IS_1024);
    write_all(&mut chip, &period(1, 0));
    write_all(&mut chip, &[attenuation(1, 0)]);
    assert_eq!(cycles(&left(&mut chip, 12_000)), [2_048; 4]);
}

#[test]
fn texas_instruments_holds_the_output_with_period_1() {
    let mut chip = chip(ZERO_IS_1024);
    write_all(&mut chip, &period(1, 1));
    write_all(&mut chip, &[attenuation(1, 4)]);
    let level = left(&mut chip, 1)[0];
    assert!(level > 0);
    assert_eq!(left(&mut chip, 3_000), [level; 3_000]);
}

#[test]
fn a_sample_is_played_through_the_attenuator() {
    let mut chip = chip(0);
    write_all(&mut chip, &period(2, 1));
    let played: Vec<i32> = [15, 0, 7, 15]
        .into_iter()
        .map(|sample| {
            write_all(&mut chip, &[attenuation(2, sample)]);
            left(&mut chip, 1)[0]
        })
        .collect();
    assert_eq!(played, [0, 8_191, 1_634, 0]);
}

#[test]
fn a_new_period_waits_for_the_end_of_the_old_count() {
    let mut chip = chip(0);
    write_all(&mut chip, &period(0, 100));
    write_all(&mut chip, &[attenuation(0, 0)]);
    // The first step toggles, and the count of 100 begins.
    let before = left(&mut chip, 40);
    write_all(&mut chip, &period(0, 10));
    let after = left(&mut chip, 90);
    assert_eq!(before, [8_191; 40]);
    assert_eq!(after[..60], [8_191; 60]);
    assert_eq!(after[60..70], [-8_191; 10]);
    assert_eq!(after[70..80], [8_191; 10]);
}
