//! What the OPN chips have in common: FM, and square waves behind it.

use super::parts::patches;
use crate::compose::dice::Dice;
use crate::compose::fm::{block_and_number, opn_key};
use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::score::{Note, Part};

/// The voices of OPN chips.
pub struct OpnVoices {
    pub clock: u32,
    /// The ticks of the clock for a frame of FM, and for a step of a square wave's period.
    pub divider: u32,
    pub square_divider: u32,
    /// How many FM voices a chip has.
    pub per_chip: u8,
    /// The command for the first bank of registers of each chip.
    pub commands: &'static [u8],
    /// The FM voices of bass, chords and melody. Each chip has `per_chip` of them.
    pub fm: [Option<u8>; 5],
}

impl OpnVoices {
    /// The command of the chip of a voice, and the voice in it.
    fn of(&self, voice: u8) -> (u8, u8) {
        let chip = voice / self.per_chip;
        (self.commands[usize::from(chip)], voice % self.per_chip)
    }

    fn fm(&self, part: Part) -> Option<u8> {
        match part {
            Part::Bass => self.fm[0],
            Part::Chord(voice) => self.fm[1 + usize::from(voice)],
            Part::Melody => self.fm[4],
            Part::Arpeggio | Part::Drum(_) => None,
        }
    }

    /// Writes the patches, and tones on all square waves, which are silent.
    pub fn set_up(&self, log: &mut Log, dice: &mut Dice) {
        if self.per_chip == 6 {
            // All six voices.
            log.command(&[self.commands[0], 0x29, 0x80]);
        }
        for &command in self.commands {
            log.command(&[command, 0x07, 0x38]);
            (0x08..0x0b).for_each(|level| log.command(&[command, level, 0]));
        }
        for (voice, patch) in self.fm.into_iter().zip(patches(dice)) {
            let Some(voice) = voice else {
                continue;
            };
            let (command, voice) = self.of(voice);
            patch.to_opn(voice, |port, register, value| {
                log.command(&[command + port, register, value]);
            });
        }
    }

    /// Begins a note of the FM voices or of the first square wave.
    pub fn on(&self, log: &mut Log, note: &Note) {
        if let Some(voice) = self.fm(note.part) {
            let (block, number) = block_and_number(note.pitch, self.clock, self.divider, 21, 11);
            let (command, voice) = self.of(voice);
            let (port, channel) = (voice / 3, voice % 3);
            log.command(&[
                command + port,
                0xa4 + channel,
                block << 3 | (number >> 8) as u8,
            ]);
            log.command(&[command + port, 0xa0 + channel, number as u8]);
            opn_key(log, command, voice, true);
        }
        if note.part == Part::Arpeggio {
            let command = self.commands[0];
            let period = period(note.pitch, self.clock, self.square_divider, 0xfff);
            log.command(&[command, 0x00, period as u8]);
            log.command(&[command, 0x01, (period >> 8) as u8]);
            log.command(&[command, 0x08, 11]);
        }
    }

    /// Ends a note.
    pub fn off(&self, log: &mut Log, note: &Note) {
        if let Some(voice) = self.fm(note.part) {
            let (command, voice) = self.of(voice);
            opn_key(log, command, voice, false);
        }
        if note.part == Part::Arpeggio {
            log.command(&[self.commands[0], 0x08, 0]);
        }
    }
}
