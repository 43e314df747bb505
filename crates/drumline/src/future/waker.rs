//! What wakes a future.

use std::mem::ManuallyDrop;
use std::task::{RawWaker, RawWakerVTable, Waker};

use super::cell::Core;
use crate::latch::{Dropped, WakeStep};
use crate::pool::WakeOrigin;
use crate::wait::budget;

/// One table for all futures: what depends on the type of one is behind its core.
fn table() -> &'static RawWakerVTable {
    const { &RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker) }
}

/// A waker that borrows the reference of the run.
///
/// # Safety
///
/// The core has a reference for as long as the waker is used. The waker is not dropped.
pub(super) unsafe fn borrowed(core: *const Core) -> ManuallyDrop<Waker> {
    // SAFETY: the functions keep the contract of a waker, with one reference for each.
    ManuallyDrop::new(unsafe { Waker::new(core.cast(), table()) })
}

unsafe fn clone(data: *const ()) -> RawWaker {
    if !budget::on_account(data) {
        // SAFETY: the waker has a reference, so the core is alive.
        unsafe { &*data.cast::<Core>() }.word.add_ref();
    }
    RawWaker::new(data, table())
}

unsafe fn wake(data: *const ()) {
    // SAFETY: the reference is that of the waker, which is gone after this.
    unsafe { Core::wake(data.cast()) };
}

unsafe fn wake_by_ref(data: *const ()) {
    let core = data.cast::<Core>();
    // SAFETY: the waker has a reference, so the core is alive.
    if unsafe { &*core }.word.wake() == WakeStep::Queue {
        // SAFETY: the run is to be queued, and the waker keeps the core meanwhile.
        unsafe { Core::queue(core, WakeOrigin::Woken) };
    }
}

unsafe fn drop_waker(data: *const ()) {
    // SAFETY: the reference is that of the waker.
    unsafe { drop_ref(data.cast()) };
}

/// Drops a reference.
///
/// # Safety
///
/// The caller has one, and uses it no more.
pub(super) unsafe fn drop_ref(core: *const Core) {
    // SAFETY: the caller has a reference, so the core is alive.
    let dropped = unsafe { &*core }.word.drop_ref();
    // SAFETY: as above.
    unsafe { has_dropped_ref(core, dropped) };
}

/// Does what is to be done after a reference was dropped.
///
/// # Safety
///
/// The word has said so, and the reference was the caller's.
#[inline]
pub(super) unsafe fn has_dropped_ref(core: *const Core, dropped: Dropped) {
    match dropped {
        Dropped::Kept => {}
        // SAFETY: nothing refers to it.
        Dropped::Free => unsafe { Core::free(core) },
        // The future is dropped by a thread of the pool, and not here.
        Dropped::Queue => {
            // SAFETY: until the run has been queued; then the reference is dropped again.
            unsafe { &*core }.word.add_ref();
            // SAFETY: the run is to be queued.
            unsafe { Core::queue(core, WakeOrigin::Itself) };
            // SAFETY: counted above.
            unsafe { drop_ref(core) };
        }
    }
}
