//! Where the results of a stage can be sent.

use std::sync::mpsc;

use super::queue::{SendError, Sender};
use crate::wait;

/// The sending end of a queue, for [`send_to`](super::Serial::send_to): our own, one of the
/// standard library's, or with features one of `crossbeam-channel` and `flume`.
///
/// ```
/// use drumline::stream::{self, SendError, Sink};
/// use std::sync::Mutex;
///
/// /// Keeps what comes, up to ten.
/// #[derive(Default)]
/// struct Ten(Mutex<Vec<u32>>);
///
/// impl Sink<u32> for Ten {
///     fn send(&self, item: u32) -> Result<(), SendError<u32>> {
///         let mut kept = self.0.lock().unwrap();
///         if kept.len() == 10 { return Err(SendError(item)) }
///         kept.push(item);
///         Ok(())
///     }
/// }
///
/// let ten = Ten::default();
/// let refused = stream::iter(0..).ordered().send_to(&ten).unwrap_err();
/// assert_eq!(refused.0, 10);
/// ```
pub trait Sink<T> {
    /// Sends an item.
    ///
    /// # Errors
    ///
    /// If nobody takes it any more; the item comes back, and the stream stops.
    ///
    /// # Blocking
    ///
    /// While there is no room.
    fn send(&self, item: T) -> Result<(), SendError<T>>;
}

impl<T> Sink<T> for Sender<T> {
    fn send(&self, item: T) -> Result<(), SendError<T>> {
        Sender::send(self, item)
    }
}

impl<T> Sink<T> for mpsc::Sender<T> {
    fn send(&self, item: T) -> Result<(), SendError<T>> {
        mpsc::Sender::send(self, item).map_err(|refused| SendError(refused.0))
    }
}

impl<T> Sink<T> for mpsc::SyncSender<T> {
    fn send(&self, item: T) -> Result<(), SendError<T>> {
        let sent = wait::blocking(|| mpsc::SyncSender::send(self, item));
        sent.map_err(|refused| SendError(refused.0))
    }
}

#[cfg(feature = "crossbeam-channel")]
impl<T> Sink<T> for crossbeam_channel::Sender<T> {
    fn send(&self, item: T) -> Result<(), SendError<T>> {
        let sent = wait::blocking(|| crossbeam_channel::Sender::send(self, item));
        sent.map_err(|refused| SendError(refused.0))
    }
}

#[cfg(feature = "flume")]
impl<T> Sink<T> for flume::Sender<T> {
    fn send(&self, item: T) -> Result<(), SendError<T>> {
        let sent = wait::blocking(|| flume::Sender::send(self, item));
        sent.map_err(|refused| SendError(refused.0))
    }
}
