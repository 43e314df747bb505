//! Where consumers with threads of their own sleep until they are called.
//!
//! They are numbered, and it is always the lowest one that is woken: the others sleep on,
//! undisturbed.
//!
//! # The race feared
//!
//! A consumer leaves the stage state, and is called before it parks: the call finds no
//! sleeper. So a call that no consumer could answer is kept, and the next one that is about to lie
//! down takes it.

use std::collections::BTreeSet;
use std::time::Duration;

use super::end_parker::EndParker;
#[cfg(not(drumline_loom))]
use crate::pool;
use crate::sync::{Mutex, lock, planted};

/// The consumers of one stage that have nothing to do.
#[derive(Debug)]
pub(super) struct ParkedConsumers {
    state: Mutex<State>,
    beds: Vec<EndParker>,
}

/// How a rest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    Called,
    /// No consumer is needed any more.
    Over,
    /// The time is over, and no call has come.
    Late,
    /// The consumer is on a thread of a pool, which has a job that no other can run.
    #[cfg(not(drumline_loom))]
    Sent,
}

#[derive(Debug)]
struct State {
    asleep: BTreeSet<usize>,
    /// Calls that no consumer has answered.
    kept: usize,
    /// It is over: no consumer sleeps any more.
    closed: bool,
}

impl ParkedConsumers {
    /// None of the `consumers` is parked. `calls` wait for the first ones to come.
    pub(super) fn new(consumers: usize, calls: usize) -> Self {
        ParkedConsumers {
            state: Mutex::new(State {
                asleep: BTreeSet::new(),
                kept: calls,
                closed: false,
            }),
            beds: (0..consumers).map(|_| EndParker::new()).collect(),
        }
    }

    /// Wakes one consumer. `false`: none sleeps.
    pub(super) fn wake(&self) -> bool {
        let lowest = lock(&self.state).asleep.pop_first();
        if let Some(number) = lowest {
            self.beds[number].unpark();
        }
        lowest.is_some()
    }

    /// Wakes one consumer, or keeps the call.
    pub(super) fn call(&self) {
        let lowest = {
            let mut state = lock(&self.state);
            let lowest = state.asleep.pop_first();
            if lowest.is_none() && !planted!(CallNotKept) {
                state.kept += 1;
            }
            lowest
        };
        if let Some(number) = lowest {
            self.beds[number].unpark();
        }
    }

    /// Sleeps until called, or sent for; but no longer than this time, if there is one.
    pub(super) fn rest_for(&self, number: usize, time: Option<Duration>) -> Rest {
        let mut state = lock(&self.state);
        if state.kept > 0 {
            state.kept -= 1;
            return Rest::Called;
        }
        if state.closed {
            return Rest::Over;
        }
        state.asleep.insert(number);
        loop {
            drop(state);
            match time {
                None => self.beds[number].park(),
                Some(time) => {
                    self.beds[number].nap(time, true);
                }
            }
            state = lock(&self.state);
            if !state.asleep.contains(&number) {
                return Rest::Called;
            }
            if state.closed {
                state.asleep.remove(&number);
                return Rest::Over;
            }
            #[cfg(not(drumline_loom))]
            if pool::is_sent_for() {
                state.asleep.remove(&number);
                return Rest::Sent;
            }
            if time.is_some() {
                state.asleep.remove(&number);
                return Rest::Late;
            }
        }
    }

    /// It is over: wakes all consumers.
    pub(super) fn close(&self) {
        let asleep: Vec<usize> = {
            let mut state = lock(&self.state);
            state.closed = true;
            state.asleep.iter().copied().collect()
        };
        for number in asleep {
            self.beds[number].unpark();
        }
    }
}
