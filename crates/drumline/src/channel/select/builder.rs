//! A select with paths that are added one by one.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::path_list::PathList;
use super::waiting::{self, SelectOutcome, Selecting};
use super::{SelectError, SelectRecv, SelectSend};
use crate::channel::{RecvError, SendError};
use crate::sync::Instant;
use crate::wait::WaiterEntry;

/// Waits for the first of several ends that can receive or send; see the [module](super).
///
/// It is made once, and may be used many times. Each path has a function that makes an `R` of what
/// has come of it.
///
/// ```
/// use drumline::channel::{RecvError, Select, mpmc, spsc};
///
/// #[derive(Debug, PartialEq)]
/// enum Event {
///     Number(Result<u32, RecvError>),
///     Word(Result<&'static str, RecvError>),
/// }
///
/// let (mut numbers, mut number) = spsc::unbounded();
/// let (words, word) = mpmc::unbounded();
/// numbers.send(1).unwrap();
/// let mut select = Select::new();
/// select.recv(&mut number, Event::Number).recv(&word, Event::Word);
/// assert_eq!(select.wait(), Some(Event::Number(Ok(1))));
/// words.send("one").unwrap();
/// assert_eq!(select.wait(), Some(Event::Word(Ok("one"))));
/// ```
///
/// # Which path is next
///
/// A [fair](Self::new) select stays at a path for 64 messages at most, then each other path has its
/// turn. In a [biased](Self::biased) one, the path that was added first comes first, whenever it
/// is ready.
///
/// # When a path ends
///
/// A receive from a channel that has ended gives [`RecvError`] once, which says why, and leaves the
/// select. A send to a channel that is closed gives the message back, and leaves it as well.
///
/// # Functions of paths
///
/// They may take long, wait, and select at other ends: while one of them runs, no path waits for
/// anything, and what comes goes to other receivers and senders. But a place is kept for the
/// message while its source runs. So a source that sends to the same channel may find it full, and
/// one that waits for room there may wait for ever.
pub struct Select<'a, R> {
    paths: PathList<'a, R>,
    entry: WaiterEntry,
}

impl<'a, R> Select<'a, R> {
    /// A select without paths, in which each path has its turn.
    ///
    /// ```
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// let (_silent, mut other) = spsc::unbounded::<u8>();
    /// sender.send("hello").unwrap();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, |word| word.unwrap().to_owned());
    /// select.recv(&mut other, |number| number.unwrap().to_string());
    /// assert_eq!(select.wait().as_deref(), Some("hello"));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::with(false)
    }

    /// A select without paths, in which the path that was added first comes first.
    ///
    /// A path gets nothing while those before it are ready.
    ///
    /// ```
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (mut urgent, mut first) = spsc::unbounded();
    /// let (mut other, mut second) = spsc::unbounded();
    /// other.send(2).unwrap();
    /// urgent.send(1).unwrap();
    /// let mut select = Select::biased();
    /// select.recv(&mut first, Result::ok).recv(&mut second, Result::ok);
    /// assert_eq!(select.wait(), Some(Some(1)));
    /// assert_eq!(select.wait(), Some(Some(2)));
    /// ```
    #[must_use]
    pub fn biased() -> Self {
        Self::with(true)
    }

    fn with(is_biased: bool) -> Self {
        Select {
            paths: PathList::new(is_biased),
            entry: WaiterEntry::new(),
        }
    }

    /// Adds a path that receives. `handler` makes an `R` of what has come: a message, or the reason
    /// why no more comes.
    ///
    /// `end` is `&mut receiver` of [`spsc`], [`mpsc`], [`lanes`] or [`oneshot`], `&mut set` of a
    /// [`PortSet`], or `&receiver` of [`mpmc`].
    ///
    /// [`spsc`]: crate::channel::spsc
    /// [`mpsc`]: crate::channel::mpsc
    /// [`lanes`]: crate::channel::lanes
    /// [`oneshot`]: crate::channel::oneshot
    /// [`mpmc`]: crate::channel::mpmc
    /// [`PortSet`]: crate::channel::PortSet
    ///
    /// ```
    /// use drumline::channel::{Select, mpmc, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// let (_silent, shared) = mpmc::unbounded::<u32>();
    /// sender.send(6).unwrap();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, |number| number.map_or(0, |number| 7 * number));
    /// select.recv(&shared, |number| number.unwrap_or(0));
    /// assert_eq!(select.wait(), Some(42));
    /// ```
    pub fn recv<E, F>(&mut self, end: E, handler: F) -> &mut Self
    where
        E: SelectRecv + 'a,
        F: FnMut(Result<E::Message, RecvError>) -> R + Send + 'a,
    {
        self.paths.add_recv(end, handler);
        self
    }

    /// Adds a path that sends what `source` gives. `source` is called when the path is chosen, and
    /// not before: so no message is lost on a path that is not. It returns `None` when there is
    /// nothing to send any more; the path leaves the select then.
    ///
    /// `handler` makes an `R` of what has come of it. If the channel is closed, it gets the message
    /// back.
    ///
    /// `end` is `&mut sender` of [`spsc`](crate::channel::spsc) or
    /// [`lanes`](crate::channel::lanes), or `&sender` of [`mpsc`](crate::channel::mpsc) or
    /// [`mpmc`](crate::channel::mpmc).
    ///
    /// ```
    /// use drumline::channel::{Select, mpmc};
    ///
    /// let (full, _receiver) = mpmc::bounded(1);
    /// let (sender, receiver) = mpmc::bounded(1);
    /// full.send("before").unwrap();
    /// let mut first = Some("first");
    /// let mut second = Some("second");
    /// let mut select = Select::new();
    /// select.send(&full, || first.take(), |_| "the full one");
    /// select.send(&sender, || second.take(), |_| "the empty one");
    /// assert_eq!(select.wait(), Some("the empty one"));
    /// drop(select);
    /// assert_eq!(receiver.recv(), Ok("second"));
    /// assert_eq!(first, Some("first"));
    /// ```
    ///
    /// # Panics
    ///
    /// If the channel is a rendezvous, which has no place to keep for a message.
    #[track_caller]
    pub fn send<E, S, F>(&mut self, end: E, source: S, handler: F) -> &mut Self
    where
        E: SelectSend + 'a,
        S: FnMut() -> Option<E::Message> + Send + 'a,
        F: FnMut(Result<(), SendError<E::Message>>) -> R + Send + 'a,
    {
        self.paths.add_send(end, source, handler);
        self
    }

    /// How many paths there are. Those that have ended have left.
    ///
    /// ```
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (sender, mut receiver) = spsc::unbounded::<u8>();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, |message| message.is_ok());
    /// assert_eq!(select.len(), 1);
    /// drop(sender);
    /// assert_eq!(select.wait(), Some(false));
    /// assert_eq!(select.len(), 0); // the path has ended
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether there is no path.
    ///
    /// ```
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (_sender, mut receiver) = spsc::unbounded::<u8>();
    /// let mut select = Select::new();
    /// assert!(select.is_empty());
    /// select.recv(&mut receiver, |message| message.is_ok());
    /// assert!(!select.is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until a path is ready, uses it, and returns what its handler has made. `None`: there
    /// is no path, or none any more.
    ///
    /// ```
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// std::thread::spawn(move || sender.send("hello"));
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, Result::ok);
    /// assert_eq!(select.wait(), Some(Some("hello")));
    /// assert_eq!(select.wait(), Some(None)); // the end of the channel
    /// assert_eq!(select.wait(), None); // and there is no other path
    /// ```
    ///
    /// # Blocking
    ///
    /// Until a path is ready. In a pool, another thread has the place of this one meanwhile.
    #[inline]
    #[track_caller]
    pub fn wait(&mut self) -> Option<R> {
        match self.wait_until(None, Location::caller()) {
            SelectOutcome::Chosen(chosen) => Some(chosen),
            SelectOutcome::NoPath => None,
            SelectOutcome::NotReady => unreachable!("there is no deadline"),
        }
    }

    /// Uses a path if one is ready now.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectError, mpsc};
    ///
    /// let (sender, mut receiver) = mpsc::unbounded();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, Result::ok);
    /// assert_eq!(select.try_wait(), Err(SelectError::NotReady));
    /// sender.send(1).unwrap();
    /// assert_eq!(select.try_wait(), Ok(Some(1)));
    /// ```
    ///
    /// # Errors
    ///
    /// If none is, and if there is no path.
    #[inline]
    pub fn try_wait(&mut self) -> Result<R, SelectError> {
        waiting::look(&mut self.paths)
            .unwrap_or(SelectOutcome::NotReady)
            .into_result()
    }

    /// As [`wait`](Self::wait), but waits for `timeout` at most.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectError, spsc};
    /// use std::time::Duration;
    ///
    /// let (_silent, mut receiver) = spsc::unbounded::<u8>();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, Result::ok);
    /// assert_eq!(select.wait_timeout(Duration::from_millis(1)), Err(SelectError::NotReady));
    /// ```
    ///
    /// # Errors
    ///
    /// If no path was ready until then, and if there is no path.
    ///
    /// # Blocking
    ///
    /// As [`wait`](Self::wait), for `timeout` at most.
    #[track_caller]
    pub fn wait_timeout(&mut self, timeout: Duration) -> Result<R, SelectError> {
        let deadline = Instant::now().checked_add(timeout);
        self.wait_until(deadline, Location::caller()).into_result()
    }

    /// As [`wait`](Self::wait), but waits until `deadline` at most.
    ///
    /// ```
    /// use drumline::channel::{Select, SelectError, spsc};
    /// use std::time::{Duration, Instant};
    ///
    /// let deadline = Instant::now() + Duration::from_millis(1);
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// sender.send(1).unwrap();
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, Result::ok);
    /// assert_eq!(select.wait_deadline(deadline), Ok(Some(1))); // what is ready, at any time
    /// assert_eq!(select.wait_deadline(deadline), Err(SelectError::NotReady));
    /// ```
    ///
    /// # Errors
    ///
    /// If no path was ready until then, and if there is no path.
    ///
    /// # Blocking
    ///
    /// As [`wait`](Self::wait), until `deadline` at most.
    #[track_caller]
    pub fn wait_deadline(&mut self, deadline: Instant) -> Result<R, SelectError> {
        self.wait_until(Some(deadline), Location::caller())
            .into_result()
    }

    #[inline]
    fn wait_until(
        &mut self,
        deadline: Option<Instant>,
        location: &'static Location<'static>,
    ) -> SelectOutcome<R> {
        match waiting::look(&mut self.paths) {
            Some(outcome) => outcome,
            None => waiting::wait(&mut self.paths, deadline, &mut self.entry, location),
        }
    }

    /// A future that is ready when a path is, with what its handler has made. `None`: there is no
    /// path, or none any more.
    ///
    /// ```
    /// # drumline::block_on(async {
    /// use drumline::channel::{Select, spsc};
    ///
    /// let (mut sender, mut receiver) = spsc::unbounded();
    /// let (_silent, mut other) = spsc::unbounded();
    /// drumline::spawn(move || sender.send("hello"));
    /// let mut select = Select::new();
    /// select.recv(&mut receiver, Result::ok).recv(&mut other, Result::ok);
    /// assert_eq!(select.wait_async().await, Some(Some("hello")));
    /// # });
    /// ```
    ///
    /// For a time limit, give it to [`timeout`](crate::task::timeout).
    ///
    /// # Cancellation
    ///
    /// A future that is dropped before it is ready has received nothing and sent nothing.
    #[track_caller]
    pub fn wait_async(&mut self) -> WaitAsync<'_, 'a, R> {
        WaitAsync(Selecting::new(&mut self.paths, Location::caller()))
    }
}

impl<R> Default for Select<'_, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> fmt::Debug for Select<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Select")
            .field("paths", &self.len())
            .field("is_biased", &self.paths.is_biased())
            .finish_non_exhaustive()
    }
}

/// A future that uses one path of a select; made by [`Select::wait_async`].
#[must_use = "a future does nothing unless it is awaited"]
pub struct WaitAsync<'s, 'a, R>(Selecting<'s, PathList<'a, R>>);

impl<R> Future for WaitAsync<'_, '_, R> {
    type Output = Option<R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_outcome(cx).map(|outcome| match outcome {
            SelectOutcome::Chosen(chosen) => Some(chosen),
            SelectOutcome::NoPath => None,
            SelectOutcome::NotReady => unreachable!("there is no deadline"),
        })
    }
}

impl<R> fmt::Debug for WaitAsync<'_, '_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WaitAsync").finish_non_exhaustive()
    }
}
