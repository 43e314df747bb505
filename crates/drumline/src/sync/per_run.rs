//! Statics of which each run of a program under shuttle has its own.
//!
//! `shuttle::lazy_static` makes each one under a lock, and its waiters panic where that lock is
//! poisoned. All threads of a run are coroutines on one thread of the system, and that thread
//! counts as panicking while any of them unwinds. So a lock that one thread held while another one
//! unwound was poisoned, though nothing had gone wrong: one run in some hundred thousand failed.
//! Here such a lock guards only the table of all statics, which the first thread of a run makes
//! before there is another one ([`begin`]). No thread gives way while it makes a static.

use std::any::Any;
use std::collections::HashMap;
use std::ops::Deref;
use std::ptr;
use std::sync::{Mutex, PoisonError};

shuttle::lazy_static! {
    /// What has been made in this run, by the address of its [`PerRun`].
    static ref MADE: Mutex<HashMap<usize, Box<dyn Any + Send + Sync>>> = Mutex::default();
}

/// Makes the table of a run. Its first thread calls this before it starts others.
pub(super) fn begin() {
    shuttle::lazy_static::initialize(&MADE);
}

/// A static that each run makes when it first uses it.
pub(crate) struct PerRun<T> {
    make: fn() -> T,
}

impl<T> PerRun<T> {
    pub(crate) const fn new(make: fn() -> T) -> Self {
        PerRun { make }
    }
}

impl<T: Any + Send + Sync> Deref for PerRun<T> {
    type Target = T;

    fn deref(&self) -> &T {
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let value = made
            .entry(ptr::from_ref(self).addr())
            .or_insert_with(|| Box::new((self.make)()));
        let value: *const T = value.downcast_ref().expect("one static, one type");
        // SAFETY: the box is not moved or dropped before the run ends, and no static is used after
        // that. (`shuttle::lazy_static` gives the same reference.)
        unsafe { &*value }
    }
}

#[cfg(test)]
mod tests {
    use super::super::atomic::{AtomicUsize, Ordering};
    use super::super::exploration::{in_random_schedules, iterations};
    use super::super::{process_wide, thread};
    use crate::unwind;

    process_wide! {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
    }

    /// Gives way while its thread unwinds.
    struct Yields;

    impl Drop for Yields {
        fn drop(&mut self) {
            for _ in 0..10 {
                thread::yield_now();
            }
        }
    }

    /// Two threads use a static first, while a third one unwinds.
    fn first_use_beside_a_panic() {
        let unwinding = thread::spawn(|| {
            unwind::catch(|| {
                let _yields = Yields;
                unwind::resume(Box::new(()));
            })
            .is_err()
        });
        // Relaxed: each thread gets a number of its own, and nothing is published.
        let count = || COUNT.fetch_add(1, Ordering::Relaxed);
        let counting = [thread::spawn(count), thread::spawn(count)];
        let counts = counting.map(|thread| thread.join().expect("it counts"));
        assert_eq!(counts[0] + counts[1], 1, "one static for both");
        assert!(unwinding.join().expect("it catches its panic"));
    }

    #[test]
    fn shuttle_statics_are_made_beside_a_panic() {
        in_random_schedules(first_use_beside_a_panic, iterations(2_000));
    }
}
