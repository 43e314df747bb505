//! A number for each thread, in turn: to spread threads over parts of something.

use std::cell::Cell;

use super::atomic::{AtomicUsize, Ordering};
use super::per_thread;

process_wide! {
    /// The number of the next thread that asks.
    static NEXT: AtomicUsize = AtomicUsize::new(0);
}

per_thread! {
    /// The number of this thread, once it has asked.
    static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The number of the calling thread. Threads that ask one after the other have numbers in a row.
pub(crate) fn thread_number() -> usize {
    NUMBER.with(|number| {
        number.get().unwrap_or_else(|| {
            // Relaxed: the numbers only have to differ.
            let next = NEXT.fetch_add(1, Ordering::Relaxed);
            number.set(Some(next));
            next
        })
    })
}

#[cfg(all(test, not(drumline_shuttle)))]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_of_their_own() {
        assert_eq!(thread_number(), thread_number());
        let other = std::thread::spawn(thread_number).join().unwrap();
        assert_ne!(thread_number(), other);
    }
}
