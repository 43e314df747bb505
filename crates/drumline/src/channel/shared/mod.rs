//! A channel of several senders, and of one receiver or several, in one order.
//!
//! # What it owns
//!
//! A [queue](Segments), and two lists of those that sleep: senders, with what they want to send, and
//! receivers. The lists are under one lock, which no call takes that finds room, or a message.
//!
//! # How a sender waits
//!
//! It puts its message on the list. From then on, each receiver that takes a message out of the full
//! queue *refills* it: the first message of the list goes into the queue, and its sender is woken.
//! Those who come later have to line up: so blocked senders are served in the order in which they
//! came, and a sender that is slow to wake up keeps no one waiting. A future that is dropped takes its
//! message off the list, or learns that it has been sent: all or nothing.
//!
//! # Rendezvous
//!
//! A queue of capacity 0 is always full. A sender that finds a receiver on the list hands it the
//! message. Otherwise it puts the message on its own list, and a receiver takes it from there. A
//! receiver that gives up at that moment puts a message that was handed to it into the queue, before
//! all others, as one that was sent already.
//!
//! # The races feared
//!
//! *A receiver sleeps beside a message, or a sender beside room*: see [`segments`].
//!
//! *A wake-up is lost with a future that is dropped.* An entry that was called stays on the list until
//! its owner removes it. If that does not receive, it passes the call on.
//!
//! *A sender sleeps when the channel closes.* The close is a bit of the word by which a sender says
//! that it sleeps. One that comes later sees it. The close calls all that are on the lists then.
//!
//! Wakers are called when the lock is open.

#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod receiver_end;
#[cfg(not(drumline_loom))]
mod receiving;
mod segment;
mod segments;
#[cfg(not(drumline_loom))]
mod sender;
#[cfg(not(drumline_loom))]
mod sending;
mod sleepers;
mod wait_list;

use std::task::Waker;

#[cfg(not(drumline_loom))]
pub(super) use self::receiver_end::ReceiverEnd;
#[cfg(not(drumline_loom))]
pub use self::receiving::{Drain, IntoIter, Iter, RecvAsync, TryIter};
use self::segments::NoMessage;
use self::segments::{Pass, Refusal, Segments, Sent, Taken};
#[cfg(not(drumline_loom))]
pub use self::sender::{SendPermit, Sender};
#[cfg(not(drumline_loom))]
pub use self::sending::{Closed, Reservation, SendAsync};
use self::sleepers::{Calls, Listed, Outgoing, Sleepers};
use self::wait_list::Removed;
use self::wait_list::WaitKey;
use super::CloseReason;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard, lock, planted};
use crate::wait::call;

/// See the module.
#[derive(Debug)]
pub(super) struct SharedQueue<T> {
    queue: Segments<T>,
    sleepers: Mutex<Sleepers<T>>,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    /// The gravest reason for which an end has gone, or was closed.
    reason: AtomicUsize,
}

/// What came of an attempt to send.
#[derive(Debug)]
pub(super) enum Unsent<T> {
    Full(T),
    Closed(T),
}

impl<T> SharedQueue<T> {
    /// A channel with one sender and one receiver. Capacity 0: a rendezvous; `usize::MAX`: no bound.
    pub(super) fn new(capacity: usize) -> Self {
        SharedQueue {
            queue: Segments::new(capacity),
            sleepers: Mutex::new(Sleepers::new()),
            senders: AtomicUsize::new(1),
            receivers: AtomicUsize::new(1),
            reason: AtomicUsize::new(0),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn is_rendezvous(&self) -> bool {
        self.queue.capacity() == 0
    }

    fn sleepers(&self) -> MutexGuard<'_, Sleepers<T>> {
        lock(&self.sleepers)
    }

    // ---- senders -----------------------------------------------------------------

    /// Sends a message if there is room, and no sender waits.
    #[inline]
    pub(super) fn try_send(&self, message: T) -> Result<(), Unsent<T>> {
        match self.queue.push(message, Pass::Newcomer) {
            Ok(Sent::Quietly) => Ok(()),
            Ok(Sent::WakesReceiver) => {
                self.wake_receiver();
                Ok(())
            }
            Err((Refusal::Closed, message)) => Err(Unsent::Closed(message)),
            Err((Refusal::Full, message)) if self.is_rendezvous() => self.hand_over(message),
            Err((Refusal::Full, message)) => Err(Unsent::Full(message)),
        }
    }

    /// Hands a message to a receiver that sleeps.
    fn hand_over(&self, message: T) -> Result<(), Unsent<T>> {
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        let Some(handed) = sleepers.receivers.first() else {
            return Err(if self.queue.is_closed() {
                Unsent::Closed(message)
            } else {
                Unsent::Full(message)
            });
        };
        *handed = Some(message);
        sleepers.call_receiver(&self.queue, &mut calls);
        drop(sleepers);
        calls.call();
        Ok(())
    }

    /// Has a sender wait behind the others. `Ready`: it is done, or the channel is closed, and what
    /// was to be sent is back.
    pub(super) fn line_up(&self, outgoing: Outgoing<T>, waker: Waker) -> Listed<Outgoing<T>> {
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        let outgoing = match (outgoing, sleepers.receivers.first()) {
            (Outgoing::Message(message), Some(handed)) if self.is_rendezvous() => {
                *handed = Some(message);
                sleepers.call_receiver(&self.queue, &mut calls);
                drop(sleepers);
                calls.call();
                return Listed::Ready(Outgoing::Done);
            }
            (outgoing, _) => outgoing,
        };
        let key = sleepers.senders.push(outgoing, waker);
        if self.queue.list_senders() && !planted!(LinesUpBlindly) {
            sleepers.refill(&self.queue, &mut calls);
        }
        // Those that are on the list when the channel closes are called.
        let listed = if sleepers.senders.is_called(&key) || self.queue.is_closed() {
            let removed = sleepers.senders.remove(key);
            sleepers.tidy_senders(&self.queue);
            drop(sleepers);
            drop(removed.waker);
            Listed::Ready(removed.payload)
        } else {
            drop(sleepers);
            Listed::Waits(key)
        };
        calls.call();
        listed
    }

    /// Whether a sender that waits goes on: it has been called. What it had to send comes back if
    /// the channel is closed. Otherwise its entry calls this waker from now on.
    pub(super) fn look_at_sender(&self, key: WaitKey, waker: &Waker) -> Listed<Outgoing<T>> {
        // The program's code, so before the lock.
        let waker = waker.clone();
        let mut sleepers = self.sleepers();
        if sleepers.senders.is_called(&key) {
            let removed = sleepers.senders.remove(key);
            return Listed::Ready(removed.payload);
        }
        let before = sleepers.senders.replace_waker(&key, waker);
        drop(sleepers);
        drop(before);
        Listed::Waits(key)
    }

    /// A sender waits no more. What it had to send comes back, unless it is done.
    pub(super) fn step_out(&self, key: WaitKey) -> Outgoing<T> {
        let mut sleepers = self.sleepers();
        let Removed { payload, waker, .. } = sleepers.senders.remove(key);
        sleepers.tidy_senders(&self.queue);
        drop(sleepers);
        drop(waker);
        payload
    }

    /// Whether a sender that watches should try again.
    pub(super) fn may_send(&self) -> bool {
        self.queue.may_push()
    }

    /// Takes a place for a message that comes later, if there is room.
    pub(super) fn try_reserve(&self) -> Result<(), Unsent<()>> {
        if !self.queue.is_bounded() {
            return if self.queue.is_closed() {
                Err(Unsent::Closed(()))
            } else {
                Ok(())
            };
        }
        self.queue
            .push_hole(Pass::Newcomer)
            .map_err(|refusal| match refusal {
                Refusal::Full => Unsent::Full(()),
                Refusal::Closed => Unsent::Closed(()),
            })
    }

    /// Sends a message in the place that was taken for it.
    pub(super) fn send_reserved(&self, message: T) -> Result<(), T> {
        let pushed = self.queue.push(message, Pass::Permit);
        // After that: meanwhile the message may count twice, but never less than once.
        self.give_room_back();
        match pushed {
            Ok(Sent::Quietly) => Ok(()),
            Ok(Sent::WakesReceiver) => {
                self.wake_receiver();
                Ok(())
            }
            Err((_, message)) => Err(message),
        }
    }

    /// Gives back the place that was taken for a message.
    pub(super) fn give_room_back(&self) {
        if self.queue.count_taken(1) == Taken::LeavesRoom {
            self.refill();
        }
    }

    #[cold]
    fn wake_receiver(&self) {
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        sleepers.call_receiver(&self.queue, &mut calls);
        drop(sleepers);
        calls.call();
    }

    #[cold]
    fn refill(&self) {
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        sleepers.refill(&self.queue, &mut calls);
        drop(sleepers);
        calls.call();
    }

    // ---- receivers ---------------------------------------------------------------

    /// Takes a message if there is one.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment, unless `is_shared`.
    #[inline]
    pub(super) unsafe fn take(&self, is_shared: bool) -> Result<T, NoMessage> {
        let taken = if is_shared {
            self.queue.take_shared()
        } else {
            // SAFETY: the caller's obligation.
            unsafe { self.queue.take_alone() }
        };
        match taken {
            Ok((message, Taken::Quietly)) => Ok(message),
            Ok((message, Taken::LeavesRoom)) => {
                // A rendezvous leaves no room; only what was returned is in its queue.
                self.refill();
                Ok(message)
            }
            Err(NoMessage::Yet) if self.is_rendezvous() => self.take_outgoing(),
            Err(nothing) => Err(nothing),
        }
    }

    /// Takes the message of a sender that waits.
    fn take_outgoing(&self) -> Result<T, NoMessage> {
        if !self.queue.has_listed_senders() {
            return Err(NoMessage::Yet);
        }
        let mut sleepers = self.sleepers();
        let (message, sender) = self.accept(&mut sleepers).ok_or(NoMessage::Yet)?;
        drop(sleepers);
        sender.into_iter().for_each(call);
        Ok(message)
    }

    fn accept(&self, sleepers: &mut Sleepers<T>) -> Option<(T, Option<Waker>)> {
        let outgoing = sleepers.senders.first()?;
        let Outgoing::Message(message) = std::mem::replace(outgoing, Outgoing::Done) else {
            unreachable!("a rendezvous gives no permits");
        };
        let sender = sleepers.senders.call();
        sleepers.tidy_senders(&self.queue);
        Some((message, sender))
    }

    /// As [`take`](Self::take), for up to `most` messages, which is at least one.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take).
    pub(super) unsafe fn take_many(
        &self,
        messages: &mut Vec<T>,
        most: usize,
        is_shared: bool,
    ) -> Result<usize, NoMessage> {
        // SAFETY: the caller's obligation.
        match unsafe { self.queue.take_many(messages, most, is_shared) } {
            Ok((count, Taken::Quietly)) => Ok(count),
            Ok((count, Taken::LeavesRoom)) => {
                self.refill();
                Ok(count)
            }
            Err(NoMessage::Yet) if self.is_rendezvous() => {
                messages.reserve(1);
                messages.push(self.take_outgoing()?);
                Ok(1)
            }
            Err(nothing) => Err(nothing),
        }
    }

    /// Whether a receiver that watches should try again.
    pub(super) fn may_receive(&self) -> bool {
        self.queue.may_take() || self.is_rendezvous() && self.queue.has_listed_senders()
    }

    /// Has a receiver wait. `Ready`: there is something for it, perhaps this message.
    ///
    /// `is_alone`: it is the only receiver, so that another entry is of a future that was forgotten.
    pub(super) fn list_receiver(
        &self,
        waker: Waker,
        was_called: bool,
        is_alone: bool,
    ) -> Listed<Option<T>> {
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        if let Some((message, sender)) = self
            .is_rendezvous()
            .then(|| self.accept(&mut sleepers))
            .flatten()
        {
            drop(sleepers);
            sender.into_iter().for_each(call);
            return Listed::Ready(Some(message));
        }
        while is_alone && !sleepers.receivers.is_empty() {
            calls.add(sleepers.receivers.call());
        }
        let key = if was_called {
            // It has waited already.
            sleepers.receivers.push_first(None, waker)
        } else {
            sleepers.receivers.push(None, waker)
        };
        let listed = if self.queue.list_receivers() || planted!(ReceiverSleepsBlindly) {
            drop(sleepers);
            Listed::Waits(key)
        } else {
            let removed = sleepers.receivers.remove(key);
            if sleepers.receivers.is_empty() {
                self.queue.unlist_receivers();
            }
            drop(sleepers);
            drop(removed.waker);
            Listed::Ready(None)
        };
        // What was forgotten is not woken.
        drop(calls);
        listed
    }

    /// Whether a receiver that waits goes on: it has been called, perhaps with a message. Otherwise
    /// its entry calls this waker from now on.
    pub(super) fn look_at_receiver(&self, key: WaitKey, waker: &Waker) -> Listed<Option<T>> {
        // The program's code, so before the lock.
        let waker = waker.clone();
        let mut sleepers = self.sleepers();
        if sleepers.receivers.is_called(&key) {
            return Listed::Ready(sleepers.receivers.remove(key).payload);
        }
        let before = sleepers.receivers.replace_waker(&key, waker);
        drop(sleepers);
        drop(before);
        Listed::Waits(key)
    }

    /// A receiver waits no more. Returns whether it had been called, and what was handed to it. One
    /// that was called is to receive, or to [pass the call on](Self::pass_on).
    pub(super) fn unlist_receiver(&self, key: WaitKey) -> (bool, Option<T>) {
        let mut sleepers = self.sleepers();
        let removed = sleepers.receivers.remove(key);
        if !removed.was_called && sleepers.receivers.is_empty() {
            self.queue.unlist_receivers();
        }
        drop(sleepers);
        drop(removed.waker);
        (removed.was_called, removed.payload)
    }

    /// A receiver was called, and does not receive.
    pub(super) fn pass_on(&self, handed: Option<T>) {
        if let Some(message) = handed {
            // It was sent, so it must not be refused.
            if let Err((_, message)) = self.queue.push(message, Pass::Returned) {
                drop(message);
                unreachable!("a message that is returned passes all by");
            }
        }
        if !planted!(CallDropped) {
            self.wake_receiver();
        }
    }

    // ---- the end -----------------------------------------------------------------

    /// A further sender.
    pub(super) fn add_sender(&self) {
        // Relaxed: the caller has one.
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    /// A further receiver.
    pub(super) fn add_receiver(&self) {
        // Relaxed: the caller has one.
        self.receivers.fetch_add(1, Ordering::Relaxed);
    }

    /// A sender is gone.
    pub(super) fn leave_sender(&self, reason: CloseReason) {
        // Relaxed: published by the count. Reasons are ordered by how grave they are.
        self.reason.fetch_max(reason.code(), Ordering::Relaxed);
        // Release: all that the sender has done comes before the end. Acquire: for the last one.
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end();
        }
    }

    /// A receiver is gone. Returns whether it was the last one.
    pub(super) fn leave_receiver(&self) -> bool {
        // As for senders.
        let is_last = self.receivers.fetch_sub(1, Ordering::AcqRel) == 1;
        if is_last {
            self.close();
        }
        is_last
    }

    /// Closes the channel for a receiver.
    pub(super) fn close(&self) {
        let reason = CloseReason::ClosedByReceiver.code();
        // Relaxed: published by the close.
        self.reason.fetch_max(reason, Ordering::Relaxed);
        self.end();
    }

    /// Lets no message in any more, and calls all that sleep.
    fn end(&self) {
        if !self.queue.close() || planted!(CloseCallsNone) {
            return;
        }
        let mut calls = Calls::default();
        let mut sleepers = self.sleepers();
        while !sleepers.senders.is_empty() {
            calls.add(sleepers.senders.call());
        }
        sleepers.tidy_senders(&self.queue);
        while !sleepers.receivers.is_empty() {
            calls.add(sleepers.receivers.call());
        }
        self.queue.unlist_receivers();
        while !sleepers.closers.is_empty() {
            calls.add(sleepers.closers.call());
        }
        drop(sleepers);
        calls.call();
    }

    pub(super) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Why no more messages are sent, if that is so.
    pub(super) fn close_reason(&self) -> Option<CloseReason> {
        if !self.queue.is_closed() {
            return None;
        }
        // Relaxed: acquired with the close.
        CloseReason::from_code(self.reason.load(Ordering::Relaxed))
    }

    /// Has what waits for the end called. `None`: it has come.
    pub(super) fn list_closer(&self, waker: Waker) -> Option<WaitKey> {
        let mut sleepers = self.sleepers();
        if self.queue.is_closed() {
            drop(sleepers);
            return None;
        }
        Some(sleepers.closers.push((), waker))
    }

    /// What waited for the end waits no more.
    pub(super) fn unlist_closer(&self, key: WaitKey) {
        let removed = self.sleepers().closers.remove(key);
        drop(removed.waker);
    }
}
