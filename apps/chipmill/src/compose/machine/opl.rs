//! Machines with OPL chips: YM3812, YMF262.

use super::parts::{opm_voice, patches};
use super::{OPL2, OPL3, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::{Patch, block_and_number};
use crate::compose::log::Log;
use crate::compose::score::Note;

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
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, true);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            self.key(log, voice, note.pitch, false);
        }
    }
}
