//! Where an end of a channel says that it waits.
//!
//! A [`WaiterEntry`] is a word in the end, empty until the end waits for the first time. Then it
//! gets a *slot*, which is listed in the [table](super::waiter_table) until the end is gone. To
//! wait again costs a few stores into that slot, and no lock. So tasks that pass a message to and
//! fro do not notice it. An end that never waits pays for a word of memory.
//!
//! The slot belongs to the table and to the end together. It holds nothing borrowed. So a future
//! that is forgotten leaves no pointer behind; its end is said to wait until it waits again, or is
//! gone.

use super::budget::{self, Poller};
use super::waiter_slot::{WaitSite, WaiterSlot};
use super::waiter_table;
use crate::sync::Arc;

/// What an end of a channel says of its waiting; by one thread or task at a time.
///
/// ```text
/// let _asleep = self.entry.sleep(site); // a thread sleeps, until this is dropped
/// self.entry.pend(site); // a future is about to say that it is pending
/// self.entry.clear(); // it is ready, or dropped
/// ```
#[derive(Debug, Default)]
pub(crate) struct WaiterEntry(Option<Arc<WaiterSlot>>);

/// The calling thread sleeps, until this is dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Asleep<'a>(&'a mut WaiterEntry);

impl Drop for Asleep<'_> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

impl WaiterEntry {
    pub(crate) const fn new() -> Self {
        WaiterEntry(None)
    }

    /// The calling thread is about to sleep at `site`.
    #[cold]
    pub(crate) fn sleep(&mut self, site: WaitSite) -> Asleep<'_> {
        if let Some(slot) = self.slot() {
            slot.set(site, Poller::Thread);
        }
        Asleep(self)
    }

    /// The future that is polled is pending at `site` until the entry is [cleared](Self::clear).
    /// Nothing changes if it was pending there before.
    #[inline]
    pub(crate) fn pend(&mut self, site: WaitSite) {
        if let Some(slot) = self.slot()
            && !slot.is_at(site)
        {
            slot.set(site, budget::poller());
        }
    }

    /// Nothing waits any more.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if let Some(slot) = &self.0 {
            slot.words.clear();
        }
    }

    /// The slot of this end. `None`: nothing is listed here.
    fn slot(&mut self) -> Option<&WaiterSlot> {
        if self
            .0
            .as_ref()
            .is_none_or(|slot| !slot.is_of_this_process())
        {
            self.0 = waiter_table::list();
        }
        self.0.as_deref()
    }
}

impl Drop for WaiterEntry {
    #[inline]
    fn drop(&mut self) {
        if let Some(slot) = self.0.take() {
            waiter_table::unlist(slot);
        }
    }
}
