//! The OKI MSM6258, the ADPCM voice of the Sharp X68000, as VGM files drive it.
//!
//! The chip decodes one nibble per frame, the low one of a byte first. The rate is the master clock
//! by a divider, and writes change both.
//!
//! ```text
//! data writes ─► queue ─► decoder ─► DAC ─► pan ─► left, right
//! ```
//!
//! # States
//!
//! | state   | output                                | leaves it                                |
//! | ------- | ------------------------------------- | ---------------------------------------- |
//! | stopped | 0; data are ignored                   | the play command: playing, decoder reset |
//! | playing | decoded, or held while data are late  | any command without play, or with stop   |
//!
//! A play command while the chip plays resets the step size only, in order with the data.
//!
//! # Output
//!
//! The decoder has 12 bits. They are scaled by 16, so that the output is between -32,768 and
//! 32,752. The DAC in the chip has 10 bits and drops the lower two.
//!
//! # Sources
//!
//! - The decoder: Dialogic's application note "Dialogic ADPCM Algorithm". OKI's chips take the
//!   other nibble first, and begin with a signal of -2: MAME's models of these chips.
//! - The dividers, the header and command 0xB7: the VGM specification, version 1.71.
//! - The registers of command 0xB7, the bits of the control and of the pan, the width of the DAC,
//!   and the reset of the step size while the chip plays (observed in the emulator XM6): the
//!   comments and constants of MAME's and VGMPlay's models, because the specification is silent.

mod decoder;
mod queue;
#[cfg(test)]
mod tests;

use super::Core;
use decoder::Decoder;
use queue::{Entry, Queue};

/// What the master clock is divided by.
const DIVIDERS: [u32; 4] = [1_024, 768, 512, 512];

/// Bits of the control register.
const STOP: u8 = 1 << 0;
const PLAY: u8 = 1 << 1;

/// Bits of the pan register: the side is silent.
const MUTE_RIGHT: u8 = 1 << 0;
const MUTE_LEFT: u8 = 1 << 1;

/// A model of the MSM6258.
///
/// [`write`](Core::write) takes the registers of VGM's command 0xB7 and ignores the port:
///
/// | register | value                                                                  |
/// | -------- | ---------------------------------------------------------------------- |
/// | 0        | control: bit 0 stops, bit 1 plays                                      |
/// | 1        | data: two nibbles                                                      |
/// | 2        | pan: bit 0 silences the right side, bit 1 the left side                |
/// | 8 to 11  | the master clock in Hz, the low byte first; register 11 makes it valid |
/// | 12       | the divider: 0 is 1,024, 1 is 768, 2 and 3 are 512                     |
///
/// Other registers are ignored, as is a master clock of 0, with which the chip would stand still.
///
/// # Examples
///
/// ```
/// use chipmill::chip::Core;
/// use chipmill::chip::okim6258::Okim6258;
///
/// let mut chip = Okim6258::new(8_000_000, 0x02);
/// assert_eq!(chip.rate(), 15_625);
/// chip.write(0, 0, 0x02);
/// chip.write(0, 1, 0x77);
/// let mut frames = [[0; 2]; 4];
/// chip.generate(&mut frames);
/// // The first byte waits for two frames.
/// assert!(frames[3][0] > frames[2][0] && frames[2][0] > frames[1][0]);
/// ```
#[derive(Debug, Clone)]
pub struct Okim6258 {
    /// The master clock in Hz.
    clock: u32,
    /// The bytes of the next master clock.
    clock_bytes: [u8; 4],
    divider: u32,
    /// The bits of the decoder that the DAC takes.
    dac_mask: i32,
    pan: u8,
    is_playing: bool,
    decoder: Decoder,
    queue: Queue,
    /// The high nibble of a byte, after its low nibble has been decoded.
    high_nibble: Option<u8>,
}

impl Okim6258 {
    /// Creates a stopped chip with the master clock `clock` in Hz and the flags at 0x94 of a VGM
    /// header: bits 0 and 1 are the number of the divider, bit 3 selects 12 bits for the output
    /// instead of 10.
    ///
    /// Bit 2 is ignored. The specification and the players disagree whether it stands for samples
    /// of three bits or of four, and the X68000 has four.
    ///
    /// The upper two bits of the field in a VGM header are flags. The caller removes them from
    /// `clock`.
    pub fn new(clock: u32, flags: u8) -> Self {
        Self {
            clock,
            clock_bytes: clock.to_le_bytes(),
            divider: DIVIDERS[usize::from(flags & 3)],
            dac_mask: if flags & 0x08 != 0 { !0 } else { !3 },
            pan: 0,
            is_playing: false,
            decoder: Decoder::new(),
            queue: Queue::new(),
            high_nibble: None,
        }
    }

    fn write_control(&mut self, value: u8) {
        if value & STOP != 0 || value & PLAY == 0 {
            self.is_playing = false;
        } else if !self.is_playing {
            self.is_playing = true;
            self.decoder = Decoder::new();
            self.queue = Queue::new();
            self.high_nibble = None;
        } else {
            self.queue.push(Entry::StepReset);
        }
    }

    fn frame(&mut self) -> [i32; 2] {
        if !self.is_playing {
            return [0, 0];
        }
        if let Some(nibble) = self.high_nibble.take() {
            self.decoder.decode(nibble);
        } else {
            self.decode_low_nibble();
        }
        let sample = (self.decoder.signal() & self.dac_mask) * 16;
        let side = |mute: u8| if self.pan & mute == 0 { sample } else { 0 };
        [side(MUTE_LEFT), side(MUTE_RIGHT)]
    }

    /// Takes the next byte of the queue. Without one, the decoder holds its value.
    fn decode_low_nibble(&mut self) {
        while let Some(entry) = self.queue.pop() {
            match entry {
                Entry::Byte(byte) => {
                    self.decoder.decode(byte & 0xF);
                    self.high_nibble = Some(byte >> 4);
                    return;
                }
                Entry::StepReset => self.decoder.reset_step(),
            }
        }
    }
}

impl Core for Okim6258 {
    /// The master clock by the divider, to the nearest Hz and at least 1.
    fn rate(&self) -> u32 {
        (self.clock.saturating_add(self.divider / 2) / self.divider).max(1)
    }

    fn write(&mut self, _port: u8, register: u8, value: u8) {
        match register {
            0x00 => self.write_control(value),
            // The queue of a stopped chip is thrown away when it starts.
            0x01 => self.queue.push(Entry::Byte(value)),
            0x02 => self.pan = value,
            0x08..=0x0B => {
                self.clock_bytes[usize::from(register - 0x08)] = value;
                let clock = u32::from_le_bytes(self.clock_bytes);
                if register == 0x0B && clock != 0 {
                    self.clock = clock;
                }
            }
            0x0C => self.divider = DIVIDERS[usize::from(value & 3)],
            _ => {}
        }
    }

    fn generate(&mut self, frames: &mut [[i32; 2]]) {
        frames.fill_with(|| self.frame());
    }
}
