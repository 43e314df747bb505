//! How often things have happened on one seat.
//!
//! Written by the seat's occupant alone, by plain loads and stores; a guest's
//! seat passes from one to the next through a lock. [`Stats`](super::Stats) is
//! the sum over all seats. What costs a system call or a steal is counted, and
//! nothing in the way of a fork: `join` does not know of these.

use crate::sync::{Apart, Count};

/// The counters of one seat, apart from what thieves look at.
#[derive(Debug, Default)]
pub(crate) struct Counters(Apart<Inner>);

#[derive(Debug, Default)]
struct Inner {
    steals: Count,
    parks: Count,
    wakes: Count,
    beats: Count,
    blocks: Count,
    spares: Count,
}

/// Occupant: counts one of these.
impl Counters {
    /// It took a job from another seat, and runs it.
    pub(crate) fn count_steal(&self) {
        self.0.steals.up();
    }

    /// It goes to sleep, for as long as nobody wakes it.
    pub(crate) fn count_park(&self) {
        self.0.parks.up();
    }

    /// It has been woken from that sleep.
    pub(crate) fn count_wake(&self) {
        self.0.wakes.up();
    }

    /// As the lookout it took work, and called the next in line.
    pub(crate) fn count_beat(&self) {
        self.0.beats.up();
    }

    /// It blocks.
    pub(crate) fn count_block(&self) {
        self.0.blocks.up();
    }

    /// It is a spare, and takes the place of a thread that blocks.
    pub(crate) fn count_spare(&self) {
        self.0.spares.up();
    }
}

/// Anybody: what has been counted so far.
impl Counters {
    pub(crate) fn steals(&self) -> u64 {
        self.0.steals.get()
    }

    pub(crate) fn parks(&self) -> u64 {
        self.0.parks.get()
    }

    pub(crate) fn wakes(&self) -> u64 {
        self.0.wakes.get()
    }

    pub(crate) fn beats(&self) -> u64 {
        self.0.beats.get()
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.0.blocks.get()
    }

    pub(crate) fn spares(&self) -> u64 {
        self.0.spares.get()
    }
}
