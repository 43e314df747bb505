//! The FM chips of logs from before version 1.10.

use soundlog::VgmHeader;
use soundlog::vgm::VgmHeaderField as Field;
use soundlog::vgm::command::Instance;
use soundlog::vgm::header::ChipId;

use super::SongError;
use super::chips::{ChipKind, ChipSpec};
use super::header::{CLOCK, TWO, checked_clock};
use super::volumes;

/// The first version with a field for each chip.
const FIELDS: u32 = 0x110;

/// The FM chips of an old log: its header has one clock for YM2413, YM2612 and YM2151, and only the
/// commands say which of them it is.
#[derive(Clone, Copy)]
pub struct OldFm {
    clock: u32,
    two: bool,
}

impl OldFm {
    /// Those of a header, if it is that old.
    ///
    /// # Errors
    ///
    /// The clock is none of a chip.
    pub fn of(header: &VgmHeader) -> Result<Option<Self>, SongError> {
        let field = header.ym2413_clock;
        let is_old = header.version < FIELDS && header.ym2612_clock | header.ym2151_clock == 0;
        if !is_old || field & CLOCK == 0 {
            return Ok(None);
        }
        Ok(Some(OldFm {
            clock: checked_clock(ChipKind::Ym2413, field, Field::Ym2413Clock.offset())?,
            two: field & TWO != 0,
        }))
    }

    /// The chip to which a command writes, if it is one of these.
    pub fn chip(self, id: ChipId, instance: Instance) -> Option<ChipSpec> {
        let kind = match id {
            ChipId::Ym2413 => ChipKind::Ym2413,
            ChipId::Ym2612 => ChipKind::Ym2612,
            ChipId::Ym2151 => ChipKind::Ym2151,
            _ => return None,
        };
        let second = instance == Instance::Secondary;
        (self.two || !second).then_some(ChipSpec {
            kind,
            clock: self.clock,
            second,
            volume: volumes::USUAL,
        })
    }
}
