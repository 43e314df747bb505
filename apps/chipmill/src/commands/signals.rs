//! Signals that ask for an end.
//!
//! One wish for an end can come as two signals: a terminal that is closed sends SIGHUP, and so does
//! the shell in it; a session that ends has SIGTERM followed by SIGHUP; a wrapper hands on a Ctrl-C
//! that its child has had from the terminal. Were the second one to end the program at once, half
//! files would stay. So only a user who insists does that, by another Ctrl-C a while later.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;

/// A Ctrl-C that comes within this time of the first one is the same.
const SAME: Duration = Duration::from_millis(300);

/// A flag that Ctrl-C sets, and so do the signals that end a program or close its terminal. A
/// second Ctrl-C ends the program at once. A signal that the program was started to ignore, as by
/// `nohup`, stays ignored. There is one flag, so that no command of several misses a signal.
pub fn listen() -> Result<Arc<AtomicBool>> {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    if let Some(flag) = FLAG.get() {
        return Ok(Arc::clone(flag));
    }
    let flag = Arc::new(AtomicBool::new(false));
    let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if ignored & 1 << (signal - 1) != 0 {
            continue;
        }
        signal_hook::flag::register(signal, Arc::clone(&flag))
            .context("Ctrl-C cannot be listened to")?;
        if signal == SIGINT {
            listen_for_a_second_one().context("a second Ctrl-C cannot be listened to")?;
        }
    }
    Ok(Arc::clone(FLAG.get_or_init(|| flag)))
}

fn listen_for_a_second_one() -> std::io::Result<()> {
    let start = Instant::now();
    let patience = Patience::default();
    let ask = move || {
        if patience.is_over(start.elapsed()) {
            // There is nothing else that could be done in a handler.
            let _ = emulate_default_handler(SIGINT);
        }
    };
    // SAFETY: the handler reads the clock, changes an atomic, and may end the program by a function
    // that is made for handlers. None of these allocates, waits for a lock or panics.
    unsafe { signal_hook::low_level::register(SIGINT, ask) }?;
    Ok(())
}

/// Has a file that grows over a limit of the system (`ulimit -f`) be an error of its song: the
/// signal that the system sends then would end the program, and leave half files.
pub fn ignore_the_limit_of_files() {
    #[cfg(unix)]
    {
        // SAFETY: no handler runs; the signal is ignored from now on. It cannot fail for a signal
        // that there is.
        let _before = unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    }
}

/// Whether a user who has pressed Ctrl-C insists.
#[derive(Default)]
struct Patience {
    /// When the first one came, in nanoseconds since listening began, and 1; 0 if none has come.
    first: AtomicU64,
}

impl Patience {
    /// Takes note of a Ctrl-C at this time since listening began. Returns whether it is a second
    /// one, and not the first one again.
    fn is_over(&self, at: Duration) -> bool {
        let at = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX - 1) + 1;
        // Relaxed: the time is a value of its own, with which nothing is published.
        let first = self
            .first
            .compare_exchange(0, at, Ordering::Relaxed, Ordering::Relaxed);
        first.is_err_and(|first| at.saturating_sub(first) >= SAME.as_nanos() as u64)
    }
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
    fn only_a_later_ctrl_c_is_a_second_one() {
        let patience = Patience::default();
        let at = |millis| patience.is_over(Duration::from_millis(millis));
        assert!(!at(0));
        assert!(!at(1));
        assert!(!at(299));
        assert!(at(300));
        assert!(at(60_000));
        let patience = Patience::default();
        assert!(!patience.is_over(Duration::MAX));
        assert!(!patience.is_over(Duration::MAX));
    }

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tx\nSigIgn:\t0000000000001003\nSigCgt:\t0000000000000000\n";
        assert_eq!(ignored(status), 0x1003);
        assert_eq!(ignored("Name:\tx\n"), 0);
    }
}
