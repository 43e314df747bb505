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

use std::thread;

use stress::{Run, round_done};

/// Threads with streams of their own.
const CALLERS: u64 = 4;

fn main() {
    let run = Run::start();
    thread::scope(|scope| {
        for caller in 0..CALLERS {
            let mut random = run.random(caller);
            scope.spawn(move || {
                while run.goes_on() {
                    round::run(random.number());
                    round_done();
                }
            });
        }
    });
    run.report("streams");
}
