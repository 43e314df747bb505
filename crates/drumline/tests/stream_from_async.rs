//! Async streams as sources, with the feature `futures`.
#![cfg(feature = "futures")]

mod common;
mod streams;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread;

use common::{Event, ends, eventually, pool, quiet_panic};
use drumline::stream::{self, OnPanic};
use drumline::{CancellationToken, spawn_future, task};
use futures_util::stream as futures;
use futures_util::{Stream, StreamExt};
use streams::async_queue::async_queue;
use streams::{Ledger, setups, some_setups};

#[test]
fn every_item_comes_once_and_in_order() {
    for setup in &setups() {
        for items in [0, 1, 1_000] {
            let (filler, queue) = async_queue();
            let sender = thread::spawn(move || (0..items).for_each(|item| filler.send(item)));
            let mut seen = Vec::new();
            setup
                .apply(stream::from_async(queue))
                .map_ordered(|item: u64| item)
                .for_each(|item| seen.push(item));
            assert!(seen.into_iter().eq(0..items), "{}", setup.name);
            sender.join().unwrap();
        }
    }
}

#[test]
fn a_stream_that_is_not_unpin_and_yields() {
    for setup in &setups() {
        let numbers = futures::iter(0..300_u64).then(|n| async move {
            for _ in 0..n % 3 {
                task::yield_now().await;
            }
            n
        });
        let sum = setup
            .apply(stream::from_async(numbers))
            .reduce_with(|a, b| a + b);
        assert_eq!(sum, Some(299 * 300 / 2), "{}", setup.name);
    }
}

#[test]
fn a_boxed_stream_is_one() {
    let numbers: Pin<Box<dyn Stream<Item = u64> + Send>> = Box::pin(futures::iter(0..10));
    assert_eq!(stream::from_async(numbers).count(), 10);
}

/// The async stream depends on tasks of the pool that has a consumer waiting in it.
#[test]
fn tasks_of_the_same_pool_fill_it() {
    for jobs in [1, 2, 4] {
        let sum = ends(move || {
            let pool = pool(jobs);
            let (filler, queue) = async_queue();
            let task = pool.spawn_future(async move {
                for n in 0..500_u64 {
                    filler.send(n);
                    task::yield_now().await;
                }
            });
            let sum = stream::from_async(queue)
                .pool(&pool)
                .reduce_with(|a, b| a + b);
            task.join().unwrap();
            sum
        });
        assert_eq!(sum, Some(499 * 500 / 2));
    }
}

/// Handles are futures of Drumline, which spend the budget of the task that awaits them. The stream
/// is polled by a thread that is in such a task.
#[test]
fn the_budget_of_a_task_further_out_does_not_matter() {
    let handles: Vec<_> = (0..1_000_u64).map(|n| drumline::spawn(move || n)).collect();
    let task = spawn_future(async move {
        let numbers = futures::iter(handles).then(|handle| handle);
        let sum = AtomicU64::new(0);
        stream::from_async(numbers).for_each(|n| {
            sum.fetch_add(n.unwrap(), Ordering::Relaxed);
        });
        sum.into_inner()
    });
    assert_eq!(task.join().unwrap(), 999 * 1_000 / 2);
}

#[test]
fn it_is_not_polled_while_it_has_nothing_to_say() {
    let (filler, queue) = async_queue::<u64>();
    let stats = stream::StreamStats::new();
    let consuming = thread::spawn({
        let stats = stats.clone();
        move || stream::from_async(queue).stats(&stats).count()
    });
    eventually("it is polled", || filler.is_awaited());
    thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(filler.polls(), 1);
    for round in 2..20 {
        filler.wake();
        eventually("it is polled again", || filler.pending() == round);
    }
    thread::sleep(std::time::Duration::from_millis(5));
    assert_eq!(filler.polls(), 19);
    filler.send(1);
    drop(filler);
    assert_eq!(consuming.join().unwrap(), 1);
}

#[test]
fn a_cancelled_token_ends_the_wait() {
    for setup in &setups() {
        let (filler, queue) = async_queue::<u64>();
        let token = CancellationToken::new();
        let items = thread::scope(|scope| {
            let stream = setup.apply(stream::from_async(queue)).cancel_on(&token);
            let consumer = scope.spawn(|| stream.count());
            (0..10).for_each(|n| filler.send(n));
            eventually("a consumer waits", || filler.is_awaited());
            token.cancel();
            consumer.join().unwrap()
        });
        assert_eq!(items, 10, "{}", setup.name);
        eventually("the async stream is gone", || filler.is_closed());
    }
}

#[test]
fn an_error_ends_the_wait() {
    for setup in &some_setups() {
        let (filler, queue) = async_queue::<u64>();
        let waits = Event::new();
        let outcome = thread::scope(|scope| {
            let stream = setup.apply(stream::from_async(queue)).batch(1);
            let consumer = scope.spawn(|| {
                stream.try_for_each(|n| {
                    waits.set();
                    Err::<(), _>(n)
                })
            });
            filler.send(7);
            waits.wait();
            consumer.join().unwrap()
        });
        assert_eq!(outcome.unwrap_err().error, 7, "{}", setup.name);
    }
}

#[test]
fn a_serial_end_that_wants_no_more_ends_the_wait() {
    for setup in &some_setups() {
        let (filler, queue) = async_queue::<u64>();
        filler.send(1);
        let stream = setup.apply(stream::from_async(queue));
        let first = stream.map_ordered(|n| n).with(|results| results.next());
        assert_eq!(first, Some(1), "{}", setup.name);
        assert!(filler.is_closed());
    }
}

/// What was not taken stays in a stream that is lent.
#[test]
fn no_item_is_lost_when_a_stream_stops_early() {
    for setup in &some_setups() {
        let (filler, mut queue) = async_queue::<u64>();
        (0..1_000).for_each(|n| filler.send(n));
        let seen = Mutex::new(Vec::new());
        let token = CancellationToken::new();
        setup
            .apply(stream::from_async(&mut queue))
            .cancel_on(&token)
            .for_each(|n| {
                seen.lock().unwrap().push(n);
                if n == 100 {
                    token.cancel();
                }
            });
        drop(filler);
        setup
            .apply(stream::from_async(queue))
            .for_each(|n| seen.lock().unwrap().push(n));
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..1_000), "{}", setup.name);
    }
}

/// Panics at one poll, and may not be polled after that.
struct Panics {
    ledger: Ledger,
    next: u64,
    has_panicked: bool,
}

impl Stream for Panics {
    type Item = streams::Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<streams::Item>> {
        assert!(!self.has_panicked, "it is polled after a panic");
        self.next += 1;
        if self.next == 50 {
            self.has_panicked = true;
            quiet_panic(50_u64);
        }
        if self.next.is_multiple_of(7) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(self.ledger.item(self.next)))
    }
}

#[test]
fn a_panic_of_a_poll_arrives_at_the_end() {
    for setup in &setups() {
        for on_panic in [OnPanic::Stop, OnPanic::Continue] {
            let ledger = Ledger::new(60);
            let panics = Panics {
                ledger: ledger.clone(),
                next: 0,
                has_panicked: false,
            };
            let handled = AtomicUsize::new(0);
            let stream = setup.apply(stream::from_async(panics)).on_panic(on_panic);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                stream.for_each(|item| {
                    handled.fetch_add(1, Ordering::Relaxed);
                    drop(item);
                });
            }));
            let payload = outcome.unwrap_err();
            assert_eq!(payload.downcast_ref(), Some(&50_u64), "{}", setup.name);
            assert_eq!(handled.into_inner(), ledger.made(), "{}", setup.name);
            ledger.check(&setup.name);
        }
    }
}

/// A stream that has ended is not polled again.
#[test]
fn it_is_fused() {
    struct Once(bool);
    impl Stream for Once {
        type Item = ();

        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<()>> {
            assert!(!self.0, "it is polled after its end");
            self.0 = true;
            Poll::Ready(None)
        }
    }
    for setup in &some_setups() {
        assert_eq!(setup.apply(stream::from_async(Once(false))).count(), 0);
    }
}

/// Wakers that are called late, often, and after the end of the stream.
#[test]
fn wakers_may_be_called_at_any_time() {
    let wakers = Arc::new(Mutex::new(Vec::<Waker>::new()));
    let ended = Arc::new(Event::new());
    let caller = thread::spawn({
        let (wakers, ended) = (Arc::clone(&wakers), Arc::clone(&ended));
        move || {
            while !ended.is_set() {
                let all = wakers.lock().unwrap().clone();
                all.iter().for_each(Waker::wake_by_ref);
                thread::yield_now();
            }
        }
    });
    for setup in &some_setups() {
        let mut n = 0;
        let numbers = futures::poll_fn(|cx| {
            n += 1;
            if n % 5 == 0 {
                let mut wakers = wakers.lock().unwrap();
                if wakers.len() < 1_000 {
                    wakers.push(cx.waker().clone());
                }
                // The other thread wakes it, too.
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready((n < 500).then_some(n))
        });
        assert_eq!(setup.apply(stream::from_async(numbers)).count(), 400);
    }
    ended.set();
    caller.join().unwrap();
}

/// An async stream between two stages of a pipe of Drumline streams.
#[test]
fn a_later_stage_takes_its_results() {
    for setup in &some_setups() {
        let numbers = futures::iter(0..500_u64);
        let mut seen = Vec::new();
        setup
            .apply(stream::from_async(numbers))
            .map_ordered(|n| n + 1)
            .stream()
            .map_ordered(|n| n - 1)
            .for_each(|n| seen.push(n));
        assert!(seen.into_iter().eq(0..500), "{}", setup.name);
    }
}
