//! Streams that end early, and what they hold meanwhile: cancellation, errors, sinks that have
//! enough, bounds.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Event, eventually, quiet_panic};
use drumline::CancellationToken;
use drumline::stream::{self, OnPanic, Polled, SendError, Source, Stopper, stream};
use streams::{Ledger, Setup, setups, some_setups};

/// A queue that tells when a consumer waits in it.
struct Watched<S> {
    source: S,
    waits: Arc<AtomicBool>,
}

impl<S: Source> Source for Watched<S> {
    type Item = S::Item;

    fn recv(&mut self) -> Option<S::Item> {
        self.waits.store(true, Ordering::Release);
        let item = self.source.recv();
        self.waits.store(false, Ordering::Release);
        item
    }

    fn try_recv(&mut self) -> Polled<S::Item> {
        self.source.try_recv()
    }

    fn stopper(&self) -> Option<Stopper> {
        self.source.stopper()
    }
}

/// Runs `consume` on a queue that gets 10 items and then nothing more, and cancels when it waits
/// for the 11th.
#[track_caller]
fn cancelled(
    setup: &Setup,
    consume: impl FnOnce(drumline::stream::Stream<Watched<stream::Receiver<u64>>>) -> u64 + Send,
) {
    let (send, source) = stream::queue(16);
    let token = CancellationToken::new();
    let waits = Arc::new(AtomicBool::new(false));
    let source = Watched {
        source,
        waits: Arc::clone(&waits),
    };
    let items = thread::scope(|scope| {
        let stream = setup.apply(stream(source)).cancel_on(&token);
        let consumer = scope.spawn(|| consume(stream));
        (0..10).for_each(|item| send.send(item).unwrap());
        eventually("a consumer waits", || {
            send.is_empty() && waits.load(Ordering::Acquire)
        });
        token.cancel();
        consumer.join().unwrap()
    });
    assert_eq!(items, 10, "{}", setup.name);
    eventually("the source is gone", || {
        send.try_send(0) == Err(stream::TrySendError::Closed(0))
    });
}

#[test]
fn a_consumer_that_waits_is_called_off() {
    for setup in &setups() {
        cancelled(setup, |items| items.for_each(|_| ()).items);
        cancelled(setup, |items| items.count() as u64);
        cancelled(setup, |items| items.ordered().for_each(|_| ()).items);
        cancelled(setup, |items| {
            items.unordered().into_iter().map(|_| 1).sum()
        });
        cancelled(setup, |items| {
            items
                .ordered()
                .stream()
                .map_ordered(|item| item)
                .with(|all| all.map(|_| 1).sum())
        });
        cancelled(setup, |items| items.ordered().stream().count() as u64);
    }
}

#[test]
fn cancelled_before_it_begins() {
    for setup in &setups() {
        let token = CancellationToken::new();
        token.cancel();
        let (send, mut receive) = stream::queue(4);
        send.send(1).unwrap();
        let counted = setup.apply(stream(&mut receive)).cancel_on(&token).count();
        let all = setup.apply(stream(&mut receive)).cancel_on(&token);
        let taken = counted as u64 + all.ordered().for_each(|_| ()).items;
        assert_eq!((taken, send.len()), (0, 1), "{}", setup.name);
        assert_eq!(setup.apply(stream::iter(0..)).cancel_on(&token).count(), 0);
    }
}

#[test]
fn a_source_without_end_is_cancelled() {
    for setup in &setups() {
        let token = CancellationToken::new();
        let stop = |n: u64| {
            if n == 500 {
                token.cancel()
            }
        };
        let all = || setup.apply(stream::iter(0..)).cancel_on(&token);
        assert!(all().for_each(stop).items > 500);
        let token = CancellationToken::new();
        let stop = |n: u64| {
            if n == 500 {
                token.cancel()
            }
        };
        let all = || setup.apply(stream::iter(0..)).cancel_on(&token);
        let mut next = 0;
        let report = all().map_ordered(|n| n).for_each(|n| {
            assert_eq!(n, next);
            next += 1;
            stop(n);
        });
        assert_eq!(report.items, next, "{}: what was taken arrives", setup.name);
        let token = CancellationToken::new();
        let all = setup.apply(stream::iter(0_u64..)).cancel_on(&token);
        let mut items = all.ordered().into_iter();
        assert_eq!(items.by_ref().take(50).sum::<u64>(), 49 * 25);
        token.cancel();
        let rest: Vec<_> = items.collect();
        assert!(
            rest.iter()
                .copied()
                .eq(50..50 + u64::try_from(rest.len()).unwrap())
        );
    }
}

/// Takes some, and says how many have arrived.
type End<'a> = dyn Fn(&mut stream::Receiver<streams::Item>) -> u64 + 'a;

/// A sink that has enough: what was taken is handled, the rest is still in the source.
#[test]
fn nothing_that_was_taken_is_lost() {
    for setup in &setups() {
        for batch in [Some(1), Some(8), None] {
            let ledger = Ledger::new(300);
            let (send, mut receive) = stream::queue(300);
            (0..300).for_each(|number| assert!(send.send(ledger.item(number)).is_ok()));
            let handled = Mutex::new(Vec::new());
            let ends: [&End; 4] = [
                &|source| {
                    let all = setup.apply(stream(source)).in_flight(12);
                    let all = batch.into_iter().fold(all, |all, batch| all.batch(batch));
                    let all = all.map_ordered(|item| {
                        handled.lock().unwrap().push(item.number);
                        item
                    });
                    all.with(|results| u64::try_from(results.take(3).count()).unwrap())
                },
                &|source| {
                    let all = setup.apply(stream(source)).in_flight(12);
                    let all = all.map_ordered(|item| {
                        handled.lock().unwrap().push(item.number);
                        item
                    });
                    let mut seen = 0;
                    let result = all.try_for_each(|_| {
                        seen += 1;
                        if seen == 3 { Err(()) } else { Ok(()) }
                    });
                    assert!(result.is_err());
                    seen
                },
                &|source| {
                    let (sink, gone) = stream::queue(1);
                    drop(gone);
                    let all = setup.apply(stream(source)).in_flight(12);
                    let all = all.map_ordered(|item| {
                        handled.lock().unwrap().push(item.number);
                        item
                    });
                    let Err(SendError(_back)) = all.send_to(&sink) else {
                        panic!("no thread takes")
                    };
                    3
                },
                &|source| {
                    let all = setup.apply(stream(source)).in_flight(12);
                    let failed = all.try_for_each(|item| {
                        handled.lock().unwrap().push(item.number);
                        Err::<(), _>(item)
                    });
                    let failed = failed.unwrap_err();
                    assert_eq!(
                        failed.error.number,
                        handled.lock().unwrap().iter().copied().max().unwrap() + 1
                            - failed.report.items
                    );
                    3
                },
            ];
            for end in ends {
                assert_eq!(end(&mut receive), 3);
                let handled = handled.lock().unwrap();
                let taken = 300 - send.len();
                let mut numbers = handled.clone();
                numbers.sort_unstable();
                assert!(
                    numbers.into_iter().eq(0..u64::try_from(taken).unwrap()),
                    "{}",
                    setup.name
                );
            }
            drop(receive);
            ledger.check(&setup.name);
        }
    }
}

/// Senders learn that the stream is over, and get back what they wanted to send.
#[test]
fn senders_get_back_what_nobody_takes() {
    for setup in &some_setups() {
        let ledger = Ledger::new(4_000);
        let (send, receive) = stream::queue(2);
        let refused = AtomicUsize::new(0);
        let handled = AtomicUsize::new(0);
        let report = thread::scope(|scope| {
            for sender in 0..4 {
                let (send, ledger, refused) = (send.clone(), &ledger, &refused);
                scope.spawn(move || {
                    for number in 0..1_000 {
                        if let Err(SendError(item)) =
                            send.send(ledger.item(sender * 1_000 + number))
                        {
                            assert_eq!(item.number, sender * 1_000 + number);
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
            let failed = setup.apply(stream(receive)).try_for_each(|_| {
                if handled.fetch_add(1, Ordering::Relaxed) == 100 {
                    Err(())
                } else {
                    Ok(())
                }
            });
            failed.unwrap_err().report
        });
        let (handled, refused) = (handled.into_inner(), refused.into_inner());
        assert_eq!(
            report.items,
            u64::try_from(handled).unwrap(),
            "{}",
            setup.name
        );
        // At most two were in the queue.
        assert!(
            (3_998..=4_000).contains(&(handled + refused)),
            "{handled} and {refused}"
        );
        assert_eq!(ledger.made(), 4_000);
        ledger.check(&setup.name);
    }
}

/// The first error is told, also when later ones come before it.
#[test]
fn the_first_error_is_told() {
    for setup in [Setup::threads(2), Setup::in_pool("2 jobs", common::pool(2))] {
        for _ in 0..20 {
            let later = Event::new();
            let failed = setup
                .apply(stream::iter(0..2))
                .batch(1)
                .try_for_each(|item| {
                    if item == 0 {
                        later.wait()
                    } else {
                        later.set()
                    }
                    Err::<(), _>(item)
                });
            let failed = failed.unwrap_err();
            assert_eq!((failed.index, failed.error, failed.report.items), (0, 0, 2));
        }
    }
}

/// Sets an event when it is dropped.
struct SetsAtEnd<'a>(&'a Event);

impl Drop for SetsAtEnd<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// A stage that is left early finishes what it has taken. What panics then, when the next stage is
/// gone, is told, too.
#[test]
fn late_panics_are_told() {
    let (begun, gone) = (Event::new(), Event::new());
    let (begun, end) = (&begun, SetsAtEnd(&gone));
    let stage = stream::iter(0..2)
        .threads(2)
        .batch(1)
        .on_panic(OnPanic::Continue);
    let results = stage.map_ordered(|item| {
        if item == 1 {
            begun.set();
            gone.wait();
            quiet_panic("late");
        }
        item
    });
    let failed = results.stream().threads(1).try_for_each(move |_| {
        let _here = &end;
        begun.wait();
        Err::<(), _>(())
    });
    let report = failed.unwrap_err().report;
    let told: Vec<_> = report
        .panics
        .iter()
        .map(|panic| (panic.stage(), panic.index()))
        .collect();
    assert_eq!((report.items, told), (1, vec![(0, 1)]));
}

/// Many short lives: a panic at every 1,000th item, all told, in streams that stop and in streams
/// that go on.
#[test]
fn a_thousand_runs_with_panics() {
    let setups = setups();
    for run in 0..1_000_u64 {
        let setup = &setups[usize::try_from(run).unwrap() % setups.len()];
        let name = format!("run {run}, {}", setup.name);
        let items = 2_500;
        let count = AtomicU64::new(0);
        let work = |item: u64| {
            if item % 1_000 == 999 {
                quiet_panic(item);
            }
            count.fetch_add(1, Ordering::Relaxed);
            item
        };
        let (send, receive) = stream::queue(64);
        let panics = thread::scope(|scope| {
            let producer = scope.spawn(move || {
                (0..items)
                    .take_while(|&item| send.send(item).is_ok())
                    .count()
            });
            let all = setup.apply(stream(receive));
            let goes_on = run % 2 == 0;
            let all = if goes_on {
                all.on_panic(OnPanic::Continue)
            } else {
                all
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| match run / 2 % 4 {
                0 => all.map(work).for_each(|_| ()),
                1 => all.map_ordered(work).for_each(|_| ()),
                2 => all.map(work).unordered().for_each(|_| ()),
                _ => {
                    all.map(work)
                        .fold_init_report(|| (), |(), _| (), |(), ()| ())
                        .1
                }
            }));
            let sent = producer.join().unwrap();
            match outcome {
                Ok(report) => {
                    assert!(goes_on, "{name}");
                    assert_eq!((report.items, sent), (items, 2_500), "{name}");
                    report.panics.iter().map(stream::Panicked::index).collect()
                }
                Err(payload) => {
                    assert!(!goes_on, "{name}");
                    vec![*payload.downcast::<u64>().unwrap()]
                }
            }
        });
        let expected: &[u64] = if run % 2 == 0 { &[999, 1_999] } else { &[999] };
        assert_eq!(panics, expected, "{name}");
        if run % 2 == 0 {
            assert_eq!(count.into_inner(), items - 2, "{name}");
        }
    }
}

/// A program on a system without threads left: the stream goes on with those that there are.
#[test]
fn where_the_system_refuses_threads() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "program_without_threads",
        "--ignored",
        "--nocapture",
        "--test-threads",
        "1",
    ]);
    // More than any machine has, for each stack.
    command.env("RUST_MIN_STACK", (1_u64 << 50).to_string());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
#[ignore = "a program of the test above"]
fn program_without_threads() {
    if thread::Builder::new().spawn(|| ()).is_ok() {
        #[cfg(target_os = "linux")]
        panic!("a system that promises everything");
        #[cfg(not(target_os = "linux"))]
        return;
    }
    for threads in [1, 2, 5] {
        let all = || stream::iter(0..1_000_u64).threads(threads);
        assert_eq!(all().count(), 1_000);
        assert!(all().ordered().into_iter().eq(0..1_000));
        assert_eq!(
            all().in_flight(2).unordered().into_iter().sum::<u64>(),
            999 * 500
        );
        assert_eq!(all().map_ordered(|item| item).for_each(|_| ()).items, 1_000);
        assert_eq!(
            all()
                .map_ordered(|item| item)
                .stream()
                .map_ordered(|item| item)
                .with(|all| all.sum::<u64>()),
            999 * 500
        );
    }
}

/// A source that says nothing, with a stopper that waits.
struct SlowToStop {
    stopping: Arc<Event>,
    go_on: Arc<Event>,
}

impl Source for SlowToStop {
    type Item = u32;

    fn recv(&mut self) -> Option<u32> {
        self.stopping.wait();
        None
    }

    fn try_recv(&mut self) -> Polled<u32> {
        Polled::Empty
    }

    fn stopper(&self) -> Option<Stopper> {
        let (stopping, go_on) = (Arc::clone(&self.stopping), Arc::clone(&self.go_on));
        Some(Stopper::new(move || {
            stopping.set();
            go_on.wait();
        }))
    }
}

/// A token tells its listeners one after another. When it comes to the second, that stream is over,
/// and another one goes on with the queue.
#[test]
fn a_token_that_tells_late_does_not_stop_the_next_stream() {
    let token = CancellationToken::new();
    let (stopping, go_on) = (Arc::new(Event::new()), Arc::new(Event::new()));
    let (begun, at_work) = (Event::new(), Event::new());
    thread::scope(|threads| {
        let source = SlowToStop {
            stopping: Arc::clone(&stopping),
            go_on: Arc::clone(&go_on),
        };
        threads.spawn(|| {
            // With the token before the queue's stream.
            let first = stream(source).threads(1).cancel_on(&token);
            first.ordered().with(|results| {
                assert_eq!(results.try_recv(), Polled::Empty);
                begun.set();
                assert_eq!(results.next(), None);
            });
        });
        begun.wait();
        let (send, mut receive) = stream::queue(1_000);
        send.send(0).unwrap();
        let canceller = threads.spawn(|| {
            at_work.wait();
            token.cancel();
        });
        let second = stream(&mut receive).threads(1).cancel_on(&token);
        let report = second.for_each(|_| {
            at_work.set();
            stopping.wait();
        });
        assert_eq!(report.items, 1);
        let third_at_work = Event::new();
        thread::scope(|threads| {
            let (third_at_work, go_on) = (&third_at_work, &go_on);
            send.send(1).unwrap();
            threads.spawn(move || {
                third_at_work.wait();
                go_on.set();
                canceller.join().unwrap();
                // In between the consumer finds the queue empty, and would take that for the end.
                for n in 2..1_000 {
                    send.try_send(n).unwrap();
                    thread::yield_now();
                }
            });
            let third = stream(&mut receive).threads(1);
            let report = third.for_each(|_| third_at_work.set());
            assert_eq!(report.items, 999);
        });
    });
}

/// Some numbers, and a stopper that says that it was called.
struct SaysStopped {
    numbers: std::ops::Range<u32>,
    stopped: Arc<Event>,
}

impl Source for SaysStopped {
    type Item = u32;

    fn recv(&mut self) -> Option<u32> {
        self.numbers.next()
    }

    fn try_recv(&mut self) -> Polled<u32> {
        self.numbers.next().map_or(Polled::Ended, Polled::Item)
    }

    fn stopper(&self) -> Option<Stopper> {
        let stopped = Arc::clone(&self.stopped);
        Some(Stopper::new(move || stopped.set()))
    }
}

/// An error stops the stream at once, and not when the rest of its batch is done.
#[test]
fn an_error_does_not_wait_for_its_batch() {
    for setup in [Setup::threads(1), Setup::in_pool("1 job", common::pool(1))] {
        let stopped = Arc::new(Event::new());
        let source = SaysStopped {
            numbers: 0..10,
            stopped: Arc::clone(&stopped),
        };
        let failed = setup.apply(stream(source)).batch(2).try_for_each(|item| {
            if item == 0 {
                return Err(());
            }
            stopped.wait();
            Ok(())
        });
        assert_eq!(failed.unwrap_err().report.items, 2, "{}", setup.name);
    }
}
