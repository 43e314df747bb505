//! How a [select](mod@crate::channel::select) waits at `mpsc` and `mpmc`.
//!
//! A select waits at several ends at once, and uses one of them. So it has to be able to step back
//! from each of the others without a trace, whatever has come for it there meanwhile.
//!
//! # States
//!
//! ```text
//!                   listen                    a message comes
//!   RecvWatch  ○ ──────────► on the list ─────────────────────► called
//!              ▲                  │ unlisten                      │
//!              ├──────────────────┘                               ├── take: a message (○)
//!              └────────── the call is passed on ◄── unlisten ────┤
//!                                                                 └── take: nothing; listen: first
//!                                                                     on the list
//!                   listen                    room comes
//!   SendWatch  ○ ──────────► on the list ─────────────────────► has a permit
//!              ▲                  │ unlisten                      │
//!              ├──────────────────┘                               ├── send (○)
//!              └────────── the place is given back ◄── unlisten ──┘
//! ```
//!
//! # The races feared
//!
//! *A wake-up is lost with a select that uses another end.* A receiver that is called owes an
//! answer: it takes a message, or passes the call on. A watch that is dropped from a select, or
//! that finds that another receiver took the message, does the one or the other.
//!
//! *A place is lost with a select that uses another end.* A sender lines up for a permit, with no
//! message. A permit that comes too late goes back, and serves the next sender of the line.
//!
//! *A message is handed to a select that uses another end.* This is a rendezvous. The message goes
//! to the next receiver, or stays in the channel, before all that is sent later.

use std::mem;
use std::task::Waker;

use super::segments::NoMessage;
use super::sleepers::{Calls, Listed, Outgoing};
use super::wait_list::{WaitKey, WaitList};
use super::{SharedQueue, Unsent};
use crate::sync::{lock, planted};
use crate::wait::let_go;

/// What a select remembers of a receiver.
#[derive(Debug, Default)]
pub struct RecvWatch {
    /// While it is on the list.
    key: Option<WaitKey>,
    /// It was called, and has neither received nor passed the call on.
    owes_answer: bool,
}

/// What a select remembers of a sender.
#[derive(Debug, Default)]
pub struct SendWatch {
    /// While it is on the list.
    key: Option<WaitKey>,
    /// A place is kept for its message.
    has_permit: bool,
}

impl RecvWatch {
    /// Takes a message if there is one.
    ///
    /// # Safety
    ///
    /// As for [`SharedQueue::take`].
    #[inline]
    pub(in crate::channel) unsafe fn take<T>(
        &mut self,
        queue: &SharedQueue<T>,
    ) -> Result<T, NoMessage> {
        if self.key.is_some()
            && let Some(handed) = queue.take_call(&mut self.key)
        {
            if let Some(message) = handed {
                return Ok(message);
            }
            self.owes_answer = true;
        }
        // SAFETY: the caller's obligation.
        let taken = unsafe { queue.take() };
        if taken.is_ok() {
            self.owes_answer = false;
        }
        taken
    }

    /// Has `waker` called by what comes next. `false`: there is something to look at.
    pub(in crate::channel) fn listen<T>(&mut self, queue: &SharedQueue<T>, waker: &Waker) -> bool {
        // The program's code: should it panic, all stays as it is.
        let waker = waker.clone();
        if let Some(key) = &self.key {
            return queue.replace_waker_of_receiver(key, waker);
        }
        self.key = queue.list_watch(waker, self.owes_answer);
        if self.key.is_some() {
            // Before the others: it hears of what the call was about.
            self.owes_answer = false;
        }
        self.key.is_some()
    }

    /// Listens no more, and passes on what it has been called for.
    pub(in crate::channel) fn unlisten<T>(&mut self, queue: &SharedQueue<T>) {
        if let Some(key) = self.key.take() {
            let (was_called, handed) = queue.unlist_receiver(key);
            if was_called && !planted!(SelectKeepsCall) {
                queue.pass_on(handed);
            }
        }
        if mem::take(&mut self.owes_answer) && !planted!(SelectKeepsCall) {
            queue.pass_on(None);
        }
    }
}

impl SendWatch {
    /// Keeps a place for a message, if there is one, until [`send`](Self::send) or
    /// [`unlisten`](Self::unlisten).
    #[inline]
    pub(in crate::channel) fn reserve<T>(
        &mut self,
        queue: &SharedQueue<T>,
    ) -> Result<(), Unsent<()>> {
        if self.has_permit {
            return Ok(());
        }
        if self.key.is_some() {
            return match queue.take_permit(&mut self.key) {
                Some(true) => {
                    self.has_permit = true;
                    Ok(())
                }
                Some(false) => Err(Unsent::Closed(())),
                None => Err(Unsent::Full(())),
            };
        }
        // A look without the lock, for a select that watches.
        if !queue.may_send() && queue.queue.room() == 0 {
            return Err(Unsent::Full(()));
        }
        queue.try_reserve()?;
        self.has_permit = true;
        Ok(())
    }

    /// Sends a message in the place that is kept for it.
    #[inline]
    pub(in crate::channel) fn send<T>(
        &mut self,
        queue: &SharedQueue<T>,
        message: T,
    ) -> Result<(), T> {
        debug_assert!(self.has_permit, "a place is kept");
        self.has_permit = false;
        queue.send_reserved(message)
    }

    /// Has `waker` called when there is room, or the channel is closed. `false`: it is so.
    pub(in crate::channel) fn listen<T>(&mut self, queue: &SharedQueue<T>, waker: &Waker) -> bool {
        if self.has_permit {
            return false;
        }
        // The program's code, as above.
        let waker = waker.clone();
        if let Some(key) = &self.key {
            return queue.replace_waker_of_sender(key, waker);
        }
        match queue.line_up(Outgoing::Permit, waker) {
            Listed::Waits(key) => self.key = Some(key),
            Listed::Ready(Outgoing::Done) => self.has_permit = true,
            // The channel is closed.
            Listed::Ready(_) => {}
        }
        self.key.is_some()
    }

    /// Listens no more, and gives back the place that is kept, unless it is to be kept.
    pub(in crate::channel) fn unlisten<T>(&mut self, queue: &SharedQueue<T>, keeps_place: bool) {
        if let Some(key) = self.key.take()
            && let Outgoing::Done = queue.step_out(key)
        {
            self.has_permit = true;
        }
        if keeps_place {
            return;
        }
        if mem::take(&mut self.has_permit) && !planted!(SelectKeepsPermit) {
            queue.give_room_back();
        }
    }
}

impl<T> SharedQueue<T> {
    /// As [`list_receiver`](Self::list_receiver), for a receiver that takes nothing here. `None`:
    /// there is something to look at.
    fn list_watch(&self, waker: Waker, was_called: bool) -> Option<WaitKey> {
        let mut unused = Calls::default();
        let key = self.locked(|sleepers, _| {
            if self.is_rendezvous() && self.queue.stops_newcomers() {
                // A sender waits, or a message has come back.
                unused.add(Some(waker));
                return None;
            }
            self.list_receiver_locked(sleepers, waker, was_called, &mut unused)
        });
        unused.let_go();
        key
    }

    /// What a receiver was called with, perhaps a message; it is off the list then. `None`: it was
    /// not called.
    fn take_call(&self, key: &mut Option<WaitKey>) -> Option<Option<T>> {
        let called = take_called(&mut lock(&self.sleepers).receivers, key);
        called.map(|handed| handed.map(|handed| handed.message))
    }

    /// Whether a sender that was called has a permit: if not, the channel is closed. It is off the
    /// list then. `None`: it was not called.
    fn take_permit(&self, key: &mut Option<WaitKey>) -> Option<bool> {
        let called = take_called(&mut lock(&self.sleepers).senders, key);
        called.map(|outgoing| matches!(outgoing, Outgoing::Done))
    }

    /// Has another waker called. `false`: the receiver was called before.
    fn replace_waker_of_receiver(&self, key: &WaitKey, waker: Waker) -> bool {
        let unused = replace_waker(&mut lock(&self.sleepers).receivers, key, waker);
        drop_waker(unused)
    }

    /// The same for a sender.
    fn replace_waker_of_sender(&self, key: &WaitKey, waker: Waker) -> bool {
        let unused = replace_waker(&mut lock(&self.sleepers).senders, key, waker);
        drop_waker(unused)
    }
}

/// Has another waker called. Returns the one that is left: the old one, or, as an error, the new
/// one if the entry was called.
fn replace_waker<P>(list: &mut WaitList<P>, key: &WaitKey, waker: Waker) -> Result<Waker, Waker> {
    if list.is_called(key) {
        return Err(waker);
    }
    Ok(list.replace_waker(key, waker).expect("it waits"))
}

/// Drops what is left, outside of the lock. Returns whether it is the old one.
fn drop_waker(unused: Result<Waker, Waker>) -> bool {
    let is_old = unused.is_ok();
    let (Ok(waker) | Err(waker)) = unused;
    let_go(waker);
    is_old
}

/// What is in the entry of this key, if it was called; it is removed then.
fn take_called<P>(list: &mut WaitList<P>, key: &mut Option<WaitKey>) -> Option<P> {
    if !list.is_called(key.as_ref()?) {
        return None;
    }
    key.take().map(|key| list.remove(key).payload)
}
