//! What a stage can begin with: a source, or another stage, which needs its consumers first.

use super::source::Source;

/// What is done with a source as soon as it runs. For the library only.
pub trait Use<T> {
    /// What comes of it.
    type Out;

    /// Does it.
    fn apply<S: Source<Item = T>>(self, source: S) -> Self::Out;
}

/// Something that is a source while it runs: what a stream begins with. Every [`Source`] is one,
/// and so is the serial end of a stage. It cannot be implemented elsewhere.
///
/// ```
/// use drumline::stream::{self, Feed, Stream};
///
/// /// How many items there are, whatever the stream begins with.
/// fn count(stream: Stream<impl Feed<Item: Send>>) -> usize {
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

    /// Runs it, for as long as the use lasts. For the library only.
    #[doc(hidden)]
    fn feed<U: Use<Self::Item>>(self, on: U) -> U::Out;
}

impl<S: Source> Feed for S {
    type Item = S::Item;

    fn feed<U: Use<S::Item>>(self, on: U) -> U::Out {
        on.apply(self)
    }
}
