//! X68000: YM2151 and OKIM6258.

use super::parts::{opm_voice, patches};
use super::{OKI, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::{Patch, opm_key};
use crate::compose::log::Log;
use crate::compose::samples::Kit;
use crate::compose::score::{Note, Part};

/// The voices of an X68000.
pub struct X68000 {
    kit: Kit,
}

impl X68000 {
    pub fn new(dice: &mut Dice) -> Self {
        X68000 {
            kit: Kit::oki(dice),
        }
    }
}

impl Voices for X68000 {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        // A stream plays one of the blocks.
        self.kit.drums().for_each(|drum| log.block(4, drum));
        // Stream 0: the data register of the OKIM6258, from bank 4. A byte has two samples.
        log.command(&[0x90, 0, 0x17, 0, 0x01]);
        log.command(&[0x91, 0, 4, 1, 0]);
        log.command(&[0x92, 0]);
        log.command(&(OKI.1 / 512 / 2).to_le_bytes());
        for (voice, patch) in (0..).zip(patches(dice).into_iter().chain([Patch::new(dice, false)]))
        {
            patch.to_opm(voice, |register, value| {
                log.command(&[0x54, register, value])
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            let (code, fraction) = opm_key(note.pitch);
            log.command(&[0x54, 0x28 + voice, code]);
            log.command(&[0x54, 0x30 + voice, fraction << 2]);
            log.command(&[0x54, 0x08, 0x78 | voice]);
        }
        if let Part::Drum(drum) = note.part {
            // Stop, play, and the bytes.
            log.command(&[0xb7, 0x00, 0x01]);
            log.command(&[0xb7, 0x00, 0x02]);
            log.command(&[0x95, 0, drum as u8, 0, 0]);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = opm_voice(note.part) {
            log.command(&[0x54, 0x08, voice]);
        }
    }
}
