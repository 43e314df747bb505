//! An arcade cabinet with a YM2610.

use super::opn::OpnVoices;
use super::{OPNB, Voices};
use crate::compose::adpcm;
use crate::compose::dice::Dice;
use crate::compose::log::Log;
use crate::compose::samples::{Kit, STRING_WAVE, string};
use crate::compose::score::{Drum, Note, Part, centihertz};

/// The commands for the chip's banks: FM, square waves and ADPCM-B; the other FM and ADPCM-A.
const BANK: u8 = 0x58;
const DRUMS: u8 = 0x59;
/// The bytes of the unit in which addresses of samples are given.
const PAGE: u32 = 256;
/// The ticks of the clock for a frame.
const DIVIDER: u32 = 144;

/// FM, with drums of ADPCM-A, and the lowest notes of chords by a string of ADPCM-B.
pub struct Arcade {
    kit: Kit,
    string: Vec<u8>,
    opn: OpnVoices,
}

impl Arcade {
    pub fn new(dice: &mut Dice) -> Self {
        Arcade {
            kit: Kit::adpcm_a(dice),
            string: adpcm::adpcm_b(&string()),
            opn: OpnVoices {
                clock: OPNB.1,
                divider: DIVIDER,
                square_divider: 64,
                per_chip: 6,
                commands: &[BANK],
                // The first and the fourth voice have no output.
                fm: [Some(1), None, Some(2), Some(4), Some(5)],
            },
        }
    }
}

impl Voices for Arcade {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        log.memory(0x82, &self.kit.data);
        log.memory(0x83, &self.string);
        self.opn.set_up(log, dice);
        log.command(&[DRUMS, 0x01, 0x3f]);
        for drum in [Drum::Kick, Drum::Snare, Drum::Hat] {
            let (voice, place) = (drum as u8, self.kit.place(drum));
            let (first, last) = (place.start / PAGE, (place.start + place.len - 1) / PAGE);
            log.command(&[DRUMS, 0x08 + voice, 0xda]);
            log.command(&[DRUMS, 0x10 + voice, first as u8]);
            log.command(&[DRUMS, 0x18 + voice, (first >> 8) as u8]);
            log.command(&[DRUMS, 0x20 + voice, last as u8]);
            log.command(&[DRUMS, 0x28 + voice, (last >> 8) as u8]);
        }
        // The string: both sides, from page 0 to its last whole page, rather soft.
        let last = self.string.len() as u32 / PAGE - 1;
        for (register, value) in [(0x11, 0xc0), (0x12, 0), (0x13, 0), (0x14, last as u8)] {
            log.command(&[BANK, register, value]);
        }
        log.command(&[BANK, 0x15, (last >> 8) as u8]);
        log.command(&[BANK, 0x1b, 0x50]);
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        match note.part {
            Part::Drum(drum) => log.command(&[DRUMS, 0x00, 1 << drum as u8]),
            Part::Chord(0) => {
                let step = string_step(note.pitch);
                log.command(&[BANK, 0x10, 0x01]);
                log.command(&[BANK, 0x19, step as u8]);
                log.command(&[BANK, 0x1a, (step >> 8) as u8]);
                log.command(&[BANK, 0x10, 0x80]);
            }
            _ => self.opn.on(log, note),
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        match note.part {
            Part::Chord(0) => log.command(&[BANK, 0x10, 0x01]),
            _ => self.opn.off(log, note),
        }
    }
}

/// How far the string goes in a frame, in parts of which a sample has 65,536.
fn string_step(pitch: u8) -> u16 {
    let samples = centihertz(pitch) * u64::from(STRING_WAVE);
    let step = samples * u64::from(DIVIDER) * 65_536 / (u64::from(OPNB.1) * 100);
    step.min(u64::from(u16::MAX)) as u16
}
