//! A log for one YM2612, for the tests that need any chip.

use crate::log::Log;

/// A log for a YM2612 without commands.
pub fn log() -> Log {
    let mut log = Log::new();
    log.set(0x2c, 7_670_454);
    log
}
