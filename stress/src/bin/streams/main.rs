//! Streams of every kind, several at once, on common pools and on threads of their own, with items
//! that block or panic, and with ends that come early.
//!
//! Checked in every round: an item that was taken from the source is worked on once, and then it
//! has arrived, or it is lost to a panic, or it is dropped where the stream was left early; what
//! was not taken is not touched; everything is dropped once; what arrives is what a loop would
//! give, in order where that was asked for; and panics are told, with the right items.

mod item;
mod plan;
mod round;
mod verify;

use std::sync::Arc;

use drumline::Pool;
use stress::{Run, shut_down};

use plan::POOLS;

/// Threads with streams of their own.
const CALLERS: u64 = 4;

fn main() {
    let run = Run::start();
    let pool = |(jobs, guests)| Pool::builder().jobs(jobs).guests(guests).build();
    let pools = POOLS.map(|kind| pool(kind).expect("a pool"));
    let pools = Arc::new(Vec::from(pools));
    run.repeat(CALLERS, |random| round::run(random.number(), &pools));
    shut_down(Arc::into_inner(pools).expect("no other thread has them"));
    run.report("streams");
}
