//! What users see of a thread or task that waits at an end of a channel.

use std::fmt;
use std::panic::Location;
use std::thread::Thread;

use crate::sync::Instant;

/// A thread that sleeps at an end of a channel, or a future that is pending there: a snapshot, made
/// by [`channel::waiters`](crate::channel::waiters) and [`Pool::waiters`](crate::Pool::waiters).
///
/// ```
/// use drumline::channel::{WaitingFor, spsc, waiters};
///
/// let (mut sender, mut receiver) = spsc::unbounded::<u32>();
/// let thread = std::thread::spawn(move || receiver.recv());
/// let waiter = loop {
///     // It watches for a moment before it sleeps.
///     if let Some(waiter) = waiters().into_iter().next() {
///         break waiter;
///     }
///     std::thread::yield_now();
/// };
/// assert_eq!(waiter.waiting_for(), WaitingFor::Message);
/// assert_eq!(waiter.thread().unwrap().id(), thread.thread().id());
/// // "an unnamed thread waits for a message of spsc channel 0x55d0c0a0, since 12.3µs, at src/…"
/// println!("{waiter}");
/// sender.send(1).unwrap();
/// thread.join().unwrap().unwrap();
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waiter {
    pub(super) thread: Option<Thread>,
    pub(super) waiting_for: WaitingFor,
    pub(super) channel_kind: ChannelKind,
    pub(super) channel: ChannelId,
    pub(super) location: &'static Location<'static>,
    pub(super) since: Instant,
}

impl Waiter {
    /// The thread that sleeps: in a blocking call, or in [`block_on`](crate::block_on) because its
    /// future is pending. `None`: it is a task, which needs no thread while it waits.
    ///
    /// A future that another executor polls is a task, also if that executor has a thread wait
    /// for it.
    ///
    /// ```
    /// use drumline::channel::{spsc, waiters};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// let thread = std::thread::spawn(move || receiver.recv());
    /// let waiter = loop {
    ///     match waiters().pop() {
    ///         Some(waiter) => break waiter,
    ///         None => std::thread::yield_now(), // it does not sleep yet
    ///     }
    /// };
    /// assert_eq!(waiter.thread().unwrap().id(), thread.thread().id());
    /// sender.send(1).unwrap();
    /// assert_eq!(thread.join().unwrap(), Ok(1));
    /// ```
    #[must_use]
    pub fn thread(&self) -> Option<&Thread> {
        self.thread.as_ref()
    }

    /// What it waits for.
    ///
    /// ```
    /// use drumline::channel::{WaitingFor, mpsc, waiters};
    ///
    /// let (sender, _receiver) = mpsc::bounded(1);
    /// sender.send("takes the room").unwrap();
    /// std::thread::spawn(move || sender.send("waits for room"));
    /// let waiter = loop {
    ///     match waiters().pop() {
    ///         Some(waiter) => break waiter,
    ///         None => std::thread::yield_now(), // it does not sleep yet
    ///     }
    /// };
    /// assert_eq!(waiter.waiting_for(), WaitingFor::Capacity);
    /// ```
    #[must_use]
    pub fn waiting_for(&self) -> WaitingFor {
        self.waiting_for
    }

    /// The kind of the channel: the module that it is from.
    ///
    /// ```
    /// use drumline::channel::{ChannelKind, mpmc, waiters};
    ///
    /// let (_sender, receiver) = mpmc::unbounded::<u8>();
    /// std::thread::spawn(move || receiver.recv());
    /// let waiter = loop {
    ///     match waiters().pop() {
    ///         Some(waiter) => break waiter,
    ///         None => std::thread::yield_now(), // it does not sleep yet
    ///     }
    /// };
    /// assert_eq!(waiter.channel_kind(), ChannelKind::Mpmc);
    /// ```
    #[must_use]
    pub fn channel_kind(&self) -> ChannelKind {
        self.channel_kind
    }

    /// Which channel it is. All ends of a channel say the same.
    ///
    /// ```
    /// use drumline::channel::{mpmc, waiters};
    ///
    /// let (_sender, receiver) = mpmc::unbounded::<u8>();
    /// let other = receiver.clone();
    /// std::thread::spawn(move || receiver.recv());
    /// std::thread::spawn(move || other.recv());
    /// let (one, two) = loop {
    ///     let waiters = waiters();
    ///     if let [one, two] = &waiters[..] {
    ///         break (one.channel(), two.channel()); // both sleep
    ///     }
    ///     std::thread::yield_now();
    /// };
    /// assert_eq!(one, two);
    /// ```
    #[must_use]
    pub fn channel(&self) -> ChannelId {
        self.channel
    }

    /// The call that waits, or that made the future or the iterator that does.
    ///
    /// No call makes the future of a [`oneshot::Receiver`](crate::channel::oneshot::Receiver) that
    /// is awaited: there it is the call that made the channel.
    ///
    /// ```
    /// use drumline::channel::{spsc, waiters};
    ///
    /// let (_sender, mut receiver) = spsc::unbounded::<u8>();
    /// let line = line!() + 1;
    /// std::thread::spawn(move || receiver.recv());
    /// let waiter = loop {
    ///     match waiters().pop() {
    ///         Some(waiter) => break waiter,
    ///         None => std::thread::yield_now(), // it does not sleep yet
    ///     }
    /// };
    /// assert_eq!(waiter.location().line(), line);
    /// ```
    #[must_use]
    pub fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// Since when it sleeps, or since when its future is pending; about. Tasks that hand their
    /// worker on to each other, 16 at most, share one look at the time, and so do the waits of one
    /// poll. So a task may look older by as long as it and those before it have computed.
    ///
    /// ```
    /// use drumline::channel::{spsc, waiters};
    /// use std::time::Instant;
    ///
    /// let (_sender, mut receiver) = spsc::unbounded::<u8>();
    /// std::thread::spawn(move || receiver.recv());
    /// let waiter = loop {
    ///     match waiters().pop() {
    ///         Some(waiter) => break waiter,
    ///         None => std::thread::yield_now(), // it does not sleep yet
    ///     }
    /// };
    /// assert!(waiter.since() <= Instant::now());
    /// ```
    #[must_use]
    pub fn since(&self) -> Instant {
        self.since
    }
}

impl fmt::Display for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.thread.as_ref().map(Thread::name) {
            Some(Some(name)) => write!(f, "thread `{name}`")?,
            Some(None) => f.write_str("an unnamed thread")?,
            None => f.write_str("a task")?,
        }
        write!(
            f,
            " waits for {} of {} channel {}, since {:?}, at {}",
            self.waiting_for,
            self.channel_kind,
            self.channel,
            self.since.elapsed(),
            self.location
        )
    }
}

/// What a [`Waiter`] waits for.
///
/// ```
/// use drumline::channel::WaitingFor;
///
/// assert_eq!(WaitingFor::Message.to_string(), "a message");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitingFor {
    /// A receiver waits for a message, or for the end of the channel.
    Message,
    /// A sender waits for room for a message, or for the end of the channel.
    Capacity,
    /// A sender waits for the end of the receiving side.
    Close,
    /// A select waits for one of its ends.
    AnyEnd,
}

impl WaitingFor {
    pub(super) const ALL: [Self; 4] = [
        WaitingFor::Message,
        WaitingFor::Capacity,
        WaitingFor::Close,
        WaitingFor::AnyEnd,
    ];
}

impl fmt::Display for WaitingFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WaitingFor::Message => "a message",
            WaitingFor::Capacity => "room",
            WaitingFor::Close => "the close",
            WaitingFor::AnyEnd => "one of the ends",
        })
    }
}

/// A kind of channel: the module that it is from.
///
/// ```
/// use drumline::channel::ChannelKind;
///
/// assert_eq!(ChannelKind::Spsc.to_string(), "spsc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChannelKind {
    /// One sender, one receiver.
    Spsc,
    /// Many senders, each with a lane of its own, and one receiver.
    Lanes,
    /// One message, once.
    Oneshot,
    /// Many senders, one receiver.
    Mpsc,
    /// Many senders, many receivers.
    Mpmc,
    /// Many channels, received from as one.
    PortSet,
    /// Ends of several channels, in a [select](mod@crate::channel::select). The number of the
    /// channel is one of this wait.
    Select,
}

impl ChannelKind {
    pub(super) const ALL: [Self; 7] = [
        ChannelKind::Spsc,
        ChannelKind::Lanes,
        ChannelKind::Oneshot,
        ChannelKind::Mpsc,
        ChannelKind::Mpmc,
        ChannelKind::PortSet,
        ChannelKind::Select,
    ];
}

impl fmt::Display for ChannelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ChannelKind::Spsc => "spsc",
            ChannelKind::Lanes => "lanes",
            ChannelKind::Oneshot => "oneshot",
            ChannelKind::Mpsc => "mpsc",
            ChannelKind::Mpmc => "mpmc",
            ChannelKind::PortSet => "port set",
            ChannelKind::Select => "select",
        })
    }
}

/// The number of a channel, the same for all of its ends: what [`Waiter::channel`] says.
///
/// No other channel has it at the same time; one that is made later may.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChannelId(pub(super) usize);

impl fmt::Debug for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ChannelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
