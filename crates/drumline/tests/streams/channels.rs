//! The kinds of channels that streams take from and send to.

use std::thread;

use drumline::channel::{PortSet, lanes, mpmc, mpsc, spsc};
use drumline::stream::{Sink, Source};

pub type BoxedSink<T> = Box<dyn SendAndSink<T>>;
pub type BoxedSource<T> = Box<dyn Source<Item = T>>;

/// A sink that may go to another thread.
pub trait SendAndSink<T>: Sink<T> + Send {}
impl<T, K: Sink<T> + Send> SendAndSink<T> for K {}

/// One kind of channel.
pub struct Kind<T> {
    pub name: &'static str,
    pub make: fn() -> (BoxedSink<T>, BoxedSource<T>),
}

pub fn boxed<T>(
    (sender, receiver): (
        impl Sink<T> + Send + 'static,
        impl Source<Item = T> + 'static,
    ),
) -> (BoxedSink<T>, BoxedSource<T>) {
    (Box::new(sender), Box::new(receiver))
}

/// A set with one port.
fn in_set<T: Send + 'static>(
    (sender, receiver): (spsc::Sender<T>, spsc::Receiver<T>),
) -> (BoxedSink<T>, BoxedSource<T>) {
    let mut set = PortSet::new();
    set.add(receiver);
    boxed((sender, set))
}

/// All kinds of channels of which both ends may be in streams.
pub fn kinds<T: Send + 'static>() -> Vec<Kind<T>> {
    let kinds: [(_, fn() -> _); 16] = [
        ("spsc of 1", || boxed(spsc::bounded(1))),
        ("spsc of 50", || boxed(spsc::bounded(50))),
        ("spsc", || boxed(spsc::unbounded())),
        ("lanes of 1", || boxed(lanes::per_lane(1))),
        ("lanes of 50", || boxed(lanes::per_lane(50))),
        ("lanes", || boxed(lanes::unbounded())),
        ("port set of 1", || in_set(spsc::bounded(1))),
        ("port set", || in_set(spsc::unbounded())),
        ("mpsc of 1", || boxed(mpsc::bounded(1))),
        ("mpsc of 50", || boxed(mpsc::bounded(50))),
        ("mpsc", || boxed(mpsc::unbounded())),
        ("mpsc rendezvous", || boxed(mpsc::rendezvous())),
        ("mpmc of 1", || boxed(mpmc::bounded(1))),
        ("mpmc of 50", || boxed(mpmc::bounded(50))),
        ("mpmc", || boxed(mpmc::unbounded())),
        ("mpmc rendezvous", || boxed(mpmc::rendezvous())),
    ];
    Vec::from(kinds.map(|(name, make)| Kind { name, make }))
}

/// Sends these numbers on a thread of its own.
pub fn sends(mut sender: BoxedSink<u64>, numbers: std::ops::Range<u64>) -> thread::JoinHandle<()> {
    thread::spawn(move || numbers.for_each(|number| sender.send(number).unwrap()))
}

/// Those in which a message waits without a receiver.
pub fn kinds_with_room<T: Send + 'static>() -> Vec<Kind<T>> {
    let mut kinds = kinds();
    kinds.retain(|kind| !kind.name.contains("rendezvous"));
    kinds
}
