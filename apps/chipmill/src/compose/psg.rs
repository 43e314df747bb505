//! Notes of square waves.

use super::score::centihertz;

/// How many ticks of a chip's clock, in steps of `divider`, half a wave of a note takes.
pub fn period(pitch: u8, clock: u32, divider: u32, max: u16) -> u16 {
    let period = u64::from(clock) * 100 / (u64::from(divider) * centihertz(pitch));
    period.clamp(1, u64::from(max)) as u16
}
