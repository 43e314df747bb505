//! Many receivers as one, with ports that come and go.
//!
//! ```
//! use drumline::channel::{CloseReason, PortEvent, PortSet, spsc};
//!
//! let mut set = PortSet::new();
//! let (mut to_first, first) = spsc::unbounded();
//! let (to_second, second) = spsc::unbounded();
//! let (first, second) = (set.add(first), set.add(second));
//!
//! to_first.send("hello").unwrap();
//! to_second.finish();
//! assert_eq!(set.recv(), Ok(PortEvent::Message(first, "hello")));
//! assert_eq!(set.recv(), Ok(PortEvent::Closed(second, CloseReason::Finished)));
//!
//! // What is taken out goes on by itself.
//! let mut first = set.remove(first).unwrap();
//! to_first.send("again").unwrap();
//! assert_eq!(first.recv(), Ok("again"));
//! // There is no port left.
//! assert!(set.recv().is_err());
//! ```
//!
//! A *port* is the receiving end of a [lane](super::spsc) that is in a set. The set says where each
//! message comes from, which port was closed, and why. If all senders are made with the channel and
//! it does not matter which of them has sent a message, use [`lanes`](super::lanes).
//!
//! # Order
//!
//! **Only what comes through one port keeps its order.** Let A send to C, then to B, which replies
//! by a message to C. With one queue for both, C would receive A's message first. Through a port
//! set it may receive B's before, although A's has caused it: the set looks at its ports one after
//! another.
//!
//! *Closing restores the order.* When the set says that a port is closed, all that came through it
//! has been received. So a server that is to know that a worker will send no more waits for
//! [`PortEvent::Closed`]; and [`PortSet::drain`] closes all ports and gives what was sent before.
//!
//! ```
//! use drumline::channel::{PortEvent, PortSet, spsc};
//!
//! let mut set = PortSet::new();
//! let (mut work, worker) = spsc::unbounded();
//! let (mut done, worker_has_ended) = spsc::unbounded();
//! let (worker, _) = (set.add(worker), set.add(worker_has_ended));
//! std::thread::spawn(move || {
//!     (0..100).for_each(|number| work.send(number).unwrap());
//!     drop(work);
//!     done.send(-1).unwrap();
//! });
//! // The -1 may be received before any number: it says nothing. The end of the port does.
//! let mut sum = 0;
//! loop {
//!     match set.recv().unwrap() {
//!         PortEvent::Message(port, number) if port == worker => sum += number,
//!         PortEvent::Closed(port, _) if port == worker => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(sum, 4950);
//! ```
//!
//! # Which port is next
//!
//! In a [fair](PortSet::new) set each port that has messages has its turn: at most 64 messages,
//! then the next one. In a [biased](PortSet::biased) set the port that was added first comes first,
//! whenever it has something.
//!
//! # Cost
//!
//! A message of the port that has the turn costs what it costs in [`spsc`](super::spsc). A port
//! that was empty and gets a message costs its sender a wake-up: two atomic operations on words
//! that all senders of the set share. Ports that have nothing cost nothing: a receive takes the
//! same time with 10,000 of them as with ten. To add and to remove a port is O(1) on average, or
//! O(log n) in a biased set. An idle port takes some 50 bytes in the set, besides the 64 of its
//! channel.

#[cfg(not(drumline_loom))]
mod adder;
#[cfg(not(drumline_loom))]
mod event;
#[cfg(not(drumline_loom))]
mod held;
#[cfg(not(drumline_loom))]
mod key_index;
#[cfg(all(test, drumline_loom))]
mod models;
mod node_block;
#[cfg(not(drumline_loom))]
mod port_table;
mod ready_list;
#[cfg(not(drumline_loom))]
mod set;
#[cfg(not(drumline_loom))]
mod waiting;

#[cfg(not(drumline_loom))]
pub use {
    adder::PortAdder,
    event::{PortEvent, PortKey},
    set::PortSet,
    waiting::{Drain, Events, RecvAsync},
};
