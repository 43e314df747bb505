//! How loud a log wants its chips, and the whole.
//!
//! A header of version 1.60 has a factor for all, and one of 1.70 can have another header, with a
//! factor for each chip:
//!
//! ```text
//! +0  size   +4  offset of clocks   +8  offset of volumes   (each from its own place)
//! volumes:   count, then for each:  chip, flags, volume (two bytes)
//! ```

use super::SongError;
use super::chips::ChipKind;
use super::window::Window;

/// The factor of a chip that is as loud as usual.
pub const USUAL: u16 = 0x100;
/// Where another header has the offset of its volumes.
const VOLUMES: usize = 8;
/// The bytes of an entry.
const ENTRY: usize = 4;
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
    /// Reads the volumes of the header at `at`, which ends before `commands`. Goes on to no place
    /// behind it.
    ///
    /// # Errors
    ///
    /// Those of the source.
    pub fn read(window: &mut Window<'_>, at: usize, commands: usize) -> Result<Self, SongError> {
        let broken = Volumes {
            remark: Some("has an extra header that is broken: its volumes are left out"),
            ..Volumes::default()
        };
        let field = at.saturating_add(VOLUMES);
        if at < window.offset() || field.saturating_add(4) > commands {
            return Ok(broken);
        }
        window.skip(field - window.offset())?;
        let Some(&offset) = window.at_least(4)?.first_chunk() else {
            return Ok(broken);
        };
        let list = field.saturating_add(u32::from_le_bytes(offset) as usize);
        if list == field {
            return Ok(Volumes::default());
        }
        if list >= commands {
            return Ok(broken);
        }
        window.skip(list - field)?;
        let count = window.at_least(1)?.first().copied().unwrap_or_default();
        let bytes = 1 + ENTRY * usize::from(count);
        let entries = window.at_least(bytes)?;
        let entries = &entries[..entries.len().min(bytes)];
        if entries.len() < bytes || list + bytes > commands {
            return Ok(broken);
        }
        Ok(Self::of_entries(&entries[1..]))
    }

    fn of_entries(entries: &[u8]) -> Self {
        let mut volumes = Volumes::default();
        for entry in entries.as_chunks::<ENTRY>().0 {
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
        let number = number(kind);
        let found = self
            .chips
            .iter()
            .find(|volume| volume.chip == number && volume.second == second);
        found.map_or(USUAL, |volume| volume.factor)
    }
}

/// The number of a chip in the format.
fn number(kind: ChipKind) -> u8 {
    match kind {
        ChipKind::Sn76489(_) => 0x00,
        ChipKind::Ym2413 => 0x01,
        ChipKind::Ym2612 => 0x02,
        ChipKind::Ym2151 => 0x03,
        ChipKind::Ym2203 => 0x06,
        ChipKind::Ym2608 => 0x07,
        ChipKind::Ym2610 | ChipKind::Ym2610B => 0x08,
        ChipKind::Ym3812 => 0x09,
        ChipKind::Ym3526 => 0x0a,
        ChipKind::Y8950 => 0x0b,
        ChipKind::Ymf262 => 0x0c,
        ChipKind::Ymf278B => 0x0d,
        ChipKind::Ay8910 => 0x12,
        ChipKind::Okim6258 { .. } => 0x17,
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
