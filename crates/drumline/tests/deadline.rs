//! Sleeps and timeouts: when they end, which tasks and threads they wake, and what they leave
//! behind.

mod common;

use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use common::{Event, eventually, quiet_panic};
use drumline::channel::{Select, mpmc};
use drumline::task::{Elapsed, Sleep, sleep, sleep_until, timeout, timeout_at};

/// Far enough that no test lasts until then.
const HOUR: Duration = Duration::from_secs(3600);

const MS: Duration = Duration::from_millis(1);

// Relaxed throughout: counts, which publish nothing else.

/// Calls a closure when it is woken.
struct Called<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Called<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

fn waker(call: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(Called(call)))
}

/// A waker, and how often it was woken.
fn counting() -> (Waker, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let waker = waker(move || {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    (waker, count)
}

/// Polls once.
fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

/// Registers a sleep that is not ready yet.
#[track_caller]
fn begin(sleep: &mut Sleep, waker: &Waker) {
    assert_eq!(poll(sleep, waker), Poll::Pending);
}

/// Runs a future on this thread, without a pool.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn deadlines_come_in_order() {
    const COUNT: usize = 50;
    let mut lead = 50 * MS;
    loop {
        let base = Instant::now() + lead;
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut sleeps = Vec::new();
        for n in 0..COUNT {
            // Each number once, and not in order.
            let n = n * 37 % COUNT;
            let deadline = base + MS * n as u32;
            let order = Arc::clone(&order);
            let mut sleep = sleep_until(deadline);
            let waker = waker(move || {
                assert!(Instant::now() >= deadline);
                order.lock().unwrap().push(n);
            });
            if poll(&mut sleep, &waker).is_pending() {
                sleeps.push(sleep);
            }
        }
        if Instant::now() >= base {
            // The machine is slow: some came before others were there.
            lead *= 2;
            continue;
        }
        eventually("all are woken", || order.lock().unwrap().len() == COUNT);
        assert!(order.lock().unwrap().iter().copied().eq(0..COUNT));
        assert!(sleeps.iter().all(Sleep::is_elapsed));
        return;
    }
}

#[test]
fn many_deadlines() {
    const COUNT: usize = 10_000;
    let woken = Arc::new(AtomicUsize::new(0));
    let early = Arc::new(AtomicUsize::new(0));
    let start = Instant::now();
    let mut ready = 0;
    let mut sleeps = Vec::new();
    for n in 0..COUNT {
        let deadline = start + Duration::from_micros((n * 7919 % COUNT) as u64 * 30);
        let (woken, early) = (Arc::clone(&woken), Arc::clone(&early));
        let waker = waker(move || {
            early.fetch_add(usize::from(Instant::now() < deadline), Ordering::Relaxed);
            woken.fetch_add(1, Ordering::Relaxed);
        });
        let mut sleep = sleep_until(deadline);
        match poll(&mut sleep, &waker) {
            Poll::Ready(()) => ready += 1,
            Poll::Pending => sleeps.push(sleep),
        }
    }
    eventually("each is woken", || {
        ready + woken.load(Ordering::Relaxed) == COUNT
    });
    assert_eq!(early.load(Ordering::Relaxed), 0);
    for sleep in &mut sleeps {
        assert_eq!(poll(sleep, Waker::noop()), Poll::Ready(()));
    }
}

#[test]
fn threads_enter_and_drop_deadlines() {
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for n in 0..500_u64 {
                    let time = Duration::from_micros((n * 7 + thread * 13) % 200);
                    let start = Instant::now();
                    let slow = sleep(HOUR);
                    let result = block_on(timeout(time, slow));
                    assert_eq!(result, Err(Elapsed));
                    assert!(start.elapsed() >= time);
                    assert_eq!(block_on(timeout(HOUR, sleep(time / 2))), Ok(()));
                }
            });
        }
    });
}

#[test]
fn what_is_dropped_wakes_nothing_and_keeps_nothing() {
    let (waker, count) = counting();
    let weak: Weak<AtomicUsize> = Arc::downgrade(&count);
    for round in 0..20_000 {
        let mut sleep = sleep(HOUR);
        begin(&mut sleep, &waker);
        if round % 2 == 0 {
            sleep.reset(Instant::now() + 2 * HOUR);
        }
    }
    let deadline = Instant::now() + 20 * MS;
    let mut soon = sleep_until(deadline);
    let begun = poll(&mut soon, &waker).is_pending();
    drop(soon);
    // The thread may have had to wait for its processor.
    let begun = begun && Instant::now() < deadline;
    // A later one comes after it, so the first would have been woken by then.
    block_on(sleep(40 * MS));
    if begun {
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }
    drop((waker, count));
    assert!(weak.upgrade().is_none(), "the heap has kept a waker");
}

#[test]
fn the_last_waker_is_woken() {
    let (first, first_count) = counting();
    let (last, last_count) = counting();
    let mut sleep = sleep(HOUR);
    begin(&mut sleep, &first);
    begin(&mut sleep, &last);
    sleep.reset(Instant::now());
    eventually("it is woken", || last_count.load(Ordering::Relaxed) == 1);
    assert_eq!(first_count.load(Ordering::Relaxed), 0);
    assert_eq!(poll(&mut sleep, &last), Poll::Ready(()));
    assert_eq!(poll(&mut sleep, &last), Poll::Ready(()), "it is fused");
}

#[test]
fn a_reset_needs_no_poll() {
    let (waker, count) = counting();
    let mut sleep = sleep(HOUR);
    begin(&mut sleep, &waker);
    // Later, and then earlier.
    sleep.reset(Instant::now() + 2 * HOUR);
    let soon = Instant::now() + 2 * MS;
    sleep.reset(soon);
    assert_eq!(sleep.deadline(), Some(soon));
    eventually("it is woken", || count.load(Ordering::Relaxed) == 1);
    assert!(Instant::now() >= soon);
    assert_eq!(poll(&mut sleep, &waker), Poll::Ready(()));
    // And once more, after it was ready.
    sleep.reset(Instant::now() + HOUR);
    assert!(!sleep.is_elapsed());
    begin(&mut sleep, &waker);
    sleep.reset(Instant::now());
    eventually("it is woken again", || count.load(Ordering::Relaxed) == 2);
    assert_eq!(poll(&mut sleep, &waker), Poll::Ready(()));
}

#[test]
fn a_waker_that_panics_hurts_no_other() {
    let mut sleeps: Vec<_> = (0..10).map(|_| sleep(5 * MS)).collect();
    let bad = waker(|| quiet_panic("a waker"));
    let (good, count) = counting();
    let begun = sleeps.iter_mut().enumerate().filter_map(|(n, sleep)| {
        let is_good = n % 2 == 1;
        let is_begun = poll(sleep, if is_good { &good } else { &bad }).is_pending();
        (is_good && is_begun).then_some(())
    });
    let begun = begun.count();
    eventually("the others are woken", || {
        count.load(Ordering::Relaxed) == begun
    });
    block_on(sleep(MS));
}

#[test]
fn a_waker_may_enter_deadlines() {
    let done = Arc::new(Event::new());
    let sleeps: Arc<Mutex<Vec<Sleep>>> = Arc::default();
    fn next(left: u32, sleeps: &Arc<Mutex<Vec<Sleep>>>, done: &Arc<Event>) {
        let mut sleep = sleep(MS);
        let waker = {
            let (sleeps, done) = (Arc::clone(sleeps), Arc::clone(done));
            waker(move || match left {
                0 => done.set(),
                _ => next(left - 1, &sleeps, &done),
            })
        };
        if poll(&mut sleep, &waker).is_ready() {
            waker.wake();
        }
        sleeps.lock().unwrap().push(sleep);
    }
    next(20, &sleeps, &done);
    done.wait();
    sleeps.lock().unwrap().clear();
}

/// Drops a sleep, and panics, when it is dropped itself.
struct DropsSleep {
    sleep: Mutex<Option<Sleep>>,
    dropped: Arc<AtomicUsize>,
}

impl Wake for DropsSleep {
    fn wake(self: Arc<Self>) {}
}

impl Drop for DropsSleep {
    fn drop(&mut self) {
        self.sleep.lock().unwrap().take();
        self.dropped.fetch_add(1, Ordering::Relaxed);
        quiet_panic("a drop of a waker");
    }
}

/// A waker that only the heap has is dropped there.
fn owned_by_the_heap(sleep: &mut Sleep, inner: Sleep, dropped: &Arc<AtomicUsize>) {
    let waker = Waker::from(Arc::new(DropsSleep {
        sleep: Mutex::new(Some(inner)),
        dropped: Arc::clone(dropped),
    }));
    assert_eq!(poll(sleep, &waker), Poll::Pending);
}

#[test]
fn wakers_are_dropped_without_the_lock() {
    let inner = || {
        let mut inner = sleep(HOUR);
        begin(&mut inner, &counting().0);
        inner
    };
    let dropped = Arc::new(AtomicUsize::new(0));
    // By the drop of the sleep.
    let mut outer = sleep(HOUR);
    owned_by_the_heap(&mut outer, inner(), &dropped);
    drop(outer);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    // By the next waker.
    let mut outer = sleep(HOUR);
    owned_by_the_heap(&mut outer, inner(), &dropped);
    begin(&mut outer, &counting().0);
    assert_eq!(dropped.load(Ordering::Relaxed), 2);
    // By the timer thread.
    let mut outer = sleep(HOUR);
    owned_by_the_heap(&mut outer, inner(), &dropped);
    outer.reset(Instant::now());
    eventually("it is dropped", || dropped.load(Ordering::Relaxed) == 3);
    block_on(sleep(MS));
}

/// A task that only its wakers keep alive, as those of many executors are.
struct OwnWaker(Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>);

impl Wake for OwnWaker {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn a_task_that_is_left_behind_is_freed_at_its_deadline() {
    let task = Arc::new(OwnWaker(Mutex::new(Some(Box::pin(sleep(5 * MS))))));
    let waker = Waker::from(Arc::clone(&task));
    {
        let mut future = task.0.lock().unwrap();
        let future = future.as_mut().unwrap().as_mut();
        let _ = future.poll(&mut Context::from_waker(&waker));
    }
    let weak = Arc::downgrade(&task);
    drop((task, waker));
    eventually("it is freed", || weak.upgrade().is_none());
}

/// What a task may do in one poll is used up on the way: it gives its turn to others then, and goes
/// on. The receive is ready each time.
#[test]
fn a_receive_that_is_ready_wins_however_often() {
    let (sender, receiver) = mpmc::unbounded();
    for number in 0..1_000 {
        sender.send(number).unwrap();
    }
    let task = drumline::spawn_future(async move {
        for number in 0..500 {
            let received = timeout(Duration::ZERO, receiver.recv_async()).await;
            assert_eq!(received, Ok(Ok(number)));
        }
        for number in 500..1_000 {
            let mut select = Select::new();
            select.recv(&receiver, |message| message);
            let received = timeout(Duration::ZERO, select.wait_async()).await;
            assert_eq!(received, Ok(Some(Ok(number))));
        }
    });
    block_on(task).unwrap();
}

/// A future that uses up all that a task may do in one poll, each time, ends at its deadline.
#[test]
fn a_future_that_is_never_done_ends_at_its_deadline() {
    let (sender, receiver) = mpmc::unbounded();
    let task = drumline::spawn_future(async move {
        let endless = async {
            loop {
                sender.send(()).unwrap();
                receiver.recv_async().await.unwrap();
            }
        };
        timeout(MS, endless).await
    });
    assert_eq!(block_on(task).unwrap(), Err::<(), _>(Elapsed));
}

#[test]
fn timeouts() {
    assert_eq!(block_on(timeout(HOUR, async { 7 })), Ok(7));
    assert_eq!(block_on(timeout(Duration::ZERO, async { 7 })), Ok(7));
    assert_eq!(block_on(timeout(Duration::MAX, sleep(MS))), Ok(()));
    let start = Instant::now();
    assert_eq!(block_on(timeout(3 * MS, sleep(HOUR))), Err(Elapsed));
    assert!(start.elapsed() >= 3 * MS);
    let deadline = Instant::now() + 3 * MS;
    let never = std::future::pending::<()>();
    assert_eq!(block_on(timeout_at(deadline, never)), Err(Elapsed));
    assert!(Instant::now() >= deadline);
    // One within the other.
    let inner = timeout(2 * MS, sleep(HOUR));
    assert_eq!(block_on(timeout(HOUR, inner)), Ok(Err(Elapsed)));

    let error = std::io::Error::from(Elapsed);
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("give it more time"), "{error}");
}

/// Tests that look at the whole process, each in one of its own.
#[cfg(target_os = "linux")]
mod processes {
    use super::common::child::in_a_child;
    use super::*;
    use std::process::Command;

    /// Runs one of the programs below.
    #[track_caller]
    fn run(name: &str) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = format!("processes::{name}");
        let output = command
            .args(["--exact", &name, "--ignored", "--nocapture"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{output:?}");
        assert!(said.contains("1 passed"), "no such program: {output:?}");
    }

    /// How many timer threads there are.
    fn timers() -> usize {
        let threads = std::fs::read_dir("/proc/self/task").unwrap();
        let names = threads.filter_map(|thread| {
            // The thread may be gone by now.
            std::fs::read_to_string(thread.ok()?.path().join("comm")).ok()
        });
        names.filter(|name| name.trim() == "drumline-timer").count()
    }

    #[test]
    fn the_thread_is_there_while_it_is_needed() {
        run("program_that_counts_threads");
    }

    #[test]
    #[ignore = "a program of `the_thread_is_there_while_it_is_needed`"]
    fn program_that_counts_threads() {
        let (waker, count) = counting();
        assert_eq!(block_on(timeout(HOUR, async { 7 })), Ok(7));
        assert_eq!(poll(&mut sleep(Duration::ZERO), &waker), Poll::Ready(()));
        assert_eq!(poll(&mut sleep(Duration::MAX), &waker), Poll::Pending);
        assert_eq!(timers(), 0, "none of these has a deadline");
        for round in 0..2 {
            let sleeps: Vec<_> = (1..=3)
                .map(|n| {
                    let mut sleep = sleep(n * HOUR);
                    begin(&mut sleep, &waker);
                    sleep
                })
                .collect();
            // The thread gives itself its name, a moment after it was started.
            eventually("there is one", || timers() == 1);
            // A dropped deadline far away does not keep the thread either.
            drop(sleeps);
            eventually("it ends", || timers() == 0);
            let mut soon = sleep(20 * MS);
            if poll(&mut soon, &waker).is_pending() {
                eventually("it is woken", || count.load(Ordering::Relaxed) > round);
            } else {
                waker.wake_by_ref();
            }
            eventually("it ends after a deadline as well", || timers() == 0);
        }
    }

    #[test]
    fn a_refused_thread_loses_nothing() {
        run("program_without_memory");
    }

    /// How far the address space may grow.
    fn limit_memory(more: Option<u64>) {
        let status = std::fs::read_to_string("/proc/self/statm").unwrap();
        let pages: u64 = status.split(' ').next().unwrap().parse().unwrap();
        let limit = libc::rlimit {
            rlim_cur: more.map_or(libc::RLIM_INFINITY, |more| pages * 4096 + more),
            rlim_max: libc::RLIM_INFINITY,
        };
        // SAFETY: reads the structure, and changes a number of this process.
        let changed = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) };
        assert_eq!(changed, 0);
    }

    #[test]
    #[ignore = "a program of `a_refused_thread_loses_nothing`"]
    fn program_without_memory() {
        // Less than a stack.
        limit_memory(Some(1 << 20));
        let start = Instant::now();
        block_on(sleep(10 * MS));
        assert!(start.elapsed() >= 10 * MS);
        let result = block_on(timeout(10 * MS, sleep(HOUR)));
        assert_eq!(result, Err(Elapsed));
        assert_eq!(timers(), 0);
        // A poll asks the system again.
        let (waker, count) = counting();
        let mut waits = sleep(HOUR);
        begin(&mut waits, &waker);
        assert_eq!(count.load(Ordering::Relaxed), 1, "it wants to be polled");
        limit_memory(None);
        begin(&mut waits, &waker);
        assert_eq!(count.load(Ordering::Relaxed), 1);
        eventually("there is a thread", || timers() == 1);
        waits.reset(Instant::now());
        eventually("it is woken", || count.load(Ordering::Relaxed) == 2);
    }

    #[test]
    fn a_child_has_a_heap_of_its_own() {
        run("program_that_forks");
    }

    #[test]
    #[ignore = "a program of `a_child_has_a_heap_of_its_own`"]
    fn program_that_forks() {
        let (waker, count) = counting();
        let mut of_parent = sleep(HOUR);
        begin(&mut of_parent, &waker);
        let mut dropped = Some(sleep(HOUR));
        begin(dropped.as_mut().unwrap(), &waker);
        for _ in 0..5 {
            in_a_child(|| {
                dropped.take();
                block_on(sleep(2 * MS));
                // Moved without a poll, it is the parent's thread that would have woken it.
                of_parent.reset(Instant::now() + 2 * MS);
                block_on(&mut of_parent);
                count.load(Ordering::Relaxed) == 0
            });
        }
        in_a_child(|| {
            // Polled by another task first: it is registered here, with that one.
            let (other, other_count) = counting();
            begin(&mut of_parent, &other);
            of_parent.reset(Instant::now());
            eventually("it is woken", || other_count.load(Ordering::Relaxed) == 1);
            true
        });
        assert_eq!(count.load(Ordering::Relaxed), 0);
        of_parent.reset(Instant::now());
        eventually("the parent goes on", || count.load(Ordering::Relaxed) == 1);
    }
}
