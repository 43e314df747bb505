//! The Texas Instruments SN76489 and its relatives from Sega and NCR.
//!
//! The chip has three square-wave tones and one noise, each with an attenuator. A divider makes one
//! step of 16 clock cycles (of 2 in the chips without the divider by eight). Every counter counts
//! steps, and this model makes one frame per step.
//!
//! ```text
//! clock ─► divider ─► tone 0 ─► attenuator ─┐
//!                  ├► tone 1 ─► attenuator ─┤
//!                  ├► tone 2 ─► attenuator ─┼─► left, right
//!                  │      └─────┐           │
//!                  └► noise ◄───┘ attenuator┘
//! ```
//!
//! Nothing changes between two edges of the generators. So [`generate`](Core::generate) fills whole
//! runs of equal frames, and its work grows with the number of edges.
//!
//! # Output
//!
//! A channel gives plus or minus its level. The level at attenuation 0 is 8,191, so that the sum of
//! four channels stays between -32,764 and 32,764. Each step of attenuation is 2 dB, and step 15 is
//! silence. Periodic noise and a tone with a constant output have a mean other than 0. A player
//! that wants no constant part filters it out.
//!
//! # Sources
//!
//! - The latch protocol, the counters, the noise taps, the constant output of periods 0 and 1, and
//!   the power-on state of Sega's chips: the page "SN76489" of SMS Power.
//! - The attenuation, and the step of the chips without the divider by eight: the description of
//!   the SN76494 in the Tandy 1000 Technical Reference Manual.
//! - How the NCR8496 differs, the register that is selected at power-on, and the tap of the
//!   periodic noise: the research notes in MAME's `sn76496.cpp`.
//! - The header: the VGM specification, version 1.71, and for bit 4 of the flags version 1.72, as
//!   the crate `soundlog` documents it.

mod config;
mod noise;
#[cfg(test)]
mod tests;
mod tone;

pub use config::{Sn76489Config, Sn76489ConfigError};

use super::Core;
use noise::Noise;
use tone::Tone;

/// The level of a channel by its attenuation, of which one unit is 2 dB.
const LEVELS: [i32; 16] = levels();

const fn levels() -> [i32; 16] {
    // 2 dB less is this part of the amplitude: 10^(-2/20).
    const STEP: f64 = 0.794_328_234_724_281_5;
    let mut levels = [0; 16];
    let mut level = 8_191.0;
    let mut attenuation = 0;
    // The last entry stays 0: attenuation 15 is "off".
    while attenuation < 15 {
        levels[attenuation] = (level + 0.5) as i32;
        level *= STEP;
        attenuation += 1;
    }
    levels
}

/// The port of [`Sn76489::write`](Core::write) that sets which channels sound left and right.
const STEREO_PORT: u8 = 1;

/// A model of the SN76489.
///
/// [`write`](Core::write) takes a byte for the chip at port 0, and a byte for the stereo register
/// of the Game Gear at port 1: bits 4 to 7 let tones 0 to 2 and the noise sound on the left, bits 0
/// to 3 on the right. Both ignore the register. Other ports are ignored.
///
/// The chip is silent until an attenuator is written.
///
/// # Examples
///
/// ```
/// use chipmill::chip::Core;
/// use chipmill::chip::sn76489::{Sn76489, Sn76489Config};
///
/// let mut chip = Sn76489::new(3_579_545, Sn76489Config::default());
/// // Tone 0 has period 0x0FE (440 Hz) and no attenuation.
/// for byte in [0x8E, 0x0F, 0x90] {
///     chip.write(0, 0, byte);
/// }
/// let mut frames = [[0; 2]; 300];
/// chip.generate(&mut frames);
/// assert!(frames.contains(&[8_191; 2]) && frames.contains(&[-8_191; 2]));
/// ```
#[derive(Debug, Clone)]
pub struct Sn76489 {
    rate: u32,
    config: Sn76489Config,
    tones: [Tone; 3],
    noise: Noise,
    /// The levels of the tones and of the noise.
    levels: [i32; 4],
    stereo: u8,
    latched: Register,
}

/// A register, as the three bits of a latch byte name it.
#[derive(Debug, Clone, Copy)]
enum Register {
    /// The period of a tone.
    Period(usize),
    /// The control of the noise.
    NoiseControl,
    /// The attenuation of a tone, or, with number 3, of the noise.
    Attenuation(usize),
}

impl Register {
    fn of_latch(byte: u8) -> Self {
        let channel = usize::from(byte >> 5 & 3);
        match (byte & 0x10 != 0, channel) {
            (true, _) => Self::Attenuation(channel),
            (false, 3) => Self::NoiseControl,
            (false, _) => Self::Period(channel),
        }
    }
}

impl Sn76489 {
    /// Creates a chip with the input clock `clock` in Hz.
    ///
    /// [`rate`](Core::rate) is the clock by 16, or by 2 if `config` has no divider by eight, to the
    /// nearest Hz and at least 1. The two upper bits of the field in a VGM header are flags. The
    /// caller removes them from `clock`.
    pub fn new(clock: u32, config: Sn76489Config) -> Self {
        let divider = if config.divides_by_8 { 16 } else { 2 };
        // Sega's chips wake up with the attenuator of tone 1 selected.
        let latched = if config.zero_is_1024 {
            Register::Period(0)
        } else {
            Register::Attenuation(1)
        };
        Self {
            rate: (clock.saturating_add(divider / 2) / divider).max(1),
            config,
            tones: [Tone::new(config.zero_is_1024); 3],
            noise: Noise::new(config),
            levels: [0; 4],
            stereo: 0xFF,
            latched,
        }
    }

    fn write_data_port(&mut self, byte: u8) {
        let latches = byte & 0x80 != 0;
        if latches {
            self.latched = Register::of_latch(byte);
        }
        match self.latched {
            Register::Period(tone) if latches => self.tones[tone].set_period_low(byte),
            Register::Period(tone) => self.tones[tone].set_period_high(byte),
            Register::NoiseControl => self.noise.set_control(byte),
            Register::Attenuation(channel) => {
                self.levels[channel] = LEVELS[usize::from(byte & 0xF)];
            }
        }
    }

    /// The number of steps until the next edge of any generator, at least 1.
    fn steps_to_edge(&self) -> u32 {
        let tones = self.tones.iter().map(Tone::steps_to_edge);
        tones.fold(self.noise.steps_to_shift(), u32::min)
    }

    /// Goes on by `steps`. An edge is only allowed at the last of them.
    fn advance(&mut self, steps: u32) {
        let rises = self.tones.each_mut().map(|tone| tone.advance(steps));
        self.noise.advance(steps, rises[2]);
    }

    fn frame(&self) -> [i32; 2] {
        let [tone_0, tone_1, tone_2] = self.tones.each_ref().map(Tone::is_high);
        let outputs = [tone_0, tone_1, tone_2, self.noise.is_high()];
        let (mut left, mut right) = (0, 0);
        for (channel, is_high) in outputs.into_iter().enumerate() {
            let level = self.levels[channel];
            let output = if is_high == self.config.negates {
                -level
            } else {
                level
            };
            if self.stereo & 0x10 << channel != 0 {
                left += output;
            }
            if self.stereo & 0x01 << channel != 0 {
                right += output;
            }
        }
        [left, right]
    }
}

impl Core for Sn76489 {
    fn rate(&self) -> u32 {
        self.rate
    }

    fn write(&mut self, port: u8, _register: u8, value: u8) {
        match port {
            0 => self.write_data_port(value),
            STEREO_PORT if self.config.has_stereo => self.stereo = value,
            _ => {}
        }
    }

    fn generate(&mut self, frames: &mut [[i32; 2]]) {
        let mut rest = frames;
        while !rest.is_empty() {
            // The edge comes with the last of these steps, so the frames before it are equal.
            let steps = self.steps_to_edge();
            let equal = (steps as usize - 1).min(rest.len());
            let (run, after) = rest.split_at_mut(equal);
            run.fill(self.frame());
            let Some((first, after)) = after.split_first_mut() else {
                self.advance(equal as u32);
                return;
            };
            self.advance(steps);
            *first = self.frame();
            rest = after;
        }
    }
}
