//! Child processes made by `fork`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::FOREVER;

/// Forks, runs `child` in the child, and demands that it returns `true`.
///
/// The child has this thread only. What it does besides using pools is safe there. It can allocate
/// memory, because the C library sees to that. `_exit` runs nothing of the parent's.
#[track_caller]
pub fn in_a_child(child: impl FnOnce() -> bool) {
    // One fork at a time; no other test holds a lock that a child would need.
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the child runs `child`, which keeps to what is said above, and ends with `_exit`.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "fork failed");
    if id == 0 {
        let status = match catch_unwind(AssertUnwindSafe(child)) {
            Ok(true) => 0,
            Ok(false) => 1,
            Err(_) => 2,
        };
        // SAFETY: ends the child without unwinding into the test harness.
        unsafe { libc::_exit(status) };
    }
    let start = Instant::now();
    let mut status = 0;
    loop {
        // SAFETY: `id` is a child of this process that no other thread waits for.
        let ended = unsafe { libc::waitpid(id, &raw mut status, libc::WNOHANG) };
        if ended == id {
            break;
        }
        if start.elapsed() > FOREVER {
            // SAFETY: the child of this very function, not waited for yet.
            unsafe { libc::kill(id, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(alone);
    assert!(libc::WIFEXITED(status), "the child died: {status:#x}");
    assert_eq!(libc::WEXITSTATUS(status), 0, "1: wrong, 2: panicked");
}
