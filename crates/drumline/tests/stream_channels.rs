//! Streams that take from the receivers of channels: what arrives, what the end says, which side
//! learns of an early end, and what waits where.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Event, ends, eventually, pool, quiet_panic};
use drumline::channel::{CloseReason, SendError, lanes, mpmc, spsc};
use drumline::stream::{self, Drained, OnPanic, Polled, StreamStats, stream};
use drumline::{CancellationToken, Pool};
use streams::channels::{boxed, kinds, kinds_with_room, sends};
use streams::{Item, Ledger, setups, some_setups};

#[test]
fn what_the_source_says() {
    for kind in kinds_with_room::<u64>() {
        let (mut sender, mut source) = (kind.make)();
        let name = kind.name;
        assert_eq!(
            (source.try_recv(), source.len_hint(), source.is_blind()),
            (Polled::Empty, Some(0), false),
            "{name}"
        );
        let mut batch = vec![0];
        assert_eq!(source.recv_batch(2, &mut batch), Drained::Empty, "{name}");
        assert_eq!(source.end_reason(), None, "{name}");
        sender.send(1).unwrap();
        assert_eq!(source.len_hint(), Some(1), "{name}");
        assert_eq!(source.recv_batch(1, &mut batch), Drained::More, "{name}");
        if !name.ends_with(" of 1") {
            (2..40).for_each(|number| sender.send(number).unwrap());
            assert_eq!(source.recv_batch(8, &mut batch), Drained::More, "{name}");
            assert_eq!(source.len_hint(), Some(30), "{name}");
            assert_eq!(source.recv(), Some(10), "{name}");
            batch.push(10);
            assert_eq!(source.recv_batch(99, &mut batch), Drained::Empty, "{name}");
            assert!(batch.drain(..).eq(0..40), "{name}");
        }
        sender.send(40).unwrap();
        drop(sender);
        assert_eq!(source.end_reason(), None, "{name}: one is left");
        assert_eq!(source.recv(), Some(40), "{name}");
        for _ in 0..2 {
            assert_eq!(source.try_recv(), Polled::Ended, "{name}");
            assert_eq!(source.end_reason(), Some(CloseReason::Dropped), "{name}");
            assert_eq!(source.recv_batch(1, &mut batch), Drained::Ended, "{name}");
            assert_eq!(source.recv(), None, "{name}");
            let time = std::time::Duration::from_secs(3_600);
            assert_eq!(source.recv_timeout(time), Polled::Ended, "{name}");
        }
    }
}

/// A receiver that others hold waits no longer than it is told to, and not after a stop.
#[test]
fn a_stopper_ends_the_wait_until_the_next_stream() {
    for kind in kinds_with_room::<u64>() {
        let (mut sender, mut source) = (kind.make)();
        let time = std::time::Duration::from_millis(1);
        assert_eq!(source.recv_timeout(time), Polled::Empty, "{}", kind.name);
        let stopper = source.stopper().expect("channels have one");
        thread::scope(|scope| {
            let waits = scope.spawn(|| (source.recv(), source));
            stopper.stop();
            let (received, mut source) = waits.join().unwrap();
            assert_eq!(received, None, "{}", kind.name);
            // What is there comes all the same.
            sender.send(1).unwrap();
            assert_eq!(source.recv(), Some(1), "{}", kind.name);
            assert_eq!(source.recv(), None, "{}", kind.name);
            let _next = source.stopper();
            let sends = scope.spawn(|| sender.send(2).unwrap());
            assert_eq!(source.recv(), Some(2), "{}", kind.name);
            sends.join().unwrap();
        });
    }
}

/// All arrive, once, and those of a sender in its order.
#[test]
fn one_sender() {
    const ITEMS: u64 = 400;
    for setup in &setups() {
        for kind in kinds() {
            let name = format!("{}, {}", kind.name, setup.name);
            let (sender, source) = (kind.make)();
            let sender = sends(sender, 0..ITEMS);
            let mut next = 0;
            let report = setup
                .apply(stream(source))
                .map_ordered(|number| number * 2)
                .for_each(|number| {
                    assert_eq!(number, next * 2, "{name}");
                    next += 1;
                });
            assert_eq!((report.items, next), (ITEMS, ITEMS), "{name}");
            assert_eq!(report.close_reason, Some(CloseReason::Dropped), "{name}");
            sender.join().unwrap();
            let (sender, source) = (kind.make)();
            let sender = sends(sender, 0..ITEMS);
            let sum = setup.apply(stream(source)).reduce_with(|a, b| a + b);
            assert_eq!(sum, Some(ITEMS * (ITEMS - 1) / 2), "{name}");
            sender.join().unwrap();
        }
    }
}

/// Threads, jobs and tasks of the pool that the consumers are in send to the lanes of one receiver.
#[test]
fn many_senders() {
    const SENDERS: usize = 6;
    const ITEMS: usize = 150;
    for jobs in [1, 2, 8] {
        for capacity in [1, 16, usize::MAX] {
            let pool = pool(jobs);
            let (sender, receiver) = if capacity == usize::MAX {
                lanes::unbounded()
            } else {
                lanes::per_lane(capacity)
            };
            let (mut threads, mut jobs_of_pool) = (Vec::new(), Vec::new());
            for number in 0..SENDERS {
                let mut sender = sender.clone();
                if number % 3 == 0 {
                    jobs_of_pool.push(pool.spawn_future(async move {
                        for item in 0..ITEMS {
                            sender.send_async((number, item)).await.unwrap();
                        }
                        sender.finish();
                    }));
                    continue;
                }
                let send_all = move || {
                    (0..ITEMS).for_each(|item| sender.send((number, item)).unwrap());
                    sender.finish();
                };
                if number % 3 == 1 {
                    jobs_of_pool.push(pool.spawn(send_all));
                } else {
                    threads.push(thread::spawn(send_all));
                }
            }
            sender.finish();
            let mut next = [0; SENDERS];
            let all = stream(receiver).pool(&pool).map_ordered(|item| item);
            let report = all.for_each(|(sender, item)| {
                assert_eq!(item, next[sender], "{jobs} jobs, lanes of {capacity}");
                next[sender] += 1;
            });
            assert_eq!(next, [ITEMS; SENDERS], "{jobs} jobs, lanes of {capacity}");
            assert_eq!(report.close_reason, Some(CloseReason::Finished));
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
            jobs_of_pool.into_iter().for_each(|job| job.join().unwrap());
        }
    }
}

/// The report says why the channel was closed, whichever stage took from it.
#[test]
fn the_report_has_the_reason() {
    let finished = |sender: spsc::Sender<u64>| sender.finish();
    let dropped = |sender: spsc::Sender<u64>| drop(sender);
    let panicked = |sender: spsc::Sender<u64>| {
        let thread = thread::spawn(move || {
            let _sender = sender;
            quiet_panic("the sender's");
        });
        assert!(thread.join().is_err());
    };
    type End = fn(spsc::Sender<u64>);
    let ways: [(CloseReason, End); 3] = [
        (CloseReason::Finished, finished),
        (CloseReason::Dropped, dropped),
        (CloseReason::Panicked, panicked),
    ];
    for setup in some_setups() {
        for (reason, end) in ways {
            let channel = || {
                let (mut sender, receiver) = spsc::unbounded();
                (0..20).for_each(|number| sender.send(number).unwrap());
                end(sender);
                setup.apply(stream(receiver))
            };
            let reports = [
                channel().for_each(|_| ()),
                channel().try_for_each(|_| Ok::<_, ()>(())).unwrap(),
                channel().ordered().for_each(|_| ()),
                channel().ordered().stream().ordered().for_each(|_| ()),
                channel().unordered().stream().for_each(|_| ()),
                channel().fold_init_report(|| (), |(), _| (), |(), ()| ()).1,
            ];
            for report in reports {
                let said = (report.items, report.close_reason);
                assert_eq!(said, (20, Some(reason)), "{}", setup.name);
            }
        }
    }
    // What is in the channel comes first, also if this end has closed it.
    let (mut sender, mut receiver) = lanes::unbounded();
    sender.send(1).unwrap();
    receiver.close();
    let report = stream(&mut receiver).for_each(|_| ());
    let by_receiver = Some(CloseReason::ClosedByReceiver);
    assert_eq!((report.items, report.close_reason), (1, by_receiver));
    assert_eq!(receiver.close_reason(), by_receiver);
    assert_eq!(stream::iter(0..3).for_each(|_| ()).close_reason, None);
}

/// A lent receiver goes on where a stream has stopped: nothing is lost, nothing comes twice.
#[test]
fn a_lent_receiver_goes_on() {
    for setup in &setups() {
        for kind in kinds() {
            let name = format!("{}, {}", kind.name, setup.name);
            let ledger = Ledger::new(300);
            let (mut sender, mut source) = (kind.make)();
            let made = ledger.clone();
            let sender = thread::spawn(move || {
                (0..300).for_each(|number| assert!(sender.send(made.item(number)).is_ok()));
            });
            let seen = Mutex::new(Vec::new());
            let handle = |item: Item| {
                seen.lock().unwrap().push(item.number);
                item.number
            };
            let failed = setup.apply(stream(&mut source)).in_flight(8);
            // Not only one: while its consumer is held up, others would take all the rest.
            let failed = failed.try_for_each(|item| match handle(item) {
                0..20 => Ok(()),
                _ => Err("enough"),
            });
            assert_eq!(failed.unwrap_err().index, 20, "{name}");
            let panics = setup.apply(stream(&mut source)).in_flight(8);
            let panics = panics.map_ordered(|item| {
                if handle(item) >= 100 {
                    quiet_panic("one hundred");
                }
            });
            let payload = catch_unwind(AssertUnwindSafe(|| panics.for_each(|()| ())));
            assert_eq!(common::message(&*payload.unwrap_err()), "one hundred");
            let some = setup.apply(stream(&mut source)).in_flight(8);
            let some = some.map_ordered(handle);
            assert_eq!(some.with(|results| results.take(30).count()), 30, "{name}");
            let report = setup.apply(stream(&mut source)).for_each(|item| {
                handle(item);
            });
            assert_eq!(report.close_reason, Some(CloseReason::Dropped), "{name}");
            sender.join().unwrap();
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..300), "{name}");
            ledger.check(&name);
        }
    }
}

/// A stage panics while another consumer sleeps in the channel, and the sender sends no more. The
/// stream ends all the same; a receiver that was given to it is gone then, and one that was lent is
/// not.
#[test]
fn a_panic_wakes_the_consumer_that_sleeps_in_the_channel() {
    for is_lent in [false, true] {
        for jobs in [1, 2, 8] {
            ends(move || {
                let pool = pool(jobs);
                let (mut sender, mut receiver) = spsc::bounded(1);
                let stats = StreamStats::new();
                sender.send(1).unwrap();
                let panics = |_| {
                    if jobs > 1 {
                        // Another consumer watches meanwhile.
                        eventually("a consumer sleeps", || stats.snapshot().calls > 0);
                    }
                    quiet_panic("the first");
                };
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    if is_lent {
                        let all = stream(&mut receiver).pool(&pool).batch(1);
                        all.stats(&stats).for_each(panics)
                    } else {
                        let all = stream(std::mem::replace(&mut receiver, spsc::unbounded().1));
                        all.pool(&pool).batch(1).stats(&stats).for_each(panics)
                    }
                }));
                assert_eq!(common::message(&*outcome.unwrap_err()), "the first");
                if is_lent {
                    sender.send(2).unwrap();
                    assert_eq!(receiver.recv(), Ok(2));
                } else {
                    assert!(sender.is_closed());
                    assert_eq!(sender.send(2), Err(SendError(2)));
                }
            });
        }
    }
}

/// A sender that waits for room learns that the stream is over, however that has ended.
#[test]
fn senders_that_wait_learn_that_the_stream_is_over() {
    for setup in some_setups() {
        for kind in kinds::<Item>() {
            let name = format!("{}, {}", kind.name, setup.name);
            let ledger = Ledger::new(10_000);
            for end in 0..4 {
                let (mut sender, source) = (kind.make)();
                let made = ledger.clone();
                let sender = thread::spawn(move || {
                    (0..10_000)
                        .map(|number| sender.send(made.item(number)))
                        .take_while(Result::is_ok)
                        .count()
                });
                let all = setup.apply(stream(source)).in_flight(4);
                match end {
                    0 => drop(all.try_for_each(|_| Err(())).unwrap_err()),
                    1 => {
                        let all = all.map_ordered(|_| quiet_panic("at once"));
                        let all = AssertUnwindSafe(|| all.for_each(|()| ()));
                        assert!(catch_unwind(all).is_err());
                    }
                    2 => assert!(all.ordered().with(|results| results.next()).is_some()),
                    _ => {
                        // No thread waits for the consumers of an iterator.
                        let mut results = all.ordered().into_iter();
                        assert!(results.next().is_some());
                    }
                }
                let sent = sender.join().unwrap();
                assert!(sent <= 10_000, "{name}");
            }
            eventually("all items are dropped", || ledger.is_even());
            ledger.check(&name);
        }
    }
}

/// The handle of a pool is dropped while the serial end of a stream works as a consumer, sleeps in
/// the channel, or is about to: the drop does not wait for the next message. The caller goes on by
/// itself then.
#[test]
fn the_end_of_the_pool() {
    for jobs in [1, 2, 8] {
        let (mut sender, receiver) = lanes::unbounded();
        let own = pool(jobs);
        let all = stream(receiver).pool(&own);
        let mut results = all.map_ordered(|n: u32| n + 1).into_iter();
        sender.send(1).unwrap();
        assert_eq!(results.next(), Some(2));
        thread::scope(|scope| {
            let receives = scope.spawn(move || {
                assert!(results.by_ref().take(3).eq(3..6));
                drop(results);
            });
            let ends = scope.spawn(move || drop(own));
            sender.send(2).unwrap();
            sender.send(3).unwrap();
            ends.join().unwrap();
            sender.send(4).unwrap();
            receives.join().unwrap();
        });
        eventually("the receiver is gone", || sender.is_closed());
    }
}

/// An iterator that is dropped wakes the consumer that sleeps in the channel. So the pool ends,
/// though no message comes, and the channel stays open.
#[test]
fn a_dropped_iterator_wakes_the_consumer() {
    for jobs in [1, 2, 8] {
        for guests in [true, false] {
            ends(move || {
                let (mut sender, receiver) = spsc::bounded(2);
                let pool = Pool::builder().jobs(jobs).guests(guests).build().unwrap();
                let all = stream(receiver).pool(&pool);
                let mut results = all.map_ordered(|n| n + 1).into_iter();
                sender.send(1).unwrap();
                assert_eq!(results.next(), Some(2));
                drop(results);
                assert!(pool.shutdown().is_ok());
                assert!(sender.is_closed());
            });
        }
    }
}

/// A token that is cancelled wakes the consumer: it does not look up now and then.
#[test]
fn a_token_wakes_the_consumer() {
    for setup in some_setups() {
        for kind in kinds() {
            let (mut sender, source) = (kind.make)();
            let (token, stats) = (CancellationToken::new(), StreamStats::new());
            let first = Event::new();
            thread::scope(|scope| {
                scope.spawn(|| {
                    sender.send(1).unwrap();
                    first.wait();
                    token.cancel();
                });
                let all = setup.apply(stream(source)).cancel_on(&token).stats(&stats);
                let report = all.for_each(|_| first.set());
                assert_eq!(report.items, 1, "{}, {}", kind.name, setup.name);
                assert_eq!(report.close_reason, None, "{}, {}", kind.name, setup.name);
            });
            assert_eq!(stats.snapshot().looks, 0, "{}, {}", kind.name, setup.name);
            assert!(sender.send(2).is_err(), "{}, {}", kind.name, setup.name);
        }
    }
}

/// Items that panic cost themselves only.
#[test]
fn panics_that_the_stream_survives() {
    for setup in some_setups() {
        let (sender, receiver) = lanes::per_lane(3);
        let (sender, receiver) = boxed((sender, receiver));
        let sender = sends(sender, 0..200);
        let all = setup.apply(stream(receiver)).on_panic(OnPanic::Continue);
        let mut results = Vec::new();
        let report = all
            .map_ordered(|n| if n % 50 == 7 { quiet_panic(n) } else { n })
            .for_each(|n| results.push(n));
        assert!(results.into_iter().eq((0..200).filter(|n| n % 50 != 7)));
        let lost = report.panics.iter().map(|panicked| panicked.index());
        assert!(lost.eq([7, 57, 107, 157]), "{}", setup.name);
        sender.join().unwrap();
    }
}

/// A consumer that sleeps in the channel leaves its place to other work of the pool.
#[test]
fn a_consumer_that_sleeps_is_replaced() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        for kind in kinds() {
            let (mut sender, source) = (kind.make)();
            // As many as the pool has jobs, and one more.
            let (streams, has_begun): (Vec<_>, Vec<_>) = (0..=jobs)
                .map(|_| {
                    let (mut first, begins) = spsc::bounded(1);
                    let begun = Arc::new(Event::new());
                    let has_begun = Arc::clone(&begun);
                    first.send(()).unwrap();
                    let handle = pool.spawn(move || stream(begins).for_each(|()| begun.set()));
                    ((handle, first), has_begun)
                })
                .unzip();
            has_begun.iter().for_each(|begun| begun.wait());
            let counts = pool.spawn(move || stream(source).count());
            let sends = pool.spawn(move || (0..50).for_each(|n| sender.send(n).unwrap()));
            sends.join().unwrap();
            assert_eq!(counts.join().unwrap(), 50, "{}, {jobs} jobs", kind.name);
            for (handle, sender) in streams {
                sender.finish();
                let report = handle.join().unwrap();
                assert_eq!(report.close_reason, Some(CloseReason::Finished));
            }
        }
    }
}

/// A stream in a task with a budget that is used up.
#[test]
fn in_a_task() {
    let pool = pool(2);
    for kind in kinds() {
        let (sender, source) = (kind.make)();
        let task = pool.spawn_future(async move {
            let (mut to_itself, mut own) = spsc::unbounded();
            for n in 0..127 {
                to_itself.send(n).unwrap();
                own.recv_async().await.unwrap();
            }
            stream(source).count()
        });
        let sender = sends(sender, 0..300);
        assert_eq!(task.join().unwrap(), 300, "{}", kind.name);
        sender.join().unwrap();
    }
}

/// Streams over clones of one receiver: one stops early, and the others take what is left.
#[test]
fn several_streams_over_one_channel() {
    for jobs in [1, 2, 8] {
        for capacity in [0, 1, 50] {
            let pool = pool(jobs);
            let (sender, receiver) = if capacity == 0 {
                mpmc::rendezvous()
            } else {
                mpmc::bounded(capacity)
            };
            let (sender, _) = boxed((sender, receiver.clone()));
            let sender = sends(sender, 0..1_000);
            let seen = Mutex::new(Vec::new());
            let handle = |number| seen.lock().unwrap().push(number);
            thread::scope(|scope| {
                for _ in 0..2 {
                    let all = stream(receiver.clone()).pool(&pool);
                    scope.spawn(move || all.for_each(handle));
                }
                // If it is late, it finds the end of the channel.
                let _stopped = stream(receiver).pool(&pool).try_for_each(|number| {
                    handle(number);
                    Err(())
                });
            });
            sender.join().unwrap();
            let mut seen = seen.into_inner().unwrap();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..1_000), "{jobs} jobs, {capacity}");
        }
    }
}

/// Senders come and go while the stream sleeps and wakes, and each waits for its answer.
#[test]
fn a_dialogue() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        let (sender, receiver) = lanes::unbounded::<(usize, spsc::Sender<usize>)>();
        let clients = thread::spawn(move || {
            for n in 0..300 {
                let mut sender = sender.clone();
                let (answer, mut answers) = spsc::bounded(1);
                sender.send((n, answer)).unwrap();
                assert_eq!(answers.recv(), Ok(n + 1));
            }
        });
        let all = stream(receiver).pool(&pool);
        let report = all.for_each(|(n, mut answer)| answer.send(n + 1).unwrap());
        clients.join().unwrap();
        assert_eq!(report.items, 300);
    }
}
