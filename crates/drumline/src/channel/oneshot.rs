//! One message, once.
//!
//! ```
//! use drumline::channel::oneshot;
//!
//! let (answer, answered) = oneshot::channel();
//! std::thread::spawn(move || answer.send(6 * 7));
//! assert_eq!(answered.recv(), Ok(42));
//! ```
//!
//! The receiver is a future, on any executor:
//!
//! ```
//! let (answer, answered) = drumline::channel::oneshot::channel();
//! drumline::spawn(move || answer.send("computed"));
//! assert_eq!(drumline::block_on(answered), Ok("computed"));
//! ```

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::once::{Once, Seen};
use super::{
    ChannelKind, CloseReason, RecvError, RecvTimeoutError, SendError, TryRecvError, WaitingFor,
};
use crate::sync::Instant;
use crate::wait::{WaitSite, WaiterEntry, Watched, blocking, budget, watch};

/// A channel for one message. It takes one allocation.
///
/// ```
/// let (answer, answered) = drumline::channel::oneshot::channel();
/// std::thread::spawn(move || answer.send("done"));
/// assert_eq!(answered.recv(), Ok("done"));
/// ```
#[track_caller]
pub fn channel<T: Send>() -> (Sender<T>, Receiver<T>) {
    let once = Once::allocate();
    let sender = Sender {
        once,
        is_listed: false,
    };
    let receiver = Receiver {
        once,
        is_listed: false,
    };
    (sender, receiver)
}

/// Where an end waits.
fn site<T>(
    once: NonNull<Once<T>>,
    waiting_for: WaitingFor,
    location: &'static Location<'static>,
) -> WaitSite {
    let once = once.as_ptr();
    WaitSite::new(ChannelKind::Oneshot, once, waiting_for, location)
}

/// The sending end; made by [`channel`].
///
/// If it is dropped, the receiver gets [`CloseReason::Dropped`], or [`CloseReason::Panicked`] if
/// the thread panics.
///
/// ```
/// use drumline::channel::{CloseReason, oneshot};
///
/// let (answer, answered) = oneshot::channel::<u32>();
/// drop(answer); // without an answer
/// assert_eq!(answered.recv().unwrap_err().reason(), CloseReason::Dropped);
/// ```
pub struct Sender<T: Send> {
    /// The share of the sender.
    once: NonNull<Once<T>>,
    is_listed: bool,
}

// SAFETY: the two ends use what they share as its word says, and the message may go to another
// thread.
unsafe impl<T: Send> Send for Sender<T> {}
// SAFETY: a shared reference can only ask.
unsafe impl<T: Send> Sync for Sender<T> {}

impl<T: Send> Sender<T> {
    fn once(&self) -> &Once<T> {
        // SAFETY: this end has a share.
        unsafe { self.once.as_ref() }
    }

    /// Sends the message. Never waits.
    ///
    /// ```
    /// use drumline::channel::{SendError, oneshot};
    ///
    /// let (answer, answered) = oneshot::channel();
    /// assert_eq!(answer.send(1), Ok(()));
    /// assert_eq!(answered.recv(), Ok(1));
    ///
    /// let (answer, answered) = oneshot::channel();
    /// drop(answered);
    /// assert_eq!(answer.send(2), Err(SendError(2)));
    /// ```
    ///
    /// # Errors
    ///
    /// If the receiver is gone, or has closed the channel. The message comes back.
    #[inline]
    pub fn send(mut self, message: T) -> Result<(), SendError<T>> {
        if self.is_listed {
            self.unlist();
        }
        let once = self.once;
        std::mem::forget(self);
        // SAFETY: the share of this end, which is forgotten.
        unsafe { Once::put(once, message) }.map_err(SendError)
    }

    /// Whether the receiver is gone, or has closed the channel, before there was a message.
    ///
    /// ```
    /// let (answer, answered) = drumline::channel::oneshot::channel::<String>();
    /// assert!(!answer.is_closed());
    /// drop(answered);
    /// assert!(answer.is_closed()); // an answer need not be computed any more
    /// ```
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.once().is_closed()
    }

    /// Is ready when the receiver is gone, or has closed the channel: nothing waits for the
    /// message.
    ///
    /// ```
    /// let (mut answer, answered) = drumline::channel::oneshot::channel::<u32>();
    /// drop(answered);
    /// drumline::block_on(answer.closed());
    /// ```
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready leaves nothing behind.
    #[track_caller]
    pub fn closed(&mut self) -> impl Future<Output = ()> + '_ {
        /// Leaves no waker behind.
        struct Listed<'a, T: Send>(&'a mut Sender<T>);
        impl<T: Send> Drop for Listed<'_, T> {
            fn drop(&mut self) {
                self.0.unlist();
            }
        }
        let site = site(self.once, WaitingFor::Close, Location::caller());
        let listed = Listed(self);
        std::future::poll_fn(move |cx| {
            let Sender { once, is_listed } = &mut *listed.0;
            // SAFETY: this end has a share.
            let once = unsafe { once.as_ref() };
            let is_ready = || once.is_closed();
            if is_ready() || once.departure().list(cx.waker(), is_listed, is_ready) {
                // SAFETY: this is the sender.
                unsafe { once.with_sender_entry(WaiterEntry::clear) };
                Poll::Ready(())
            } else {
                // SAFETY: this is the sender.
                unsafe { once.with_sender_entry(|entry| entry.pend(site)) };
                Poll::Pending
            }
        })
    }
}

impl<T: Send> Sender<T> {
    fn unlist(&mut self) {
        // SAFETY: this end has a share.
        let once = unsafe { self.once.as_ref() };
        if self.is_listed {
            once.departure().unlist(&mut self.is_listed);
            // SAFETY: this is the sender.
            unsafe { once.with_sender_entry(WaiterEntry::clear) };
        }
    }
}

impl<T: Send> Drop for Sender<T> {
    fn drop(&mut self) {
        self.unlist();
        // SAFETY: the share of this end, which is gone after this.
        unsafe { Once::end(self.once, CloseReason::of_drop()) };
    }
}

impl<T: Send> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("is_closed", &self.is_closed())
            .finish()
    }
}

/// The receiving end, and a future; made by [`channel`].
///
/// If it is dropped, a message that was sent is dropped with it, and else the send fails.
///
/// ```
/// use drumline::channel::{CloseReason, oneshot};
///
/// let (answer, mut answered) = oneshot::channel();
/// answer.send("computed").unwrap();
/// drumline::block_on(async {
///     assert_eq!((&mut answered).await, Ok("computed"));
///     assert_eq!(answered.await.unwrap_err().reason(), CloseReason::Finished);
/// });
/// ```
///
/// # Cancellation
///
/// It can be polled through a `&mut` reference: a poll takes nothing but the message that it
/// returns. After that it is ready with [`CloseReason::Finished`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct Receiver<T: Send> {
    /// The share of the receiver.
    once: NonNull<Once<T>>,
    is_listed: bool,
}

// SAFETY: as for `Sender`.
unsafe impl<T: Send> Send for Receiver<T> {}
// SAFETY: a shared reference can only ask.
unsafe impl<T: Send> Sync for Receiver<T> {}

impl<T: Send> Receiver<T> {
    /// Receives the message; waits for it if it is not there.
    ///
    /// ```
    /// let (answer, answered) = drumline::channel::oneshot::channel();
    /// drumline::spawn(move || answer.send((1..=20u64).product::<u64>()));
    /// assert_eq!(answered.recv(), Ok(2_432_902_008_176_640_000));
    /// ```
    ///
    /// # Errors
    ///
    /// If no message will come; says why.
    ///
    /// # Blocking
    ///
    /// Until there is the message, or the sender is gone.
    #[inline]
    #[track_caller]
    pub fn recv(self) -> Result<T, RecvError> {
        // SAFETY: the share of this end, which is forgotten if it is gone.
        if let Some(message) = unsafe { Once::take_last(self.once) } {
            std::mem::forget(self);
            return Ok(message);
        }
        self.recv_later()
    }

    #[cold]
    #[track_caller]
    fn recv_later(mut self) -> Result<T, RecvError> {
        loop {
            match self.take() {
                Ok(message) => return Ok(message),
                Err(TryRecvError::Closed(reason)) => return Err(RecvError::new(reason)),
                Err(TryRecvError::Empty) => self.wait(None, Location::caller()),
            };
        }
    }

    fn once(&self) -> &Once<T> {
        // SAFETY: this end has a share.
        unsafe { self.once.as_ref() }
    }

    #[inline]
    fn take(&mut self) -> Result<T, TryRecvError> {
        match self.once().look() {
            Seen::Nothing => Err(TryRecvError::Empty),
            // SAFETY: seen just now, by the one receiver.
            Seen::Message => Ok(unsafe { self.once().take() }),
            Seen::Taken => Err(TryRecvError::Closed(CloseReason::Finished)),
            Seen::Never(reason) => Err(TryRecvError::Closed(reason)),
        }
    }

    fn wait(&mut self, deadline: Option<Instant>, location: &'static Location<'static>) -> bool {
        self.unlist();
        let site = site(self.once, WaitingFor::Message, location);
        let once = self.once();
        match watch(deadline, || once.look() != Seen::Nothing) {
            Watched::Ready => return true,
            Watched::TooLate => return false,
            Watched::Nothing => {}
        }
        // Another thread has the place of this one in a pool meanwhile.
        let sleep = |entry: &mut WaiterEntry| {
            let _asleep = entry.sleep(site);
            match deadline {
                None => once.sleep(),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    once.sleep_for(left);
                }
            }
        };
        // SAFETY: this is the receiver, and `sleep` does not come here again.
        blocking(|| unsafe { once.with_receiver_entry(sleep) });
        once.look() != Seen::Nothing || deadline.is_none_or(|deadline| Instant::now() < deadline)
    }

    /// Has `waker` called by what comes next. `false`: there is something to look at.
    pub(super) fn listen(&mut self, waker: &Waker) -> bool {
        // SAFETY: this end has a share.
        let once = unsafe { self.once.as_ref() };
        once.look() == Seen::Nothing && once.list(waker, &mut self.is_listed)
    }

    /// Listens no more.
    pub(super) fn unlisten(&mut self) {
        self.unlist();
    }

    fn unlist(&mut self) {
        // SAFETY: this end has a share.
        let once = unsafe { self.once.as_ref() };
        if self.is_listed {
            once.unlist(&mut self.is_listed);
            self.waits_no_more();
        }
    }

    /// A poll that left this pending is over, and so is its wait.
    fn waits_no_more(&mut self) {
        // SAFETY: this is the receiver.
        unsafe { self.once().with_receiver_entry(WaiterEntry::clear) };
    }

    /// Receives the message if it is there.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, TryRecvError, oneshot};
    ///
    /// let (answer, mut answered) = oneshot::channel();
    /// assert_eq!(answered.try_recv(), Err(TryRecvError::Empty));
    /// answer.send(1).unwrap();
    /// assert_eq!(answered.try_recv(), Ok(1));
    /// assert_eq!(answered.try_recv(), Err(TryRecvError::Closed(CloseReason::Finished)));
    /// ```
    ///
    /// # Errors
    ///
    /// If it is not there yet, was received before, or will not come.
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.take()
    }

    /// As [`recv`](Self::recv), but waits for `timeout` at most. The receiver stays.
    ///
    /// ```
    /// use drumline::channel::{RecvTimeoutError, oneshot};
    /// use std::time::Duration;
    ///
    /// let (answer, mut answered) = oneshot::channel();
    /// let early = answered.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(early, Err(RecvTimeoutError::Timeout));
    /// answer.send(1).unwrap();
    /// assert_eq!(answered.recv_timeout(Duration::from_millis(1)), Ok(1));
    /// ```
    ///
    /// # Errors
    ///
    /// If it did not come until then, was received before, or will not come.
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), for `timeout` at most.
    #[track_caller]
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(Instant::now().checked_add(timeout), Location::caller())
    }

    /// As [`recv`](Self::recv), but waits until `deadline` at most. The receiver stays.
    ///
    /// ```
    /// use drumline::channel::{RecvTimeoutError, oneshot};
    /// use std::time::{Duration, Instant};
    ///
    /// let (answer, mut answered) = oneshot::channel();
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// assert_eq!(answered.recv_deadline(deadline), Err(RecvTimeoutError::Timeout));
    /// answer.send(1).unwrap();
    /// assert_eq!(answered.recv_deadline(deadline), Ok(1)); // what is there, it takes at any time
    /// ```
    ///
    /// # Errors
    ///
    /// As [`recv_timeout`](Self::recv_timeout).
    ///
    /// # Blocking
    ///
    /// As [`recv`](Self::recv), until `deadline` at most.
    #[track_caller]
    pub fn recv_deadline(&mut self, deadline: Instant) -> Result<T, RecvTimeoutError> {
        self.recv_until(Some(deadline), Location::caller())
    }

    fn recv_until(
        &mut self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> Result<T, RecvTimeoutError> {
        loop {
            match self.take() {
                Ok(message) => return Ok(message),
                Err(TryRecvError::Closed(reason)) => return Err(RecvTimeoutError::Closed(reason)),
                Err(TryRecvError::Empty) => {}
            }
            if !self.wait(deadline, location) {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// Closes the channel: a send fails from now on. A message that was sent can still be received.
    ///
    /// ```
    /// use drumline::channel::{SendError, oneshot};
    ///
    /// let (answer, mut answered) = oneshot::channel();
    /// answered.close();
    /// assert_eq!(answer.send(1), Err(SendError(1)));
    /// ```
    pub fn close(&mut self) {
        self.unlist();
        self.once().close();
    }

    /// Whether [`recv`](Self::recv) would not wait.
    ///
    /// ```
    /// let (answer, answered) = drumline::channel::oneshot::channel();
    /// assert!(!answered.is_ready());
    /// answer.send(1).unwrap();
    /// assert!(answered.is_ready());
    /// ```
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.once().look() != Seen::Nothing
    }

    /// An address, and what says with it whether the receiver [is ready](Self::is_ready). Any
    /// thread may ask while the receiver exists, also while another one uses that.
    pub(crate) fn probe(&self) -> (*const (), unsafe fn(*const ()) -> bool) {
        /// # Safety
        ///
        /// The address is that of a live place for a message of this type.
        unsafe fn is_ready<T>(once: *const ()) -> bool {
            // SAFETY: the caller's obligation.
            unsafe { &*once.cast::<Once<T>>() }.look() != Seen::Nothing
        }
        (self.once.as_ptr().cast_const().cast(), is_ready::<T>)
    }
}

impl<T: Send> Future for Receiver<T> {
    type Output = Result<T, RecvError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: this end has a share.
        let once = unsafe { self.once.as_ref() };
        let has_waited = self.is_listed;
        if once.look() == Seen::Nothing && once.list(cx.waker(), &mut self.is_listed) {
            let site = site(self.once, WaitingFor::Message, once.made_at());
            // SAFETY: this is the receiver.
            unsafe { once.with_receiver_entry(|entry| entry.pend(site)) };
            return Poll::Pending;
        }
        if has_waited {
            self.waits_no_more();
        }
        if budget::proceed(cx).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(self.take().map_err(|error| match error {
            TryRecvError::Closed(reason) => RecvError::new(reason),
            TryRecvError::Empty => unreachable!("it was ready"),
        }))
    }
}

impl<T: Send> Drop for Receiver<T> {
    fn drop(&mut self) {
        struct Share<T>(NonNull<Once<T>>);
        impl<T> Drop for Share<T> {
            fn drop(&mut self) {
                // SAFETY: the share of this end. The message has been taken, or none will come.
                unsafe { Once::receiver_leaves(self.0) };
            }
        }
        // Also if the drop of the message panics.
        let _share = Share(self.once);
        if self.once().look() == Seen::Nothing {
            self.close();
        } else if self.is_listed {
            self.waits_no_more();
        }
        drop(self.take());
    }
}

impl<T: Send> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver")
            .field("is_ready", &self.is_ready())
            .finish()
    }
}
