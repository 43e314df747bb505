//! Many senders, one receiver, and a lane for each sender.
//!
//! ```
//! use drumline::channel::lanes;
//!
//! let (sender, mut receiver) = lanes::unbounded();
//! for client in 0..4u64 {
//!     let mut sender = sender.clone();
//!     std::thread::spawn(move || (0..100).try_for_each(|n| sender.send(client * 1_000 + n)));
//! }
//! drop(sender);
//! assert_eq!(receiver.iter().count(), 400);
//! ```
//!
//! # Order
//!
//! **Only the messages of one sender keep their order.** A message can be received before one that
//! was sent earlier by another sender, also where the first has told the second that it has sent.
//! This is the price of speed: senders share nothing with each other. The receiver takes up to 64
//! messages in a row from a lane, and then turns to the next one that has some.
//!
//! # Cost
//!
//! A message costs what it costs in [`spsc`](super::spsc), however many senders there are. A lane
//! that has nothing costs nothing but its memory: some 90 bytes before its first message.

mod receiver;
mod sender;
mod site;

use super::hub::Hub;
use crate::sync::Arc;

pub use receiver::{IntoIter, Receiver, RecvAsync};
pub use sender::{Closed, Reservation, SendAsync, SendPermit, Sender};

/// A channel of lanes without a bound: a send never waits.
///
/// ```
/// let (mut sender, mut receiver) = drumline::channel::lanes::unbounded();
/// let mut other = sender.clone(); // has a lane of its own
/// sender.send(1u32).unwrap();
/// other.send(2).unwrap();
/// drop((sender, other));
/// assert_eq!(receiver.iter().sum::<u32>(), 3);
/// ```
#[must_use]
pub fn unbounded<T: Send>() -> (Sender<T>, Receiver<T>) {
    channel(usize::MAX)
}

/// A channel with lanes of `capacity` messages each: a send waits for room in its own lane.
///
/// ```
/// let (mut first, _receiver) = drumline::channel::lanes::per_lane(1);
/// let mut second = first.clone();
/// assert!(first.try_send(1).is_ok() && second.try_send(2).is_ok());
/// assert!(first.try_send(3).is_err());
/// ```
///
/// # Panics
///
/// If `capacity` is 0: such a channel passes nothing on.
#[must_use]
pub fn per_lane<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(
        capacity > 0,
        "lanes of capacity 0 pass nothing on; ask for at least 1"
    );
    channel(capacity)
}

fn channel<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let hub = Arc::new(Hub::new(capacity));
    let sender = Sender::new(Arc::clone(&hub));
    (sender, Receiver::new(hub))
}
