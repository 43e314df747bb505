//! Several producers and one channel that is nearly always full: what each item costs that passes
//! through it.

use std::thread;

use ::drumline::Pool;
use ::drumline::stream::{Source, stream};

/// How many threads send.
const PRODUCERS: u64 = 3;

/// How many items the channel holds.
pub const BOUND: usize = 8;

/// What the receiving side saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    count: u64,
    sum: u64,
}

impl Received {
    /// What it sees if each of the items from 0 up arrives once.
    pub fn all(items: u64) -> Self {
        Self {
            count: items,
            sum: (0..items).sum(),
        }
    }

    /// Takes an item.
    pub fn take(&mut self, item: u64) {
        self.count += 1;
        self.sum += item;
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.sum += other.sum;
    }
}

/// Sends this many items from the producers' threads, each through a clone of `sender`, while
/// `receive` takes them on the calling thread. `send` answers whether the channel took the item.
pub fn produced<S: Clone + Send>(
    items: u64,
    sender: S,
    send: impl Fn(&S, u64) -> bool + Send + Copy,
    receive: impl FnOnce() -> Received,
) -> Received {
    thread::scope(|scope| {
        for producer in 0..PRODUCERS {
            let sender = sender.clone();
            scope.spawn(move || {
                for item in (producer..items).step_by(PRODUCERS as usize) {
                    if !send(&sender, item) {
                        // The receiver has ended early, and the sum will show it.
                        return;
                    }
                }
            });
        }
        // Else the receiver waits for more.
        drop(sender);
        receive()
    })
}

/// Takes all items of a source in a stream.
pub fn streamed(pool: &Pool, jobs: usize, source: impl Source<Item = u64>) -> Received {
    stream(source)
        .pool(pool)
        .jobs(jobs)
        .fold_init(Received::default, Received::take, Received::add)
}

/// Takes all items in a plain loop.
pub fn looped(items: impl Iterator<Item = u64>) -> Received {
    let mut received = Received::default();
    items.for_each(|item| received.take(item));
    received
}
