//! The first of several ends that can receive or send.
//!
//! ```
//! use drumline::channel::{mpmc, select, spsc};
//!
//! let (mut numbers, mut number) = spsc::unbounded();
//! let (results, result) = mpmc::bounded(1);
//! std::thread::spawn(move || numbers.send(42).unwrap());
//! let (mut sum, mut is_sent) = (0, false);
//! while !is_sent {
//!     select! {
//!         recv(number) -> message => match message {
//!             Ok(message) => sum += message,
//!             Err(end) => println!("no more numbers come: {}", end.reason()),
//!         },
//!         send(results, "there is room") -> sent => {
//!             sent.unwrap();
//!             is_sent = true;
//!         }
//!     }
//! }
//! assert_eq!(result.recv(), Ok("there is room"));
//! assert!(sum == 0 || sum == 42);
//! ```
//!
//! [`select!`](crate::channel::select!) names its ends each time, and its arms are code of the
//! function around them: they may `return`, `break` and use `?`. [`Select`] takes any number of
//! ends, is made once, and used many times. Both wait for receives and for sends, with or without a
//! time limit, on a thread or, as [`select_async!`](crate::channel::select_async!) and
//! [`Select::wait_async`], in a task.
//!
//! | end | a path receives | a path sends |
//! |---|---|---|
//! | [`spsc`], [`lanes`] | yes | yes |
//! | [`mpsc`], [`mpmc`] | yes | yes |
//! | the same, as a rendezvous | yes | no: it panics |
//! | [`oneshot`] | yes | it never waits: send at once |
//! | [`PortSet`] | yes: a message, or the end of a port | |
//!
//! # No message is lost
//!
//! * A message is received when its path is chosen, and not before. On all other paths it stays in
//!   its channel.
//! * A message to be sent stays with its owner until a place in the channel is kept for it. The
//!   macro evaluates the expression then, once, and the builder calls the source. So a value that
//!   is moved in one arm is still there in the others, and the compiler knows it. If the expression
//!   or the source panics, or gives no value, the place is given back.
//! * If the channel is closed, the path is chosen, and gives the message back.
//! * A future that is dropped before it is ready has received nothing and sent nothing.
//!
//! A future that is forgotten (`std::mem::forget`) after it was polled keeps its places among those
//! that wait at `mpsc` and `mpmc`. What comes to it there is a wake-up, room, or the message of a
//! rendezvous, which others wait for in vain. A [`Select`] takes these places back when one of its
//! paths is used, or when it is dropped. `select_async!` cannot.
//!
//! # Closed channels
//!
//! A receive from a channel that has ended, and a send to one that is closed, are ready: they say
//! why, or give the message back. In a loop with the macro that happens each time; the builder lets
//! such a path go.
//!
//! # Without paths
//!
//! [`Select::wait`] returns `None`: there is nothing that it could wait for. `select!` without a
//! `recv` or `send` does not compile.
//!
//! # One end, several times
//!
//! Ends that are borrowed mutably cannot be in a select twice. Those of `mpmc` can, and so can
//! senders of `mpsc`; each path is looked at by itself. A select may hold both ends of one channel.
//! It sends into it when there is room, and receives what it has sent. In a channel of its own that
//! is full, it receives.
//!
//! # Which path is next
//!
//! If several are ready, the macro begins at a random one. It is drawn anew for every 16th select
//! of the thread: what lies at the same end is in the cache. After `biased;` the macro takes the
//! first of them. For the builder, see [`Select`].
//!
//! # Cost
//!
//! A select that finds something ready has looked at the ends before it, and no more: nothing is
//! registered. It watches them for a moment before it sleeps, as `recv` does. A select that sleeps
//! registers at each end, and unregisters afterwards: a swap for each lane, a lock for each queue.
//! To keep a place in a bounded `mpsc` or `mpmc` takes its lock.
//!
//! To receive from many channels of one type, a [`PortSet`] costs less.
//!
//! [`spsc`]: crate::channel::spsc
//! [`lanes`]: crate::channel::lanes
//! [`mpsc`]: crate::channel::mpsc
//! [`mpmc`]: crate::channel::mpmc
//! [`oneshot`]: crate::channel::oneshot
//! [`PortSet`]: crate::channel::PortSet

// # How it works
//
// ```text
//          look: nothing          watch: nothing           listen, look: nothing
//   begin ──────────────► watch ──────────────► listening ──────────────────────► asleep
//     │                     │                    ▲   │                              │
//     │ a path is ready     │                    │   │ a path is ready              │ a waker,
//     ▼                     ▼                    │   ▼                              │ or too late
//   chosen ◄────────────────┴────────────────────┼─ unlisten ◄───── look ◄──────────┘
//                                                └─────────────────── nothing ──────┘
// ```
//
// A path is *used* in the look that finds it ready. So between the two there is no moment in which
// another receiver could take its message, and a select never has anything in its hands but what it
// returns. Until a path is used, each end is only listened to.
//
// **The race feared** is a message that comes to an end between the look at it and the sleep. The
// select listens to all ends first, and then looks at all of them once more.
//
// What each end does so that nothing is lost there: `shared/selecting` for `mpsc` and `mpmc`, and
// `wait/wake_flag` for lanes.

#[cfg(not(drumline_loom))]
mod arms;
#[cfg(not(drumline_loom))]
mod builder;
#[cfg(not(drumline_loom))]
mod ends;
#[cfg(not(drumline_loom))]
mod macros;
#[cfg(all(test, drumline_loom))]
mod models;
#[cfg(not(drumline_loom))]
mod path_list;
#[cfg(doctest)]
mod promises;
mod waiting;

#[cfg(not(drumline_loom))]
use self::public::assert_has_places;
#[cfg(not(drumline_loom))]
pub use self::{
    arms::private as __private,
    builder::{Select, WaitAsync},
    public::{SelectError, SelectRecv, SelectSend},
};

#[cfg(not(drumline_loom))]
mod public {
    use std::error::Error;
    use std::fmt;

    use super::ends::{RecvEnd, SendEnd};
    use super::waiting::SelectOutcome;

    /// What a select can receive from; see [`Select::recv`](super::Select::recv).
    ///
    /// It cannot be implemented elsewhere.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectRecv, mpmc, spsc};
    ///
    /// /// Whether something comes from an end, whichever kind of channel it is of.
    /// fn hears(end: impl SelectRecv) -> bool {
    ///     let mut select = Select::new();
    ///     select.recv(end, |_| true);
    ///     select.try_wait().is_ok()
    /// }
    ///
    /// let (sender, receiver) = mpmc::unbounded();
    /// sender.send(1).unwrap();
    /// assert!(hears(&receiver));
    /// let (_silent, mut other) = spsc::unbounded::<u8>();
    /// assert!(!hears(&mut other));
    /// ```
    #[diagnostic::on_unimplemented(
        message = "a select cannot receive from `{Self}`",
        label = "not a receiving end",
        note = "give `&mut receiver` of `spsc`, `mpsc`, `lanes` or `oneshot`, `&mut set` of a \
                `PortSet`, or `&receiver` of `mpmc`"
    )]
    pub trait SelectRecv: RecvEnd + Send {}

    impl<E: RecvEnd + Send> SelectRecv for E {}

    /// What a select can send to; see [`Select::send`](super::Select::send).
    ///
    /// It cannot be implemented elsewhere.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectSend, mpsc, spsc};
    ///
    /// /// Sends a number if there is room, whichever kind of channel it is.
    /// fn offer(end: impl SelectSend<Message = u32>, number: u32) -> bool {
    ///     let mut select = Select::new();
    ///     select.send(end, || Some(number), |sent| sent.is_ok());
    ///     select.try_wait() == Ok(true)
    /// }
    ///
    /// let (sender, _receiver) = mpsc::bounded(1);
    /// assert!(offer(&sender, 1));
    /// assert!(!offer(&sender, 2));
    /// let (mut other, _receiver) = spsc::unbounded();
    /// assert!(offer(&mut other, 2));
    /// ```
    #[diagnostic::on_unimplemented(
        message = "a select cannot send to `{Self}`",
        label = "not a sending end",
        note = "give `&mut sender` of `spsc` or `lanes`, or `&sender` of `mpsc` or `mpmc`"
    )]
    pub trait SelectSend: SendEnd + Send {}

    impl<E: SendEnd + Send> SelectSend for E {}

    #[track_caller]
    pub(super) fn assert_has_places(end: &impl SendEnd) {
        assert!(
            end.has_places(),
            "a rendezvous has no place to keep for a message; a select can receive from it, and \
             not send to it"
        );
    }

    /// No path of a [`Select`](super::Select) was used.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectError, spsc};
    ///
    /// let (_silent, mut receiver) = spsc::unbounded::<u8>();
    /// let mut select = Select::new();
    /// assert_eq!(select.try_wait(), Err(SelectError::NoPath));
    /// select.recv(&mut receiver, Result::ok);
    /// assert_eq!(select.try_wait(), Err(SelectError::NotReady));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum SelectError {
        /// No path was ready, or not in time.
        NotReady,
        /// There is no path, or none any more.
        NoPath,
    }

    impl fmt::Display for SelectError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(match self {
                SelectError::NotReady => "no path of the select was ready in time",
                SelectError::NoPath => "the select has no path",
            })
        }
    }

    impl Error for SelectError {}

    impl<C> SelectOutcome<C> {
        pub(super) fn into_result(self) -> Result<C, SelectError> {
            match self {
                SelectOutcome::Chosen(chosen) => Ok(chosen),
                SelectOutcome::NotReady => Err(SelectError::NotReady),
                SelectOutcome::NoPath => Err(SelectError::NoPath),
            }
        }
    }
}
