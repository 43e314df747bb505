//! Signals that ask for an end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// A flag that Ctrl-C sets, and so do the signals that end a program or close its terminal. A
/// second one ends the program at once. A signal that the program was started to ignore, as by
/// `nohup`, stays ignored.
pub fn listen() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & 1 << (signal - 1) != 0 {
            continue;
        }
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
            .context("Ctrl-C cannot be listened to")?;
    }
    Ok(flag)
}

/// The signals that are ignored, bit by bit, as the system tells of a process. None where it does
/// not tell.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tx\nSigIgn:\t0000000000001003\nSigCgt:\t0000000000000000\n";
        assert_eq!(ignored(status), 0x1003);
        assert_eq!(ignored("Name:\tx\n"), 0);
    }
}
