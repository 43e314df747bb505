//! What each process makes for itself.
//!
//! A forked child has a copy of the memory of its parent. A lock in it may be held by a thread of
//! the parent, which the child does not have. So a child makes a value of its own.

use std::ptr;

use super::atomic::{AtomicPtr, Ordering};
use crate::platform::fork;

/// A value of this process, made on first use and leaked, and made anew in a forked child.
pub(crate) struct PerProcess<T>(AtomicPtr<OfProcess<T>>);

struct OfProcess<T> {
    generation: u32,
    value: T,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        PerProcess(AtomicPtr::new(ptr::null_mut()))
    }

    /// The value, which `make` makes.
    #[inline]
    pub(crate) fn get(&self, make: fn() -> T) -> &'static T {
        // Acquire pairs with the Release of the thread that made the value.
        let before = self.0.load(Ordering::Acquire);
        // SAFETY: null, or leaked for good.
        match unsafe { before.as_ref() } {
            Some(made) if made.generation == fork::generation() => &made.value,
            _ => self.make(before, make),
        }
    }

    #[cold]
    fn make(&self, before: *mut OfProcess<T>, make: fn() -> T) -> &'static T {
        // First, so that every child that has a copy of the value sees another number.
        fork::watch();
        let made = Box::into_raw(Box::new(OfProcess {
            generation: fork::generation(),
            value: make(),
        }));
        let swapped = self
            .0
            .compare_exchange(before, made, Ordering::AcqRel, Ordering::Acquire);
        if let Err(faster) = swapped {
            // SAFETY: leaked just now, and not published.
            drop(unsafe { Box::from_raw(made) });
            // SAFETY: leaked by a thread that was faster, in this very process: a pointer that is
            // replaced is never null, and only of a value of a parent.
            return unsafe { &(*faster).value };
        }
        // SAFETY: leaked just now.
        unsafe { &(*made).value }
    }
}

#[cfg(all(test, target_os = "linux", not(miri), not(drumline_shuttle)))]
mod tests {
    use super::*;
    use crate::sync::Mutex;

    #[test]
    fn a_child_has_a_value_of_its_own() {
        static NUMBER: PerProcess<Mutex<u32>> = PerProcess::new();
        let number = || NUMBER.get(|| Mutex::new(1));
        let mut held = number().lock().unwrap();
        *held += 1;
        // SAFETY: the child looks at memory only, and ends with `_exit`.
        let id = unsafe { libc::fork() };
        if id == 0 {
            let is_new = number().try_lock().is_ok_and(|number| *number == 1);
            // SAFETY: ends the child without unwinding into the test harness.
            unsafe { libc::_exit(i32::from(!is_new)) };
        }
        assert!(id > 0, "fork failed");
        let mut status = -1;
        // SAFETY: a child of this process that no other thread waits for.
        assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
        assert_eq!(status, 0);
        drop(held);
        assert_eq!(*number().lock().unwrap(), 2, "the parent keeps its own");
    }
}
