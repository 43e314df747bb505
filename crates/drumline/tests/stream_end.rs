//! Streams: what a report says of the end, and groups of a stream that stops while one is filled.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;

use common::{Event, ends, eventually, pool, quiet_panic};
use drumline::stream::{self, OnPanic, Source, StreamEnd, stream};
use drumline::{CancellationToken, blocking};
use streams::{setups, some_setups};

#[test]
fn a_stream_that_handles_all_has_ended() {
    ends(|| {
        for setup in &setups() {
            let token = CancellationToken::new();
            let items = || setup.apply(stream::iter(0..100)).cancel_on(&token);
            assert_eq!(items().for_each(|_| ()).end, StreamEnd::Ended);
            assert_eq!(items().ordered().for_each(|_| ()).end, StreamEnd::Ended);
            let panics = items().on_panic(OnPanic::Continue).for_each(|item| {
                if item == 5 {
                    quiet_panic(());
                }
            });
            assert_eq!((panics.end, panics.panics.len()), (StreamEnd::Ended, 1));
            let (send, receive) = mpsc::channel();
            (0..10).for_each(|item| send.send(item).unwrap());
            drop(send);
            // What comes after the end of the source does not count.
            let report = setup.apply(stream(receive)).ordered().for_each(|item| {
                if item == 9 {
                    token.cancel();
                }
            });
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Ended, 10),
                "{}",
                setup.name
            );
        }
    });
}

#[test]
fn a_cancelled_stream_says_so() {
    ends(|| {
        for setup in &setups() {
            let before = CancellationToken::new();
            before.cancel();
            let report = setup
                .apply(stream::iter(0..))
                .cancel_on(&before)
                .for_each(|_: u32| ());
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 0),
                "{}",
                setup.name
            );

            // An iterator.
            let token = CancellationToken::new();
            let cancel = |item: u32| {
                if item == 50 {
                    token.cancel();
                }
            };
            let report = setup
                .apply(stream::iter(0..))
                .cancel_on(&token)
                .for_each(cancel);
            assert_eq!(report.end, StreamEnd::Cancelled, "{}", setup.name);

            // A source that is woken, and one that is not. Both have no more.
            let (send, receive) = stream::queue(16);
            let report = cancelled(|token, handled| {
                let items = setup.apply(stream(receive)).cancel_on(token);
                send.send(1).unwrap();
                items.ordered().for_each(|_| handled.set())
            });
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 1),
                "{}",
                setup.name
            );
            let (send, receive) = mpsc::channel();
            let report = cancelled(|token, handled| {
                let items = setup.apply(stream(receive)).cancel_on(token);
                send.send(1).unwrap();
                items.for_each(|_| handled.set())
            });
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 1),
                "{}",
                setup.name
            );

            // The first of two stages.
            let first = setup.apply(stream::iter(0..)).cancel_on(&before).ordered();
            let report = first.stream().for_each(|_: u32| ());
            assert_eq!(report.end, StreamEnd::Cancelled, "{}", setup.name);
        }
    });
}

/// Runs a stream on a thread, and cancels its token when an item was handled.
fn cancelled<R: Send>(run: impl FnOnce(&CancellationToken, &Event) -> R + Send) -> R {
    let token = CancellationToken::new();
    let handled = Event::new();
    thread::scope(|scope| {
        let running = scope.spawn(|| run(&token, &handled));
        handled.wait();
        token.cancel();
        running.join().unwrap()
    })
}

#[test]
fn a_stream_with_an_error_has_failed() {
    ends(|| {
        for setup in &setups() {
            let check = |item: u32| if item == 20 { Err(item) } else { Ok(item) };
            let items = || setup.apply(stream::iter(0..40));
            assert_eq!(
                items().try_map(check).for_each(|_| ()).end,
                StreamEnd::Failed
            );
            let ordered = items().try_map(check).ordered();
            assert_eq!(
                ordered.for_each(|_| ()).end,
                StreamEnd::Failed,
                "{}",
                setup.name
            );
            let failed = items()
                .try_for_each(|item| check(item).map(|_| ()))
                .unwrap_err();
            assert_eq!(failed.report.end, StreamEnd::Failed, "{}", setup.name);
            let next = items().try_map(check).ordered().stream().for_each(|_| ());
            assert_eq!(next.end, StreamEnd::Failed, "{}", setup.name);
            let later = items().map_ordered(|item| item).stream().try_map(check);
            assert_eq!(
                later.for_each(|_| ()).end,
                StreamEnd::Failed,
                "{}",
                setup.name
            );
            // An error of the last item, when the source may have ended.
            let last = items().take(21).try_map(check).for_each(|_| ());
            assert_eq!(
                (last.end, last.items),
                (StreamEnd::Failed, 21),
                "{}",
                setup.name
            );
        }
    });
}

/// What was taken comes in a last group, and the rest stays.
#[test]
fn a_cancelled_stream_of_groups_loses_nothing() {
    ends(|| {
        for setup in &setups() {
            // Five items make two groups, and one item that waits for more.
            let (send, mut receive) = stream::queue(16);
            (0..5).for_each(|item| send.send(item).unwrap());
            let groups = Mutex::new(Vec::new());
            let token = CancellationToken::new();
            let report = thread::scope(|scope| {
                let items = setup.apply(stream(&mut receive)).cancel_on(&token);
                let running = scope.spawn(|| {
                    items
                        .chunks(2)
                        .for_each(|group| groups.lock().unwrap().push(group))
                });
                eventually("the last item was taken", || send.is_empty());
                token.cancel();
                running.join().unwrap()
            });
            let mut groups = groups.into_inner().unwrap();
            groups.sort();
            assert_eq!(groups.concat(), [0, 1, 2, 3, 4], "{}", setup.name);
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 3),
                "{}",
                setup.name
            );
            send.send(5).unwrap();
            assert_eq!(receive.recv(), Some(5), "{}", setup.name);
        }
    });
}

/// The standard library's channel cannot be woken.
#[test]
fn groups_of_a_source_without_a_stopper_can_be_cancelled() {
    ends(|| {
        for setup in &some_setups() {
            let (send, receive) = mpsc::channel();
            send.send(1).unwrap();
            let token = CancellationToken::new();
            let taken = Event::new();
            let report = thread::scope(|scope| {
                let source = Told(receive, &taken);
                let running = scope.spawn(|| {
                    let items = setup.apply(stream(source)).cancel_on(&token);
                    items.chunks(2).for_each(|group| assert_eq!(group, [1]))
                });
                taken.wait();
                token.cancel();
                running.join().unwrap()
            });
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 1),
                "{}",
                setup.name
            );
            drop(send);
        }
    });
}

/// Says when an item was taken.
struct Told<'a>(mpsc::Receiver<u32>, &'a Event);

impl Source for Told<'_> {
    type Item = u32;

    fn recv(&mut self) -> Option<u32> {
        Source::recv(&mut self.0)
    }

    fn recv_timeout(&mut self, time: std::time::Duration) -> stream::Polled<u32> {
        Source::recv_timeout(&mut self.0, time)
    }

    fn try_recv(&mut self) -> stream::Polled<u32> {
        let polled = Source::try_recv(&mut self.0);
        if let stream::Polled::Item(_) = polled {
            self.1.set();
        }
        polled
    }
}

/// What fills the source runs in the same pool, of one job.
#[test]
fn groups_wait_for_what_the_pool_sends() {
    ends(|| {
        let pool = pool(1);
        let (send, receive) = stream::queue(1);
        let sum = AtomicU64::new(0);
        pool.scope(|scope| {
            scope.spawn(|_| {
                let groups = stream(receive).chunks(10);
                groups.for_each(|group: Vec<u64>| {
                    sum.fetch_add(group.iter().sum(), Ordering::Relaxed);
                });
            });
            scope.spawn(move |_| (0..95).for_each(|item| blocking(|| send.send(item).unwrap())));
        });
        assert_eq!(sum.into_inner(), (0..95).sum::<u64>());
    });
}

/// An item waits for a broadcast while another consumer fills a group.
#[test]
fn a_group_that_is_filled_takes_part_in_broadcasts() {
    ends(|| {
        let pool = drumline::Pool::builder()
            .jobs(2)
            .guests(false)
            .build()
            .unwrap();
        let (send, receive) = stream::queue(4);
        (0..3).for_each(|item| send.send(item).unwrap());
        let send = Mutex::new(Some(send));
        let report = pool.install(|| {
            stream(receive).chunks(2).for_each(|group: Vec<u32>| {
                if group == [0, 1] {
                    // The other thread waits for the fourth item now, or will.
                    let threads = pool.broadcast(|_| ());
                    assert_eq!(threads.len(), 2);
                    let send = send.lock().unwrap().take().unwrap();
                    send.send(3).unwrap();
                }
            })
        });
        assert_eq!(report.items, 2);
    });
}

/// A source that never runs dry is stopped all the same.
#[test]
fn groups_of_an_endless_source_can_be_cancelled() {
    ends(|| {
        for setup in &setups() {
            let token = CancellationToken::new();
            let cancel = |item: u64| {
                if item == 1_000 {
                    token.cancel();
                }
                item
            };
            let numbers = setup
                .apply(stream::iter((0..).map(cancel)))
                .cancel_on(&token);
            let report = numbers
                .chunks(usize::MAX)
                .for_each(|group| assert_eq!(group.len(), 1_001));
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Cancelled, 1),
                "{}",
                setup.name
            );
            let results = setup.apply(stream::iter(0..)).map_ordered(cancel).stream();
            let report = results
                .cancel_on(&token)
                .chunks(usize::MAX)
                .for_each(|_| ());
            assert_eq!(report.end, StreamEnd::Cancelled, "{}", setup.name);
            // An error stops it, too.
            let numbers = setup.apply(stream::iter(0..)).chunks(3);
            let failed = numbers.try_for_each(|group: Vec<u64>| Err::<(), _>(group[0]));
            assert_eq!(failed.unwrap_err().error, 0, "{}", setup.name);
        }
    });
}

/// Where the source panics, the group that it was filling is handled first.
#[test]
fn a_panic_of_the_source_loses_no_item_of_a_group() {
    ends(|| {
        for setup in &setups() {
            let numbers = (0..10).map(|n| if n == 6 { quiet_panic(n) } else { n });
            let seen = Mutex::new(Vec::new());
            let groups = setup.apply(stream::iter(numbers)).chunks(4);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                groups.for_each(|group| seen.lock().unwrap().extend(group))
            }));
            assert_eq!(
                outcome.unwrap_err().downcast_ref(),
                Some(&6),
                "{}",
                setup.name
            );
            let mut seen = seen.into_inner().unwrap();
            seen.sort();
            assert_eq!(seen, [0, 1, 2, 3, 4, 5], "{}", setup.name);
        }
    });
}

#[test]
fn what_was_wanted_has_come_before_a_cancellation() {
    ends(|| {
        for setup in &setups() {
            let token = CancellationToken::new();
            let first = setup.apply(stream::iter(0..)).take(3).cancel_on(&token);
            let report = first.for_each(|item| {
                if item == 2 {
                    token.cancel();
                }
            });
            assert_eq!(
                (report.end, report.items),
                (StreamEnd::Ended, 3),
                "{}",
                setup.name
            );
            let none = setup.apply(stream::iter(0..)).take(0).cancel_on(&token);
            assert_eq!(
                none.for_each(|_: u32| ()).end,
                StreamEnd::Ended,
                "{}",
                setup.name
            );
        }
    });
}
