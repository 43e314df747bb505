//! The chips that play from a memory.

use crate::log::Log;

/// A log for two of each chip that has a memory, without commands.
pub fn log() -> Log {
    let mut log = Log::new();
    for (field, clock) in [
        (0x48, 7_987_200),
        (0x4c, 8_000_000),
        (0x58, 3_579_545),
        (0x60, 33_868_800),
    ] {
        log.set(field, clock | 1 << 30);
    }
    log
}
