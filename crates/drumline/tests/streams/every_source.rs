//! A stream from every kind of source.

use std::sync::mpsc;
use std::thread;

use drumline::stream::{self, Source, Stream, stream};

/// What is checked on a stream of the numbers below `items`.
pub trait Check {
    fn check<S: Source<Item = u64> + 'static>(
        &self,
        name: &str,
        items: u64,
        make: &dyn Fn() -> Stream<S>,
    );
}

/// Runs `send` on a thread of its own until it says `false`.
fn produce(items: u64, mut send: impl FnMut(u64) -> bool + Send + 'static) {
    thread::spawn(move || (0..items).all(&mut send));
}

/// Calls `check` with all sources.
pub fn every_source(items: u64, check: &impl Check) {
    check.check("iterator", items, &|| stream::iter(0..items));
    check.check("mpsc, all there", items, &|| {
        let (send, receive) = mpsc::channel();
        (0..items).for_each(|item| send.send(item).unwrap());
        stream(receive)
    });
    check.check("mpsc", items, &|| {
        let (send, receive) = mpsc::sync_channel(3);
        produce(items, move |item| send.send(item).is_ok());
        stream(receive)
    });
    check.check("queue, all there", items, &|| {
        let (send, receive) = stream::queue(usize::try_from(items).unwrap() + 1);
        (0..items).for_each(|item| send.send(item).unwrap());
        stream(receive)
    });
    check.check("queue", items, &|| {
        let (send, receive) = stream::queue(5);
        produce(items, move |item| send.send(item).is_ok());
        stream(receive)
    });
    check.check("boxed", items, &|| {
        let (send, receive) = stream::queue(2);
        produce(items, move |item| send.send(item).is_ok());
        stream(Box::new(receive) as Box<dyn Source<Item = u64>>)
    });
    #[cfg(feature = "crossbeam-channel")]
    check.check("crossbeam-channel", items, &|| {
        let (send, receive) = crossbeam_channel::bounded(4);
        produce(items, move |item| send.send(item).is_ok());
        stream(receive)
    });
    #[cfg(feature = "flume")]
    check.check("flume", items, &|| {
        let (send, receive) = flume::bounded(4);
        produce(items, move |item| send.send(item).is_ok());
        stream(receive)
    });
    #[cfg(feature = "futures")]
    check.check("async", items, &|| {
        let (filler, queue) = super::async_queue::async_queue();
        produce(items, move |item| {
            filler.send(item);
            true
        });
        stream::from_async(queue)
    });
    #[cfg(feature = "kanal")]
    check.check("kanal", items, &|| {
        let (send, receive) = kanal::bounded(4);
        produce(items, move |item| send.send(item).is_ok());
        stream(receive)
    });
}
