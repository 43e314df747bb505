//! That the system has refused the asymmetric barrier: known to the whole process, and for good.

use super::atomic::{AtomicBool, Ordering};

super::process_wide! {
    /// Whether the system has refused the barrier; never taken back.
    static LOST: AtomicBool = AtomicBool::new(false);
}

/// Whether the system has refused the barrier: owners that push without a
/// fence must change over.
#[inline]
pub(crate) fn is_lost() -> bool {
    #[cfg(all(test, drumline_loom))]
    if !super::plant::refuses() {
        // One step less in every model in which it cannot be.
        return false;
    }
    // Acquire pairs with the Release in `lose`: an owner that was asked by a
    // thread that knows of the loss knows of it, too.
    LOST.load(Ordering::Acquire)
}

/// The system has refused the barrier. (Programs under shuttle say so, too.)
#[cold]
pub(crate) fn lose() {
    LOST.store(true, Ordering::Release);
}
