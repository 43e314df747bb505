//! The request to stop, which all clones of a token share, and what is told of it.
//!
//! Two kinds of things wait for the request: functions that are called (a stream ends the wait in
//! its source), and wakers of tasks that await it. All are under one lock.
//!
//! ```text
//!                 poll_cancelled: not yet
//!   (unknown) ────────────────────────────► listed ─────────────► (unknown)
//!                                           │    ▲    leave: the future is dropped
//!                                           └────┘
//!                          another waker    │
//!                                           └───────────────────► woken
//!                                                cancel: taken out of the list
//! ```
//!
//! # The race feared
//!
//! *A task is listed and never woken*, because it found no request before, and the thread that
//! cancels found no waker. It cannot happen: the flag is set under the lock, in the step that takes
//! all wakers out, and `poll_cancelled` looks at the flag under the same lock before it adds or
//! replaces a waker. A poll with the waker that is listed already looks at the flag alone. If it
//! misses the request, the request takes that very waker out and wakes it.
//!
//! No code of the program runs under the lock: wakers are cloned before it, and dropped or woken
//! after it. So a waker may cancel the token again, await it, or drop futures that await it.

use std::collections::BTreeMap;
use std::fmt;
use std::task::Waker;

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, lock, planted};
use crate::unwind;
use crate::wait::WakerId;

/// A function that is told of the request.
pub(super) type Notify = std::sync::Arc<dyn Fn() + Send + Sync>;

/// A request to stop, and what is told of it.
pub(super) struct StopRequest {
    made: AtomicBool,
    listeners: Mutex<Listeners>,
}

/// Those that cannot look all the time, because they sleep.
#[derive(Default)]
struct Listeners {
    next: u64,
    notify: BTreeMap<u64, Notify>,
    /// Empty once the request is made.
    wakers: BTreeMap<u64, Waker>,
}

/// A waker in the list.
pub(super) struct ListedWaker {
    number: u64,
    /// The one that is listed: a poll with the same one need not take the lock.
    id: WakerId,
}

impl StopRequest {
    /// One that has not been made.
    pub(super) fn new() -> Self {
        StopRequest {
            made: AtomicBool::new(false),
            listeners: Mutex::new(Listeners::default()),
        }
    }

    /// Whether it has been made.
    #[inline]
    pub(super) fn is_made(&self) -> bool {
        // Relaxed: it tells nothing but itself; a loop that stops a little later does no harm.
        self.made.load(Ordering::Relaxed)
    }

    /// Makes the request, and tells all that listen.
    pub(super) fn make(&self) {
        let (wakers, notify): (_, Vec<_>) = {
            let mut listeners = lock(&self.listeners);
            // Under the lock: a thread that registers either sees it or is told. Release: for the
            // poll that sees it without the lock.
            self.made.store(true, Ordering::Release);
            let wakers = std::mem::take(&mut listeners.wakers);
            (wakers, listeners.notify.values().cloned().collect())
        };
        for waker in wakers.into_values() {
            // The waker is the program's: its panic must not keep the others from being told.
            if let Err(payload) = unwind::catch(|| waker.wake()) {
                unwind::discard(payload);
            }
        }
        for notify in notify {
            notify();
        }
    }

    /// Has `notify` called when the request is made, or now if it has been.
    pub(super) fn add(&self, notify: Notify) -> u64 {
        let mut listeners = lock(&self.listeners);
        let number = listeners.next_number();
        listeners.notify.insert(number, Notify::clone(&notify));
        let is_late = self.is_made();
        drop(listeners);
        if is_late {
            notify();
        }
        number
    }

    /// The function with this number is called no more.
    pub(super) fn remove(&self, number: u64) {
        let gone = lock(&self.listeners).notify.remove(&number);
        drop(gone);
    }

    /// Whether the request has been made; if not, `waker` is woken when it is. `listed` is what
    /// this has listed for the same future before.
    pub(super) fn poll(&self, listed: &mut Option<ListedWaker>, waker: &Waker) -> bool {
        // Acquire: the task sees what happened before the request.
        if self.made.load(Ordering::Acquire) {
            // The request has taken it out of the list, or does so under the lock that it holds.
            *listed = None;
            return true;
        }
        let id = WakerId::of(waker);
        // The request has not been made: so what is listed is in the list.
        if let Some(listed) = listed
            && listed.id == id
        {
            return false;
        }
        let new = waker.clone();
        let mut listeners = lock(&self.listeners);
        if self.is_made() && !planted!(RequestUnchecked) {
            drop(listeners);
            *listed = None;
            return true;
        }
        let number = match listed {
            Some(listed) => listed.number,
            None => listeners.next_number(),
        };
        let in_list = listeners.wakers.insert(number, new);
        drop(listeners);
        *listed = Some(ListedWaker { number, id });
        // Last: this drop is code of the program.
        drop(in_list);
        false
    }

    /// The future that has listed a waker is dropped.
    pub(super) fn leave(&self, listed: &mut Option<ListedWaker>) {
        if let Some(listed) = listed.take() {
            let in_list = lock(&self.listeners).wakers.remove(&listed.number);
            // It may panic, and this is a drop.
            unwind::discard(in_list);
        }
    }

    /// How many wakers are in the list.
    #[cfg(test)]
    pub(super) fn wakers(&self) -> usize {
        lock(&self.listeners).wakers.len()
    }
}

impl Listeners {
    fn next_number(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        number
    }
}

impl Default for StopRequest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for StopRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopRequest")
            .field("made", &self.is_made())
            .finish_non_exhaustive()
    }
}
