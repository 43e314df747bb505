//! Small cases: the schedule on a clock of its own, and futures that need no timer thread.

use std::cell::Cell;
use std::io;
use std::marker::PhantomPinned;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::schedule::{Clock, Schedule};
use super::{Elapsed, heap, sleep, sleep_until, timeout, timeout_at};
use crate::wait::Parker;

/// Far enough that no test lasts until then.
const HOUR: Duration = Duration::from_secs(3600);

/// A clock on which time passes while the timer thread sleeps.
#[derive(Default)]
struct SleepClock(Cell<u32>);

impl Clock for &SleepClock {
    type Time = u32;

    fn now(&self) -> u32 {
        self.0.get()
    }

    fn linger_until(&self, now: u32) -> u32 {
        now + 10
    }

    fn sleep(&self, _parker: &Parker, until: u32) {
        self.0.set(until);
    }
}

/// The thread that tests "start" is the one of the test, later on.
fn start() -> io::Result<()> {
    Ok(())
}

/// Runs the schedule until no deadline is left. Returns what was called, and when.
fn run<C>(clock: &SleepClock, schedule: &Schedule<&SleepClock, C>) -> Vec<(u32, C)> {
    let mut fired = Vec::new();
    schedule.run(|call| fired.push((clock.0.get(), call)));
    fired
}

#[test]
fn miri_deadlines_fire_in_order() {
    let clock = SleepClock::default();
    let schedule = Schedule::new(&clock);
    for (at, name) in [(30, 'd'), (10, 'a'), (20, 'b'), (20, 'c'), (0, '0')] {
        schedule.insert(at, name, start).unwrap();
    }
    let order = [(0, '0'), (10, 'a'), (20, 'b'), (20, 'c'), (30, 'd')];
    assert_eq!(run(&clock, &schedule), order);
    assert_eq!(clock.0.get(), 40, "the thread lingers");
    // The next one starts a thread again.
    let mut started = 0;
    for at in [41, 42] {
        schedule
            .insert(at, 'e', || {
                started += 1;
                Ok(())
            })
            .unwrap();
    }
    assert_eq!(started, 1);
    assert_eq!(run(&clock, &schedule), [(41, 'e'), (42, 'e')]);
}

#[test]
fn miri_a_cancelled_entry_comes_back() {
    let clock = SleepClock::default();
    let schedule = Schedule::new(&clock);
    let keys: Vec<_> = [5, 1, 3]
        .map(|at| schedule.insert(at, Box::new(at), start).unwrap())
        .into();
    assert_eq!(schedule.cancel(keys[1]), Some(Box::new(1)));
    assert_eq!(schedule.cancel(keys[1]), None);
    assert_eq!(schedule.len(), 2);
    assert_eq!(run(&clock, &schedule), [(3, Box::new(3)), (5, Box::new(5))]);
    assert_eq!(schedule.cancel(keys[0]), None, "it has been called");
}

#[test]
fn miri_entries_change() {
    let clock = SleepClock::default();
    let schedule = Schedule::new(&clock);
    let first = schedule.insert(5, "first", start).unwrap();
    let second = schedule.insert(6, "second", start).unwrap();
    assert_eq!(schedule.replace(first, "other"), Ok("first"));
    let moved = schedule.move_to(second, 2).unwrap();
    assert_eq!(schedule.move_to(second, 3), None, "the name is an old one");
    assert_eq!(run(&clock, &schedule), [(2, "second"), (5, "other")]);
    assert_eq!(schedule.replace(first, "late"), Err("late"));
    assert_eq!(schedule.move_to(moved, 9), None);
}

#[test]
fn miri_a_refused_thread_leaves_nothing_behind() {
    let clock = SleepClock::default();
    let schedule = Schedule::new(&clock);
    let refused = schedule
        .insert(1, "lost", || Err(io::ErrorKind::WouldBlock.into()))
        .unwrap_err();
    assert_eq!(refused.call, "lost");
    assert_eq!(refused.error.kind(), io::ErrorKind::WouldBlock);
    assert_eq!(schedule.len(), 0);
    let mut is_started = false;
    schedule
        .insert(1, "kept", || {
            is_started = true;
            Ok(())
        })
        .unwrap();
    assert!(is_started, "the system is asked again");
    assert_eq!(run(&clock, &schedule), [(1, "kept")]);
}

#[test]
fn miri_a_call_enters_deadlines() {
    let clock = SleepClock::default();
    let schedule = Schedule::new(&clock);
    schedule.insert(1, 3, start).unwrap();
    let mut fired = Vec::new();
    schedule.run(|left| {
        fired.push(clock.0.get());
        if left > 0 {
            // While it lingers as well as before: no other thread is started.
            let start = || -> io::Result<()> { unreachable!("the thread is here") };
            schedule.insert(clock.0.get() + 4, left - 1, start).unwrap();
        }
    });
    assert_eq!(fired, [1, 5, 9, 13]);
}

/// Real time, and a thread that sleeps.
#[test]
fn miri_a_thread_is_woken_for_an_earlier_deadline() {
    struct RealClock;
    impl Clock for RealClock {
        type Time = Instant;

        fn now(&self) -> Instant {
            Instant::now()
        }

        fn linger_until(&self, now: Instant) -> Instant {
            now
        }

        fn sleep(&self, parker: &Parker, until: Instant) {
            parker.park_timeout(until.saturating_duration_since(Instant::now()));
        }
    }
    let schedule = Schedule::new(RealClock);
    std::thread::scope(|scope| {
        let (send, receive) = std::sync::mpsc::channel();
        let (schedule, begin) = (&schedule, Instant::now());
        let start = || {
            scope.spawn(move || schedule.run(|call| send.send(call).unwrap()));
            Ok(())
        };
        let far = schedule.insert(begin + HOUR, "far", start).unwrap();
        let soon = begin + Duration::from_millis(2);
        schedule.insert(soon, "soon", start_no_other).unwrap();
        assert_eq!(receive.recv(), Ok("soon"));
        assert!(Instant::now() >= soon);
        assert_eq!(schedule.cancel(far), Some("far"));
        // The thread ends at once: a scope waits for it.
    });
}

fn start_no_other() -> io::Result<()> {
    unreachable!("there is one")
}

/// Counts how often it is woken.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        // Relaxed: a count, which publishes nothing.
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>, waker: &Waker) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(waker))
}

/// A future that its own address is a part of.
struct Pinned<'a> {
    ready_at: u32,
    polls: u32,
    address: usize,
    dropped: &'a Cell<u32>,
    _pin: PhantomPinned,
}

impl<'a> Pinned<'a> {
    fn new(ready_at: u32, dropped: &'a Cell<u32>) -> Self {
        Pinned {
            ready_at,
            polls: 0,
            address: 0,
            dropped,
            _pin: PhantomPinned,
        }
    }
}

impl Future for Pinned<'_> {
    type Output = String;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<String> {
        let address = std::ptr::from_ref(&*self).addr();
        // SAFETY: nothing is moved.
        let this = unsafe { self.get_unchecked_mut() };
        assert!(this.polls == 0 || this.address == address, "it has moved");
        this.address = address;
        this.polls += 1;
        if this.polls == this.ready_at {
            Poll::Ready("ready".to_owned())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
    }
}

#[test]
fn miri_a_future_stays_pinned_in_its_timeout() {
    let dropped = Cell::new(0);
    {
        let mut waits = pin!(timeout(Duration::MAX, Pinned::new(3, &dropped)));
        assert_eq!(poll_once(waits.as_mut(), Waker::noop()), Poll::Pending);
        assert_eq!(poll_once(waits.as_mut(), Waker::noop()), Poll::Pending);
        let ready = poll_once(waits.as_mut(), Waker::noop());
        assert_eq!(ready, Poll::Ready(Ok("ready".to_owned())));
        assert_eq!(dropped.get(), 0);
    }
    assert_eq!(dropped.get(), 1);
    let now = Instant::now();
    {
        let mut late = pin!(timeout_at(now, Pinned::new(2, &dropped)));
        let elapsed = poll_once(late.as_mut(), Waker::noop());
        assert_eq!(elapsed, Poll::Ready(Err(Elapsed)));
        // The future goes first.
        let ready = poll_once(late.as_mut(), Waker::noop());
        assert_eq!(ready, Poll::Ready(Ok("ready".to_owned())));
    }
    assert_eq!(dropped.get(), 2);
}

#[test]
fn miri_what_is_over_is_ready_again_and_again() {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let now = Instant::now();
    let mut over = sleep_until(now);
    assert!(over.is_elapsed());
    assert_eq!(over.deadline(), Some(now));
    for _ in 0..3 {
        assert_eq!(poll_once(Pin::new(&mut over), &waker), Poll::Ready(()));
    }
    let mut ever = sleep(Duration::MAX);
    assert_eq!(ever.deadline(), None);
    assert!(!ever.is_elapsed());
    assert_eq!(poll_once(Pin::new(&mut ever), &waker), Poll::Pending);
    assert_eq!(Arc::strong_count(&wakes), 2, "no waker is registered");
    ever.reset(now);
    assert_eq!(poll_once(Pin::new(&mut ever), &waker), Poll::Ready(()));
    assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
}

#[test]
fn a_registration_is_one_share_of_the_waker() {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let mut sleeps: Vec<_> = (0..100).map(|_| sleep(HOUR)).collect();
    for _ in 0..3 {
        for sleep in &mut sleeps {
            assert_eq!(poll_once(Pin::new(sleep), &waker), Poll::Pending);
        }
        assert_eq!(Arc::strong_count(&wakes), 102);
    }
    assert!(heap::len() >= 100);
    let other = Arc::new(Wakes::default());
    let waker_of_other = Waker::from(Arc::clone(&other));
    for sleep in &mut sleeps {
        assert_eq!(poll_once(Pin::new(sleep), &waker_of_other), Poll::Pending);
    }
    assert_eq!(Arc::strong_count(&wakes), 2);
    assert_eq!(Arc::strong_count(&other), 102);
    drop(sleeps);
    assert_eq!(Arc::strong_count(&other), 2);
}

#[test]
fn a_timeout_that_is_ready_keeps_no_deadline() {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let is_ready = Cell::new(false);
    let mut waits = pin!(timeout(
        HOUR,
        std::future::poll_fn(|_| if is_ready.get() {
            Poll::Ready(())
        } else {
            Poll::Pending
        })
    ));
    assert_eq!(poll_once(waits.as_mut(), &waker), Poll::Pending);
    assert_eq!(Arc::strong_count(&wakes), 3);
    is_ready.set(true);
    assert_eq!(poll_once(waits.as_mut(), &waker), Poll::Ready(Ok(())));
    assert_eq!(Arc::strong_count(&wakes), 2);
}

#[test]
fn a_timeout_wakes_for_its_future_as_well() {
    let wakes = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&wakes));
    let inner = Cell::new(None::<Waker>);
    let mut polls = 0;
    let future = std::future::poll_fn(|context| {
        inner.set(Some(context.waker().clone()));
        polls += 1;
        if polls == 2 {
            Poll::Ready(polls)
        } else {
            Poll::Pending
        }
    });
    let mut waits = pin!(timeout(HOUR, future));
    assert_eq!(poll_once(waits.as_mut(), &waker), Poll::Pending);
    inner.take().unwrap().wake();
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
    assert_eq!(poll_once(waits.as_mut(), &waker), Poll::Ready(Ok(2)));
}

#[test]
fn miri_they_can_be_sent_and_printed() {
    fn is_send<T: Send + Sync + Unpin>(_: &T) {}
    let sleep = sleep(Duration::MAX);
    is_send(&sleep);
    assert_eq!(format!("{sleep:?}"), "Sleep { deadline: None, .. }");
    let waits = timeout(Duration::MAX, sleep);
    is_send(&waits);
    assert_eq!(format!("{waits:?}"), "Timeout { deadline: None, .. }");
}
