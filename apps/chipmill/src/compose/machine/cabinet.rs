//! An arcade cabinet with two YM2203.

use super::opn::OpnVoices;
use super::square_drums::SquareDrums;
use super::{OPN, Voices};
use crate::compose::dice::Dice;
use crate::compose::log::Log;
use crate::compose::score::{Note, Part};

/// The commands of both chips.
const CHIPS: &[u8] = &[0x55, 0xa5];
/// The ticks of the clock for a step of a square wave's period.
const SQUARE_DIVIDER: u32 = 32;

/// FM of both chips, arpeggios of the first one's square waves, drums of the second one's.
pub struct Cabinet {
    opn: OpnVoices,
    drums: SquareDrums,
}

impl Cabinet {
    pub fn new() -> Self {
        Cabinet {
            opn: OpnVoices {
                clock: OPN.1,
                divider: 72,
                square_divider: SQUARE_DIVIDER,
                per_chip: 3,
                commands: CHIPS,
                fm: [Some(0), Some(1), Some(2), Some(3), Some(4)],
            },
            drums: SquareDrums::new(CHIPS[1], OPN.1, SQUARE_DIVIDER),
        }
    }
}

impl Voices for Cabinet {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        self.opn.set_up(log, dice);
        self.drums.set_up(log);
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        match note.part {
            Part::Drum(drum) => self.drums.strike(log, drum),
            _ => self.opn.on(log, note),
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        self.opn.off(log, note);
    }

    fn tick(&mut self, log: &mut Log) {
        log.wait(1);
        self.drums.fade(log);
    }
}
