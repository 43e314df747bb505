//! The index of the calling thread.

use std::cell::Cell;

use super::indices::Indices;
use crate::sync::{per_thread, process_wide, until_thread_ends};

process_wide! {
    static INDICES: Indices = Indices::new();
}

/// The thread holds no index.
const NONE: usize = usize::MAX;

per_thread! {
    static INDEX: Cell<usize> = const { Cell::new(NONE) };
    /// How many of this thread's frames use values of its index.
    static HOLDS: Cell<usize> = const { Cell::new(0) };
}

until_thread_ends! {
    /// Gives the index back when the thread ends. Gone: a later destructor calls.
    static GUARD: Guard = const { Guard };
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        // `exit` destroys the state of a thread that still has its frames. An index that they use
        // is never given back: another thread would use the same values.
        if HOLDS.with(Cell::get) == 0 {
            give_back();
        }
    }
}

/// The calling thread holds its index no longer.
fn give_back() {
    let index = INDEX.with(|own| own.replace(NONE));
    if index != NONE {
        INDICES.give_back(index);
    }
}

/// The calling thread holds this index until the value is dropped, at least.
#[derive(Debug)]
pub(super) struct HeldIndex {
    index: usize,
    /// The thread destroys its state and will not give the index back later.
    late: bool,
}

impl HeldIndex {
    #[inline]
    pub(super) fn new() -> Self {
        HOLDS.with(|holds| holds.set(holds.get() + 1));
        let index = INDEX.with(Cell::get);
        if index == NONE {
            return Self::first();
        }
        HeldIndex { index, late: false }
    }

    #[cold]
    fn first() -> Self {
        let late = GUARD.try_with(|_| ()).is_err();
        let index = INDICES.take();
        INDEX.with(|own| own.set(index));
        HeldIndex { index, late }
    }

    #[inline]
    pub(super) fn index(&self) -> usize {
        self.index
    }
}

impl Drop for HeldIndex {
    #[inline]
    fn drop(&mut self) {
        HOLDS.with(|holds| holds.set(holds.get() - 1));
        if self.late {
            give_back();
        }
    }
}
