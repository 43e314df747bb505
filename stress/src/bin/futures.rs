//! Futures that are woken, cancelled, awaited and left alone by many threads at once.
//!
//! Checked: a value is the right one; a handle gets it, or learns that the task was cancelled; what
//! a future owns is dropped once, before its handle is ready and before its scope ends; wakers that
//! were kept do no harm. A poll counts in plain memory, so that ThreadSanitizer sees two polls that
//! are not one after the other.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use drumline::task::yield_now;
use drumline::{JoinError, JoinHandle, Pool, Scope, block_on};
use stress::{Random, Run, check, dither, round_done, shut_down};

/// Threads that spawn and await.
const DRIVERS: u64 = 4;
/// Threads that wake.
const WAKERS: u64 = 2;

/// Wakers that other threads have to wake.
#[derive(Default)]
struct Bag {
    wakers: Mutex<Vec<Waker>>,
    is_over: AtomicBool,
}

impl Bag {
    fn wakers(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes what is in the bag, in any order and in several ways, until all is over.
    fn empty(&self, mut random: Random) {
        let mut kept = Vec::new();
        while !self.is_over.load(Ordering::Acquire) {
            let waker = {
                let mut wakers = self.wakers();
                let len = wakers.len() as u64;
                (len > 0).then(|| wakers.swap_remove(random.below(len) as usize))
            };
            match (waker, random.below(4)) {
                (None, _) => thread::yield_now(),
                (Some(waker), 0) => waker.wake(),
                (Some(waker), 1) => {
                    let other = waker.clone();
                    waker.wake();
                    other.wake();
                }
                (Some(waker), 2) => {
                    waker.wake_by_ref();
                    // Perhaps for longer than its future lives, and its pool.
                    kept.push(waker);
                }
                (Some(waker), _) => {
                    let other = waker.clone();
                    drop(waker);
                    other.wake();
                }
            }
            if kept.len() > 100 {
                kept.drain(..).for_each(Waker::wake);
            }
        }
        kept.into_iter().for_each(Waker::wake);
    }
}

/// A future that is ready at its n-th poll, and owns something.
struct Steps {
    bag: Arc<Bag>,
    left: u64,
    polls: u64,
    /// Ready, or pending for ever.
    is_endless: bool,
    _alive: Alive,
}

/// Counted while it is there.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Alive(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Steps {
    fn random(bag: &Arc<Bag>, count: &Arc<AtomicUsize>, random: &mut Random) -> Self {
        Steps {
            bag: Arc::clone(bag),
            left: random.below(4),
            polls: 0,
            is_endless: false,
            _alive: Alive::new(count),
        }
    }
}

impl Future for Steps {
    type Output = u64;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u64> {
        self.polls += 1;
        dither(self.polls * 50);
        if self.left == 0 && !self.is_endless {
            return Poll::Ready(self.polls);
        }
        self.left = self.left.saturating_sub(1);
        // Woken while this poll is under way, perhaps.
        self.bag.wakers().push(cx.waker().clone());
        dither(self.polls * 50);
        Poll::Pending
    }
}

fn main() {
    let run = Run::start();
    let bag = Arc::new(Bag::default());
    let pools: Vec<Pool> = (1..=3)
        .map(|jobs| Pool::builder().jobs(jobs).build().expect("a pool"))
        .collect();
    thread::scope(|scope| {
        for waker in 0..WAKERS {
            let (bag, random) = (Arc::clone(&bag), run.random(1_000 + waker));
            scope.spawn(move || bag.empty(random));
        }
        thread::scope(|drivers| {
            for driver in 0..DRIVERS {
                let (run, bag, pools, mut random) = (&run, &bag, &pools, run.random(driver));
                drivers.spawn(move || {
                    while run.goes_on() {
                        let pool = &pools[random.below(pools.len() as u64) as usize];
                        match random.below(3) {
                            0 => tasks(pool, bag, &mut random),
                            1 => in_scope(pool, bag, &mut random),
                            _ => pool_that_ends(bag, &mut random),
                        }
                        round_done();
                    }
                });
            }
        });
        bag.is_over.store(true, Ordering::Release);
    });
    shut_down(pools);
    run.report("rounds of futures");
}

/// Some tasks of a pool, each with an end of its own.
fn tasks(pool: &Pool, bag: &Arc<Bag>, random: &mut Random) {
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..1 + random.below(8) {
        let mut steps = Steps::random(bag, &count, random);
        let expected = steps.left + 1;
        steps.is_endless = random.below(8) == 0;
        let is_endless = steps.is_endless;
        let yields = random.below(3);
        let task = pool.spawn_future(async move {
            for _ in 0..yields {
                yield_now().await;
            }
            steps.await
        });
        end(task, expected, is_endless, random);
    }
    // What was detached ends, too.
    while count.load(Ordering::SeqCst) > 0 {
        thread::yield_now();
    }
}

/// Ends a task in one of the ways.
fn end(mut task: JoinHandle<u64>, expected: u64, is_endless: bool, random: &mut Random) {
    let polls = if random.below(2) == 0 {
        0
    } else {
        random.below(3)
    };
    for _ in 0..polls {
        // Names a watcher, in place of the one before.
        let mut cx = Context::from_waker(Waker::noop());
        if let Poll::Ready(outcome) = Pin::new(&mut task).poll(&mut cx) {
            return is_right(&outcome, expected, is_endless);
        }
        dither(random.below(300));
    }
    match random.below(if is_endless { 3 } else { 6 }) {
        0 => {
            task.abort();
            is_cancelled_or_right(&task.join(), expected);
        }
        1 => drop(task.abort_on_drop()),
        2 => match task.cancel() {
            Ok(()) => {}
            Err(task) => {
                task.abort();
                is_cancelled_or_right(&block_on(task), expected);
            }
        },
        3 => is_right(&task.join(), expected, is_endless),
        4 => is_right(&block_on(task), expected, is_endless),
        _ => drop(task),
    }
}

fn is_right(outcome: &Result<u64, JoinError>, expected: u64, is_endless: bool) {
    let is_right = matches!(outcome, Ok(polls) if *polls == expected);
    check(is_right && !is_endless, "a wrong value, or none");
}

fn is_cancelled_or_right(outcome: &Result<u64, JoinError>, expected: u64) {
    let is_right = match outcome {
        Ok(polls) => *polls == expected,
        Err(error) => error.is_cancelled(),
    };
    check(is_right, "neither cancelled nor right");
}

/// Futures that borrow. The body panics now and then.
fn in_scope(pool: &Pool, bag: &Arc<Bag>, random: &mut Random) {
    let count = Arc::new(AtomicUsize::new(0));
    let mut sums = [0; 6];
    let panics = random.below(8) == 0;
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        pool.in_place_scope(|s| {
            spawn_all(s, bag, &count, &mut sums, random);
            if panics {
                std::panic::resume_unwind(Box::new("of a body"));
            }
        });
    }));
    check(outcome.is_err() == panics, "a panic was lost, or made up");
    check(
        count.load(Ordering::SeqCst) == 0,
        "a future outlives its scope",
    );
    let are_there = sums.iter().all(|&sum| sum > 0);
    check(panics || are_there, "a future of a scope was not run");
}

fn spawn_all<'scope>(
    s: &Scope<'scope>,
    bag: &Arc<Bag>,
    count: &Arc<AtomicUsize>,
    sums: &'scope mut [u64],
    random: &mut Random,
) {
    for sum in sums {
        let steps = Steps::random(bag, count, random);
        let expected = steps.left + 1;
        let task = s.spawn_future(async {
            *sum = steps.await;
            *sum
        });
        match random.below(3) {
            0 => is_right(&task.join(), expected, false),
            1 => is_right(&block_on(task), expected, false),
            _ => drop(task),
        }
    }
}

/// A pool that ends while its futures wait or run.
fn pool_that_ends(bag: &Arc<Bag>, random: &mut Random) {
    let count = Arc::new(AtomicUsize::new(0));
    let jobs = 1 + random.below(2) as usize;
    let pool = Pool::builder().jobs(jobs).build().expect("a pool");
    let mut tasks = Vec::new();
    for _ in 0..random.below(6) {
        let mut steps = Steps::random(bag, &count, random);
        let expected = steps.left + 1;
        steps.is_endless = random.below(2) == 0;
        tasks.push((pool.spawn_future(steps), expected));
    }
    dither(random.below(20_000));
    check(pool.shutdown().is_ok(), "a pool could not be shut down");
    check(
        count.load(Ordering::SeqCst) == 0,
        "a future outlives its pool",
    );
    for (task, expected) in tasks {
        let is_right = match task.join() {
            Ok(polls) => polls == expected,
            Err(error) => error.is_shutdown(),
        };
        check(is_right, "neither right nor dropped by the pool");
    }
}
