//! Futures that borrow from the frame of a scope.

use std::future::{Future, pending, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use drumline::task::yield_now;
use drumline::{Pool, block_on};

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// A future that is ready when it is told so, and shows its wakers.
#[derive(Default)]
struct Event {
    is_set: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

impl Event {
    fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        let wakers = std::mem::take(&mut *self.wakers.lock().unwrap());
        wakers.into_iter().for_each(Waker::wake);
    }

    fn until_polled(&self) {
        while self.wakers.lock().unwrap().is_empty() {
            thread::yield_now();
        }
    }
}

impl Future for &Event {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.wakers.lock().unwrap().push(cx.waker().clone());
        if self.is_set.load(Ordering::SeqCst) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

/// Counts its drops, and notes the thread of the last one.
struct CountsDrops<'a> {
    drops: &'a AtomicUsize,
    thread: &'a Mutex<Option<thread::ThreadId>>,
}

impl Drop for CountsDrops<'_> {
    fn drop(&mut self) {
        *self.thread.lock().unwrap() = Some(thread::current().id());
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

fn message_of(call: impl FnOnce()) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(call)).unwrap_err();
    payload.downcast_ref::<&str>().copied().unwrap_or("another")
}

#[test]
fn futures_borrow_in_every_pool() {
    for jobs in [1, 2, 8] {
        for spares in [true, false] {
            for guests in [true, false] {
                let mut builder = Pool::builder().jobs(jobs).guests(guests);
                if !spares {
                    builder = builder.spares(false);
                }
                let pool = builder.build().unwrap();
                let mut numbers = vec![0; 100];
                pool.scope(|s| {
                    for (i, number) in numbers.iter_mut().enumerate() {
                        s.spawn_future(async move {
                            for _ in 0..i % 4 {
                                yield_now().await;
                            }
                            *number = i;
                        });
                    }
                });
                assert!(numbers.iter().enumerate().all(|(i, &number)| i == number));
                let texts = ["a".to_string(), "bc".to_string()];
                // The handle goes out of the scope, and so does what it borrows.
                let handle = pool.in_place_scope(|s| s.spawn_future(async { &texts[1] }));
                assert_eq!(block_on(handle).unwrap(), "bc");
            }
        }
    }
}

#[test]
fn a_body_joins_and_awaits() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let words = ["one", "two"];
        let word = pool.in_place_scope(|s| {
            let first = s.spawn_future(async {
                yield_now().await;
                words[0].len()
            });
            let second = s.spawn_future(async { first.await.unwrap() + words[1].len() });
            assert_eq!(second.join().unwrap(), 6);
            block_on(s.spawn_future(async { words[1] })).unwrap()
        });
        assert_eq!(word, "two");
        let four = pool.scope(|s| s.spawn_future(async { 4 }).join().unwrap());
        assert_eq!(four, 4);
    }
}

#[test]
fn a_body_waits_for_a_future_of_a_pool_without_workers_yet() {
    // The calling thread is no member, and no worker has been needed so far.
    let event = Event::default();
    let pool = pool(2);
    pool.in_place_scope(|s| {
        let waits = s.spawn_future(async {
            (&event).await;
            5
        });
        event.until_polled();
        event.set();
        assert_eq!(waits.join().unwrap(), 5);
    });
}

#[test]
fn futures_that_yield_leave_room_for_others() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let (done, event) = (AtomicBool::new(false), Event::default());
        let wakes = thread::scope(|threads| {
            let outside = threads.spawn(|| {
                event.until_polled();
                event.set();
            });
            pool.scope(|s| {
                for _ in 0..3 {
                    s.spawn_future(async {
                        while !done.load(Ordering::SeqCst) {
                            yield_now().await;
                        }
                    });
                }
                s.spawn_future(async {
                    // Woken from outside, which queues it in another list.
                    (&event).await;
                    let (sender, receiver) = mpsc::channel();
                    drop(sender);
                    assert!(receiver.recv() == Err(mpsc::RecvError) || receiver.recv() == Ok(()));
                    done.store(true, Ordering::SeqCst);
                });
            });
            outside.join()
        });
        wakes.unwrap();
    }
}

#[test]
fn jobs_that_spawn_jobs_leave_room_for_futures() {
    fn chain<'scope>(s: &drumline::Scope<'scope>, done: &'scope AtomicBool) {
        if !done.load(Ordering::SeqCst) {
            s.spawn(move |s| chain(s, done));
        }
    }
    let pool = pool(1);
    let done = AtomicBool::new(false);
    pool.scope(|s| {
        s.spawn_future(async {
            yield_now().await;
            done.store(true, Ordering::SeqCst);
        });
        chain(s, &done);
    });
}

/// Two threads, and no others come.
fn pool_of_two_threads() -> Pool {
    let builder = Pool::builder().jobs(2).guests(false).spares(false);
    builder.build().unwrap()
}

fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        thread::yield_now();
    }
}

/// The thread that waits polls a future again and again. What ends that is a closure in the list of
/// the other thread, which waits as well and has no spare.
#[test]
fn a_future_that_yields_waits_for_a_closure_of_a_thread_that_waits() {
    let pool = pool_of_two_threads();
    let [has_begun, is_done] = [const { AtomicBool::new(false) }; 2];
    pool.install(|| {
        drumline::scope(|s| {
            s.spawn_future(async {
                while !is_done.load(Ordering::SeqCst) {
                    yield_now().await;
                }
            });
            s.spawn(|s| {
                s.spawn(|_| is_done.store(true, Ordering::SeqCst));
                has_begun.store(true, Ordering::SeqCst);
                until(&is_done);
            });
            until(&has_begun);
        });
    });
    assert!(is_done.load(Ordering::SeqCst));
}

/// As above, with a closure that spawns itself in place of the future.
#[test]
fn a_closure_that_spawns_itself_waits_for_a_closure_of_a_thread_that_waits() {
    fn again<'scope>(s: &drumline::Scope<'scope>, is_done: &'scope AtomicBool) {
        if !is_done.load(Ordering::SeqCst) {
            s.spawn(move |s| again(s, is_done));
        }
    }
    let pool = pool_of_two_threads();
    let [has_begun, is_done] = [const { AtomicBool::new(false) }; 2];
    let (has_begun, is_done) = (&has_begun, &is_done);
    pool.install(|| {
        drumline::scope(|s| {
            s.spawn(move |s| {
                s.spawn(move |_| is_done.store(true, Ordering::SeqCst));
                has_begun.store(true, Ordering::SeqCst);
                until(is_done);
            });
            until(has_begun);
            s.spawn(move |s| again(s, is_done));
        });
    });
    assert!(is_done.load(Ordering::SeqCst));
}

#[test]
fn a_panic_goes_to_the_handle_or_to_the_scope() {
    let pool = pool(2);
    pool.scope(|s| {
        let error = s.spawn_future(async { panic_any("to the handle") }).join();
        let payload = error.unwrap_err().into_panic();
        assert_eq!(payload.downcast_ref(), Some(&"to the handle"));
    });
    // No handle.
    let text = message_of(|| pool.scope(|s| drop(s.spawn_future(async { panic_any("detached") }))));
    assert_eq!(text, "detached");
    // A handle that is dropped after the panic.
    let text = message_of(|| {
        pool.scope(|s| {
            let future = s.spawn_future(async { panic_any("late") });
            while !future.is_finished() {
                thread::yield_now();
            }
            drop(future);
        });
    });
    assert_eq!(text, "late");
    assert_eq!(pool.lost_panics(), 0);
}

#[test]
fn a_handle_that_outlives_its_scope_reports_the_panic() {
    let reported = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&reported);
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let escaped = pool.scope(|s| s.spawn_future(async { panic_any("seen by no one") }));
    assert!(escaped.is_finished());
    // A worker reports it, before the pool ends.
    drop(escaped);
    let escaped = pool.scope(|s| s.spawn_future(async { panic_any("seen") }));
    pool.shutdown().unwrap();
    assert!(escaped.join().unwrap_err().is_panic());
    assert_eq!(reported.load(Ordering::SeqCst), 1);
}

#[test]
fn a_panic_of_the_body_cancels_the_futures() {
    for jobs in [1, 2, 8] {
        let pool = pool(jobs);
        let (drops, thread) = (AtomicUsize::new(0), Mutex::new(None));
        let guard = || CountsDrops {
            drops: &drops,
            thread: &thread,
        };
        let event = Event::default();
        let text = message_of(|| {
            pool.in_place_scope(|s| {
                for _ in 0..5 {
                    let guard = guard();
                    s.spawn_future(async {
                        let _guard = guard;
                        pending::<()>().await;
                    });
                }
                let guard = guard();
                let event = &event;
                s.spawn_future(async move {
                    let _guard = guard;
                    event.await;
                    pending::<()>().await;
                });
                event.until_polled();
                // This job spawns a future when the body has panicked, perhaps.
                s.spawn(|s| {
                    event.set();
                    drop(s.spawn_future(pending::<()>()));
                });
                panic_any("in the body");
            });
        });
        assert_eq!(text, "in the body");
        assert_eq!(drops.load(Ordering::SeqCst), 6);
    }
}

#[test]
fn futures_are_dropped_on_a_thread_of_the_pool() {
    let pool = pool(2);
    let (drops, thread) = (AtomicUsize::new(0), Mutex::new(None));
    let guard = CountsDrops {
        drops: &drops,
        thread: &thread,
    };
    let event = Event::default();
    // The body of an in-place scope is no thread of the pool until it waits.
    let error = pool.in_place_scope(|s| {
        let future = s.spawn_future(async {
            let _guard = guard;
            (&event).await;
        });
        event.until_polled();
        future.abort();
        future.join().unwrap_err()
    });
    assert!(error.is_cancelled());
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert_ne!(*thread.lock().unwrap(), Some(thread::current().id()));
}

#[test]
fn a_future_that_nothing_refers_to_lets_the_scope_end() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let (drops, thread) = (AtomicUsize::new(0), Mutex::new(None));
        let guard = CountsDrops {
            drops: &drops,
            thread: &thread,
        };
        pool.scope(|s| {
            drop(s.spawn_future(async {
                let _guard = guard;
                pending::<()>().await;
            }));
        });
        assert_eq!(drops.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn wakers_outlive_the_scope_and_the_pool() {
    let kept = Mutex::new(Vec::<Waker>::new());
    let dropped = AtomicUsize::new(0);
    {
        let pool = pool(2);
        let text = String::from("borrowed");
        let thread = Mutex::new(None);
        let guard = CountsDrops {
            drops: &dropped,
            thread: &thread,
        };
        pool.scope(|s| {
            let mut polls = 0;
            let (text, kept) = (&text, &kept);
            let output = s.spawn_future(poll_fn(move |cx| {
                assert_eq!(text, "borrowed");
                kept.lock().unwrap().push(cx.waker().clone());
                polls += 1;
                cx.waker().wake_by_ref();
                if polls == 3 {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            }));
            drop(output);
            let (sender, receiver) = mpsc::channel();
            let output = s.spawn_future(async move {
                sender.send(()).unwrap();
                guard
            });
            receiver.recv().unwrap();
            // The value borrows, and dies before the scope ends.
            drop(output);
        });
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
        pool.shutdown().unwrap();
    }
    let wakers = std::mem::take(&mut *kept.lock().unwrap());
    assert_eq!(wakers.len(), 3);
    for waker in wakers {
        waker.wake_by_ref();
        drop(waker.clone());
        waker.wake();
    }
}

#[test]
fn woken_from_many_threads_while_the_scope_ends() {
    const WAKERS: usize = 16;
    for jobs in [1, 2] {
        let pool = pool(jobs);
        for _ in 0..50 {
            let event = Event::default();
            let barrier = Barrier::new(WAKERS + 1);
            thread::scope(|threads| {
                for _ in 0..WAKERS {
                    threads.spawn(|| {
                        event.until_polled();
                        let wakers: Vec<_> = event.wakers.lock().unwrap().clone();
                        barrier.wait();
                        event.is_set.store(true, Ordering::SeqCst);
                        for waker in wakers {
                            waker.wake();
                        }
                    });
                }
                let polls = AtomicUsize::new(0);
                pool.in_place_scope(|s| {
                    s.spawn_future(async {
                        polls.fetch_add(1, Ordering::SeqCst);
                        (&event).await;
                    });
                    event.until_polled();
                    barrier.wait();
                });
                assert_eq!(polls.load(Ordering::SeqCst), 1);
            });
        }
    }
}

#[test]
fn a_waker_that_panics_is_reported_by_the_pool() {
    struct BadWaker;
    impl Wake for BadWaker {
        fn wake(self: Arc<Self>) {
            panic_any("in a waker");
        }
    }
    let (sender, receiver) = mpsc::channel();
    let sender = Mutex::new(sender);
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |_| sender.lock().unwrap().send(()).unwrap())
        .build()
        .unwrap();
    let event = Event::default();
    pool.in_place_scope(|s| {
        let mut future = s.spawn_future(&event);
        let waker = Waker::from(Arc::new(BadWaker));
        let mut cx = Context::from_waker(&waker);
        assert!(Pin::new(&mut future).poll(&mut cx).is_pending());
        event.until_polled();
        event.set();
        receiver.recv().unwrap();
        future.join().unwrap();
    });
}

#[test]
fn scopes_of_futures_in_futures() {
    let pool = pool(2);
    let task = pool.spawn_future(async {
        let mut sum = 0;
        for round in 1..=10 {
            let parts = [round, round + 1];
            // A scope inside of a poll waits with the thread of the poll.
            sum += drumline::scope(|s| {
                let halves = parts.each_ref().map(|part| {
                    s.spawn_future(async move {
                        yield_now().await;
                        *part
                    })
                });
                halves
                    .into_iter()
                    .map(|half| half.join().unwrap())
                    .sum::<usize>()
            });
            yield_now().await;
        }
        sum
    });
    assert_eq!(task.join().unwrap(), 120);
}

#[test]
fn the_panic_of_the_body_comes_before_those_of_its_futures() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            panic_any("in a drop");
        }
    }
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let event = Event::default();
        let text = message_of(|| {
            pool.in_place_scope(|s| {
                let bad = Bad;
                s.spawn_future(async {
                    let _bad = bad;
                    (&event).await;
                });
                event.until_polled();
                panic_any("in the body");
            });
        });
        assert_eq!(text, "in the body");
    }
}

#[test]
fn a_waker_whose_drop_panics_keeps_no_reference() {
    struct BadWaker;
    impl Wake for BadWaker {
        fn wake(self: Arc<Self>) {
            std::mem::forget(self);
        }
    }
    impl Drop for BadWaker {
        fn drop(&mut self) {
            panic_any("in a drop");
        }
    }
    let text = message_of(|| {
        pool(2).in_place_scope(|s| {
            let mut future = s.spawn_future(pending::<()>());
            let waker = Waker::from(Arc::new(BadWaker));
            let polled = Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
            assert!(polled.is_pending());
            drop(waker);
            // The last reference to the future, and to the waker.
            drop(future);
        });
    });
    assert_eq!(text, "in a drop");
}
