//! Noticing that this process is a forked child.
//!
//! After `fork` the child has one thread, and a copy of the memory in which others were at work: a
//! pool's workers are gone, and a lock may be held by a thread that does not exist any more. A
//! handler that runs in the child before `fork` returns there changes [`generation`]. A pool keeps
//! the number beside its threads, and so sees that they are of another process.
//!
//! `vfork`, `posix_spawn` and a bare `clone` run no handlers; after these a child may only `exec`
//! or exit, and so never gets to ask.

use core::sync::atomic::{AtomicU32, Ordering};

static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Makes sure that [`generation`] changes in children forked from now on.
///
/// Registers the handler the first time. Two threads that do so at once may register it twice, in
/// which case a fork counts for two: only *whether* the number differs means anything. A lock would
/// prevent that, and a child could find it locked for ever.
pub(crate) fn watch() {
    #[cfg(all(
        any(
            target_os = "linux",
            target_os = "android",
            target_vendor = "apple",
            target_os = "freebsd",
            target_os = "netbsd",
            target_os = "openbsd",
            target_os = "dragonfly"
        ),
        not(miri)
    ))]
    {
        use core::sync::atomic::AtomicBool;

        static WATCHED: AtomicBool = AtomicBool::new(false);

        extern "C" fn in_the_child() {
            // Relaxed: the child has no other thread yet, and those it starts come after this. One
            // atomic instruction is all that a handler at this point could safely do.
            GENERATION.fetch_add(1, Ordering::Relaxed);
        }

        // Relaxed, here and below: the flag only saves calls, and publishes nothing.
        if !WATCHED.load(Ordering::Relaxed) {
            // SAFETY: the handler has the signature asked for, touches nothing but one atomic, and
            // does not unwind. It lives as long as this library is loaded, after which the C
            // library drops the handlers that came from it.
            let answer = unsafe { libc::pthread_atfork(None, None, Some(in_the_child)) };
            // It fails for want of memory only; then the next call tries again.
            if answer == 0 {
                // Relaxed: a thread that misses it registers once more, which does no harm.
                WATCHED.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// A number that differs between a process and the children that it forked after [`watch`].
///
/// One load; constant where processes do not fork.
#[inline]
pub(crate) fn generation() -> u32 {
    // Relaxed: the number changes only where no other thread runs.
    GENERATION.load(Ordering::Relaxed)
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use crate::platform::membarrier;
    use libc::c_int;

    /// Runs `child` in a forked child and returns its exit status. `child` must be safe in a signal
    /// handler, as the tests run in several threads.
    fn in_a_child(child: impl FnOnce() -> u8) -> u8 {
        // SAFETY: the child only runs `child`, which is safe after a fork of a program with
        // threads, and `_exit`.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0, "fork failed");
        if pid == 0 {
            let status = c_int::from(child());
            // SAFETY: ends the child without running anything of the parent's.
            unsafe { libc::_exit(status) };
        }
        let mut status: c_int = 0;
        loop {
            // SAFETY: `pid` is a child of this process, and nothing else waits for it; `status` is
            // exclusively borrowed.
            let answer = unsafe { libc::waitpid(pid, &raw mut status, 0) };
            if answer == pid {
                break;
            }
            let error = std::io::Error::last_os_error();
            assert_eq!(error.kind(), std::io::ErrorKind::Interrupted, "{error}");
        }
        assert!(libc::WIFEXITED(status), "the child died: {status:#x}");
        libc::WEXITSTATUS(status) as u8
    }

    #[test]
    fn a_child_is_of_another_generation() {
        watch();
        watch();
        let before = generation();
        assert_eq!(in_a_child(|| u8::from(generation() != before)), 1);
        assert_eq!(generation(), before, "the parent is what it was");
    }

    #[test]
    fn a_child_can_watch_again() {
        watch();
        let status = in_a_child(|| {
            watch();
            u8::from(generation() != 0)
        });
        assert_eq!(status, 1);
    }

    #[test]
    fn a_child_inherits_the_barrier() {
        if !membarrier::register() {
            eprintln!("skipped: this system has no asymmetric barrier, or refuses it");
            return;
        }
        assert_eq!(in_a_child(|| u8::from(membarrier::heavy())), 1);
    }
}
