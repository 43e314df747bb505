//! The serial end of a stream as an async stream, with the feature `futures`.
#![cfg(feature = "futures")]

mod common;
mod streams;

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use common::{Event, ends, eventually, pool, quiet_panic, without_guests, without_spares};
use drumline::stream::{self, AsyncResults, OnPanic, TrySendError};
use drumline::{CancellationToken, block_on, spawn_future, task};
use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt};
use streams::{Ledger, setups, some_setups};

/// Wakes a thread: an executor besides those of Drumline.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls a future on a thread that no pool knows.
fn foreign_block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

fn poll<T>(results: &mut AsyncResults<T>, waker: &Waker) -> Poll<Option<T>> {
    Pin::new(results).poll_next(&mut Context::from_waker(waker))
}

/// Counts how often it is woken.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn every_result_comes_once_and_in_order() {
    for setup in &setups() {
        for items in [0, 1, 3_000_u64] {
            let squares = || {
                let numbers = setup.apply(stream::iter(0..items));
                numbers.map_ordered(|n| n * n).into_async().collect()
            };
            let wanted: Vec<_> = (0..items).map(|n| n * n).collect();
            assert_eq!(block_on::<_>(squares()), wanted, "{}", setup.name);
            let all: Vec<_> = foreign_block_on(squares());
            assert_eq!(all, wanted, "{}", setup.name);
            let all: Vec<_> = spawn_future(squares()).join().unwrap();
            assert_eq!(all, wanted, "{}", setup.name);

            let numbers = setup.apply(stream::iter(0..items));
            let mut all: Vec<_> = block_on(numbers.unordered().into_async().collect());
            all.sort_unstable();
            assert!(all.into_iter().eq(0..items), "{}", setup.name);
        }
    }
}

#[test]
fn from_a_queue_that_is_filled_slowly() {
    for setup in &setups() {
        let (sender, receiver) = stream::queue(2);
        let sending = thread::spawn(move || {
            for n in 0..200_u64 {
                sender.send(n).unwrap();
                if n.is_multiple_of(10) {
                    thread::yield_now();
                }
            }
        });
        let numbers = setup.apply(stream::stream(receiver));
        let all: Vec<_> = block_on(numbers.map_ordered(|n| n).into_async().collect());
        assert!(all.into_iter().eq(0..200), "{}", setup.name);
        sending.join().unwrap();
    }
}

/// An async stream through a stream of work and back.
#[test]
fn from_async_to_async() {
    for setup in &setups() {
        let numbers = futures_util::stream::iter(0..300_u64).then(|n| async move {
            task::yield_now().await;
            n
        });
        let numbers = setup.apply(stream::from_async(numbers));
        let all: Vec<_> = block_on(numbers.map_ordered(|n| n + 1).into_async().collect());
        assert!(all.into_iter().eq(1..301), "{}", setup.name);
    }
}

/// Items that are left out leave nothing but empty batches.
#[test]
fn where_nothing_comes_of_most_items() {
    for setup in &some_setups() {
        let numbers = setup.apply(stream::iter(0..20_000_u64));
        let rare = numbers.filter(|n| n % 5_000 == 4_999).ordered();
        let all: Vec<_> = block_on(rare.into_async().collect());
        assert_eq!(all, [4_999, 9_999, 14_999, 19_999], "{}", setup.name);
    }
}

/// The task that awaits the results is one of the pool that makes them.
#[test]
fn in_a_task_of_the_same_pool() {
    for jobs in [1, 2, 4] {
        for pool in [pool(jobs), without_guests(jobs), without_spares(jobs, true)] {
            let sum = ends(move || {
                let numbers = stream::iter(0..2_000_u64).pool(&pool);
                let results = numbers.map_ordered(|n| n).into_async();
                let sum = results.fold(0, |sum, n| async move { sum + n });
                pool.spawn_future(sum).join().unwrap()
            });
            assert_eq!(sum, 1_999 * 1_000);
        }
    }
}

/// Many streams at once, in one task.
#[test]
fn many_in_one_task() {
    let pool = pool(2);
    let sums: FuturesUnordered<_> = (0..50_u64)
        .map(|of| {
            let numbers = stream::iter(0..100).pool(&pool);
            let results = numbers.map_ordered(move |n| n * of).into_async();
            results.fold(0, |sum, n| async move { sum + n })
        })
        .collect();
    let all = pool.spawn_future(sums.fold(0, |sum, n| async move { sum + n }));
    assert_eq!(all.join().unwrap(), 4_950 * 1_225);
}

/// A poll returns while an item is at work and the source waits.
#[test]
fn a_poll_does_not_wait() {
    for setup in &setups() {
        let (sender, receiver) = stream::queue(4);
        let (begun, done) = (Arc::new(Event::new()), Arc::new(Event::new()));
        let stream = setup.apply(stream::stream(receiver));
        let mut results = stream
            .map_ordered({
                let (begun, done) = (Arc::clone(&begun), Arc::clone(&done));
                move |n: u64| {
                    begun.set();
                    done.wait();
                    n
                }
            })
            .into_async();
        let woken = Arc::new(Counted::default());
        let waker = Waker::from(Arc::clone(&woken));
        // The source waits.
        assert!(poll(&mut results, &waker).is_pending());
        sender.send(7).unwrap();
        begun.wait();
        // The item is at work.
        assert!(poll(&mut results, &waker).is_pending());
        assert_eq!(woken.0.load(Ordering::Relaxed), 0);
        done.set();
        eventually("it is woken", || woken.0.load(Ordering::Relaxed) > 0);
        assert_eq!(poll(&mut results, &waker), Poll::Ready(Some(7)));
        drop(sender);
        assert_eq!(block_on(results.next()), None, "{}", setup.name);
        assert_eq!(block_on(results.next()), None);
    }
}

#[test]
fn a_slow_task_holds_the_source_back() {
    for setup in &setups() {
        let pulled = Arc::new(AtomicUsize::new(0));
        let counts = Arc::clone(&pulled);
        let numbers = (0..1_000_u64).inspect(move |_| {
            counts.fetch_add(1, Ordering::Relaxed);
        });
        let stream = setup.apply(stream::iter(numbers)).in_flight(10);
        let mut results = stream.map_ordered(|n| n).into_async();
        for n in 0..1_000 {
            assert_eq!(block_on(results.next()), Some(n));
            let ahead = pulled.load(Ordering::Relaxed) - usize::try_from(n).unwrap();
            // In flight, in the batch at hand, and at the hands of consumers.
            assert!(ahead <= 40, "{}: {ahead} ahead", setup.name);
        }
        assert_eq!(block_on(results.next()), None);
    }
}

#[test]
fn dropping_it_stops_the_stream() {
    for setup in &setups() {
        let (sender, receiver) = stream::queue(16);
        let woken = Arc::new(Counted::default());
        let waker = Waker::from(Arc::clone(&woken));
        let stream = setup.apply(stream::stream(receiver));
        let mut results = stream.map_ordered(|n: u64| n).into_async();
        sender.send(1).unwrap();
        assert_eq!(block_on(results.next()), Some(1));
        assert!(poll(&mut results, &waker).is_pending());
        drop(results);
        eventually("the source is gone", || {
            matches!(sender.try_send(0), Err(TrySendError::Closed(0)))
        });
        assert_eq!(Arc::strong_count(&woken), 2, "{}", setup.name);
    }
}

#[test]
fn one_that_is_never_polled_does_nothing() {
    for setup in &some_setups() {
        let stream = setup.apply(stream::iter(0..10).map(|_| -> u64 { panic!("it began") }));
        drop(stream.map_ordered(|n| n).into_async());
    }
}

/// Forgotten in the middle, it leaves consumers behind that touch nothing borrowed.
#[test]
fn it_may_be_forgotten() {
    for setup in &some_setups() {
        let (sender, receiver) = stream::queue(4);
        let stream = setup.apply(stream::stream(receiver)).in_flight(8);
        let mut results = stream.map_ordered(|n: u64| vec![n]).into_async();
        sender.send(1).unwrap();
        assert_eq!(block_on(results.next()), Some(vec![1]));
        std::mem::forget(results);
        for n in 0..4 {
            sender.send(n).unwrap();
        }
        drop(sender);
    }
}

#[test]
fn nothing_is_lost_or_dropped_twice() {
    for setup in &setups() {
        for takes in [0, 1, 50, 200] {
            let ledger = Ledger::new(200);
            let makes = ledger.clone();
            let items = (0..200).map(move |n| makes.item(n));
            let stream = setup.apply(stream::iter(items));
            let results = stream.map_ordered(|item| item).into_async();
            let taken = block_on(results.take(takes).count());
            assert_eq!(taken, takes.min(200));
            eventually("all are dropped", || ledger.is_even());
        }
    }
}

#[test]
fn a_panic_arrives_at_the_end() {
    for setup in &setups() {
        let stream = setup.apply(stream::iter(0..100_u64)).batch(1);
        let mut results = stream
            .map_ordered(|n| if n == 50 { quiet_panic(n) } else { n })
            .into_async();
        let mut seen = 0;
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            while block_on(results.next()).is_some() {
                seen += 1;
            }
        }));
        let payload = outcome.unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&50_u64), "{}", setup.name);
        assert!(seen >= 50);
        assert_eq!(block_on(results.next()), None);

        let stream = setup.apply(stream::iter(0..100_u64));
        let going_on = stream
            .on_panic(OnPanic::Continue)
            .map_ordered(|n| if n == 50 { quiet_panic(n) } else { n });
        assert_eq!(block_on(going_on.into_async().count()), 99);
    }
}

#[test]
fn a_cancelled_token_ends_it() {
    for setup in &setups() {
        let (sender, receiver) = stream::queue(16);
        let token = CancellationToken::new();
        let stream = setup.apply(stream::stream(receiver)).cancel_on(&token);
        let results = stream.map_ordered(|n: u64| n).into_async();
        let task = spawn_future(results.count());
        (0..10).for_each(|n| sender.send(n).unwrap());
        eventually("all are taken", || sender.is_empty());
        token.cancel();
        assert_eq!(task.join().unwrap(), 10, "{}", setup.name);
    }
}

/// A stream without a pool any more goes on with a thread of its own.
#[test]
fn the_pool_may_end_first() {
    for jobs in [1, 3] {
        for guests in [true, false] {
            for begun in [true, false] {
                let pool = if guests {
                    pool(jobs)
                } else {
                    without_guests(jobs)
                };
                let stream = stream::iter(0..1_000_u64).pool(&pool).in_flight(8);
                let mut results = stream.map_ordered(|n| n).into_async();
                let mut next = 0;
                if begun {
                    assert_eq!(block_on(results.next()), Some(0));
                    next = 1;
                }
                pool.shutdown().unwrap();
                let rest: Vec<_> = ends(move || block_on(results.collect()));
                assert!(rest.into_iter().eq(next..1_000));
            }
        }
    }
}

/// A waker that does with the stream what it likes.
struct Calls(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Calls {
    fn waker(call: impl FnOnce() + Send + 'static) -> Waker {
        Waker::from(Arc::new(Calls(Mutex::new(Some(Box::new(call))))))
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        let call = self.0.lock().unwrap().take();
        if let Some(call) = call {
            call();
        }
    }
}

/// A poll that was too early, with a waker that is given the stream.
fn calls_back(
    setup: &streams::Setup,
    call: impl FnOnce(AsyncResults<u64>) + Send + 'static,
) -> stream::Sender<u64> {
    let (sender, receiver) = stream::queue(4);
    let stream = setup.apply(stream::stream(receiver));
    let mut results = stream.map_ordered(|n| n).into_async();
    let place = Arc::new(Mutex::new(None::<AsyncResults<u64>>));
    let called = Arc::new(Event::new());
    let waker = Calls::waker({
        let (place, called) = (Arc::clone(&place), Arc::clone(&called));
        move || {
            let results = place.lock().unwrap().take().unwrap();
            called.set();
            call(results);
        }
    });
    assert!(poll(&mut results, &waker).is_pending());
    *place.lock().unwrap() = Some(results);
    sender.send(1).unwrap();
    called.wait();
    sender
}

#[test]
fn a_waker_may_poll_drop_or_panic() {
    for setup in &setups() {
        let rest = Arc::new(Mutex::new(None));
        let done = Arc::new(Event::new());
        let polls = calls_back(setup, {
            let (rest, done) = (Arc::clone(&rest), Arc::clone(&done));
            move |mut results| {
                let first = poll(&mut results, Waker::noop());
                let second = poll(&mut results, Waker::noop());
                *rest.lock().unwrap() = Some((first, second, results));
                done.set();
            }
        });
        done.wait();
        let (first, second, results) = rest.lock().unwrap().take().unwrap();
        assert_eq!((first, second), (Poll::Ready(Some(1)), Poll::Pending));
        drop(polls);
        assert_eq!(block_on(results.count()), 0);

        let drops = calls_back(setup, drop);
        eventually("the source is gone", || {
            matches!(drops.try_send(0), Err(TrySendError::Closed(0)))
        });

        let panics = calls_back(setup, |_| quiet_panic("a waker"));
        eventually("the source is gone", || {
            matches!(panics.try_send(0), Err(TrySendError::Closed(0)))
        });
    }
}

/// A task moves on with another waker, and is polled for nothing in between.
#[test]
fn the_waker_of_the_last_poll_is_woken() {
    for setup in &some_setups() {
        let (sender, receiver) = stream::queue(4);
        let stream = setup.apply(stream::stream(receiver));
        let mut results = stream.map_ordered(|n: u64| n).into_async();
        let first = Arc::new(Counted::default());
        let second = Arc::new(Counted::default());
        for _ in 0..3 {
            assert!(poll(&mut results, &Waker::from(Arc::clone(&first))).is_pending());
        }
        for _ in 0..3 {
            assert!(poll(&mut results, &Waker::from(Arc::clone(&second))).is_pending());
        }
        assert_eq!(Arc::strong_count(&first), 1, "the old waker is gone");
        sender.send(1).unwrap();
        eventually("it is woken", || second.0.load(Ordering::Relaxed) > 0);
        assert_eq!(first.0.load(Ordering::Relaxed), 0);
        assert_eq!(block_on(results.next()), Some(1));
    }
}

/// Results that are always there do not keep other tasks from running.
#[test]
fn a_task_that_takes_many_lets_others_run() {
    let pool = pool(2);
    let stream = stream::iter(0..10_000_u64).pool(&pool).in_flight(10_000);
    let mut results = stream.map_ordered(|n| n).into_async();
    let mut taken = 0;
    let mut pending = 0;
    block_on(poll_fn(|cx| {
        loop {
            match Pin::new(&mut results).poll_next(cx) {
                Poll::Ready(Some(_)) => taken += 1,
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Pending => {
                    pending += 1;
                    return Poll::Pending;
                }
            }
        }
    }));
    assert_eq!(taken, 10_000);
    assert!(pending >= 10_000 / 128 - 1, "{pending}");
}

/// The test that runs as a process of its own.
#[cfg(target_os = "linux")]
const REFUSED: &str = "program_without_threads";

/// Where the system refuses every thread, the polls do the work.
#[test]
#[cfg(target_os = "linux")]
fn without_any_thread() {
    // More than is left of the address space there: no thread has room for its stack.
    let stack = 4_usize << 30;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", REFUSED, "--ignored", "--nocapture"]);
    let output = child
        .env("RUST_MIN_STACK", stack.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[test]
#[ignore = "a program for `without_any_thread`"]
#[cfg(target_os = "linux")]
fn program_without_threads() {
    let pool = streams::without_threads();
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
    let limit = libc::rlimit {
        rlim_cur: pages * 4096 + (1 << 30),
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: reads the structure, and changes a number of this process.
    let changed = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
    assert_eq!(changed, 0);
    assert!(thread::Builder::new().spawn(|| ()).is_err(), "no thread");
    for _ in 0..2 {
        let in_pool = stream::iter(0..1_000_u64).pool(&pool);
        let all: Vec<_> = foreign_block_on(in_pool.map_ordered(|n| n).into_async().collect());
        assert!(all.into_iter().eq(0..1_000));
        let (sender, receiver) = stream::queue(1_000);
        (0..1_000_u64).for_each(|n| sender.send(n).unwrap());
        drop(sender);
        let in_threads = stream::stream(receiver).threads(2);
        let all: Vec<_> = foreign_block_on(in_threads.map_ordered(|n| n).into_async().collect());
        assert!(all.into_iter().eq(0..1_000));
    }
}
