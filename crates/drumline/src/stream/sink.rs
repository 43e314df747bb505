//! Where the results of a stage can be sent.

use std::sync::mpsc;

use super::queue::Sender;
use crate::channel::{self, SendError, lanes, spsc};
use crate::wait;

/// Where the serial end of a stage sends its results; see [`send_to`](super::Serial::send_to).
///
/// Every sender of this crate's [channels](crate::channel) and of a [`queue`](super::queue()) is
/// one, and those of `std::sync::mpsc`, and with features those of `crossbeam-channel` and `flume`.
/// A sender that others may use meanwhile can also be lent by a shared reference.
///
/// ```
/// use drumline::stream::{self, SendError, Sink};
///
/// /// Keeps what comes, up to ten.
/// #[derive(Default)]
/// struct Ten(Vec<u32>);
///
/// impl Sink<u32> for Ten {
///     fn send(&mut self, item: u32) -> Result<(), SendError<u32>> {
///         if self.0.len() == 10 { return Err(SendError(item)) }
///         self.0.push(item);
///         Ok(())
///     }
/// }
///
/// let mut ten = Ten::default();
/// let refused = stream::iter(0..).ordered().send_to(&mut ten).unwrap_err();
/// assert_eq!(refused.0, 10);
/// assert!(ten.0.into_iter().eq(0..10));
/// ```
#[diagnostic::on_unimplemented(
    message = "results of the type `{T}` cannot be sent to `{Self}`",
    label = "not a sender of `{T}`",
    note = "senders of channels are sinks: give them, or lend them by `&mut sender`"
)]
pub trait Sink<T> {
    /// Sends an item.
    ///
    /// ```
    /// use drumline::stream::{self, SendError, Sink};
    ///
    /// /// Adds up what comes.
    /// struct Sum(u32);
    ///
    /// impl Sink<u32> for Sum {
    ///     fn send(&mut self, number: u32) -> Result<(), SendError<u32>> {
    ///         match self.0.checked_add(number) {
    ///             Some(sum) => self.0 = sum,
    ///             None => return Err(SendError(number)), // it takes no more
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut sum = Sum(0);
    /// stream::iter(1..=10).ordered().send_to(&mut sum).unwrap();
    /// assert_eq!(sum.0, 55);
    /// ```
    ///
    /// # Errors
    ///
    /// If the other end takes no more; the item comes back, and the stream stops.
    ///
    /// # Blocking
    ///
    /// While there is no room.
    fn send(&mut self, item: T) -> Result<(), SendError<T>>;
}

/// Sends to it as long as the stream lasts; it can be used afterwards.
impl<T, K: Sink<T> + ?Sized> Sink<T> for &mut K {
    fn send(&mut self, item: T) -> Result<(), SendError<T>> {
        (**self).send(item)
    }
}

impl<T, K: Sink<T> + ?Sized> Sink<T> for Box<K> {
    fn send(&mut self, item: T) -> Result<(), SendError<T>> {
        (**self).send(item)
    }
}

/// Makes sinks of senders that have a `&mut self` method `send`, with an error of this crate.
macro_rules! senders {
    ($($sender:ty),+ $(,)?) => {$(
        impl<T: Send> Sink<T> for $sender {
            fn send(&mut self, item: T) -> Result<(), SendError<T>> {
                // Its own method. A thread that waits is replaced there.
                Self::send(self, item)
            }
        }
    )+};
}

/// Makes sinks of senders that have a `&self` method `send`, and of references to them.
macro_rules! shared_senders {
    ($($(#[$attribute:meta])* $sender:ty: |$this:ident, $item:ident| $send:expr;)+) => {$(
        $(#[$attribute])*
        impl<T: Send> Sink<T> for $sender {
            fn send(&mut self, item: T) -> Result<(), SendError<T>> {
                let mut shared: &Self = self;
                Sink::send(&mut shared, item)
            }
        }

        $(#[$attribute])*
        impl<T: Send> Sink<T> for &$sender {
            fn send(&mut self, $item: T) -> Result<(), SendError<T>> {
                let $this: &$sender = self;
                $send
            }
        }
    )+};
}

senders!(spsc::Sender<T>, lanes::Sender<T>);

shared_senders! {
    Sender<T>: |sender, item| sender.send(item);
    channel::mpsc::Sender<T>: |sender, item| sender.send(item);
    mpsc::Sender<T>: |sender, item| {
        sender.send(item).map_err(|refused| SendError(refused.0))
    };
    mpsc::SyncSender<T>: |sender, item| {
        wait::blocking(|| sender.send(item)).map_err(|refused| SendError(refused.0))
    };
    #[cfg(feature = "crossbeam-channel")]
    crossbeam_channel::Sender<T>: |sender, item| {
        wait::blocking(|| sender.send(item)).map_err(|refused| SendError(refused.0))
    };
    #[cfg(feature = "flume")]
    flume::Sender<T>: |sender, item| {
        wait::blocking(|| sender.send(item)).map_err(|refused| SendError(refused.0))
    };
}
