//! What came of a stream.

use std::any::Any;
use std::fmt;

use crate::channel::CloseReason;
use crate::sync::{Arc, Mutex, lock};
use crate::unwind::{self, Payload};

/// What a stream did.
///
/// ```
/// let report = drumline::stream::iter(0..100).for_each(|_| ());
/// assert_eq!((report.items, report.panics.len()), (100, 0));
/// ```
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// How many items were taken from the source, and handled.
    pub items: u64,
    /// Whether the stream came to the end of its source, was cancelled, or failed.
    ///
    /// ```
    /// use drumline::stream::{self, StreamEnd};
    /// use drumline::CancellationToken;
    ///
    /// let token = CancellationToken::new();
    /// let report = stream::iter(0..)
    ///     .cancel_on(&token)
    ///     .for_each(|n| if n == 1_000 { token.cancel() });
    /// assert_eq!(report.end, StreamEnd::Cancelled);
    /// ```
    pub end: StreamEnd,
    /// The panics that did not stop it, of all stages up to this one, in the order of stages and
    /// items; see
    /// [`on_panic`](super::Stream::on_panic).
    pub panics: Vec<Panicked>,
    /// Why the [channel](crate::channel) that the stream took from was closed. `None` if its source
    /// was something else, or the stream stopped before the end of the channel.
    ///
    /// A sender on a thread that panics may not have sent all that it had: a stream that ends then
    /// has [`CloseReason::Panicked`] here.
    ///
    /// ```
    /// use drumline::channel::{CloseReason, spsc};
    /// use drumline::stream::stream;
    ///
    /// let (mut sender, receiver) = spsc::unbounded();
    /// sender.send("all there is")?;
    /// sender.finish();
    /// let report = stream(receiver).for_each(|_| ());
    /// assert_eq!(report.close_reason, Some(CloseReason::Finished));
    /// # Ok::<(), drumline::stream::SendError<&str>>(())
    /// ```
    pub close_reason: Option<CloseReason>,
}

/// How a stream came to its end; in a [`Report`].
///
/// ```
/// use drumline::stream::{self, StreamEnd};
///
/// let stream = stream::iter(["1", "two", "3"]).try_map(|text| text.parse::<u32>());
/// match stream.for_each(drop).end {
///     StreamEnd::Ended => println!("these were all"),
///     StreamEnd::Cancelled => println!("there may be more"),
///     StreamEnd::Failed => println!("one of them is no number"),
///     _ => unreachable!(),
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamEnd {
    /// The source has ended, or what was wanted of it has come
    /// ([`take`](super::Stream::take)), and everything was handled.
    #[default]
    Ended,
    /// The [token](super::Stream::cancel_on) of a stage was cancelled before the source had ended.
    /// There may be items that were not taken.
    Cancelled,
    /// A function of a stage has returned an error, before or after a cancellation. Unless the
    /// source had ended, there may be items that were not taken.
    Failed,
}

/// A function of the program has panicked with an item.
///
/// ```
/// use drumline::stream::{self, OnPanic};
///
/// let report = stream::iter(0..3)
///     .on_panic(OnPanic::Continue)
///     .for_each(|number| assert_ne!(number, 1, "not this one"));
/// println!("{}", report.panics[0]);
/// assert_eq!(report.panics[0].index(), 1);
/// ```
pub struct Panicked {
    stage: usize,
    index: u64,
    payload: Payload,
}

impl Panicked {
    /// The number of the stage that it came from; the first has 0.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let report = stream::iter(0..3)
    ///     .map_ordered(|number| number + 1)
    ///     .stream() // the next stage
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|number| assert_ne!(number, 1));
    /// assert_eq!(report.panics[0].stage(), 1);
    /// ```
    #[must_use]
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// The number of the item in the source; the first has 0.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let report = stream::iter(["a", "b", "c"])
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|letter| assert_ne!(letter, "c"));
    /// assert_eq!(report.panics[0].index(), 2);
    /// ```
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// What the panic said, if it is a text.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let report = stream::iter(0..3)
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|number| if number == 1 { panic!("not {number}") });
    /// assert_eq!(report.panics[0].message(), Some("not 1"));
    /// ```
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        let payload = &*self.payload;
        let text = payload.downcast_ref::<&'static str>().copied();
        text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
    }

    /// What the panic carries.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let mut report = stream::iter(0..3)
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|number| if number == 1 { std::panic::panic_any(number) });
    /// let payload = report.panics.remove(0).into_payload();
    /// assert_eq!(payload.downcast_ref(), Some(&1));
    /// ```
    #[must_use]
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload
    }

    /// Goes on with the panic on the calling thread.
    ///
    /// ```
    /// use drumline::stream::{self, OnPanic};
    ///
    /// let mut report = stream::iter(0..3)
    ///     .on_panic(OnPanic::Continue)
    ///     .for_each(|number| assert_ne!(number, 1));
    /// let panicked = report.panics.remove(0);
    /// let thread = std::thread::spawn(move || {
    ///     panicked.resume();
    /// });
    /// assert!(thread.join().is_err());
    /// ```
    pub fn resume(self) -> ! {
        unwind::resume(self.payload)
    }
}

impl fmt::Debug for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Panicked")
            .field("index", &self.index)
            .field("message", &self.message())
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a panic at item {} of the stream", self.index)?;
        match self.message() {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

/// What the stages of a stream have for its report: the items that they have lost to panics, and
/// gone on, how they have ended, and why the channel was closed.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<NoteList>>);

#[derive(Default)]
struct NoteList {
    panics: Vec<Panicked>,
    end: StreamEnd,
    close_reason: Option<CloseReason>,
}

/// Payloads that were not taken: their drop is code of the program, and may come while another
/// panic is on its way.
impl Drop for NoteList {
    fn drop(&mut self) {
        self.panics.drain(..).for_each(unwind::discard);
    }
}

impl Notes {
    pub(super) fn lost(&self, stage: usize, index: u64, payload: Payload) {
        lock(&self.0).panics.push(Panicked {
            stage,
            index,
            payload,
        });
    }

    /// A function of a stage has failed.
    pub(super) fn failed(&self) {
        lock(&self.0).end = StreamEnd::Failed;
    }

    /// A stage was cancelled. An error that came of what was in flight then matters more.
    pub(super) fn cancelled(&self) {
        let mut list = lock(&self.0);
        if list.end == StreamEnd::Ended {
            list.end = StreamEnd::Cancelled;
        }
    }

    /// The channel that a stage took from has ended.
    pub(super) fn source_ended(&self, reason: CloseReason) {
        lock(&self.0).close_reason = Some(reason);
    }

    /// What the last stage did, and all panics, in the order of stages and items. Only when the
    /// whole stream has returned: where a stage ends early, those before it still finish what they
    /// have taken.
    pub(super) fn report(&self, items: u64) -> Report {
        let mut list = lock(&self.0);
        let mut panics = std::mem::take(&mut list.panics);
        let (end, close_reason) = (list.end, list.close_reason);
        drop(list);
        panics.sort_by_key(|panicked| (panicked.stage, panicked.index));
        Report {
            items,
            end,
            panics,
            close_reason,
        }
    }
}

/// What becomes of a stream when a function of the program panics.
///
/// ```
/// use drumline::stream::{self, OnPanic};
///
/// let report = stream::iter(0..100)
///     .on_panic(OnPanic::Continue)
///     .for_each(|number| assert_ne!(number, 50));
/// assert_eq!(report.panics.len(), 1); // and 99 items were handled
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnPanic {
    /// Nothing more is taken from the source, what has been taken is finished, and then the panic
    /// goes on where the stream was called: the one with the first item, if there are several.
    #[default]
    Stop,
    /// The item is lost, and the stream goes on. The panics are in the [`Report`] of the last
    /// stage; ends that return none drop them.
    Continue,
}

/// A stream stopped because of an error.
///
/// ```
/// use drumline::stream::{self, Failed};
///
/// let lines = ["1", "two", "3"];
/// let Err(Failed { index, error, .. }) = stream::iter(lines).try_for_each(|line| {
///     line.parse::<u32>().map(|number| println!("{number}"))
/// }) else { unreachable!("`two` is no number") };
/// assert_eq!(format!("line {index}: {error}"), "line 1: invalid digit found in string");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Failed<E> {
    /// The number of the item in the source; the first has 0. Where several items failed, it is the
    /// lowest.
    pub index: u64,
    /// What went wrong with it.
    pub error: E,
    /// What the stream did. Everything that was taken from the source has been handled.
    pub report: Report,
}

impl<E: fmt::Display> fmt::Display for Failed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "item {} of the stream: {}", self.index, self.error)
    }
}

impl<E: std::error::Error + 'static> std::error::Error for Failed<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
