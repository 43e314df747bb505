//! Patches and notes of FM chips.

use super::dice::Dice;
use super::log::Log;
use super::score::centihertz;

/// The sound of a voice of four operators.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    /// How the operators are connected: 4 is two pairs.
    algorithm: u8,
    feedback: u8,
    multiples: [u8; 4],
    /// 0 is loudest.
    levels: [u8; 4],
    attack: u8,
    decay: u8,
    release: u8,
}

impl Patch {
    /// A patch of chance within what sounds well.
    pub fn new(dice: &mut Dice, bass: bool) -> Self {
        let brightness = 24 + dice.below(16) as u8;
        let carrier = if bass { 12 } else { 20 };
        Patch {
            algorithm: 4,
            feedback: dice.below(6) as u8,
            multiples: [*dice.pick(&[1, 2, 3]), 1, *dice.pick(&[1, 1, 2, 4]), 1],
            levels: [brightness, carrier, brightness + 6, carrier],
            attack: 24 + dice.below(7) as u8,
            decay: 6 + dice.below(8) as u8,
            release: 6 + dice.below(5) as u8,
        }
    }

    /// Writes the patch to a voice of an OPN chip: `write(port, register, value)`.
    pub fn to_opn(self, voice: u8, mut write: impl FnMut(u8, u8, u8)) {
        let (port, channel) = (voice / 3, voice % 3);
        // The registers have the second and the third operator the other way round.
        for (slot, operator) in [0, 2, 1, 3].into_iter().enumerate() {
            let at = 4 * slot as u8 + channel;
            write(port, 0x30 + at, self.multiples[operator]);
            write(port, 0x40 + at, self.levels[operator]);
            write(port, 0x50 + at, self.attack);
            write(port, 0x60 + at, self.decay);
            write(port, 0x70 + at, 2);
            write(port, 0x80 + at, 0x30 | self.release);
            write(port, 0x90 + at, 0);
        }
        write(port, 0xb0 + channel, (self.feedback << 3) | self.algorithm);
        write(port, 0xb4 + channel, 0xc0);
    }

    /// Writes the patch to a voice of an OPM chip: `write(register, value)`.
    pub fn to_opm(self, voice: u8, mut write: impl FnMut(u8, u8)) {
        for (slot, operator) in [0, 2, 1, 3].into_iter().enumerate() {
            let at = 8 * slot as u8 + voice;
            write(0x40 + at, self.multiples[operator]);
            write(0x60 + at, self.levels[operator]);
            write(0x80 + at, self.attack);
            write(0xa0 + at, self.decay);
            write(0xc0 + at, 2);
            write(0xe0 + at, 0x30 | self.release);
        }
        write(0x20 + voice, 0xc0 | (self.feedback << 3) | self.algorithm);
        write(0x38 + voice, 0);
    }

    /// Writes the first pair of operators to a voice of an OPL chip.
    pub fn to_opl(self, voice: u8, mut write: impl FnMut(u8, u8)) {
        let slot = 8 * (voice / 3) + voice % 3;
        for (at, operator) in [(slot, 0), (slot + 3, 1)] {
            write(0x20 + at, 0x20 | self.multiples[operator]);
            write(0x40 + at, self.levels[operator] / 2);
            write(0x60 + at, ((self.attack / 2) << 4) | (self.decay / 2));
            write(0x80 + at, 0x20 | self.release);
        }
        write(0xc0 + voice, 0x30 | self.feedback << 1);
    }
}

/// The block and the number of a note's frequency, where the number has `bits` bits and a frame of
/// the chip has `divider` ticks of its clock. `shift` is the power of two by which the number of
/// block 0 counts.
pub fn block_and_number(pitch: u8, clock: u32, divider: u32, shift: u32, bits: u32) -> (u8, u16) {
    let hertz = centihertz(pitch);
    let mut block = 0;
    loop {
        let ticks = u64::from(clock) * 100;
        let number = (hertz * u64::from(divider) * (1 << (shift - block)) + ticks / 2) / ticks;
        if number < 1 << bits || block == 7 {
            return (block as u8, number.min((1 << bits) - 1) as u16);
        }
        block += 1;
    }
}

/// The key code and the fraction of a note on an OPM chip with a clock of 4 MHz: its table is for
/// 3,579,545 Hz, and 4 MHz is 1.92 half tones more.
pub fn opm_key(pitch: u8) -> (u8, u8) {
    /// The codes of the half tones from C sharp on: every fourth is left out.
    const CODES: [u8; 12] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14];
    // In sixty-fourths of a half tone from C sharp in octave 0, which is note 13.
    let place = u32::from(pitch.max(24) - 13) * 64 - 123;
    let semitone = place / 64;
    let code = (semitone / 12) << 4 | u32::from(CODES[semitone as usize % 12]);
    (code as u8, (place % 64) as u8)
}

/// Strikes or lets go a voice of an OPN chip.
pub fn opn_key(log: &mut Log, command: u8, voice: u8, on: bool) {
    let slots = if on { 0xf0 } else { 0 };
    log.command(&[command, 0x28, slots | ((voice / 3) << 2) | (voice % 3)]);
}
