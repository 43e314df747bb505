//! What a stage can begin with: a source, or another stage, which needs its consumers first.

use super::source::Source;

/// What is done with a source as soon as it runs.
///
/// ```
/// use drumline::stream::{Feed, Source, Use};
///
/// /// Counts the items, on one thread.
/// struct Count;
///
/// impl<T> Use<T> for Count {
///     type Out = usize;
///     fn apply<S: Source<Item = T>>(self, mut source: S) -> usize {
///         std::iter::from_fn(|| source.recv()).count()
///     }
/// }
///
/// let (sender, receiver) = std::sync::mpsc::channel();
/// (0..3).for_each(|number| sender.send(number).unwrap());
/// drop(sender);
/// assert_eq!(receiver.feed(Count), 3);
/// ```
pub trait Use<T> {
    /// What comes of it.
    type Out;

    /// Does it.
    ///
    /// ```
    /// use drumline::stream::{Source, Use};
    ///
    /// struct First;
    ///
    /// impl<T> Use<T> for First {
    ///     type Out = Option<T>;
    ///     fn apply<S: Source<Item = T>>(self, mut source: S) -> Option<T> {
    ///         source.recv()
    ///     }
    /// }
    ///
    /// let (sender, receiver) = std::sync::mpsc::channel();
    /// sender.send("hello").unwrap();
    /// assert_eq!(First.apply(receiver), Some("hello"));
    /// ```
    fn apply<S: Source<Item = T>>(self, source: S) -> Self::Out;
}

/// Something that is a source while it runs. Users need not name it: every [`Source`] is one, and
/// so is the serial end of a stage.
///
/// ```
/// use drumline::stream::{self, Feed, Stream};
///
/// /// How many items there are, whatever the stream begins with.
/// fn count(stream: Stream<impl Feed<Item: Send>>) -> u64 {
///     stream.count()
/// }
///
/// let (sender, receiver) = stream::queue(1);
/// drop::<stream::Sender<u8>>(sender);
/// assert_eq!(count(stream::iter(0..3)), 3);
/// assert_eq!(count(stream::stream(receiver)), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "a stream cannot begin with `{Self}`",
    label = "not a source, and no serial end of a stage",
    note = "receivers of channels are sources; `stream::iter` takes iterators"
)]
pub trait Feed {
    /// What comes from it.
    type Item: Send;

    /// Runs it, for as long as the use lasts.
    ///
    /// ```
    /// use drumline::stream::{self, Feed, Source, Use};
    ///
    /// struct Last;
    ///
    /// impl<T> Use<T> for Last {
    ///     type Out = Option<T>;
    ///     fn apply<S: Source<Item = T>>(self, mut source: S) -> Option<T> {
    ///         std::iter::from_fn(|| source.recv()).last()
    ///     }
    /// }
    ///
    /// let stage = stream::iter(1..=4).map_ordered(|number| number * number);
    /// assert_eq!(stage.feed(Last), Some(16));
    /// ```
    fn feed<U: Use<Self::Item>>(self, on: U) -> U::Out;
}

impl<S: Source> Feed for S {
    type Item = S::Item;

    fn feed<U: Use<S::Item>>(self, on: U) -> U::Out {
        on.apply(self)
    }
}
