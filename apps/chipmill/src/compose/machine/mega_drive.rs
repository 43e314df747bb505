//! Mega Drive: YM2612 and SN76489.

use super::parts::{fm_voice, patches};
use super::{OPN2, SN, Voices};
use crate::compose::dice::Dice;
use crate::compose::fm::{block_and_number, opn_key};
use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::samples::{Kit, PCM_RATE};
use crate::compose::score::{Drum, Note, Part, TICKS};
use crate::song::LOG_RATE;

/// The samples of the log for each byte of PCM, and the bytes of a tick.
const PCM_SAMPLES: u8 = (LOG_RATE / PCM_RATE) as u8;
const PCM_TICK: u32 = PCM_RATE / TICKS;

/// The voices of a Mega Drive.
pub struct MegaDrive {
    kit: Kit,
    /// The bytes of a drum that go to the DAC with the ticks.
    drum: Option<(u32, u32)>,
}

impl MegaDrive {
    pub fn new(dice: &mut Dice) -> Self {
        MegaDrive {
            kit: Kit::pcm(dice),
            drum: None,
        }
    }

    fn square(log: &mut Log, channel: u8, period: u16, attenuation: u8) {
        let latch = 0x80 | channel << 5;
        log.command(&[0x50, latch | (period & 15) as u8]);
        log.command(&[0x50, (period >> 4) as u8]);
        log.command(&[0x50, latch | 0x10 | attenuation]);
    }

    fn attenuate(log: &mut Log, channel: u8, attenuation: u8) {
        log.command(&[0x50, 0x90 | channel << 5 | attenuation]);
    }
}

impl Voices for MegaDrive {
    fn set_up(&mut self, log: &mut Log, dice: &mut Dice) {
        // A stream plays one of the blocks.
        self.kit.drums().for_each(|drum| log.block(0, drum));
        (0..4).for_each(|channel| Self::attenuate(log, channel, 15));
        // White noise of the highest pitch.
        log.command(&[0x50, 0xe4]);
        log.command(&[0x52, 0x2b, 0x80]);
        // Stream 0: the DAC of the YM2612, from bank 0.
        log.command(&[0x90, 0, 0x02, 0, 0x2a]);
        log.command(&[0x91, 0, 0, 1, 0]);
        log.command(&[0x92, 0]);
        log.command(&PCM_RATE.to_le_bytes());
        for (voice, patch) in (0..).zip(patches(dice)) {
            patch.to_opn(voice, |port, register, value| {
                log.command(&[0x52 + port, register, value]);
            });
        }
    }

    fn on(&mut self, log: &mut Log, note: &Note) {
        if let Some(voice) = fm_voice(note.part) {
            let (block, number) = block_and_number(note.pitch, OPN2.1, 144, 21, 11);
            let (command, channel) = (0x52 + voice / 3, voice % 3);
            log.command(&[command, 0xa4 + channel, block << 3 | (number >> 8) as u8]);
            log.command(&[command, 0xa0 + channel, number as u8]);
            opn_key(log, 0x52, voice, true);
        }
        match note.part {
            Part::Arpeggio => Self::square(log, 0, period(note.pitch, SN.1, 32, 1023), 5),
            Part::Drum(Drum::Hat) => Self::attenuate(log, 3, 6),
            // The snare by bytes between the waits, the kick by a stream.
            Part::Drum(Drum::Snare) => {
                log.command(&[0x94, 0]);
                let place = self.kit.place(Drum::Snare);
                self.drum = Some((place.start, place.start + place.len));
            }
            Part::Drum(Drum::Kick) => {
                self.drum = None;
                log.command(&[0x95, 0, Drum::Kick as u8, 0, 0]);
            }
            _ => {}
        }
    }

    fn off(&mut self, log: &mut Log, note: &Note) {
        match (fm_voice(note.part), note.part) {
            (Some(voice), _) => opn_key(log, 0x52, voice, false),
            (None, Part::Arpeggio) => Self::attenuate(log, 0, 15),
            (None, Part::Drum(Drum::Hat)) => Self::attenuate(log, 3, 15),
            _ => {}
        }
    }

    fn tick(&mut self, log: &mut Log) {
        let Some((from, end)) = self.drum else {
            return log.wait(1);
        };
        let bytes = PCM_TICK.min(end - from);
        log.dac(from, bytes, PCM_SAMPLES);
        let rest = (PCM_TICK - bytes) * u32::from(PCM_SAMPLES);
        if rest > 0 {
            log.wait_samples(rest as u16);
        }
        self.drum = (from + bytes < end).then_some((from + bytes, end));
    }
}
