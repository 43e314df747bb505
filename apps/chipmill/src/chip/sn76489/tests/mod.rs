//! The chip, as it is heard.

mod noise;
mod properties;
mod registers;
mod tone;

use super::{Sn76489, Sn76489Config};
use crate::chip::Core;

/// Flags of the header.
const ZERO_IS_1024: u8 = 1 << 0;
const NEGATED: u8 = 1 << 1;
const NO_STEREO: u8 = 1 << 2;
const NO_DIVIDER: u8 = 1 << 3;
const NCR: u8 = 1 << 4;

const CLOCK: u32 = 3_579_545;

/// A chip with Sega's noise and these flags.
fn chip(flags: u8) -> Sn76489 {
    chip_with_noise(0x0009, 16, flags)
}

fn chip_with_noise(taps: u16, width: u8, flags: u8) -> Sn76489 {
    let config = Sn76489Config::from_header(taps, width, flags).expect("the config is valid");
    Sn76489::new(CLOCK, config)
}

fn write_all(chip: &mut Sn76489, bytes: &[u8]) {
    for &byte in bytes {
        chip.write(0, 0, byte);
    }
}

/// The latch and the data byte of a period.
fn period(tone: u8, period: u16) -> [u8; 2] {
    let latch = 0x80 | tone << 5 | (period & 0xF) as u8;
    [latch, (period >> 4) as u8]
}

/// The latch byte of an attenuation.
fn attenuation(channel: u8, attenuation: u8) -> u8 {
    0x90 | channel << 5 | attenuation
}

/// The next frames.
fn frames(chip: &mut Sn76489, count: usize) -> Vec<[i32; 2]> {
    let mut frames = vec![[0; 2]; count];
    chip.generate(&mut frames);
    frames
}

/// The left half of the next frames.
fn left(chip: &mut Sn76489, count: usize) -> Vec<i32> {
    frames(chip, count).iter().map(|frame| frame[0]).collect()
}

/// The distances in frames between the changes from low to high.
fn cycles(samples: &[i32]) -> Vec<usize> {
    let rises: Vec<usize> = (1..samples.len())
        .filter(|&at| samples[at - 1] < samples[at])
        .collect();
    rises.windows(2).map(|pair| pair[1] - pair[0]).collect()
}
