//! What a stage can begin with: a source, or another stage, which needs its consumers first.

use super::source::Source;

/// What is done with a source as soon as it runs.
pub trait Use<T> {
    /// What comes of it.
    type Out;

    /// Does it.
    fn apply<S: Source<Item = T>>(self, source: S) -> Self::Out;
}

/// Something that is a source while it runs. Users need not name it: every [`Source`] is one, and
/// so is the serial end of a stage.
pub trait Feed {
    /// What comes from it.
    type Item: Send;

    /// Runs it, for as long as the use lasts.
    fn feed<U: Use<Self::Item>>(self, on: U) -> U::Out;
}

impl<S: Source> Feed for S {
    type Item = S::Item;

    fn feed<U: Use<S::Item>>(self, on: U) -> U::Out {
        on.apply(self)
    }
}
