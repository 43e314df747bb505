//! PC-98: YM2608.

use super::opn::OpnVoices;
use super::{OPNA, Voices};
use crate::compose::dice::Dice;
use crate::compose::log::Log;
use crate::compose::samples::{Kit, PCM_RATE};
use crate::compose::score::{Note, Part};

/// The command for the chip's second bank, which has the registers of ADPCM-B.
const BANK: u8 = 0x57;
/// The bytes of the unit in which addresses of 8-bit RAM are given.
const PAGE: u32 = 32;
/// The ticks of the clock for a frame.
const DIVIDER: u32 = 144;

/// FM, with drums of ADPCM-B: the chip's own drums need a ROM that is not ours to ship.
pub struct Pc98 {
    kit: Kit,
    opn: OpnVoices,
}

impl Pc98 {
    pub fn new(dice: &mut Dice) -> Self {
        Pc98 {
            kit: Kit::adpcm_b(dice),
            opn: OpnVoices {
                clock: OPNA.1,
                divider: DIVIDER,
                square_divider: 64,
                per_chip: 6,
                commands: &[0x56],
                fm: [Some(0), Some(1), Some(2), Some(3), Some(4)],
            },
        }
    }
}

impl Voices for Pc98 {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        log.memory(0x81, &self.kit.data);
        self.opn.set_up(log, dice);
        // Both sides, 8-bit RAM, and no limit at which addresses wrap.
        log.command(&[BANK, 0x01, 0xc2]);
        log.command(&[BANK, 0x0c, 0xff]);
        log.command(&[BANK, 0x0d, 0xff]);
        let step = PCM_RATE * DIVIDER * 64 / (OPNA.1 / 1024);
        log.command(&[BANK, 0x09, step as u8]);
        log.command(&[BANK, 0x0a, (step >> 8) as u8]);
        log.command(&[BANK, 0x0b, 0x90]);
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        let Part::Drum(drum) = note.part else {
            return self.opn.on(log, note);
        };
        let place = self.kit.place(drum);
        let (first, last) = (place.start / PAGE, (place.start + place.len - 1) / PAGE);
        log.command(&[BANK, 0x00, 0x01]);
        log.command(&[BANK, 0x02, first as u8]);
        log.command(&[BANK, 0x03, (first >> 8) as u8]);
        log.command(&[BANK, 0x04, last as u8]);
        log.command(&[BANK, 0x05, (last >> 8) as u8]);
        // Start, from memory.
        log.command(&[BANK, 0x00, 0xa0]);
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        self.opn.off(log, note);
    }
}
