//! What became of the actors and messages of a system.
//!
//! Relaxed, all of it: counts, beside which nothing is published. They are compared when the system
//! has ended, which publishes them.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use drumline::actor::{DeadLetter, TellError};
use stress::check;

use crate::occurred::Event;

thread_local! {
    /// This thread is about to drop a dead letter.
    static LOSING: Cell<bool> = const { Cell::new(false) };
}

/// Those of all rounds: messages handled, come back, refused, lost, and left; panics.
static TOTALS: [AtomicU64; 6] = [const { AtomicU64::new(0) }; 6];

/// The counts of one round.
#[derive(Default)]
pub struct Tally {
    /// Numbers of senders.
    senders: AtomicU64,
    /// Actors that are alive.
    actors: AtomicUsize,
    /// Messages that have not been dropped.
    messages: AtomicUsize,
    sent: AtomicUsize,
    handled: AtomicUsize,
    back: AtomicUsize,
    refused: AtomicUsize,
    lost: AtomicUsize,
    /// Messages for an async handler with a future that was dropped before it was polled.
    left: AtomicUsize,
    /// Async handlers that were dropped while they were pending.
    cut: AtomicUsize,
    panics: AtomicU64,
}

impl Tally {
    pub fn next_sender(&self) -> u64 {
        self.senders.fetch_add(1, Ordering::Relaxed)
    }

    pub fn panics(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// For the listener of dead letters.
    pub fn is_losing(_: &DeadLetter) {
        LOSING.set(true);
    }

    /// A message has come back.
    pub fn back<T>(&self, error: TellError<Message<T>>) {
        let mut message = error.into_inner();
        message.is_settled = true;
        self.back.fetch_add(1, Ordering::Relaxed);
    }

    /// Messages that were left so far by futures that were dropped before they were polled.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed) as u64
    }

    /// An async handler has begun. What this returns is told when it is done.
    pub fn begin_async(self: &Arc<Self>) -> Handling {
        Event::AsyncBegun.note();
        Handling {
            tally: Arc::clone(self),
            is_done: false,
        }
    }

    /// Whether no actor is alive, and no message.
    pub fn is_over(&self) -> bool {
        // Acquire pairs with the Release of the drops.
        self.actors.load(Ordering::Acquire) == 0 && self.messages.load(Ordering::Acquire) == 0
    }

    /// All is over. Futures may have been dropped only if the pool `has_ended` in this round.
    /// Returns how many actors have panicked.
    pub fn check(&self, dead_letters: Option<usize>, has_ended: bool) -> u64 {
        let read = |count: &AtomicUsize| count.load(Ordering::Acquire);
        let (sent, handled, back) = (read(&self.sent), read(&self.handled), read(&self.back));
        let (refused, lost, left) = (read(&self.refused), read(&self.lost), read(&self.left));
        check(
            sent == handled + back + refused + lost + left,
            &format!(
                "{sent} sent, {handled} handled, {back} back, {refused} refused, {lost} lost, \
                 {left} left"
            ),
        );
        let cut = read(&self.cut);
        check(
            left + cut == 0 || has_ended,
            "a future was dropped in a pool that goes on",
        );
        Event::AsyncCut.add(cut as u64);
        // Those that came behind the shutdown are not in the number.
        let is_right = dead_letters.is_none_or(|dead_letters| dead_letters <= lost);
        check(is_right, "there are dead letters that no listener had");
        let panics = self.panics.load(Ordering::Acquire);
        let counts = [handled, back, refused, lost, left].map(|count| count as u64);
        for (total, count) in TOTALS.iter().zip(counts.into_iter().chain([panics])) {
            total.fetch_add(count, Ordering::Relaxed);
        }
        panics
    }
}

/// Says what became of the messages of all rounds.
pub fn report_totals() {
    let totals = TOTALS.each_ref().map(|total| total.load(Ordering::Relaxed));
    let [handled, back, refused, lost, left, panics] = totals;
    println!(
        "messages: {handled} handled, {back} back, {refused} refused, {lost} dead letters, \
         {left} left by futures of pools that ended"
    );
    println!("{panics} panics");
}

/// Counted while it is there: an actor.
pub struct Alive(Arc<Tally>);

impl Alive {
    pub fn new(tally: &Arc<Tally>) -> Self {
        tally.actors.fetch_add(1, Ordering::Relaxed);
        Alive(Arc::clone(tally))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.actors.fetch_sub(1, Ordering::Release);
    }
}

/// Counted if it is dropped before it is done: an async handler.
pub struct Handling {
    tally: Arc<Tally>,
    is_done: bool,
}

impl Handling {
    pub fn done(mut self) {
        self.is_done = true;
        Event::AsyncDone.note();
    }
}

impl Drop for Handling {
    fn drop(&mut self) {
        if !self.is_done && !thread::panicking() {
            self.tally.cut.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A message, with something of the type `T` that it carries.
pub struct Message<T> {
    tally: Arc<Tally>,
    pub sender: u64,
    pub number: u64,
    /// Messages that may come of it.
    pub fuel: u32,
    pub carried: Option<T>,
    /// It was set aside.
    pub is_aside: bool,
    /// It is for an async handler.
    pub is_awaited: bool,
    is_asked: bool,
    is_settled: bool,
}

impl<T> Message<T> {
    pub fn new(tally: &Arc<Tally>, (sender, number): (u64, u64), fuel: u32, asked: bool) -> Self {
        tally.sent.fetch_add(1, Ordering::Relaxed);
        tally.messages.fetch_add(1, Ordering::Relaxed);
        Message {
            tally: Arc::clone(tally),
            sender,
            number,
            fuel,
            carried: None,
            is_aside: false,
            is_awaited: false,
            is_asked: asked,
            is_settled: false,
        }
    }

    pub fn handle(&mut self) {
        check(!self.is_settled, "a message was handled twice");
        self.is_settled = true;
        self.tally.handled.fetch_add(1, Ordering::Relaxed);
    }
}

impl<T> Drop for Message<T> {
    fn drop(&mut self) {
        // What it carries may end actors, and so drop messages.
        let is_losing = LOSING.replace(false);
        drop(self.carried.take());
        if !self.is_settled {
            let count = match (is_losing, self.is_asked, self.is_awaited) {
                (true, _, _) => &self.tally.lost,
                (false, true, _) => &self.tally.refused,
                (false, false, true) => &self.tally.left,
                (false, false, false) => stress::fail("a message was lost in silence"),
            };
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.tally.messages.fetch_sub(1, Ordering::Release);
    }
}
