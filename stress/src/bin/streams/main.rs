//! Streams of every kind, several at once, on common pools and on threads of their own, with items that
//! block or panic, and with ends that come early.
//!
//! Checked in every round: an item that was taken from the source is worked on once, and then it has
//! arrived, or it is lost to a panic, or it is dropped where the stream was left early; what was not taken
//! is not touched; everything is dropped once; what arrives is what a loop would give, in order where
//! that was asked for; and panics are told, with the right items.

mod item;
mod plan;
mod round;
mod verify;

use std::sync::Arc;
use std::thread;

use drumline::Pool;
use stress::{Run, fail, round_done};

use plan::POOLS;

/// Threads with streams of their own.
const CALLERS: u64 = 4;

fn main() {
    let run = Run::start();
    let pool = |(jobs, guests)| Pool::builder().jobs(jobs).guests(guests).build();
    let pools = POOLS.map(|kind| pool(kind).expect("a pool"));
    let pools = Arc::new(Vec::from(pools));
    thread::scope(|scope| {
        for caller in 0..CALLERS {
            let pools = &pools;
            let mut random = run.random(caller);
            scope.spawn(move || {
                while run.goes_on() {
                    round::run(random.number(), pools);
                    round_done();
                }
            });
        }
    });
    for pool in Arc::into_inner(pools).expect("nobody else has them") {
        if pool.shutdown().is_err() {
            fail("a pool could not be shut down");
        }
    }
    run.report("streams");
}
