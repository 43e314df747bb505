//! Sleeping until a word changes.
//!
//! [`wait`] sleeps only if the word still holds what the caller last saw there, and a waker changes
//! the word *before* it wakes. So a wake-up cannot fall between the look and the sleep. Beyond that
//! nothing is promised: `wait` may return for no reason, and it publishes nothing. The caller reads
//! the word again, with the ordering that it needs, and decides.
//!
//! Only the address of a word names a sleeper, so [`wake_one`] takes it as a raw pointer, which it
//! never follows. As soon as the word of a latch has changed, the waiter is free to go on, and to
//! free the latch. It can still be woken by the address. If the memory has a new tenant by then,
//! that tenant gets a return for no reason.

use core::sync::atomic::AtomicU32;
use core::time::Duration;

/// Why [`wait`] came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awoken {
    /// A thread woke this one, the word held something else to begin with, or no reason at all.
    Perhaps,
    /// The time is over. A wake-up that came just then may have been used up by this return.
    TimedOut,
}

/// Sleeps while `word` holds `expected`, until woken by its address or until `timeout` is over.
///
/// The time is that of a clock that cannot be set. Linux keeps it to the microsecond if the thread
/// has called [`precise_timer_slack`](super::timer::precise_timer_slack) (its default is 50 µs
/// late). Windows counts in milliseconds, and a shorter time is rounded up.
pub(crate) fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Awoken {
    imp::wait(word, expected, timeout)
}

/// Wakes at least one of the threads that sleep at this address, if there are any.
pub(crate) fn wake_one(word: *const AtomicU32) {
    imp::wake_one(word);
}

// 32-bit systems take the portable way: there, it depends on the architecture which of two calls
// with which of two clocks the kernel has.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
mod imp {
    use super::Awoken;
    use core::ptr;
    use core::sync::atomic::AtomicU32;
    use core::time::Duration;
    use libc::{FUTEX_PRIVATE_FLAG, FUTEX_WAIT, FUTEX_WAKE, c_int, timespec};

    pub(super) fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Awoken {
        let timeout = timeout.map(|timeout| timespec {
            // A sleep that is cut off at the end of the kernel's clock is as good as for ever.
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        });
        let timeout: *const timespec = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: `word` is four aligned bytes, borrowed until the call returns, that the kernel
        // reads atomically. `timeout` is null (no timeout), or points to a valid `timespec` on this
        // frame. FUTEX_WAIT takes four arguments.
        let answer = unsafe {
            libc::syscall(
                libc::SYS_futex,
                word.as_ptr(),
                FUTEX_WAIT | FUTEX_PRIVATE_FLAG,
                expected,
                timeout,
            )
        };
        // EAGAIN: the word had changed. EINTR: a signal. Whatever else there may be, the caller
        // looks at the word and comes back.
        if answer != 0 && errno() == libc::ETIMEDOUT {
            Awoken::TimedOut
        } else {
            Awoken::Perhaps
        }
    }

    pub(super) fn wake_one(word: *const AtomicU32) {
        wake(word, 1);
    }

    #[cfg(test)]
    pub(super) fn wake_all(word: *const AtomicU32) {
        wake(word, c_int::MAX);
    }

    fn wake(word: *const AtomicU32, most: c_int) {
        // SAFETY: with the private flag, FUTEX_WAKE takes the address as a name and does not touch
        // the memory behind it; an address that is mapped no more is an error, which is ignored.
        unsafe { libc::syscall(libc::SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, most) };
    }

    fn errno() -> c_int {
        // SAFETY: returns the address of this thread's `errno`, and has no obligations.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: that address is valid for as long as the thread lives.
        unsafe { *errno }
    }
}

#[cfg(all(windows, not(miri)))]
mod imp {
    use super::Awoken;
    use core::ffi::c_void;
    use core::sync::atomic::AtomicU32;
    use core::time::Duration;

    #[link(name = "synchronization")]
    unsafe extern "system" {
        fn WaitOnAddress(
            address: *const c_void,
            compare: *const c_void,
            size: usize,
            milliseconds: u32,
        ) -> i32;
        fn WakeByAddressSingle(address: *const c_void);
        #[cfg(test)]
        fn WakeByAddressAll(address: *const c_void);
    }

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetLastError() -> u32;
    }

    const INFINITE: u32 = u32::MAX;
    const ERROR_TIMEOUT: u32 = 1460;

    pub(super) fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Awoken {
        let milliseconds = timeout.map_or(INFINITE, |timeout| {
            let up = timeout.as_nanos().div_ceil(1_000_000);
            // More than 49 days are cut to those: each caller looks at the clock again.
            u32::try_from(up).unwrap_or(INFINITE).min(INFINITE - 1)
        });
        // SAFETY: `word` is four aligned bytes, borrowed until the call returns; `expected` is four
        // bytes on this frame; the size is that of both.
        let woken = unsafe {
            WaitOnAddress(
                word.as_ptr().cast(),
                (&raw const expected).cast(),
                size_of::<u32>(),
                milliseconds,
            )
        };
        if woken != 0 {
            return Awoken::Perhaps;
        }
        // SAFETY: reads a number of this thread, and has no obligations.
        if unsafe { GetLastError() } == ERROR_TIMEOUT {
            Awoken::TimedOut
        } else {
            Awoken::Perhaps
        }
    }

    pub(super) fn wake_one(word: *const AtomicU32) {
        // SAFETY: the address is a name; the memory behind it is not touched.
        unsafe { WakeByAddressSingle(word.cast()) };
    }

    #[cfg(test)]
    pub(super) fn wake_all(word: *const AtomicU32) {
        // SAFETY: the address is a name; the memory behind it is not touched.
        unsafe { WakeByAddressAll(word.cast()) };
    }
}

#[cfg(not(all(
    any(all(target_os = "linux", target_pointer_width = "64"), windows),
    not(miri)
)))]
use portable as imp;

/// The way that needs nothing but `std`; compiled for tests everywhere.
///
/// Sleepers are spread over a fixed table of condition variables by the address of their word.
/// Words that share a place share its wake-ups. So a waker always wakes the whole place: a single
/// sleeper that it woke might sleep for another word.
#[cfg(any(
    test,
    not(all(
        any(all(target_os = "linux", target_pointer_width = "64"), windows),
        not(miri)
    ))
))]
mod portable {
    use super::Awoken;
    use core::sync::atomic::{AtomicU32, Ordering};
    use core::time::Duration;
    use std::sync::{Condvar, Mutex, PoisonError};

    const PLACES: usize = 64;

    struct Place {
        lock: Mutex<()>,
        changed: Condvar,
    }

    static TABLE: [Place; PLACES] = [const {
        Place {
            lock: Mutex::new(()),
            changed: Condvar::new(),
        }
    }; PLACES];

    fn place(word: *const AtomicU32) -> &'static Place {
        // Words that sleepers use sit on cache lines of their own, which says that the lowest bits
        // tell little; the multiplication (by 2^32 over the golden ratio) spreads the others.
        let hash = (word.addr() as u32).wrapping_mul(0x9E37_79B9);
        &TABLE[(hash >> (32 - PLACES.ilog2())) as usize]
    }

    pub(super) fn wait(word: &AtomicU32, expected: u32, timeout: Option<Duration>) -> Awoken {
        let place = place(word);
        let guard = place.lock.lock().unwrap_or_else(PoisonError::into_inner);
        // A waker changes the word, then takes the lock. If it took the lock before us, we see its
        // change (the lock publishes it, hence Relaxed); if after us, we sleep and it wakes us.
        if word.load(Ordering::Relaxed) != expected {
            return Awoken::Perhaps;
        }
        let timed_out = match timeout {
            None => {
                let _guard = place
                    .changed
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner);
                false
            }
            Some(timeout) => {
                let (_guard, result) = place
                    .changed
                    .wait_timeout(guard, timeout)
                    .unwrap_or_else(PoisonError::into_inner);
                result.timed_out()
            }
        };
        if timed_out {
            Awoken::TimedOut
        } else {
            Awoken::Perhaps
        }
    }

    pub(super) fn wake_one(word: *const AtomicU32) {
        wake_all(word);
    }

    pub(super) fn wake_all(word: *const AtomicU32) {
        let place = place(word);
        drop(place.lock.lock().unwrap_or_else(PoisonError::into_inner));
        place.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::Ordering;
    use std::thread;
    use std::time::Instant;

    /// Far beyond what a loaded machine needs; reached only when a wake-up was lost.
    const LOST: Duration = Duration::from_secs(600);

    /// Both ways have the same tests.
    macro_rules! tests {
        ($way:ident) => {
            mod $way {
                use super::super::$way::{wait, wake_all, wake_one};
                use super::*;

                const ROUNDS: u32 = if cfg!(miri) { 20 } else { 2_000 };

                #[test]
                fn no_sleep_when_the_word_has_changed() {
                    let word = AtomicU32::new(1);
                    assert_eq!(wait(&word, 0, Some(LOST)), Awoken::Perhaps);
                    assert_eq!(wait(&word, 0, None), Awoken::Perhaps);
                }

                #[test]
                fn a_time_passes() {
                    let word = AtomicU32::new(0);
                    let time = Duration::from_millis(5);
                    let start = Instant::now();
                    while wait(&word, 0, Some(time)) == Awoken::Perhaps {
                        assert!(start.elapsed() < LOST, "only returns for no reason");
                    }
                    assert!(start.elapsed() >= time);
                }

                #[test]
                fn no_time_is_a_time() {
                    let word = AtomicU32::new(0);
                    let start = Instant::now();
                    while wait(&word, 0, Some(Duration::ZERO)) == Awoken::Perhaps {
                        assert!(start.elapsed() < LOST, "only returns for no reason");
                    }
                }

                #[test]
                fn nobody_to_wake() {
                    let word = AtomicU32::new(0);
                    wake_one(&word);
                    wake_all(&word);
                }

                #[test]
                fn the_longest_time_is_no_error() {
                    let word = AtomicU32::new(0);
                    thread::scope(|s| {
                        s.spawn(|| {
                            while word.load(Ordering::Acquire) == 0 {
                                let awoken = wait(&word, 0, Some(Duration::MAX));
                                assert_eq!(awoken, Awoken::Perhaps);
                            }
                        });
                        word.store(1, Ordering::Release);
                        wake_one(&word);
                    });
                }

                /// Two threads hand a word to and fro: each round needs a wake-up on either side.
                #[test]
                fn to_and_fro() {
                    let word = AtomicU32::new(0);
                    let play = |mine: u32| {
                        for round in 0..ROUNDS {
                            let turn = 2 * round + mine;
                            loop {
                                let now = word.load(Ordering::Acquire);
                                if now == turn {
                                    break;
                                }
                                assert_eq!(wait(&word, now, Some(LOST)), Awoken::Perhaps);
                            }
                            word.store(turn + 1, Ordering::Release);
                            wake_one(&word);
                        }
                    };
                    thread::scope(|s| {
                        s.spawn(|| play(1));
                        play(0);
                    });
                    assert_eq!(word.load(Ordering::Relaxed), 2 * ROUNDS);
                }

                #[test]
                fn all_wake() {
                    let word = AtomicU32::new(0);
                    thread::scope(|s| {
                        for _ in 0..4 {
                            s.spawn(|| {
                                while word.load(Ordering::Acquire) == 0 {
                                    assert_eq!(wait(&word, 0, Some(LOST)), Awoken::Perhaps);
                                }
                            });
                        }
                        word.store(1, Ordering::Release);
                        wake_all(&word);
                    });
                }

                /// A latch may be gone when its waker gets to wake.
                #[test]
                fn an_address_is_enough() {
                    let word = Box::new(AtomicU32::new(0));
                    let address: *const AtomicU32 = &*word;
                    drop(word);
                    wake_one(address);
                    wake_all(address);
                }
            }
        };
    }
    tests!(imp);
    tests!(portable);
}
