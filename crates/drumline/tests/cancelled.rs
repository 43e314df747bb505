//! Tasks that await the cancellation of a token.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use drumline::task::CancelledOwned;
use drumline::{CancellationToken, Pool, block_on, spawn_future};

/// Counts how often it is woken.
#[derive(Default)]
struct Counted(AtomicUsize);

impl Counted {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn counted() -> (Arc<Counted>, Waker) {
    let counted = Arc::new(Counted::default());
    let waker = Waker::from(Arc::clone(&counted));
    (counted, waker)
}

/// Does something when it is woken for the first time.
struct Calls(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl Calls {
    fn waker(call: impl FnOnce() + Send + 'static) -> Waker {
        Waker::from(Arc::new(Calls(Mutex::new(Some(Box::new(call))))))
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        let call = self.0.lock().unwrap().take();
        call.unwrap()();
    }
}

fn poll(future: impl Future<Output = ()> + Unpin, waker: &Waker) -> Poll<()> {
    let mut future = future;
    Pin::new(&mut future).poll(&mut Context::from_waker(waker))
}

#[test]
fn it_is_ready_when_the_token_is_cancelled_and_ever_after() {
    let token = CancellationToken::new();
    let (woken, waker) = counted();
    let mut borrowed = token.cancelled();
    let mut owned = token.clone().cancelled_owned();
    assert!(poll(&mut borrowed, &waker).is_pending());
    assert!(poll(&mut owned, &waker).is_pending());
    assert_eq!(woken.count(), 0);
    token.clone().cancel();
    assert_eq!(woken.count(), 2);
    for _ in 0..2 {
        assert!(poll(&mut borrowed, &waker).is_ready());
        assert!(poll(&mut owned, &waker).is_ready());
    }
    assert!(poll(token.cancelled(), &waker).is_ready());
    token.cancel();
    assert_eq!(woken.count(), 2);
}

#[test]
fn a_task_holds_no_thread_while_it_waits() {
    let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
    let token = CancellationToken::new();
    let tasks: Vec<_> = (0..100)
        .map(|n| {
            let token = token.clone();
            pool.spawn_future(async move {
                token.cancelled().await;
                n
            })
        })
        .collect();
    // The pool's only thread is free.
    pool.spawn(|| ()).join().unwrap();
    token.cancel();
    let numbers: Vec<_> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
    assert!(numbers.into_iter().eq(0..100));
}

#[test]
fn it_sees_what_came_before_the_cancellation() {
    for _ in 0..200 {
        let token = CancellationToken::new();
        let before = Arc::new(AtomicUsize::new(0));
        let task = spawn_future({
            let (token, before) = (token.clone(), Arc::clone(&before));
            async move {
                token.cancelled().await;
                before.load(Ordering::Relaxed)
            }
        });
        before.store(1, Ordering::Relaxed);
        token.cancel();
        assert_eq!(task.join().unwrap(), 1);
    }
}

#[test]
fn a_token_keeps_nothing_of_futures_that_are_dropped() {
    let token = CancellationToken::new();
    let (woken, waker) = counted();
    let base = Arc::strong_count(&woken);
    for _ in 0..100_000 {
        assert!(poll(token.cancelled(), &waker).is_pending());
        assert!(poll(token.clone().cancelled_owned(), &waker).is_pending());
    }
    assert_eq!(Arc::strong_count(&woken), base);
    let mut futures: Vec<_> = (0..100_000).map(|_| token.cancelled()).collect();
    for future in &mut futures {
        assert!(poll(future, &waker).is_pending());
    }
    // In another order than they came.
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for (index, future) in futures.into_iter().enumerate() {
        if index % 2 == 0 { &mut even } else { &mut odd }.push(future);
    }
    drop(even);
    drop(odd);
    assert_eq!(Arc::strong_count(&woken), base);
    token.cancel();
    assert_eq!(woken.count(), 0);
}

#[test]
fn the_waker_of_the_last_poll_is_woken() {
    let token = CancellationToken::new();
    let (first, first_waker) = counted();
    let (second, second_waker) = counted();
    let mut cancelled = token.cancelled();
    assert!(poll(&mut cancelled, &first_waker).is_pending());
    assert!(poll(&mut cancelled, &second_waker).is_pending());
    assert!(poll(&mut cancelled, &second_waker).is_pending());
    drop(first_waker);
    assert_eq!(Arc::strong_count(&first), 1, "the old waker is gone");
    token.cancel();
    assert_eq!((first.count(), second.count()), (0, 1));
}

/// No thread polls a task after the end of its executor: what was woken must not be kept by itself.
#[test]
fn a_future_keeps_no_waker_of_its_own() {
    let token = CancellationToken::new();
    let (woken, waker) = counted();
    let mut cancelled = token.cancelled();
    assert!(poll(&mut cancelled, &waker).is_pending());
    assert!(poll(&mut cancelled, &waker).is_pending());
    drop(waker);
    assert_eq!(Arc::strong_count(&woken), 2, "one in the list of the token");
    token.cancel();
    assert_eq!((woken.count(), Arc::strong_count(&woken)), (1, 1));
}

#[test]
fn it_moves_from_one_executor_to_another() {
    let token = CancellationToken::new();
    let mut cancelled = token.clone().cancelled_owned();
    assert!(poll(&mut cancelled, Waker::noop()).is_pending());
    let task = spawn_future(cancelled);
    token.cancel();
    assert!(task.join().is_ok());
}

#[test]
fn a_waker_that_panics_keeps_no_other_from_being_woken() {
    let token = CancellationToken::new();
    let (woken, waker) = counted();
    let mut before = token.cancelled();
    let mut panics = token.cancelled();
    let mut after = token.cancelled();
    assert!(poll(&mut before, &waker).is_pending());
    assert!(poll(&mut panics, &Calls::waker(|| panic!("a waker"))).is_pending());
    assert!(poll(&mut after, &waker).is_pending());
    token.cancel();
    assert_eq!(woken.count(), 2);
    assert!(poll(&mut panics, &waker).is_ready());
}

#[test]
fn a_waker_may_call_back_into_the_token() {
    let token = CancellationToken::new();
    let (done, was_done) = mpsc::channel();
    let (woken, other) = counted();
    // It cancels, asks, awaits, and drops futures of the same token, its own among them.
    let place = Arc::new(Mutex::new(Vec::<CancelledOwned>::new()));
    let waker = Calls::waker({
        let (token, place, other) = (token.clone(), Arc::clone(&place), other.clone());
        move || {
            token.cancel();
            assert!(token.is_cancelled());
            assert!(poll(token.cancelled(), &other).is_ready());
            let futures = std::mem::take(&mut *place.lock().unwrap());
            assert_eq!(futures.len(), 2);
            drop(futures);
            done.send(()).unwrap();
        }
    });
    let mut first = token.clone().cancelled_owned();
    let mut second = token.clone().cancelled_owned();
    assert!(poll(&mut first, &waker).is_pending());
    assert!(poll(&mut second, &other).is_pending());
    drop(waker);
    place.lock().unwrap().extend([first, second]);
    token.cancel();
    was_done.try_recv().unwrap();
    // Its waker was taken out by the call that came first.
    assert_eq!(woken.count(), 1);
}

/// A waker that is dropped in its place calls code of the program, too.
#[test]
fn the_drop_of_a_waker_may_call_back_into_the_token() {
    struct Cancels(CancellationToken);
    impl Wake for Cancels {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Cancels {
        fn drop(&mut self) {
            self.0.cancel();
        }
    }
    let token = CancellationToken::new();
    let mut cancelled = token.cancelled();
    let waker = Waker::from(Arc::new(Cancels(token.clone())));
    assert!(poll(&mut cancelled, &waker).is_pending());
    drop(waker);
    // The waker in the list is replaced, and dropped: that cancels.
    let (woken, other) = counted();
    assert!(poll(&mut cancelled, &other).is_pending());
    assert!(token.is_cancelled());
    assert_eq!(woken.count(), 1);
    assert!(poll(&mut cancelled, &other).is_ready());
}

#[test]
fn cancel_races_with_polls() {
    for round in 0..500 {
        let token = CancellationToken::new();
        let start = Arc::new(Barrier::new(3));
        let waiting: Vec<_> = (0..2)
            .map(|_| {
                let (token, start) = (token.clone(), Arc::clone(&start));
                thread::spawn(move || {
                    let mut cancelled = pin!(token.cancelled());
                    if round % 2 == 0 {
                        let polled = cancelled
                            .as_mut()
                            .poll(&mut Context::from_waker(Waker::noop()));
                        assert!(polled.is_pending());
                    }
                    start.wait();
                    // With another waker, while the token is cancelled.
                    block_on(cancelled);
                    assert!(token.is_cancelled());
                })
            })
            .collect();
        start.wait();
        token.cancel();
        for thread in waiting {
            thread.join().unwrap();
        }
    }
}

#[test]
fn cancel_races_with_drops() {
    for _ in 0..500 {
        let token = CancellationToken::new();
        let (woken, waker) = counted();
        let base = Arc::strong_count(&woken);
        let mut cancelled = token.clone().cancelled_owned();
        assert!(poll(&mut cancelled, &waker).is_pending());
        let canceller = thread::spawn({
            let token = token.clone();
            move || token.cancel()
        });
        drop(cancelled);
        canceller.join().unwrap();
        assert_eq!(Arc::strong_count(&woken), base);
        assert!(woken.count() <= 1);
    }
}

/// One request ends tasks, loops and streams.
#[test]
fn a_stream_and_a_task_share_a_token() {
    let token = CancellationToken::new();
    let task = spawn_future(token.clone().cancelled_owned());
    let (sender, receiver) = drumline::stream::queue(4);
    let mut cancelled = token.cancelled();
    assert!(poll(&mut cancelled, Waker::noop()).is_pending());
    sender.send(1).unwrap();
    drumline::stream::stream(receiver)
        .cancel_on(&token)
        .for_each(|_| token.cancel());
    drop(sender);
    task.join().unwrap();
    block_on(cancelled);
}
