//! The clock of a simulation: a queue of events, each of which lets one thread go on.
//!
//! A simulated thread is a future. It goes on until it waits for time to pass, or for another
//! thread; then the clock moves to the next event. Events at the same time come in the order in
//! which they were made, so a run is the same every time.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Nanoseconds, since the begin of a simulation or between two events.
pub type Time = u64;

/// The number of a simulated thread.
pub type ThreadId = usize;

/// What a simulated thread does.
pub type ThreadFuture<'w> = Pin<Box<dyn Future<Output = ()> + 'w>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: Time,
    number: u64,
    thread: ThreadId,
    turn: u64,
}

/// Time, and what is to happen.
#[derive(Debug)]
pub struct Clock {
    now: Cell<Time>,
    events: RefCell<BinaryHeap<Reverse<Event>>>,
    made: Cell<u64>,
    current: Cell<ThreadId>,
    /// How often each thread has gone on, or been given another event: an event of an earlier turn
    /// is void.
    turns: RefCell<Vec<u64>>,
}

impl Clock {
    pub fn new(threads: usize) -> Self {
        Clock {
            now: Cell::new(0),
            events: RefCell::new(BinaryHeap::new()),
            made: Cell::new(0),
            current: Cell::new(0),
            turns: RefCell::new(vec![0; threads]),
        }
    }

    pub fn now(&self) -> Time {
        self.now.get()
    }

    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.made.get()
    }

    /// The thread that goes on now.
    pub fn current(&self) -> ThreadId {
        self.current.get()
    }

    /// `thread`, which waits, goes on after `delay`, unless something else lets it go on earlier.
    pub fn resume(&self, thread: ThreadId, delay: Time) {
        let number = self.made.get();
        self.made.set(number + 1);
        self.events.borrow_mut().push(Reverse(Event {
            at: self.now() + delay,
            number,
            thread,
            turn: self.turns.borrow()[thread],
        }));
    }

    /// The events that `thread` waits for are void.
    pub fn forget(&self, thread: ThreadId) {
        self.turns.borrow_mut()[thread] += 1;
    }

    /// Lets time pass for the thread that goes on now.
    pub async fn pass(&self, delay: Time) {
        if delay > 0 {
            self.resume(self.current(), delay);
            self.wait().await;
        }
    }

    /// The thread that goes on now waits until it is [resumed](Self::resume).
    pub async fn wait(&self) {
        let mut waits = false;
        poll_fn(|_| {
            if std::mem::replace(&mut waits, true) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// Runs all threads until nothing is left to happen.
    pub fn run(&self, mut threads: Vec<ThreadFuture<'_>>) {
        let mut context = Context::from_waker(Waker::noop());
        let mut ended = vec![false; threads.len()];
        for thread in 0..threads.len() {
            self.resume(thread, 0);
        }
        loop {
            let next = self.events.borrow_mut().pop();
            let Some(Reverse(event)) = next else {
                return;
            };
            let thread = event.thread;
            if ended[thread] || event.turn != self.turns.borrow()[thread] {
                continue;
            }
            self.forget(thread);
            self.now.set(event.at);
            self.current.set(thread);
            ended[thread] = threads[thread].as_mut().poll(&mut context).is_ready();
        }
    }
}

/// A lock that its waiters get in turn.
#[derive(Debug, Default)]
pub struct Lock {
    is_held: Cell<bool>,
    waiters: RefCell<std::collections::VecDeque<ThreadId>>,
}

impl Lock {
    pub async fn acquire(&self, clock: &Clock) {
        if self.is_held.replace(true) {
            self.waiters.borrow_mut().push_back(clock.current());
            clock.wait().await;
        }
    }

    /// The next one has it after `hand_over`.
    pub fn release(&self, clock: &Clock, hand_over: Time) {
        match self.waiters.borrow_mut().pop_front() {
            Some(next) => clock.resume(next, hand_over),
            None => self.is_held.set(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_go_on_in_the_order_of_time() {
        let clock = Clock::new(3);
        let seen = RefCell::new(Vec::new());
        let future = |thread: usize, delay| -> ThreadFuture<'_> {
            let (clock, seen) = (&clock, &seen);
            Box::pin(async move {
                for _ in 0..2 {
                    clock.pass(delay).await;
                    seen.borrow_mut().push((clock.now(), thread));
                }
            })
        };
        clock.run(vec![future(0, 50), future(1, 20), future(2, 20)]);
        let expected = [(20, 1), (20, 2), (40, 1), (40, 2), (50, 0), (100, 0)];
        assert_eq!(*seen.borrow(), expected);
    }

    #[test]
    fn a_lock_is_had_by_one_at_a_time_and_in_turn() {
        let clock = Clock::new(3);
        let (lock, inside) = (Lock::default(), Cell::new(0));
        let order = RefCell::new(Vec::new());
        let future = |thread: usize| -> ThreadFuture<'_> {
            let (clock, lock, inside, order) = (&clock, &lock, &inside, &order);
            Box::pin(async move {
                clock.pass(thread as Time).await;
                lock.acquire(clock).await;
                assert_eq!(inside.replace(1), 0);
                clock.pass(100).await;
                inside.set(0);
                order.borrow_mut().push((thread, clock.now()));
                lock.release(clock, 5);
            })
        };
        clock.run(vec![future(0), future(1), future(2)]);
        assert_eq!(*order.borrow(), [(0, 100), (1, 205), (2, 310)]);
    }
}
