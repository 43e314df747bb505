//! Streams that send their results to the senders of channels, and from there to further streams.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use common::{pool, quiet_panic};
use drumline::Pool;
use drumline::channel::{CloseReason, spsc};
use drumline::stream::{self, stream};
use streams::channels::{Kind, kinds};
use streams::{Item, Ledger, setups, some_setups};

/// Results go to a sender, lent or given.
#[test]
fn senders_are_sinks() {
    for setup in &setups() {
        for kind in kinds() {
            let name = format!("{}, {}", kind.name, setup.name);
            let (mut sender, mut source) = (kind.make)();
            let receives = thread::spawn(move || {
                let all: Vec<u64> = std::iter::from_fn(|| source.recv()).collect();
                (all, source.end_reason())
            });
            let all = setup.apply(stream::iter(0..200)).map_ordered(|n| n * 2);
            assert_eq!(all.send_to(&mut sender).unwrap().items, 200, "{name}");
            let all = setup.apply(stream::iter(200..300)).map_ordered(|n| n * 2);
            assert_eq!(all.send_to(sender).unwrap().items, 100, "{name}");
            let (all, reason) = receives.join().unwrap();
            assert!(all.into_iter().eq((0..300).map(|n| n * 2)), "{name}");
            assert_eq!(reason, Some(CloseReason::Dropped), "{name}");
        }
    }
}

/// A receiver that wants no more stops the stream: the result comes back, and nothing more is
/// taken.
#[test]
fn a_closed_sink_stops_the_stream() {
    for setup in some_setups() {
        for kind in kinds() {
            let name = format!("{}, {}", kind.name, setup.name);
            let ledger = Ledger::new(1_000);
            let (mut sender, mut source) = (kind.make)();
            let received = thread::spawn(move || {
                let ten: Vec<Item> = std::iter::from_fn(|| source.recv()).take(10).collect();
                ten.len()
            });
            let mut taken = 0;
            let numbers = (0..).inspect(|_| taken += 1);
            let all = setup.apply(stream::iter(numbers)).in_flight(4);
            let made = ledger.clone();
            let all = all.map_ordered(move |n: u64| made.item(n % 1_000));
            // Sent, and then refused.
            assert!(all.send_to(&mut sender).is_err(), "{name}");
            assert!(taken >= 11, "{name}");
            assert_eq!(received.join().unwrap(), 10, "{name}");
            assert!(sender.send(ledger.item(0)).is_err(), "{name}");
            drop(sender);
            ledger.check(&name);
        }
    }
}

/// The receiver of a sink learns that the stream has panicked.
#[test]
fn a_sink_of_a_stream_that_panics() {
    let (sender, mut receiver) = spsc::unbounded();
    let all = stream::iter(0..10).map_ordered(|n| if n == 5 { quiet_panic("five") } else { n });
    let outcome = catch_unwind(AssertUnwindSafe(|| all.send_to(sender).map(|_| ())));
    assert!(outcome.is_err());
    // Those that were in flight arrive as well.
    let all: Vec<_> = receiver.iter().collect();
    assert!(all.starts_with(&[0, 1, 2, 3, 4]) && !all.contains(&5));
    assert_eq!(receiver.close_reason(), Some(CloseReason::Panicked));
}

/// Streams from channel to channel, all in one pool: the first and the last as jobs, too.
fn pipe(pool: &Pool, kind: &Kind<u64>) {
    const ITEMS: u64 = 300;
    let (first, from_first) = (kind.make)();
    let (second, from_second) = (kind.make)();
    let stages = [
        pool.spawn(move || stream::iter(0..ITEMS).map_ordered(|n| n + 1).send_to(first)),
        pool.spawn(move || stream(from_first).map_ordered(|n| n * 3).send_to(second)),
    ];
    let last = pool.spawn(move || {
        let mut all = Vec::new();
        let results = stream(from_second).map_ordered(|n| n - 1);
        let report = results.for_each(|n| all.push(n));
        (all, report.close_reason)
    });
    let (all, reason) = last.join().unwrap();
    assert!(all.into_iter().eq((1..=ITEMS).map(|n| n * 3 - 1)));
    assert_eq!(reason, Some(CloseReason::Dropped));
    for stage in stages {
        assert_eq!(stage.join().unwrap().unwrap().items, ITEMS);
    }
}

#[test]
fn pipes_in_one_pool() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        for kind in kinds() {
            pipe(&pool, &kind);
        }
    }
}

/// A pool that replaces no thread needs a job for each stream of the pipe.
#[test]
fn pipes_without_spares() {
    for jobs in [3, 8] {
        let pool = Pool::builder().jobs(jobs).spares(false).build().unwrap();
        for kind in kinds() {
            pipe(&pool, &kind);
        }
    }
}

/// Streams of threads outside, with consumers in one pool.
#[test]
fn pipes_of_threads_outside() {
    for guests in [true, false] {
        for spares in [true, false] {
            let jobs = if spares { 1 } else { 2 };
            let builder = Pool::builder().jobs(jobs).spares(spares).guests(guests);
            let pool = builder.build().unwrap();
            for kind in kinds() {
                let (sender, source) = (kind.make)();
                thread::scope(|scope| {
                    let sends = scope.spawn(|| {
                        let all = stream::iter(0..200).pool(&pool);
                        all.map_ordered(|n| n + 1).send_to(sender).unwrap().items
                    });
                    let all = stream(source).pool(&pool).map_ordered(|n| n);
                    let mut next = 1;
                    all.for_each(|n| {
                        assert_eq!(n, next, "{}, {spares}", kind.name);
                        next += 1;
                    });
                    assert_eq!((sends.join().unwrap(), next), (200, 201));
                });
            }
        }
    }
}

/// The end of the second stream reaches the first one through the channel.
#[test]
fn a_pipe_that_stops_early() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        for kind in kinds() {
            let (sender, source) = (kind.make)();
            let first = pool.spawn(move || stream::iter(0..).ordered().send_to(sender).map(drop));
            let second = stream(source).pool(&pool);
            let failed = second.try_for_each(|n| if n >= 77 { Err(n) } else { Ok(()) });
            assert_eq!(failed.unwrap_err().error, 77, "{}", kind.name);
            assert!(first.join().unwrap().is_err(), "{}", kind.name);
        }
    }
}
