//! Streams hold no more than they were allowed to: items, weights, and what holds if nothing was
//! said.

mod common;
mod streams;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use common::eventually;
use drumline::stream;
use streams::{Setup, setups};

/// While the serial end has an item in its hands, so much is taken and no more.
#[test]
fn so_much_is_in_flight() {
    for setup in &setups() {
        for (in_flight, batch) in [(1, 1), (4, 1), (16, 4), (10, 3)] {
            let pulled = AtomicUsize::new(0);
            let most = AtomicUsize::new(0);
            let delivered = AtomicUsize::new(0);
            let source = (0..300).inspect(|_| {
                let pulled = pulled.fetch_add(1, Ordering::Relaxed) + 1;
                most.fetch_max(
                    pulled - delivered.load(Ordering::Relaxed),
                    Ordering::Relaxed,
                );
            });
            let all = setup
                .apply(stream::iter(source))
                .in_flight(in_flight)
                .batch(batch);
            all.map_ordered(|item| item).for_each(|item| {
                if item % 50 == 0 {
                    thread::yield_now();
                }
                delivered.fetch_add(1, Ordering::Relaxed);
            });
            let most = most.into_inner();
            // The serial end has taken a batch, of which it counts one item after another.
            assert!(
                most <= in_flight + batch,
                "{}: {most} of {in_flight}",
                setup.name
            );
        }
    }
    // With consumers that go on while the serial end sleeps, it comes to exactly that.
    for setup in [
        Setup::threads(2),
        Setup::in_pool("3 jobs", common::without_guests(3)),
    ] {
        let pulled = AtomicUsize::new(0);
        let source = (0..300).inspect(|_| {
            pulled.fetch_add(1, Ordering::Relaxed);
        });
        let all = setup.apply(stream::iter(source)).in_flight(8).batch(2);
        all.map_ordered(|item| item).for_each(|item| {
            if item % 20 == 0 {
                let full = (item + 10).min(300);
                eventually("as much as may be is taken", || {
                    pulled.load(Ordering::Relaxed) == full
                });
            }
        });
    }
}

/// The same for weights: only the last item may be too much.
#[test]
fn so_much_weighs_what_is_in_flight() {
    let weight = |item: &u64| usize::try_from(item % 7).unwrap() * 10;
    for setup in &setups() {
        let (pulled, delivered, most) = (
            AtomicUsize::new(0),
            AtomicUsize::new(0),
            AtomicUsize::new(0),
        );
        let source = (0..500).inspect(|item| {
            let before = pulled.fetch_add(weight(item), Ordering::Relaxed);
            // Without the last one.
            most.fetch_max(
                before - delivered.load(Ordering::Relaxed),
                Ordering::Relaxed,
            );
        });
        let all = setup
            .apply(stream::iter(source))
            .weigh(200, weight)
            .batch(1);
        all.map_ordered(|item| item).for_each(|item| {
            delivered.fetch_add(weight(&item), Ordering::Relaxed);
        });
        let most = most.into_inner();
        // And but for the one in the hands of the serial end.
        assert!(most < 200 + 60, "{}: {most}", setup.name);
    }
    let setup = Setup::threads(2);
    let pulled = AtomicUsize::new(0);
    let source = (0..300_u64).inspect(|_| {
        pulled.fetch_add(1, Ordering::Relaxed);
    });
    setup
        .apply(stream::iter(source))
        .weigh(25, |_| 10)
        .batch(4)
        .map_ordered(|item| item)
        .for_each(|item| {
            if item == 0 {
                // Three that weigh 30 together, and three in its hands.
                eventually("as much as may be is taken", || {
                    pulled.load(Ordering::Relaxed) == 6
                });
            }
        });
}

/// The program sets no bound: still it is bounded, by eight batches for each consumer.
#[test]
fn it_is_bounded_by_itself() {
    for setup in [
        Setup::threads(2),
        Setup::in_pool("2 jobs", common::without_guests(2)),
    ] {
        for batch in [1, 10] {
            let pulled = AtomicUsize::new(0);
            let source = (0..).inspect(|_| {
                pulled.fetch_add(1, Ordering::Relaxed);
            });
            let items = setup.apply(stream::iter(source)).batch(batch).ordered();
            items.with(|results| {
                results.next();
                // One batch is in the hands of the serial end.
                let full = batch * (2 * 8 + 1);
                eventually("as much as may be is taken", || {
                    pulled.load(Ordering::Relaxed) == full
                });
            });
            assert_eq!(pulled.into_inner(), batch * 17, "{}", setup.name);
        }
    }
}
