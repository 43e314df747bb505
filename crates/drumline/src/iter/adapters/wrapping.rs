//! Adapters whose producer is that of what they adapt, wrapped.

use crate::iter::plumbing::{Producer, ProducerCallback};

/// What an adapter makes of the producer of what it adapts.
pub(crate) trait Wrap<T> {
    /// What the new producer gives.
    type Item;

    /// The new producer.
    type Producer<P>: Producer<Item = Self::Item>
    where
        P: Producer<Item = T>;

    /// Makes it.
    fn wrap<P>(self, base: P) -> Self::Producer<P>
    where
        P: Producer<Item = T>;
}

/// Passes on a producer, wrapped.
#[derive(Debug)]
pub(crate) struct Wrapping<CB, W> {
    pub(crate) callback: CB,
    pub(crate) wrap: W,
}

impl<T, CB, W> ProducerCallback<T> for Wrapping<CB, W>
where
    W: Wrap<T>,
    CB: ProducerCallback<W::Item>,
{
    type Output = CB::Output;

    fn callback<P>(self, producer: P) -> CB::Output
    where
        P: Producer<Item = T>,
    {
        self.callback.callback(self.wrap.wrap(producer))
    }
}
