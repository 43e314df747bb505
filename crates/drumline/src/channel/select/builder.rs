//! A select whose paths are added one by one.

use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::ends::{RecvEnd, SendEnd};
use super::waiting::{self, Listened, Paths, SelectOutcome, Selecting};
use super::{SelectError, SelectRecv, SelectSend, assert_has_places};
use crate::channel::{RecvError, SendError, TryRecvError, TrySendError};
use crate::sync::Instant;
use crate::wait::WaiterEntry;

/// A fair select uses one path at most this many times before it turns to the next one.
const IN_A_ROW: u32 = 64;

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
pub struct Select<'a, R> {
    paths: PathList<'a, R>,
    entry: WaiterEntry,
}

struct PathList<'a, R> {
    paths: Vec<Box<dyn HandledPath<R> + Send + 'a>>,
    /// The path whose turn it is.
    current: usize,
    /// How often it was chosen in a row.
    in_a_row: u32,
    is_biased: bool,
}

/// What came of a look at a path.
enum PathAttempt<R> {
    /// It would have to wait.
    Nothing,
    Chosen(R),
    /// The same, and it leaves the select.
    Last(R),
    /// It leaves the select.
    Over,
}

/// A path, and what makes an `R` of what has come of it.
trait HandledPath<R> {
    fn attempt(&mut self) -> PathAttempt<R>;
    fn listen(&mut self, waker: &Waker) -> Listened;
    fn unlisten(&mut self);
}

struct RecvHandler<E: RecvEnd, F> {
    end: E,
    watch: E::Watch,
    handler: F,
}

struct SendHandler<E: SendEnd, S, F> {
    end: E,
    watch: E::Watch,
    source: S,
    handler: F,
}

impl<R, E, F> HandledPath<R> for RecvHandler<E, F>
where
    E: RecvEnd,
    F: FnMut(Result<E::Message, RecvError>) -> R,
{
    #[inline]
    fn attempt(&mut self) -> PathAttempt<R> {
        match self.end.take(&mut self.watch) {
            Ok(message) => PathAttempt::Chosen((self.handler)(Ok(message))),
            Err(TryRecvError::Empty) => PathAttempt::Nothing,
            Err(TryRecvError::Closed(reason)) => {
                PathAttempt::Last((self.handler)(Err(RecvError::new(reason))))
            }
        }
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.end.listen(&mut self.watch, waker)
    }

    fn unlisten(&mut self) {
        self.end.unlisten(&mut self.watch);
    }
}

impl<R, E, S, F> HandledPath<R> for SendHandler<E, S, F>
where
    E: SendEnd,
    S: FnMut() -> Option<E::Message>,
    F: FnMut(Result<(), SendError<E::Message>>) -> R,
{
    fn attempt(&mut self) -> PathAttempt<R> {
        let reserved = self.end.reserve(&mut self.watch);
        if let Err(TrySendError::Full(())) = reserved {
            return PathAttempt::Nothing;
        }
        // There is a place, or will never be one: only now a message is taken.
        let Some(message) = (self.source)() else {
            return PathAttempt::Over;
        };
        let sent = match reserved {
            Ok(()) => self.end.send(&mut self.watch, message),
            Err(_) => Err(message),
        };
        match sent {
            Ok(()) => PathAttempt::Chosen((self.handler)(Ok(()))),
            Err(message) => PathAttempt::Last((self.handler)(Err(SendError(message)))),
        }
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.end.listen(&mut self.watch, waker)
    }

    fn unlisten(&mut self) {
        self.end.unlisten(&mut self.watch, false);
    }
}

impl<R> PathList<'_, R> {
    /// Takes a path out, which leaves nothing behind.
    fn take_out(&mut self, index: usize) {
        let mut path = self.paths.remove(index);
        path.unlisten();
        if index < self.current {
            self.current -= 1;
        }
    }

    /// Looks at a path. It may be gone afterwards.
    #[inline]
    fn attempt(&mut self, index: usize) -> PathAttempt<R> {
        let attempt = self.paths[index].attempt();
        if let PathAttempt::Last(_) | PathAttempt::Over = attempt {
            self.take_out(index);
        }
        attempt
    }

    #[cold]
    fn choose_first(&mut self) -> Option<R> {
        let mut index = 0;
        while index < self.paths.len() {
            match self.attempt(index) {
                PathAttempt::Chosen(chosen) | PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing => index += 1,
                PathAttempt::Over => {}
            }
        }
        None
    }

    /// Looks at all paths, and last at the one that had its turn.
    #[inline(never)]
    fn choose_next(&mut self) -> Option<R> {
        let mut left = self.paths.len();
        let mut index = self.current + 1;
        while left > 0 {
            left -= 1;
            if index >= self.paths.len() {
                index = 0;
            }
            match self.attempt(index) {
                PathAttempt::Chosen(chosen) => {
                    self.current = index;
                    self.in_a_row = 1;
                    return Some(chosen);
                }
                PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing => index += 1,
                PathAttempt::Over => {}
            }
        }
        None
    }
}

impl<R> Paths for PathList<'_, R> {
    type Chosen = R;

    #[inline]
    fn choose(&mut self) -> Option<R> {
        if self.is_biased {
            return self.choose_first();
        }
        if self.in_a_row < IN_A_ROW && self.current < self.paths.len() {
            match self.attempt(self.current) {
                PathAttempt::Chosen(chosen) => {
                    self.in_a_row += 1;
                    return Some(chosen);
                }
                PathAttempt::Last(chosen) => return Some(chosen),
                PathAttempt::Nothing | PathAttempt::Over => {}
            }
        }
        self.choose_next()
    }

    fn is_over(&self) -> bool {
        self.paths.is_empty()
    }

    fn listen(&mut self, waker: &Waker, mut listened: impl FnMut(Listened)) {
        for path in &mut self.paths {
            listened(path.listen(waker));
        }
    }

    fn unlisten(&mut self) {
        for path in &mut self.paths {
            path.unlisten();
        }
    }
}

impl<R> Drop for PathList<'_, R> {
    fn drop(&mut self) {
        // A future that was forgotten, or a path that has panicked, may have left something behind.
        self.unlisten();
    }
}

impl<'a, R> Select<'a, R> {
    /// A select without paths, in which each path has its turn.
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
            paths: PathList {
                paths: Vec::new(),
                current: 0,
                in_a_row: 0,
                is_biased,
            },
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
    pub fn recv<E, F>(&mut self, end: E, handler: F) -> &mut Self
    where
        E: SelectRecv + 'a,
        F: FnMut(Result<E::Message, RecvError>) -> R + Send + 'a,
    {
        let watch = Default::default();
        self.paths.paths.push(Box::new(RecvHandler {
            end,
            watch,
            handler,
        }));
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
        assert_has_places(&end);
        let watch = Default::default();
        self.paths.paths.push(Box::new(SendHandler {
            end,
            watch,
            source,
            handler,
        }));
        self
    }

    /// How many paths there are. Those that have ended have left.
    pub fn len(&self) -> usize {
        self.paths.paths.len()
    }

    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Waits until a path is ready, uses it, and returns what its handler has made. `None`: there
    /// is no path, or none any more.
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
            .field("is_biased", &self.paths.is_biased)
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
