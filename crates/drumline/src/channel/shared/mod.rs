//! A channel of several senders, and of one receiver or several, in one order.
//!
//! # What it owns
//!
//! A [queue](Segments), and two lists of those that sleep: senders, with what they want to send,
//! and receivers. The lists are under one lock, which no call takes that finds room, or a message.
//!
//! # How a sender waits
//!
//! It puts its message on the list. From then on, each receiver that takes a message out of the
//! full queue *refills* it: the first message of the list goes into the queue, and its sender is
//! woken. Senders that come later have to line up. So blocked senders are served in the order in
//! which they came. A sender that is slow to wake up keeps no other one waiting. A future that is
//! dropped takes its message off the list, or learns that it has been sent: all or nothing.
//!
//! # Permits
//!
//! A permit is a place in a channel with a bound that is kept for a message. Permits are counted
//! under the lock. As long as there are some, newcomers are sent to the lock as well: so no place
//! is taken twice.
//!
//! # Rendezvous
//!
//! A queue of capacity 0 is always full. A sender that finds a receiver on the list hands it the
//! message. Otherwise it puts the message on its own list, and a receiver takes it from there. A
//! receiver that gives up at that moment gives the message that was handed to it to the next one,
//! or leaves it behind, where it comes before all that is sent later.
//!
//! # The races feared
//!
//! *A receiver sleeps beside a message, or a sender beside room*: see [`segments`].
//!
//! *A wake-up is lost with a future that is dropped.* An entry that was called stays on the list
//! until its owner removes it. If that does not receive, it passes the call on.
//!
//! *A sender sleeps when the channel closes.* The close is a bit of the word by which a sender says
//! that it sleeps. One that comes later sees it. The close calls all that are on the lists then.
//!
//! Wakers are the program's, and may do anything. They are called and dropped when the lock is
//! open, their panics are dropped, and they are cloned before anything is taken.

#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod receiver_end;
#[cfg(not(drumline_loom))]
mod receiving;
mod segment;
mod segments;
mod selecting;
#[cfg(not(drumline_loom))]
mod sender;
#[cfg(not(drumline_loom))]
mod sending;
mod sleepers;
mod wait_list;

#[cfg(not(drumline_loom))]
use std::panic::Location;
use std::task::Waker;

#[cfg(not(drumline_loom))]
pub(super) use self::receiver_end::ReceiverEnd;
#[cfg(not(drumline_loom))]
pub use self::receiving::{Drain, IntoIter, Iter, RecvAsync, TryIter};
use self::segments::NoMessage;
use self::segments::{Pass, Refusal, Segments, Sent, Taken};
pub(super) use self::selecting::{RecvWatch, SendWatch};
#[cfg(not(drumline_loom))]
pub use self::sender::{SendPermit, Sender};
#[cfg(not(drumline_loom))]
pub use self::sending::{Closed, Reservation, SendAsync};
use self::sleepers::{Calls, Handed, Listed, Outgoing, Sleepers};
use self::wait_list::WaitKey;
use self::wait_list::{Removed, WaitList};
use super::CloseReason;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, lock, planted};
use crate::wait::{let_go, settle};
#[cfg(not(drumline_loom))]
use crate::{
    sync::{Arc, Instant},
    wait::{ChannelKind, WaitSite, WaitingFor, Watched},
};

/// See the module.
#[derive(Debug)]
pub(super) struct SharedQueue<T> {
    queue: Segments<T>,
    sleepers: Mutex<Sleepers<T>>,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    /// The gravest reason for which an end has gone, or was closed.
    reason: AtomicUsize,
    /// Whether there may be several receivers.
    is_shared: bool,
}

/// What came of an attempt to send.
#[derive(Debug)]
pub(super) enum Unsent<T> {
    Full(T),
    Closed(T),
}

impl<T> SharedQueue<T> {
    /// A channel with one sender and one receiver. Capacity 0: a rendezvous; `usize::MAX`: no
    /// bound.
    pub(super) fn new(capacity: usize, is_shared: bool) -> Self {
        SharedQueue {
            queue: Segments::new(capacity),
            sleepers: Mutex::new(Sleepers::new()),
            senders: AtomicUsize::new(1),
            receivers: AtomicUsize::new(1),
            reason: AtomicUsize::new(0),
            is_shared,
        }
    }

    /// Where in the program an end of this channel waits.
    #[cfg(not(drumline_loom))]
    fn site(
        self: &Arc<Self>,
        waiting_for: WaitingFor,
        location: &'static Location<'static>,
    ) -> WaitSite {
        let kind = if self.is_shared {
            ChannelKind::Mpmc
        } else {
            ChannelKind::Mpsc
        };
        WaitSite::new(kind, Arc::as_ptr(self), waiting_for, location)
    }

    /// See [`Segments::pause`].
    #[cfg(not(drumline_loom))]
    pub(super) fn pause(&self) {
        self.queue.pause();
    }

    /// Watches for a message or for room, before the thread sleeps.
    #[cfg(not(drumline_loom))]
    fn watch(&self, deadline: Option<Instant>, is_ready: impl FnMut() -> bool) -> Watched {
        self.queue.watch(deadline, is_ready)
    }

    /// See [`Segments::pause_for_room`].
    #[cfg(not(drumline_loom))]
    fn pause_for_room(&self) {
        self.queue.pause_for_room();
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

    /// Does something under the lock, and then calls the wakers that it has collected.
    fn locked<R>(&self, f: impl FnOnce(&mut Sleepers<T>, &mut Calls) -> R) -> R {
        let mut calls = Calls::default();
        let result = f(&mut lock(&self.sleepers), &mut calls);
        calls.call();
        result
    }

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
            Err((Refusal::Full, message)) => self.try_send_refused(message),
        }
    }

    /// Sends a message to a rendezvous, or beside permits. If whatever it was refused for is over
    /// when this looks, it tries again: with room all the time, a channel is never called full.
    fn try_send_refused(&self, mut message: T) -> Result<(), Unsent<T>> {
        loop {
            if self.is_rendezvous() || self.queue.stops_newcomers() {
                match self.try_send_locked(message)? {
                    Some(back) => message = back,
                    None => return Ok(()),
                }
            } else if self.queue.room() == 0 || planted!(CalledFull) {
                return Err(self.unsent(message));
            }
            match self.queue.push(message, Pass::Newcomer) {
                Ok(Sent::Quietly) => return Ok(()),
                Ok(Sent::WakesReceiver) => {
                    self.wake_receiver();
                    return Ok(());
                }
                Err((Refusal::Closed, message)) => return Err(Unsent::Closed(message)),
                Err((Refusal::Full, back)) => message = back,
            }
        }
    }

    /// The same, under the lock. `Some`: nothing is in the way of newcomers any more.
    fn try_send_locked(&self, message: T) -> Result<Option<T>, Unsent<T>> {
        self.locked(|sleepers, calls| {
            if self.is_rendezvous() {
                return match sleepers.hand_over(message, &self.queue, calls) {
                    Ok(()) => Ok(None),
                    Err(message) => Err(self.unsent(message)),
                };
            }
            if !sleepers.senders.is_empty() {
                return Err(self.unsent(message));
            }
            if sleepers.reserved == 0 {
                return Ok(Some(message));
            }
            if self.queue.room() <= sleepers.reserved {
                return Err(self.unsent(message));
            }
            match self.admit(message, sleepers, calls) {
                Ok(()) => Ok(None),
                Err(message) => Err(Unsent::Closed(message)),
            }
        })
    }

    /// Sends a message for which there is a place.
    fn admit(&self, message: T, sleepers: &mut Sleepers<T>, calls: &mut Calls) -> Result<(), T> {
        match self.queue.push(message, Pass::Admitted) {
            Ok(Sent::Quietly) => Ok(()),
            Ok(Sent::WakesReceiver) => {
                sleepers.call_receiver(&self.queue, calls);
                Ok(())
            }
            Err((_, message)) => Err(message),
        }
    }

    fn unsent<M>(&self, message: M) -> Unsent<M> {
        if self.queue.is_closed() {
            Unsent::Closed(message)
        } else {
            Unsent::Full(message)
        }
    }

    /// Has a sender wait behind the others. `Ready`: it is done, or the channel is closed, and what
    /// was to be sent is back.
    pub(super) fn line_up(&self, outgoing: Outgoing<T>, waker: Waker) -> Listed<Outgoing<T>> {
        let mut must_settle = false;
        let (listed, waker) = self.locked(|sleepers, calls| {
            let outgoing = match outgoing {
                Outgoing::Message(message) if self.is_rendezvous() => {
                    match sleepers.hand_over(message, &self.queue, calls) {
                        Ok(()) => return (Listed::Ready(Outgoing::Done), Some(waker)),
                        Err(message) => Outgoing::Message(message),
                    }
                }
                outgoing => outgoing,
            };
            let key = sleepers.senders.push(outgoing, waker);
            must_settle = self.queue.list_senders();
            if self.queue.stop_newcomers() && !planted!(LinesUpBlindly) {
                sleepers.refill(&self.queue, calls);
            }
            // Those that are on the list when the channel closes are called.
            if !sleepers.senders.is_called(&key) && !self.queue.is_closed() {
                return (Listed::Waits(key), None);
            }
            let removed = sleepers.senders.remove(key);
            sleepers.tidy(&self.queue);
            (Listed::Ready(removed.payload), removed.waker)
        });
        if must_settle && !planted!(RoomUnsettled) {
            // Not under the lock: it takes microseconds.
            settle();
            self.refill();
        }
        waker.into_iter().for_each(let_go);
        listed
    }

    /// What came of the wait of a sender, if it has been called: what it had to send comes back if
    /// the channel is closed. `None`: its entry calls this waker from now on.
    pub(super) fn look_at_sender(
        &self,
        key: &mut Option<WaitKey>,
        waker: Waker,
    ) -> Option<Outgoing<T>> {
        let (outgoing, waker) = look(&mut lock(&self.sleepers).senders, key, waker);
        waker.into_iter().for_each(let_go);
        outgoing
    }

    /// A sender waits no more. What it had to send comes back, unless it is done.
    pub(super) fn step_out(&self, key: WaitKey) -> Outgoing<T> {
        let mut sleepers = lock(&self.sleepers);
        let Removed { payload, waker, .. } = sleepers.senders.remove(key);
        sleepers.tidy(&self.queue);
        drop(sleepers);
        waker.into_iter().for_each(let_go);
        payload
    }

    /// Whether a sender that watches should try again.
    pub(super) fn may_send(&self) -> bool {
        self.queue.may_push()
    }

    /// Keeps a place for a message that comes later, if there is room.
    pub(super) fn try_reserve(&self) -> Result<(), Unsent<()>> {
        if !self.queue.is_bounded() {
            return if self.queue.is_closed() {
                Err(Unsent::Closed(()))
            } else {
                Ok(())
            };
        }
        self.locked(|sleepers, _| {
            // Before the look: what newcomers claim is seen.
            let is_open = self.queue.stop_newcomers();
            let has_room = self.queue.room() > sleepers.reserved && sleepers.senders.is_empty();
            if is_open && has_room {
                sleepers.reserved += 1;
                return Ok(());
            }
            sleepers.tidy(&self.queue);
            Err(self.unsent(()))
        })
    }

    /// Sends a message in the place that was kept for it.
    pub(super) fn send_reserved(&self, message: T) -> Result<(), T> {
        if !self.queue.is_bounded() {
            return self.try_send(message).map_err(|unsent| match unsent {
                Unsent::Full(message) | Unsent::Closed(message) => message,
            });
        }
        self.locked(|sleepers, calls| {
            let sent = self.admit(message, sleepers, calls);
            sleepers.reserved -= 1;
            sleepers.tidy(&self.queue);
            sent
        })
    }

    /// Gives back the place that was kept for a message.
    pub(super) fn give_room_back(&self) {
        if self.queue.is_bounded() {
            self.locked(|sleepers, calls| {
                sleepers.reserved -= 1;
                sleepers.refill(&self.queue, calls);
            });
        }
    }

    #[cold]
    fn wake_receiver(&self) {
        self.locked(|sleepers, calls| sleepers.call_receiver(&self.queue, calls));
    }

    #[cold]
    fn refill(&self) {
        self.locked(|sleepers, calls| sleepers.refill(&self.queue, calls));
    }

    /// Takes a message if there is one.
    ///
    /// # Safety
    ///
    /// No other thread takes at this moment, unless there may be several receivers.
    #[inline]
    pub(super) unsafe fn take(&self) -> Result<T, NoMessage> {
        let taken = if self.is_shared {
            self.queue.take_shared()
        } else {
            // SAFETY: the caller's obligation.
            unsafe { self.queue.take_alone() }
        };
        match taken {
            Ok((message, taken)) => {
                self.follow_up(taken);
                Ok(message)
            }
            Err(nothing) if self.is_rendezvous() => self.accept().ok_or(nothing),
            Err(nothing) => Err(nothing),
        }
    }

    /// Takes a message out of a rendezvous.
    #[cold]
    fn accept(&self) -> Option<T> {
        if !self.queue.stops_newcomers() {
            return None;
        }
        self.locked(|sleepers, calls| sleepers.accept(&self.queue, calls))
    }

    /// As [`take`](Self::take), in the usual case of one receiver.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take).
    #[inline]
    pub(super) unsafe fn take_at_once(&self) -> Option<T> {
        if self.is_shared {
            return None;
        }
        // SAFETY: the caller's obligation.
        let (message, taken) = unsafe { self.queue.take_at_once() }?;
        self.follow_up(taken);
        Some(message)
    }

    /// Does what is to be done after something was taken.
    #[inline]
    fn follow_up(&self, taken: Taken) {
        match taken {
            Taken::Quietly => {}
            Taken::LeavesRoom => self.refill(),
            Taken::Asks => self.queue.ask_for_barrier(),
        }
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
    ) -> Result<usize, NoMessage> {
        // SAFETY: the caller's obligation.
        match unsafe { self.queue.take_many(messages, most, self.is_shared) } {
            Ok((count, taken)) => {
                self.follow_up(taken);
                Ok(count)
            }
            Err(nothing) if self.is_rendezvous() => {
                messages.reserve(1);
                messages.push(self.accept().ok_or(nothing)?);
                Ok(1)
            }
            Err(nothing) => Err(nothing),
        }
    }

    /// Whether a receiver that watches should try again.
    pub(super) fn may_receive(&self) -> bool {
        self.queue.may_take() || self.is_rendezvous() && self.queue.stops_newcomers()
    }

    /// Has a receiver wait. `Ready`: there is something for it, perhaps this message.
    pub(super) fn list_receiver(&self, waker: Waker, was_called: bool) -> Listed<Option<T>> {
        let mut unused = Calls::default();
        let listed = self.locked(|sleepers, calls| {
            if self.is_rendezvous()
                && let Some(message) = sleepers.accept(&self.queue, calls)
            {
                unused.add(Some(waker));
                return Listed::Ready(Some(message));
            }
            match self.list_receiver_locked(sleepers, waker, was_called, &mut unused) {
                Some(key) => Listed::Waits(key),
                None => Listed::Ready(None),
            }
        });
        unused.let_go();
        listed
    }

    /// Has a receiver wait. `None`: there is something for it to look at.
    fn list_receiver_locked(
        &self,
        sleepers: &mut Sleepers<T>,
        waker: Waker,
        was_called: bool,
        unused: &mut Calls,
    ) -> Option<WaitKey> {
        // If it is the only receiver, another entry is of a future that was forgotten.
        while !self.is_shared && !sleepers.receivers.is_empty() {
            unused.add(sleepers.receivers.call());
        }
        let key = if was_called {
            // It has waited already.
            sleepers.receivers.push_first(None, waker)
        } else {
            sleepers.receivers.push(None, waker)
        };
        if self.queue.list_receivers() || planted!(ReceiverSleepsBlindly) {
            return Some(key);
        }
        unused.add(sleepers.receivers.remove(key).waker);
        if sleepers.receivers.is_empty() {
            self.queue.unlist_receivers();
        }
        None
    }

    /// What came of the wait of a receiver, if it has been called: perhaps a message. `None`: its
    /// entry calls this waker from now on.
    pub(super) fn look_at_receiver(
        &self,
        key: &mut Option<WaitKey>,
        waker: Waker,
    ) -> Option<Option<T>> {
        let (handed, waker) = look(&mut lock(&self.sleepers).receivers, key, waker);
        waker.into_iter().for_each(let_go);
        handed.map(|handed| handed.map(|handed| handed.message))
    }

    /// A receiver waits no more. Returns whether it had been called, and what was handed to it. One
    /// that was called is to receive, or to [pass the call on](Self::pass_on).
    pub(super) fn unlist_receiver(&self, key: WaitKey) -> (bool, Option<Handed<T>>) {
        let mut sleepers = lock(&self.sleepers);
        let removed = sleepers.receivers.remove(key);
        if !removed.was_called && sleepers.receivers.is_empty() {
            self.queue.unlist_receivers();
        }
        drop(sleepers);
        removed.waker.into_iter().for_each(let_go);
        (removed.was_called, removed.payload)
    }

    /// A receiver was called, and does not receive.
    pub(super) fn pass_on(&self, handed: Option<Handed<T>>) {
        if planted!(CallDropped) {
            return;
        }
        self.locked(|sleepers, calls| match handed {
            Some(handed) => sleepers.take_back(handed, &self.queue, calls),
            None => sleepers.call_receiver(&self.queue, calls),
        });
    }

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
        self.locked(|sleepers, calls| {
            while !sleepers.senders.is_empty() {
                calls.add(sleepers.senders.call());
            }
            sleepers.tidy(&self.queue);
            while !sleepers.receivers.is_empty() {
                calls.add(sleepers.receivers.call());
            }
            self.queue.unlist_receivers();
            while !sleepers.closers.is_empty() {
                calls.add(sleepers.closers.call());
            }
        });
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
        let mut sleepers = lock(&self.sleepers);
        if !self.queue.is_closed() {
            return Some(sleepers.closers.push((), waker));
        }
        drop(sleepers);
        let_go(waker);
        None
    }

    /// What waited for the end waits no more.
    pub(super) fn unlist_closer(&self, key: WaitKey) {
        let removed = lock(&self.sleepers).closers.remove(key);
        removed.waker.into_iter().for_each(let_go);
    }
}

/// What is in the entry of this key if it was called; it is removed then. Otherwise the entry gets
/// the waker. Returns the waker that is left as well.
fn look<P>(
    list: &mut WaitList<P>,
    key: &mut Option<WaitKey>,
    waker: Waker,
) -> (Option<P>, Option<Waker>) {
    let listed = key.as_ref().expect("it waits");
    if !list.is_called(listed) {
        return (None, list.replace_waker(listed, waker));
    }
    let removed = key.take().map(|key| list.remove(key));
    (removed.map(|removed| removed.payload), Some(waker))
}
