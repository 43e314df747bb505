//! Pauses between tries at a word that many threads change.
//!
//! A thread that has lost a compare-and-swap, and tries again at once, takes the line of memory
//! away from the thread that has won. If both send in a row, the line goes to and fro for each
//! message. With a pause in between, each of them has the line for many messages. (T. Anderson,
//! "The performance of spin lock alternatives for shared-memory multiprocessors", 1990.)

use super::relax;

/// The first pause, in calls of `relax`: about a microsecond, which is some twenty messages.
const FIRST: u32 = 64;
/// The longest one.
const LAST: u32 = 256;

/// How long the next pause is.
#[derive(Debug)]
pub(crate) struct RetryBackoff(u32);

impl RetryBackoff {
    pub(crate) fn new() -> Self {
        RetryBackoff(FIRST)
    }

    /// Passes the time until the next try. `false`: no time has passed, because this is a model,
    /// which tries each order anyway.
    pub(crate) fn pause(&mut self) -> bool {
        if cfg!(any(drumline_loom, drumline_shuttle, miri)) {
            return false;
        }
        for _ in 0..self.0 {
            relax();
        }
        self.0 = (2 * self.0).min(LAST);
        true
    }
}
