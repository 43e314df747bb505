//! Leaves that keep a processor busy, for a known time or with known work.

/// Spins until this thread has used one millisecond of processor time. Not of wall time: leaves
/// that share a core must not seem to run at once.
#[cfg(unix)]
pub fn one_millisecond() {
    use nix::sys::time::TimeValLike;
    use nix::time::{ClockId, clock_gettime};

    let used = || {
        clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
            .expect("a thread can read its own clock")
            .num_nanoseconds()
    };
    let end = used() + 1_000_000;
    while used() < end {
        for _ in 0..64 {
            std::hint::spin_loop();
        }
    }
}

/// Spins for one millisecond of wall time: this system has no clock that we know per thread.
#[cfg(not(unix))]
pub fn one_millisecond() {
    let start = std::time::Instant::now();
    while start.elapsed() < std::time::Duration::from_millis(1) {
        std::hint::spin_loop();
    }
}

/// The [`steps`] of a microsecond, roughly: a step takes five cycles of a processor of 3 GHz. It is
/// the same work on every machine, however fast that is.
pub const MICROSECOND: u64 = 600;

/// `count` steps, each of which needs the one before it: work of a known amount rather than of a
/// known time. The answer is below 256, so that sums of many do not overflow.
#[inline(never)]
pub fn steps(count: u64) -> u64 {
    let mut state = count | 1;
    for _ in 0..count {
        state = (state ^ (state >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    state >> 56
}
