//! How the sending end of a lane waits, and what comes of that: a permit, and three futures. Two
//! kinds of channels have them.

use std::task::{Context, Poll};

use super::{Lane, Writer};
use crate::wait::{WaitSite, WaiterEntry, budget};

/// Whether there is room, or the receiver is gone. If not, the waker is called then. `is_listed` is
/// the memory of the future between two polls, and `site` says where it waits.
pub(in crate::channel) fn poll_room<T>(
    lane: &Lane<T>,
    writer: &mut Writer<T>,
    entry: &mut WaiterEntry,
    cx: &mut Context<'_>,
    is_listed: &mut bool,
    site: impl FnOnce() -> WaitSite,
) -> Poll<()> {
    let has_waited = *is_listed;
    if !writer.has_room(lane)
        && let Some(room) = lane.room()
    {
        let is_ready = || writer.has_room(lane);
        if !room.list(cx.waker(), is_listed, is_ready) {
            entry.pend(site());
            return Poll::Pending;
        }
    }
    proceed(entry, has_waited, cx)
}

/// The same for the end of the receiver.
pub(in crate::channel) fn poll_closed<T>(
    lane: &Lane<T>,
    writer: &mut Writer<T>,
    entry: &mut WaiterEntry,
    cx: &mut Context<'_>,
    is_listed: &mut bool,
    site: impl FnOnce() -> WaitSite,
) -> Poll<()> {
    let has_waited = *is_listed;
    let is_ready = || lane.refuses();
    if !is_ready()
        && let Some(room) = writer.open_for_end(lane)
        && !room.list(cx.waker(), is_listed, is_ready)
    {
        entry.pend(site());
        return Poll::Pending;
    }
    proceed(entry, has_waited, cx)
}

/// The wait is over.
fn proceed(entry: &mut WaiterEntry, has_waited: bool, cx: &mut Context<'_>) -> Poll<()> {
    if has_waited {
        entry.clear();
    }
    budget::proceed(cx)
}

/// Declares the permit, `try_reserve`, and the futures for the `Sender` beside it. `$make` makes a
/// channel with room for one message.
macro_rules! sending {
    ($make:literal) => {
        impl<T: Send> Sender<T> {
            /// Takes the right to send one message, if there is room.
            ///
            /// ```
            /// use drumline::channel::TrySendError;
            ///
            #[doc = concat!("let (mut sender, mut receiver) = drumline::channel::", $make, ";")]
            /// let permit = sender.try_reserve().unwrap();
            /// permit.send("only made when there is room").unwrap();
            /// assert_eq!(sender.try_reserve().err(), Some(TrySendError::Full(())));
            /// assert!(receiver.recv().is_ok());
            /// drop(sender.try_reserve().unwrap()); // the place is free again
            /// assert_eq!(sender.try_send("hello"), Ok(()));
            /// ```
            ///
            /// # Errors
            ///
            /// If there is none, and if the receiver is gone, or has closed the channel.
            pub fn try_reserve(&mut self) -> Result<SendPermit<'_, T>, TrySendError<()>> {
                if self.is_closed() {
                    Err(TrySendError::Closed(()))
                } else if self.has_room() {
                    Ok(SendPermit { sender: self })
                } else {
                    Err(TrySendError::Full(()))
                }
            }
        }

        /// The right to send one message; made by [`Sender::reserve`] and
        /// [`Sender::try_reserve`].
        #[must_use = "a permit that is dropped gives its place back"]
        pub struct SendPermit<'a, T: Send> {
            sender: &'a mut Sender<T>,
        }

        impl<T: Send> SendPermit<'_, T> {
            /// Sends the message.
            ///
            /// ```
            #[doc = concat!("let (mut sender, mut receiver) = drumline::channel::", $make, ";")]
            /// drumline::block_on(async {
            ///     let permit = sender.reserve().await.unwrap();
            ///     permit.send("made when there is room").unwrap();
            /// });
            /// assert_eq!(receiver.recv(), Ok("made when there is room"));
            /// ```
            ///
            /// # Errors
            ///
            /// If the receiver is gone meanwhile, or has closed the channel. The message comes
            /// back.
            pub fn send(self, message: T) -> Result<(), SendError<T>> {
                match self.sender.push(message) {
                    Ok(()) => Ok(()),
                    Err(Refused::Closed(message, _) | Refused::Full(message)) => {
                        Err(SendError(message))
                    }
                }
            }
        }

        impl<T: Send> fmt::Debug for SendPermit<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("SendPermit").finish_non_exhaustive()
            }
        }

        /// A future that waits for room; made by [`Sender::reserve`].
        #[must_use = "a future does nothing unless it is awaited"]
        pub struct Reservation<'a, T: Send> {
            /// `None` once it is ready.
            sender: Option<&'a mut Sender<T>>,
            is_listed: bool,
            location: &'static Location<'static>,
        }

        impl<'a, T: Send> Future for Reservation<'a, T> {
            type Output = Result<SendPermit<'a, T>, SendError<()>>;

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
                let Reservation {
                    sender,
                    is_listed,
                    location,
                } = &mut *self;
                let waiting = sender.as_mut().expect("it was ready before");
                ready!(waiting.poll_room(cx, is_listed, location));
                waiting.forget_poll(is_listed);
                let sender = sender.take().expect("it was there for the poll");
                Poll::Ready(if sender.is_closed() {
                    Err(SendError(()))
                } else {
                    Ok(SendPermit { sender })
                })
            }
        }

        impl<T: Send> Drop for Reservation<'_, T> {
            fn drop(&mut self) {
                if let Some(sender) = &mut self.sender {
                    sender.forget_poll(&mut self.is_listed);
                }
            }
        }

        impl<T: Send> fmt::Debug for Reservation<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Reservation").finish_non_exhaustive()
            }
        }

        /// A future that sends a message; made by [`Sender::send_async`].
        #[must_use = "a future does nothing unless it is awaited"]
        pub struct SendAsync<'a, T: Send> {
            reserve: Reservation<'a, T>,
            /// `None` once it is ready.
            message: Option<T>,
        }

        // The message is moved, and never pinned.
        impl<T: Send> Unpin for SendAsync<'_, T> {}

        impl<T: Send> Future for SendAsync<'_, T> {
            type Output = Result<(), SendError<T>>;

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
                let permit = ready!(Pin::new(&mut self.reserve).poll(cx));
                let message = self.message.take().expect("it was ready before");
                Poll::Ready(match permit {
                    Ok(permit) => permit.send(message),
                    Err(SendError(())) => Err(SendError(message)),
                })
            }
        }

        impl<T: Send> fmt::Debug for SendAsync<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("SendAsync").finish_non_exhaustive()
            }
        }

        /// A future that waits for the end of the receiver; made by [`Sender::closed`].
        #[must_use = "a future does nothing unless it is awaited"]
        pub struct Closed<'a, T: Send> {
            sender: &'a mut Sender<T>,
            is_listed: bool,
            location: &'static Location<'static>,
        }

        impl<T: Send> Future for Closed<'_, T> {
            type Output = ();

            fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
                let this = &mut *self;
                this.sender
                    .poll_closed(cx, &mut this.is_listed, this.location)
            }
        }

        impl<T: Send> Drop for Closed<'_, T> {
            fn drop(&mut self) {
                self.sender.forget_poll(&mut self.is_listed);
            }
        }

        impl<T: Send> fmt::Debug for Closed<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Closed").finish_non_exhaustive()
            }
        }
    };
}
pub(in crate::channel) use sending;
