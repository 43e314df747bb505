//! The chips that a song can need.

use std::fmt;

use crate::chip::sn76489::Sn76489Config;

/// The kind of a chip that there is a model of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChipKind {
    /// The square waves of Sega's machines and many others.
    Sn76489(Sn76489Config),
    /// OPLL.
    Ym2413,
    /// OPN2.
    Ym2612,
    /// OPM.
    Ym2151,
    /// OPN.
    Ym2203,
    /// OPNA.
    Ym2608,
    /// OPNB, four channels of FM.
    Ym2610,
    /// OPNB, six channels of FM.
    Ym2610B,
    /// OPL2.
    Ym3812,
    /// OPL.
    Ym3526,
    /// OPL with ADPCM.
    Y8950,
    /// OPL3.
    Ymf262,
    /// OPL4.
    Ymf278B,
    /// The square waves of the General Instrument chip and of the YM2149.
    Ay8910,
    /// ADPCM.
    Okim6258 {
        /// The flags of the log's header.
        flags: u8,
    },
}

impl ChipKind {
    /// The name that is printed on the chip.
    pub fn name(self) -> &'static str {
        match self {
            ChipKind::Sn76489(_) => "SN76489",
            ChipKind::Ym2413 => "YM2413",
            ChipKind::Ym2612 => "YM2612",
            ChipKind::Ym2151 => "YM2151",
            ChipKind::Ym2203 => "YM2203",
            ChipKind::Ym2608 => "YM2608",
            ChipKind::Ym2610 => "YM2610",
            ChipKind::Ym2610B => "YM2610B",
            ChipKind::Ym3812 => "YM3812",
            ChipKind::Ym3526 => "YM3526",
            ChipKind::Y8950 => "Y8950",
            ChipKind::Ymf262 => "YMF262",
            ChipKind::Ymf278B => "YMF278B",
            ChipKind::Ay8910 => "AY8910",
            ChipKind::Okim6258 { .. } => "OKIM6258",
        }
    }

    /// Its number in the format.
    pub(super) fn number(self) -> u8 {
        match self {
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
}

/// A chip of a song's machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChipSpec {
    /// Its kind.
    pub kind: ChipKind,
    /// Its clock, in hertz.
    pub clock: u32,
    /// Whether it is the second one of its kind in the machine.
    pub second: bool,
    /// How loud the log wants it, in 256ths of how loud it is usually.
    pub volume: u16,
}

impl fmt::Display for ChipSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let second = if self.second { " (second)" } else { "" };
        write!(f, "{}{second} at {} Hz", self.kind.name(), self.clock)
    }
}

/// A chip that there is no model of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silent {
    /// Its name.
    pub name: &'static str,
    /// Its clock, in hertz.
    pub clock: u32,
    /// Where the header names it, in bytes from the start of the uncompressed file.
    pub offset: usize,
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (header offset {:#x})", self.name, self.offset)
    }
}
