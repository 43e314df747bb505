//! The noise generator.

use super::Sn76489Config;

/// Bits of the control register: the rate.
const RATE: u8 = 0b011;
/// A bit of the control register: white noise, otherwise periodic noise.
const WHITE: u8 = 0b100;
/// The rate that is not a fraction of the clock, but that of tone 2.
const RATE_OF_TONE_2: u8 = 3;

/// A shift register, of which the lowest bit is heard.
#[derive(Debug, Clone)]
pub(super) struct Noise {
    bits: u32,
    /// What a write to the control register loads.
    seed: u32,
    taps: u32,
    /// White noise is fed back by XNOR, and only a change of the mode loads the seed (NCR8496).
    is_ncr: bool,
    control: u8,
    /// Steps until the next shift, at least 1. It stands still while tone 2 drives the noise.
    until_shift: u32,
}

impl Noise {
    /// Periodic noise at the highest rate, that shifts with the first step.
    pub(super) fn new(config: Sn76489Config) -> Self {
        let seed = 1 << (config.width - 1);
        Self {
            bits: seed,
            seed,
            taps: config.taps,
            is_ncr: config.has_ncr_noise,
            control: 0,
            until_shift: 1,
        }
    }

    /// Writes the control register: three bits. The count that runs ends first.
    pub(super) fn set_control(&mut self, byte: u8) {
        let control = byte & (RATE | WHITE);
        let changes_mode = (control ^ self.control) & WHITE != 0;
        if changes_mode || !self.is_ncr {
            self.bits = self.seed;
        }
        self.control = control;
    }

    /// Steps until the next shift that the noise makes without tone 2.
    pub(super) fn steps_to_shift(&self) -> u32 {
        if self.is_driven_by_tone_2() {
            u32::MAX
        } else {
            self.until_shift
        }
    }

    fn is_driven_by_tone_2(&self) -> bool {
        self.control & RATE == RATE_OF_TONE_2
    }

    /// Goes on by at most [`steps_to_shift`](Self::steps_to_shift). `tone_2_rises` says whether the
    /// flip-flop of tone 2 is set by the last of the steps.
    pub(super) fn advance(&mut self, steps: u32, tone_2_rises: bool) {
        if self.is_driven_by_tone_2() {
            if tone_2_rises {
                self.shift();
            }
            return;
        }
        self.until_shift -= steps;
        if self.until_shift == 0 {
            // A counter of 16, 32 or 64 toggles a flip-flop, and each cycle of this one shifts.
            self.until_shift = 32 << (self.control & RATE);
            self.shift();
        }
    }

    fn shift(&mut self) {
        let fed_back = if self.control & WHITE != 0 {
            (self.bits & self.taps).count_ones() % 2 == u32::from(!self.is_ncr)
        } else {
            // The lowest tap alone makes a ring.
            self.bits & self.taps & self.taps.wrapping_neg() != 0
        };
        self.bits >>= 1;
        if fed_back {
            self.bits |= self.seed;
        }
    }

    pub(super) fn is_high(&self) -> bool {
        self.bits & 1 != 0
    }
}
