//! How loud a log wants its chips, and the whole.
//!
//! A header of version 1.60 has a factor for all, and one of 1.70 can have an
//! [extra header](super::extra_header), with a factor for each chip.

use super::chips::ChipKind;

/// The factor of a chip that is as loud as usual.
pub const USUAL: u16 = 0x100;
/// The bit of a volume that is a factor, in 256ths. One without it is a level of one player's mix.
const RELATIVE: u16 = 1 << 15;
/// The bit of a chip's number that stands for a part of it, such as the square waves of a YM2203.
const PART: u8 = 1 << 7;
/// The bit of the flags that stands for the second of two chips.
const SECOND: u8 = 1;

/// What the whole is multiplied with, by the byte of the header: an octave of loudness for each 32
/// steps, of which those above 0xc0 are negative.
pub fn of_all(modifier: u8) -> f32 {
    let steps = match modifier {
        0..=0xc0 => f32::from(modifier),
        // So that a quarter can be said.
        0xc1 => -64.0,
        0xc2.. => f32::from(modifier) - 256.0,
    };
    (steps / 32.0).exp2()
}

/// The factors of single chips.
#[derive(Default)]
pub struct Volumes {
    chips: Vec<Volume>,
    /// What is left out.
    pub remark: Option<&'static str>,
}

struct Volume {
    chip: u8,
    second: bool,
    factor: u16,
}

impl Volumes {
    /// The bytes of an entry.
    pub const ENTRY: usize = 4;

    /// The volumes of entries.
    pub fn of_entries(entries: &[u8]) -> Self {
        let mut volumes = Volumes::default();
        for entry in entries.as_chunks::<{ Self::ENTRY }>().0 {
            let &[chip, flags, low, high] = entry;
            let volume = u16::from_le_bytes([low, high]);
            if chip & PART != 0 || volume & RELATIVE == 0 {
                volumes.remark = Some(
                    "has volumes of parts of chips, or of one player's mix, which are left out",
                );
                continue;
            }
            volumes.chips.push(Volume {
                chip,
                second: flags & SECOND != 0,
                factor: volume & !RELATIVE,
            });
        }
        volumes
    }

    /// The factor of a chip, in 256ths.
    pub fn of(&self, kind: ChipKind, second: bool) -> u16 {
        let number = kind.number();
        let found = self
            .chips
            .iter()
            .find(|volume| volume.chip == number && volume.second == second);
        found.map_or(USUAL, |volume| volume.factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octave_has_32_steps() {
        assert_eq!(of_all(0), 1.0);
        assert_eq!(of_all(0x20), 2.0);
        assert_eq!(of_all(0xc0), 64.0);
        assert_eq!(of_all(0xe0), 0.5);
        assert_eq!(of_all(0xc1), 0.25);
        assert!(of_all(0xc2) > 0.25 && of_all(0xff) < 1.0);
    }
}
