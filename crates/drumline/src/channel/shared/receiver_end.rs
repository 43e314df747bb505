//! How the receivers of `mpsc` and `mpmc` receive.

use std::mem;
use std::panic::Location;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};

use super::{Listed, NoMessage, RecvWatch, SharedQueue, WaitKey};
use crate::channel::{CloseReason, RecvError, RecvTimeoutError, TryRecvError};
use crate::sync::{Arc, Instant};
use crate::wait::{Interrupt, SleepingThread, WaitSite, WaiterEntry, WaitingFor, Watched, budget};

/// A receiver's share of a channel.
#[derive(Debug)]
pub(in crate::channel) struct ReceiverEnd<T: Send> {
    shared: Arc<SharedQueue<T>>,
    /// Made when a stream first takes from it. A further receiver has its own.
    interrupt: OnceLock<std::sync::Arc<Interrupt>>,
}

impl<T: Send> ReceiverEnd<T> {
    /// The first receiver.
    ///
    /// # Safety
    ///
    /// Unless the channel has several receivers, one thread at a time calls what is not about
    /// lengths and closing.
    pub(in crate::channel) unsafe fn new(shared: Arc<SharedQueue<T>>) -> Self {
        ReceiverEnd {
            shared,
            interrupt: OnceLock::new(),
        }
    }

    /// A further receiver.
    pub(in crate::channel) fn share(&self) -> Self {
        assert!(self.shared.is_shared, "it is the only receiver");
        self.shared.add_receiver();
        ReceiverEnd {
            shared: Arc::clone(&self.shared),
            interrupt: OnceLock::new(),
        }
    }

    pub(in crate::channel) fn is_same_channel(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    #[inline]
    fn take(&self) -> Result<T, NoMessage> {
        // SAFETY: the caller of `new` has seen to it.
        unsafe { self.shared.take() }
    }

    /// Why no more comes, when a take has said so.
    fn why(&self) -> CloseReason {
        self.shared
            .close_reason()
            .expect("a channel that has ended says why")
    }

    fn site(&self, location: &'static Location<'static>) -> WaitSite {
        self.shared.site(WaitingFor::Message, location)
    }

    /// As [`recv`](Self::recv), for the one receiver.
    #[inline]
    pub(in crate::channel) fn recv_alone(
        &self,
        location: &'static Location<'static>,
    ) -> Result<T, RecvError> {
        // SAFETY: as in `take`.
        match unsafe { self.shared.take_at_once() } {
            Some(message) => Ok(message),
            None => self.recv(location),
        }
    }

    #[inline]
    pub(in crate::channel) fn recv(
        &self,
        location: &'static Location<'static>,
    ) -> Result<T, RecvError> {
        match self.take() {
            Ok(message) => Ok(message),
            Err(NoMessage::Ever) => Err(RecvError::new(self.why())),
            Err(NoMessage::Yet) => self
                .recv_until(None, location)
                .map_err(|error| match error {
                    RecvTimeoutError::Closed(reason) => RecvError::new(reason),
                    RecvTimeoutError::Timeout => unreachable!("there is no deadline"),
                }),
        }
    }

    #[inline]
    pub(in crate::channel) fn try_recv(&self) -> Result<T, TryRecvError> {
        self.take().map_err(|nothing| self.say(nothing))
    }

    fn say(&self, nothing: NoMessage) -> TryRecvError {
        match nothing {
            NoMessage::Yet => TryRecvError::Empty,
            NoMessage::Ever => TryRecvError::Closed(self.why()),
        }
    }

    /// Receives what there is now, up to `max` messages, and adds it to `messages`.
    pub(in crate::channel) fn try_recv_many(
        &self,
        messages: &mut Vec<T>,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        // SAFETY: as in `take`.
        let taken = unsafe { self.shared.take_many(messages, max) };
        taken.map_err(|nothing| self.say(nothing))
    }

    /// What ends the wait of a stream.
    pub(in crate::channel) fn interrupt(&self) -> &std::sync::Arc<Interrupt> {
        self.interrupt.get_or_init(Interrupt::new)
    }

    #[cold]
    pub(in crate::channel) fn recv_until(
        &self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<T, RecvTimeoutError> {
        if deadline.is_some() {
            // Without a deadline, `recv` has looked.
            match self.take() {
                Ok(message) => return Ok(message),
                Err(NoMessage::Ever) => return Err(RecvTimeoutError::Closed(self.why())),
                Err(NoMessage::Yet) => {}
            }
        }
        self.shared.pause();
        self.wait_until(deadline, location, || self.take(), |message| message)
    }

    /// Calls `take` until it succeeds, and waits in between. `wrap` has a message that is handed to
    /// the thread while it waits.
    fn wait_until<R>(
        &self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
        mut take: impl FnMut() -> Result<R, NoMessage>,
        wrap: impl FnOnce(T) -> R,
    ) -> Result<R, RecvTimeoutError> {
        let mut was_called = false;
        let mut is_too_late = false;
        loop {
            match take() {
                Ok(taken) => return Ok(taken),
                Err(NoMessage::Ever) => return Err(RecvTimeoutError::Closed(self.why())),
                Err(NoMessage::Yet) if is_too_late => return Err(RecvTimeoutError::Timeout),
                Err(NoMessage::Yet) => {}
            }
            match self.shared.watch(deadline, || self.shared.may_receive()) {
                Watched::Ready => continue,
                Watched::TooLate => {
                    is_too_late = true;
                    continue;
                }
                Watched::Nothing => {}
            }
            let thread = SleepingThread::new();
            let listed = self.shared.list_receiver(thread.waker(), was_called);
            let handed = match listed {
                Listed::Ready(handed) => handed,
                Listed::Waits(key) => {
                    let mut entry = WaiterEntry::new();
                    let asleep = entry.sleep(self.site(location));
                    is_too_late = !thread.sleep(deadline);
                    drop(asleep);
                    let (is_called, handed) = self.shared.unlist_receiver(key);
                    was_called = is_called;
                    handed.map(|handed| handed.message)
                }
            };
            if let Some(message) = handed {
                return Ok(wrap(message));
            }
        }
    }

    pub(in crate::channel) fn recv_many(
        &self,
        messages: &mut Vec<T>,
        max: usize,
        location: &'static Location<'static>,
    ) -> Result<usize, RecvError> {
        if max == 0 {
            return Ok(0);
        }
        let take = || {
            // SAFETY: as in `take`.
            unsafe { self.shared.take_many(messages, max) }.map(Batch::Count)
        };
        if self.shared.len() < max {
            // So that more come: each look takes the senders' line of memory away from them.
            self.shared.pause();
        }
        let taken = self.wait_until(None, location, take, Batch::One);
        match taken {
            Ok(Batch::Count(count)) => Ok(count),
            Ok(Batch::One(message)) => {
                messages.push(message);
                Ok(1)
            }
            Err(RecvTimeoutError::Closed(reason)) => Err(RecvError::new(reason)),
            Err(RecvTimeoutError::Timeout) => unreachable!("there is no deadline"),
        }
    }

    /// Receives a message for a task. `key` and `entry` are its memory between two calls.
    pub(super) fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        key: &mut Option<WaitKey>,
        entry: &mut WaiterEntry,
        location: &'static Location<'static>,
    ) -> Poll<Result<T, RecvError>> {
        ready!(budget::proceed(cx));
        let mut call = None;
        loop {
            if key.is_some() {
                let waker = cx.waker().clone();
                match self.shared.look_at_receiver(key, waker) {
                    Some(handed) => {
                        entry.clear();
                        if let Some(message) = handed {
                            return Poll::Ready(Ok(message));
                        }
                        call = Some(UnansweredCall(&self.shared));
                    }
                    None => return Poll::Pending,
                }
            }
            match self.take() {
                Ok(message) => {
                    mem::forget(call);
                    return Poll::Ready(Ok(message));
                }
                Err(NoMessage::Ever) => return Poll::Ready(Err(RecvError::new(self.why()))),
                Err(NoMessage::Yet) => {}
            }
            let waker = cx.waker().clone();
            let listed = self.shared.list_receiver(waker, call.is_some());
            mem::forget(call.take());
            match listed {
                Listed::Ready(Some(message)) => return Poll::Ready(Ok(message)),
                Listed::Ready(None) => {}
                Listed::Waits(waits) => {
                    *key = Some(waits);
                    entry.pend(self.site(location));
                    return Poll::Pending;
                }
            }
        }
    }

    /// As [`try_recv`](Self::try_recv), for a select that may be listening.
    #[inline]
    pub(in crate::channel) fn take_selected(
        &self,
        watch: &mut RecvWatch,
    ) -> Result<T, TryRecvError> {
        // SAFETY: as in `take`.
        let taken = unsafe { watch.take(&self.shared) };
        taken.map_err(|nothing| self.say(nothing))
    }

    /// What the ends of the channel share, for a select that listens.
    pub(in crate::channel) fn queue(&self) -> &SharedQueue<T> {
        &self.shared
    }

    /// The task waits no more.
    pub(super) fn give_up(&self, key: Option<WaitKey>) {
        if let Some(key) = key {
            let (was_called, handed) = self.shared.unlist_receiver(key);
            if was_called {
                self.shared.pass_on(handed);
            }
        }
    }

    pub(in crate::channel) fn close(&self) {
        self.shared.close();
    }

    pub(in crate::channel) fn len(&self) -> usize {
        self.shared.len()
    }

    pub(in crate::channel) fn capacity(&self) -> Option<usize> {
        Some(self.shared.capacity()).filter(|&capacity| capacity != usize::MAX)
    }

    pub(in crate::channel) fn close_reason(&self) -> Option<CloseReason> {
        self.shared.close_reason()
    }
}

/// A receiver was called. If it does not come to receive, because a waker panics, the call is
/// passed on.
struct UnansweredCall<'a, T>(&'a SharedQueue<T>);

impl<T> Drop for UnansweredCall<'_, T> {
    fn drop(&mut self) {
        self.0.pass_on(None);
    }
}

/// What `recv_many` has received.
enum Batch<T> {
    Count(usize),
    One(T),
}

impl<T: Send> Drop for ReceiverEnd<T> {
    fn drop(&mut self) {
        if !self.shared.leave_receiver() {
            return;
        }
        // A message that panics in its drop stops this drop. The next one goes on with the others.
        struct Rest<'a, T: Send>(&'a ReceiverEnd<T>);
        impl<T: Send> Rest<'_, T> {
            fn drop_messages(&self) {
                while self.0.take().is_ok() {}
            }
        }
        impl<T: Send> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                self.drop_messages();
            }
        }
        Rest(self).drop_messages();
    }
}
