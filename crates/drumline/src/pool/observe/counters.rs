//! How often things have happened on one seat.
//!
//! Written by the seat's occupant alone, by plain loads and stores; a guest's seat passes from one
//! to the next through a lock. [`Stats`](crate::pool::Stats) is the sum over all seats. What costs
//! a system call or a steal is counted, and nothing in the way of a fork: `join` does not know of
//! these.
//!
//! What happens under a lock is counted beside that lock, by the thread that holds it: see
//! `deque::counts`, `idle` and `job_queue`.

use crate::sync::{Apart, Count, Level};

/// The counters of one seat, apart from what thieves look at.
#[derive(Debug, Default)]
pub(crate) struct Counters(Apart<CounterWords>);

/// What the occupant counts. [`Stats`](crate::pool::Stats) says more about each.
#[derive(Debug, Default)]
pub(crate) struct CounterWords {
    /// It took a job from another seat, and runs it.
    pub(crate) steals: Count,
    /// It goes to sleep, for as long as no thread wakes it.
    pub(crate) parks: Count,
    /// It has been woken from that sleep.
    pub(crate) wakes: Count,
    /// As the searcher it took work, and called the next idle worker.
    pub(crate) beats: Count,
    /// It blocks.
    pub(crate) blocks: Count,
    /// It is a spare, and takes the place of a thread that blocks.
    pub(crate) spares: Count,
    /// It called an idle worker.
    pub(crate) calls: Count,
    /// It marked every deque.
    pub(crate) marks: Count,
    /// It ran the heavy barrier, other than to take an entry by force.
    pub(crate) barriers: Count,
    /// It found another thief at work where it wanted to take something.
    pub(crate) busy: Count,
    /// What it had taken was gone again before it began.
    pub(crate) returned: Count,
    /// It napped.
    pub(crate) naps: Count,
    /// It napped to the end, and there was something to run then.
    pub(crate) late_naps: Count,
    /// It polled a future.
    pub(crate) polls: Count,
    /// A task that it runs has woken another one, which it runs next.
    pub(crate) hand_offs: Count,
    /// It took the lock of a scope.
    pub(crate) scope_locks: Count,
    /// The longest chain of calls that ends with a call of this occupant.
    pub(crate) deepest: Level,
    /// The chain of calls that ended with the call of the occupant itself: its length, and the
    /// spell of work that it belongs to. Written by the thread that calls.
    chain: Level,
    spell: Level,
}

impl std::ops::Deref for Counters {
    type Target = CounterWords;

    fn deref(&self) -> &CounterWords {
        &self.0
    }
}

impl Counters {
    /// How long the chain of calls is that ended with the call of the occupant, in this spell of
    /// work; 0 if no thread has called it since the pool was at rest.
    pub(crate) fn chain_in(&self, spell: usize) -> usize {
        // Two words, and another thread may be between them: it is a figure, no more.
        if self.spell.get() == spell {
            self.chain.get()
        } else {
            0
        }
    }

    /// The seat has a new occupant, which no thread has called.
    pub(crate) fn has_new_occupant(&self) {
        self.chain.set(0);
    }

    /// Another thread calls the occupant: the last link of a chain of `chain` calls.
    pub(crate) fn is_called(&self, chain: usize, spell: usize) {
        self.chain.set(chain);
        self.spell.set(spell);
    }

    /// The occupant took a nap; `through`: no thread ended it. `is_late` says whether there is
    /// something to run now.
    pub(crate) fn count_nap(&self, through: bool, is_late: impl FnOnce() -> bool) {
        self.naps.up();
        if through && is_late() {
            self.late_naps.up();
        }
    }
}
