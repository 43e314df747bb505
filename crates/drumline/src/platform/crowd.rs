//! How often a thread had to make room for another one.
//!
//! On Linux the kernel counts, per thread, the times at which it took the processor away while the thread wanted
//! to go on (and those at which the thread offered it and somebody took it). Elsewhere nobody seems to
//! want it.

/// How often the calling thread has lost its processor to another, so far.
pub(crate) fn preemptions() -> u64 {
    native::preemptions()
}

#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
mod native {
    use std::mem::MaybeUninit;

    pub(super) fn preemptions() -> u64 {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: a valid pointer to room for the answer.
        let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()) };
        if status != 0 {
            return 0;
        }
        // SAFETY: zeroed is a valid value, and the call has succeeded.
        let usage = unsafe { usage.assume_init() };
        u64::try_from(usage.ru_nivcsw).unwrap_or(0)
    }
}

#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
mod native {
    pub(super) fn preemptions() -> u64 {
        0
    }
}
