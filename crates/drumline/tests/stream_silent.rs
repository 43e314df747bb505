//! Streams over sources that say nothing more, and that nothing can wake: they end all the same
//! when a token or an error stops them.

mod common;
mod streams;

use std::sync::mpsc;

use common::{Event, ends};
use drumline::CancellationToken;
use drumline::stream::{self, Stream, StreamStats, stream};
use streams::{Setup, setups};

type Numbers = Stream<mpsc::Receiver<u64>>;

/// Runs a stream over a channel with one item. The sender stays. `end` has to end.
fn with_a_silent_sender(end: impl Fn(&Setup, Numbers, &CancellationToken) + Send + Sync + 'static) {
    ends(move || {
        for setup in setups() {
            let (sender, receiver) = mpsc::channel();
            sender.send(1).unwrap();
            let token = CancellationToken::new();
            end(&setup, setup.apply(stream(receiver)), &token);
            assert!(
                sender.send(2).is_err(),
                "{}: the source is gone",
                setup.name
            );
        }
    });
}

#[test]
fn cancelled_at_a_parallel_end() {
    with_a_silent_sender(|_, items, token| {
        let report = items.cancel_on(token).for_each(|_| token.cancel());
        assert_eq!(report.items, 1);
    });
}

#[test]
fn cancelled_at_a_serial_end() {
    with_a_silent_sender(|_, items, token| {
        let all = items.cancel_on(token).map_ordered(|n| n);
        let report = all.for_each(|_| token.cancel());
        assert_eq!(report.items, 1);
    });
}

#[test]
fn cancelled_from_outside_while_it_sleeps() {
    with_a_silent_sender(|setup, items, token| {
        let (handled, stats) = (Event::new(), StreamStats::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                handled.wait();
                common::eventually("it looks up", || stats.snapshot().looks > 2);
                token.cancel();
            });
            let items = items.cancel_on(token).stats(&stats);
            items.unordered().for_each(|_| handled.set());
        });
        assert!(stats.snapshot().looks > 2, "{}", setup.name);
    });
}

#[test]
fn errors_at_a_parallel_end() {
    with_a_silent_sender(|_, items, _| {
        let failed = items.try_for_each(Err).unwrap_err();
        assert_eq!((failed.index, failed.error), (0, 1));
    });
}

#[test]
fn errors_of_a_function() {
    with_a_silent_sender(|_, items, _| {
        let mut results = Vec::new();
        let all = items.try_map(Err::<(), _>).ordered();
        all.for_each(|result| results.push(result));
        assert_eq!(results, [Err(1)]);
    });
}

#[test]
fn errors_at_a_serial_end() {
    with_a_silent_sender(|_, items, _| {
        assert_eq!(items.ordered().try_for_each(Err).unwrap_err(), 1);
    });
}

#[test]
fn a_sink_that_takes_no_more() {
    with_a_silent_sender(|_, items, _| {
        let (sender, receiver) = stream::queue(1);
        drop(receiver);
        assert_eq!(items.unordered().send_to(&sender).unwrap_err().0, 1);
    });
}

#[test]
fn a_later_stage_stops_those_before_it() {
    with_a_silent_sender(|_, items, token| {
        let next = items.map_ordered(|n| n).stream().cancel_on(token);
        let report = next.map_ordered(|n| n).for_each(|_| token.cancel());
        assert_eq!(report.items, 1);
    });
    with_a_silent_sender(|_, items, _| {
        let next = items.map_ordered(|n| n).stream().map_ordered(|n| n);
        assert_eq!(next.stream().try_for_each(Err).unwrap_err().error, 1);
    });
}

#[test]
fn a_later_stage_stops_a_queue() {
    ends(|| {
        for setup in setups() {
            let (sender, receiver) = stream::queue(4);
            sender.send(1).unwrap();
            let token = CancellationToken::new();
            let items = setup.apply(stream(receiver)).map_ordered(|n| n);
            let report = items
                .stream()
                .cancel_on(&token)
                .for_each(|_| token.cancel());
            assert_eq!(report.items, 1, "{}", setup.name);
        }
    });
}

#[test]
fn who_can_be_woken_or_is_never_stopped_has_no_timer() {
    let run = |with_token: bool| {
        let stats = StreamStats::new();
        let (sender, receiver) = stream::queue(1);
        let (first, second) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for n in 0..3 {
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    let _ = (sender.send(n), first.send(n));
                }
            });
            let mut queue = stream(receiver).stats(&stats);
            if with_token {
                queue = queue.cancel_on(&CancellationToken::new());
            }
            assert_eq!(queue.count(), 3);
            assert_eq!(stream(second).stats(&stats).count(), 3);
        });
        stats.snapshot().looks
    };
    assert_eq!((run(false), run(true)), (0, 0));
}
