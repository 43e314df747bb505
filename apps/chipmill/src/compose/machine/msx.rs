//! MSX: YM2413 and AY8910.

use super::parts::fm_voice;
use super::{AY, OPLL, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::block_and_number;
use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::score::{Drum, Note, Part};

/// YM2413 with the patches that it has, and AY8910.
pub struct Msx;

impl Msx {
    fn key(log: &mut Log, voice: u8, pitch: u8, on: bool) {
        let (block, number) = block_and_number(pitch, OPLL.1, 72, 19, 9);
        let key = if on { 0x10 } else { 0 };
        log.command(&[0x51, 0x10 + voice, number as u8]);
        log.command(&[0x51, 0x20 + voice, key | block << 1 | (number >> 8) as u8]);
    }
}

impl Voices for Msx {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        for voice in 0..5 {
            let patch = *dice.pick(&[1, 3, 4, 5, 7, 12]);
            log.command(&[0x51, 0x30 + voice, patch << 4 | 2]);
        }
        // Tone on the first square wave, noise on the third.
        log.command(&[0xa0, 0x07, 0b01_1110]);
        log.command(&[0xa0, 0x06, 4]);
        (0x08..0x0b).for_each(|level| log.command(&[0xa0, level, 0]));
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, true);
        }
        match note.part {
            Part::Arpeggio => {
                let period = period(note.pitch, AY.1, 16, 0xfff);
                log.command(&[0xa0, 0x00, period as u8]);
                log.command(&[0xa0, 0x01, (period >> 8) as u8]);
                log.command(&[0xa0, 0x08, 11]);
            }
            Part::Drum(Drum::Snare | Drum::Hat) => log.command(&[0xa0, 0x0a, 11]),
            _ => {}
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, false);
        }
        match note.part {
            Part::Arpeggio => log.command(&[0xa0, 0x08, 0]),
            Part::Drum(_) => log.command(&[0xa0, 0x0a, 0]),
            _ => {}
        }
    }
}
