//! A push is noticed, whenever the pool fell asleep, also if its `a` never comes back.
//!
//! In every round an `a` spins until its `b` has run on another thread, so a `b` that no thread
//! sees is a round that never ends. The push is timed to meet a searcher that is about to sleep. A
//! searcher spins for 4 µs in a pool where nothing runs, and for 60 µs beside a guest that works,
//! or less while programs compete for the processors. Then it marks the deques, looks once more,
//! and sleeps.
//!
//! * *Return*: a guest leaves the pool, and another call enters and pushes a random moment later,
//!   around the time at which the searcher finds the pool deserted and is about to sleep.
//! * *Second*: the searcher takes a first entry, and marks the deques before it begins to run it; a
//!   second push comes at about that time, and the first entry waits for the second.
//! * *Beside*: a guest stays inside after a push and works alone. Its next push comes around the
//!   time at which the searcher beside it has spun for long enough.
//!
//! Without the barrier the searcher can mark, look and see nothing while the push is still in the
//! owner's store buffer, and the owner has read the limit before it was marked.
//!
//! Planted: fails

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use drumline::Pool;
use stress::{Random, Run, Waited, dither, fail, round_done, work_for};

/// How often the push is tried without leaving the pool, where that is part of the try.
const EPISODES: u64 = 16;
/// Work that is worth any call: four times what a call counts as costing at most.
const WORTH_IT: Duration = Duration::from_micros(65);
/// A push that has not been noticed for this long is lost.
const LOST: Duration = Duration::from_secs(10);

fn main() {
    let run = Run::start();
    let two = Pool::builder().jobs(2).build().expect("a pool");
    let three = Pool::builder().jobs(3).build().expect("a pool");
    let mut random = run.random(0);
    let mut timing = Timing::new();
    let mut kinds = [0_u64; 3];
    while run.goes_on() {
        let kind = match random.below(256) {
            0..=15 => 2,
            16..=111 => 1,
            _ => 0,
        };
        kinds[kind] += if kind == 0 { 1 } else { EPISODES };
        match kind {
            0 => after_return(&two, &mut random, &mut timing),
            1 => second(&three, &mut random),
            _ => beside(&two, &mut random),
        }
        round_done();
    }
    let [first, second, beside] = kinds;
    run.report(&format!(
        "rounds of pushes ({first} on return, {second} second, {beside} beside a guest)"
    ));
}

/// Spins until another thread sets `flag`.
fn until(flag: &AtomicBool, what: &str) {
    let mut waited = Waited::new();
    let mut looks = 0_u32;
    while !flag.load(Ordering::Acquire) {
        std::hint::spin_loop();
        looks += 1;
        // More threads than cores: the other side may need this one.
        if looks.is_multiple_of(64) {
            std::thread::yield_now();
            if waited.so_far() > LOST {
                fail(what);
            }
        }
    }
}

/// `a` of this join does not come back before `b` has run elsewhere.
fn must_be_noticed(what: &str) {
    let ran = AtomicBool::new(false);
    drumline::join(|| until(&ran, what), || ran.store(true, Ordering::Release));
}

/// How long after a guest has left the searcher goes to sleep: a moving target, because it depends
/// on the machine's timers. Random delays spread around it.
struct Timing {
    start: u64,
}

impl Timing {
    fn new() -> Self {
        Timing { start: 0 }
    }

    fn next(&mut self, random: &mut Random) -> Duration {
        // Sweeps slowly over all that could be right, with a random part.
        self.start = (self.start + 97) % 40_000;
        Duration::from_nanos(self.start + random.below(20_000))
    }
}

fn after_return(pool: &Pool, random: &mut Random, timing: &mut Timing) {
    let steps = random.below(64);
    work_for(timing.next(random));
    pool.install(|| {
        dither(steps);
        must_be_noticed("a push after the pool fell asleep was not noticed");
    });
}

fn second(pool: &Pool, random: &mut Random) {
    pool.install(|| {
        for _ in 0..EPISODES {
            // Time for those at work to find nothing more, and for one to be the searcher.
            dither(random.below(8_000));
            // From the moment at which it sees the first entry, or a while later.
            let steps = random.below(2_000);
            let ran = AtomicBool::new(false);
            drumline::join(
                || {
                    dither(steps);
                    drumline::join(
                        || until(&ran, "a second push was not noticed"),
                        || ran.store(true, Ordering::Release),
                    )
                },
                || until(&ran, "a second push was not noticed by those at work"),
            );
        }
    });
}

fn beside(pool: &Pool, random: &mut Random) {
    pool.install(|| {
        for _ in 0..EPISODES {
            must_be_worth_it();
            work_for(Duration::from_nanos(random.below(100_000)));
        }
        must_be_noticed("the last push beside a searcher about to sleep was not noticed");
    });
}

/// As [`must_be_noticed`], and both halves work on: after a call that was not worth its cost, a
/// searcher naps for long instead of going to sleep.
fn must_be_worth_it() {
    let ran = AtomicBool::new(false);
    drumline::join(
        || {
            until(
                &ran,
                "a push beside a searcher about to sleep was not noticed",
            );
            work_for(WORTH_IT);
        },
        || {
            ran.store(true, Ordering::Release);
            work_for(WORTH_IT);
        },
    );
}
