//! The decoder against the published step sizes and a second implementation.

use super::*;
use proptest::prelude::*;

/// The step sizes, as Dialogic publishes them.
const PUBLISHED_STEPS: [i32; 49] = [
    16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130,
    143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
    876, 963, 1_060, 1_166, 1_282, 1_411, 1_552,
];

/// What a decoder gives for these nibbles.
fn signals(nibbles: &[u8]) -> Vec<i32> {
    let mut decoder = Decoder::new();
    let decode = |&nibble| {
        decoder.decode(nibble);
        decoder.signal()
    };
    nibbles.iter().map(decode).collect()
}

/// The same, written from the description: the magnitude selects halves of the step size, and the
/// number of the step size follows the magnitude.
fn reference_signals(nibbles: &[u8]) -> Vec<i32> {
    let mut signal = -2;
    let mut number = 0_i32;
    let mut signals = Vec::new();
    for nibble in nibbles {
        let magnitude = nibble % 8;
        let mut rest = magnitude;
        let mut part = PUBLISHED_STEPS[number as usize];
        let mut difference = 0;
        for weight in [4, 2, 1] {
            if rest >= weight {
                rest -= weight;
                difference += part;
            }
            part /= 2;
        }
        difference += part;
        signal += if *nibble < 8 { difference } else { -difference };
        signal = signal.clamp(-2_048, 2_047);
        number += if magnitude < 4 {
            -1
        } else {
            2 * i32::from(magnitude) - 6
        };
        number = number.clamp(0, 48);
        signals.push(signal);
    }
    signals
}

#[test]
fn the_first_steps_are_those_computed_by_hand() {
    // Step sizes 16, 34, 73, 66, 80, 73, 66.
    let nibbles = [0x7, 0xF, 0x0, 0x4, 0x9, 0x2, 0x3];
    assert_eq!(signals(&nibbles), [28, -35, -26, 48, 18, 63, 120]);
}

#[test]
fn each_step_size_is_the_published_one() {
    for (number, step) in PUBLISHED_STEPS.into_iter().enumerate() {
        // Nibble 4 moves the number of the step size by 2, nibble 8 by -1.
        let mut decoder = Decoder::new();
        for _ in 0..number.div_ceil(2) {
            decoder.decode(0x4);
        }
        if number % 2 == 1 {
            decoder.decode(0x8);
        }
        // Downwards, because the signal may be at the upper end of its range.
        let before = decoder.signal();
        decoder.decode(0xC);
        assert_eq!(
            before - decoder.signal(),
            step + step / 8,
            "step size {number}"
        );
    }
}

#[test]
fn a_reset_of_the_step_size_leaves_the_signal() {
    let mut decoder = Decoder::new();
    decoder.decode(0x7);
    decoder.reset_step();
    assert_eq!(decoder.signal(), 28);
    // Step size 16 again: 16 and 2.
    decoder.decode(0x4);
    assert_eq!(decoder.signal(), 46);
}

#[test]
fn the_signal_saturates_at_12_bits() {
    let loud = signals(&[0x7; 40]);
    assert_eq!((loud[38], loud[39]), (2_047, 2_047));
    let low = signals(&[0xF; 40]);
    assert_eq!((low[38], low[39]), (-2_048, -2_048));
    // From the end, the next difference counts in full: 1,552 / 8.
    assert_eq!(signals(&[&[0x7; 40][..], &[0x8]].concat())[40], 2_047 - 194);
    assert_eq!(
        signals(&[&[0xF; 40][..], &[0x0]].concat())[40],
        -2_048 + 194
    );
}

#[test]
fn the_step_size_stays_within_the_table() {
    // 40 down at the lower end, then one up: the step size is still the smallest.
    assert_eq!(
        signals(&[&[0x0; 40][..], &[0x4]].concat())[40],
        -2 + 40 * 2 + 18
    );
    // 40 up at the upper end, then one down: the largest, and after it the last but one.
    let nibbles = [&[0x7; 40][..], &[0x8, 0x8]].concat();
    assert_eq!(signals(&nibbles)[41], 2_047 - 194 - 176);
}

proptest! {
    #[test]
    fn the_decoder_equals_the_reference(
        nibbles in proptest::collection::vec(0..16_u8, 0..2_000),
    ) {
        prop_assert_eq!(signals(&nibbles), reference_signals(&nibbles));
    }
}
