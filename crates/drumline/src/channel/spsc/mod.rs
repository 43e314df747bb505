//! One sender, one receiver: a *lane*.
//!
//! ```
//! use drumline::channel::spsc;
//!
//! let (mut sender, mut receiver) = spsc::bounded(16);
//! let producer = std::thread::spawn(move || {
//!     for number in 0..1_000u64 {
//!         sender.send(number).expect("the receiver takes them all");
//!     }
//! });
//! assert_eq!(receiver.iter().sum::<u64>(), 499_500);
//! producer.join().unwrap();
//! ```
//!
//! Both ends have `&mut self` methods: one thread or task at a time uses an end. An end may move to
//! another thread, but cannot be shared.
//!
//! # Memory
//!
//! A channel in which there was no message takes 64 bytes. The first message adds some 300, which
//! keep apart what the two sides write. Messages lie in blocks of up to 64 (about 2 KiB), which are
//! allocated when they are needed. A block that is empty is used again; when there is more than one
//! such, it is freed.

mod polling;
mod receiver;
mod sender;
mod shared;
mod stored;

pub(crate) use polling::Listen;
pub use receiver::{Drain, IntoIter, Iter, Receiver, RecvAsync, TryIter};
pub use sender::{Closed, Reservation, SendAsync, SendPermit, Sender};
pub use shared::SharedSender;
pub(in crate::channel) use stored::StoredReceiver;

use super::lane::Lane;
use crate::sync::Arc;

/// A channel without a bound: a send never waits.
///
/// ```
/// let (mut sender, mut receiver) = drumline::channel::spsc::unbounded();
/// sender.send(1).unwrap();
/// sender.send(2).unwrap();
/// drop(sender);
/// assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
/// ```
#[must_use]
pub fn unbounded<T: Send>() -> (Sender<T>, Receiver<T>) {
    channel(usize::MAX)
}

/// A channel that holds at most `capacity` messages: a send waits for room.
///
/// ```
/// use drumline::channel::TrySendError;
///
/// let (mut sender, mut receiver) = drumline::channel::spsc::bounded(1);
/// sender.try_send("first").unwrap();
/// assert_eq!(sender.try_send("second"), Err(TrySendError::Full("second")));
/// assert_eq!(receiver.recv(), Ok("first"));
/// sender.try_send("second").unwrap();
/// ```
///
/// # Panics
///
/// If `capacity` is 0: such a channel passes nothing on.
#[must_use]
pub fn bounded<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        capacity > 0,
        "a channel of capacity 0 passes nothing on; ask for at least 1"
    );
    channel(capacity)
}

fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let lane = Arc::new(Lane::new(capacity));
    (Sender::new(Arc::clone(&lane)), Receiver::new(lane))
}
