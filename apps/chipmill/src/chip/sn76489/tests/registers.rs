//! Writes: latches, data bytes, attenuators, stereo, the state at power-on, and the header.

use super::*;
use crate::chip::sn76489::Sn76489ConfigError;

/// Two chips with these writes sound alike.
#[track_caller]
fn assert_alike(flags: u8, one: &[u8], other: &[u8]) {
    let (mut first, mut second) = (chip(flags), chip(flags));
    write_all(&mut first, one);
    write_all(&mut second, other);
    let heard = frames(&mut first, 9_000);
    assert!(
        heard.iter().any(|frame| frame[0] != 0),
        "the test is silent"
    );
    assert_eq!(heard, frames(&mut second, 9_000));
}

/// The length of a cycle of tone 0 after these writes.
#[track_caller]
fn cycle_after(bytes: &[u8]) -> usize {
    let mut chip = chip(0);
    write_all(&mut chip, &[attenuation(0, 0)]);
    write_all(&mut chip, bytes);
    let cycles = cycles(&left(&mut chip, 9_000));
    // The first may have begun with another period.
    let last = *cycles.last().expect("the tone sounds");
    assert!(cycles[1..].iter().all(|&cycle| cycle == last));
    last
}

#[test]
fn a_latch_sets_the_low_bits_and_data_the_high_bits_of_a_period() {
    assert_eq!(cycle_after(&[0x8E, 0x0F]), 2 * 0x0FE);
    // Each later data byte replaces the high bits.
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0x3F]), 2 * 0x3FE);
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0x3F, 0x01]), 2 * 0x01E);
    // A second latch replaces the low bits only.
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0x83]), 2 * 0x0F3);
    // Bit 6 of a data byte is not used.
    assert_eq!(cycle_after(&[0x8E, 0x4F]), 2 * 0x0FE);
    // The latch alone changes the period at once.
    assert_eq!(cycle_after(&[0x85]), 2 * 0x005);
}

#[test]
fn a_data_byte_after_another_latch_leaves_the_period() {
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0x90, 0x00]), 2 * 0x0FE);
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0xA1, 0x3F]), 2 * 0x0FE);
    assert_eq!(cycle_after(&[0x8E, 0x0F, 0xE1, 0x02]), 2 * 0x0FE);
}

#[test]
fn a_data_byte_after_an_attenuation_sets_it_again() {
    // The two upper bits are dropped.
    assert_alike(0, &[0x8E, 0x0F, 0x9F, 0x35], &[0x8E, 0x0F, 0x95]);
    assert_alike(0, &[0xE4, 0xFF, 0x03], &[0xE4, 0xF3]);
}

#[test]
fn a_data_byte_after_the_noise_control_sets_it_again() {
    assert_alike(0, &[0xF0, 0xE0, 0x05], &[0xF0, 0xE5]);
    // The upper bits are dropped, of a latch too.
    assert_alike(0, &[0xF0, 0xE0, 0x3E], &[0xF0, 0xE6]);
    assert_alike(0, &[0xF0, 0xED], &[0xF0, 0xE5]);
}

#[test]
fn attenuations_are_steps_of_2_db() {
    for channel in 0..3 {
        let levels: Vec<i32> = (0..16)
            .map(|step| {
                let mut chip = chip(0);
                write_all(&mut chip, &period(channel, 1));
                write_all(&mut chip, &[attenuation(channel, step)]);
                left(&mut chip, 1)[0]
            })
            .collect();
        assert_eq!((levels[0], levels[15]), (8_191, 0));
        for (step, &level) in levels[..15].iter().enumerate() {
            let exact = 8_191.0 * 10_f64.powf(-(step as f64) / 10.0);
            assert!(
                (f64::from(level) - exact).abs() <= 0.5,
                "step {step}: {level}, {exact}"
            );
        }
    }
}

#[test]
fn the_noise_has_the_levels_of_the_tones() {
    for step in 0..16 {
        let mut chip = chip(0);
        write_all(&mut chip, &[0xE4, attenuation(3, step)]);
        let heard = left(&mut chip, 5_000);
        write_all(&mut chip, &period(0, 1));
        write_all(&mut chip, &[attenuation(0, step), attenuation(3, 15)]);
        let level = left(&mut chip, 1)[0];
        assert!(
            heard.iter().all(|sample| sample.abs() == level),
            "step {step}"
        );
        assert!(
            heard.contains(&level) && heard.contains(&-level),
            "step {step}"
        );
    }
}

#[test]
fn a_negated_output_is_the_mirror() {
    let writes = [0x8E, 0x0F, 0x93, 0xA1, 0x00, 0xB5, 0xE4, 0xF2];
    let (mut plain, mut negated) = (chip(0), chip(NEGATED));
    write_all(&mut plain, &writes);
    write_all(&mut negated, &writes);
    let mirror: Vec<i32> = left(&mut negated, 5_000)
        .iter()
        .map(|sample| -sample)
        .collect();
    assert_eq!(left(&mut plain, 5_000), mirror);
}

/// Periods, a noise control, and attenuations that differ.
const FOUR_CHANNELS: [u8; 11] = [
    0x8E, 0x0F, 0xA3, 0x0A, 0xC5, 0x07, 0xE5, 0x90, 0xB1, 0xD2, 0xF3,
];

#[test]
fn the_stereo_register_masks_each_channel_left_and_right() {
    let channels = [0, 1, 2, 3].map(|channel| {
        let mut alone = chip(0);
        write_all(&mut alone, &FOUR_CHANNELS);
        for other in (0..4).filter(|&other| other != channel) {
            write_all(&mut alone, &[attenuation(other, 15)]);
        }
        left(&mut alone, 300)
    });
    for mask in 0..=u8::MAX {
        let mut chip = chip(0);
        write_all(&mut chip, &FOUR_CHANNELS);
        chip.write(1, 0, mask);
        for (at, frame) in frames(&mut chip, 300).into_iter().enumerate() {
            let sum = |nibble: u8| -> i32 {
                (0..4)
                    .filter(|&channel| nibble >> channel & 1 == 1)
                    .map(|channel: usize| channels[channel][at])
                    .sum()
            };
            assert_eq!(frame, [sum(mask >> 4), sum(mask & 0xF)], "mask {mask:#04x}");
        }
    }
}

#[test]
fn a_chip_without_stereo_ignores_the_register() {
    let mut chip = chip(NO_STEREO);
    write_all(&mut chip, &FOUR_CHANNELS);
    let mut other = chip.clone();
    other.write(1, 0, 0x00);
    let heard = frames(&mut chip, 3_000);
    assert_eq!(heard, frames(&mut other, 3_000));
    assert!(heard.iter().all(|[left, right]| left == right));
}

#[test]
fn other_ports_and_the_number_of_the_register_are_ignored() {
    let (mut chip, mut other) = (chip(0), chip(0));
    write_all(&mut chip, &FOUR_CHANNELS);
    for byte in FOUR_CHANNELS {
        other.write(0, byte, byte);
        other.write(2, 0, 0x9F);
    }
    assert_eq!(frames(&mut chip, 3_000), frames(&mut other, 3_000));
}

#[test]
fn the_chip_is_silent_until_an_attenuator_is_written() {
    for flags in [0, ZERO_IS_1024, NCR, NEGATED] {
        let mut chip = chip(flags);
        assert_eq!(left(&mut chip, 5_000), [0; 5_000]);
        write_all(&mut chip, &[0x8E, 0x0F, 0xE4]);
        assert_eq!(left(&mut chip, 5_000), [0; 5_000]);
    }
}

#[test]
fn a_first_data_byte_goes_to_the_register_that_is_selected_at_power_on() {
    assert_alike(0, &[0x03, 0xAE, 0x0F], &[0xB3, 0xAE, 0x0F]);
    assert_alike(ZERO_IS_1024, &[0x0F, 0x90], &[0x80, 0x0F, 0x90]);
}

#[test]
fn a_header_of_an_old_file_means_the_chip_of_sega() {
    assert_eq!(
        Sn76489Config::from_header(0, 0, 0),
        Ok(Sn76489Config::default())
    );
    assert_eq!(
        Sn76489Config::from_header(9, 16, 0),
        Ok(Sn76489Config::default())
    );
}

#[test]
fn a_header_without_a_usable_shift_register_is_an_error() {
    let error = Sn76489Config::from_header(0x0009, 33, 0).expect_err("33 bits are too many");
    assert_eq!(error, Sn76489ConfigError::Width(33));
    assert!(error.to_string().contains("15, 16 or 17"));
    let error = Sn76489Config::from_header(0x8000, 15, 0).expect_err("the tap is outside");
    assert_eq!(
        error,
        Sn76489ConfigError::Taps {
            taps: 0x8000,
            width: 15
        }
    );
    assert!(error.to_string().contains("0x8000"));
    assert!(Sn76489Config::from_header(0x8000, 16, 0).is_ok());
    assert!(Sn76489Config::from_header(0x0001, 1, 0).is_ok());
    assert!(Sn76489Config::from_header(0x0001, 32, 0).is_ok());
}
