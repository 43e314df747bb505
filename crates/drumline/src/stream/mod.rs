//! Streams of work: items come one after another, and several consumers handle them.

mod bench;
#[cfg(not(loom))]
mod consumers;
#[cfg(not(loom))]
mod crew;
mod desk;
#[cfg(not(loom))]
mod ends;
#[cfg(not(loom))]
mod feed;
mod finished;
mod load;
#[cfg(all(test, loom))]
mod models;
#[cfg(not(loom))]
mod pace;
#[cfg(not(loom))]
mod queue;
#[cfg(not(loom))]
mod report;
#[cfg(not(loom))]
mod results;
#[cfg(not(loom))]
mod serial;
#[cfg(not(loom))]
mod settings;
#[cfg(not(loom))]
mod source;
#[cfg(not(loom))]
mod stage;
#[cfg(not(loom))]
#[expect(clippy::module_inception, reason = "it is the noun")]
mod stream;
#[cfg(not(loom))]
mod work;

#[cfg(not(loom))]
pub use self::{
    feed::{Feed, Use},
    queue::{Closed, Receiver, Sender, TrySendError, queue},
    report::{Failed, OnPanic, Panicked, Report},
    results::Results,
    serial::Serial,
    source::{Drained, Iter, Polled, Source, Stopper},
    stream::Stream,
    work::{At, Filter, FilterMap, FlatMap, Map, MapInit, Pass, TryMap, Work},
};

/// A stream of the items of a source.
#[cfg(not(loom))]
pub fn stream<S: Source>(source: S) -> Stream<S> {
    Stream::new(source)
}

/// A stream of the items of an iterator.
#[cfg(not(loom))]
pub fn iter<I>(items: I) -> Stream<Iter<I::IntoIter>>
where
    I: IntoIterator,
    I::IntoIter: Send,
    I::Item: Send,
{
    Stream::new(Iter::new(items.into_iter()))
}
