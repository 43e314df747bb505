//! Machines with OPN chips: YM2203, YM2608, YM2610.

use super::parts::{fm_voice, patches};
use super::{OPN, OPNA, OPNB, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::{block_and_number, opn_key};
use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::samples::Kit;
use crate::compose::score::{Drum, Note, Part};

/// The voices of OPN chips: FM, and square waves behind them.
pub struct OpnVoices {
    clock: u32,
    /// The ticks of the clock for a frame of FM, and for a step of a square wave's period.
    divider: u32,
    square_divider: u32,
    /// How many FM voices a chip has.
    per_chip: u8,
    /// The command for a bank of registers of a chip: the first chip's, the second one's.
    commands: [u8; 2],
}

impl OpnVoices {
    pub fn opna() -> Self {
        OpnVoices {
            clock: OPNA.1,
            divider: 144,
            square_divider: 64,
            per_chip: 6,
            commands: [0x56, 0x56],
        }
    }

    pub fn two_opn() -> Self {
        OpnVoices {
            clock: OPN.1,
            divider: 72,
            square_divider: 64,
            per_chip: 3,
            commands: [0x55, 0xa5],
        }
    }

    fn opnb() -> Self {
        OpnVoices {
            clock: OPNB.1,
            divider: 144,
            square_divider: 64,
            per_chip: 6,
            commands: [0x58, 0x58],
        }
    }

    /// The command of the chip of a voice, and the voice in it.
    fn of(&self, voice: u8) -> (u8, u8) {
        let chip = voice / self.per_chip;
        (self.commands[usize::from(chip)], voice % self.per_chip)
    }

    /// The FM voices of this chip that sound: the YM2610 has the first and the fourth of neither.
    fn fm(&self, part: Part) -> Option<u8> {
        let voice = fm_voice(part)?;
        match self.commands[0] {
            0x58 => [1, 2, 4, 5]
                .get(usize::from(voice.saturating_sub(u8::from(voice > 1))))
                .copied(),
            _ => Some(voice),
        }
    }
}

impl Voices for OpnVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        if self.per_chip == 6 {
            // All six voices.
            log.command(&[self.commands[0], 0x29, 0x80]);
        }
        for command in self.commands {
            // Tones on all square waves, noise on none.
            log.command(&[command, 0x07, 0x38]);
            (0x08..0x0b).for_each(|level| log.command(&[command, level, 0]));
        }
        let parts = [
            Part::Bass,
            Part::Chord(0),
            Part::Chord(1),
            Part::Chord(2),
            Part::Melody,
        ];
        for (part, patch) in parts.into_iter().zip(patches(dice)) {
            let Some(voice) = self.fm(part) else {
                continue;
            };
            let (command, voice) = self.of(voice);
            patch.to_opn(voice, |port, register, value| {
                log.command(&[command + port, register, value]);
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
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
            let divider = self.square_divider / if self.per_chip == 3 { 2 } else { 1 };
            let period = period(note.pitch, self.clock, divider, 0xfff);
            log.command(&[command, 0x00, period as u8]);
            log.command(&[command, 0x01, (period >> 8) as u8]);
            log.command(&[command, 0x08, 11]);
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = self.fm(note.part) {
            let (command, voice) = self.of(voice);
            opn_key(log, command, voice, false);
        }
        if note.part == Part::Arpeggio {
            log.command(&[self.commands[0], 0x08, 0]);
        }
    }
}

/// YM2610: as the other OPN chips, with drums of ADPCM-A.
pub struct OpnbVoices {
    kit: Kit,
    fm: OpnVoices,
}

impl OpnbVoices {
    pub fn new(dice: &mut Dice) -> Self {
        OpnbVoices {
            kit: Kit::adpcm_a(dice),
            fm: OpnVoices::opnb(),
        }
    }
}

impl Voices for OpnbVoices {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        log.memory(0x82, &self.kit.data);
        self.fm.set_up(log, dice);
        log.command(&[0x59, 0x01, 0x3f]);
        for drum in [Drum::Kick, Drum::Snare, Drum::Hat] {
            let (voice, place) = (drum as u8, self.kit.place(drum));
            let (first, last) = (place.start / 256, (place.start + place.len - 1) / 256);
            log.command(&[0x59, 0x08 + voice, 0xda]);
            log.command(&[0x59, 0x10 + voice, first as u8]);
            log.command(&[0x59, 0x18 + voice, (first >> 8) as u8]);
            log.command(&[0x59, 0x20 + voice, last as u8]);
            log.command(&[0x59, 0x28 + voice, (last >> 8) as u8]);
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        match note.part {
            Part::Drum(drum) => log.command(&[0x59, 0x00, 1 << drum as u8]),
            _ => self.fm.on(log, note),
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        self.fm.off(log, note);
    }
}
