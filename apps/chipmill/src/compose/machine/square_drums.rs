//! Drums of a chip with three square waves: AY8910, and YM2203 behind its FM.

use crate::compose::log::Log;
use crate::compose::psg::period;
use crate::compose::score::Drum;

/// Tones on the first two channels, noise on the third.
const MIXER: u8 = 0b01_1100;
/// The registers of the levels: of the kick's channel, and of the other drums' one.
const KICK: u8 = 0x09;
const NOISE: u8 = 0x0a;
/// The note of a kick.
const KICK_PITCH: u8 = 36;

/// The second channel plays the kick and the third one the others. The first one is free.
pub struct SquareDrums {
    /// The command that writes to a register of the chip.
    command: u8,
    /// The period of the kick's wave.
    kick: u16,
    /// The drum that sounds: the register of its level, the level, and how much it falls in a tick.
    fading: Option<(u8, u8, u8)>,
}

impl SquareDrums {
    /// The drums of a chip with this clock, in hertz, of which a step of a wave's period has
    /// `divider` ticks.
    pub fn new(command: u8, clock: u32, divider: u32) -> Self {
        SquareDrums {
            command,
            kick: period(KICK_PITCH, clock, divider, 0xfff),
            fading: None,
        }
    }

    /// Writes what has to be there before the first drum, and silences all channels.
    pub fn set_up(&self, log: &mut Log) {
        self.write(log, 0x07, MIXER);
        (0x08..0x0b).for_each(|level| self.write(log, level, 0));
        self.write(log, 0x02, self.kick as u8);
        self.write(log, 0x03, (self.kick >> 8) as u8);
    }

    /// Strikes a drum, which ends the one before. It fades out by itself.
    pub fn strike(&mut self, log: &mut Log, drum: Drum) {
        if let Some((register, _, _)) = self.fading {
            self.write(log, register, 0);
        }
        let (register, level, fall) = match drum {
            Drum::Kick => (KICK, 13, 1),
            Drum::Snare => (NOISE, 12, 1),
            Drum::Hat => (NOISE, 10, 2),
        };
        match drum {
            Drum::Kick => {}
            Drum::Snare => self.write(log, 0x06, 12),
            Drum::Hat => self.write(log, 0x06, 2),
        }
        self.write(log, register, level);
        self.fading = Some((register, level, fall));
    }

    /// Makes the drum that sounds softer. It is called once in a tick.
    pub fn fade(&mut self, log: &mut Log) {
        let Some((register, level, fall)) = self.fading else {
            return;
        };
        let level = level.saturating_sub(fall);
        self.write(log, register, level);
        self.fading = (level > 0).then_some((register, level, fall));
    }

    fn write(&self, log: &mut Log, register: u8, value: u8) {
        log.command(&[self.command, register, value]);
    }
}
