//! Waiting for what another program does.

use std::thread;
use std::time::{Duration, Instant};

/// What has not come by then does not come.
const FOREVER: Duration = Duration::from_secs(600);

/// Time between two looks: a loop without a pause would take a processor from what it waits for.
const PAUSE: Duration = Duration::from_millis(2);

/// Looks until something is so. `message` tells what is so instead.
#[track_caller]
pub fn eventually(mut is_so: impl FnMut() -> bool, message: impl FnOnce() -> String) {
    found(|| is_so().then_some(()), message);
}

/// Looks until there is something, and returns it. `message` tells what there is instead.
#[track_caller]
pub fn found<T>(mut look: impl FnMut() -> Option<T>, message: impl FnOnce() -> String) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < FOREVER, "waited in vain: {}", message());
        thread::park_timeout(PAUSE);
    }
}
