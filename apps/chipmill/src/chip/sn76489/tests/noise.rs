//! The noise: the shift register against a recurrence, its rates and its resets.

use super::*;

/// The bits that a noise gives, the seed's first, without a shift register: a bit that is fed back
/// into a register of `width` bits comes out `width` shifts later.
fn white_bits(taps: u16, width: usize, is_xnor: bool, count: usize) -> Vec<bool> {
    let mut bits = vec![false; width];
    bits[width - 1] = true;
    for at in 0..count.saturating_sub(width) {
        let parity = (0..16)
            .filter(|tap| taps >> tap & 1 == 1)
            .fold(is_xnor, |parity, tap| parity ^ bits[at + tap]);
        bits.push(parity);
    }
    bits.truncate(count);
    bits
}

/// The length of the cycle that `bits` ends in. The next bit depends on the `width` last ones.
fn cycle_length(bits: &[bool], width: usize) -> usize {
    let last = &bits[bits.len() - width..];
    let before = &bits[..bits.len() - 1];
    let found = before.windows(width).rposition(|window| window == last);
    bits.len() - width - found.expect("the bits are longer than a cycle")
}

/// The next bits of a noise that shifts each `steps` frames and is about to shift.
fn heard_bits(chip: &mut Sn76489, count: usize, steps: usize) -> Vec<bool> {
    let samples = left(chip, count * steps);
    samples
        .chunks(steps)
        .map(|run| {
            assert!(
                run.iter().all(|&sample| sample == run[0]),
                "a shift is early or late"
            );
            run[0] > 0
        })
        .collect()
}

/// The variants: the taps, the width and the flags, and how long a ring and a cycle are.
const VARIANTS: [(u16, u8, u8, usize, usize); 5] = [
    // Sega.
    (0x0009, 16, 0, 16, 57_337),
    // The SN76489AN.
    (0x0003, 15, ZERO_IS_1024, 15, 32_767),
    // The SN76489A: two bits of delay behind a register of 15 bits.
    (0x000C, 17, ZERO_IS_1024, 15, 32_767),
    // What headers say of the SN76489A too.
    (0x0006, 16, ZERO_IS_1024, 15, 32_767),
    // The NCR8496.
    (0x0022, 16, ZERO_IS_1024 | NCR, 15, 0),
];

#[test]
fn periodic_noise_is_a_ring_of_the_width() {
    for (taps, width, flags, ring, _) in VARIANTS {
        let mut chip = chip_with_noise(taps, width, flags);
        write_all(&mut chip, &[0xE0, attenuation(3, 0)]);
        let samples = left(&mut chip, 32 * ring * 12);
        let cycles = cycles(&samples);
        assert!(cycles.len() >= 10, "{taps:#x}");
        assert!(
            cycles.iter().all(|&cycle| cycle == 32 * ring),
            "{taps:#x}: {cycles:?}"
        );
        let high = samples.iter().filter(|&&sample| sample > 0).count();
        assert!(
            (32 * 11..=32 * 12).contains(&high),
            "one bit of the ring is set"
        );
    }
}

#[test]
fn white_noise_follows_the_recurrence_for_more_than_a_cycle() {
    for (taps, width, flags, _, cycle) in VARIANTS {
        let mut chip = chip_with_noise(taps, width, flags);
        write_all(&mut chip, &[0xE4, attenuation(3, 0)]);
        let count = 70_000;
        let mut expected = white_bits(taps, usize::from(width), flags & NCR != 0, count + 1);
        let bits = heard_bits(&mut chip, count, 32);
        // The first step shifts, so the first bit of the seed is never heard.
        expected.remove(0);
        assert!(bits == expected, "{taps:#x}");
        if cycle > 0 {
            assert_eq!(cycle_length(&bits, usize::from(width)), cycle, "{taps:#x}");
        }
    }
}

#[test]
fn xnor_noise_is_not_xor_noise() {
    let [xnor, xor] = [NCR, 0].map(|flags| {
        let mut chip = chip_with_noise(0x0022, 16, flags);
        write_all(&mut chip, &[0xE4, attenuation(3, 0)]);
        heard_bits(&mut chip, 200, 32)
    });
    assert_ne!(xnor, xor);
}

#[test]
fn the_rates_are_512_1024_and_2048_clock_cycles_per_shift() {
    for (rate, steps) in [(0, 32), (1, 64), (2, 128)] {
        let mut chip = chip(0);
        write_all(&mut chip, &[0xE4 | rate, attenuation(3, 0)]);
        let bits = heard_bits(&mut chip, 500, steps);
        assert_eq!(bits, white_bits(0x0009, 16, false, 501)[1..]);
    }
}

#[test]
fn tone_2_drives_the_noise_even_when_it_is_silent() {
    for (flags, steps, cycle) in [
        (0, 5, 10),
        (0, 100, 200),
        // The constant output of a short period does not stop the flip-flop.
        (0, 1, 2),
        (0, 0, 2),
        (ZERO_IS_1024, 1, 2),
        (ZERO_IS_1024, 0, 2_048),
    ] {
        let mut chip = chip(flags);
        write_all(&mut chip, &[0xE7, attenuation(3, 0)]);
        write_all(&mut chip, &period(2, steps));
        // The flip-flop is set by the first step of the chip.
        let bits = heard_bits(&mut chip, 300, cycle);
        assert_eq!(
            bits,
            white_bits(0x0009, 16, false, 301)[1..],
            "period {steps}"
        );
    }
}

#[test]
fn other_tones_do_not_drive_the_noise() {
    let mut chip = chip(0);
    write_all(&mut chip, &[0xE7, attenuation(3, 0)]);
    write_all(&mut chip, &period(2, 50));
    let mut other = chip.clone();
    write_all(&mut other, &period(0, 7));
    write_all(&mut other, &period(1, 9));
    assert_eq!(left(&mut chip, 9_000), left(&mut other, 9_000));
}

#[test]
fn each_write_of_the_control_loads_the_seed() {
    let seed = white_bits(0x0009, 16, false, 101);
    let mut chip = chip(0);
    write_all(&mut chip, &[0xE4, attenuation(3, 0)]);
    assert_eq!(heard_bits(&mut chip, 100, 32), seed[1..]);
    // The same value, by a latch and by a data byte.
    write_all(&mut chip, &[0xE4]);
    assert_eq!(heard_bits(&mut chip, 100, 32), seed[1..]);
    write_all(&mut chip, &[0xE4, 0x04]);
    assert_eq!(heard_bits(&mut chip, 100, 32), seed[1..]);
}

#[test]
fn only_a_change_of_the_mode_loads_the_seed_of_an_ncr8496() {
    let bits = white_bits(0x0022, 16, true, 301);
    let mut chip = chip_with_noise(0x0022, 16, NCR);
    write_all(&mut chip, &[0xE4, attenuation(3, 0)]);
    assert_eq!(heard_bits(&mut chip, 100, 32), bits[1..101]);
    write_all(&mut chip, &[0xE4]);
    assert_eq!(heard_bits(&mut chip, 100, 32), bits[101..201]);
    write_all(&mut chip, &[0xE0, 0xE4]);
    assert_eq!(heard_bits(&mut chip, 100, 32), bits[1..101]);
}
