//! The lock of the stage state.
//!
//! The consumer that is aside takes this lock as soon as it is woken. So the thread that beckons
//! it wakes it after it has released the lock: otherwise the woken thread would sleep again at
//! once, at the lock, and would have to be woken a second time.
//!
//! # The race feared
//!
//! *The wake-up comes late*, when the consumer that was aside has seen that it is beckoned, or has
//! left, or another one is aside by now. The note (`beckoned`) is written under the lock. The
//! consumer that is aside asks for it under the lock before each nap, and the late wake-up ends at
//! most one nap early, after which the consumer looks again. The wake-up is never lost: if the lock
//! was taken for a nap in between, its token ends that nap.

use std::ops::{Deref, DerefMut};

use super::{StageState, State};
use crate::stream::end_parker::EndParker;
use crate::sync::{MutexGuard, lock, planted};

/// The state, locked. At the end the lock is released, and then the consumer that is aside is
/// woken, if it was beckoned.
pub(super) struct LockedState<'a, B> {
    /// There until the drop.
    state: Option<MutexGuard<'a, State<B>>>,
    watcher: &'a EndParker,
}

impl<B> StageState<B> {
    pub(super) fn locked(&self) -> LockedState<'_, B> {
        LockedState {
            state: Some(lock(&self.state)),
            watcher: &self.watcher,
        }
    }
}

impl<B> Deref for LockedState<'_, B> {
    type Target = State<B>;

    #[inline]
    fn deref(&self) -> &State<B> {
        self.state.as_ref().expect("it is locked until the drop")
    }
}

impl<B> DerefMut for LockedState<'_, B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut State<B> {
        self.state.as_mut().expect("it is locked until the drop")
    }
}

impl<B> Drop for LockedState<'_, B> {
    #[inline]
    fn drop(&mut self) {
        let wakes = std::mem::take(&mut self.wakes_watcher);
        self.state = None;
        if wakes && !planted!(BeckonsSilently) {
            self.watcher.unpark();
        }
    }
}
