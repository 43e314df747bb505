//! Which voices are struck, as the writes to a chip's registers say it.

mod names;
#[cfg(test)]
mod tests;

use crate::song::{ChipKind, ChipSpec, RegisterWrite};

/// A voice that is struck or let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEvent {
    /// The voice, counted through all chips of the machine.
    pub voice: usize,
    /// Whether it is struck.
    pub on: bool,
}

/// The voices of a song's machine.
#[derive(Debug, Default)]
pub struct Voices {
    chips: Vec<ChipVoices>,
}

#[derive(Debug)]
struct ChipVoices {
    kind: ChipKind,
    /// The first of its voices.
    first: usize,
    /// What each voice was told last: the bits of its key, or how loud it is. 0 is silence.
    last: Vec<u8>,
    /// The register that an SN76489 goes on to write.
    latched: u8,
    dac: Dac,
}

/// The DAC of a YM2612. It has no key: it sounds while its bytes differ.
#[derive(Debug)]
struct Dac {
    is_enabled: bool,
    byte: u8,
    sounds: bool,
    /// Whether its bytes have differed since [`Voices::pass`].
    has_moved: bool,
}

impl Default for Dac {
    fn default() -> Self {
        Dac {
            is_enabled: false,
            byte: 0x80,
            sounds: false,
            has_moved: false,
        }
    }
}

/// The places of voices behind those of FM.
const OPL_DRUMS: u8 = 9;
const OPL3_DRUMS: u8 = 18;
const Y8950_ADPCM: u8 = 14;
const YMF278B_PCM: u8 = 23;
const YM2612_DAC: u8 = 6;
const YM2608_ADPCM_B: u8 = 9;

/// The level of a square wave that follows the chip's envelope.
const BY_ENVELOPE: u8 = 0x10;

impl Voices {
    /// The voices of these chips.
    pub fn new(chips: &[ChipSpec]) -> Self {
        let mut total = 0;
        let chips = chips
            .iter()
            .map(|chip| {
                let first = total;
                let count = names::of(chip.kind).count();
                total += count;
                ChipVoices {
                    kind: chip.kind,
                    first,
                    last: vec![0; count],
                    latched: 0,
                    dac: Dac::default(),
                }
            })
            .collect();
        Voices { chips }
    }

    /// The names of the voices: the chip's, and the name of the voice in it.
    pub fn names(&self) -> Vec<String> {
        let of_chip = |chip: &ChipVoices| names::of(chip.kind);
        self.chips.iter().flat_map(of_chip).collect()
    }

    /// What a write strikes or lets go, told one by one.
    pub fn write(&mut self, write: RegisterWrite, mut each: impl FnMut(KeyEvent)) {
        let Some(chip) = self.chips.get_mut(usize::from(write.chip)) else {
            return;
        };
        let first = chip.first;
        chip.write(write, &mut |voice, on| {
            each(KeyEvent {
                voice: first + usize::from(voice),
                on,
            });
        });
    }

    /// A block of frames has passed: a DAC whose bytes were all the same in it is silent.
    pub fn pass(&mut self, mut each: impl FnMut(KeyEvent)) {
        for chip in &mut self.chips {
            if chip.dac.sounds && !chip.dac.has_moved {
                chip.dac.sounds = false;
                each(KeyEvent {
                    voice: chip.first + usize::from(YM2612_DAC),
                    on: false,
                });
            }
            chip.dac.has_moved = false;
        }
    }

    /// Some of the song is left out, with writes that are not told. All voices are let go, and a
    /// DAC that gets bytes is believed to sound.
    pub fn skip(&mut self) {
        for chip in &mut self.chips {
            chip.last.fill(0);
            chip.dac = Dac {
                is_enabled: true,
                ..Dac::default()
            };
        }
    }
}

impl ChipVoices {
    fn write(&mut self, write: RegisterWrite, each: &mut dyn FnMut(u8, bool)) {
        let RegisterWrite {
            port,
            register,
            value,
            ..
        } = write;
        match self.kind {
            ChipKind::Sn76489(_) if port == 0 => {
                // A byte with the highest bit says the register; those without go on with it.
                if value & 0x80 != 0 {
                    self.latched = value >> 4 & 7;
                }
                // Every second register is an attenuation, of which 15 is silence.
                if self.latched & 1 == 1 {
                    self.level(self.latched >> 1, 15 - (value & 15), each);
                }
            }
            ChipKind::Sn76489(_) => {}
            ChipKind::Ym2413 => match register {
                0x20..0x29 => self.key(register - 0x20, value & 0x10, each),
                0x0e => self.drums(OPL_DRUMS, value, each),
                _ => {}
            },
            ChipKind::Ym3812 | ChipKind::Ym3526 | ChipKind::Y8950 => match register {
                0xb0..0xb9 => self.key(register - 0xb0, value & 0x20, each),
                0xbd => self.drums(OPL_DRUMS, value, each),
                0x07 if self.kind == ChipKind::Y8950 => adpcm_b(Y8950_ADPCM, value, each),
                _ => {}
            },
            ChipKind::Ymf262 => self.opl3(port & 1, register, value, each),
            ChipKind::Ymf278B => match (port & 3, register) {
                (2, 0x68..0x80) => {
                    self.key(YMF278B_PCM + register - 0x68, value & 0x80, each);
                }
                (port, _) if port < 2 => self.opl3(port, register, value, each),
                _ => {}
            },
            ChipKind::Ym2151 if register == 0x08 => self.key(value & 7, value & 0x78, each),
            ChipKind::Ym2151 => {}
            ChipKind::Ym2612
            | ChipKind::Ym2203
            | ChipKind::Ym2608
            | ChipKind::Ym2610
            | ChipKind::Ym2610B => self.opn(port & 1, register, value, each),
            ChipKind::Ay8910 => self.square(0, register, value, each),
            // Bit 1 plays, bit 0 stops.
            ChipKind::Okim6258 { .. } if register == 0 => each(0, value & 3 == 2),
            ChipKind::Okim6258 { .. } => {}
        }
    }

    fn opl3(&mut self, port: u8, register: u8, value: u8, each: &mut dyn FnMut(u8, bool)) {
        match (port, register) {
            (_, 0xb0..0xb9) => self.key(9 * port + register - 0xb0, value & 0x20, each),
            (0, 0xbd) => self.drums(OPL3_DRUMS, value, each),
            _ => {}
        }
    }

    fn opn(&mut self, port: u8, register: u8, value: u8, each: &mut dyn FnMut(u8, bool)) {
        use ChipKind::{Ym2203, Ym2608, Ym2610, Ym2610B, Ym2612};
        /// The FM voices of a YM2610 that have an output, by their number in the register.
        const OF_YM2610: [Option<u8>; 6] = [None, Some(0), Some(1), None, Some(2), Some(3)];
        match (self.kind, port, register) {
            // A YM2203 has one bank of registers.
            (Ym2203, _, 0x28) if value & 7 < 3 => self.key(value & 3, value & 0xf0, each),
            (Ym2203, _, _) => self.square(3, register, value, each),
            (kind, 0, 0x28) if value & 3 != 3 => {
                // Three voices for each bank.
                let voice = (value & 3) + if value & 4 != 0 { 3 } else { 0 };
                let voice = match kind {
                    Ym2610 => OF_YM2610[usize::from(voice)],
                    _ => Some(voice),
                };
                if let Some(voice) = voice {
                    self.key(voice, value & 0xf0, each);
                }
            }
            (Ym2612, 0, 0x2a) => self.dac(value, each),
            (Ym2612, 0, 0x2b) => self.enable_dac(value & 0x80 != 0, each),
            (Ym2612, _, _) => {}
            (Ym2608, 1, 0x00) => adpcm_b(YM2608_ADPCM_B, value, each),
            (Ym2608, 0, _) => self.square(6, register, value, each),
            (Ym2610 | Ym2610B, _, _) => {
                let square = if self.kind == Ym2610 { 4 } else { 6 };
                let (adpcm_a, adpcm_b_voice) = (square + 3, square + 9);
                match (port, register) {
                    (0, 0x10) => adpcm_b(adpcm_b_voice, value & !RECORD, each),
                    (0, _) => self.square(square, register, value, each),
                    // A bit for each voice; the highest one lets them go.
                    (_, 0x00) => {
                        for voice in (0..6).filter(|voice| value >> voice & 1 == 1) {
                            each(adpcm_a + voice, value & 0x80 == 0);
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The three square waves of a chip that has this part, from the voice `first` on.
    fn square(&mut self, first: u8, register: u8, value: u8, each: &mut dyn FnMut(u8, bool)) {
        match register {
            0x08..0x0b => {
                let level = match value & BY_ENVELOPE {
                    0 => value & 15,
                    by_envelope => by_envelope,
                };
                self.level(first + register - 0x08, level, each);
            }
            // The envelope begins again.
            0x0d => {
                for voice in first..first + 3 {
                    if self.last[usize::from(voice)] == BY_ENVELOPE {
                        each(voice, true);
                    }
                }
            }
            _ => {}
        }
    }

    /// The five drums of an OPL, from the highest bit to the lowest, which sound in rhythm mode.
    fn drums(&mut self, first: u8, value: u8, each: &mut dyn FnMut(u8, bool)) {
        let keys = if value & 0x20 != 0 { value & 0x1f } else { 0 };
        for drum in 0..5 {
            self.key(first + drum, keys & 0x10 >> drum, each);
        }
    }

    /// A key whose bits are these. It strikes with a bit that was not there: a chip takes no notice
    /// of one that is pressed already.
    fn key(&mut self, voice: u8, bits: u8, each: &mut dyn FnMut(u8, bool)) {
        let last = std::mem::replace(&mut self.last[usize::from(voice)], bits);
        if bits & !last != 0 {
            each(voice, true);
        } else if bits == 0 && last != 0 {
            each(voice, false);
        }
    }

    /// A voice without a key is this loud. It strikes when it becomes louder, and not with each
    /// step in which a program lets it fade out.
    fn level(&mut self, voice: u8, level: u8, each: &mut dyn FnMut(u8, bool)) {
        let last = std::mem::replace(&mut self.last[usize::from(voice)], level);
        if level > last {
            each(voice, true);
        } else if level == 0 && last != 0 {
            each(voice, false);
        }
    }

    fn dac(&mut self, byte: u8, each: &mut dyn FnMut(u8, bool)) {
        let dac = &mut self.dac;
        let differs = byte != dac.byte;
        dac.byte = byte;
        if dac.is_enabled && differs {
            dac.has_moved = true;
            if !dac.sounds {
                dac.sounds = true;
                each(YM2612_DAC, true);
            }
        }
    }

    fn enable_dac(&mut self, is_enabled: bool, each: &mut dyn FnMut(u8, bool)) {
        self.dac.is_enabled = is_enabled;
        if !is_enabled && self.dac.sounds {
            self.dac.sounds = false;
            each(YM2612_DAC, false);
        }
    }
}

/// The bit with which the memory of an ADPCM-B voice is filled, and nothing sounds.
const RECORD: u8 = 0x40;

/// The register with which ADPCM-B begins, each time that its highest bit is written.
fn adpcm_b(voice: u8, value: u8, each: &mut dyn FnMut(u8, bool)) {
    // Bit 0 ends what has begun.
    each(voice, value & (0x80 | RECORD | 1) == 0x80);
}
