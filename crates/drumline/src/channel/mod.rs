//! Channels: messages from one thread or task to another.
//!
//! They work without a pool. A thread that waits at an end of a channel sleeps; if it has a place
//! in a pool, another thread has that place meanwhile. A task that awaits holds no thread.
//!
//! | to | use |
//! |---|---|
//! | send many messages from one sender to one receiver | [`spsc`] |
//! | send from many senders to one receiver, where the order between senders does not matter | [`lanes`] |
//! | send from many senders to one receiver, in one order | [`mpsc`] |
//! | the same to many receivers, each message to one of them | [`mpmc`] |
//! | send one message, once | [`oneshot`] |
//! | receive from many channels that come and go, and know from which | [`PortSet`] |
//! | have the compiler check a dialogue, step by step | [`protocol!`](crate::protocol!) |
//! | wait for the first of several receives and sends | [`select!`](mod@select), [`Select`] |
//!
//! Receivers are sources of [streams](crate::stream#channels), and senders are sinks: several
//! threads handle what one channel brings.
//!
//! # What is promised
//!
//! * **No message is lost.** A message is received, or dropped with the channel because its
//!   receiver is gone, or comes back in the error of the call that could not send it. A future that
//!   is dropped before it is ready has received nothing. It has sent nothing either, but for a
//!   `send_async` of `mpsc` or `mpmc` that has waited: that has sent all or nothing.
//! * **Order.** What a sender sends comes in that order. In `mpsc` and `mpmc` this holds for all
//!   senders together: if one send returns before another one begins, its message comes first.
//! * **A bound is exact**, also with many senders; that of [`lanes`] is for each sender. In `mpsc`
//!   and `mpmc`, senders that wait for room are served in the order in which they came.
//! * **Closing tells why.** What was sent before comes first; then each receive says why no more
//!   comes ([`CloseReason`]).
//! * **Waiting costs nothing.** After a moment of watching (some 60 microseconds, and less where
//!   threads compete for processors) a thread that waits sleeps until it is woken.
//!
//! # Cost
//!
//! In a lane, a message in a row costs no atomic read-modify-write operation: the sender writes it
//! and publishes a count. When the receiver has waited, the next 128 messages cost one each. A
//! receiver that goes to sleep after a longer row runs one asymmetric barrier (a system call of
//! some microseconds). In `mpsc` and `mpmc` a send costs one such operation.
//!
//! # What waits
//!
//! [`waiters`] says which threads and tasks wait at an end of a channel, in which call and since
//! when; [`Pool::waiters`](crate::Pool::waiters) those of one pool. A call that does not wait pays
//! nothing for that.
//!
//! # Blocking in a task
//!
//! The blocking calls block the thread. In a future that is polled by a pool of this crate, the
//! pool replaces the thread meanwhile, as for any job that blocks. Other executors do not notice:
//! await the `…_async` calls there.

#[cfg(all(test, drumline_loom))]
mod delegation_models;
#[cfg(not(drumline_loom))]
mod error;
mod hub;
mod lane;
#[cfg(not(drumline_loom))]
pub mod lanes;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
pub mod mpmc;
#[cfg(not(drumline_loom))]
pub mod mpsc;
mod once;
#[cfg(not(drumline_loom))]
pub mod oneshot;
mod pause;
pub mod port_set;
mod reason;
#[cfg(not(drumline_loom))]
mod recv_many;
pub mod select;
mod shared;
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod small_tests;
#[cfg(not(drumline_loom))]
pub mod spsc;
#[cfg(not(drumline_loom))]
mod streamed;

#[cfg(not(drumline_loom))]
pub use error::{
    RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError, TrySendError,
};
#[cfg(not(drumline_loom))]
pub use port_set::{PortAdder, PortEvent, PortKey, PortSet};
pub use reason::CloseReason;
#[cfg(not(drumline_loom))]
pub use select::{Select, SelectError, SelectRecv, SelectSend};
#[cfg(not(drumline_loom))]
pub(crate) use streamed::Streamed;

#[cfg(not(drumline_loom))]
pub use crate::{select, select_async};

#[cfg(not(drumline_loom))]
pub use crate::wait::{ChannelId, ChannelKind, Waiter, WaitingFor, waiters};
