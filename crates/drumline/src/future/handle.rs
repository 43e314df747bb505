//! What a program holds of a future, without the type of the future.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use super::cell::{Core, Outcome};
use super::waker::{drop_ref, has_dropped_ref};
use crate::latch::{Cancel, Detached, Sleeper, WakeStep, Watcher};
use crate::pool::waiting::{self, Awaited};
use crate::pool::{Registry, WakeOrigin, local};

/// A handle to a future: the right to its outcome, of which the value is a `T`.
///
/// If it is dropped, the future goes on all the same.
pub(crate) struct FutureHandle<T> {
    core: NonNull<Core>,
    value: PhantomData<*const T>,
}

// SAFETY: the handle moves the outcome to the thread that asks for it, and the core is made for use
// from several threads.
unsafe impl<T: Send> Send for FutureHandle<T> {}
// SAFETY: a shared reference gives out no value.
unsafe impl<T: Send> Sync for FutureHandle<T> {}

impl<T> FutureHandle<T> {
    /// The first handle of a new future; its reference has been counted.
    pub(super) fn new(core: NonNull<Core>) -> Self {
        FutureHandle {
            core,
            value: PhantomData,
        }
    }

    fn core(&self) -> &Core {
        // SAFETY: the handle has a reference.
        unsafe { self.core.as_ref() }
    }

    /// Whether the future is done.
    pub(crate) fn is_done(&self) -> bool {
        self.core().word.is_done()
    }

    /// Names the watcher to tell when it is done, in place of the one that was named before.
    /// `false`: it is done. By one thread at a time.
    #[must_use]
    pub(crate) fn watch(&self, watcher: Watcher) -> bool {
        self.core().word.watch(watcher)
    }

    /// Takes the name back, if there is one and the future is not done.
    pub(crate) fn unwatch(&self) -> Option<Watcher> {
        self.core().word.unwatch()
    }

    /// Waits until it is done. A member of the pool runs nothing meanwhile, and another thread
    /// takes its place.
    pub(crate) fn wait(&self, registry: &Registry) {
        if self.is_done() {
            return;
        }
        let unfinished = UnfinishedFuture(self);
        if local::find(registry).is_some() {
            waiting::wait_in(registry, &unfinished);
        } else {
            waiting::block_on(&unfinished);
        }
    }

    /// Asks that the future be dropped by its pool. Returns whether it is certain that it gives no
    /// value.
    pub(crate) fn cancel(&self) -> bool {
        let cancel = self.core().word.cancel();
        if cancel == Cancel::Stopped(WakeStep::Queue) {
            // SAFETY: the word has said that a run is to be queued; the handle keeps the core.
            unsafe { Core::queue(self.core.as_ptr(), WakeOrigin::Itself) };
        }
        matches!(cancel, Cancel::Stopped(_))
    }

    /// Takes the outcome.
    ///
    /// # Safety
    ///
    /// The future is done, and the outcome has not been taken.
    pub(crate) unsafe fn take_outcome(self) -> Outcome<T> {
        let mut outcome = MaybeUninit::<Outcome<T>>::uninit();
        // SAFETY: the handle has not been detached, so the outcome is its own; `T` is the type of
        // the value.
        unsafe { Core::take_outcome(self.core.as_ptr(), outcome.as_mut_ptr().cast()) };
        let core = self.core;
        std::mem::forget(self);
        // SAFETY: the reference of the handle, which is forgotten.
        unsafe { drop_ref(core.as_ptr()) };
        // SAFETY: written above.
        unsafe { outcome.assume_init() }
    }
}

impl<T> Drop for FutureHandle<T> {
    fn drop(&mut self) {
        // It goes last: its drop may panic.
        let _watcher = self.unwatch();
        let core = self.core.as_ptr();
        match self.core().word.detach() {
            Detached::Outcome => {
                // SAFETY: the word leaves the outcome to the handle.
                unsafe { Core::take_outcome(core, ptr::null_mut()) };
                // SAFETY: the reference of the handle.
                unsafe { drop_ref(core) };
            }
            // SAFETY: the reference was that of the handle.
            Detached::Dropped(dropped) => unsafe { has_dropped_ref(core, dropped) },
        }
    }
}

/// A future that its handle waits for. The waiting thread cannot help with it.
struct UnfinishedFuture<'a, T>(&'a FutureHandle<T>);

impl<T> Awaited for UnfinishedFuture<'_, T> {
    fn is_done(&self) -> bool {
        self.0.is_done()
    }

    fn any_runner(&self, _visit: &mut dyn FnMut(usize) -> bool) -> bool {
        false
    }

    fn is_runner(&self, _seat: usize) -> bool {
        false
    }

    fn watch(&self, sleeper: Sleeper) -> bool {
        self.0.watch(Watcher::Thread(sleeper))
    }
}
