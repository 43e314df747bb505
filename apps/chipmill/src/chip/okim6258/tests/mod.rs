//! The chip, as it is heard, and its decoder.

mod decoder;
mod properties;
mod queue;
mod registers;

use super::Okim6258;
use super::decoder::Decoder;
use crate::chip::Core;

/// Flags of the header: the divider 512, and 12 bits for the output.
const FLAGS: u8 = 0x02 | 0x08;

const CONTROL: u8 = 0;
const DATA: u8 = 1;
const PAN: u8 = 2;

/// A chip with 12 bits for the output that plays.
fn playing_chip() -> Okim6258 {
    let mut chip = Okim6258::new(8_000_000, FLAGS);
    chip.write(0, CONTROL, 0x02);
    chip
}

/// The next frames.
fn frames(chip: &mut Okim6258, count: usize) -> Vec<[i32; 2]> {
    let mut frames = vec![[0; 2]; count];
    chip.generate(&mut frames);
    frames
}

/// The left half of the next frames.
fn left(chip: &mut Okim6258, count: usize) -> Vec<i32> {
    frames(chip, count).iter().map(|frame| frame[0]).collect()
}

/// What a decoder makes of these bytes, as an output of 12 bits.
fn decoded(decoder: &mut Decoder, bytes: &[u8]) -> Vec<i32> {
    let nibbles = bytes.iter().flat_map(|byte| [byte & 0xF, byte >> 4]);
    nibbles
        .map(|nibble| {
            decoder.decode(nibble);
            decoder.signal() * 16
        })
        .collect()
}

/// Bytes that move the signal in all directions.
fn sample(count: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}
