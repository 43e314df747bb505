//! What tests ask about processes that they have started.

use std::thread;
use std::time::{Duration, Instant};

use procfs::process::Process;

/// Waits until there is something, and fails after five minutes: on a busy machine a build may hold
/// up what is written.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(300), "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// What the process is doing; `None` if it has ended, whether it was waited for or not.
pub fn state(process: &Process) -> Option<char> {
    let state = process.stat().ok()?.state;
    (state != 'Z' && state != 'X').then_some(state)
}

pub fn is_gone(process: &Process) {
    wait_for("the process ends", || {
        state(process).is_none().then_some(())
    });
}
