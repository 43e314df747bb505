//! Which voices are struck, as the writes to a chip's registers say it.

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
    /// The register that an SN76489 goes on to write.
    latched: u8,
}

impl Voices {
    /// The voices of these chips.
    pub fn new(chips: &[ChipSpec]) -> Self {
        let mut total = 0;
        let chips = chips
            .iter()
            .map(|chip| {
                let first = total;
                total += usize::from(voices(chip.kind));
                ChipVoices {
                    kind: chip.kind,
                    first,
                    latched: 0,
                }
            })
            .collect();
        Voices { chips }
    }

    /// The names of the voices: the chip's, and the number of the voice in it.
    pub fn names(&self) -> Vec<String> {
        let of_chip = |chip: &ChipVoices| {
            let name = chip.kind.name();
            (1..=voices(chip.kind)).map(move |voice| format!("{name} {voice}"))
        };
        self.chips.iter().flat_map(of_chip).collect()
    }

    /// What a write strikes or lets go, told one by one.
    pub fn write(&mut self, write: RegisterWrite, mut each: impl FnMut(KeyEvent)) {
        let Some(chip) = self.chips.get_mut(usize::from(write.chip)) else {
            return;
        };
        let first = chip.first;
        chip.keys(write, |voice, on| {
            each(KeyEvent {
                voice: first + usize::from(voice),
                on,
            });
        });
    }
}

/// How many voices of a chip have keys.
fn voices(kind: ChipKind) -> u8 {
    match kind {
        ChipKind::Sn76489(_) => 4,
        ChipKind::Ym2413 | ChipKind::Ym3812 | ChipKind::Ym3526 | ChipKind::Y8950 => 9,
        ChipKind::Ym2151 => 8,
        ChipKind::Ym2203 => 6,
        ChipKind::Ym2608 => 9,
        ChipKind::Ym2610 | ChipKind::Ym2610B => 15,
        ChipKind::Ym2612 => 6,
        ChipKind::Ymf262 | ChipKind::Ymf278B => 18,
        ChipKind::Ay8910 => 3,
        ChipKind::Okim6258 { .. } => 1,
    }
}

impl ChipVoices {
    fn keys(&mut self, write: RegisterWrite, mut each: impl FnMut(u8, bool)) {
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
                    each(self.latched >> 1, value & 15 != 15);
                }
            }
            ChipKind::Ym2413 if (0x20..0x29).contains(&register) => {
                each(register - 0x20, value & 0x10 != 0);
            }
            ChipKind::Ym3812 | ChipKind::Ym3526 | ChipKind::Y8950
                if (0xb0..0xb9).contains(&register) =>
            {
                each(register - 0xb0, value & 0x20 != 0);
            }
            ChipKind::Ymf262 | ChipKind::Ymf278B
                if port < 2 && (0xb0..0xb9).contains(&register) =>
            {
                each(9 * port + register - 0xb0, value & 0x20 != 0);
            }
            ChipKind::Ym2151 if register == 0x08 => each(value & 7, value & 0x78 != 0),
            ChipKind::Ym2612
            | ChipKind::Ym2203
            | ChipKind::Ym2608
            | ChipKind::Ym2610
            | ChipKind::Ym2610B
                if port == 0 && register == 0x28 && value & 3 != 3 =>
            {
                // Three voices for each bank of registers.
                let voice = (value & 3) + if value & 4 != 0 { 3 } else { 0 };
                if self.kind != ChipKind::Ym2203 || voice < 3 {
                    each(voice, value & 0xf0 != 0);
                }
            }
            // The square waves behind the FM voices.
            ChipKind::Ym2203 if (0x08..0x0b).contains(&register) => {
                each(3 + register - 0x08, value & 0x1f != 0);
            }
            ChipKind::Ym2608 | ChipKind::Ym2610 | ChipKind::Ym2610B
                if port == 0 && (0x08..0x0b).contains(&register) =>
            {
                each(6 + register - 0x08, value & 0x1f != 0);
            }
            // ADPCM-A: a bit for each voice; the highest one lets them go.
            ChipKind::Ym2610 | ChipKind::Ym2610B if port == 1 && register == 0x00 => {
                for voice in (0..6).filter(|voice| value >> voice & 1 == 1) {
                    each(9 + voice, value & 0x80 == 0);
                }
            }
            ChipKind::Ay8910 if (0x08..0x0b).contains(&register) => {
                each(register - 0x08, value & 0x1f != 0);
            }
            // Bit 1 plays, bit 0 stops.
            ChipKind::Okim6258 { .. } if register == 0 => each(0, value & 3 == 2),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(kind: ChipKind, writes: &[(u8, u8, u8)]) -> Vec<(usize, bool)> {
        let chip = ChipSpec {
            kind,
            clock: 4_000_000,
            second: false,
            volume: 0x100,
        };
        let mut voices = Voices::new(&[chip]);
        let mut events = Vec::new();
        for &(port, register, value) in writes {
            let write = RegisterWrite {
                chip: 0,
                port,
                register,
                value,
            };
            voices.write(write, |event| {
                assert!(event.voice < voices_of(kind), "{kind:?}");
                events.push((event.voice, event.on));
            });
        }
        events
    }

    fn voices_of(kind: ChipKind) -> usize {
        usize::from(voices(kind))
    }

    #[test]
    fn keys_of_each_family_are_seen() {
        let opn2 = [
            (0, 0x28, 0xf5),
            (0, 0x28, 0x05),
            (0, 0x28, 0x03),
            (1, 0x28, 0xf0),
        ];
        assert_eq!(events(ChipKind::Ym2612, &opn2), [(4, true), (4, false)]);
        let opm = [(0, 0x08, 0x7a), (0, 0x08, 0x02)];
        assert_eq!(events(ChipKind::Ym2151, &opm), [(2, true), (2, false)]);
        let opl3 = [(1, 0xb8, 0x20), (0, 0xbd, 0x20)];
        assert_eq!(events(ChipKind::Ymf262, &opl3), [(17, true)]);
        let opnb = [(1, 0x00, 0x21), (1, 0x00, 0x81)];
        assert_eq!(
            events(ChipKind::Ym2610, &opnb),
            [(9, true), (14, true), (9, false)]
        );
        let psg = [(0, 0, 0xb2), (0, 0, 0x0f), (0, 0, 0x8f)];
        let kind = ChipKind::Sn76489(Default::default());
        assert_eq!(events(kind, &psg), [(1, true), (1, false)]);
    }

    #[test]
    fn no_write_names_a_voice_that_is_not_there() {
        let kinds = [
            ChipKind::Sn76489(Default::default()),
            ChipKind::Ym2413,
            ChipKind::Ym2612,
            ChipKind::Ym2151,
            ChipKind::Ym2203,
            ChipKind::Ym2608,
            ChipKind::Ym2610B,
            ChipKind::Y8950,
            ChipKind::Ymf278B,
            ChipKind::Ay8910,
            ChipKind::Okim6258 { flags: 0 },
        ];
        for kind in kinds {
            for port in 0..3 {
                for register in 0..=255 {
                    for value in 0..=255 {
                        events(kind, &[(port, register, value)]);
                    }
                }
            }
        }
    }
}
