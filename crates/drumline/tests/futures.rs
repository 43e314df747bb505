//! Futures on a pool.

mod task_sets;

use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use drumline::task::{sleep, yield_now};
use drumline::{CancellationToken, JoinError, Pool, block_on, spawn, spawn_future};

fn pool(jobs: usize) -> Pool {
    Pool::builder().jobs(jobs).build().unwrap()
}

/// One place, which no spare takes over while the thread that has it waits for the disk.
fn pool_without_spares() -> Pool {
    Pool::builder().jobs(1).spares(false).build().unwrap()
}

/// A future that is ready when it is told so, and shows its waker.
#[derive(Clone, Default)]
struct Event(Arc<Mutex<(bool, Vec<Waker>)>>);

impl Event {
    fn set(&self) {
        let wakers = {
            let mut state = self.0.lock().unwrap();
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    fn wakers(&self) -> Vec<Waker> {
        self.0.lock().unwrap().1.clone()
    }

    /// Waits until a task has left a waker.
    fn until_polled(&self) {
        while self.0.lock().unwrap().1.is_empty() {
            thread::yield_now();
        }
    }
}

impl Future for Event {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        state.1.push(cx.waker().clone());
        Poll::Pending
    }
}

/// Counts its drops, and says on which thread.
struct Dropped {
    count: Arc<AtomicUsize>,
    thread: Arc<Mutex<Option<thread::ThreadId>>>,
}

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.thread.lock().unwrap() = Some(thread::current().id());
        self.count.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Clone, Default)]
struct Ledger {
    count: Arc<AtomicUsize>,
    thread: Arc<Mutex<Option<thread::ThreadId>>>,
}

impl Ledger {
    fn guard(&self) -> Dropped {
        Dropped {
            count: Arc::clone(&self.count),
            thread: Arc::clone(&self.thread),
        }
    }

    fn dropped(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }

    fn until_dropped(&self) {
        while self.dropped() == 0 {
            thread::yield_now();
        }
    }
}

#[test]
fn values_arrive_in_every_pool() {
    for jobs in [1, 2, 8] {
        for spares in [true, false] {
            for guests in [true, false] {
                let mut builder = Pool::builder().jobs(jobs).guests(guests);
                if !spares {
                    builder = builder.spares(false);
                }
                let pool = builder.build().unwrap();
                let task = pool.spawn_future(async {
                    let inner = spawn_future(async {
                        yield_now().await;
                        20
                    });
                    let closure = spawn(|| 21);
                    inner.await.unwrap() + closure.await.unwrap() + 1
                });
                assert_eq!(task.join().unwrap(), 42);
                let task = pool.spawn(|| 5);
                assert_eq!(block_on(task).unwrap(), 5);
                pool.shutdown().unwrap();
            }
        }
    }
}

#[test]
fn a_task_woken_from_outside_goes_on() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let event = Event::default();
        let waits = event.clone();
        let task = pool.spawn_future(async move {
            waits.await;
            7
        });
        event.until_polled();
        assert!(!task.is_finished());
        event.set();
        assert_eq!(task.join().unwrap(), 7);
    }
}

#[test]
fn panics_reach_the_handle_and_the_pool_goes_on() {
    let pool = pool(2);
    let bad = pool.spawn_future(async {
        yield_now().await;
        panic!("in a poll");
    });
    let error = bad.join().unwrap_err();
    assert_eq!(error.into_panic().downcast_ref(), Some(&"in a poll"));

    struct BadDrop;
    impl Drop for BadDrop {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    let guard = BadDrop;
    let task = pool.spawn_future(async move {
        let _guard = guard;
        pending::<()>().await;
    });
    task.abort();
    let error = task.join().unwrap_err();
    assert_eq!(error.into_panic().downcast_ref(), Some(&"in a drop"));
    assert_eq!(pool.spawn_future(async { 1 }).join().unwrap(), 1);
    assert_eq!(pool.lost_panics(), 0);
}

#[test]
fn a_waker_that_panics_is_reported() {
    struct BadWaker;
    impl Wake for BadWaker {
        fn wake(self: Arc<Self>) {
            panic!("in a waker");
        }
    }
    let reported = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&reported);
    let pool = Pool::builder()
        .jobs(2)
        .panic_handler(move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    let event = Event::default();
    let (send, receive) = mpsc::channel::<()>();
    let mut future = pool.spawn_future(event.clone());
    let mut closure = pool.spawn(move || receive.recv());
    let waker = Waker::from(Arc::new(BadWaker));
    let mut cx = Context::from_waker(&waker);
    assert!(Pin::new(&mut future).poll(&mut cx).is_pending());
    assert!(Pin::new(&mut closure).poll(&mut cx).is_pending());
    event.until_polled();
    event.set();
    send.send(()).unwrap();
    // Before the joins, which take the wakers back.
    while reported.load(Ordering::SeqCst) < 2 {
        thread::yield_now();
    }
    future.join().unwrap();
    closure.join().unwrap().unwrap();
}

#[test]
fn futures_are_dropped_by_their_pool() {
    let pool = pool(1);
    for how in 0..3 {
        let ledger = Ledger::default();
        let (guard, event) = (ledger.guard(), Event::default());
        let waits = event.clone();
        let task = pool.spawn_future(async move {
            let _guard = guard;
            waits.await;
        });
        event.until_polled();
        match how {
            // The last waker goes.
            0 => {
                drop(task);
                event.0.lock().unwrap().1.clear();
            }
            // The poll may be about to end.
            1 => {
                if let Err(task) = task.cancel() {
                    assert!(task.join().unwrap_err().is_cancelled());
                }
            }
            _ => drop(task.abort_on_drop()),
        }
        ledger.until_dropped();
        assert_ne!(*ledger.thread.lock().unwrap(), Some(thread::current().id()));
        // Wakers that are left do nothing.
        event.set();
        assert_eq!(ledger.dropped(), 1);
    }
}

#[test]
fn the_end_of_a_pool_drops_what_waits() {
    let pool = pool(2);
    let ledger = Ledger::default();
    let events: Vec<Event> = (0..100).map(|_| Event::default()).collect();
    let tasks: Vec<_> = events
        .iter()
        .map(|event| {
            let (event, guard) = (event.clone(), ledger.guard());
            pool.spawn_future(async move {
                let _guard = guard;
                event.await;
            })
        })
        .collect();
    events.iter().for_each(Event::until_polled);
    pool.shutdown().unwrap();
    assert_eq!(ledger.dropped(), 100);
    events.iter().for_each(Event::set);
    for task in tasks {
        assert!(task.join().unwrap_err().is_shutdown());
    }
}

#[test]
fn a_future_that_is_ready_at_its_first_poll_survives_the_end_of_its_pool() {
    let pool = pool(1);
    let task = pool.spawn_future(async { 3 });
    drop(pool);
    assert_eq!(task.join().unwrap(), 3);
}

#[test]
fn wakers_are_good_for_ever_and_from_everywhere() {
    let pool = pool(2);
    let event = Event::default();
    let task = pool.spawn_future(event.clone());
    event.until_polled();
    let waker = event.wakers().pop().unwrap();
    thread::scope(|scope| {
        for _ in 0..100 {
            let waker = waker.clone();
            scope.spawn(move || {
                for _ in 0..100 {
                    waker.wake_by_ref();
                    let owned = waker.clone();
                    owned.wake();
                }
            });
        }
    });
    event.set();
    task.join().unwrap();
    waker.wake_by_ref();
    pool.shutdown().unwrap();
    waker.wake();
}

#[test]
fn a_future_that_wakes_itself_in_its_drop() {
    struct WakesInDrop(Option<Waker>);
    impl Future for WakesInDrop {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            self.0 = Some(cx.waker().clone());
            Poll::Pending
        }
    }
    impl Drop for WakesInDrop {
        fn drop(&mut self) {
            if let Some(waker) = self.0.take() {
                waker.wake_by_ref();
                waker.wake();
            }
        }
    }
    let pool = pool(2);
    for _ in 0..100 {
        let task = pool.spawn_future(WakesInDrop(None));
        task.abort();
        assert!(task.join().unwrap_err().is_cancelled());
        drop(pool.spawn_future(WakesInDrop(None)));
    }
    pool.shutdown().unwrap();
}

/// What lies in a hand-off slot is begun elsewhere when its worker computes.
#[test]
fn a_woken_task_does_not_wait_for_a_long_poll() {
    let pool = pool(2);
    for round in 0..20 {
        let event = Event::default();
        let second = pool.spawn_future(event.clone());
        event.until_polled();
        let wakes = event.clone();
        let first = pool.spawn_future(async move {
            wakes.set();
            // As long as the other task has not ended.
            while !second.is_finished() {
                std::hint::spin_loop();
            }
        });
        first
            .join()
            .unwrap_or_else(|error| panic!("round {round}: {error}"));
    }
}

/// The same where the worker blocks, or waits in a join.
#[test]
fn a_woken_task_does_not_wait_for_a_poll_that_blocks() {
    let pool = pool(1);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    for announced in [true, false] {
        let event = Event::default();
        let (waits, opens) = (event.clone(), Arc::clone(&gate));
        *gate.0.lock().unwrap() = false;
        let second = pool.spawn_future(async move {
            waits.await;
            *opens.0.lock().unwrap() = true;
            opens.1.notify_all();
        });
        event.until_polled();
        let closed = Arc::clone(&gate);
        let first = pool.spawn_future(async move {
            event.set();
            let wait = || {
                let open = closed.0.lock().unwrap();
                drop(closed.1.wait_while(open, |open| !*open).unwrap());
            };
            if announced {
                drumline::blocking(wait);
            } else {
                wait();
            }
        });
        first.join().unwrap();
        second.join().unwrap();
    }
}

/// A task that spawns what it awaits has its worker take the newest job and the hand-off slot in
/// turn. The older task lies below, and above it or below it lie tasks that yield.
#[test]
fn a_task_that_awaits_what_it_spawns_does_not_starve_older_ones() {
    for kind in 0..2 {
        for yielding in 0..3 {
            let pool = pool_without_spares();
            let done = Arc::new(AtomicBool::new(false));
            let (sets, ends) = (Arc::clone(&done), Arc::clone(&done));
            let task = pool.spawn_future(async move {
                let yields = || {
                    let done = Arc::clone(&done);
                    spawn_future(async move {
                        while !done.load(Ordering::SeqCst) {
                            yield_now().await;
                        }
                    })
                };
                let mut others: Vec<_> = (0..yielding).map(|_| yields()).collect();
                drop(spawn(move || sets.store(true, Ordering::SeqCst)));
                others.extend((0..yielding).map(|_| yields()));
                while !ends.load(Ordering::SeqCst) {
                    match kind {
                        0 => spawn(|| ()).await.unwrap(),
                        _ => spawn_future(async {}).await.unwrap(),
                    }
                }
                for other in others {
                    other.await.unwrap();
                }
            });
            task.join().unwrap();
        }
    }
}

#[test]
fn tasks_that_wake_each_other_do_not_starve_the_others() {
    let pool = pool(1);
    let stop = Arc::new(AtomicBool::new(false));
    // Two that yield for ever, and two that wake each other for ever.
    let mut endless = Vec::new();
    for _ in 0..2 {
        let stop = Arc::clone(&stop);
        endless.push(pool.spawn_future(async move {
            while !stop.load(Ordering::SeqCst) {
                yield_now().await;
            }
        }));
    }
    let wakers: Arc<[Mutex<Option<Waker>>; 2]> = Arc::default();
    for me in 0..2 {
        let (wakers, stop) = (Arc::clone(&wakers), Arc::clone(&stop));
        endless.push(pool.spawn_future(poll_fn(move |cx| {
            if stop.load(Ordering::SeqCst) {
                if let Some(other) = wakers[1 - me].lock().unwrap().take() {
                    other.wake();
                }
                return Poll::Ready(());
            }
            *wakers[me].lock().unwrap() = Some(cx.waker().clone());
            match wakers[1 - me].lock().unwrap().take() {
                Some(other) => other.wake(),
                None => cx.waker().wake_by_ref(),
            }
            Poll::Pending
        })));
    }
    // From outside, by closures and by futures.
    assert_eq!(pool.spawn(|| 1).join().unwrap(), 1);
    let (send, receive) = mpsc::channel();
    drop(pool.spawn(move || send.send(()).unwrap()));
    receive.recv().unwrap();
    assert_eq!(pool.spawn_future(async { 2 }).join().unwrap(), 2);
    stop.store(true, Ordering::SeqCst);
    for task in endless {
        task.join().unwrap();
    }
}

#[test]
fn block_on_inside_a_pool_gives_its_place_away() {
    let pool = pool(1);
    let task = pool.spawn_future(async {
        // Blocks the only place, on purpose.
        block_on(spawn_future(async { 5 })).unwrap()
    });
    assert_eq!(task.join().unwrap(), 5);
    let task = pool.spawn(|| spawn_future(async { 6 }).join().unwrap());
    assert_eq!(task.join().unwrap(), 6);
}

#[test]
fn a_handle_is_polled_dropped_and_joined_in_any_order() {
    let pool = pool(2);
    let waker = Waker::noop();
    let mut cx = Context::from_waker(waker);
    for round in 0..1_000 {
        let mut task = pool.spawn_future(async move {
            if round % 2 == 0 {
                yield_now().await;
            }
            round
        });
        match Pin::new(&mut task).poll(&mut cx) {
            Poll::Ready(value) => assert_eq!(value.unwrap(), round),
            Poll::Pending if round % 3 == 0 => drop(task),
            Poll::Pending => assert_eq!(task.join().unwrap(), round),
        }
        let mut task = pool.spawn(move || round);
        match Pin::new(&mut task).poll(&mut cx) {
            Poll::Ready(value) => assert_eq!(value.unwrap(), round),
            Poll::Pending if round % 3 == 0 => drop(task),
            Poll::Pending if round % 3 == 1 => match task.cancel() {
                Ok(()) => {}
                Err(task) => assert_eq!(task.join().unwrap(), round),
            },
            Poll::Pending => assert_eq!(task.join().unwrap(), round),
        }
    }
    pool.shutdown().unwrap();
}

#[test]
fn a_cancelled_closure_never_runs() {
    let pool = pool_without_spares();
    let ledger = Ledger::default();
    let (begun, has_begun) = mpsc::channel();
    let (end, ends) = mpsc::channel::<()>();
    let blocker = pool.spawn(move || {
        begun.send(()).unwrap();
        while ends.try_recv().is_err() {
            std::hint::spin_loop();
        }
    });
    has_begun.recv().unwrap();
    let guard = ledger.guard();
    let task = pool.spawn(move || drop(guard));
    task.abort();
    assert_eq!(ledger.dropped(), 1);
    assert!(matches!(block_on(task), Err(JoinError::Cancelled)));
    let guard = ledger.guard();
    assert!(pool.spawn(move || drop(guard)).cancel().is_ok());
    assert_eq!(ledger.dropped(), 2);
    end.send(()).unwrap();
    blocker.join().unwrap();
    pool.shutdown().unwrap();
}

#[test]
fn a_cancelled_closure_gives_its_waker_back() {
    struct Idle;
    impl Wake for Idle {
        fn wake(self: Arc<Self>) {}
    }
    let waker = Arc::new(Idle);
    // The calling thread has the only place, so no ticket is taken meanwhile.
    pool_without_spares().install(|| {
        let mut tasks: Vec<_> = (0..50).map(|_| spawn(|| ())).collect();
        // Deep in the queue, where its ticket stays.
        let mut task = tasks.remove(25);
        let polled = Waker::from(Arc::clone(&waker));
        let mut cx = Context::from_waker(&polled);
        assert!(Pin::new(&mut task).poll(&mut cx).is_pending());
        assert_eq!(Arc::strong_count(&waker), 3);
        task.abort();
        let outcome = Pin::new(&mut task).poll(&mut cx);
        assert!(matches!(outcome, Poll::Ready(Err(JoinError::Cancelled))));
        assert_eq!(Arc::strong_count(&waker), 2);
    });
}

#[test]
fn a_task_that_a_guest_leaves_behind_is_run_beside_tasks_that_yield() {
    for jobs in [1, 2] {
        let pool = pool(jobs);
        let done = Arc::new(AtomicBool::new(false));
        let busy: Vec<_> = (0..jobs)
            .map(|_| {
                let done = Arc::clone(&done);
                pool.spawn_future(async move {
                    while !done.load(Ordering::SeqCst) {
                        yield_now().await;
                    }
                })
            })
            .collect();
        let sets = Arc::clone(&done);
        pool.install(|| drop(spawn(move || sets.store(true, Ordering::SeqCst))));
        for task in busy {
            task.join().unwrap();
        }
    }
}

#[test]
fn things_that_are_ready_at_once_use_up_the_budget() {
    let pool = pool(1);
    let token = CancellationToken::new();
    token.cancel();
    for which in 0..2 {
        let (token, done) = (token.clone(), Arc::new(AtomicBool::new(false)));
        let sets = Arc::clone(&done);
        let task = pool.spawn_future(async move {
            while !done.load(Ordering::SeqCst) {
                match which {
                    0 => sleep(Duration::ZERO).await,
                    _ => token.cancelled().await,
                }
            }
        });
        pool.spawn(move || sets.store(true, Ordering::SeqCst));
        task.join().unwrap();
    }
}

/// An executor of another crate, that blocks the thread.
fn foreign_block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unparks(thread::Thread);
    impl Wake for Unparks {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unparks(thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// Such an executor never returns to the task, which would get a new budget.
#[test]
fn an_executor_that_blocks_inside_of_a_task_gets_a_new_budget() {
    let token = CancellationToken::new();
    token.cancel();
    let ready = |token: CancellationToken| {
        for _ in 0..1_000 {
            foreign_block_on(token.cancelled());
        }
    };
    let inside = token.clone();
    block_on(async move { ready(inside) });
    pool(1)
        .spawn_future(async move { ready(token) })
        .join()
        .unwrap();
}

/// A future panics when it is polled, or is ready, and panics again when it is dropped.
#[test]
fn the_first_panic_of_a_future_is_told() {
    struct Bad(bool);
    impl Future for Bad {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            if self.0 {
                std::panic::panic_any("in a poll");
            }
            Poll::Ready(())
        }
    }
    impl Drop for Bad {
        fn drop(&mut self) {
            std::panic::panic_any("in a drop");
        }
    }
    let pool = pool(1);
    for (panics, text) in [(true, "in a poll"), (false, "in a drop")] {
        let panic = pool.spawn_future(Bad(panics)).join().unwrap_err();
        assert_eq!(panic.into_panic().downcast_ref(), Some(&text));
    }
}
