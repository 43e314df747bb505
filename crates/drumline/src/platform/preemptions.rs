//! How often a thread had to make room for another one.
//!
//! On Linux the kernel counts, per thread, the times at which another one got its processor
//! although it wanted to go on. Elsewhere no thread seems to want it. (To ask for the processor
//! time of the thread would say more; but that question has the scheduler look whether the time
//! slice is over, so it causes what it asks for.)

/// How often the calling thread has lost its processor to another, so far.
pub(crate) fn preemptions() -> u64 {
    native::preemptions()
}

#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, drumline_shuttle))
))]
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

#[cfg(not(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, drumline_shuttle))
)))]
mod native {
    pub(super) fn preemptions() -> u64 {
        0
    }
}
