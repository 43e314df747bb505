//! The queue of streams by itself: its bound, its order, its two ways to close, and which side
//! wakes the other.

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::{Event, ends, eventually, quiet_panic};
use drumline::channel::{ChannelKind, CloseReason, SendTimeoutError, Waiter, WaitingFor, waiters};
use drumline::stream::{
    self, Drained, Polled, SendError, Source, StreamStats, TrySendError, stream,
};
use streams::{Ledger, setups};

#[test]
fn it_holds_what_was_asked_for() {
    for bound in [1, 2, 3, 10] {
        let (send, mut receive) = stream::queue(bound);
        for round in 0..5 {
            assert!(send.is_empty());
            (0..bound).for_each(|item| assert_eq!(send.try_send(item + round), Ok(())));
            assert_eq!(send.try_send(99), Err(TrySendError::Full(99)));
            assert_eq!(send.len(), bound);
            assert_eq!(receive.recv(), Some(round));
            assert_eq!(send.try_send(99), Ok(()));
            assert_eq!(send.try_send(98), Err(TrySendError::Full(98)));
            let mut batch = Vec::new();
            assert_eq!(receive.recv_batch(bound, &mut batch), Drained::More);
            assert!(
                batch
                    .into_iter()
                    .eq((1..bound).map(|item| item + round).chain([99]))
            );
        }
    }
    let payload = catch_unwind(|| stream::queue::<()>(0)).unwrap_err();
    assert!(common::message(&*payload).contains("at least 1"));
}

#[test]
fn what_the_source_says() {
    let (send, mut receive) = stream::queue(4);
    let mut batch = vec![0];
    assert_eq!(
        (receive.try_recv(), receive.len_hint()),
        (Polled::Empty, Some(0))
    );
    assert_eq!(receive.recv_batch(2, &mut batch), Drained::Empty);
    (1..=4).for_each(|item| send.send(item).unwrap());
    assert_eq!(receive.len_hint(), Some(4));
    assert_eq!(
        (receive.recv_batch(2, &mut batch), &batch),
        (Drained::More, &vec![0, 1, 2])
    );
    assert_eq!(receive.try_recv(), Polled::Item(3));
    assert_eq!(
        (receive.recv_batch(2, &mut batch), batch.last()),
        (Drained::Empty, Some(&4))
    );
    let other = send.clone();
    other.send(5).unwrap();
    drop(send);
    assert_eq!(receive.recv_batch(1, &mut batch), Drained::More);
    assert_eq!(receive.try_recv(), Polled::Empty);
    other.send(6).unwrap();
    drop(other);
    assert_eq!(
        (receive.recv_batch(9, &mut batch), batch.last()),
        (Drained::Ended, Some(&6))
    );
    assert_eq!((receive.try_recv(), receive.recv()), (Polled::Ended, None));
    assert_eq!(Source::recv(&mut receive), None);
}

/// Many senders that block, and one that takes: each one's items come in its order, and all of
/// them.
#[test]
fn many_senders() {
    const SENDERS: usize = 8;
    for bound in [1, 2, 7, 1_000] {
        let (send, mut receive) = stream::queue(bound);
        thread::scope(|scope| {
            for sender in 0..SENDERS {
                let send = send.clone();
                scope.spawn(move || (0..500).for_each(|item| send.send((sender, item)).unwrap()));
            }
            drop(send);
            let mut next = [0; SENDERS];
            while let Some((sender, item)) = receive.recv() {
                assert_eq!(item, next[sender], "bound {bound}, sender {sender}");
                next[sender] += 1;
                assert!(receive.len_hint().unwrap() <= bound);
            }
            assert_eq!(next, [500; SENDERS]);
        });
    }
}

/// The same into streams, of which the ordered ones keep the order of each sender.
#[test]
fn many_senders_to_a_stream() {
    for setup in setups() {
        for bound in [1, 16] {
            let (send, receive) = stream::queue(bound);
            thread::scope(|scope| {
                for sender in 0..4 {
                    let send = send.clone();
                    scope.spawn(move || {
                        (0..100).for_each(|item| send.send((sender, item)).unwrap())
                    });
                }
                drop(send);
                let mut next = [0; 4];
                setup.apply(stream(receive)).ordered().for_each(
                    |(sender, item): (usize, usize)| {
                        assert_eq!(item, next[sender], "{}, bound {bound}", setup.name);
                        next[sender] += 1;
                    },
                );
                assert_eq!(next, [100; 4]);
            });
        }
    }
}

/// One place that becomes free is enough for one sender.
#[test]
fn a_sender_needs_one_place() {
    for bound in [1, 2, 10, 100] {
        let (send, mut receive) = stream::queue(bound);
        (0..bound).for_each(|item| send.send(item).unwrap());
        let sent = Event::new();
        thread::scope(|scope| {
            for _ in 0..3 {
                let send = send.clone();
                let sent = &sent;
                scope.spawn(move || {
                    send.send(bound).unwrap();
                    sent.set();
                });
            }
            assert_eq!(receive.recv(), Some(0));
            sent.wait();
            assert_eq!(send.len(), bound);
            // The other two.
            let mut taken = Vec::new();
            while taken.len() < bound + 2 {
                taken.extend(receive.recv());
            }
            assert!(taken[bound - 1..].iter().all(|&item| item == bound));
        });
    }
}

/// Senders that wait are served in the order in which they came, one for each place.
#[test]
fn senders_that_wait_are_served_in_order() {
    const SENDERS: usize = 5;
    for bound in [1, 2, 8] {
        let (send, mut receive) = stream::queue(bound);
        (0..bound).for_each(|item| send.send(item).unwrap());
        let sent = AtomicUsize::new(0);
        thread::scope(|scope| {
            let line = line!() + 5;
            for sender in 0..SENDERS {
                let (send, sent) = (send.clone(), &sent);
                let item = bound + sender;
                scope.spawn(move || {
                    send.send(item).unwrap();
                    sent.fetch_add(1, Ordering::Relaxed);
                });
                eventually("it waits", || waiting_at(line) == sender + 1);
            }
            for item in 0..bound + SENDERS {
                assert_eq!(send.len(), bound.min(bound + SENDERS - item));
                assert_eq!(receive.recv(), Some(item));
                let served = SENDERS.min(item + 1);
                eventually("the next is sent", || {
                    sent.load(Ordering::Relaxed) == served
                });
            }
        });
    }
}

/// How many senders wait in this line. Tests run at the same time, but not in the same lines.
fn waiting_at(line: u32) -> usize {
    let is_here = |location: &Location| location.file() == file!() && location.line() == line;
    let mut all = waiters();
    all.retain(|waiter| is_here(waiter.location()));
    let waits_for_room = |waiter: &Waiter| {
        (waiter.waiting_for(), waiter.channel_kind()) == (WaitingFor::Capacity, ChannelKind::Mpsc)
    };
    assert!(all.iter().all(waits_for_room));
    all.len()
}

/// The ways to send that do not block, or not for long, and the receiver that closes.
#[test]
fn a_closed_queue_takes_nothing() {
    let short = Duration::from_millis(1);
    let (send, mut receive) = stream::queue(2);
    assert_eq!(send.send_timeout(1, short), Ok(()));
    assert_eq!(drumline::block_on(send.send_async(2)), Ok(()));
    assert_eq!(
        send.send_timeout(3, short),
        Err(SendTimeoutError::Timeout(3))
    );
    assert!(!send.is_closed());
    thread::scope(|scope| {
        let line = line!() + 2;
        let (blocks, awaits) = (send.clone(), send.clone());
        let blocks = scope.spawn(move || blocks.send(3));
        eventually("it waits", || waiting_at(line) == 1);
        let awaits = scope.spawn(move || drumline::block_on(awaits.send_async(4)));
        eventually("it waits", || waiting_at(line + 2) == 1);
        receive.close();
        assert_eq!(blocks.join().unwrap(), Err(SendError(3)));
        assert_eq!(awaits.join().unwrap(), Err(SendError(4)));
    });
    assert!(send.is_closed());
    assert_eq!(
        send.send_timeout(5, short),
        Err(SendTimeoutError::Closed(5))
    );
    let report = stream(receive).for_each(|_| ());
    let said = (report.items, report.close_reason);
    assert_eq!(said, (2, Some(CloseReason::ClosedByReceiver)));
}

#[test]
fn the_report_says_whether_the_senders_have_finished() {
    for finishes in [false, true] {
        let (send, receive) = stream::queue(2);
        send.send(1).unwrap();
        let reason = if finishes {
            send.finish();
            CloseReason::Finished
        } else {
            drop(send);
            CloseReason::Dropped
        };
        let report = stream(receive).for_each(|_| ());
        assert_eq!((report.items, report.close_reason), (1, Some(reason)));
    }
}

/// However an item is taken by a stream, its wait is told once. What is taken by hand does not
/// count.
#[test]
fn waits_are_measured() {
    const WAIT: Duration = Duration::from_millis(20);
    let (send, mut receive) = stream::queue(16);
    let mut waits = Vec::new();
    send.send(0).unwrap();
    assert_eq!(receive.try_recv(), Polled::Item(0));
    receive.waits(&mut waits);
    assert!(waits.is_empty(), "nothing measures yet");

    send.send(1).unwrap();
    receive.measure_waits(true);
    (2..=8).for_each(|item| send.send(item).unwrap());
    // The items wait for this time at least: on a busy machine for longer, which is as good.
    thread::sleep(WAIT);
    let mut batch = Vec::new();
    assert_eq!(receive.try_recv(), Polled::Item(1));
    assert_eq!(receive.try_recv(), Polled::Item(2));
    assert_eq!(Source::recv(&mut receive), Some(3));
    assert_eq!(receive.recv_timeout(WAIT), Polled::Item(4));
    assert_eq!(receive.recv(), Some(5));
    assert_eq!(receive.recv_batch(2, &mut batch), Drained::More);
    assert_eq!(batch, [6, 7]);
    assert_eq!(receive.recv_batch(2, &mut batch), Drained::Empty);
    receive.waits(&mut waits);
    // 1 was sent before, and 5 was taken by hand.
    assert_eq!(waits.len(), 6);
    assert!(waits.iter().all(|&wait| wait >= WAIT), "{waits:?}");
    receive.waits(&mut waits);
    assert_eq!(waits.len(), 6, "each is told once");
}

/// A receiver is lent to streams with counts and without. Each has the waits of its own items.
#[test]
fn a_stream_without_counts_keeps_no_waits() {
    const ITEMS: usize = 20;
    let (send, mut receive) = stream::queue(1);
    for stats in [true, false, true].map(|counts| counts.then(StreamStats::default)) {
        let feeder = {
            let send = send.clone();
            thread::spawn(move || (1..=ITEMS).for_each(|item| send.send(item).unwrap()))
        };
        let lent = stream(&mut receive);
        let lent = match &stats {
            Some(stats) => lent.stats(stats),
            None => lent,
        };
        let last = |item| if item == ITEMS { Err(()) } else { Ok(()) };
        lent.try_for_each(last).unwrap_err();
        feeder.join().unwrap();
        if let Some(stats) = stats {
            let measured = stats.snapshot().wait.len();
            assert!(
                measured <= ITEMS as u64,
                "{measured} waits of {ITEMS} items"
            );
        } else {
            let mut waits = Vec::new();
            receive.waits(&mut waits);
            assert_eq!(waits, [], "no stream wants them");
        }
    }
}

#[test]
fn an_item_wakes_who_waits() {
    let (send, mut receive) = stream::queue(1);
    let (told, hear) = mpsc::channel();
    let receiver = thread::spawn(move || {
        while let Some(item) = receive.recv() {
            told.send(item).unwrap();
        }
    });
    for item in 0..2_000 {
        send.send(item).unwrap();
        assert_eq!(hear.recv_timeout(common::FOREVER), Ok(item));
    }
    drop(send);
    receiver.join().unwrap();
}

#[test]
fn the_last_sender_ends_it() {
    for _ in 0..200 {
        let (send, mut receive) = stream::queue::<u32>(1);
        let receiver = thread::spawn(move || receive.recv());
        let senders: Vec<_> = (0..3).map(|_| send.clone()).collect();
        drop(send);
        senders
            .into_iter()
            .for_each(|sender| drop(thread::spawn(move || drop(sender))));
        assert_eq!(ends(move || receiver.join().unwrap()), None);
    }
}

/// Senders that wait learn that the receiver is gone, each with its own item; what was in the queue
/// is dropped.
#[test]
fn the_receiver_ends_it_for_all_senders() {
    for round in 0..100 {
        let ledger = Ledger::new(20);
        let (send, receive) = stream::queue(4);
        (0..4).for_each(|number| assert!(send.send(ledger.item(number)).is_ok()));
        let returned = AtomicUsize::new(0);
        thread::scope(|scope| {
            for number in 4..20 {
                let (send, ledger, returned) = (send.clone(), &ledger, &returned);
                scope.spawn(move || {
                    let Err(SendError(item)) = send.send(ledger.item(number)) else {
                        panic!("no item was taken");
                    };
                    assert_eq!(item.number, number);
                    returned.fetch_add(1, Ordering::Relaxed);
                });
            }
            if round % 2 == 0 {
                eventually("all want to send", || ledger.made() == 20);
            }
            drop(receive);
        });
        assert_eq!(returned.into_inner(), 16);
        ledger.check("closed");
        assert!(
            matches!(send.try_send(ledger.item(0)), Err(TrySendError::Closed(item)) if item.number == 0)
        );
    }
}

#[test]
fn what_nobody_took_is_dropped_with_the_queue() {
    let ledger = Ledger::new(6);
    let (send, receive) = stream::queue(6);
    (0..6).for_each(|number| assert!(send.send(ledger.item(number)).is_ok()));
    drop(send);
    assert!(!ledger.is_even());
    drop(receive);
    ledger.check("dropped");
}

/// Items that look at the queue in their drop, or panic: neither happens under a lock.
#[test]
fn drops_may_do_what_they_like() {
    struct Looks(stream::Sender<Looks>, bool);
    impl Drop for Looks {
        fn drop(&mut self) {
            let _ = self.0.len();
            if self.1 {
                quiet_panic("dropped");
            }
        }
    }
    for panics in [false, true] {
        ends(move || {
            let (send, receive) = stream::queue(3);
            send.send(Looks(send.clone(), false)).unwrap();
            send.send(Looks(send.clone(), panics)).unwrap();
            send.send(Looks(send.clone(), false)).unwrap();
            let dropped = catch_unwind(AssertUnwindSafe(|| drop(receive)));
            assert_eq!(dropped.is_err(), panics);
            assert_eq!(send.len(), 0);
            assert!(send.try_send(Looks(send.clone(), false)).is_err());
        });
    }
}

/// A pool of one job, in which both ends wait for one another.
#[test]
fn both_ends_in_one_pool() {
    for pool in [common::pool(1), common::without_guests(1), common::pool(2)] {
        let (send, receive) = stream::queue(2);
        let sending = pool.spawn(move || (0..500_u64).for_each(|item| send.send(item).unwrap()));
        let adding = pool.install(|| stream(receive).reduce_with(|a, b| a + b));
        assert_eq!(adding, Some(499 * 250));
        sending.join().unwrap();
        // By hand.
        let (send, mut receive) = stream::queue(2);
        let sending = pool.spawn(move || (0..500_u64).for_each(|item| send.send(item).unwrap()));
        let adding = pool.spawn(move || {
            drumline::blocking(|| std::iter::from_fn(|| receive.recv()).sum::<u64>())
        });
        sending.join().unwrap();
        assert_eq!(adding.join().unwrap(), 499 * 250);
    }
}

/// A stream that was stopped leaves the queue as it is: by hand and by another stream it goes on.
#[test]
fn a_stop_is_for_one_stream() {
    for setup in setups() {
        let (send, mut receive) = stream::queue(64);
        let token = drumline::CancellationToken::new();
        token.cancel();
        assert_eq!(
            setup.apply(stream(&mut receive)).cancel_on(&token).count(),
            0
        );
        let waiting = Arc::new(Event::new());
        let goes_on = Arc::clone(&waiting);
        let sender = thread::spawn(move || {
            goes_on.wait();
            (0..10).for_each(|item| send.send(item).unwrap());
            send
        });
        waiting.set();
        assert_eq!(receive.recv(), Some(0));
        let mut seen = Vec::new();
        let first = setup
            .apply(stream(&mut receive))
            .batch(1)
            .in_flight(1)
            .ordered()
            .with(|results| results.next());
        seen.extend(first);
        drop(sender.join().unwrap());
        setup
            .apply(stream(&mut receive))
            .ordered()
            .for_each(|item| seen.push(item));
        assert_eq!(seen[0], 1, "{}", setup.name);
        assert_eq!(seen.last(), Some(&9), "{}", setup.name);
        assert!(seen.is_sorted());
    }
}

#[test]
fn errors_say_what_to_do() {
    let (send, receive) = stream::queue(1);
    send.send(vec![1]).unwrap();
    let full = send.try_send(vec![2]).unwrap_err();
    assert!(full.to_string().contains("`send`"), "{full}");
    drop(receive);
    let closed = send.send(vec![3]).unwrap_err();
    assert!(closed.to_string().contains("is gone"), "{closed}");
    assert_eq!(closed.0, [3]);
    assert_eq!(format!("{closed:?}"), "SendError(..)");
    assert!(
        send.try_send(vec![4])
            .unwrap_err()
            .to_string()
            .contains("is gone")
    );
}

/// As long a time as there is means to wait for ever.
#[test]
fn the_longest_time_is_no_overflow() {
    let (send, mut receive) = stream::queue(1);
    send.send(1).unwrap();
    assert_eq!(receive.recv_timeout(Duration::MAX), Polled::Item(1));
    stream::iter(0..1)
        .map_ordered(|n| n)
        .with(|results| assert_eq!(results.recv_timeout(Duration::MAX), Polled::Item(0)));
    drop(send);
    assert_eq!(receive.recv_timeout(Duration::MAX), Polled::Ended);
}
