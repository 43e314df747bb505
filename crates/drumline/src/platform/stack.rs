//! How much of its stack the calling thread has left.
//!
//! The system knows where a thread's stack lies, and is asked once per thread: for a main thread
//! that means reading a file of `/proc`. After that the answer is a subtraction.
//!
//! There is no answer outside of Linux with glibc, and none for a thread that runs on a stack that
//! it made itself, such as that of a coroutine: the address of a local is then outside of what the
//! system says.

/// The stack of the calling thread, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stack {
    /// All of it.
    pub(crate) size: usize,
    /// What lies beyond the caller's frame.
    pub(crate) left: usize,
}

/// Measures the stack of the calling thread. `None`: it cannot be measured.
pub(crate) fn measure() -> Option<Stack> {
    let (lowest, size) = bounds::get()?;
    let local = 0_u8;
    let left = (&raw const local).addr().checked_sub(lowest)?;
    (left <= size).then_some(Stack { size, left })
}

#[cfg(all(target_os = "linux", target_env = "gnu", not(miri)))]
mod bounds {
    use std::cell::Cell;
    use std::mem::MaybeUninit;
    use std::ptr;

    /// The lowest address, and the size.
    type Bounds = Option<(usize, usize)>;

    std::thread_local! {
        /// `None` until the system has been asked.
        static ASKED: Cell<Option<Bounds>> = const { Cell::new(None) };
    }

    pub(super) fn get() -> Bounds {
        ASKED.get().unwrap_or_else(|| {
            let bounds = ask();
            ASKED.set(Some(bounds));
            bounds
        })
    }

    /// The guard page may be counted in. Callers leave room for far more.
    #[cold]
    fn ask() -> Bounds {
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
        // SAFETY: takes no arguments and cannot fail.
        let this = unsafe { libc::pthread_self() };
        // SAFETY: the thread is alive, as it is this one; the place is its own. It is written
        // whenever the answer is 0.
        if unsafe { libc::pthread_getattr_np(this, attributes.as_mut_ptr()) } != 0 {
            return None;
        }
        let mut lowest = ptr::null_mut();
        let mut size = 0;
        // SAFETY: written above; both places are exclusively borrowed.
        let answer = unsafe {
            libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut lowest, &raw mut size)
        };
        // SAFETY: written above, destroyed once, and not used again.
        unsafe { libc::pthread_attr_destroy(attributes.as_mut_ptr()) };
        (answer == 0).then(|| (lowest.addr(), size))
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu", not(miri))))]
mod bounds {
    pub(super) fn get() -> Option<(usize, usize)> {
        None
    }
}

#[cfg(all(
    test,
    target_os = "linux",
    target_env = "gnu",
    not(any(miri, drumline_shuttle))
))]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::thread;

    #[test]
    fn is_what_was_asked_for() {
        for kib in [128, 2 << 10, 8 << 10, 256 << 10] {
            let size = kib << 10;
            let thread = thread::Builder::new().stack_size(size);
            let stack = thread.spawn(measure).unwrap().join().unwrap().unwrap();
            assert!(stack.size >= size, "{stack:?} of {size}");
            // The C library hands stacks of ended threads out again, if they are not much larger.
            assert!(stack.size <= 5 * size, "{stack:?} of {size}");
            assert!(stack.left > stack.size - (64 << 10), "{stack:?}");
        }
    }

    #[test]
    fn shrinks_with_every_frame() {
        #[inline(never)]
        fn beyond<const N: usize>() -> Stack {
            let frame = [0_u8; N];
            black_box(&frame);
            let stack = measure().unwrap();
            black_box(&frame);
            stack
        }
        let here = measure().unwrap();
        let beyond = beyond::<{ 100 << 10 }>();
        assert_eq!(here.size, beyond.size);
        let used = here.left - beyond.left;
        assert!((100 << 10..200 << 10).contains(&used), "{used}");
    }
}
