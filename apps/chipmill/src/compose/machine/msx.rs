//! MSX: YM2413 and AY8910.

use super::parts::fm_voice;
use super::square_drums::SquareDrums;
use super::{AY, OPLL, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::block_and_number;
use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::score::{Note, Part};

/// The ticks of the AY8910's clock for a step of a wave's period.
const DIVIDER: u32 = 16;

/// YM2413 with the patches that it has, and AY8910.
pub struct Msx {
    drums: SquareDrums,
}

impl Msx {
    pub fn new() -> Self {
        Msx {
            drums: SquareDrums::new(0xa0, AY.1, DIVIDER),
        }
    }

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
        self.drums.set_up(log);
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, true);
        }
        match note.part {
            Part::Arpeggio => {
                let period = period(note.pitch, AY.1, DIVIDER, 0xfff);
                log.command(&[0xa0, 0x00, period as u8]);
                log.command(&[0xa0, 0x01, (period >> 8) as u8]);
                log.command(&[0xa0, 0x08, 11]);
            }
            Part::Drum(drum) => self.drums.strike(log, drum),
            _ => {}
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            Self::key(log, voice, note.pitch, false);
        }
        if note.part == Part::Arpeggio {
            log.command(&[0xa0, 0x08, 0]);
        }
    }

    fn tick(&mut self, log: &mut Log) {
        log.wait(1);
        self.drums.fade(log);
    }
}
