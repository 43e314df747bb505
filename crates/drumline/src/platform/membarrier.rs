//! The asymmetric barrier: one side pays for both.
//!
//! Store–load arbitration between two threads needs a full fence on *both* sides. Where one side
//! runs a thousand times as often as the other, its fence can be replaced by a compiler fence, if
//! the rare side has a way to make every running thread of the process pass a full fence:
//!
//! ```text
//!   often (owner)              rarely (thief)
//!   O1: store x                T1: store y
//!   O2: compiler_fence         T2: heavy()
//!   O3: load y                 T3: load x
//! ```
//!
//! `O3` misses `T1` and `T3` misses `O1`: this is what must not happen. The owner's barrier, forced
//! on it by `T2` or by a context switch, falls before O1, between O1 and O3, or after O3. Before
//! O1 or between: O3 comes after the barrier and hence sees T1. After O3 or between: O1 comes
//! before it and hence T3 sees O1. There is no fourth place.
//!
//! It is asked for once per process ([`register`]) and can still be refused later: a sandbox may be
//! entered after the start. Hence [`heavy`] tells whether it did its work, and a thief that hears
//! `false` must undo its claim without having read anything.
//!
//! Designs rejected: `mprotect` on a page that all threads share (also interrupts them, but kernels
//! are free to skip the interrupt when permissions are *added*, and on arm64 it is no barrier);
//! `MEMBARRIER_CMD_GLOBAL` (waits for a grace period: milliseconds).

use core::sync::atomic::{Ordering, compiler_fence};

/// Asks the system for the asymmetric barrier; true if this process may rely on [`heavy`].
///
/// Idempotent and safe from any number of threads. No answer is cached here, as a cache that is
/// being filled while another thread forks would be locked in the child for ever; the callers ask
/// once per process. The first call may take some ten milliseconds, unless it
/// [is over at once](is_registered_at_once): the kernel waits until all processors have seen the
/// registration.
///
/// A forked child inherits the registration; `exec` ends it.
pub(crate) fn register() -> bool {
    imp::register()
}

/// Whether the system knows such a barrier.
pub(crate) fn is_known() -> bool {
    imp::is_known()
}

/// Whether [`register`] takes no time worth mentioning, because this process has one thread, or the
/// system asks for no registration.
pub(crate) fn is_registered_at_once() -> bool {
    imp::is_registered_at_once()
}

/// Makes every running thread of this process pass a full memory barrier, this one included.
///
/// False if it could not; then *nothing* is known about the order of other threads' accesses, and
/// the caller must behave as if it had not looked.
///
/// Costs the caller one to two microseconds, and a thread that runs meanwhile about one.
#[must_use]
pub(crate) fn heavy() -> bool {
    // The calls below are opaque to the compiler, which hence orders them against every access to
    // memory that others can see; the fences say so to the reader, and cost nothing.
    compiler_fence(Ordering::SeqCst);
    let done = imp::heavy();
    compiler_fence(Ordering::SeqCst);
    done
}

#[cfg(all(target_os = "linux", not(any(miri, drumline_loom))))]
mod imp {
    use libc::{
        MEMBARRIER_CMD_PRIVATE_EXPEDITED, MEMBARRIER_CMD_QUERY,
        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, c_int, c_long,
    };

    const NEEDED: c_long =
        (MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) as c_long;

    fn membarrier(command: c_int) -> c_long {
        const NO_FLAGS: c_int = 0;
        const NO_CPU: c_int = 0;
        // SAFETY: the call takes three integers and touches no memory of this process; an unknown
        // command or a kernel without the call answers with an error.
        unsafe { libc::syscall(libc::SYS_membarrier, command, NO_FLAGS, NO_CPU) }
    }

    pub(super) fn is_known() -> bool {
        // A negative answer (no such call, or a sandbox) has all its upper bits set: look at the
        // sign first.
        let known = membarrier(MEMBARRIER_CMD_QUERY);
        known >= 0 && known & NEEDED == NEEDED
    }

    pub(super) fn is_registered_at_once() -> bool {
        use std::os::unix::fs::MetadataExt;

        // `.`, `..`, and a directory for each thread.
        const LINKS_OF_ONE_THREAD: u64 = 3;
        std::fs::metadata("/proc/self/task").is_ok_and(|task| task.nlink() == LINKS_OF_ONE_THREAD)
    }

    pub(super) fn register() -> bool {
        is_known() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0
    }

    pub(super) fn heavy() -> bool {
        // The kernel returns at once if this is the only thread, or if one processor is online: in
        // both cases a context switch has been the barrier.
        membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0
    }
}

#[cfg(all(windows, not(any(miri, drumline_loom))))]
mod imp {
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn FlushProcessWriteBuffers();
    }

    pub(super) fn is_known() -> bool {
        true
    }

    pub(super) fn is_registered_at_once() -> bool {
        true
    }

    pub(super) fn register() -> bool {
        true
    }

    pub(super) fn heavy() -> bool {
        // SAFETY: takes and returns nothing, cannot fail, and exists since Windows Vista.
        unsafe { FlushProcessWriteBuffers() };
        true
    }
}

#[cfg(any(miri, drumline_loom, not(any(target_os = "linux", windows))))]
mod imp {
    pub(super) fn is_known() -> bool {
        false
    }

    pub(super) fn is_registered_at_once() -> bool {
        true
    }

    pub(super) fn register() -> bool {
        false
    }

    pub(super) fn heavy() -> bool {
        false
    }
}

#[cfg(all(test, not(any(miri, drumline_loom))))]
mod tests {
    use super::*;
    use core::hint;
    use core::sync::atomic::AtomicUsize;
    use std::thread;

    #[test]
    fn registering_twice_is_registering_once() {
        assert_eq!(register(), register());
    }

    #[test]
    fn heavy_works_once_registered() {
        if register() {
            assert!(heavy());
        } else {
            eprintln!("skipped: this system has no asymmetric barrier, or refuses it");
        }
    }

    /// The picture in the module's header, in loops that run freely: the owner counts x up and
    /// looks at y, the thief counts y up, makes its barrier and looks at x.
    ///
    /// If the thief's round `t` saw `x`, it missed the owner's store of `x + 1`; so the owner, when
    /// it looked after that store, must have seen `t`.
    ///
    /// With the barrier left out this fails in every optimised run on two processors, and in one
    /// out of six otherwise, where the owner's store has mostly drained before it looks.
    #[test]
    fn one_of_the_two_always_sees_the_other() {
        const ROUNDS: usize = 50_000;
        if !register() {
            eprintln!("skipped: this system has no asymmetric barrier, or refuses it");
            return;
        }
        // On lines of their own, as the deque's are.
        #[repr(align(128))]
        struct CacheLine(AtomicUsize);
        let (x, y) = (
            CacheLine(AtomicUsize::new(0)),
            CacheLine(AtomicUsize::new(0)),
        );
        // What x was when the thief looked in its round t, and whether its barrier worked.
        let mut looked = vec![(0, false); ROUNDS + 1];
        let noticed = thread::scope(|s| {
            let owner = s.spawn(|| {
                // What x was when the owner first saw y at t.
                let mut noticed = vec![0; ROUNDS + 1];
                let (mut mine, mut last) = (0, 0);
                while last < ROUNDS {
                    mine += 1;
                    x.0.store(mine, Ordering::Relaxed);
                    compiler_fence(Ordering::SeqCst);
                    let seen = y.0.load(Ordering::Relaxed);
                    if seen != last {
                        noticed[last + 1..=seen].fill(mine);
                        last = seen;
                    }
                }
                noticed
            });
            while x.0.load(Ordering::Relaxed) == 0 {
                thread::yield_now();
            }
            for (t, looked) in looked.iter_mut().enumerate().skip(1) {
                y.0.store(t, Ordering::Relaxed);
                let done = heavy();
                *looked = (x.0.load(Ordering::Relaxed), done);
                // Lets the owner have its line back, and the rounds fall differently.
                for _ in 0..t % 64 {
                    hint::spin_loop();
                }
            }
            owner.join().unwrap()
        });
        for (t, (&(x, done), noticed)) in looked.iter().zip(noticed).enumerate().skip(1) {
            assert!(done, "round {t}: no barrier");
            assert!(
                noticed <= x + 1,
                "round {t}: the thief saw {x}, the owner did not see the thief before {noticed}"
            );
        }
    }
}
