//! Machines with OPL chips: YM3812, YMF262.

use super::parts::{opm_voice, patches};
use super::{OPL2, OPL3, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::{Patch, block_and_number};
use crate::compose::log::Log;
use crate::compose::score::{Drum, Note, Part};

/// The bit of register 0xbd for the rhythm mode.
const RHYTHM: u8 = 0x20;

/// The voices of OPL chips.
pub struct OplVoices {
    command: u8,
    clock: u32,
    divider: u32,
    is_opl3: bool,
}

impl OplVoices {
    pub fn opl2() -> Self {
        OplVoices {
            command: 0x5a,
            clock: OPL2.1,
            divider: 72,
            is_opl3: false,
        }
    }

    pub fn opl3() -> Self {
        OplVoices {
            command: 0x5e,
            clock: OPL3.1,
            divider: 288,
            is_opl3: true,
        }
    }

    /// Turns the last three voices into drums, of which each operator is one.
    fn set_up_drums(&self, log: &mut Log) {
        /// The operators: two of the kick, then hat and snare. Of each: its place, the multiple of
        /// its voice's frequency, its level (0 is loudest), attack and decay, sustain and release.
        const OPERATORS: [[u8; 5]; 4] = [
            [0x10, 0x00, 0x14, 0xf6, 0xf8],
            [0x13, 0x00, 0x06, 0xf6, 0xf8],
            [0x11, 0x01, 0x10, 0xf8, 0xfa],
            [0x14, 0x01, 0x0c, 0xf7, 0xf9],
        ];
        for [place, multiple, level, attack, sustain] in OPERATORS {
            log.command(&[self.command, 0x20 + place, multiple]);
            log.command(&[self.command, 0x40 + place, level]);
            log.command(&[self.command, 0x60 + place, attack]);
            log.command(&[self.command, 0x80 + place, sustain]);
        }
        for (voice, pitch) in [(6, 48), (7, 65), (8, 72)] {
            // Both sides of an OPL3.
            log.command(&[self.command, 0xc0 + voice, 0x30]);
            self.key(log, voice, pitch, false);
        }
        log.command(&[self.command, 0xbd, RHYTHM]);
    }

    fn key(&self, log: &mut Log, voice: u8, pitch: u8, on: bool) {
        let (block, number) = block_and_number(pitch, self.clock, self.divider, 20, 10);
        let key = if on { 0x20 } else { 0 };
        log.command(&[self.command, 0xa0 + voice, number as u8]);
        log.command(&[
            self.command,
            0xb0 + voice,
            key | block << 2 | (number >> 8) as u8,
        ]);
    }
}

impl Voices for OplVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        if self.is_opl3 {
            log.command(&[self.command + 1, 0x05, 1]);
        }
        let command = self.command;
        for (voice, patch) in (0..).zip(patches(dice).into_iter().chain([Patch::new(dice, false)]))
        {
            patch.to_opl(voice, |register, value| {
                log.command(&[command, register, value])
            });
        }
        self.set_up_drums(log);
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, true);
        }
        if let Part::Drum(drum) = note.part {
            let key = match drum {
                Drum::Kick => 0x10,
                Drum::Snare => 0x08,
                Drum::Hat => 0x01,
            };
            // The key goes up first, so that the drum is struck again.
            log.command(&[self.command, 0xbd, RHYTHM]);
            log.command(&[self.command, 0xbd, RHYTHM | key]);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, false);
        }
    }
}
