//! Planted bugs in the loops: the chains of `iter/properties.rs` are tried with each of them
//! switched on, and one must then fail. Tests that cannot fail prove nothing.

/// Whether a planted bug is switched on: `false`, and gone, outside the unit tests.
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
macro_rules! planted {
    ($plant:ident) => {
        $crate::iter::engine::plant::is($crate::iter::engine::plant::LoopPlant::$plant)
    };
}
#[cfg(not(all(test, not(any(drumline_loom, drumline_shuttle)))))]
macro_rules! planted {
    ($plant:ident) => {
        false
    };
}
pub(in crate::iter) use planted;

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
pub(crate) use switch::{LoopPlant, is, with};

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod switch {
    use std::cell::Cell;

    /// The bugs that can be switched on.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum LoopPlant {
        /// After an offer that was taken, the two results are joined the wrong way round.
        HalvesSwapped,
        /// A thread that takes a part does nothing with the first chunk of it.
        StolenPartLost,
        /// The first item behind a split is left out.
        SplitSkipsOne,
        /// A folder goes on with the next items, and its consumer is not told.
        ResumeForgotten,
        /// Two results, as those of a loop that is split in advance, or of the last item of a part,
        /// which the thread that takes it does first, and of the rest, are joined the wrong way
        /// round.
        ClosedSwapped,
        /// An inner loop goes on with the folder of the outer one in its second half.
        FolderCellToTheRight,
        /// The two halves of what a robber keeps, as the owner did not wait, are joined the wrong
        /// way round.
        StraySwapped,
        /// What comes behind a chunk, and could not be put back, is forgotten.
        BehindLost,
    }

    thread_local! {
        static PLANTED: Cell<Option<LoopPlant>> = const { Cell::new(None) };
    }

    /// Whether `plant` is switched on, on this thread.
    pub(crate) fn is(plant: LoopPlant) -> bool {
        PLANTED.get() == Some(plant)
    }

    /// Runs `op` with `plant` switched on, on this thread alone.
    pub(crate) fn with<R>(plant: LoopPlant, op: impl FnOnce() -> R) -> R {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                PLANTED.set(None);
            }
        }
        let _reset = Reset;
        PLANTED.set(Some(plant));
        op()
    }
}
