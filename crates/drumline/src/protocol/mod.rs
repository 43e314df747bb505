//! Protocols between two sides, which the compiler checks.
//!
//! [`protocol!`](crate::protocol!) makes types of the text of a protocol. A *session* is between
//! two sides, each of which holds an *endpoint*. Its type says in which *state* the session is. Its
//! methods are the *step* that comes next, which takes the endpoint and returns the next one.
//!
//! ```
//! drumline::protocol! {
//!     /// A sum, number by number.
//!     pub mod adding of client with server {
//!         Numbers = choose {
//!             Another(u64) => Numbers,
//!             NoMore => Sum,
//!         };
//!         Sum = recv u64 => end;
//!     }
//! }
//! use adding::{choice, client, offer, server};
//!
//! fn serve(mut numbers: server::Numbers) -> Result<server::End, drumline::protocol::PeerLeft> {
//!     let mut sum = 0;
//!     loop {
//!         match numbers.offer()? {
//!             offer::Numbers::Another(number, next) => {
//!                 sum += number;
//!                 numbers = next;
//!             }
//!             offer::Numbers::NoMore(reply) => return Ok(reply.send(sum)?),
//!         }
//!     }
//! }
//!
//! let (mut numbers, server) = adding::unbounded();
//! let server = drumline::spawn(|| serve(server));
//! for number in 1..=10 {
//!     numbers = numbers.choose(choice::Numbers::Another(number)).unwrap();
//! }
//! let sum = numbers.choose(choice::Numbers::NoMore).unwrap();
//! let (sum, client::End { .. }) = sum.recv().unwrap();
//! assert_eq!(sum, 55);
//! assert!(server.join().unwrap().is_ok());
//! ```
//!
//! A step out of turn does not compile:
//!
//! ```compile_fail,E0599
//! # drumline::protocol! {
//! #     pub mod adding of client with server {
//! #         Sum = recv u64 => end;
//! #     }
//! # }
//! let (sum, _server) = adding::unbounded();
//! sum.send(5); // no method named `send` found for struct `adding::client::Sum`
//! ```
//!
//! # What is promised
//!
//! * **No message of the wrong kind.** What one side sends in a state is what the other one
//!   receives in this state. A session is two [lanes](crate::channel::spsc), which nothing else
//!   has. Both sides begin in the same state. In each state one side sends, and its message leads
//!   both sides to the same next state.
//! * **Nothing waits for a peer that has left.** A side leaves when it drops its endpoint before
//!   the end, or when its thread panics with it. The other side gets what was sent before, and then
//!   [`PeerLeft`]: which role left, in which step, and why.
//! * **No message is lost.** What could not be sent comes back in the error. What is in the session
//!   when its receiver leaves is dropped.
//!
//! # What can hang
//!
//! * **A forgotten endpoint.** After `std::mem::forget`, or in a cycle of `Arc`s, an endpoint is
//!   never dropped, and its peer waits for ever.
//! * **Crossed sessions.** Two threads have two sessions with each other. One waits for a message
//!   of the first session, the other one for a message of the second, and each would send what the
//!   other one waits for afterwards. The types of a session know nothing of the other session.
//!   [`select`] waits for both.
//! * **An endpoint that is sent to its own peer** in another session, and waits there for itself.
//! * **Full sessions**, if both sides have to send many messages by several sessions with a bound.
//!   Within one session, a full lane means that the peer is to receive.
//!
//! # Cost
//!
//! A step costs what a message of a [lane](crate::channel::spsc#cost) costs, with no atomic access
//! of its own. An endpoint is a pointer. A session takes about 500 bytes: two lanes, two endpoints,
//! and the place where a side writes down that it leaves. The first message of each direction
//! allocates what keeps the two sides of its lane apart in memory, and a first block for some
//! messages: a few hundred bytes if all are numbers. Blocks grow in long sessions only. All
//! messages of one direction are one enum, as large as the largest of them: box what is large and
//! rare.

mod departure;
mod endpoint;
mod error;
mod grammar;
mod macros;
mod select;
mod states;
mod steps;
mod waiting;
mod wire;

pub use departure::PeerLeft;
pub use endpoint::{Endpoint, Message, Receiving};
pub use error::{NotReceived, NotSent, SendError};
pub use select::{
    SelectAsync, Selectable, Selected2, Selected3, Selected4, select, select_async,
    select_deadline, select_timeout, try_select,
};
pub use waiting::{RecvAsync, RecvReady, SendAsync, SendReady};

/// What the macro refers to. No part of the interface.
#[doc(hidden)]
pub mod machinery {
    pub use super::departure::Step;
    pub use super::endpoint::{Never, State, advance, crossed};
    pub use super::steps::{
        has_peer_left, recv, recv_async, recv_deadline, recv_ready, recv_timeout, send, send_async,
        send_deadline, send_ready, send_timeout, try_recv, try_send,
    };
    pub use super::wire::{Wire, bounded, unbounded};
}
