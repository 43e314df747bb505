//! Signals that ask a run to stop: Ctrl-C, `kill`, and a terminal that is closed.
//!
//! The first one only leaves its number here. The run sees it within milliseconds, ends what it
//! measures, and writes what it has. A second one ends the program at once; the kernel then ends
//! its children (see [`crate::process_group`]).
//!
//! Systems without these signals end the program at once, as ever. The journal is what is left, and
//! a run can be resumed from it.

use std::sync::atomic::{AtomicI32, Ordering};

use anyhow::Result;

/// The number of the first signal; zero before.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The number of the signal that asked for an end, if one has come.
pub fn pending() -> Option<i32> {
    match FIRST.load(Ordering::SeqCst) {
        0 => None,
        signal => Some(signal),
    }
}

/// What the program's exit status is after this signal: what shells make of it.
pub fn exit_code(signal: i32) -> u8 {
    u8::try_from(128 + signal).unwrap_or(u8::MAX)
}

/// From now on, signals stop the run and not the program. To call it again does nothing.
#[cfg(unix)]
pub fn listen() -> Result<()> {
    use anyhow::Context;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::sync::atomic::AtomicBool;

    static LISTENING: AtomicBool = AtomicBool::new(false);
    if LISTENING.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    let mut wanted = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = Signals::new(wanted).context("signals cannot be caught")?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || obey(signals.forever()))
        .context("the thread that waits for signals cannot be started")?;
    Ok(())
}

/// Nothing to listen to on this system.
#[cfg(not(unix))]
pub fn listen() -> Result<()> {
    Ok(())
}

/// A signal that follows another one within this time is the same one, sent twice: `timeout`
/// signals the program and then its group, and both a shell and the kernel say that the terminal is
/// gone.
#[cfg(unix)]
const SAME: std::time::Duration = std::time::Duration::from_millis(100);

#[cfg(unix)]
fn obey(signals: impl Iterator<Item = i32>) {
    let mut first: Option<std::time::Instant> = None;
    for signal in signals {
        match first {
            None => {
                first = Some(std::time::Instant::now());
                FIRST.store(signal, Ordering::SeqCst);
            }
            Some(first) if first.elapsed() < SAME => {}
            Some(_) => signal_hook::low_level::exit(i32::from(exit_code(signal))),
        }
    }
}

/// Whether this program was started with the signal ignored, as `nohup` does.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = procfs::process::Process::myself().and_then(|process| process.status());
    status.is_ok_and(|status| status.sigign & (1 << (signal - 1)) != 0)
}

/// Whether this program was started with the signal ignored: unknown on this system.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_ignored(_signal: i32) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_shells() {
        assert_eq!([2, 15, 1].map(exit_code), [130, 143, 129]);
    }
}
