//! Notes of square waves.

use super::score::centihertz;

/// How often `divider` ticks of a chip's clock go into a wave of a note, to the nearest number.
pub fn period(pitch: u8, clock: u32, divider: u32, max: u16) -> u16 {
    let wave = u64::from(divider) * centihertz(pitch);
    let period = (u64::from(clock) * 100 + wave / 2) / wave;
    period.clamp(1, u64::from(max)) as u16
}
