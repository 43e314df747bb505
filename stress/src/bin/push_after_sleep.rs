//! A push is noticed, whenever the pool fell asleep, also if its `a` never comes back.
//!
//! In every round an `a` spins until its `b` has run on another thread, so a `b` that no thread
//! sees is a round that never ends. The push is timed to meet a searcher that is about to sleep:
//!
//! * *Return*: a guest leaves the pool, and another call enters and pushes a random moment later,
//!   around the time at which the searcher finds the pool deserted and is about to sleep.
//! * *Second*: the searcher takes a first entry, and marks the deques before it begins to run it; a
//!   second push comes at about that time, and the first entry waits for the second.
//! * *Long*: a guest stays inside until the searcher's naps have reached their limit.
//!
//! Without the barrier the searcher can mark, look and see nothing while the push is still in the
//! owner's store buffer, and the owner has read the limit before it was marked.
//!
//! Planted: fails

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use drumline::Pool;
use stress::{Random, Run, Waited, dither, fail, round_done, work_for};

/// How often the second push is tried without leaving the pool.
const EPISODES: u64 = 16;
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
            0 => 2,
            1..=96 => 1,
            _ => 0,
        };
        kinds[kind] += if kind == 1 { EPISODES } else { 1 };
        match kind {
            0 => after_return(&two, &mut random, &mut timing),
            1 => second(&three, &mut random),
            _ => after_long(&two, &mut random),
        }
        round_done();
    }
    let [first, second, long] = kinds;
    run.report(&format!(
        "rounds of pushes ({first} on return, {second} second, {long} long)"
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
        Timing { start: 20_000 }
    }

    fn next(&mut self, random: &mut Random) -> Duration {
        // Sweeps slowly over all that could be right, with a random part.
        self.start = (self.start + 97) % 120_000;
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

fn after_long(pool: &Pool, random: &mut Random) {
    let delay = Duration::from_nanos(2_900_000 + random.below(1_500_000));
    pool.install(|| {
        work_for(delay);
        must_be_noticed("a push in a pool that slept around a guest was not noticed");
    });
}
