//! Writes: the rates, the control, the pan, and the flags of the header.

use super::*;

/// Lets the chip play these bytes, at most as many as the queue takes, after the first two frames.
fn play(chip: &mut Okim6258, bytes: &[u8]) -> Vec<[i32; 2]> {
    chip.write(0, CONTROL, 0x02);
    for &byte in bytes {
        chip.write(0, DATA, byte);
    }
    frames(chip, 2);
    frames(chip, 2 * bytes.len())
}

#[test]
fn the_rate_is_the_clock_by_the_divider() {
    for (flags, rate) in [(0, 7_813), (1, 10_417), (2, 15_625), (3, 15_625)] {
        assert_eq!(
            Okim6258::new(8_000_000, flags).rate(),
            rate,
            "flags {flags}"
        );
        // The divider can be written too, whatever the header says.
        let mut chip = Okim6258::new(8_000_000, 1);
        chip.write(0, 0x0C, flags);
        assert_eq!(chip.rate(), rate, "divider {flags}");
    }
    for (flags, rate) in [(0, 3_906), (1, 5_208), (2, 7_813)] {
        assert_eq!(
            Okim6258::new(4_000_000, flags).rate(),
            rate,
            "flags {flags}"
        );
    }
    // A player divides by the rate.
    assert_eq!(Okim6258::new(0, 0).rate(), 1);
    assert_eq!(Okim6258::new(u32::MAX, 0).rate(), u32::MAX / 1_024);
}

#[test]
fn the_last_byte_makes_a_new_clock_valid() {
    let mut chip = Okim6258::new(8_000_000, 2);
    for (register, byte) in (0x08..).zip(4_000_000_u32.to_le_bytes()) {
        assert_eq!(chip.rate(), 15_625, "register {register}");
        chip.write(0, register, byte);
    }
    assert_eq!(chip.rate(), 7_813);
}

#[test]
fn bytes_of_the_clock_that_are_not_written_stay() {
    let mut chip = Okim6258::new(0x0080_3456, 2);
    chip.write(0, 0x0A, 0x40);
    chip.write(0, 0x0B, 0x00);
    assert_eq!(chip.rate(), 0x0040_3456 / 512);
}

#[test]
fn a_clock_of_0_is_ignored() {
    let mut chip = Okim6258::new(8_000_000, 2);
    for register in 0x08..=0x0B {
        chip.write(0, register, 0);
    }
    assert_eq!(chip.rate(), 15_625);
}

#[test]
fn a_chip_that_does_not_play_is_silent_and_ignores_data() {
    let mut chip = Okim6258::new(8_000_000, FLAGS);
    chip.write(0, DATA, 0x77);
    assert_eq!(frames(&mut chip, 20), [[0, 0]; 20]);
    // The byte from before is not heard later.
    chip.write(0, CONTROL, 0x02);
    assert_eq!(left(&mut chip, 20), [-32; 20]);
}

#[test]
fn the_stop_bit_and_a_missing_play_bit_stop() {
    for command in [0x00, 0x01, 0x03, 0x04, 0x05, 0xFC] {
        let mut chip = playing_chip();
        play(&mut chip, &[0x77, 0x77]);
        assert_ne!(left(&mut chip, 1), [0], "the chip holds its last sample");
        chip.write(0, CONTROL, command);
        assert_eq!(
            frames(&mut chip, 20),
            [[0, 0]; 20],
            "command {command:#04x}"
        );
    }
}

#[test]
fn the_play_bit_starts_among_other_bits() {
    for command in [0x02, 0x06, 0xFE] {
        let mut chip = Okim6258::new(8_000_000, FLAGS);
        chip.write(0, CONTROL, command);
        assert_eq!(left(&mut chip, 3), [-32; 3], "command {command:#04x}");
    }
}

#[test]
fn a_chip_that_starts_again_sounds_as_a_new_one() {
    let bytes = sample(8);
    let expected = play(&mut Okim6258::new(8_000_000, FLAGS), &bytes);
    let mut chip = playing_chip();
    for byte in [0x77; 8] {
        chip.write(0, DATA, byte);
    }
    // The stop comes between the nibbles of a byte, with more of them in the queue.
    frames(&mut chip, 5);
    chip.write(0, CONTROL, 0x01);
    assert_eq!(play(&mut chip, &bytes), expected);
}

#[test]
fn the_low_nibble_is_first() {
    let samples = play(&mut Okim6258::new(8_000_000, FLAGS), &[0xF7, 0x40]);
    let expected = [28, -35, -26, 48].map(|signal| [signal * 16; 2]);
    assert_eq!(samples, expected);
}

#[test]
fn the_pan_silences_sides() {
    let bytes = sample(8);
    let both = play(&mut Okim6258::new(8_000_000, FLAGS), &bytes);
    for pan in 0..=u8::MAX {
        let mut chip = Okim6258::new(8_000_000, FLAGS);
        chip.write(0, PAN, pan);
        let has = |bit: u8| i32::from(pan & bit == 0);
        let expected: Vec<[i32; 2]> = both
            .iter()
            .map(|[left, right]| [left * has(2), right * has(1)])
            .collect();
        assert_eq!(play(&mut chip, &bytes), expected, "pan {pan:#04x}");
    }
}

#[test]
fn a_dac_of_10_bits_drops_two_bits() {
    let bytes = sample(8);
    let full = play(&mut Okim6258::new(8_000_000, 0x02 | 0x08), &bytes);
    let dropped: Vec<[i32; 2]> = full
        .iter()
        .map(|frame| frame.map(|sample| sample.div_euclid(64) * 64))
        .collect();
    assert_ne!(full, dropped);
    assert_eq!(play(&mut Okim6258::new(8_000_000, 0x02), &bytes), dropped);
}

#[test]
fn other_bits_of_the_flags_other_registers_and_the_port_are_ignored() {
    let bytes = sample(8);
    let expected = play(&mut Okim6258::new(8_000_000, FLAGS), &bytes);
    let mut chip = Okim6258::new(8_000_000, FLAGS | 0xF4);
    chip.write(0, CONTROL, 0x02);
    for byte in &bytes {
        for register in (0x03..=0x07).chain(0x0D..=u8::MAX) {
            chip.write(0, register, 0xFF);
        }
        chip.write(*byte, DATA, *byte);
    }
    frames(&mut chip, 2);
    assert_eq!(frames(&mut chip, 16), expected);
    assert_eq!(chip.rate(), 15_625);
}
